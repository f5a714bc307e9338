import FixedPoint
import Gestures
import Glibc
import TestSupport
import Testing

@Suite struct TiltScrollRestTests {
  private let published = Force(y: 0.75.squareRoot(), z: 0.5)

  @Test func `the published rest gives the published inputs to the last bit`() {
    var generator = SplitMix64(seed: 51)
    for index in 0..<100_000 {
      let force = (Force.random(&generator) * (index % 3 == 0 ? 10_000 : 1.5)).vector
      let (x, y) = TiltScroll.Rest.published.inputs(force)
      #expect(x == force.x.raw)
      #expect(Int64(y) == max(min(65_536 - 2 * Int64(force.z.raw), Int64(Int32.max)), Int64(Int32.min)))
    }
  }

  @Test func `a captured rest measures about itself as the published one does`() throws {
    var generator = SplitMix64(seed: 52)
    var worst = (x: 0.0, y: 0.0)
    for _ in 0..<300 {
      let rest = (Force.random(&generator) * Double.random(in: 0.6...1.4, using: &generator)).vector
      guard dot(rest.force.unit, published) > -0.96 else { continue }
      let captured = try TiltScroll.Rest(rest)
      #expect(captured.inputs(rest) == (0, 0))
      for _ in 0..<100 {
        let force = (Force.random(&generator) * Double.random(in: 0...2, using: &generator)).vector
        let (x, y) = captured.inputs(force)
        let (turned, atRest) = (turn(force.force, from: rest.force), turn(rest.force, from: rest.force))
        worst.x = max(worst.x, abs(Double(x) - 65_536 * (turned.x - atRest.x)))
        worst.y = max(worst.y, abs(Double(y) - 131_072 * (atRest.z - turned.z)))
      }
    }
    #expect(worst.x < 1.05 && worst.y < 1.05, "\(worst)")
  }

  @Test func `a rest that leans back or forth only keeps x as it is`() throws {
    var generator = SplitMix64(seed: 53)
    for degrees in stride(from: -130.0, through: 190, by: 20) {
      let angle = degrees * .pi / 180
      let rest = try TiltScroll.Rest(Force(y: cos(angle), z: sin(angle)).vector)
      for _ in 0..<100 {
        let force = Force.random(&generator).vector
        #expect(rest.inputs(force).x == force.x.raw, "leaning back \(degrees)°")
      }
      // Leaning 10° further back scrolls as from the published rest: y = 1 - 2 sin 40°, to 3 of the last place.
      let further = Force(y: cos(angle + .pi / 18), z: sin(angle + .pi / 18)).vector
      let expected = 65_536 * (1 - 2 * sin(40 * Double.pi / 180))
      #expect(abs(Double(rest.inputs(further).y) - expected) < 3, "leaning back \(degrees)°")
    }
  }

  @Test func `nothing moves in a captured rest, and a tilt from it does`() throws {
    var generator = SplitMix64(seed: 54)
    for pose in Force.poses + (0..<50).map({ _ in Force.random(&generator) }) {
      guard dot(pose, published) > -0.96 else { continue }
      let place = TiltScroll.Position(x: Q16(1, over: 2), y: Q16(1, over: 2))
      var scroll = TiltScroll(at: place)
      try scroll.captureRest(pose.vector)
      for index in 0..<5_000 as Range<Int64> {
        scroll.step(pose.vector, at: Instant(microseconds: index * 20_000))
      }
      #expect(scroll.position == place, "\(pose)")
      let tilted = (pose + Force.random(&generator) * 0.2).vector
      for index in 5_000..<5_100 as Range<Int64> {
        scroll.step(tilted, at: Instant(microseconds: index * 20_000))
      }
      #expect(scroll.position != place, "\(pose)")
    }
  }

  @Test func `capturing keeps the position, stops the scrolling, and does nothing where it fails`() throws {
    var scroll = TiltScroll()
    for index in 0..<100 as Range<Int64> {
      scroll.step(Force(x: -0.01, z: 0.51).vector, at: Instant(microseconds: index * 20_000))
    }
    let before = scroll
    #expect(before.position.x > .zero && before.position.x < .one)
    #expect(before.position.y > .zero && before.position.y < .one)
    #expect(refusal(&scroll, .zero) == .restMagnitude)
    #expect(refusal(&scroll, Force(y: 0.49).vector) == .restMagnitude)
    #expect(refusal(&scroll, Force(y: 1.51).vector) == .restMagnitude)
    #expect(refusal(&scroll, Vector3(x: Q16(raw: .min), y: Q16(raw: .min), z: Q16(raw: .max))) == .restMagnitude)
    #expect(refusal(&scroll, (published * -1).vector) == .restOpposite)
    #expect(refusal(&scroll, around(14)) == .restOpposite)
    #expect(scroll == before)
    #expect(refusal(&scroll, around(16)) == nil)
    #expect(scroll.position == before.position)
    #expect(scroll.configuration.viscosity == before.configuration.viscosity)
    // At the new rest nothing moves: the velocities are gone.
    for index in 100..<200 as Range<Int64> { scroll.step(around(16), at: Instant(microseconds: index * 20_000)) }
    #expect(scroll.position == before.position)
  }

  /// `degrees` from the opposite of the published rest, to the side.
  private func around(_ degrees: Double) -> Vector3 {
    let angle = degrees * .pi / 180
    return (published * -cos(angle) + Force(x: sin(angle))).vector
  }

  private func refusal(_ scroll: inout TiltScroll, _ force: Vector3) -> TiltScrollError? {
    do throws(TiltScrollError) {
      try scroll.captureRest(force)
      return nil
    } catch {
      return error
    }
  }

  /// The shortest turn that takes `rest` to the published rest, by axis and angle (Rodrigues).
  private func turn(_ force: Force, from rest: Force) -> Force {
    let from = rest.unit
    let across = cross(from, published)
    let angle = atan2(across.length, dot(from, published))
    guard across.length > 1e-12 else { return force }
    let axis = across.unit
    return force * cos(angle) + cross(axis, force) * sin(angle) + axis * (dot(axis, force) * (1 - cos(angle)))
  }

  private func dot(_ a: Force, _ b: Force) -> Double { a.x * b.x + a.y * b.y + a.z * b.z }

  private func cross(_ a: Force, _ b: Force) -> Force {
    Force(x: a.y * b.z - a.z * b.y, y: a.z * b.x - a.x * b.z, z: a.x * b.y - a.y * b.x)
  }
}

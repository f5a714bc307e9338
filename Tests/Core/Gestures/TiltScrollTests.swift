import FixedPoint
import Gestures
import Glibc
import TestSupport
import Testing

struct TiltScrollTests {
  /// The position to 2^-31.
  private static func fine(_ position: TiltScroll.Position) -> (x: Double, y: Double) {
    let whole = TiltScroll.PixelSize(width: .max, height: .max)
    let offset = position.offset(of: whole, in: TiltScroll.PixelSize(width: 0, height: 0))
    return (Double(offset.x) / Double(Int32.max), Double(offset.y) / Double(Int32.max))
  }

  @Test(arguments: [(5_000, 5_000, 30_000), (1_000, 200, 30_000), (0, 3_000, 16_667), (123_457, 1, 1_000)])
  static func `long random runs stay within 1e-6 of the published recipe in Double`(
    viscosity: Int32, first: Int32, interval: Int64
  ) throws {
    for seed in 41...44 as ClosedRange<UInt64> {
      var generator = SplitMix64(seed: seed)
      let configuration = try TiltScroll.Configuration(
        viscosity: viscosity, acceleration: first, interval: Microseconds(interval))
      var scroll = TiltScroll(configuration)
      var model = ScrollModel(viscosity: Double(viscosity) / 1e6, first: Double(first) / 1e6, interval: interval)
      var now: Int64 = -7_000_000
      var worst = 0.0
      var lean = ForceInG(z: 0.5)
      for index in 0..<100_000 {
        now += Int64.random(in: 0...60_000, using: &generator)
        if index % 20_000 == 19_999 { now += index % 40_000 == 39_999 ? 1_000_001 : -5 }
        // Wanders around rest; now and then exactly at rest or far from it.
        if index % 50 == 0 { lean = ForceInG(x: generator.normal() * 0.2, z: 0.5 + generator.normal() * 0.2) }
        var force = lean.noisy(0.03, &generator).vector
        if index % 977 == 0 { force = Vector3(x: .zero, y: .one, z: Q16(1, over: 2)) }
        if index % 7_919 == 0 { force = ForceInG.random(&generator).noisy(10, &generator).vector }
        let position = scroll.step(force, at: Instant(microseconds: now))
        model.step(force.force, at: now)
        let (x, y) = fine(position)
        let error = ((x - model.axes.x.offset).magnitude, (y - model.axes.y.offset).magnitude)
        if error.0 > worst { worst = error.0 }
        if error.1 > worst { worst = error.1 }
      }
      expect(worst, isBelow: 1e-6, "seed \(seed): \(worst)")
    }
  }

  @Test static func `the first samples match the recipe worked by hand`() {
    var scroll = TiltScroll()
    let force = Vector3(x: Q16(-1, over: 2), y: Q16(1, over: 2), z: .zero)
    // x = -0.5, y = 1. Velocities of the samples at 0, 20, 40, 60 ms: 0.005, 0.010, 0.015, 0.020 times 0.5 and -1.
    // Ticks at 30 ms (with the second) and 60 ms (with the fourth): 0.005 + 0.010.
    for index in 0..<4 as Range<Int64> { scroll.step(force, at: Instant(microseconds: index * 20_000)) }
    expect(abs(fine(scroll.position).x - 0.015), isBelow: 1e-9)
    expect(scroll.position.y, equals: .zero)
    expect(scroll.position.x, equals: Q16(15, over: 1_000))
  }

  @Test static func `ticks follow real time: without viscosity, the sampling makes no difference`() throws {
    let configuration = try TiltScroll.Configuration(viscosity: 0, acceleration: 5_000)
    let force = Vector3(x: Q16(-1, over: 2), y: .zero, z: Q16(1, over: 2))
    var generator = SplitMix64(seed: 45)
    for longest in [1_000, 5_000, 30_000, 30_001, 95_000, 900_000] as [Int64] {
      var scroll = TiltScroll(configuration)
      var now: Int64 = 0
      while now < 5_000_000 {
        scroll.step(force, at: Instant(microseconds: now))
        now += Int64.random(in: 1...longest, using: &generator)
      }
      let position = scroll.step(force, at: Instant(microseconds: 5_000_000))
      // 166 ticks of 0.0025.
      expect(abs(fine(position).x - 0.415), isBelow: 1e-6, "samples up to \(longest) µs apart")
    }
  }

  @Test static func `a gap or a clock that runs backwards moves nothing and resets the velocities`() {
    for jump in [1_000_001, 3_600_000_000, -1, -1_000_000] as [Int64] {
      var scroll = TiltScroll()
      let force = ForceInG(x: -0.1, z: 0.4).vector
      var now: Int64 = 0
      for _ in 0..<20 {
        scroll.step(force, at: Instant(microseconds: now))
        now += 20_000
      }
      let before = scroll.position
      expect(before.x, isAbove: .zero)
      now += jump - 20_000
      scroll.step(force, at: Instant(microseconds: now))
      expect(scroll.position, equals: before, "jump of \(jump) µs")
      var fresh = TiltScroll(at: before)
      fresh.step(force, at: Instant(microseconds: now))
      expect(scroll, equals: fresh, "jump of \(jump) µs")
    }
  }

  @Test static func `accelerations at their limit give the recipe's positions`() throws {
    let configuration = try TiltScroll.Configuration(viscosity: 1_000_000, acceleration: 1_000_000)
    for size in [1, 2, 65_536, Int32.max] {
      var scroll = TiltScroll(configuration)
      var model = ScrollModel(viscosity: 1, first: 1)
      for index in 0..<140_000 {
        let sign: Int32 = index < 70_000 ? -1 : index % 100 < 50 ? 1 : -1
        let force = Vector3(x: Q16(raw: sign * size), y: .zero, z: Q16(raw: sign < 0 ? .min : .max))
        let now = Int64(index) * 10_000
        let position = scroll.step(force, at: Instant(microseconds: now))
        model.step(force.force, at: now)
        let (x, y) = fine(position)
        guard abs(x - model.axes.x.offset) < 1e-6 && abs(y - model.axes.y.offset) < 1e-6 else {
          Issue.record("size \(size), sample \(index): \(x) \(y) and not \(model.axes)")
          return
        }
      }
    }
  }

  @Test static func `forces at the ends of the range and times at the ends of the clock do no harm`() {
    let ends: [Int32] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    let times: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    var generator = SplitMix64(seed: 46)
    var scroll = TiltScroll()
    for _ in 0..<20_000 {
      let picks = (0..<3).map { _ in Q16(raw: ends[Int.random(in: 0..<7, using: &generator)]) }
      let now = Instant(microseconds: times[Int.random(in: 0..<7, using: &generator)])
      let position = scroll.step(Vector3(x: picks[0], y: picks[1], z: picks[2]), at: now)
      expect(position.x, isAtLeast: .zero)
      expect(position.x, isAtMost: .one)
      expect(position.y, isAtLeast: .zero)
      expect(position.y, isAtMost: .one)
    }
    // It still works.
    scroll.jump(to: .start)
    for index in 0..<3 as Range<Int64> {
      scroll.step(ForceInG(x: -1, z: 0.5).vector, at: Instant(microseconds: 5_000_000 + index * 30_000))
    }
    expect(scroll.position.x, isAbove: .zero)
    expect(scroll.position.x, isBelow: .one)
  }

  @Test static func `the position can be set, and settling keeps it`() {
    let place = TiltScroll.Position(x: Q16(1, over: 4), y: Q16(3, over: 4))
    var scroll = TiltScroll()
    scroll.jump(to: place)
    scroll.settle()
    expect(scroll.position, equals: place)
    expect(scroll, equals: TiltScroll(at: place))
    expect(TiltScroll.Position(x: Q16(whole: -3), y: Q16(whole: 3)), equals: .init(x: .zero, y: .one))
  }

  @Test static func `a configuration that cannot work is rejected with its reason`() throws {
    typealias Fault = TiltScrollError
    try expect(TiltScroll.Configuration(), equals: .standard)
    expect(refusal { () throws(Fault) in try .init(viscosity: -1) }, equals: .viscosity)
    expect(refusal { () throws(Fault) in try .init(viscosity: 1_000_001) }, equals: .viscosity)
    expect(refusal { () throws(Fault) in try .init(acceleration: 0) }, equals: .acceleration)
    expect(refusal { () throws(Fault) in try .init(acceleration: 1_000_001) }, equals: .acceleration)
    expect(refusal { () throws(Fault) in try .init(interval: Microseconds(999)) }, equals: .interval)
    expect(refusal { () throws(Fault) in try .init(interval: Microseconds(1_000_001)) }, equals: .interval)
    expect(refusal { () throws(Fault) in try .init(longestGap: .zero) }, equals: .longestGap)
    expect(refusal { () throws(Fault) in try .init(longestGap: .seconds(3_601)) }, equals: .longestGap)
    expect(refusal { () throws(Fault) in try .init(viscosity: 0, acceleration: 1) }, equals: nil)
  }

  private static func refusal(_ make: () throws(TiltScrollError) -> TiltScroll.Configuration) -> TiltScrollError? {
    do throws(TiltScrollError) {
      _ = try make()
      return nil
    } catch {
      return error
    }
  }
}

extension Vector3 {
  /// The same vector in Double.
  var force: ForceInG { ForceInG(x: Double(x.raw) / 65_536, y: Double(y.raw) / 65_536, z: Double(z.raw) / 65_536) }
}

struct TiltScrollRestTests {
  private let published = ForceInG(y: 0.75.squareRoot(), z: 0.5)

  @Test func `the published rest gives the published inputs to the last bit`() {
    var generator = SplitMix64(seed: 51)
    for index in 0..<100_000 {
      let force = (ForceInG.random(&generator) * (index % 3 == 0 ? 10_000 : 1.5)).vector
      let (x, y) = TiltScroll.Rest.published.inputs(force)
      expect(x, equals: force.x.raw)
      expect(Int64(y), equals: max(min(65_536 - 2 * Int64(force.z.raw), Int64(Int32.max)), Int64(Int32.min)))
    }
  }

  @Test func `a captured rest measures around itself as the published one does`() throws {
    var generator = SplitMix64(seed: 52)
    var worst = (x: 0.0, y: 0.0)
    for _ in 0..<300 {
      let rest = (ForceInG.random(&generator) * Double.random(in: 0.6...1.4, using: &generator)).vector
      guard dot(rest.force.unit, published) > -0.96 else { continue }
      let captured = try TiltScroll.Rest(rest)
      expect(captured.inputs(rest), equals: (0, 0))
      for _ in 0..<100 {
        let force = (ForceInG.random(&generator) * Double.random(in: 0...2, using: &generator)).vector
        let (x, y) = captured.inputs(force)
        let (turned, atRest) = (turn(force.force, from: rest.force), turn(rest.force, from: rest.force))
        worst.x = max(worst.x, abs(Double(x) - 65_536 * (turned.x - atRest.x)))
        worst.y = max(worst.y, abs(Double(y) - 131_072 * (atRest.z - turned.z)))
      }
    }
    #expect(worst.x < 1.05 && worst.y < 1.05, "\(worst)")
  }

  @Test func `a rest that leans only back or forth leaves x unchanged`() throws {
    var generator = SplitMix64(seed: 53)
    for degrees in stride(from: -130.0, through: 190, by: 20) {
      let angle = degrees * .pi / 180
      let rest = try TiltScroll.Rest(ForceInG(y: cos(angle), z: sin(angle)).vector)
      for _ in 0..<100 {
        let force = ForceInG.random(&generator).vector
        expect(rest.inputs(force).x, equals: force.x.raw, "leaning back \(degrees)°")
      }
      // Leaning 10° further back scrolls as from the published rest: y = 1 - 2 sin 40°, to 3 LSB.
      let further = ForceInG(y: cos(angle + .pi / 18), z: sin(angle + .pi / 18)).vector
      let expected = 65_536 * (1 - 2 * sin(40 * Double.pi / 180))
      expect(abs(Double(rest.inputs(further).y) - expected), isBelow: 3, "leaning back \(degrees)°")
    }
  }

  @Test func `at a captured rest nothing moves, and a tilt from it moves`() throws {
    var generator = SplitMix64(seed: 54)
    for pose in ForceInG.poses + (0..<50).map({ _ in ForceInG.random(&generator) }) {
      guard dot(pose, published) > -0.96 else { continue }
      let place = TiltScroll.Position(x: Q16(1, over: 2), y: Q16(1, over: 2))
      var scroll = TiltScroll(at: place)
      try scroll.captureRest(pose.vector)
      for index in 0..<5_000 as Range<Int64> {
        scroll.step(pose.vector, at: Instant(microseconds: index * 20_000))
      }
      expect(scroll.position, equals: place, "\(pose)")
      let tilted = (pose + ForceInG.random(&generator) * 0.2).vector
      for index in 5_000..<5_100 as Range<Int64> {
        scroll.step(tilted, at: Instant(microseconds: index * 20_000))
      }
      expect(scroll.position, isNot: place, "\(pose)")
    }
  }

  @Test func `capturing keeps the position and stops the scrolling; a failed capture changes nothing`() throws {
    var scroll = TiltScroll()
    for index in 0..<100 as Range<Int64> {
      scroll.step(ForceInG(x: -0.01, z: 0.51).vector, at: Instant(microseconds: index * 20_000))
    }
    let before = scroll
    expect(before.position.x, isAbove: .zero)
    expect(before.position.x, isBelow: .one)
    expect(before.position.y, isAbove: .zero)
    expect(before.position.y, isBelow: .one)
    expect(refusal(&scroll, .zero), equals: .restMagnitude)
    expect(refusal(&scroll, ForceInG(y: 0.49).vector), equals: .restMagnitude)
    expect(refusal(&scroll, ForceInG(y: 1.51).vector), equals: .restMagnitude)
    expect(refusal(&scroll, Vector3(x: Q16(raw: .min), y: Q16(raw: .min), z: Q16(raw: .max))), equals: .restMagnitude)
    expect(refusal(&scroll, (published * -1).vector), equals: .restOpposite)
    expect(refusal(&scroll, around(14)), equals: .restOpposite)
    expect(scroll, equals: before)
    expect(refusal(&scroll, around(16)), equals: nil)
    expect(scroll.position, equals: before.position)
    expect(scroll.configuration.viscosity, equals: before.configuration.viscosity)
    // At the new rest nothing moves: the velocities are zero.
    for index in 100..<200 as Range<Int64> { scroll.step(around(16), at: Instant(microseconds: index * 20_000)) }
    expect(scroll.position, equals: before.position)
  }

  /// `degrees` to the side from the opposite of the published rest.
  private func around(_ degrees: Double) -> Vector3 {
    let angle = degrees * .pi / 180
    return (published * -cos(angle) + ForceInG(x: sin(angle))).vector
  }

  private func refusal(_ scroll: inout TiltScroll, _ force: Vector3) -> TiltScrollError? {
    do throws(TiltScrollError) {
      try scroll.captureRest(force)
      return nil
    } catch {
      return error
    }
  }

  /// The shortest rotation from `rest` to the published rest, by axis and angle (Rodrigues).
  private func turn(_ force: ForceInG, from rest: ForceInG) -> ForceInG {
    let from = rest.unit
    let across = cross(from, published)
    let angle = atan2(across.length, dot(from, published))
    guard across.length > 1e-12 else { return force }
    let axis = across.unit
    return force * cos(angle) + cross(axis, force) * sin(angle) + axis * (dot(axis, force) * (1 - cos(angle)))
  }

  private func dot(_ a: ForceInG, _ b: ForceInG) -> Double { a.x * b.x + a.y * b.y + a.z * b.z }

  private func cross(_ a: ForceInG, _ b: ForceInG) -> ForceInG {
    ForceInG(x: a.y * b.z - a.z * b.y, y: a.z * b.x - a.x * b.z, z: a.x * b.y - a.y * b.x)
  }
}

struct ScrollPixelTests {
  @Test static func `an offset is the position times the hidden part, rounded, and always in range`() {
    var generator = SplitMix64(seed: 61)
    let sizes: [Int32] = [.min, -1, 0, 1, 2, 3, 479, 480, 481, 65_535, 65_536, 1 << 30, .max - 1, .max]
    for content in sizes {
      for viewport in sizes {
        for raw in [0, 1, 32_767, 32_768, 65_535, 65_536]
          + (0..<20).map({ _ in Int32.random(in: 0...65_536, using: &generator) })
        {
          let position = TiltScroll.Position(x: Q16(raw: raw), y: Q16(raw: 65_536 - raw))
          let offset = position.offset(
            of: TiltScroll.PixelSize(width: content, height: content),
            in: TiltScroll.PixelSize(width: viewport, height: viewport))
          let range = max(max(Int64(content), 0) - max(Int64(viewport), 0), 0)
          expect(Int64(offset.x), equals: (range * Int64(raw) * 2 + 65_536) / 131_072)
          expect(Int64(offset.y), equals: (range * Int64(65_536 - raw) * 2 + 65_536) / 131_072)
          expect(Int64(offset.x), isIn: 0...range)
          expect(Int64(offset.y), isIn: 0...range)
        }
      }
    }
  }

  @Test static func `the axes are independent, the ends exact, and every pixel of a large picture is reachable`() {
    let (content, viewport) = (
      TiltScroll.PixelSize(width: 4_000, height: 300), TiltScroll.PixelSize(width: 320, height: 480)
    )
    expect(
      TiltScroll.Position(x: .one, y: .one).offset(of: content, in: viewport),
      equals: TiltScroll.PixelOffset(x: 3_680, y: 0))
    expect(TiltScroll.Position.start.offset(of: content, in: viewport), equals: TiltScroll.PixelOffset(x: 0, y: 0))
    var seen: Set<Int32> = []
    for raw in 0...65_536 as ClosedRange<Int32> {
      seen.insert(TiltScroll.Position(x: Q16(raw: raw), y: .zero).offset(of: content, in: viewport).x)
    }
    expect(seen, equals: Set(0...3_680))
  }

  @Test static func `scrolling stays in range, however hard the board is tilted`() {
    var generator = SplitMix64(seed: 62)
    var scroll = TiltScroll()
    let (content, viewport) = (
      TiltScroll.PixelSize(width: 1_000, height: 700), TiltScroll.PixelSize(width: 240, height: 240)
    )
    var reached: Set<Int32> = []
    for index in 0..<50_000 as Range<Int64> {
      let vector = (ForceInG.random(&generator) * (index % 2 == 0 ? 30_000 : 1)).vector
      let position = scroll.step(vector, at: Instant(microseconds: index * 13_000))
      let offset = position.offset(of: content, in: viewport)
      reached.insert(offset.x)
      guard (0...760).contains(offset.x) && (0...460).contains(offset.y),
        position.x >= .zero && position.x <= .one && position.y >= .zero && position.y <= .one
      else {
        Issue.record("\(offset) at sample \(index)")
        return
      }
    }
    expect(reached, contains: 0)
    expect(reached, contains: 760)
  }
}

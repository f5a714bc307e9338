import FixedPoint
import Orientation
import OrientationModels
import TestSupport
import Testing

struct HighPassTests {
  @Test(arguments: [20, 200, 1_000])
  static func `uneven sampling gives the response of the published recipe in Double`(milliseconds: Int64) {
    var generator = SplitMix64(seed: 11)
    let configuration = LowPass.Configuration(timeConstant: .milliseconds(milliseconds))
    var filter = HighPass()
    var (model, previous) = (0.0, 0.0)
    var now = Instant(microseconds: 5)
    for step in 0..<20_000 {
      let elapsed = Int64.random(in: 0...60_000, using: &generator)
      now = now + Microseconds(elapsed)
      let input = Force(x: Double.random(in: -16...16, using: &generator), y: 1).vector
      let result = filter.step(input, at: now, configuration)
      let gain = Double(milliseconds * 1_000) / Double(elapsed + milliseconds * 1_000)
      model = step == 0 ? 0 : gain * (model + Double(input.x.raw) - previous)
      previous = Double(input.x.raw)
      expect(abs(Double(result.x.raw) - model), isBelow: 1.01)
      expect(result.y, equals: .zero)
      expect(result.z, equals: .zero)
    }
  }

  @Test static func `a high-pass that shares a low-pass's gain equals one on its own`() {
    var generator = SplitMix64(seed: 12)
    var (lowPass, highPass) = (LowPass(), HighPass())
    let configuration = LowPass.Configuration()
    for step in 0..<10_000 {
      let force = Force(x: generator.normal(), y: 1 + generator.normal(), z: generator.normal()).vector
      let now = Instant(microseconds: Int64(step) * 7_000)
      let gravity = lowPass.step(force, at: now, configuration)
      expect(highPass.step(force, at: now, configuration), equals: HighPass.motion(of: force, without: gravity))
    }
  }

  @Test static func `a constant force gives exactly 0 in the end, and for ever`() {
    var generator = SplitMix64(seed: 13)
    var filter = HighPass()
    let configuration = LowPass.Configuration()
    var now: Int64 = 0
    func step(_ force: Vector3) -> Vector3 {
      now += 10_000
      return filter.step(force, at: Instant(microseconds: now), configuration)
    }
    for _ in 0..<100 { _ = step(Force(x: generator.normal(), y: generator.normal(), z: 1).vector) }
    let force = Force(x: 0.123456, y: -0.98, z: 0.5).vector
    for _ in 0..<2_000 { _ = step(force) }
    expect(all: (0..<10_000)) { _ in step(force) == .zero }
  }

  @Test static func `the first sample, a gap, a clock that runs backwards and a force of zero give 0`() {
    let configuration = LowPass.Configuration()
    let (old, new) = (Force(x: 1).vector, Force(y: -1).vector)
    for (elapsed, startsAnew) in [(1_000_000, false), (1_000_001, true), (-1, true), (20_000, false)] {
      var filter = HighPass()
      expect(filter.step(old, at: Instant(microseconds: 0), configuration), equals: .zero)
      let result = filter.step(new, at: Instant(microseconds: Int64(elapsed)), configuration)
      expect(result == .zero, equals: startsAnew, "after \(elapsed) µs")
    }
    var filter = HighPass()
    _ = filter.step(old, at: Instant(microseconds: 0), configuration)
    expect(filter.step(.zero, at: Instant(microseconds: 20_000), configuration), equals: .zero)
    expect(filter.step(new, at: Instant(microseconds: 40_000), configuration), equals: .zero)
  }

  @Test static func `steps over the whole range saturate`() {
    let (low, high) = (Q16(raw: Int32.min), Q16(raw: Int32.max))
    let configuration = LowPass.Configuration(timeConstant: .seconds(10))
    var filter = HighPass()
    _ = filter.step(Vector3(x: low, y: high, z: .one), at: Instant(microseconds: 0), configuration)
    let result = filter.step(Vector3(x: high, y: low, z: .one), at: Instant(microseconds: 1), configuration)
    expect(result, equals: Vector3(x: high, y: low, z: .zero))
  }

  @Test static func `differences at the ends of the range saturate`() {
    let ends: [Int32] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    for a in ends {
      for b in ends {
        let (force, gravity) = (Q16(raw: a), Q16(raw: b))
        let result = HighPass.motion(
          of: Vector3(x: force, y: gravity, z: force), without: Vector3(x: gravity, y: force, z: force))
        let expected = [Int32(clamping: Int64(a) - Int64(b)), Int32(clamping: Int64(b) - Int64(a))]
        expect(result, equals: Vector3(x: Q16(raw: expected[0]), y: Q16(raw: expected[1]), z: .zero))
      }
    }
  }
}

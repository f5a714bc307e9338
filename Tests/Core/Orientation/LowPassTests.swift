import FixedPoint
import Glibc
import Orientation
import OrientationModels
import TestSupport
import Testing

struct LowPassTests {
  @Test(arguments: [20, 200, 1_000])
  static func `uneven sampling gives the response of the formula in Double`(milliseconds: Int64) {
    var generator = SplitMix64(seed: 7)
    let configuration = LowPass.Configuration(timeConstant: .milliseconds(milliseconds))
    var filter = LowPass()
    var model = (x: 0.0, y: 0.0, z: 0.0)
    var now = Instant(microseconds: 5)
    for step in 0..<20_000 {
      let elapsed = Int64.random(in: 0...60_000, using: &generator)
      now = now + Microseconds(step == 0 ? 0 : elapsed)
      let force = Force(
        x: Double.random(in: -16...16, using: &generator), y: step < 100 ? 1 : -1, z: 0.001 * generator.normal())
      let input = force.vector
      let result = filter.step(input, at: now, configuration)
      let gain = step == 0 ? 1 : Double(elapsed) / Double(elapsed + milliseconds * 1_000)
      model.x += gain * (double(input.x) - model.x)
      model.y += gain * (double(input.y) - model.y)
      model.z += gain * (double(input.z) - model.z)
      for (value, expected) in zip([result.x, result.y, result.z], [model.x, model.y, model.z]) {
        expect(abs(double(value) - expected) * 65_536, isBelow: 1.01)
      }
    }
  }

  @Test
  static func `the gain is that of the formula for any time constant and any pause, up to centuries`() {
    let configuration = LowPass.Configuration(timeConstant: .zero, longestGap: Microseconds(1 << 53))
    for exponent in 0..<53 {
      for other in 0..<53 {
        // Not only powers of two.
        let (elapsed, constant) = ((3 << exponent) >> 1, (5 << other) >> 2) as (Int64, Int64)
        guard elapsed > 0, constant > 0 else { continue }
        var configuration = configuration
        configuration.timeConstant = Microseconds(constant)
        var filter = LowPass()
        _ = filter.step(Force(x: 1, y: -16, z: 0.5).vector, at: Instant(microseconds: 7), configuration)
        let result = filter.step(
          Force(x: 2, y: 16, z: 0.25).vector, at: Instant(microseconds: 7 + elapsed), configuration)
        let gain = Double(elapsed) / (Double(elapsed) + Double(constant))
        let off = max(
          abs(double(result.x) - (1 + gain)), abs(double(result.y) - (32 * gain - 16)),
          abs(double(result.z) - (0.5 - 0.25 * gain)))
        if off * 65_536 > 1.01 { Issue.record("\(elapsed) µs, RC \(constant) µs: \(off)") }
      }
    }
  }

  @Test
  static func `a step passes by 63 % after one time constant of small steps`() {
    let configuration = LowPass.Configuration(timeConstant: .milliseconds(200))
    var filter = LowPass()
    _ = filter.step(Force(x: 1).vector, at: Instant(microseconds: 0), configuration)
    var result = Vector3.zero
    for step in 1...200 {
      result = filter.step(Force(y: 1).vector, at: Instant(microseconds: Int64(step) * 1_000), configuration)
    }
    expect(abs(double(result.y) - 0.632), isBelow: 0.002)
    expect(abs(double(result.x) - 0.368), isBelow: 0.002)
  }

  @Test(arguments: [-1.0, 1.0])
  static func `a constant input is reached to the last bit, from above and from below`(start: Double) {
    let configuration = LowPass.Configuration(timeConstant: .milliseconds(200))
    var filter = LowPass()
    let target = Force(x: 0.123456, y: -0.98, z: 0.5).vector
    var result = filter.step(Force(x: start, y: start, z: start).vector, at: Instant(microseconds: 0), configuration)
    for step in 1...2_000 {
      result = filter.step(target, at: Instant(microseconds: Int64(step) * 10_000), configuration)
    }
    expect(result, equals: target)
  }

  @Test
  static func `a gap over 1 s, a clock that runs backwards and a force of exactly zero restart the filter`() {
    let configuration = LowPass.Configuration()
    let old = Force(x: 1).vector
    let new = Force(y: -1).vector
    for (elapsed, startsAnew) in [(1_000_000, false), (1_000_001, true), (-1, true), (20_000, false)] {
      var filter = LowPass()
      _ = filter.step(old, at: Instant(microseconds: 0), configuration)
      let result = filter.step(new, at: Instant(microseconds: Int64(elapsed)), configuration)
      expect(result == new, equals: startsAnew, "after \(elapsed) µs")
    }
    var filter = LowPass()
    _ = filter.step(old, at: Instant(microseconds: 0), configuration)
    expect(filter.step(.zero, at: Instant(microseconds: 20_000), configuration), equals: .zero)
    expect(filter.step(new, at: Instant(microseconds: 40_000), configuration), equals: new)
  }

  @Test
  static func `extreme inputs, times and time constants neither trap nor overshoot`() {
    for constant in [Int64.min, -1, 0, 1, 1 << 39, 1 << 40, Int64.max] {
      let configuration = LowPass.Configuration(
        timeConstant: Microseconds(constant), longestGap: Microseconds(Int64.max))
      var filter = LowPass()
      var now: Int64 = 0
      for (step, raw) in [Int32.min, .max, .min, .max, 0, .max].enumerated() {
        let force = Vector3(x: Q16(raw: raw), y: Q16(raw: ~raw), z: Q16(raw: 1))
        let result = filter.step(force, at: Instant(microseconds: now), configuration)
        expect(abs(Int64(result.z.raw) - 1), isAtMost: 1)
        now += [1, 0, 1 << 41, 1 << 20, 1][step % 5]
      }
    }
  }

  @Test static func `a cached gain equals a newly computed one`() {
    // One gap and time constant come many times in a row; the model computes its gain at every sample.
    var generator = SplitMix64(seed: 8)
    var (filter, model) = (LowPass(), 0.0)
    var now: Int64 = 0
    for step in 0..<20_000 {
      let constant: Int64 = step / 700 % 2 == 0 ? 200_000 : 50_000
      let gap: Int64 = step % 3_000 == 2_999 ? 1 : 500_000
      let elapsed: Int64 = [10_000, 10_000, 2_500, 600_000][step / 150 % 4]
      now += elapsed
      let configuration = LowPass.Configuration(timeConstant: Microseconds(constant), longestGap: Microseconds(gap))
      let input = Q16(raw: Int32(truncatingIfNeeded: generator.next() >> 43))
      let result = filter.step(Vector3(x: input, y: .one, z: .one), at: Instant(microseconds: now), configuration)
      let gain = step == 0 || elapsed > gap ? 1 : Double(elapsed) / Double(elapsed + constant)
      model += gain * (Double(input.raw) - model)
      expect(abs(Double(result.x.raw) - model), isBelow: 1.01, "step \(step)")
    }
  }

  @Test static func `a new time constant or a shorter longest gap takes effect at the next sample`() {
    var filter = LowPass()
    let (old, new) = (Force(x: 1).vector, Force(y: 1).vector)
    var now = Instant(microseconds: 0)
    func step(_ force: Vector3, _ configuration: LowPass.Configuration) -> Vector3 {
      now = now + .milliseconds(100)
      return filter.step(force, at: now, configuration)
    }
    for _ in 0..<5 { _ = step(old, LowPass.Configuration()) }
    expect(step(new, LowPass.Configuration()).y, equals: Q16(raw: 21_845))
    expect(step(new, LowPass.Configuration(timeConstant: .zero)), equals: new)
    expect(step(old, LowPass.Configuration()), isNot: old)
    expect(step(old, LowPass.Configuration(longestGap: .milliseconds(99))), equals: old)
  }

  @Test
  static func `at a cutoff of 0.2 % a full-scale sine keeps 137 dB above the error against Double`() {
    let sampleRate = 100.0
    let timeConstant = Microseconds(Int64(1e6 / (2 * .pi * 0.002 * sampleRate)))
    let gain = 10_000 / Double(10_000 + timeConstant.count)
    var (filter, model) = (LowPass(), 0.0)
    var (signal, noise) = (0.0, 0.0)
    for step in 0..<200_000 {
      let input = Int32((sin(2 * .pi * 0.001 * Double(step)) * 2_147_483_647).rounded())
      let force = Vector3(x: Q16(raw: input), y: .one, z: .one)
      let now = Instant(microseconds: Int64(step) * 10_000)
      let result = filter.step(force, at: now, LowPass.Configuration(timeConstant: timeConstant))
      model += (step == 0 ? 1 : gain) * (Double(input) - model)
      signal += model * model
      noise += (Double(result.x.raw) - model) * (Double(result.x.raw) - model)
    }
    let decibels = 10 * log10(signal / noise)
    expect(decibels, isAbove: 150, "\(decibels) dB")
  }

  @Test(arguments: [1, 100, 10_000, 1_000_000])
  static func `after any excitation a constant is reached to the last bit and held`(elapsed: Int64) {
    var generator = SplitMix64(seed: 9)
    // A gain of 1/1001 and more.
    let configuration = LowPass.Configuration(timeConstant: Microseconds(elapsed * 1_000), longestGap: .seconds(2))
    var now: Int64 = 0
    var filter = LowPass()
    func step(_ force: Vector3) -> Vector3 {
      now += elapsed
      return filter.step(force, at: Instant(microseconds: now), configuration)
    }
    for target in [(0, 1, -1), (Int32.max, Int32.min, 7), (Int32.min, Int32.max, -65_536)] as [(Int32, Int32, Int32)] {
      for _ in 0..<1_000 { _ = step(noise(&generator)) }
      let force = Vector3(x: Q16(raw: target.0), y: Q16(raw: target.1), z: Q16(raw: target.2))
      for _ in 0..<25_000 { _ = step(force) }
      expect(all: (0..<25_000)) { _ in step(force) == force }
    }
  }

  @Test static func `no drift: a million samples are as close to Double as the first ones`() {
    drift(1_000_000)
  }

  @Test(.enabled(if: runsLongTests)) static func `no drift over 10^8 samples`() {
    drift(100_000_000)
  }

  /// Noise of 16 g with a mean, and the largest error over the last thousand samples.
  private static func drift(_ count: Int) {
    var generator = SplitMix64(seed: 10)
    let configuration = LowPass.Configuration(timeConstant: .milliseconds(800))
    var (filter, model, worst) = (LowPass(), 0.0, 0.0)
    for step in 0..<count {
      let input = Int32(truncatingIfNeeded: generator.next() >> 43) - 0xC_0000
      let force = Vector3(x: Q16(raw: input), y: .one, z: .one)
      let result = filter.step(force, at: Instant(microseconds: Int64(step) * 10_000), configuration)
      model += (step == 0 ? 1 : 10.0 / 810) * (Double(input) - model)
      if step >= count - 1_000 { worst = max(worst, abs(Double(result.x.raw) - model)) }
    }
    expect(worst, isBelow: 1.01, "\(worst) LSB")
  }

  private static func noise(_ generator: inout SplitMix64) -> Vector3 {
    func next() -> Q16 { Q16(raw: Int32(truncatingIfNeeded: generator.next())) }
    return Vector3(x: next(), y: next(), z: next())
  }

  private static func double(_ value: Q16) -> Double { Double(value.raw) / 65_536 }
}

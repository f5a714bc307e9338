import FixedPoint
import Glibc
import Orientation
import OrientationModels
import TestSupport
import Testing

struct AdaptiveFilterTests {
  @Test(arguments: [20, 200, 1_000], [false, true])
  static func `over long uneven runs the filter matches the published formula in Double`(
    milliseconds: Int64, isHighPass: Bool
  ) {
    var generator = SplitMix64(seed: 31)
    let configuration = AdaptiveFilterConfiguration(LowPass.Configuration(timeConstant: .milliseconds(milliseconds)))
    var (lowPass, highPass) = (AdaptiveLowPass(configuration), AdaptiveHighPass(configuration))
    var model = AdaptiveModel(timeConstant: Double(milliseconds) / 1_000, isHighPass: isHighPass)
    var (time, worst, between, full) = (Int64(5), 0.0, 0, 0)
    for step in 0..<200_000 {
      let elapsed = Int64.random(in: 0...20_000, using: &generator)
      time += elapsed
      // The high-pass also gets force without gravity, because gravity keeps d at 1.
      let force =
        isHighPass && step / 5_000 % 2 == 0
        ? Force(x: 0.05 * sin(Double(time) / 1e5)).noisy(0.01, &generator).vector
        : Force.varied(step, Double(time) / 1e6, &generator)
      let now = Instant(microseconds: time)
      let result = isHighPass ? highPass.step(force, at: now) : lowPass.step(force, at: now)
      if step == 0 { model.start(force.doubles) } else { model.step(force.doubles, after: Double(elapsed) / 1e6) }
      worst = max(worst, worstDifference(result, model.y))
      if model.movement > 0 && model.movement < 1 { between += 1 }
      if model.movement == 1 { full += 1 }
    }
    // Without gravity the high-pass's recipe amplifies differences before they decay: 0.62 LSB in this run.
    expect(worst, isBelow: isHighPass ? 1 : 0.51, "\(worst) LSB")
    // The run reaches all three branches of the clamp.
    expect(between, isAbove: 500)
    expect(full, isAbove: 500)
    expect(200_000 - between - full, isAbove: 500)
  }

  @Test(arguments: [false, true])
  static func `over the whole range, one step matches the formula from the state before`(isHighPass: Bool) {
    var generator = SplitMix64(seed: 32)
    for round in 0..<20_000 {
      let bits = UInt64(33 + round % 31)
      func number() -> Q16 { Q16(raw: Int32(truncatingIfNeeded: Int64(bitPattern: generator.next()) >> Int64(bits))) }
      let elapsed = Int64.random(in: 0...1_000_000, using: &generator)
      let forces = (0..<2).map { _ in Vector3(x: number(), y: number(), z: number()) }
      guard forces.allSatisfy({ $0 != .zero }) else { continue }
      var (lowPass, highPass) = (AdaptiveLowPass(), AdaptiveHighPass())
      var model = AdaptiveModel(isHighPass: isHighPass)
      model.start(forces[0].doubles)
      model.step(forces[1].doubles, after: Double(elapsed) / 1e6)
      var result = Vector3.zero
      for (index, force) in forces.enumerated() {
        let now = Instant(microseconds: Int64(index) * elapsed)
        result = isHighPass ? highPass.step(force, at: now) : lowPass.step(force, at: now)
      }
      let range = forces.flatMap(\.doubles).map(abs).max() ?? 0
      // Beyond 4 g the lengths have fewer bits; the ends of the range are only reached by differences.
      let expected = model.y.map { max(-32_768, min(32_767.99999, $0)) }
      let bound = 0.51 + range * 65_536 * (4e-7 * max(1, range / 2) + 1e-9) * 2
      expect(worstDifference(result, expected), isBelow: bound, "\(forces) after \(elapsed)")
    }
  }

  @Test static func `step and attenuation can be set, and impossible values are rejected`() throws {
    let configuration = try AdaptiveFilterConfiguration(smallestStepMilliG: 100, attenuation: 8)
    var filter = AdaptiveLowPass(configuration)
    var generator = SplitMix64(seed: 33)
    var model = AdaptiveModel()
    (model.smallestStep, model.attenuation) = (0.1, 8)
    for step in 0..<20_000 {
      let force = Force.varied(step, Double(step) / 100, &generator)
      let result = filter.step(force, at: Instant(microseconds: Int64(step) * 10_000))
      if step == 0 { model.start(force.doubles) } else { model.step(force.doubles, after: 0.01) }
      expect(worstDifference(result, model.y), isBelow: 0.51)
    }
    func error(_ step: Int32, _ attenuation: Int32) -> AdaptiveFilterError? {
      do throws(AdaptiveFilterError) {
        _ = try AdaptiveFilterConfiguration(smallestStepMilliG: step, attenuation: attenuation)
        return nil
      } catch { return error }
    }
    for (step, expected) in [(0, .smallestStep), (1, nil), (1_000, nil), (1_001, .smallestStep), (.min, .smallestStep)]
      as [(Int32, AdaptiveFilterError?)]
    {
      expect(error(step, 3), equals: expected)
    }
    for (attenuation, expected) in [(0, .attenuation), (1, nil), (1_000, nil), (1_001, .attenuation)]
      as [(Int32, AdaptiveFilterError?)]
    {
      expect(error(20, attenuation), equals: expected)
    }
  }

  @Test static func `with an attenuation of 1 both equal the filters without adaptation`() throws {
    let configuration = try AdaptiveFilterConfiguration(smallestStepMilliG: 20, attenuation: 1)
    var (low, high) = (AdaptiveLowPass(configuration), AdaptiveHighPass(configuration))
    var (plainLow, plainHigh) = (LowPass(), HighPass())
    var generator = SplitMix64(seed: 34)
    for step in 0..<50_000 {
      let now = Instant(microseconds: Int64(step) * 7_000)
      let force = Force.varied(step, Double(step) * 0.007, &generator)
      let plain = plainLow.step(force, at: now, LowPass.Configuration())
      expect(worstDifference(low.step(force, at: now), plain.doubles), isBelow: 1.6)
      let motion = plainHigh.step(force, at: now, LowPass.Configuration())
      expect(worstDifference(high.step(force, at: now), motion.doubles), isBelow: 1.6)
    }
  }

  @Test static func `at rest the adaptive low-pass passes a third of the noise power of the plain one`() {
    var (adaptive, plain) = (AdaptiveLowPass(), LowPass())
    var generator = SplitMix64(seed: 35)
    var (adaptivePower, plainPower) = (0.0, 0.0)
    for step in 0..<50_000 {
      let now = Instant(microseconds: Int64(step) * 10_000)
      let force = Force(y: 1).noisy(0.004, &generator).vector
      let (a, p) = (adaptive.step(force, at: now), plain.step(force, at: now, LowPass.Configuration()))
      if step < 500 { continue }
      adaptivePower += a.doubles[0] * a.doubles[0]
      plainPower += p.doubles[0] * p.doubles[0]
    }
    // The filter passes k / (2 - k) of the power of white noise: 0.0244, and with k / 3, 0.0080.
    expect(abs(adaptivePower / plainPower - 0.328), isBelow: 0.05, "\(adaptivePower / plainPower)")
  }

  @Test static func `a gap over 1 s, a clock that runs backwards and a force of zero restart both`() {
    let (old, new) = (Force(x: 1).vector, Force(y: -1).vector)
    for (elapsed, startsAnew) in [(1_000_000, false), (1_000_001, true), (-1, true), (20_000, false)] {
      var (low, high) = (AdaptiveLowPass(), AdaptiveHighPass())
      expect(low.step(old, at: Instant(microseconds: 0)), equals: old)
      expect(high.step(old, at: Instant(microseconds: 0)), equals: .zero)
      let now = Instant(microseconds: Int64(elapsed))
      expect((low.step(new, at: now) == new), equals: startsAnew, "after \(elapsed) µs")
      expect((high.step(new, at: now) == .zero), equals: startsAnew, "after \(elapsed) µs")
      expect(low.step(.zero, at: now), equals: .zero)
      expect(high.step(.zero, at: now), equals: .zero)
      expect(low.step(old, at: now + .milliseconds(1)), equals: old)
      expect(high.step(old, at: now + .milliseconds(1)), equals: .zero)
    }
  }

  @Test static func `for a constant the low-pass becomes exact to the last bit, and the high-pass exactly 0`() {
    var generator = SplitMix64(seed: 36)
    for milliseconds in [20, 200, 5_000] as [Int64] {
      let configuration = AdaptiveFilterConfiguration(LowPass.Configuration(timeConstant: .milliseconds(milliseconds)))
      var (low, high) = (AdaptiveLowPass(configuration), AdaptiveHighPass(configuration))
      var now = Instant(microseconds: 0)
      for _ in 0..<100 {
        now = now + .milliseconds(10)
        let force = Force().noisy(5, &generator).vector
        _ = (low.step(force, at: now), high.step(force, at: now))
      }
      let force = Force(x: 0.123456, y: -0.98, z: 0.5).vector
      for step in 0..<60_000 {
        now = now + .milliseconds(10)
        let results = (low.step(force, at: now), high.step(force, at: now))
        if step >= 50_000 { expect(results, equals: (force, .zero)) }
      }
    }
  }

  @Test static func `no order of times and no end of the range stops the filters`() {
    var generator = SplitMix64(seed: 37)
    let ends: [Int32] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    let times: [Int64] = [.min, .min + 1, -1, 0, 1, 1_000, 2_000, .max - 1, .max]
    func pick() -> Q16 { Q16(raw: ends.randomElement(using: &generator) ?? 0) }
    let configuration = AdaptiveFilterConfiguration(
      LowPass.Configuration(timeConstant: Microseconds(1), longestGap: Microseconds(.max)))
    var (low, high) = (AdaptiveLowPass(configuration), AdaptiveHighPass(configuration))
    for _ in 0..<200_000 {
      let force = Vector3(x: pick(), y: pick(), z: pick())
      let now = Instant(microseconds: times.randomElement(using: &generator) ?? 0)
      _ = (low.step(force, at: now), high.step(force, at: now))
    }
    let restart = Instant(microseconds: 0)
    _ = (low.step(.zero, at: restart), high.step(.zero, at: restart))
    expect(low.step(Force(y: 1).vector, at: restart), equals: Force(y: 1).vector)
    expect(high.step(Force(y: 1).vector, at: restart), equals: .zero)
  }

  @Test static func `after an interruption the next sample passes unchanged, like the first`() {
    var filter = AdaptiveLowPass()
    let (up, side) = (Vector3(x: .zero, y: .one, z: .zero), Vector3(x: .one, y: .zero, z: .zero))
    expect(filter.step(up, at: Instant(microseconds: 0)), equals: up)
    expect(filter.step(side, at: Instant(microseconds: 10_000)), isNot: side)
    filter.interrupt()
    expect(filter.step(side, at: Instant(microseconds: 20_000)), equals: side)
  }
}

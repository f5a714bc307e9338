import FixedPoint
import Orientation
import Testing

@Suite struct LowPassTests {
  @Test("Uneven sampling gives the response of the formula in Double", arguments: [20, 200, 1_000])
  func followsTheFormula(milliseconds: Int64) {
    var generator = SeededGenerator(seed: 7)
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
        #expect(abs(double(value) - expected) < 2e-4)
      }
    }
  }

  @Test("A step comes through by 63 % after one time constant of small steps")
  func timeConstant() {
    let configuration = LowPass.Configuration(timeConstant: .milliseconds(200))
    var filter = LowPass()
    _ = filter.step(Force(x: 1).vector, at: Instant(microseconds: 0), configuration)
    var result = Vector3.zero
    for step in 1...200 {
      result = filter.step(Force(y: 1).vector, at: Instant(microseconds: Int64(step) * 1_000), configuration)
    }
    #expect(abs(double(result.y) - 0.632) < 0.002)
    #expect(abs(double(result.x) - 0.368) < 0.002)
  }

  @Test("A constant input is reached to the last bit, from above and from below", arguments: [-1.0, 1.0])
  func settles(start: Double) {
    let configuration = LowPass.Configuration(timeConstant: .milliseconds(200))
    var filter = LowPass()
    let target = Force(x: 0.123456, y: -0.98, z: 0.5).vector
    var result = filter.step(Force(x: start, y: start, z: start).vector, at: Instant(microseconds: 0), configuration)
    for step in 1...2_000 {
      result = filter.step(target, at: Instant(microseconds: Int64(step) * 10_000), configuration)
    }
    #expect(result == target)
  }

  @Test("A gap over 1 s, time running backwards and a force of exactly zero start the filter anew")
  func resets() {
    let configuration = LowPass.Configuration()
    let old = Force(x: 1).vector
    let new = Force(y: -1).vector
    for (elapsed, startsAnew) in [(1_000_000, false), (1_000_001, true), (-1, true), (20_000, false)] {
      var filter = LowPass()
      _ = filter.step(old, at: Instant(microseconds: 0), configuration)
      let result = filter.step(new, at: Instant(microseconds: Int64(elapsed)), configuration)
      #expect((result == new) == startsAnew, "after \(elapsed) µs")
    }
    var filter = LowPass()
    _ = filter.step(old, at: Instant(microseconds: 0), configuration)
    #expect(filter.step(.zero, at: Instant(microseconds: 20_000), configuration) == .zero)
    #expect(filter.step(new, at: Instant(microseconds: 40_000), configuration) == new)
  }

  @Test("Extreme inputs, times and time constants neither trap nor overshoot")
  func extremes() {
    for constant in [Int64.min, -1, 0, 1, 1 << 39, 1 << 40, Int64.max] {
      let configuration = LowPass.Configuration(
        timeConstant: Microseconds(constant), longestGap: Microseconds(Int64.max))
      var filter = LowPass()
      var now: Int64 = 0
      for (step, raw) in [Int32.min, .max, .min, .max, 0, .max].enumerated() {
        let force = Vector3(x: Q16(raw: raw), y: Q16(raw: ~raw), z: Q16(raw: 1))
        let result = filter.step(force, at: Instant(microseconds: now), configuration)
        #expect(abs(Int64(result.z.raw) - 1) <= 1)
        now += [1, 0, 1 << 41, 1 << 20, 1][step % 5]
      }
    }
  }

  private func double(_ value: Q16) -> Double { Double(value.raw) / 65_536 }
}

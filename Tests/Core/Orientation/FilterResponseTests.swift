import FixedPoint
import Glibc
import Orientation
import OrientationModels
import TestSupport
import Testing

struct FilterResponseTests {
  static let frequencies = [0.1, 0.3, 0.8, 2, 5, 12]

  private static func check(
    _ measured: Response, _ expected: Response, gain: Double, phase: Double, _ comment: Comment
  ) {
    let ratio = 20 * log10(measured.gain / expected.gain)
    var turn = measured.phase - expected.phase
    if turn > .pi { turn -= 2 * .pi }
    if turn < -.pi { turn += 2 * .pi }
    expect(abs(ratio), isBelow: gain, "\(comment): \(ratio) dB")
    expect(abs(turn * 180 / .pi), isBelow: phase, "\(comment): \(turn * 180 / .pi)°")
  }

  @Test(arguments: frequencies)
  static func `at even 100 Hz gain and phase match the recursion within 0.01 dB and 0.05°`(hertz: Double) {
    let turn = 2 * Double.pi * hertz * 0.01
    let k = 0.01 / 0.21
    let low = SineTrial(filter: .lowPass, hertz: hertz).response()
    check(low, .lowPass(gain: k, turn), gain: 0.01, phase: 0.05, "low-pass")
    let high = SineTrial(filter: .highPass, hertz: hertz).response()
    check(high, .highPass(gain: 1 - k, turn), gain: 0.01, phase: 0.05, "high-pass")
  }

  // The recursion is the backward difference of the continuous-time filter, which is off by about half a sample: ω dt
  // / 2 in phase (2.2° at 12 Hz and 1 kHz), and at most as much in gain.
  @Test(arguments: frequencies, [false, true])
  static func `at 1 kHz, even or not, gain and phase match a first-order filter in continuous time`(
    hertz: Double, isUneven: Bool
  ) {
    let halfSample = 2 * Double.pi * hertz * 0.001 / 2
    let (gain, phase) = (0.03 + 20 * log10(1 + halfSample), 0.15 + 1.3 * halfSample * 180 / .pi)
    let low = SineTrial(filter: .lowPass, hertz: hertz, period: 0.001, isUneven: isUneven).response()
    check(low, .lowPass(hertz, SineTrial.timeConstant), gain: gain, phase: phase, "low-pass")
    let high = SineTrial(filter: .highPass, hertz: hertz, period: 0.001, isUneven: isUneven).response()
    check(high, .highPass(hertz, SineTrial.timeConstant), gain: gain, phase: phase, "high-pass")
  }

  @Test(arguments: frequencies)
  static func `uneven samples of 5 to 15 ms respond like even ones of 10 ms within 0.5 dB and 3°`(hertz: Double) {
    for filter in [TriedFilter.lowPass, .highPass] {
      let even = SineTrial(filter: filter, hertz: hertz).response()
      let uneven = SineTrial(filter: filter, hertz: hertz, isUneven: true).response()
      check(uneven, even, gain: 0.5, phase: 3, "\(filter)")
    }
  }

  @Test(arguments: frequencies)
  static func `a very small movement passes the adaptive low-pass with a third of the gain`(hertz: Double) {
    // 0.03 g across 1 g lengthen it by 0.00045 g: d is 0.
    let low = SineTrial(filter: .adaptiveLowPass, hertz: hertz, amplitude: 0.03).response()
    check(low, .lowPass(gain: 0.01 / 0.21 / 3, 2 * .pi * hertz * 0.01), gain: 0.03, phase: 0.2, "low-pass")
  }

  @Test(arguments: frequencies)
  static func `the adaptive high-pass has full gain for small motion alone, and a third of it with gravity`(
    hertz: Double
  ) {
    let turn = 2 * Double.pi * hertz * 0.01
    // Not quite alone, because a force of exactly 0 would restart the filter.
    let alone = SineTrial(filter: .adaptiveHighPass, hertz: hertz, amplitude: 0.015, gravity: 0.001).response()
    check(alone, .highPass(gain: 0.2 / 0.21, turn), gain: 0.05, phase: 0.3, "alone")
    let beside = SineTrial(filter: .adaptiveHighPass, hertz: hertz, amplitude: 0.5).response()
    check(beside, .highPass(gain: 0.2 / 0.21 / 3, turn), gain: 0.05, phase: 0.3, "beside gravity")
  }

  @Test static func `after a large step the adaptive low-pass is as fast as the plain one, after a small one slower`() {
    func rest(after jump: Double) -> (adaptive: Double, plain: Double) {
      var (adaptive, plain) = (AdaptiveLowPass(), LowPass())
      var results = (Vector3.zero, Vector3.zero)
      for step in 0...20 {
        let force = Force(y: step == 0 ? 1 : 1 + jump).vector
        let now = Instant(microseconds: Int64(step) * 10_000)
        results = (adaptive.step(force, at: now), plain.step(force, at: now, LowPass.Configuration()))
      }
      func rest(_ vector: Vector3) -> Double { 1 - (vector.doubles[1] - 1) / jump }
      return (rest(results.0), rest(results.1))
    }
    let (large, small) = (rest(after: 1), rest(after: 0.015))
    expect(abs(large.adaptive - large.plain), isBelow: 0.001)
    // After 20 samples: (1 - k)^20 and (1 - k/3)^20, with k = 1/21.
    expect(abs(small.plain - 0.3769), isBelow: 0.002)
    expect(abs(small.adaptive - 0.7259), isBelow: 0.002)
  }
}

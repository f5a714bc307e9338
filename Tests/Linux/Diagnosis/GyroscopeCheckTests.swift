import Diagnosis
import FixedPoint
import TestSupport
import Testing

struct GyroscopeCheckTests {
  /// The verdict on `count` samples near `rate`, in °/s, and `force`, in g, each axis off by up to the noise.
  private static func verdict(
    _ rate: (Double, Double, Double), rateNoise: Double = 0.2, forceNoise: Double = 0.01, count: Int = 100
  ) -> GyroscopeCheck.Verdict {
    var random = SplitMix64(seed: 1)
    var check = GyroscopeCheck()
    func vector(_ values: (Double, Double, Double), _ noise: Double) -> Vector3 {
      func axis(_ value: Double) -> Q16 {
        Q16(raw: Int32(((value + (noise > 0 ? .random(in: -noise...noise, using: &random) : 0)) * 65_536).rounded()))
      }
      return Vector3(x: axis(values.0), y: axis(values.1), z: axis(values.2))
    }
    for _ in 0..<count { check.take(vector((0, 0, 1), forceNoise), vector(rate, rateNoise)) }
    return check.verdict
  }

  @Test static func `at rest the bias is the mean, anywhere within the data sheet's limits`() {
    for rate in [(0.0, 0.0, 0.0), (2.7, -0.6, 1.8), (-19.5, 19.5, 0)] {
      guard case .passed(let bias) = verdict(rate) else {
        Issue.record("\(rate): \(verdict(rate))")
        continue
      }
      for (found, real) in [(bias.x, rate.0), (bias.y, rate.1), (bias.z, rate.2)] {
        expect(abs(Double(found.raw) / 65_536 - real), isBelow: 0.05)
      }
    }
  }

  @Test static func `an axis beyond 20 degrees a second at rest is reported, on either side`() {
    for rate in [(20.5, 0.0, 0.0), (0, -20.5, 0), (0, 0, 39)] {
      guard case .biased = verdict(rate) else {
        Issue.record("\(rate): \(verdict(rate))")
        continue
      }
    }
  }

  @Test static func `without noise it is frozen; with rates or forces that differ too much the board moves`() {
    expect(verdict((2.7, -0.6, 1.8), rateNoise: 0), equals: .frozen)
    expect(verdict((0, 0, 0), rateNoise: 10), equals: .moving)
    expect(verdict((0, 0, 0), forceNoise: 0.3), equals: .moving)
    expect(verdict((0, 0, 0), count: 49), equals: .tooFew)
  }
}

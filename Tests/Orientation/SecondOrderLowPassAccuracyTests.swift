import FixedPoint
import Glibc
import Orientation
import TestSupport
import Testing

/// The filter in Double, from the cookbook's formulae: direct form 1.
struct BiquadModel {
  let (b, a1, a2): (Double, Double, Double)
  private var (x1, x2, y1, y2) = (0.0, 0.0, 0.0, 0.0)

  /// A Butterworth low-pass at `ratio` of the sample rate.
  init(ratio: Double) {
    let angle = 2 * Double.pi * ratio
    let alpha = sin(angle) / 2.0.squareRoot()
    // 1 - cos without its cancellation.
    b = sin(angle / 2) * sin(angle / 2) / (1 + alpha)
    a1 = -2 * cos(angle) / (1 + alpha)
    a2 = (1 - alpha) / (1 + alpha)
  }

  /// The filter that the integers of `configuration` stand for.
  init(_ configuration: SecondOrderLowPass.Configuration) {
    b = Double(configuration.gain) * 0x1p-65
    a2 = 1 - Double(configuration.damping) * 0x1p-63
    a1 = 4 * b - 1 - a2
  }

  mutating func step(_ x: Double) -> Double {
    let y = b * (x + 2 * x1 + x2) - a1 * y1 - a2 * y2
    (x1, x2, y1, y2) = (x, x1, y, y1)
    return y
  }
}

@Suite struct SecondOrderLowPassAccuracyTests {
  @Test(arguments: [0.0002, 0.001, 0.0015, 0.002])
  func `at a cutoff of 0.2 % a full-scale sine keeps 137 dB above the error against the exact filter in Double`(
    frequency: Double
  ) throws {
    let configuration = try #require(SecondOrderLowPass.Configuration(cutoff: 2, sampleRate: 1_000))
    let decibels = measure(configuration, BiquadModel(ratio: 0.002), frequency)
    #expect(decibels > 137, "\(decibels) dB")
  }

  @Test(arguments: [0.0001, 0.002, 0.02, 0.2])
  func `rounding alone is 190 dB below a full-scale sine`(ratio: Double) throws {
    let configuration = try #require(SecondOrderLowPass.Configuration(cutoffRatio: UInt32(ratio * 0x1p32)))
    let decibels = measure(configuration, BiquadModel(configuration), ratio / 2)
    #expect(decibels > 190, "\(decibels) dB")
  }

  @Test func `the coefficients are those of the cookbook`() throws {
    for step in 0...400 {
      let ratio = 0x1p-14 * pow(0.2 / 0x1p-14, Double(step) / 400)
      let bits = UInt32(min(ratio * 0x1p32, 858_993_459))
      let configuration = try #require(SecondOrderLowPass.Configuration(cutoffRatio: bits))
      let (found, exact) = (BiquadModel(configuration), BiquadModel(ratio: Double(bits) * 0x1p-32))
      // Relative to the ratio: 2^-32 of the rate for the bit not used, and 5.2e-10 of the sine.
      let tolerance = (0x1p-32 + 5.2e-10 / Double.pi) / ratio + 2e-9
      #expect(abs(found.b / exact.b - 1) < 2 * tolerance)
      #expect(abs((1 - found.a2) / (1 - exact.a2) - 1) < tolerance)
    }
  }

  @Test func `no drift: as close to Double after a million samples as at first`() throws {
    try drift(1_000_000)
  }

  @Test(.enabled(if: runsLongTests)) func `no drift over 10^8 samples`() throws {
    try drift(100_000_000)
  }

  /// Half-scale noise with a mean, and the greatest error over the last thousand samples.
  private func drift(_ count: Int) throws {
    let configuration = try #require(SecondOrderLowPass.Configuration(cutoff: 2, sampleRate: 1_000))
    var generator = SplitMix64(seed: 14)
    var (filter, model, worst) = (SecondOrderLowPass(), BiquadModel(configuration), 0.0)
    for step in 0..<count {
      let input = Int32(truncatingIfNeeded: generator.next() >> 33) - 0x2000_0000
      let (result, exact) = (filter.step(input, configuration), model.step(Double(input)))
      if step >= count - 1_000 { worst = max(worst, abs(Double(result) - exact)) }
    }
    #expect(worst < 0.51, "\(worst) LSB")
  }

  /// The level of a full-scale sine's response over that of the error, after the filter has settled.
  private func measure(
    _ configuration: SecondOrderLowPass.Configuration, _ model: BiquadModel, _ frequency: Double
  ) -> Double {
    var (filter, model) = (SecondOrderLowPass(), model)
    var (signal, noise) = (0.0, 0.0)
    for step in 0..<200_000 {
      // 0.95 of the range: the response at first goes over a sine's own size.
      let input = Int32((sin(2 * .pi * frequency * Double(step)) * 0.95 * 0x1p31).rounded())
      let (result, exact) = (filter.step(input, configuration), model.step(Double(input)))
      guard step >= 100_000 else { continue }
      signal += exact * exact
      noise += (Double(result) - exact) * (Double(result) - exact)
    }
    return 10 * log10(signal / noise)
  }
}

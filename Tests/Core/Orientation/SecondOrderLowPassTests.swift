import FixedPoint
import Glibc
import Orientation
import TestSupport
import Testing

@Suite struct SecondOrderLowPassTests {
  @Test(arguments: [0, 1, 0x3_FFFF, 0x3333_3334, 0x8000_0000, 0xFFFF_FFFF] as [UInt32])
  func `a cutoff out of range is refused`(ratio: UInt32) {
    #expect(SecondOrderLowPass.Configuration(cutoffRatio: ratio) == nil)
  }

  @Test(arguments: [0x4_0000, 0x4_0001, 8_589_934, 0x3333_3333] as [UInt32])
  func `a cutoff in range gives coefficients between 0 and 1`(ratio: UInt32) throws {
    let configuration = try #require(SecondOrderLowPass.Configuration(cutoffRatio: ratio))
    #expect(configuration.gain > 0 && configuration.damping > 0)
  }

  @Test func `a cutoff and a rate give the filter of their ratio, and none if there is none`() {
    typealias Configuration = SecondOrderLowPass.Configuration
    #expect(Configuration(cutoff: 2, sampleRate: 1_000) == Configuration(cutoffRatio: 8_589_934))
    #expect(Configuration(cutoff: 429_496_729, sampleRate: Int32.max) == Configuration(cutoffRatio: 858_993_458))
    for (cutoff, rate) in [(0, 5), (1, 0), (1, 1), (1, 4), (-1, -5), (1, Int32.max), (Int32.max, Int32.max), (-1, 5)] {
      #expect(Configuration(cutoff: Int32(cutoff), sampleRate: Int32(rate)) == nil)
    }
  }

  @Test(arguments: [0x4_0000, 1_000_000, 8_589_934, 100_000_000, 0x3333_3333] as [UInt32])
  func `after any excitation a constant is reached to the last bit and held`(ratio: UInt32) throws {
    let configuration = try #require(SecondOrderLowPass.Configuration(cutoffRatio: ratio))
    var generator = SplitMix64(seed: UInt64(ratio))
    // The error falls by e in 0.23 periods of the cutoff: 2^33 is 23 e-foldings.
    let settling = Int(0x1p32 / Double(ratio) * 8) + 100
    var filter = SecondOrderLowPass()
    for target in [0, 0, 1, -1, 123_456_789, Int32.max, Int32.min, 0] as [Int32] {
      for _ in 0..<1_000 { _ = filter.step(Int32(truncatingIfNeeded: generator.next()), configuration) }
      for _ in 0..<settling { _ = filter.step(target, configuration) }
      #expect((0..<settling + 20_000).allSatisfy { _ in filter.step(target, configuration) == target })
    }
  }

  @Test func `a small excitation decays to exactly 0 from every start`() throws {
    let configuration = try #require(SecondOrderLowPass.Configuration(cutoff: 2, sampleRate: 1_000))
    for start in -100...100 {
      var filter = SecondOrderLowPass(at: Int32(start))
      for _ in 0..<2_000 { _ = filter.step(0, configuration) }
      #expect((0..<2_000).allSatisfy { _ in filter.step(0, configuration) == 0 })
    }
  }

  @Test(arguments: [0x4_0000, 8_589_934, 0x3333_3333] as [UInt32])
  func `a filter started at a value gives that value at once`(ratio: UInt32) throws {
    let configuration = try #require(SecondOrderLowPass.Configuration(cutoffRatio: ratio))
    for value in [Int32.min, -1, 0, 1, 65_536, Int32.max] {
      var filter = SecondOrderLowPass(at: value)
      #expect((0..<1_000).allSatisfy { _ in filter.step(value, configuration) == value })
    }
  }

  @Test(arguments: [0x4_0000, 8_589_934, 0x1000_0000, 0x3333_3333] as [UInt32])
  func `the worst input over the whole range saturates and does not wrap`(ratio: UInt32) throws {
    let configuration = try #require(SecondOrderLowPass.Configuration(cutoffRatio: ratio))
    // The input of greatest response has the signs of the impulse response, the last one first.
    var impulse = BiquadModel(configuration)
    let count = Int(0x1p32 / Double(ratio) * 6) + 100
    let response = (0..<count).map { impulse.step($0 == 0 ? 1 : 0) }
    let size = response.map(abs).reduce(0, +)
    #expect(size < 1.17)
    for sign in [1.0, -1.0] {
      var (filter, model) = (SecondOrderLowPass(at: sign > 0 ? .min : .max), BiquadModel(configuration))
      for _ in 0..<count { _ = model.step(sign > 0 ? -0x1p31 : 0x1p31 - 1) }
      // The start of the model has not decayed to nothing, and Double rounds too.
      let tolerance = 20.0
      var wrong = 0
      for value in response.reversed() + response {
        let input: Int32 = value * sign < 0 ? .min : .max
        let exact = model.step(Double(input))
        let result = Double(filter.step(input, configuration))
        if abs(result - min(max(exact, -0x1p31), 0x1p31 - 1)) > tolerance { wrong += 1 }
      }
      #expect(wrong == 0)
    }
  }

  @Test func `the upper half of a product from words of 32 bits is the exact floor`() {
    var generator = SplitMix64(seed: 15)
    let ends: [Int64] = [
      .min, .min + 1, -0x1_0000_0000, -0xFFFF_FFFF, -1, 0, 1, 0x7FFF_FFFF, 0xFFFF_FFFF, 0x1_0000_0000, .max - 1, .max,
    ]
    func number() -> Int64 { Int64(bitPattern: generator.next()) >> Int64(generator.next() % 64) }
    let pairs = ends.flatMap { a in ends.map { b in (a, b) } } + (0..<500_000).map { _ in (number(), number()) }
    let wrong = pairs.first { a, b in
      b >= 0 && Int128(highProductOfWords(a, b)) != (Int128(a) * Int128(b)) >> 64
    }
    #expect(wrong == nil)
  }
}

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

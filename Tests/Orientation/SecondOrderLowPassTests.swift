import FixedPoint
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

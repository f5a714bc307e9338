import FixedPoint
import Foundation
import TestSupport
import Testing
import Vibration

struct TransformTests {
  @Test static func `the table holds the cosines of a quarter turn, rounded to nearest`() {
    for k in 0...256 {
      let exact = cos(2 * .pi * Double(k) / 1_024) * 0x1p30
      expect(Double(quarterCosines[k]), equals: exact.rounded(), "\(k)")
    }
  }

  @Test static func `cosine and sine of half a turn come from the table`() {
    for k in 0...512 {
      let (cosine, sine) = turned(by: k)
      let angle = 2 * Double.pi * Double(k) / 1_024
      expect(abs(Double(cosine) - cos(angle) * 0x1p30), isAtMost: 0.51)
      expect(abs(Double(sine) - sin(angle) * 0x1p30), isAtMost: 0.51)
    }
  }

  /// The errors of lines, in units: the largest, its bound, and the sums without the two ends.
  struct Outcome {
    var worst = 0.0
    var bound: Double
    var sums = (real: 0.0, imaginary: 0.0, squares: 0.0)
  }

  /// Transforms `samples`, stored in the ring from `start` on, and compares each line with the model.
  private static func compare<let bins: Int>(
    _ size: Bins<bins>, _ samples: [Int32], start: UInt32 = 0
  ) -> Outcome {
    var ring = SampleRing<bins>()
    for (index, sample) in samples.enumerated() { ring.put(sample, at: start &+ UInt32(index)) }
    var transform = Transform<bins>()
    transform.take(&ring, from: start)
    let lines = SpectrumModel.transform(SpectrumModel.prepared(samples.map(Double.init)[...]))
    let scale = pow(2, Double(transform.shift))
    var outcome = Outcome(bound: 1.2072 * log2(Double(2 * bins)))
    func note(_ real: Double, _ imaginary: Double, _ k: Int) {
      let (dx, dy) = (real - lines[k].real * scale, imaginary - lines[k].imaginary * scale)
      outcome.worst = max(outcome.worst, (dx * dx + dy * dy).squareRoot())
      guard k > 0 && k < bins else { return }
      outcome.sums.real += dx
      outcome.sums.imaginary += dy
      outcome.sums.squares += dx * dx + dy * dy
    }
    note(Double(transform[0].real), 0, 0)
    note(Double(transform[0].imaginary), 0, bins)
    for k in 1..<bins { note(Double(transform[k].real), Double(transform[k].imaginary), k) }
    return outcome
  }

  /// Blocks of `count` samples that stress scaling, overflow or rounding.
  private static func blocks(_ count: Int) -> [(name: String, samples: [Int32])] {
    var dice = SplitMix64(seed: UInt64(count))
    let limit = SampleBlocks<32>.limit
    func tone(_ peak: Double, _ cycles: Double, _ phase: Double) -> [Int32] {
      (0..<count).map { Int32((peak * sin(2 * .pi * cycles * Double($0) / Double(count) + phase)).rounded()) }
    }
    return [
      ("white, full scale", (0..<count).map { _ in Int32.random(in: -limit...limit, using: &dice) }),
      ("ends of the range at random", (0..<count).map { _ in Bool.random(using: &dice) ? limit : -limit }),
      ("alternating ends", (0..<count).map { $0 % 2 == 0 ? limit : -limit }),
      ("a square wave", (0..<count).map { $0 % 16 < 8 ? limit : -limit }),
      ("one sample off by one", (0..<count).map { $0 == 7 ? 1 : 0 }),
      ("one sample at the end of the range", (0..<count).map { $0 == count / 2 ? limit : -limit }),
      ("a little noise on a large mean", (0..<count).map { _ in 65_536 + Int32.random(in: -3...3, using: &dice) }),
      ("a tone on a bin", tone(1_048_576, 8, 0.3)), ("a tone between bins", tone(1_048_576, 9.5, 1)),
      ("a tone of the highest bin", tone(1_000_000, Double(count / 2), 1)),
    ]
  }

  private static func check<let bins: Int>(_ size: Bins<bins>) {
    for (name, samples) in blocks(2 * bins) {
      for start in [0, 2, UInt32(bins) + 6, UInt32.max - 1] {
        let outcome = compare(size, samples, start: start)
        expect(outcome.worst, isAtMost: outcome.bound, "\(bins) bins, \(name), from \(start)")
        // The bound is tight: some error is at least an eighth of it.
        if name.hasPrefix("white") { expect(outcome.worst, isAbove: outcome.bound / 8, "\(bins) bins") }
      }
    }
  }

  @Test static func `every line is within 1_21 units per doubling of the block, for all sizes and signals`() {
    Self.check(Bins<32>())
    Self.check(Bins<64>())
    Self.check(Bins<128>())
    Self.check(Bins<256>())
    Self.check(Bins<512>())
  }

  /// The errors of the lines of 200 blocks of white noise together.
  private static func white<let bins: Int>(_ size: Bins<bins>) -> (mean: [Double], rms: Double) {
    var dice = SplitMix64(seed: UInt64(bins))
    var (real, imaginary, squares) = (0.0, 0.0, 0.0)
    for _ in 0..<200 {
      let samples = (0..<2 * bins).map { _ in Int32.random(in: -1_048_576...1_048_576, using: &dice) }
      let sums = compare(size, samples).sums
      real += sums.real
      imaginary += sums.imaginary
      squares += sums.squares
    }
    let count = 200 * Double(bins - 1)
    return ([real / count, imaginary / count], (squares / count).squareRoot())
  }

  @Test static func `errors of noise are usually below a unit and have almost no bias`() {
    // Each rounding adds a sixth of a unit squared, and a stage halves the error before it: a third in the end.
    // Halves of whole numbers, which the first stages have, round up; without rounding the bias would be half a unit
    // or more.
    for (mean, rms) in [Self.white(Bins<32>()), Self.white(Bins<128>())] {
      expect(rms, isAbove: 0.3)
      expect(rms, isBelow: 0.8)
      for part in mean { expect(abs(part), isBelow: 0.1) }
    }
  }

  @Test static func `the unit is at most 2^-29 of the largest distance from the mean`() {
    for (name, samples) in Self.blocks(128) {
      var ring = SampleRing<64>()
      for (index, sample) in samples.enumerated() { ring.put(sample, at: UInt32(index)) }
      var transform = Transform<64>()
      transform.take(&ring, from: 0)
      let mean = samples.map(Double.init).reduce(0, +) / 128
      let extent = samples.map { abs(Double($0) - mean) }.max() ?? 0
      let units = extent * pow(2, Double(transform.shift))
      expect(units, isAtLeast: 0x1p29, "\(name)")
      expect(units, isAtMost: 0x1p30, "\(name)")
    }
  }

  @Test static func `a block of equal samples has a spectrum of zero`() {
    for value in [0, 1, -1, 65_536, SampleBlocks<32>.limit, -SampleBlocks<32>.limit] as [Int32] {
      var ring = SampleRing<32>()
      for index in 0..<64 as Range<UInt32> { ring.put(value, at: index) }
      var transform = Transform<32>()
      transform.take(&ring, from: 0)
      for k in 0..<32 { #expect(transform[k].real == 0 && transform[k].imaginary == 0) }
    }
  }
}

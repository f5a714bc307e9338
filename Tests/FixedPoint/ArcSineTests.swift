import FixedPoint
import Foundation
import Testing

/// The two ways in which the arc sine is computed; a target has one of them, every test looks at both.
enum ArcSineVariant: String, CaseIterable, Sendable {
  /// With 64-bit products.
  case wide
  /// With products of two 32-bit words.
  case narrow

  /// In LSB of 2^-32 turn (8.4e-8°): what the documentation gives, near what is measured (0.5562 and 0.7189).
  var bound: Double { self == .wide ? 0.56 : 0.72 }

  /// The arc sine of `sine` / 2^30 in 2^-32 turn.
  func asin(_ sine: Int32) -> Int32 { arcSine(sine, ofSize(sine)).raw }

  /// The arc cosine of `cosine` / 2^30 in 2^-32 turn.
  func acos(_ cosine: Int32) -> Int32 { arcCosine(cosine, ofSize(cosine)).raw }

  private func ofSize(_ value: Int32) -> Int32 {
    self == .wide ? wideArcCosine(clampedSize(value)) : narrowArcCosine(clampedSize(value))
  }

  /// The greater error of arc sine and arc cosine in LSB; `Double` itself is good to 1e-6 of one.
  func error(_ value: Int32) -> Double {
    let ratio = max(-1, min(1, Double(value) * 0x1p-30))
    let sineError = abs(Double(asin(value)) - Foundation.asin(ratio) / (2 * .pi) * 0x1p32)
    let cosineError = abs(Double(UInt32(bitPattern: acos(value))) - Foundation.acos(ratio) / (2 * .pi) * 0x1p32)
    return max(sineError, cosineError)
  }

  /// The greatest error at `values`.
  func worst(_ values: some Sequence<Int32>) -> Worst {
    var worst = Worst()
    for value in values { worst.note(error(value), at: Pair(a: value, b: 0)) }
    return worst
  }
}

@Suite struct ArcSineTests {
  static let one: Int32 = 1 << 30
  static let bound = 1.0e-7 / (360 * 0x1p-32)

  @Test(arguments: ArcSineVariant.allCases)
  func `a dense grid is within the bound, which is below 1e-7 degrees`(_ variant: ArcSineVariant) {
    let worst = variant.worst(stride(from: -ArcSineTests.one, through: ArcSineTests.one, by: 1_021))
    #expect(worst.error < variant.bound, "at \(worst.input.a)")
    #expect(variant.bound < ArcSineTests.bound)
  }

  @Test(arguments: ArcSineVariant.allCases)
  func `each of the last 100 000 numbers before either end is within the bound`(_ variant: ArcSineVariant) {
    let last = ArcSineTests.one - 100_000...ArcSineTests.one
    let worst = variant.worst(last.flatMap { [$0, -$0] })
    #expect(worst.error < variant.bound, "at \(worst.input.a)")
  }

  @Test(arguments: ArcSineVariant.allCases)
  func `the joins of the segments are within the bound`(_ variant: ArcSineVariant) {
    // Those of s, and those of 1 - s in each of its pairs of binades.
    let joins = (0...16 as ClosedRange<Int32>).map { $0 << 26 }
    let rootJoins = (0...14 as ClosedRange<Int32>).flatMap { shift in
      (64...256 as ClosedRange<Int32>).map { ArcSineTests.one - ($0 << 22) >> (2 * shift) }
    }
    let near = (joins + rootJoins).flatMap { join in (-50...50 as ClosedRange<Int32>).map { join + $0 } }
    let worst = variant.worst(near.flatMap { [$0, -$0] })
    #expect(worst.error < variant.bound, "at \(worst.input.a)")
  }

  @Test(arguments: ArcSineVariant.allCases)
  func `corner values, those beyond one and random ones are within the bound`(_ variant: ArcSineVariant) {
    let worst = variant.worst(values(1_000_000, seed: 41))
    #expect(worst.error < variant.bound, "at \(worst.input.a)")
  }

  @Test(arguments: ArcSineVariant.allCases)
  func `neither ever turns back`(_ variant: ArcSineVariant) {
    let one = ArcSineTests.one
    let grid = Array(stride(from: -one, through: one, by: 1_021))
    let ends = [-one, -one / 2, -(1 << 26), 0, 1 << 26, one / 2, one - 60_000].flatMap { $0..<$0 + 60_000 }
    for run in [grid, Array(ends)] {
      let (sines, cosines) = (run.map(variant.asin), run.map { UInt32(bitPattern: variant.acos($0)) })
      #expect(zip(sines, sines.dropFirst()).allSatisfy { $0 <= $1 })
      #expect(zip(cosines, cosines.dropFirst()).allSatisfy { $0 >= $1 })
    }
  }

  @Test(
    arguments: [
      (0, 0), (1 << 30, 1 << 30), (-1 << 30, -1 << 30), (Int32.max, 1 << 30), (Int32.min, -1 << 30),
      ((1 << 30) + 1, 1 << 30), (1 << 29, 357_913_941), (-1 << 29, -357_913_941), (759_250_125, 1 << 29),
    ] as [(Int32, Int32)])
  func `known points hold, and what lies beyond one is one`(_ sine: Int32, _ angle: Int32) {
    for variant in ArcSineVariant.allCases {
      #expect(variant.asin(sine) == angle)
      #expect(abs(Int64(variant.acos(sine) &- (1 << 30 &- angle))) <= 1)
    }
    #expect(acos(sine).raw &+ asin(sine).raw == 1 << 30)
  }

  @Test func `the arc cosine is exact at its ends and in its middle`() {
    for variant in ArcSineVariant.allCases {
      #expect(variant.acos(1 << 30) == 0)
      #expect(variant.acos(0) == 1 << 30)
      #expect(variant.acos(-1 << 30) == Int32.min)
    }
  }

  @Test(arguments: ArcSineVariant.allCases)
  func `the arc sine is odd, the arc cosine its mirror`(_ variant: ArcSineVariant) {
    let wrong = values(300_000, seed: 42).first { value in
      value != Int32.min
        && (variant.asin(-value) != -variant.asin(value) || variant.acos(-value) != Int32.min &- variant.acos(value))
    }
    #expect(wrong == nil)
  }

  @Test func `a target has the variant that suits its words`() {
    #if _pointerBitWidth(_32)
      let own = ArcSineVariant.narrow
    #else
      let own = ArcSineVariant.wide
    #endif
    #expect(values(100_000, seed: 43).first { asin($0).raw != own.asin($0) || acos($0).raw != own.acos($0) } == nil)
  }
}

/// Every input from -1 to 1: 2^31 + 1 numbers.
@Suite(.enabled(if: runsLongTests, "PLUMB_LONG_TESTS=1 runs it"))
struct ArcSineLongTests {
  @Test(arguments: ArcSineVariant.allCases)
  func `every input is within the bound and none turns back (only with PLUMB_LONG_TESTS=1)`(
    _ variant: ArcSineVariant
  ) {
    var worst = Worst()
    var (last, falls) = (Int32.min, 0)
    for value in -ArcSineTests.one...ArcSineTests.one {
      worst.note(variant.error(value), at: Pair(a: value, b: 0))
      let angle = variant.asin(value)
      if angle < last { falls += 1 }
      last = angle
    }
    print("asin, acos, \(variant.rawValue): worst of all inputs \(worst.error) LSB at \(worst.input.a)")
    #expect(worst.error < variant.bound, "at \(worst.input.a)")
    #expect(falls == 0)
  }
}

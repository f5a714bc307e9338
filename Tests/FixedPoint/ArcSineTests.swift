import FixedPoint
import Foundation
import TestSupport
import Testing

/// How far `asin` and `acos` are from the model in `Double`.
enum ArcSineError {
  /// In LSB of 2^-32 turn (8.4e-8°): what the documentation gives, near what is measured (0.7189).
  static let bound = 0.72

  /// The greater error of arc sine and arc cosine in LSB; `Double` itself is good to 1e-6 of one.
  static func error(_ value: Int32) -> Double {
    let ratio = max(-1, min(1, Double(value) * 0x1p-30))
    let sineError = abs(Double(asin(value).raw) - Foundation.asin(ratio) / (2 * .pi) * 0x1p32)
    let cosineError = abs(Double(UInt32(bitPattern: acos(value).raw)) - Foundation.acos(ratio) / (2 * .pi) * 0x1p32)
    return max(sineError, cosineError)
  }

  /// The greatest error at `values`.
  static func worst(_ values: some Sequence<Int32>) -> Worst {
    var worst = Worst()
    for value in values { worst.note(error(value), at: Pair(a: value, b: 0)) }
    return worst
  }
}

@Suite struct ArcSineTests {
  static let one: Int32 = 1 << 30
  static let bound = 1.0e-7 / (360 * 0x1p-32)

  @Test func `a dense grid is within the bound, which is below 1e-7 degrees`() {
    let worst = ArcSineError.worst(stride(from: -ArcSineTests.one, through: ArcSineTests.one, by: 1_021))
    #expect(worst.error < ArcSineError.bound, "at \(worst.input.a)")
    #expect(ArcSineError.bound < ArcSineTests.bound)
  }

  @Test func `each of the last 100 000 numbers before either end is within the bound`() {
    let last = ArcSineTests.one - 100_000...ArcSineTests.one
    let worst = ArcSineError.worst(last.flatMap { [$0, -$0] })
    #expect(worst.error < ArcSineError.bound, "at \(worst.input.a)")
  }

  @Test func `the joins of the segments are within the bound`() {
    // Those of s, and those of 1 - s in each of its pairs of binades.
    let joins = (0...16 as ClosedRange<Int32>).map { $0 << 26 }
    let rootJoins = (0...14 as ClosedRange<Int32>).flatMap { shift in
      (64...256 as ClosedRange<Int32>).map { ArcSineTests.one - ($0 << 22) >> (2 * shift) }
    }
    let near = (joins + rootJoins).flatMap { join in (-50...50 as ClosedRange<Int32>).map { join + $0 } }
    let worst = ArcSineError.worst(near.flatMap { [$0, -$0] })
    #expect(worst.error < ArcSineError.bound, "at \(worst.input.a)")
  }

  @Test func `corner values, those beyond one and random ones are within the bound`() {
    let worst = ArcSineError.worst(values(1_000_000, seed: 41))
    #expect(worst.error < ArcSineError.bound, "at \(worst.input.a)")
  }

  @Test func `neither ever turns back`() {
    let one = ArcSineTests.one
    let grid = Array(stride(from: -one, through: one, by: 1_021))
    let ends = [-one, -one / 2, -(1 << 26), 0, 1 << 26, one / 2, one - 60_000].flatMap { $0..<$0 + 60_000 }
    for run in [grid, Array(ends)] {
      let (sines, cosines) = (run.map { asin($0).raw }, run.map { UInt32(bitPattern: acos($0).raw) })
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
    #expect(asin(sine).raw == angle)
    #expect(abs(Int64(acos(sine).raw &- (1 << 30 &- angle))) <= 1)
    #expect(acos(sine).raw &+ asin(sine).raw == 1 << 30)
  }

  @Test func `the arc cosine is exact at its ends and in its middle`() {
    #expect(acos(1 << 30).raw == 0)
    #expect(acos(0).raw == 1 << 30)
    #expect(acos(-1 << 30).raw == Int32.min)
  }

  @Test func `the arc sine is odd, the arc cosine its mirror`() {
    let wrong = values(300_000, seed: 42).first { value in
      value != Int32.min
        && (asin(-value).raw != -asin(value).raw || acos(-value).raw != Int32.min &- acos(value).raw)
    }
    #expect(wrong == nil)
  }
}

/// Every input from -1 to 1: 2^31 + 1 numbers.
@Suite(.enabled(if: runsLongTests, "PLUMB_LONG_TESTS=1 runs it"))
struct ArcSineLongTests {
  @Test func `every input is within the bound and none turns back (only with PLUMB_LONG_TESTS=1)`() {
    var worst = Worst()
    var (last, falls) = (Int32.min, 0)
    for value in -ArcSineTests.one...ArcSineTests.one {
      worst.note(ArcSineError.error(value), at: Pair(a: value, b: 0))
      let angle = asin(value).raw
      if angle < last { falls += 1 }
      last = angle
    }
    print("asin, acos: worst of all inputs \(worst.error) LSB at \(worst.input.a)")
    #expect(worst.error < ArcSineError.bound, "at \(worst.input.a)")
    #expect(falls == 0)
  }
}

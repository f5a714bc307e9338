import FixedPoint
import Foundation
import TestSupport
import Testing

/// The error of `asin` and `acos` against a model in `Double`.
enum ArcSineError {
  /// In LSB of 2^-32 turn (8.4e-8°). The documented bound, slightly above the measured worst error (0.7189).
  static let bound = 0.72

  /// The larger of the errors of arc sine and arc cosine, in LSB. `Double` itself is accurate to 1e-6 LSB.
  static func error(_ value: Int32) -> Double {
    let ratio = max(-1, min(1, Double(value) * 0x1p-30))
    let sineError = abs(Double(asin(value).raw) - Foundation.asin(ratio) / (2 * .pi) * 0x1p32)
    let cosineError = abs(Double(UInt32(bitPattern: acos(value).raw)) - Foundation.acos(ratio) / (2 * .pi) * 0x1p32)
    return max(sineError, cosineError)
  }

  /// The largest error at `values`.
  static func worst(_ values: some Sequence<Int32>) -> Worst {
    var worst = Worst()
    for value in values { worst.note(error(value), at: OperandPair(a: value, b: 0)) }
    return worst
  }
}

struct ArcSineTests {
  static let one: Int32 = 1 << 30
  static let bound = 1.0e-7 / (360 * 0x1p-32)

  @Test static func `a dense grid is within the bound, which is below 1e-7 degrees`() {
    let worst = ArcSineError.worst(stride(from: -ArcSineTests.one, through: ArcSineTests.one, by: 1_021))
    expect(worst.error, isBelow: ArcSineError.bound, "at \(worst.input.a)")
    expect(ArcSineError.bound, isBelow: ArcSineTests.bound)
  }

  @Test static func `each of the last 100 000 numbers before either end is within the bound`() {
    let last = ArcSineTests.one - 100_000...ArcSineTests.one
    let worst = ArcSineError.worst(last.flatMap { [$0, -$0] })
    expect(worst.error, isBelow: ArcSineError.bound, "at \(worst.input.a)")
  }

  @Test static func `the joins of the segments are within the bound`() {
    // Those of s, and those of 1 - s in each of its pairs of binades.
    let joins = (0...16 as ClosedRange<Int32>).map { $0 << 26 }
    let rootJoins = (0...14 as ClosedRange<Int32>).flatMap { shift in
      (64...256 as ClosedRange<Int32>).map { ArcSineTests.one - ($0 << 22) >> (2 * shift) }
    }
    let near = (joins + rootJoins).flatMap { join in (-50...50 as ClosedRange<Int32>).map { join + $0 } }
    let worst = ArcSineError.worst(near.flatMap { [$0, -$0] })
    expect(worst.error, isBelow: ArcSineError.bound, "at \(worst.input.a)")
  }

  @Test static func `corner values, those beyond one and random ones are within the bound`() {
    let worst = ArcSineError.worst(values(1_000_000, seed: 41))
    expect(worst.error, isBelow: ArcSineError.bound, "at \(worst.input.a)")
  }

  @Test static func `both functions are monotonic`() {
    let one = ArcSineTests.one
    let grid = Array(stride(from: -one, through: one, by: 1_021))
    let starts: [Int32] = [-one, -one / 2, -(1 << 26), 0, 1 << 26, one / 2, one - 60_000]
    let ends = starts.flatMap { (start: Int32) -> [Int32] in Array(start..<start + 60_000) }
    for run in [grid, ends] {
      let sines = run.map { asin($0).raw }
      let cosines = run.map { UInt32(bitPattern: acos($0).raw) }
      expect(all: zip(sines, sines.dropFirst())) { $0 <= $1 }
      expect(all: zip(cosines, cosines.dropFirst())) { $0 >= $1 }
    }
  }

  @Test(
    arguments: [
      (0, 0), (1 << 30, 1 << 30), (-1 << 30, -1 << 30), (Int32.max, 1 << 30), (Int32.min, -1 << 30),
      ((1 << 30) + 1, 1 << 30), (1 << 29, 357_913_941), (-1 << 29, -357_913_941), (759_250_125, 1 << 29),
    ] as [(Int32, Int32)])
  static func `known points hold, and arguments beyond ±1 count as ±1`(_ sine: Int32, _ angle: Int32) {
    expect(asin(sine).raw, equals: angle)
    expect(abs(Int64(acos(sine).raw &- (1 << 30 &- angle))), isAtMost: 1)
    expect(acos(sine).raw &+ asin(sine).raw, equals: 1 << 30)
  }

  @Test static func `the arc cosine is exact at its ends and in its middle`() {
    expect(acos(1 << 30).raw, equals: 0)
    expect(acos(0).raw, equals: 1 << 30)
    expect(acos(-1 << 30).raw, equals: Int32.min)
  }

  @Test static func `the arc sine is odd, and the arc cosine mirrors about a quarter turn`() {
    let wrong = values(300_000, seed: 42).first { value in
      value != Int32.min
        && (asin(-value).raw != -asin(value).raw || acos(-value).raw != Int32.min &- acos(value).raw)
    }
    expect(wrong, equals: nil)
  }
}

/// Every input from -1 to 1: 2^31 + 1 numbers.
@Suite(.enabled(if: runsLongTests, "PLUMB_LONG_TESTS=1 runs it"))
struct ArcSineLongTests {
  @Test static func `every input is within the bound, and both are monotonic (only with PLUMB_LONG_TESTS=1)`() {
    var worst = Worst()
    var (last, falls) = (Int32.min, 0)
    for value in -ArcSineTests.one...ArcSineTests.one {
      worst.note(ArcSineError.error(value), at: OperandPair(a: value, b: 0))
      let angle = asin(value).raw
      if angle < last { falls += 1 }
      last = angle
    }
    print("asin, acos: worst of all inputs \(worst.error) LSB at \(worst.input.a)")
    expect(worst.error, isBelow: ArcSineError.bound, "at \(worst.input.a)")
    expect(falls, equals: 0)
  }
}

/// Checks that the tables hold what their documentation says, computed in another way than the generator's.
struct ArcSineTableTests {
  @Test static func `the quartics of the ratio meet it at the Chebyshev nodes`() {
    for row in 0..<16 {
      let expected = Newton(-0.5, 0.5, degree: 4) { 1 - 4 * ratio((Double(row) + 0.5 + $0) / 16) }.coefficients
      for degree in 0...4 {
        let bias = degree == 0 ? 3 : degree == 4 ? 0 : 0.5
        let entry = (Double(arcRatios[16 * (4 - degree) + row]) - bias) * 0x1p-34
        expect(abs(entry - expected[degree]), isBelow: 1e-10, "\(row), \(degree)")
      }
    }
  }

  @Test static func `the lines for the inverse root err by 1_4e-5 at most`() {
    for row in 0..<192 {
      let (start, slope) = (Double(inverseRoots[row] >> 12) * 0x1p-19, Double(inverseRoots[row] & 0xFFF) * 0x1p-19)
      for part in 0...16 {
        let place = Double(part) / 16
        let exact = 1 / ((Double(row + 64) + place) / 64).squareRoot()
        expect(abs((start - slope * place) / exact - 1), isBelow: 1.4e-5, "\(row), \(part)")
      }
    }
  }

  /// acos(s) / √(1 - s) in turns.
  private static func ratio(_ s: Double) -> Double {
    // 1 - s is exact, so the half angle's sine keeps all its digits up to s = 1.
    let half = ((1 - s) / 2).squareRoot()
    return 2 * asin(half) / (2 * .pi * (1 - s).squareRoot())
  }
}

/// The cheaper arc functions behind the angles of a sample.
struct SampleArcTests {
  /// Degrees per unit of 2^-32 turn.
  static let unit = 360 * 0x1p-32

  @Test static func `on the axes and the diagonal angle and length are exact`() {
    for size: UInt32 in [32_768, 65_536, 92_682, 1 << 20, (1 << 24) - 1, 1 << 24] {
      expect(Quarter(0, of: size).angle, equals: 0)
      expect(Quarter(size, of: size).angle, equals: 0x4000_0000)
      expect(Quarter(size, of: size * 2).angle, equals: 0x2000_0000)
      expect(Quarter(0, of: size).length(of: size), equals: UInt64(size) << Quarter.fractionBits)
    }
    expect(Quarter(0, of: 0).angle, equals: 0)
    expect(Quarter(0, of: 0).length(of: 0), equals: 0)
  }

  @Test static func `angles err by 3e-6° and lengths by 1.1e-6 at most, from half a g to 256 g`() {
    var generator = SplitMix64(seed: 21)
    var (worstAngle, worstLength) = (0.0, 0.0)
    for round in 0..<2_000_000 {
      let size = Double(round % 3 == 0 ? 65_536 : UInt32.random(in: 32_768...(1 << 24), using: &generator))
      let turn = Double.random(in: 0...(.pi / 2), using: &generator)
      let (x, y) = (UInt32(size * cos(turn)), UInt32(size * sin(turn)))
      let quarter = Quarter(y, of: x + y)
      let exact = atan2(Double(y), Double(x)) * 180 / .pi
      worstAngle = max(worstAngle, abs(Double(quarter.angle) * Self.unit - exact))
      let length = Double(quarter.length(of: x + y)) / Double(1 << Quarter.fractionBits)
      worstLength = max(worstLength, abs(length / hypot(Double(x), Double(y)) - 1))
    }
    expect(worstAngle, isBelow: 3e-6)
    expect(worstLength, isBelow: 1.1e-6)
  }

  @Test static func `within a quarter the angle never falls, across the ends of all 32 segments`() {
    for segment: UInt32 in 1..<32 {
      let angles = (-20...20 as ClosedRange<Int64>).map { place in
        Quarter(part: UInt64(Int64(segment) << 30 + place), of: 1 << 35).angle
      }
      expect(all: zip(angles, angles.dropFirst()), "\(segment)") { $0 <= $1 }
    }
  }

  @Test static func `the arc cosine of every Q16 sine errs by 3.2e-5° at most, always falls, and has exact ends`() {
    var (worst, last) = (0.0, Int32.max)
    for cosine: UInt32 in 0...65_536 {
      let angle = arcCosineQ16(cosine)
      worst = max(worst, abs(Double(angle) * Self.unit - acos(Double(cosine) / 65_536) * 180 / .pi))
      if angle >= last { Issue.record("\(cosine): \(angle) after \(last)") }
      last = angle
    }
    expect(worst, isBelow: 3.2e-5)
    expect(arcCosineQ16(0), equals: 0x4000_0000)
    expect(all: [65_536, 65_537, 1 << 24, UInt32.max]) { arcCosineQ16($0) == 0 }
  }

  @Test static func `the sine of a quarter errs by 1e-8 at most`() {
    var worst = 0.0
    for step: Int32 in 0..<200_000 {
      let angle = step * 5_300
      let exact = sin(Double(angle) / 0x1p31 * .pi)
      worst = max(worst, abs(Double(quarterSine(BinaryAngle(raw: angle))) * 0x1p-31 - exact))
    }
    expect(worst, isBelow: 1e-8)
  }
}

import FixedPoint
import Foundation
import TestSupport
import Testing

/// The error of `sinCos` against a model in `Double`.
enum SinCosError {
  /// In LSB of Q1.31 (4.66e-10). The documented bound, slightly above the measured worst error (0.872).
  static let bound = 0.89

  /// The larger of the errors of sine and cosine, in LSB. A value above the greatest number must saturate to it.
  static func error(_ raw: Int32) -> Double {
    let (sine, cosine) = BinaryAngle(raw: raw).sinCos
    let radians = Double(raw) * (2 * .pi * 0x1p-32)
    let greatest = Double(Int32.max)
    return max(
      abs(Double(sine) - min(greatest, sin(radians) * 0x1p31)),
      abs(Double(cosine) - min(greatest, cos(radians) * 0x1p31)))
  }

  /// The largest error at `angles`.
  static func worst(_ angles: some Sequence<Int32>) -> Worst {
    var worst = Worst()
    for raw in angles { worst.note(error(raw), at: OperandPair(a: raw, b: 0)) }
    return worst
  }
}

struct SinCosTests {
  @Test static func `a dense grid over the turn is within the bound, which is below 4_5e-10`() {
    let worst = SinCosError.worst(stride(from: Int32.min, through: Int32.max, by: 4_099))
    expect(worst.error, isBelow: SinCosError.bound, "at \(worst.input.a)")
    expect(SinCosError.bound * 0x1p-31, isBelow: 4.5e-10)
  }

  @Test static func `every angle of 16 bits and its neighbours are within the bound`() {
    let coarse = (0..<65_536).flatMap { part in (-1...1).map { Int32(truncatingIfNeeded: part << 16 + $0) } }
    let worst = SinCosError.worst(coarse)
    expect(worst.error, isBelow: SinCosError.bound, "at \(worst.input.a)")
  }

  @Test static func `the middles and joins of the segments are within the bound`() {
    let joins = (0..<512).flatMap { part in (-500...500).map { Int32(truncatingIfNeeded: part << 23 + $0) } }
    let worst = SinCosError.worst(joins)
    expect(worst.error, isBelow: SinCosError.bound, "at \(worst.input.a)")
  }

  @Test static func `corner values and random angles are within the bound`() {
    let worst = SinCosError.worst(values(1_000_000, seed: 31))
    expect(worst.error, isBelow: SinCosError.bound, "at \(worst.input.a)")
  }

  @Test static func `one saturates to the greatest number everywhere around it`() {
    let wrong = (-20_000...20_000 as ClosedRange<Int32>).first { offset in
      let isOne = cos(Double(offset) * (2 * .pi * 0x1p-32)) * 0x1p31 >= 0x1p31 - 0.1
      return isOne
        && (BinaryAngle(raw: offset).sinCos.cosine != Int32.max
          || BinaryAngle(raw: 1 << 30 &+ offset).sinCos.sine != Int32.max
          || BinaryAngle(raw: Int32.min &+ offset).sinCos.cosine != Int32.min
          || BinaryAngle(raw: -1 << 30 &+ offset).sinCos.sine != Int32.min)
    }
    expect(wrong, equals: nil)
  }

  @Test(
    arguments: [
      (Int32(0), Int32(0), Int32.max), (1 << 30, Int32.max, 0), (Int32.min, 0, Int32.min), (-1 << 30, Int32.min, 0),
    ] as [(Int32, Int32, Int32)])
  static func `the quarter turns are exact, with the greatest number for one`(
    _ raw: Int32, _ sine: Int32, _ cosine: Int32
  ) {
    expect(BinaryAngle(raw: raw).sinCos, equals: (sine, cosine))
  }

  @Test static func `an angle survives the round trip through its sine and cosine`() {
    // The point is off by at most the bound on each axis, and by 1 where that is +1; at this radius that is an angle
    // of √2 · 2 / π LSB.
    let limit = 2.0.squareRoot() * (SinCosError.bound + 1) / .pi * 2 + ArcTangentError.bound
    let wrong = values(250_000, seed: 32).first { raw in
      let (sine, cosine) = BinaryAngle(raw: raw).sinCos
      return Double((atan2(y: sine, x: cosine) - BinaryAngle(raw: raw)).magnitude) >= limit
    }
    expect(wrong, equals: nil)
  }
}

/// Checks that the tables of `sinCos` hold what their documentation says.
struct SinCosTableTests {
  @Test static func `the table holds the rounded sines of the middles of 64 segments of the quarter turn`() {
    for segment in 0..<64 {
      let exact = sin(.pi / 2 * (Double(segment) + 0.5) / 64) * 0x1p32
      expect(abs(Double(middleSines[segment]) - exact), isBelow: 0.500_01, "\(segment)")
    }
  }
}

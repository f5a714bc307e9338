import FixedPoint
import Foundation
import Testing

@Suite struct SinCosTests {
  /// The bound that the documentation of `sinCos` gives, in LSB of Q1.31.
  static let bound = 1.1

  /// The greater error of sine and cosine in LSB; +1 is given as the number below, which counts as an error of 1.
  static func error(_ raw: Int32) -> Double {
    let (sine, cosine) = BinaryAngle(raw: raw).sinCos
    let radians = Double(raw) * (2 * .pi * 0x1p-32)
    return max(abs(Double(sine) - sin(radians) * 0x1p31), abs(Double(cosine) - cos(radians) * 0x1p31))
  }

  static func worst(_ angles: some Sequence<Int32>) -> Worst {
    var worst = Worst()
    for raw in angles { worst.note(error(raw), at: Pair(a: raw, b: 0)) }
    return worst
  }

  @Test func `a dense grid over the turn is within the bound`() {
    let worst = SinCosTests.worst(stride(from: Int32.min, through: Int32.max, by: 4_099))
    #expect(worst.error < SinCosTests.bound, "at \(worst.input.a)")
  }

  @Test func `the nodes and joins of the segments are within the bound`() {
    let joins = (0..<512).flatMap { part in (-500...500).map { Int32(truncatingIfNeeded: part << 23 + $0) } }
    let worst = SinCosTests.worst(joins)
    #expect(worst.error < SinCosTests.bound, "at \(worst.input.a)")
  }

  @Test func `corner values and random angles are within the bound`() {
    let worst = SinCosTests.worst(values(500_000, seed: 31))
    #expect(worst.error < SinCosTests.bound, "at \(worst.input.a)")
  }

  @Test(
    arguments: [
      (Int32(0), Int32(0), Int32.max), (1 << 30, Int32.max, 0), (Int32.min, 0, Int32.min), (-1 << 30, Int32.min, 0),
    ] as [(Int32, Int32, Int32)])
  func `the quarter turns are exact, one being the greatest number`(_ raw: Int32, _ sine: Int32, _ cosine: Int32) {
    #expect(BinaryAngle(raw: raw).sinCos == (sine, cosine))
  }

  @Test func `an angle comes back from its sine and cosine`() {
    // The point is off by at most the bound on each axis, which at this radius is an angle of √2 · 2 / π LSB.
    let limit = 2.0.squareRoot() * SinCosTests.bound / .pi * 2 + ArcTangentAccuracyTests.bound
    let wrong = values(250_000, seed: 32).first { raw in
      let (sine, cosine) = BinaryAngle(raw: raw).sinCos
      return Double((atan2(y: sine, x: cosine) - BinaryAngle(raw: raw)).magnitude) >= limit
    }
    #expect(wrong == nil)
  }
}

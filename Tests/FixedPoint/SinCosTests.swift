import FixedPoint
import Foundation
import Testing

/// The two ways in which sine and cosine are computed; a target has one of them, every test looks at both.
enum SinCosVariant: String, CaseIterable, Sendable {
  /// With 64-bit products.
  case wide
  /// With products of two 32-bit words.
  case narrow

  /// In LSB of Q1.31 (4.66e-10): what the documentation gives, near what is measured (0.513 and 0.872).
  var bound: Double { self == .wide ? 0.52 : 0.89 }

  /// Sine and cosine in Q1.31.
  func sinCos(_ raw: Int32) -> (sine: Int32, cosine: Int32) {
    self == .wide ? wideSinCos(raw) : narrowSinCos(raw)
  }

  /// The greater error of sine and cosine in LSB. What lies above the greatest number must be that number.
  func error(_ raw: Int32) -> Double {
    let (sine, cosine) = sinCos(raw)
    let radians = Double(raw) * (2 * .pi * 0x1p-32)
    let greatest = Double(Int32.max)
    return max(
      abs(Double(sine) - min(greatest, sin(radians) * 0x1p31)),
      abs(Double(cosine) - min(greatest, cos(radians) * 0x1p31)))
  }

  /// The greatest error at `angles`.
  func worst(_ angles: some Sequence<Int32>) -> Worst {
    var worst = Worst()
    for raw in angles { worst.note(error(raw), at: Pair(a: raw, b: 0)) }
    return worst
  }
}

@Suite struct SinCosTests {
  @Test(arguments: SinCosVariant.allCases)
  func `a dense grid over the turn is within the bound, which is below 4_5e-10`(_ variant: SinCosVariant) {
    let worst = variant.worst(stride(from: Int32.min, through: Int32.max, by: 4_099))
    #expect(worst.error < variant.bound, "at \(worst.input.a)")
    #expect(variant.bound * 0x1p-31 < 4.5e-10)
  }

  @Test(arguments: SinCosVariant.allCases)
  func `every angle of 16 bits and its neighbours are within the bound`(_ variant: SinCosVariant) {
    let coarse = (0..<65_536).flatMap { part in (-1...1).map { Int32(truncatingIfNeeded: part << 16 + $0) } }
    let worst = variant.worst(coarse)
    #expect(worst.error < variant.bound, "at \(worst.input.a)")
  }

  @Test(arguments: SinCosVariant.allCases)
  func `the middles and joins of the segments are within the bound`(_ variant: SinCosVariant) {
    let joins = (0..<512).flatMap { part in (-500...500).map { Int32(truncatingIfNeeded: part << 23 + $0) } }
    let worst = variant.worst(joins)
    #expect(worst.error < variant.bound, "at \(worst.input.a)")
  }

  @Test(arguments: SinCosVariant.allCases)
  func `corner values and random angles are within the bound`(_ variant: SinCosVariant) {
    let worst = variant.worst(values(1_000_000, seed: 31))
    #expect(worst.error < variant.bound, "at \(worst.input.a)")
  }

  @Test(arguments: SinCosVariant.allCases)
  func `one is the number below it, all about where it is reached`(_ variant: SinCosVariant) {
    let wrong = (-20_000...20_000 as ClosedRange<Int32>).first { offset in
      let isOne = cos(Double(offset) * (2 * .pi * 0x1p-32)) * 0x1p31 >= 0x1p31 - 0.1
      return isOne
        && (variant.sinCos(offset).cosine != Int32.max || variant.sinCos(1 << 30 &+ offset).sine != Int32.max
          || variant.sinCos(Int32.min &+ offset).cosine != Int32.min
          || variant.sinCos(-1 << 30 &+ offset).sine != Int32.min)
    }
    #expect(wrong == nil)
  }

  @Test func `a target has the variant that suits its words`() {
    #if _pointerBitWidth(_32)
      let own = SinCosVariant.narrow
    #else
      let own = SinCosVariant.wide
    #endif
    #expect(values(100_000, seed: 33).first { BinaryAngle(raw: $0).sinCos != own.sinCos($0) } == nil)
  }

  @Test(
    arguments: [
      (Int32(0), Int32(0), Int32.max), (1 << 30, Int32.max, 0), (Int32.min, 0, Int32.min), (-1 << 30, Int32.min, 0),
    ] as [(Int32, Int32, Int32)])
  func `the quarter turns are exact, one being the greatest number`(_ raw: Int32, _ sine: Int32, _ cosine: Int32) {
    for variant in SinCosVariant.allCases { #expect(variant.sinCos(raw) == (sine, cosine)) }
  }

  @Test func `an angle comes back from its sine and cosine`() {
    // The point is off by at most the bound on each axis, and by 1 where that is +1, which at this radius is an angle of √2 · 2 / π LSB.
    let limit = 2.0.squareRoot() * (SinCosVariant.narrow.bound + 1) / .pi * 2 + ArcTangentVariant.narrow.bound
    let wrong = values(250_000, seed: 32).first { raw in
      let (sine, cosine) = BinaryAngle(raw: raw).sinCos
      return Double((atan2(y: sine, x: cosine) - BinaryAngle(raw: raw)).magnitude) >= limit
    }
    #expect(wrong == nil)
  }
}

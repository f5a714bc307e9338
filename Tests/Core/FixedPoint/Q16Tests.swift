import FixedPoint
import TestSupport
import Testing

struct Q16Tests {
  static let pairs = cornerPairs + randomPairs(200_000, seed: 16)

  @Test static func `a sum is exact or saturates`() {
    expect(
      Q16Tests.firstWrong {
        $0.addingSaturating($1)
      } model: {
        $0 + $1
      }, equals: nil)
  }

  @Test static func `a difference is exact or saturates`() {
    expect(
      Q16Tests.firstWrong {
        $0.subtractingSaturating($1)
      } model: {
        $0 - $1
      }, equals: nil)
  }

  @Test static func `a product is rounded to nearest, ties up, or saturates`() {
    expect(
      Q16Tests.firstWrong {
        $0.multipliedSaturating(by: $1)
      } model: {
        floor($0 * $1 + 0x8000, over: 65_536)
      }, equals: nil)
  }

  @Test(
    arguments: [(1, 0x8000, 1), (-1, 0x8000, 0), (3, 0x8000, 2), (-3, 0x8000, -1), (1, 0x7FFF, 0), (-1, 0x8001, -1)]
      as [(Int32, Int32, Int32)])
  static func `a product half-way between two numbers is rounded up`(_ a: Int32, _ b: Int32, _ expected: Int32) {
    expect(Q16(raw: a).multipliedSaturating(by: Q16(raw: b)), equals: Q16(raw: expected))
    expect(Q16(raw: b).multipliedSaturating(by: Q16(raw: a)), equals: Q16(raw: expected))
  }

  @Test static func `a quotient is rounded to nearest, ties away from zero, or saturates`() {
    let wrong = Q16Tests.firstWrong {
      Q16($0.raw, over: $1.raw)
    } model: { numerator, denominator in
      guard denominator != 0 else { return 0 }
      let size = floor(2 * 65_536 * abs(numerator) + abs(denominator), over: 2 * abs(denominator))
      return (numerator < 0) == (denominator < 0) ? size : -size
    }
    expect(wrong, equals: nil)
  }

  @Test(
    arguments: [
      (1, 131_072, 1), (-1, 131_072, -1), (1, -131_072, -1), (3, 131_072, 2), (-3, 131_072, -2), (1, 131_073, 0),
      (4, 10, 26_214), (-1, 3, -21_845), (7, 0, 0), (0, 0, 0), (Int32.min, -1, Int32.max), (Int32.min, 1, Int32.min),
      (Int32.min, Int32.min, 65_536), (Int32.max, Int32.min, -65_536),
    ] as [(Int32, Int32, Int32)])
  static func `a quotient half-way between two numbers is rounded away from zero`(
    _ a: Int32, _ b: Int32, _ expected: Int32
  ) {
    expect(Q16(a, over: b), equals: Q16(raw: expected))
  }

  @Test static func `a negation is exact, and that of the smallest number is the greatest`() {
    let wrong = values(100_000, seed: 17).first { Q16(raw: $0).negatedSaturating.raw != Int32(clamping: -Int64($0)) }
    expect(wrong, equals: nil)
  }

  @Test static func `a whole number is exact or saturates`() {
    let all = Array(-40_000...40_000) + values(100_000, seed: 18)
    expect(all.first { Q16(whole: $0).raw != Int32(clamping: Int64($0) * 65_536) }, equals: nil)
  }

  @Test static func `numbers compare by their values`() {
    expect(Q16Tests.pairs.first { (Q16(raw: $0.a) < Q16(raw: $0.b)) != ($0.a < $0.b) }, equals: nil)
    expect(Q16Tests.pairs.first { (Q16(raw: $0.a) == Q16(raw: $0.b)) != ($0.a == $0.b) }, equals: nil)
  }

  @Test static func `zero and one are 0 and 65536 parts`() {
    expect(Q16.zero.raw, equals: 0)
    expect(Q16.one.raw, equals: 65_536)
  }

  /// The first pair for which `operation` differs from `model`, computed in 128 bits and clamped to 32.
  static func firstWrong(_ operation: (Q16, Q16) -> Q16, model: (Int128, Int128) -> Int128) -> OperandPair? {
    pairs.first { pair in
      let exact = model(Int128(pair.a), Int128(pair.b))
      return operation(Q16(raw: pair.a), Q16(raw: pair.b)).raw != Int32(clamping: exact)
    }
  }
}

/// The quotient rounded toward -∞; `divisor` > 0.
private func floor(_ dividend: Int128, over divisor: Int128) -> Int128 {
  let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
  return remainder < 0 ? quotient - 1 : quotient
}

struct WideningTests {
  @Test static func `widening keeps the value of every signed number`() {
    expect(values(100_000, seed: 1).first { widened($0) != Int64($0) }, equals: nil)
  }

  @Test static func `widening keeps the value of every unsigned number`() {
    expect(values(100_000, seed: 2).map { UInt32(bitPattern: $0) }.first { widened($0) != UInt64($0) }, equals: nil)
  }

  @Test static func `saturation keeps what fits in 32 bits`() {
    expect(values(100_000, seed: 3).first { saturated(Int64($0)) != $0 }, equals: nil)
  }

  @Test(
    arguments: [
      (2_147_483_647, Int32.max), (2_147_483_648, Int32.max), (4_294_967_295, Int32.max), (4_294_967_296, Int32.max),
      (Int64.max, Int32.max), (-2_147_483_648, Int32.min), (-2_147_483_649, Int32.min), (-4_294_967_296, Int32.min),
      (Int64.min, Int32.min),
    ] as [(Int64, Int32)])
  static func `saturation gives the nearer end of the range for what does not fit`(_ value: Int64, _ expected: Int32) {
    expect(saturated(value), equals: expected)
  }

  @Test static func `saturation agrees with clamping for numbers of every size`() {
    var random = SplitMix64(seed: 4)
    let wide = (0..<100_000).map { _ in Int64(bitPattern: random.next()) >> Int64(random.next() % 64) }
    expect(wide.first { saturated($0) != Int32(clamping: $0) }, equals: nil)
  }
}

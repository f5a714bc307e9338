extension BinaryAngle {
  /// Sine and cosine in Q1.31, each the nearest number except for the errors below; +1 is returned as 2^31 - 1.
  ///
  /// Takes any angle; the quarter turns are exact, except for +1. Worst error 0.88 LSB (4.1e-10), not counting the LSB
  /// between +1 and 2^31 - 1, compared with `Double` for 7 · 10^7 angles, including the ends of every segment;
  /// `SinCosTests` asserts 0.89 for 2 · 10^6. The same bits on every target: nothing is wider than the product of two
  /// 32-bit words.
  ///
  /// The middle of one of 64 segments of the quarter turn, then the sum formulae, with two terms of each series for the
  /// rest δ; the quarter settles signs and order.
  @inline(__always)
  public var sinCos: (sine: Int32, cosine: Int32) {
    let bits = UInt32(bitPattern: raw)
    let segment = Int(truncatingIfNeeded: (bits &>> 24) & 63)
    let (sine, cosine) = (middleSines[segment], middleSines[segment ^ 63])
    let (halfSine, halfCosine) = (Int(truncatingIfNeeded: sine &>> 1), Int(truncatingIfNeeded: cosine &>> 1))
    // In Q31 of half a segment, σ radians; the constants are σ in Q37 and 4/6 of its cube in Q37.
    let rest = Int(truncatingIfNeeded: Int32(bitPattern: (bits &<< 8) ^ 0x8000_0000))
    let restSine = upper(rest, 1_686_629_713 &- upper(upper(rest, rest), 169_336))
    // From δ in Q36: its sine's square in Q40, the fourth power in Q48, 1 - cos δ = sin²/2 + sin⁴/8 in Q36.
    let square = upper(restSine, restSine)
    let restVersine = (square &>> 5) &+ (upper(square, square) &>> 15)
    // The floors of two products cancel in the sine. In the cosine they come to a unit too much: 7 rounds, not 8.
    let sineChange = 8 &+ upper(halfCosine, restSine) &- upper(halfSine, restVersine)
    let cosineChange = 7 &- (upper(halfSine, restSine) &+ upper(halfCosine, restVersine))
    let (sineSize, cosineSize) = (moved(sine, by: sineChange), moved(cosine, by: cosineChange))
    let isOdd = bits & 0x4000_0000 != 0
    return (
      signed(isOdd ? cosineSize : sineSize, isNegative: raw < 0),
      signed(isOdd ? sineSize : cosineSize, isNegative: raw &+ 0x4000_0000 < 0)
    )
  }
}

/// `value` in Q32 plus `change` in Q35, as Q31 by a floor, 0…2^31; the sum itself could exceed a word.
@inline(__always)
private func moved(_ value: UInt32, by change: Int) -> UInt32 {
  let fraction = Int(truncatingIfNeeded: (value & 1) &<< 3)
  return (value &>> 1) &+ UInt32(truncatingIfNeeded: (change &+ fraction) &>> 4)
}

/// `size`, 0…2^31, with a sign; +2^31 as the number below.
@inline(__always)
private func signed(_ size: UInt32, isNegative: Bool) -> Int32 {
  isNegative ? Int32(bitPattern: 0 &- size) : Int32(bitPattern: size &- size &>> 31)
}

/// sin((k + ½) / 64 · 90°) for k = 0…63, in Q32, rounded to nearest. Made by Tests/Proofs/Tables/generate.py.
@section(".rodata.middleSines")
package let middleSines: InlineArray<64, UInt32> = [
  52_705_856, 158_085_819, 263_370_557, 368_496_651, 473_400_776, 578_019_742, 682_290_530, 786_150_333, 889_536_587,
  992_387_019, 1_094_639_673, 1_196_232_957, 1_297_105_676, 1_397_197_066, 1_496_446_837, 1_594_795_204, 1_692_182_927,
  1_788_551_342, 1_883_842_400, 1_977_998_702, 2_070_963_532, 2_162_680_890, 2_253_095_531, 2_342_152_991,
  2_429_799_626, 2_515_982_640, 2_600_650_120, 2_683_751_066, 2_765_235_421, 2_845_054_101, 2_923_159_027,
  2_999_503_152, 3_074_040_487, 3_146_726_136, 3_217_516_315, 3_286_368_382, 3_353_240_863, 3_418_093_478,
  3_480_887_161, 3_541_584_088, 3_600_147_697, 3_656_542_712, 3_710_735_162, 3_762_692_404, 3_812_383_140,
  3_859_777_440, 3_904_846_754, 3_947_563_934, 3_987_903_250, 4_025_840_401, 4_061_352_537, 4_094_418_266,
  4_125_017_671, 4_153_132_319, 4_178_745_276, 4_201_841_112, 4_222_405_917, 4_240_427_302, 4_255_894_413,
  4_268_797_931, 4_279_130_086, 4_286_884_652, 4_292_056_960, 4_294_643_893,
]

/// Where a point of the first quadrant lies between the axes: y / (x + y), as one of 32 segments and a place in it.
///
/// One division gives both the angle of the point and, from the sum of its coordinates, its length. Cheaper than
/// `atan2(y:x:)`, and the same bits whatever the width of a word; made for the angles of a sample, whose inputs are good
/// to 2^-17 g. Coordinates have `fractionBits` bits of fraction and 25 before.
package struct Quarter {
  /// The bits of fraction of the coordinates.
  package static var fractionBits: UInt64 { 11 }

  /// y / (x + y) in Q27, below 1.
  private let quotient: UInt32
  /// Where the row of the segment, one of 32, begins.
  private var row: Int { Int(truncatingIfNeeded: (quotient &>> 19) & 0xF8) }
  /// The place in the segment in Q32.
  private var place: UInt32 { quotient &<< 10 }

  /// The point whose coordinates come to `sum`, at most 2^36, `part` of which is y. (0, 0) lies on the X axis.
  #if _pointerBitWidth(_64)
    @inline(__always)
  #endif
  package init(part: UInt64, of sum: UInt64) {
    // Half a unit more below the line leaves no point on the Y axis beyond the last segment, and nothing to divide by 0.
    quotient = UInt32(truncatingIfNeeded: (part &<< 28) / ((sum &<< 1) | 1))
  }

  /// The point whose coordinates come to `sum`, `part` of which is y, both without their fraction.
  @inline(__always)
  package init(_ part: UInt32, of sum: UInt32) {
    self.init(part: widened(part) &<< Self.fractionBits, of: widened(sum) &<< Self.fractionBits)
  }

  /// The angle from the X axis in 2^-32 turn, 0…2^30. On the axes and the diagonal it is exact from half a g on; worst
  /// error 3e-6°, asserted by `QuarterTests`.
  #if _pointerBitWidth(_64)
    @inline(__always)
  #endif
  package var angle: Int32 {
    let bend = part(place, of: quarterRows[row]) &+ quarterRows[row | 1]
    // The slope is positive everywhere, which spares its sign.
    let slope = UInt32(bitPattern: part(place, of: bend) &+ quarterRows[row | 2])
    return Int32(bitPattern: upper(place, slope)) &+ quarterRows[row | 3]
  }

  /// The length of the point whose coordinates come to `sum`, without their fraction; the length has it. Worst error
  /// 1.1e-6 of itself, asserted by `QuarterTests`; on the X axis it is exact.
  #if _pointerBitWidth(_64)
    @inline(__always)
  #endif
  package func length(of sum: UInt32) -> UInt64 {
    var share = part(place, of: quarterRows[row | 4]) &+ quarterRows[row | 5]
    share = part(place, of: share) &+ quarterRows[row | 6]
    return (widened(sum) &* widened(UInt32(bitPattern: share))) &>> (30 &- Self.fractionBits)
  }
}

/// `place`, Q32, of `term`: the floor of the product.
#if _pointerBitWidth(_64)
  @inline(__always)
#endif
func part(_ place: UInt32, of term: Int32) -> Int32 {
  Int32(truncatingIfNeeded: (widened(term) &* Int64(bitPattern: widened(place))) &>> 32)
}

/// For each of 32 segments of u = y / (x + y) a row of two polynomials, highest degree first: a cubic of
/// atan(u / (1 - u)) in 2^-32 turn, a parabola of √(u² + (1 - u)²) in 2^-30, and a 0 to fill it up.
///
/// The cubics meet their function at both ends of the segment and at ±1/√5 of half of it from the middle; degree 0 is set
/// so that the last place of each is exact, as is the first of all. The parabolas meet theirs at the Chebyshev nodes, the
/// first and last one at both ends and the middle. Half a unit is added where a floor follows. Made by
/// Tests/Tables/generate.py.
@section(".rodata.quarterRows")
package let quarterRows: InlineArray<256, Int32> = [
  13_859, 667_583, 21_361_415, 0, 549_543, -33_562_915, 1_073_741_824, 0,
  13_472, 709_255, 22_738_110, 22_042_856, 603_395, -32_465_576, 1_040_729_032, 0,
  12_584, 749_795, 24_196_945, 45_503_692, 662_128, -31_259_450, 1_008_868_074, 0,
  11_059, 787_701, 25_734_132, 70_463_016, 725_735, -29_935_848, 978_272_076, 0,
  8_754, 821_065, 27_342_479, 96_995_907, 794_044, -28_484_993, 949_063_386, 0,
  5_531, 847_543, 29_010_547, 125_168_206, 866_635, -26_897_444, 921_373_948, 0,
  1_279, 864_373, 30_721_801, 155_031_826, 942_775, -25_164_589, 895_344_724, 0,
  -4_062, 868_451, 32_453_849, 186_619_277, 1_021_349, -23_279_275, 871_124_546, 0,
  -10_462, 856_487, 34_177_924, 219_937_516, 1_100_816, -21_236_576, 848_868_273, 0,
  -17_770, 825_275, 35_858_782, 254_961_463, 1_179_191, -19_034_643, 828_734_144, 0,
  -25_688, 772_053, 37_455_229, 291_627_750, 1_254_074, -16_675_610, 810_880_250, 0,
  -33_758, 694_964, 38_921_467, 329_829_343, 1_322_741, -14_166_427, 795_460_142, 0,
  -41_393, 593_521, 40_209_357, 369_412_015, 1_382_314, -11_519_519, 782_617_695, 0,
  -47_929, 469_027, 41_271_569, 410_173_500, 1_429_991, -8_753_102, 772_481_481, 0,
  -52_724, 324_793, 42_065_358, 451_866_166, 1_463_319, -5_891_034, 765_159_062, 0,
  -55_265, 166_081, 42_556_516, 494_203_592, 1_480_471, -2_962_116, 760_731_703, 0,
  -55_265, -285, 42_722_882, 536_870_922, 1_480_471, 1_175, 759_250_058, 0,
  -52_724, -166_618, 42_556_769, 579_538_252, 1_463_319, 2_964_398, 760_731_346, 0,
  -47_929, -325_239, 42_065_835, 621_875_678, 1_429_991, 5_893_121, 765_158_369, 0,
  -41_393, -469_342, 41_272_220, 663_568_344, 1_382_314, 8_754_892, 772_480_489, 0,
  -33_758, -593_688, 40_210_118, 704_329_829, 1_322_741, 11_520_947, 782_616_455, 0,
  -25_688, -694_989, 38_922_272, 743_912_499, 1_254_074, 14_167_464, 795_458_713, 0,
  -17_770, -771_962, 37_456_019, 782_114_091, 1_179_191, 16_676_262, 810_878_691, 0,
  -10_462, -825_100, 35_859_512, 818_780_377, 1_100_816, 19_034_945, 828_732_513, 0,
  -4_062, -856_264, 34_178_564, 853_804_325, 1_021_349, 21_236_579, 848_866_619, 0,
  1_279, -868_209, 32_454_383, 887_122_563, 942_775, 23_279_040, 871_122_910, 0,
  5_531, -864_136, 30_722_227, 918_710_015, 866_635, 25_164_174, 895_343_139, 0,
  8_754, -847_326, 29_010_870, 948_573_635, 794_044, 26_896_906, 921_372_436, 0,
  11_059, -820_877, 27_342_710, 976_745_932, 725_735, 28_484_379, 949_061_963, 0,
  12_584, -787_545, 25_734_285, 1_003_278_822, 662_128, 29_935_195, 978_270_751, 0,
  13_472, -749_669, 24_197_035, 1_028_238_144, 603_395, 31_258_788, 1_008_866_850, 0,
  13_859, -709_158, 22_738_149, 1_051_698_981, 549_543, 32_463_830, 1_040_728_452, 0,
]

// The arcs of a sample: cheaper than `atan2(y:x:)`, `acos(_:)` and `sinCos`, less exact, and the same bits on every
// target as well. A step needs four arc tangents, two lengths and two arc cosines; with the functions above it would
// cost twice the instructions on x86-64, and its tables and code would not fit into 8 KB:
// docs/decisions/0015-one-arithmetic.md.

/// Where a point of the first quadrant lies between the axes: y / (x + y), as one of 32 segments and a place in it.
///
/// One division gives both the angle of the point and, from the sum of its coordinates, its length. Cheaper than
/// `atan2(y:x:)`, and the same bits whatever the width of a word; made for the angles of a sample, whose inputs are
/// good to 2^-17 g. Coordinates have `fractionBits` bits of fraction and 25 before.
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
    // Half a unit more below the line leaves no point on the Y axis beyond the last segment, and nothing to divide by
    // 0.
    quotient = UInt32(truncatingIfNeeded: (part &<< 28) / ((sum &<< 1) | 1))
  }

  /// The point whose coordinates come to `sum`, `part` of which is y, both without their fraction.
  @inline(__always)
  package init(_ part: UInt32, of sum: UInt32) {
    self.init(part: widened(part) &<< Self.fractionBits, of: widened(sum) &<< Self.fractionBits)
  }

  /// The angle from the X axis in 2^-32 turn, 0…2^30. On the axes and the diagonal it is exact from half a g on; worst
  /// error 3e-6°, asserted by `SampleArcTests`.
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
  /// 1.1e-6 of itself, asserted by `SampleArcTests`; on the X axis it is exact.
  #if _pointerBitWidth(_64)
    @inline(__always)
  #endif
  package func length(of sum: UInt32) -> UInt64 {
    var share = part(place, of: quarterRows[row | 4]) &+ quarterRows[row | 5]
    share = part(place, of: share) &+ quarterRows[row | 6]
    return (widened(sum) &* widened(UInt32(bitPattern: share))) &>> (30 &- Self.fractionBits)
  }
}

/// For each of 32 segments of u = y / (x + y) a row of two polynomials, highest degree first: a cubic of
/// atan(u / (1 - u)) in 2^-32 turn, a parabola of √(u² + (1 - u)²) in 2^-30, and a 0 to fill it up.
///
/// The cubics meet their function at both ends of the segment and at ±1/√5 of half of it from the middle; degree 0 is
/// set so that the last place of each is exact, as is the first of all. The parabolas meet theirs at the Chebyshev
/// nodes, the first and last one at both ends and the middle. Half a unit is added where a floor follows. Made by
/// Tests/Proofs/Tables/generate.py.
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

/// acos(`cosine` / 2^16), a cosine over 1 taken as 1, in 2^-32 turn: the same bits whatever the width of a word.
///
/// √(1 - c) · g(c), as in `acos(_:)`: a cubic on one of 24 segments gives the root, a parabola on one of 16 the ratio
/// g. Exact at both ends, falls all the way; worst error 3.2e-5°, a twentieth of what the last bit of `cosine` makes.
/// Asserted for every cosine by `SampleArcTests`.
#if _pointerBitWidth(_64)
  @inline(__always)
#endif
package func arcCosineQ16(_ cosine: UInt32) -> Int32 {
  guard cosine < 0x1_0000 else { return 0 }
  let rest = 0x1_0000 &- cosine
  // 14 to 30, and even: 1…4 in Q30.
  let shift = UInt32(truncatingIfNeeded: rest.leadingZeroBitCount) & 30
  let root = arcCosineQ16Root(rest &<< shift)
  let row = Int(truncatingIfNeeded: (cosine &>> 10) & 60)
  let place = cosine &<< 20
  let fall = UInt32(bitPattern: arcCosineQ16Ratios[row | 1] &- part(place, of: arcCosineQ16Ratios[row]))
  let ratio = UInt32(bitPattern: arcCosineQ16Ratios[row | 2]) &- upper(place, fall)
  return Int32(truncatingIfNeeded: (widened(root) &* widened(ratio)) &>> widened((shift &>> 1) &+ 25))
}

/// √`value` from Q30 in 1..<4 to Q31.
@inline(__always)
private func arcCosineQ16Root(_ value: UInt32) -> UInt32 {
  let row = Int(truncatingIfNeeded: (value &>> 25) & 124)
  let place = value &<< 5
  let bend = part(place, of: arcCosineQ16Roots[row]) &+ arcCosineQ16Roots[row | 1]
  let slope = UInt32(bitPattern: part(place, of: bend) &+ arcCosineQ16Roots[row | 2])
  return upper(place, slope) &+ UInt32(bitPattern: arcCosineQ16Roots[row | 3])
}

/// The cubics of √((k + t) / 8): a row for each of k = 8…31, of degrees 3, 2, 1, 0, in 2^-31 modulo 2^32.
///
/// Each meets it at the four Chebyshev nodes of t in 0…1; half a unit is added where a floor follows. The eight rows
/// before them stand for nothing. Made by Tests/Proofs/Tables/generate.py.
@section(".rodata.arcCosineQ16Roots")
package let arcCosineQ16Roots: InlineArray<128, Int32> = [
  0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0,
  225_619, -4_172_291, 134_213_389, -2_147_483_648, 170_798, -3_500_233, 126_538_763, -2_017_216_829,
  132_961, -2_990_820, 120_045_934, -1_894_007_523, 105_896, -2_593_876, 114_459_776, -1_776_819_462,
  85_960, -2_277_497, 109_587_209, -1_664_847_677, 70_907, -2_020_530, 105_288_205, -1_557_452_013,
  59_302, -1_808_461, 101_458_410, -1_454_113_436, 50_192, -1_631_033, 98_018_252, -1_354_404_190,
  42_927, -1_480_815, 94_905_850, -1_257_966_783, 37_053, -1_352_306, 92_072_264, -1_164_498_823,
  32_246, -1_241_357, 89_478_208, -1_073_741_815, 28_269, -1_144_785, 87_091_732, -985_472_721,
  24_946, -1_060_110, 84_886_551, -899_497_507, 22_145, -985_378, 82_840_817, -815_646_121,
  19_765, -919_029, 80_936_196, -733_768_539, 17_729, -859_803, 79_157_178, -653_731_608,
  15_975, -806_674, 77_490_538, -575_416_506, 14_454, -758_798, 75_924_923, -498_716_668,
  13_129, -715_476, 74_450_522, -423_536_090, 11_967, -676_124, 73_058_809, -349_787_917,
  10_945, -640_251, 71_742_333, -277_393_266, 10_041, -607_441, 70_494_551, -206_280_241,
  9_238, -577_340, 69_309_689, -136_383_092, 8_522, -549_645, 68_182_632, -67_641_506,
]

/// The parabolas of 2 · acos(c) / √(1 - c): a row for each of 16 segments of c in 0…1, of degrees 2, 1, 0, in 2^-32
/// turn modulo a turn, degree 1 with its sign turned, and a 0 to fill it up.
///
/// Each meets it at the three Chebyshev nodes; half a unit is added where a floor follows, and the first row makes
/// acos(0) exact. Made by Tests/Proofs/Tables/generate.py.
@section(".rodata.arcCosineQ16Ratios")
package let arcCosineQ16Ratios: InlineArray<64, Int32> = [
  451_294, 18_328_820, -2_147_483_648, 0, 407_874, 17_426_212, 2_129_605_697, 0,
  370_621, 16_611_211, 2_112_586_583, 0, 338_374, 15_870_581, 2_096_345_322, 0,
  310_260, 15_194_342, 2_080_812_529, 0, 285_590, 14_574_248, 2_065_927_934, 0,
  263_814, 14_003_429, 2_051_638_822, 0, 244_490, 13_476_107, 2_037_898_804, 0,
  227_257, 12_987_389, 2_024_666_828, 0, 211_820, 12_533_100, 2_011_906_375, 0,
  197_934, 12_109_655, 1_999_584_807, 0, 185_395, 11_713_956, 1_987_672_825, 0,
  174_032, 11_343_315, 1_976_144_027, 0, 163_699, 10_995_383, 1_964_974_529, 0,
  154_276, 10_668_099, 1_954_142_650, 0, 145_655, 10_359_650, 1_943_628_647, 0,
]

/// The sine of `angle` from 0 to below a quarter turn, Q1.31: the same bits on every target, and little code, for what
/// is computed once.
///
/// An odd polynomial of degree 9, sin(t · 90°) / t through the Chebyshev nodes of t² in 0…1: worst error 1e-8, asserted
/// by `SinCosTests`.
package func quarterSine(_ angle: BinaryAngle) -> Int32 {
  let size = UInt32(bitPattern: angle.raw)
  let square = UInt32(truncatingIfNeeded: (widened(size) &* widened(size)) &>> 28)
  var ratio = part(square, of: 162_856) &- 5_018_824
  ratio = part(square, of: ratio) &+ 85_566_398
  ratio = part(square, of: ratio) &- 693_598_305
  ratio = part(square, of: ratio) &+ 1_686_629_706
  return Int32(truncatingIfNeeded: (widened(angle.raw) &* widened(ratio)) &>> 29)
}

/// The angle of the point (`x`, `y`), counter-clockwise from the X axis: any pair of inputs, any common scale.
///
/// Takes any `Int32`. The result is the nearest 2^-32 turn except for the errors below. Axes and diagonals are exact,
/// the octants mirror each other exactly, and within each the angle is monotonic. (0, 0) gives 0.
///
/// Worst error 0.61 LSB (5.1e-8°; 0.5 would be perfect): 0.5 from the final rounding, 0.06 from the cubics, the rest
/// from reciprocal and coefficients. Compared with `Double` for 10^8 random pairs, all 10-bit pairs, a 13-bit grid and
/// the ends and joins of every segment; `ArcTangentAccuracyTests` and `ArcTangentLongTests` assert 0.62.
///
/// The same bits on every target: no division, and nothing wider than the product of two 32-bit words.
@inline(__always)
public func atan2(y: Int32, x: Int32) -> BinaryAngle {
  let octant = Octant(y: y, x: x)
  return octant.restored(Ratio(low: octant.low, high: octant.high).arcTangent)
}

// Both sizes are shifted up until the greater one fills a word. A straight line on one of 128 segments gives its
// reciprocal to 17 bits, and the product of that with the lesser size a quotient of 16 bits. What this leaves of the
// lesser size is exact in one word, because it is small; the same reciprocal turns it into 16 bits more. A cubic on one
// of 64 segments of the quotient gives the angle.

/// The point (`x`, `y`) mirrored into the first octant, 0 ≤ `low` ≤ `high`, and the way back.
private struct Octant {
  /// The smaller of the two sizes.
  let low: UInt32
  /// The larger one.
  let high: UInt32
  private let isSteep: Bool
  private let isBehind: Bool
  private let isBelow: Bool

  @inline(__always)
  init(y: Int32, x: Int32) {
    let (absX, absY) = (x.magnitude, y.magnitude)
    isSteep = absY > absX
    isBehind = x < 0
    isBelow = y < 0
    low = isSteep ? absX : absY
    high = isSteep ? absY : absX
  }

  /// The angle of the point itself, `angle` being that of its image.
  @inline(__always)
  func restored(_ angle: Int32) -> BinaryAngle {
    var angle = angle
    if isSteep { angle = 0x4000_0000 &- angle }
    if isBehind { angle = Int32.min &- angle }
    if isBelow { angle = 0 &- angle }
    return BinaryAngle(raw: angle)
  }
}

/// low / high in [0, 1], as a segment of 1/64 and a place in it.
private struct Ratio {
  /// The number of the segment, 0…63.
  let segment: Int
  /// The place in the segment in Q31, from its middle: -2^30…2^30 and a little beyond.
  let place: Int

  /// For `low` ≤ `high` ≤ 2^31; 0 where both are 0.
  @inline(__always)
  init(low: UInt32, high: UInt32) {
    let shift = UInt32(truncatingIfNeeded: (high | 1).leadingZeroBitCount)
    let (dividend, divisor) = (low &<< shift, high &<< shift)
    let entry = Int(truncatingIfNeeded: ((divisor &>> 24) & 127) &<< 1)
    // About 2^60 / divisor, hence 2^28 times the ratio.
    let reciprocal = reciprocals[entry] &- upper(reciprocals[entry | 1], divisor)
    let rounded = Int32(bitPattern: upper(dividend, reciprocal) &+ 0x800)
    // At most 65535, so that a ratio of 1 is the end of the last segment. Seen as signed it is one instruction on Arm.
    let coarse = UInt32(bitPattern: max(0, min(65_535, rounded &>> 12)))
    // Half of dividend · 2^16 - coarse · divisor. Nothing is lost: the divisor is even, being shifted or 2^31.
    let rest = Int32(bitPattern: (dividend &<< 15) &- coarse &* (divisor &>> 1))
    let fine = upper(Int(truncatingIfNeeded: rest), Int(truncatingIfNeeded: reciprocal))
    segment = Int(truncatingIfNeeded: coarse &>> 10)
    place = Int(truncatingIfNeeded: (coarse &<< 22) &>> 1) &- 0x4000_0000 &+ (fine &>> 6)
  }

  /// The arc tangent in 2^-32 turn, 0…2^29.
  @inline(__always)
  var arcTangent: Int32 {
    let row = segment &<< 2
    var term = upper(place, arcTangents[row]) &+ arcTangents[row | 1]
    term = upper(place, term) &+ arcTangents[row | 2]
    term = upper(place, term) &+ arcTangents[row | 3]
    return Int32(truncatingIfNeeded: (term &>> 5) &+ (segment &<< 23))
  }
}

/// The cubics of `atan2(y:x:)`: a row for each segment k of 64, of degrees 3, 2, 1, 0.
///
/// Each meets atan((k + ½ + t) / 64) - k · 2^-9 turn, in 2^-32 turn, at the four Chebyshev nodes of t in -½…½; what is
/// taken away is whole, so that the rest has room for five bits of fraction. Units of 2^-8, 2^-7, 2^-6 and 2^-5. Half a
/// unit is added to all but the first, for the floor of the product before, and half a unit of the result to degree 0,
/// which rounds it. Made by Tests/Proofs/Tables/generate.py.
@section(".rodata.arcTangents")
package let arcTangents: InlineArray<256, Int> = [
  -222_425, -166_855, 683_523_557, 170_887_859, -221_774, -500_078, 683_189_989, 244_144_674,
  -220_477, -831_839, 682_523_827, 317_151_497, -218_544, -1_161_175, 681_527_018, 389_742_476,
  -215_988, -1_487_143, 680_202_459, 461_752_972, -212_827, -1_808_821, 678_553_983, 533_020_030,
  -209_085, -2_125_319, 676_586_328, 603_382_840, -204_787, -2_435_783, 674_305_105, 672_683_179,
  -199_964, -2_739_404, 671_716_757, 740_765_840, -194_648, -3_035_417, 668_828_515, 807_479_037,
  -188_875, -3_323_109, 665_648_350, 872_674_785, -182_683, -3_601_823, 662_184_916, 936_209_259,
  -176_112, -3_870_960, 658_447_497, 997_943_121, -169_203, -4_129_982, 654_445_947, 1_057_741_819,
  -161_997, -4_378_412, 650_190_623, 1_115_475_857, -154_538, -4_615_839, 645_692_331, 1_171_021_033,
  -146_867, -4_841_914, 640_962_255, 1_224_258_643, -139_028, -5_056_352, 636_011_896, 1_275_075_660,
  -131_061, -5_258_930, 630_853_010, 1_323_364_871, -123_006, -5_449_488, 625_497_542, 1_369_024_993,
  -114_904, -5_627_924, 619_957_569, 1_411_960_749, -106_791, -5_794_195, 614_245_241, 1_452_082_923,
  -98_702, -5_948_310, 608_372_724, 1_489_308_380, -90_672, -6_090_332, 602_352_148, 1_523_560_059,
  -82_730, -6_220_372, 596_195_554, 1_554_766_947, -74_906, -6_338_584, 589_914_853, 1_582_864_017,
  -67_225, -6_445_165, 583_521_778, 1_607_792_159, -59_712, -6_540_348, 577_027_847, 1_629_498_075,
  -52_388, -6_624_401, 570_444_328, 1_647_934_164, -45_271, -6_697_621, 563_782_204, 1_663_058_391,
  -38_377, -6_760_331, 557_052_150, 1_674_834_136, -31_721, -6_812_877, 550_264_506, 1_683_230_033,
  -25_313, -6_855_624, 543_429_254, 1_688_219_797, -19_163, -6_888_951, 536_556_005, 1_689_782_043,
  -13_277, -6_913_251, 529_653_984, 1_687_900_096, -7_662, -6_928_925, 522_732_018, 1_682_561_793,
  -2_320, -6_936_380, 515_798_530, 1_673_759_284, 2_747, -6_936_029, 508_861_533, 1_661_488_828,
  7_540, -6_928_282, 501_928_628, 1_645_750_589, 12_060, -6_913_551, 495_007_005, 1_626_548_427,
  16_309, -6_892_245, 488_103_442, 1_603_889_694, 20_292, -6_864_764, 481_224_315, 1_577_785_031,
  24_013, -6_831_507, 474_375_598, 1_548_248_167, 27_478, -6_792_860, 467_562_873, 1_515_295_718,
  30_695, -6_749_202, 460_791_339, 1_478_946_995, 33_669, -6_700_902, 454_065_822, 1_439_223_815,
  36_410, -6_648_316, 447_390_784, 1_396_150_319, 38_925, -6_591_791, 440_770_337, 1_349_752_787,
  41_222, -6_531_657, 434_208_254, 1_300_059_472, 43_311, -6_468_235, 427_707_981, 1_247_100_432,
  45_200, -6_401_830, 421_272_653, 1_190_907_367, 46_898, -6_332_736, 414_905_105, 1_131_513_471,
  48_415, -6_261_231, 408_607_884, 1_068_953_282, 49_760, -6_187_580, 402_383_268, 1_003_262_545,
  50_941, -6_112_037, 396_233_274, 934_478_076, 51_968, -6_034_838, 390_159_676, 862_637_640,
  52_849, -5_956_210, 384_164_014, 787_779_830, 53_592, -5_876_364, 378_247_610, 709_943_952,
  54_207, -5_795_500, 372_411_581, 629_169_924, 54_700, -5_713_807, 366_656_850, 545_498_172,
  55_081, -5_631_459, 360_984_158, 458_969_536, 55_356, -5_548_620, 355_394_075, 369_625_186,
  55_532, -5_465_443, 349_887_016, 277_506_537, 55_617, -5_382_071, 344_463_245, 182_655_172,
]

/// Straight lines for 2^29 / h on the 128 segments of h in 1…2: what a line is at h = 0, and what it falls by h.
///
/// Of all lines each errs least, relatively: at both ends as in the middle, 7.6e-6 at most. Units of 1 and of ½.
/// Made by Tests/Proofs/Tables/generate.py.
@section(".rodata.reciprocals")
package let reciprocals: InlineArray<256, UInt32> = [
  1_069_571_937, 1_065_410_179, 1_061_312_571, 1_049_019_375, 1_053_179_787, 1_033_003_929,
  1_045_170_699, 1_017_352_468, 1_037_282_506, 1_002_054_043, 1_029_512_490, 987_098_118,
  1_021_858_016, 972_474_543, 1_014_316_525, 958_173_544, 1_006_885_535, 944_185_703,
  999_562_634, 930_501_943, 992_345_481, 917_113_513, 985_231_801, 904_011_975,
  978_219_386, 891_189_192, 971_306_088, 878_637_310, 964_489_821, 866_348_752,
  957_768_556, 854_316_203, 951_140_320, 842_532_602, 944_603_196, 830_991_128,
  938_155_317, 819_685_192, 931_794_869, 808_608_428, 925_520_084, 797_754_686,
  919_329_245, 787_118_016, 913_220_677, 776_692_669, 907_192_752, 766_473_084,
  901_243_883, 756_453_882, 895_372_525, 746_629_858, 889_577_173, 736_995_975,
  883_856_360, 727_547_357, 878_208_658, 718_279_285, 872_632_673, 709_187_188,
  867_127_049, 700_266_639, 861_690_463, 691_513_349, 856_321_622, 682_923_163,
  851_019_270, 674_492_053, 845_782_179, 666_216_116, 840_609_151, 658_091_568,
  835_499_017, 650_114_737, 830_450_639, 642_282_065, 825_462_902, 634_590_099,
  820_534_721, 627_035_488, 815_665_036, 619_614_983, 810_852_811, 612_325_427,
  806_097_035, 605_163_756, 801_396_721, 598_126_998, 796_750_903, 591_212_265,
  792_158_641, 584_416_749, 787_619_012, 577_737_728, 783_131_118, 571_172_554,
  778_694_079, 564_718_652, 774_307_035, 558_373_524, 769_969_147, 552_134_738,
  765_679_592, 545_999_932, 761_437_567, 539_966_806, 757_242_286, 534_033_128,
  753_092_982, 528_196_722, 748_988_903, 522_455_475, 744_929_313, 516_807_328,
  740_913_492, 511_250_280, 736_940_737, 505_782_382, 733_010_358, 500_401_738,
  729_121_682, 495_106_500, 725_274_047, 489_894_871, 721_466_808, 484_765_099,
  717_699_331, 479_715_480, 713_970_998, 474_744_352, 710_281_201, 469_850_097,
  706_629_345, 465_031_137, 703_014_849, 460_285_937, 699_437_142, 455_612_998,
  695_895_665, 451_010_862, 692_389_871, 446_478_104, 688_919_224, 442_013_337,
  685_483_196, 437_615_208, 682_081_273, 433_282_397, 678_712_950, 429_013_618,
  675_377_731, 424_807_615, 672_075_131, 420_663_163, 668_804_673, 416_579_066,
  665_565_890, 412_554_160, 662_358_325, 408_587_304, 659_181_528, 404_677_389,
  656_035_059, 400_823_330, 652_918_485, 397_024_067, 649_831_383, 393_278_568,
  646_773_336, 389_585_821, 643_743_936, 385_944_842, 640_742_783, 382_354_667,
  637_769_482, 378_814_356, 634_823_649, 375_322_989, 631_904_904, 371_879_668,
  629_012_876, 368_483_515, 626_147_198, 365_133_674, 623_307_514, 361_829_305,
  620_493_470, 358_569_590, 617_704_721, 355_353_727, 614_940_928, 352_180_934,
  612_201_757, 349_050_445, 609_486_879, 345_961_510, 606_795_975, 342_913_399,
  604_128_727, 339_905_394, 601_484_825, 336_936_795, 598_863_964, 334_006_917,
  596_265_843, 331_115_089, 593_690_169, 328_260_655, 591_136_651, 325_442_973,
  588_605_005, 322_661_416, 586_094_950, 319_915_367, 583_606_213, 317_204_226,
  581_138_523, 314_527_403, 578_691_613, 311_884_322, 576_265_222, 309_274_417,
  573_859_094, 306_697_136, 571_472_975, 304_151_937, 569_106_617, 301_638_290,
  566_759_776, 299_155_675, 564_432_210, 296_703_585, 562_123_684, 294_281_520,
  559_833_965, 291_888_992, 557_562_824, 289_525_523, 555_310_036, 287_190_645,
  553_075_379, 284_883_897, 550_858_635, 282_604_831, 548_659_590, 280_353_004,
  546_478_032, 278_127_985, 544_313_754, 275_929_349, 542_166_552, 273_756_681,
  540_036_223, 271_609_574, 537_922_570, 269_487_628,
]

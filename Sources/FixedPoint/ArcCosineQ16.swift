/// acos(`cosine` / 2^16), a cosine over 1 taken as 1, in 2^-32 turn: the same bits whatever the width of a word.
///
/// √(1 - c) · g(c), as in `wideArcCosine`: a cubic on one of 24 segments gives the root, a parabola on one of 16 the
/// ratio g. Exact at both ends, falls all the way; worst error 3.2e-5°, a twentieth of what the last bit of `cosine` makes.
/// Asserted for every cosine by `QuarterTests`.
#if _pointerBitWidth(_64)
  @inline(__always)
#endif
package func arcCosineQ16(_ cosine: UInt32) -> Int32 {
  guard cosine < 0x1_0000 else { return 0 }
  let rest = 0x1_0000 &- cosine
  // 14 to 30, and even: 1…4 in Q30.
  let shift = UInt32(truncatingIfNeeded: rest.leadingZeroBitCount) & 30
  let root = arcCosineRoot(rest &<< shift)
  let row = Int(truncatingIfNeeded: (cosine &>> 10) & 60)
  let place = cosine &<< 20
  let fall = UInt32(bitPattern: arcCosineRatios[row | 1] &- part(place, of: arcCosineRatios[row]))
  let ratio = UInt32(bitPattern: arcCosineRatios[row | 2]) &- upper(place, fall)
  return Int32(truncatingIfNeeded: (widened(root) &* widened(ratio)) &>> widened((shift &>> 1) &+ 25))
}

/// √`value` from Q30 in 1..<4 to Q31.
@inline(__always)
private func arcCosineRoot(_ value: UInt32) -> UInt32 {
  let row = Int(truncatingIfNeeded: (value &>> 25) & 124)
  let place = value &<< 5
  let bend = part(place, of: arcCosineRoots[row]) &+ arcCosineRoots[row | 1]
  let slope = UInt32(bitPattern: part(place, of: bend) &+ arcCosineRoots[row | 2])
  return upper(place, slope) &+ UInt32(bitPattern: arcCosineRoots[row | 3])
}

/// The cubics of √((k + t) / 8): a row for each of k = 8…31, of degrees 3, 2, 1, 0, in 2^-31 modulo 2^32.
///
/// Each meets it at the four Chebyshev nodes of t in 0…1; half a unit is added where a floor follows. The eight rows before
/// them stand for nothing. Made by Tests/Tables/generate.py.
@section(".rodata.arcCosineRoots")
package let arcCosineRoots: InlineArray<128, Int32> = [
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

/// The parabolas of 2 · acos(c) / √(1 - c): a row for each of 16 segments of c in 0…1, of degrees 2, 1, 0, in 2^-32 turn
/// modulo a turn, degree 1 with its sign turned, and a 0 to fill it up.
///
/// Each meets it at the three Chebyshev nodes; half a unit is added where a floor follows, and the first row makes
/// acos(0) exact. Made by Tests/Tables/generate.py.
@section(".rodata.arcCosineRatios")
package let arcCosineRatios: InlineArray<64, Int32> = [
  451_294, 18_328_820, -2_147_483_648, 0, 407_874, 17_426_212, 2_129_605_697, 0,
  370_621, 16_611_211, 2_112_586_583, 0, 338_374, 15_870_581, 2_096_345_322, 0,
  310_260, 15_194_342, 2_080_812_529, 0, 285_590, 14_574_248, 2_065_927_934, 0,
  263_814, 14_003_429, 2_051_638_822, 0, 244_490, 13_476_107, 2_037_898_804, 0,
  227_257, 12_987_389, 2_024_666_828, 0, 211_820, 12_533_100, 2_011_906_375, 0,
  197_934, 12_109_655, 1_999_584_807, 0, 185_395, 11_713_956, 1_987_672_825, 0,
  174_032, 11_343_315, 1_976_144_027, 0, 163_699, 10_995_383, 1_964_974_529, 0,
  154_276, 10_668_099, 1_954_142_650, 0, 145_655, 10_359_650, 1_943_628_647, 0,
]

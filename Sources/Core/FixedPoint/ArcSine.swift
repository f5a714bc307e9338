/// The angle in -90°…+90° whose sine is `sine`, in Q2.30, clamped to ±1 (±2^30).
///
/// The result is the nearest 2^-32 turn except for the errors below; odd in `sine`, monotonic, exact at 0 and ±1.
///
/// Worst error 0.719 LSB (6.1e-8°), compared with `Double` for every input; `ArcSineLongTests` asserts 0.72 for all of
/// them, `ArcSineTests` for some. The same bits on every target: no division, and nothing wider than the product of two
/// 32-bit words.
@inline(__always)
public func asin(_ sine: Int32) -> BinaryAngle {
  let angle = 0x4000_0000 &- arcCosine(ofSize: min(sine.magnitude, 0x4000_0000))
  return BinaryAngle(raw: sine < 0 ? 0 &- angle : angle)
}

/// The angle in 0…180° whose cosine is `cosine`, in Q2.30, clamped to ±1 (±2^30).
///
/// Half a turn is ±180°, the number -2^31. Rounding, worst error and its source are those of ``asin(_:)``. Small angles
/// are as accurate as large ones: near 1, nothing is subtracted from a quarter turn.
@inline(__always)
public func acos(_ cosine: Int32) -> BinaryAngle {
  let angle = arcCosine(ofSize: min(cosine.magnitude, 0x4000_0000))
  return BinaryAngle(raw: cosine < 0 ? Int32.min &- angle : angle)
}

/// acos(`size` / 2^30) for 0 ≤ size ≤ 2^30, in 2^-32 turn.
///
/// Near 1 the arc cosine falls like a root. So it is computed as √(1 - s) · g(s), where g is smooth and almost flat. A
/// straight line on one of 192 segments gives 1 / √(1 - s) to 16 bits, and with it the root to 16 bits; what the square
/// of that leaves is exact in one word and gives the other 16. A quartic on one of 16 segments gives 1 - g, which is
/// small.
@inline(__always)
private func arcCosine(ofSize size: UInt32) -> Int32 {
  let rest = 0x4000_0000 &- size
  let shift = UInt32(truncatingIfNeeded: (rest | 1).leadingZeroBitCount) & 30
  let root = rootQ31(rest &<< shift)
  let column = Int(truncatingIfNeeded: (size &>> 26) & 15)
  // From the middle of the segment, in Q31 of half of it.
  let place = Int(truncatingIfNeeded: Int32(bitPattern: (size &<< 6) ^ 0x8000_0000))
  var term = upper(place, arcRatios[column]) &+ arcRatios[column &+ 16]
  term = upper(place, term) &+ arcRatios[column &+ 32]
  term = upper(place, term) &+ arcRatios[column &+ 48]
  term = upper(place, term) &+ arcRatios[column &+ 64]
  let product = root &- (upper(root, UInt32(truncatingIfNeeded: term)) &>> 2)
  return Int32(bitPattern: ((product &>> (shift &>> 1)) &+ 1) &>> 1)
}

/// √`value` from Q30 in 1..<4 to Q31; 0 for 0.
@inline(__always)
private func rootQ31(_ value: UInt32) -> UInt32 {
  let segment = Int(truncatingIfNeeded: max(0, Int32(bitPattern: value &>> 24) &- 64))
  // The line's start is the word itself, its last 12 bits, which are the slope, being below what counts.
  let line = inverseRoots[segment]
  let inverse = line &- (((line & 0xFFF) &* ((value &>> 4) & 0xF_FFFF)) &>> 8)
  let coarse = upper(value, inverse) &>> 8
  // In Q42; modulo 2^32, which it lies well within.
  let rest = Int32(bitPattern: (value &<< 12) &- coarse &* coarse)
  let fine = upper(Int(truncatingIfNeeded: rest), Int(truncatingIfNeeded: inverse))
  return (coarse &<< 10) &+ UInt32(truncatingIfNeeded: fine &>> 11)
}

/// Straight lines for 1/√h on the 192 segments of 1/64 of h in 1…4: above 12 bits of slope, what the line is at its
/// start.
///
/// Each is the chord, lowered by half of its greatest distance from the curve. Start in units of 2^-31 (20 bits of it),
/// slope in units of 2^-19 a segment. Made by Tests/Proofs/Tables/generate.py.
@section(".rodata.inverseRoots")
package let inverseRoots: InlineArray<192, UInt32> = [
  2_147_463_121, 2_130_882_420, 2_114_678_555, 2_098_839_238, 2_083_348_083, 2_068_196_900, 2_053_373_399,
  2_038_861_197, 2_024_652_101, 2_010_737_920, 1_997_106_365, 1_983_749_245, 1_970_654_270, 1_957_817_346,
  1_945_226_183, 1_932_876_687, 1_920_756_568, 1_908_861_730, 1_897_188_079, 1_885_727_421, 1_874_467_468,
  1_863_408_221, 1_852_545_583, 1_841_867_266, 1_831_373_271, 1_821_055_405, 1_810_909_572, 1_800_931_676,
  1_791_117_621, 1_781_463_312, 1_771_960_555, 1_762_609_351, 1_753_405_604, 1_744_345_218, 1_735_424_097,
  1_726_634_049, 1_717_979_170, 1_709_455_363, 1_701_054_437, 1_692_776_392, 1_684_621_227, 1_676_576_655,
  1_668_650_868, 1_660_835_674, 1_653_126_976, 1_645_528_870, 1_638_033_165, 1_630_635_765, 1_623_340_766,
  1_616_139_974, 1_609_037_488, 1_602_025_114, 1_595_106_948, 1_588_274_799, 1_581_532_762, 1_574_872_645,
  1_568_298_545, 1_561_802_270, 1_555_387_915, 1_549_051_384, 1_542_792_678, 1_536_611_796, 1_530_500_546,
  1_524_463_025, 1_518_499_232, 1_512_600_975, 1_506_772_351, 1_501_009_263, 1_495_311_711, 1_489_679_696,
  1_484_113_216, 1_478_604_082, 1_473_160_483, 1_467_774_229, 1_462_445_319, 1_457_173_753, 1_451_963_627,
  1_446_802_654, 1_441_699_025, 1_436_652_740, 1_431_655_607, 1_426_707_627, 1_421_812_895, 1_416_971_411,
  1_412_174_983, 1_407_427_707, 1_402_729_584, 1_398_076_517, 1_393_468_506, 1_388_909_647, 1_384_391_748,
  1_379_918_906, 1_375_487_023, 1_371_100_197, 1_366_754_331, 1_362_449_425, 1_358_185_479, 1_353_962_494,
  1_349_776_372, 1_345_631_211, 1_341_522_914, 1_337_451_481, 1_333_416_912, 1_329_415_111, 1_325_454_271,
  1_321_526_198, 1_317_634_990, 1_313_776_550, 1_309_950_878, 1_306_162_070, 1_302_401_934, 1_298_674_566,
  1_294_979_966, 1_291_318_135, 1_287_684_975, 1_284_084_584, 1_280_512_865, 1_276_969_818, 1_273_455_443,
  1_269_969_740, 1_266_516_805, 1_263_088_446, 1_259_688_759, 1_256_313_649, 1_252_971_306, 1_249_649_444,
  1_246_356_254, 1_243_091_735, 1_239_847_697, 1_236_632_331, 1_233_441_541, 1_230_275_327, 1_227_133_689,
  1_224_012_532, 1_220_920_046, 1_217_848_040, 1_214_800_611, 1_211_773_661, 1_208_771_288, 1_205_789_394,
  1_202_832_077, 1_199_895_240, 1_196_978_883, 1_194_083_006, 1_191_207_609, 1_188_356_788, 1_185_522_351,
  1_182_708_394, 1_179_919_013, 1_177_146_016, 1_174_389_404, 1_171_657_367, 1_168_941_714, 1_166_246_542,
  1_163_567_753, 1_160_909_445, 1_158_267_520, 1_155_641_980, 1_153_036_920, 1_150_448_244, 1_147_875_951,
  1_145_324_139, 1_142_788_711, 1_140_265_571, 1_137_762_911, 1_135_276_635, 1_132_806_743, 1_130_353_235,
  1_127_912_016, 1_125_491_276, 1_123_082_824, 1_120_690_756, 1_118_315_073, 1_115_951_677, 1_113_604_665,
  1_111_274_038, 1_108_955_698, 1_106_653_743, 1_104_364_075, 1_102_090_792, 1_099_829_797, 1_097_581_089,
  1_095_348_766, 1_093_128_731, 1_090_920_983, 1_088_729_620, 1_086_550_545, 1_084_383_758, 1_082_229_259,
  1_080_087_048, 1_077_961_221, 1_075_843_586,
]

/// The quartics of 1 - 4 acos(s) / √(1 - s), acos in turns: five columns, degrees 4 to 0, each for 16 segments k of s.
///
/// Each meets it at the five Chebyshev nodes of t in -½…½, s = (k + ½ + t) / 16. Units of 2^-34. Half a unit is added
/// where a floor comes before; 3 units at degree 0 instead, which centre the error of the whole. Made by
/// Tests/Proofs/Tables/generate.py.
@section(".rodata.arcRatios")
package let arcRatios: InlineArray<80, Int> = [
  -5_032, -4_065, -3_323, -2_744, -2_288, -1_924, -1_630, -1_390, -1_194, -1_032, -896, -782, -686, -605, -535, -475,
  125_060, 106_948, 92_231, 80_140, 70_108, 61_711, 54_623, 48_598, 43_441, 38_999, 35_151, 31_801, 28_869, 26_292,
  24_016, 21_999, -3_609_094, -3_262_231, -2_964_347, -2_706_479, -2_481_650, -2_284_355, -2_110_204, -1_955_657,
  -1_817_833, -1_694_368, -1_583_305, -1_483_013, -1_392_124, -1_309_482, -1_234_104, -1_165_154, 142_988_937,
  136_126_650, 129_907_418, 124_242_628, 119_059_507, 114_297_695, 109_906_675, 105_843_822, 102_072_906, 98_562_923,
  95_287_171, 92_222_525, 89_348_852, 86_648_533, 84_106_084, 81_707_832, 72_412_692, 211_912_710, 344_880_124,
  471_912_190, 593_525_802, 710_171_534, 822_244_704, 930_094_203, 1_034_029_603, 1_134_326_946, 1_231_233_487,
  1_324_971_623, 1_415_742_167, 1_503_727_088, 1_589_091_836, 1_671_987_304,
]

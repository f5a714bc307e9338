extension BinaryAngle {
  /// Sine and cosine in Q1.31, +1 given as 2^31 - 1.
  ///
  /// The nearest of 65 points of the quarter turn, then the sum formula with short series for the rest.
  /// Worst error below 1.1 LSB (5.2e-10), asserted by the tests against `Double`.
  public var sinCos: (sine: Int32, cosine: Int32) {
    let bits = UInt32(bitPattern: raw)
    let (sine, cosine) = quarterSinCos(bits & 0x3FFF_FFFF)
    switch bits &>> 30 {
    case 0: return (saturated(sine), saturated(cosine))
    case 1: return (saturated(cosine), saturated(0 &- sine))
    case 2: return (saturated(0 &- sine), saturated(0 &- cosine))
    default: return (saturated(0 &- cosine), saturated(sine))
    }
  }
}

/// Sine and cosine of 0 ≤ `angle` < 2^30 (a quarter turn), in Q1.31 with one bit to spare.
private func quarterSinCos(_ angle: UInt32) -> (sine: Int64, cosine: Int64) {
  let index = Int(truncatingIfNeeded: (angle &+ 0x80_0000) &>> 24)
  let offset = Int32(bitPattern: angle &- (UInt32(truncatingIfNeeded: index) &<< 24))
  // The rest in radians: Q37 from 2π in Q28; its square in Q44.
  let delta = (widened(offset) &* 1_686_629_713 &+ 0x40_0000) &>> 23
  let square = (delta &* delta) &>> 30
  // sin δ = δ - δ³/6 in Q37; 1 - cos δ = δ²/2 - δ⁴/24 in Q44. The sixths are products with 2^32/6.
  let sixth = (square &* 715_827_883) &>> 32
  let sineOfDelta = delta &- ((delta &* sixth) &>> 44)
  let versineOfDelta = (square &>> 1) &- ((square &* sixth) &>> 46)
  let sineAtIndex = Int64(bitPattern: widened(sines[index]))
  let cosineAtIndex = Int64(bitPattern: widened(sines[64 &- index]))
  // Both products in Q68, rounded once.
  let sine = (cosineAtIndex &* sineOfDelta) &- ((sineAtIndex &* versineOfDelta) &>> 7)
  let cosine = (sineAtIndex &* sineOfDelta) &+ ((cosineAtIndex &* versineOfDelta) &>> 7)
  let half: Int64 = 1 &<< 36
  return (sineAtIndex &+ ((sine &+ half) &>> 37), cosineAtIndex &- ((cosine &+ half) &>> 37))
}

/// sin(k · 90°/64) in Q1.31, k = 0…64.
let sines: InlineArray<65, UInt32> = [
  0, 52_701_887, 105_372_028, 157_978_697, 210_490_206, 262_874_923, 315_101_295, 367_137_861, 418_953_276,
  470_516_330, 521_795_963, 572_761_285, 623_381_598, 673_626_408, 723_465_451, 772_868_706, 821_806_413,
  870_249_095, 918_167_572, 965_532_978, 1_012_316_784, 1_058_490_808, 1_104_027_237, 1_148_898_640, 1_193_077_991,
  1_236_538_675, 1_279_254_516, 1_321_199_781, 1_362_349_204, 1_402_678_000, 1_442_161_874, 1_480_777_044,
  1_518_500_250, 1_555_308_768, 1_591_180_426, 1_626_093_616, 1_660_027_308, 1_692_961_062, 1_724_875_040,
  1_755_750_017, 1_785_567_396, 1_814_309_216, 1_841_958_164, 1_868_497_586, 1_893_911_494, 1_918_184_581,
  1_941_302_225, 1_963_250_501, 1_984_016_189, 2_003_586_779, 2_021_950_484, 2_039_096_241, 2_055_013_723,
  2_069_693_342, 2_083_126_254, 2_095_304_370, 2_106_220_352, 2_115_867_626, 2_124_240_380, 2_131_333_572,
  2_137_142_927, 2_141_664_948, 2_144_896_910, 2_146_836_866, 2_147_483_648,
]

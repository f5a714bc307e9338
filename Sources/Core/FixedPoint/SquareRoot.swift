// Both roots shift the number left by an even count until one of its two highest bits is set, look up the reciprocal
// root of its high word, and let Newton's step √h ≈ s + (h - s²)/(2√h) double the number of correct digits. The last
// estimate is kept just below the true root, so one comparison with the next square makes the result exact. No
// division, loop or branch; products are 32 × 32 → 64 bits, so one source serves every target.

/// The floor of the square root, exact for every input.
///
/// Proof: before truncation, the estimate lies between 0 and 0.06 below the root of the shifted number, so its floor is
/// the result or one less. The first step ends at most 110 below, which is 1.5 times the square of the table's 1.8e-4;
/// the second comes within 1.8e-4 of those 110, less 1/64 to 1/32 to stay below. Asserted by `SquareRootTests`.
///
/// - Source: H. S. Warren, *Hacker's Delight*, 2nd ed., 11-1 and 15-1 (reciprocal root with Newton's step).
public func squareRoot(_ value: UInt64) -> UInt32 {
  let shift = UInt32(truncatingIfNeeded: (value | 1).leadingZeroBitCount & 62)
  let scaled = value &<< widened(shift)
  let high = UInt32(truncatingIfNeeded: scaled &>> 32)
  let reciprocal = reciprocalRoot(high)
  let near = nearRoot(high, reciprocal)
  // In units of 2^9 the rest and its sign fit in 32 bits. Taking 2^27 off it lowers the root by 1/64 to 1/32.
  let rest = scaled &- widened(near) &* widened(near) &- 0x800_0000
  let step = upper(Int32(truncatingIfNeeded: rest &>> 9), Int32(bitPattern: reciprocal)) &>> 22
  let root = near &+ UInt32(bitPattern: step)
  // (root + 1)² - 1: at most 2^64 - 1, whatever the root.
  let last = widened(root) &* widened(root) &+ widened(root) &+ widened(root)
  return (scaled > last ? root &+ 1 : root) &>> (shift &>> 1)
}

/// The square root of an unsigned Q16.16 in Q16.16, 0…256, correctly rounded for every input (error at most 0.5 LSB;
/// there are no ties).
/// Proof: the estimate lies less than half an LSB from the root, so its floor is the result or one less; asserted for
/// all 2^32 inputs by `SquareRootTests`.
/// asserted for all 2^32 inputs by `SquareRootTests`.
public func squareRootQ16(_ value: UInt32) -> UInt32 {
  let shift = UInt32(truncatingIfNeeded: (value | 1).leadingZeroBitCount & 30)
  let high = value &<< shift
  let root = nearRoot(high, reciprocalRoot(high)) &>> (8 &+ shift &>> 1)
  // value · 2^16 - root² is below 2^26, so it fits in 32 bits. The true root lies above root + ½ exactly when this
  // exceeds root.
  let rest = Int32(bitPattern: (value &<< 16) &- root &* root)
  return rest > Int32(bitPattern: root) ? root &+ 1 : root
}

/// The direction of a vector of three words, in Q2.30, whatever its unit; nil if its length is below 2^16 units. A
/// length of 2^31 units or more gives a wrong direction.
///
/// Each component is accurate to 6e-9 of its value plus 2e-9. Newton's steps start from a straight line instead of the
/// table above: this is rarely called, so small matters more than fast.
package func direction(_ x: Int32, _ y: Int32, _ z: Int32) -> (x: Int32, y: Int32, z: Int32)? {
  var (x, y, z) = (x, y, z)
  var sum = Vector3(x: Q16(raw: x), y: Q16(raw: y), z: Q16(raw: z)).squaredMagnitude
  guard sum >= 1 &<< 32 else { return nil }
  while sum &>> 60 == 0 {
    (x, y, z) = (x &<< 1, y &<< 1, z &<< 1)
    sum = sum &<< 2
  }
  let high = UInt32(truncatingIfNeeded: sum &>> 30)
  // 2^46 / √high, at first within 10 %: 2.13 - 1.19 · high / 2^32.
  var reciprocal = 2_287_070_085 &- upper(high, 1_277_752_771)
  var steps: Int32 = 4
  while steps > 0 {
    // 2^28 plus the error; twice the error is subtracted.
    let excess = upper(high, upper(reciprocal, reciprocal))
    reciprocal = upper(reciprocal, (0x3000_0000 &- excess) &<< 2) &<< 1
    steps &-= 1
  }
  return (part(reciprocal, of: x) &<< 1, part(reciprocal, of: y) &<< 1, part(reciprocal, of: z) &<< 1)
}

extension Q16 {
  /// The square root in Q16.16, correctly rounded (error at most 0.5 LSB); 0 for negative numbers.
  public var squareRoot: Q16 {
    Q16(raw: Int32(bitPattern: squareRootQ16(raw < 0 ? 0 : UInt32(bitPattern: raw))))
  }
}

/// 2^46 / √`high` for 2^30 ≤ `high` < 2^32, with a relative error of at most 1.8e-4, and below 2^31; 0 for 0.
@inline(__always)
private func reciprocalRoot(_ high: UInt32) -> UInt32 {
  let entry = reciprocalRoots[Int(truncatingIfNeeded: high &>> 26)]
  return entry &- (entry & 0x3FF) &* ((high &>> 10) & 0xFFFF)
}

/// √`high` · 2^16, given `reciprocalRoot(high)`: too low by at most 4.9e-8 of its value, too high by at most 1; 0 for
/// 0. Near 2^32 the table keeps it 20 below, so it cannot wrap.
@inline(__always)
private func nearRoot(_ high: UInt32, _ reciprocal: UInt32) -> UInt32 {
  let estimate = upper(high, reciprocal) &<< 2
  let rest = Int32(bitPattern: high &- upper(estimate, estimate))
  return estimate &+ UInt32(bitPattern: upper(rest &<< 1, Int32(bitPattern: reciprocal)))
}

/// Lines under 2^46 / √h on segments of 2^26 from k · 2^26, k = 16…63: the start in the high 22 bits, the fall per 2^10
/// in the low 10. Below 16 only 0 is looked up.
///
/// Each is the chord of its segment, lowered by half its greatest distance from the curve, and by another 2^14 so that
/// root · root ≤ h holds near 2^32 too; `SquareRootTests` recomputes it.
@section(".rodata.reciprocalRoots")
package let reciprocalRoots: InlineArray<64, UInt32> = [
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2_147_102_674, 2_083_033_984, 2_024_376_120, 1_970_409_209,
  1_920_539_330, 1_874_272_914, 1_831_195_238, 1_790_958_143, 1_753_260_573, 1_717_847_549, 1_684_496_865,
  1_653_014_983, 1_623_234_991, 1_595_008_409, 1_568_205_189, 1_542_708_595, 1_518_416_226, 1_495_236_946,
  1_473_086_787, 1_451_893_046, 1_431_589_161, 1_412_112_669, 1_393_410_322, 1_375_431_944, 1_358_132_478,
  1_341_468_917, 1_325_404_397, 1_309_903_076, 1_294_934_237, 1_280_466_134, 1_266_472_143, 1_252_927_688,
  1_239_809_218, 1_227_093_180, 1_214_761_143, 1_202_793_649, 1_191_172_268, 1_179_881_639, 1_168_906_403,
  1_158_232_223, 1_147_844_762, 1_137_731_734, 1_127_881_874, 1_118_282_895, 1_108_924_555, 1_099_797_640,
  1_090_892_933, 1_082_200_194,
]

/// The sine of `angle` from 0 to below a quarter turn, Q1.31: the same bits on every target, and little code, for what is
/// computed once.
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

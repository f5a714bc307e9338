internal import FixedPoint

/// The upper 64 bits of the product: the floor of `a` · `b` / 2^64. `b` must not be negative.
@inline(__always)
func highProduct(_ a: Int64, _ b: Int64) -> Int64 {
  #if _pointerBitWidth(_64)
    a.multipliedFullWidth(by: b).high
  #else
    highProductOfWords(a, b)
  #endif
}

/// The same from four 32-bit products, for targets without a wider one. `b` must not be negative.
package func highProductOfWords(_ a: Int64, _ b: Int64) -> Int64 {
  let (aHigh, aLow) = (Int32(truncatingIfNeeded: a &>> 32), UInt32(truncatingIfNeeded: a))
  let (bHigh, bLow) = (Int32(truncatingIfNeeded: b &>> 32), UInt32(truncatingIfNeeded: b))
  let low = (widened(aLow) &* widened(bLow)) &>> 32
  // |aHigh · bLow| ≤ 2^63 - 2^31, so the carry of `low` fits as well.
  let middle = widened(aHigh) &* Int64(bitPattern: widened(bLow)) &+ Int64(bitPattern: low)
  let carried = widened(aLow) &* UInt64(bitPattern: widened(bHigh)) &+ (UInt64(bitPattern: middle) & 0xFFFF_FFFF)
  return widened(aHigh) &* widened(bHigh) &+ (middle &>> 32) &+ Int64(bitPattern: carried &>> 32)
}

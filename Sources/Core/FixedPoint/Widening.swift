// On 32-bit targets, Embedded Swift's `-no-allocations` rejects `Int64(x)` for a 32-bit `x`, because the generic
// conversion behind it is checked before it is optimised away. Only this file contains the workaround.

/// `value` in 64 bits, sign-extended.
@inlinable @inline(__always)
package func widened(_ value: Int32) -> Int64 {
  #if _pointerBitWidth(_32) && _endian(little)
    unsafe unsafeBitCast((value, value &>> 31), to: Int64.self)
  #else
    Int64(value)
  #endif
}

/// `value` in 64 bits, zero-extended.
@inlinable @inline(__always)
package func widened(_ value: UInt32) -> UInt64 {
  #if _pointerBitWidth(_32) && _endian(little)
    unsafe unsafeBitCast((value, 0 as UInt32), to: UInt64.self)
  #else
    UInt64(value)
  #endif
}

/// `value`, -2^31..<2^31, in 64 bits, sign-extended.
@inlinable @inline(__always)
package func widened(count value: Int) -> Int64 { widened(Int32(truncatingIfNeeded: value)) }

/// `value` in 32 bits, clamped to the range of `Int32`.
@inlinable @inline(__always)
package func saturated(_ value: Int64) -> Int32 {
  let low = Int32(truncatingIfNeeded: value)
  if widened(low) == value { return low }
  return value < 0 ? Int32.min : Int32.max
}

/// The upper 32 bits of the product of two 32-bit numbers; a single instruction on 32-bit Arm.
///
/// Takes `Int`, so that a target with wider registers need not narrow and widen every intermediate number.
@inline(__always)
func upper(_ a: Int, _ b: Int) -> Int {
  #if _pointerBitWidth(_64)
    (a &* b) &>> 32
  #else
    a.multipliedFullWidth(by: b).high
  #endif
}

/// The upper 32 bits of the product.
@inline(__always)
func upper(_ a: Int32, _ b: Int32) -> Int32 { a.multipliedFullWidth(by: b).high }

/// The upper 32 bits of the product.
@inline(__always)
func upper(_ a: UInt32, _ b: UInt32) -> UInt32 { a.multipliedFullWidth(by: b).high }

/// The floor of `place`, in Q32, times `term`.
#if _pointerBitWidth(_64)
  @inline(__always)
#endif
func part(_ place: UInt32, of term: Int32) -> Int32 {
  Int32(truncatingIfNeeded: (widened(term) &* Int64(bitPattern: widened(place))) &>> 32)
}

/// The product of two 32-bit numbers, which may lie in wider registers where the target has them.
@inlinable @inline(__always)
package func product(_ a: Int, _ b: Int) -> Int64 {
  #if _pointerBitWidth(_64)
    Int64(truncatingIfNeeded: a &* b)
  #else
    widened(Int32(truncatingIfNeeded: a)) &* widened(Int32(truncatingIfNeeded: b))
  #endif
}

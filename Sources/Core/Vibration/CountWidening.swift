internal import FixedPoint

/// `count`, 0..<2^31, in 64 bits, without the generic conversion, which `-no-allocations` rejects on 32-bit targets.
@inline(__always)
func widened(_ count: Int) -> UInt64 { FixedPoint.widened(UInt32(truncatingIfNeeded: count)) }

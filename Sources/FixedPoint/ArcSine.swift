/// The angle in -90°…+90° whose sine is `sine`, in Q2.30; beyond ±1 (±2^30) it is that of ±1.
///
/// Out, the nearest 2^-32 turn but for the errors below; odd in `sine`, never falling, exact at 0 and ±1.
///
/// Worst error 0.557 LSB (4.7e-8°) where words have 64 bits, 0.719 LSB (6.1e-8°) where they have 32. Found against
/// `Double` over every input; `ArcSineLongTests` asserts 0.56 and 0.72 of all of them, `ArcSineTests` of some.
public func asin(_ sine: Int32) -> BinaryAngle {
  #if _pointerBitWidth(_32)
    arcSine(sine, narrowArcCosine(clampedSize(sine)))
  #else
    arcSine(sine, wideArcCosine(clampedSize(sine)))
  #endif
}

/// The angle in 0…180° whose cosine is `cosine`, in Q2.30; beyond ±1 (±2^30) it is that of ±1.
///
/// Half a turn is ±180°, the number -2^31. Rounding, worst error and how it was found are those of ``asin(_:)``. Small
/// angles are as good as large ones: nothing is taken from a quarter turn where `cosine` is near 1.
public func acos(_ cosine: Int32) -> BinaryAngle {
  #if _pointerBitWidth(_32)
    arcCosine(cosine, narrowArcCosine(clampedSize(cosine)))
  #else
    arcCosine(cosine, wideArcCosine(clampedSize(cosine)))
  #endif
}

/// The size of `value`, at most 2^30, which is 1.
@inline(__always)
package func clampedSize(_ value: Int32) -> UInt32 { min(value.magnitude, 0x4000_0000) }

/// The arc sine of `sine`, given the arc cosine of its size.
@inline(__always)
package func arcSine(_ sine: Int32, _ sizeArcCosine: Int32) -> BinaryAngle {
  let angle = 0x4000_0000 &- sizeArcCosine
  return BinaryAngle(raw: sine < 0 ? 0 &- angle : angle)
}

/// The arc cosine of `cosine`, given that of its size.
@inline(__always)
package func arcCosine(_ cosine: Int32, _ sizeArcCosine: Int32) -> BinaryAngle {
  BinaryAngle(raw: cosine < 0 ? Int32.min &- sizeArcCosine : sizeArcCosine)
}

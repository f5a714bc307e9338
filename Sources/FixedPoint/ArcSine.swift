/// The angle in -90°…+90° whose sine is `sine` (Q2.30, clamped to ±1).
public func asin(_ sine: Int32) -> BinaryAngle {
  let clamped = max(-0x4000_0000, min(0x4000_0000, sine))
  let wide = widened(clamped.magnitude)
  let cosine = squareRoot((1 &<< 60) &- wide &* wide)
  return atan2(y: clamped, x: Int32(bitPattern: cosine))
}

/// The angle in 0…180° whose cosine is `cosine` (Q2.30, clamped to ±1).
public func acos(_ cosine: Int32) -> BinaryAngle { .quarterTurn - asin(cosine) }

extension Vector3 {
  /// The difference, component by component, wrapping: none between vectors of at most ±16384.
  @inlinable @inline(__always)
  public func subtracting(_ other: Vector3) -> Vector3 {
    Vector3(x: Q16(raw: x.raw &- other.x.raw), y: Q16(raw: y.raw &- other.y.raw), z: Q16(raw: z.raw &- other.z.raw))
  }
}

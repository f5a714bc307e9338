extension Vector3 {
  /// The difference, component by component, saturating.
  @inlinable public func subtractingSaturating(_ other: Vector3) -> Vector3 {
    Vector3(
      x: x.subtractingSaturating(other.x), y: y.subtractingSaturating(other.y), z: z.subtractingSaturating(other.z))
  }
}

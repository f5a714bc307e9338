/// Three Q16.16 components: X to the right, Y up, Z out of the face.
public struct Vector3: Equatable, Sendable {
  /// The component along X.
  public var x: Q16
  /// The component along Y.
  public var y: Q16
  /// The component along Z.
  public var z: Q16

  /// A vector from its components.
  @inlinable public init(x: Q16, y: Q16, z: Q16) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// The vector of three zeros.
  @inlinable public static var zero: Vector3 { Vector3(x: .zero, y: .zero, z: .zero) }

  /// The length: the exact floor of √(x² + y² + z²) in Q16.16, up to 56756.
  ///
  /// Unsigned, because the length of three full-range components does not fit in a ``Q16``.
  @inlinable public var magnitude: UInt32 { squareRoot(squaredMagnitude) }

  // Where flash is scarce, not inlined, so its three products are emitted only once.
  /// x² + y² + z² in units of 2^-32, exact.
  #if SCARCE_FLASH
    @inline(never)
  #else
    @inlinable
  #endif
  public var squaredMagnitude: UInt64 { square(x.raw) &+ square(y.raw) &+ square(z.raw) }

  /// The difference of each component, wrapping; components of at most ±16384 never wrap.
  @inlinable @inline(__always)
  public func subtracting(_ other: Vector3) -> Vector3 {
    Vector3(x: Q16(raw: x.raw &- other.x.raw), y: Q16(raw: y.raw &- other.y.raw), z: Q16(raw: z.raw &- other.z.raw))
  }
}

extension Vector3 {
  /// The sum, component by component, wrapping.
  @inline(__always)
  package func adding(_ other: Vector3) -> Vector3 {
    Vector3(x: Q16(raw: x.raw &+ other.x.raw), y: Q16(raw: y.raw &+ other.y.raw), z: Q16(raw: z.raw &+ other.z.raw))
  }

  /// Each component clamped to ±`most`.
  #if _pointerBitWidth(_64)
    @inline(__always)
  #else
    @inline(never)
  #endif
  package func limited(to most: Int32) -> Vector3 {
    Vector3(x: x.limited(to: most), y: y.limited(to: most), z: z.limited(to: most))
  }

  /// Whether each component is within ±`end`, which must not be negative.
  @inline(__always)
  package func isWithin(_ end: Int32) -> Bool {
    x.isWithin(end) && y.isWithin(end) && z.isWithin(end)
  }

  /// Whether each component is in -`bound`..<`bound`, a power of two of at most 2^30.
  @inline(__always)
  package func isInside(_ bound: Int32) -> Bool {
    UInt32(bitPattern: (x.raw &+ bound) | (y.raw &+ bound) | (z.raw &+ bound)) < UInt32(bitPattern: bound &<< 1)
  }

  /// Each component divided by `divisor`, which must be positive; rounds towards zero.
  #if _pointerBitWidth(_32)
    @inline(never)
  #endif
  package func divided(by divisor: Int32) -> Vector3 {
    let divisor = divisor > 0 ? divisor : 1
    return Vector3(x: Q16(raw: x.raw / divisor), y: Q16(raw: y.raw / divisor), z: Q16(raw: z.raw / divisor))
  }
}

extension Q16 {
  @inline(__always)
  fileprivate func limited(to most: Int32) -> Q16 { Q16(raw: max(0 &- most, min(most, raw))) }

  @inline(__always)
  fileprivate func isWithin(_ end: Int32) -> Bool {
    UInt32(bitPattern: raw &+ end) <= UInt32(bitPattern: 2 &* end)
  }
}

/// `value` squared: at most 2^62, so three of them fit in 64 unsigned bits.
@inlinable @inline(__always)
func square(_ value: Int32) -> UInt64 { UInt64(bitPattern: widened(value) &* widened(value)) }

/// The exact floor of √(a² + b²), for all inputs.
@inlinable public func magnitude(_ a: Int32, _ b: Int32) -> UInt32 {
  squareRoot(square(a) &+ square(b))
}

public import FixedPoint

/// A direction: three components in Q2.30, together of length 1.
public struct UnitVector: Equatable, Sendable {
  /// The component along X, Q2.30.
  public var x: Int32
  /// The component along Y, Q2.30.
  public var y: Int32
  /// The component along Z, Q2.30.
  public var z: Int32

  /// A direction from its components; the length is not checked.
  public init(x: Int32, y: Int32, z: Int32) { (self.x, self.y, self.z) = (x, y, z) }

  /// The direction out of the face.
  public static var face: UnitVector { UnitVector(x: 0, y: 0, z: 1 &<< 30) }

  /// The same direction as a force of 1 g in Q16.16. Rounded to nearest (ties up).
  public var vector: Vector3 {
    Vector3(x: Self.rounded(x), y: Self.rounded(y), z: Self.rounded(z))
  }

  /// The components in millionths, as used in files and streams. Rounded to nearest (ties up).
  package var millionths: (x: Int32, y: Int32, z: Int32) {
    (Self.millionths(x), Self.millionths(y), Self.millionths(z))
  }

  private static func millionths(_ component: Int32) -> Int32 {
    Int32(truncatingIfNeeded: (widened(component) &* 1_000_000 &+ 0x2000_0000) &>> 30)
  }

  @inline(__always)
  private static func rounded(_ component: Int32) -> Q16 { Q16(raw: (component &+ 0x2000) &>> 14) }
}

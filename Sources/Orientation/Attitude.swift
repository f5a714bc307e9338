public import FixedPoint

/// A direction: three components in Q2.30, together of length 1.
public struct UnitVector: Equatable, Sendable {
  /// The component along X, Q2.30.
  public var x: Int32
  /// The component along Y, Q2.30.
  public var y: Int32
  /// The component along Z, Q2.30.
  public var z: Int32

  /// A direction from its components; nothing checks their length.
  public init(x: Int32, y: Int32, z: Int32) { (self.x, self.y, self.z) = (x, y, z) }

  /// The direction out of the face.
  public static var face: UnitVector { UnitVector(x: 0, y: 0, z: 1 &<< 30) }

  /// The same in Q16.16, as a force of 1 g. Rounded to nearest (ties up).
  public var vector: Vector3 {
    Vector3(x: Self.rounded(x), y: Self.rounded(y), z: Self.rounded(z))
  }

  @inline(__always)
  private static func rounded(_ component: Int32) -> Q16 { Q16(raw: (component &+ 0x2000) &>> 14) }
}

/// How far an attitude can be trusted.
public enum Certainty: UInt8, Equatable, Sendable {
  /// The gyroscope's bias is not known yet: the accelerometer has more weight, so that a push tilts the result.
  case starting
  /// The board is at rest.
  case still
  /// The board moves.
  case moving
  /// The gyroscope was at the end of its range a moment ago: the result may be some degrees off until it has settled.
  case clipped
}

/// What the fusion of accelerometer and gyroscope says of a board after a sample.
public struct Attitude: Equatable, Sendable {
  /// The direction of up in the board's frame.
  public let up: UnitVector
  /// The turn about the vertical since the start, counter-clockwise as seen from above; nil within 5° of face down, where it
  /// means nothing.
  ///
  /// Relative: nothing tells where north is, and it drifts by what is left of the gyroscope's bias, about 0.01 °/s after a
  /// rest.
  public let heading: BinaryAngle?
  /// The rate of rotation without the bias, °/s.
  public let rate: Vector3
  /// The gyroscope's bias as it is known, °/s.
  public let bias: Vector3
  /// Whether the board is at rest.
  public let isStill: Bool
  /// How far all of this can be trusted.
  public let certainty: Certainty
}

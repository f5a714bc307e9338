/// An angle in units of 2^-32 turn; integer arithmetic wraps exactly as angles do.
///
/// Range -180° (inclusive) to +180° (exclusive) as a number; +180° and -180° are the same angle. Resolution 8.4e-8°.
public struct BinaryAngle: Equatable, Sendable {
  /// The angle in units of 2^-32 turn.
  public var raw: Int32

  /// The angle of `raw` units.
  @inlinable public init(raw: Int32) { self.raw = raw }

  /// An angle in degrees, rounded to nearest; more than half a turn wraps.
  @inlinable public init(degrees: Q16) {
    // One degree is 2^32 / 360 units, so one LSB of Q16.16 degrees is 2^16 / 360 = 8192 / 45 units.
    let scaled = widened(degrees.raw) &* 8_192
    let rounded = (scaled &+ (scaled < 0 ? -22 : 22)) / 45
    raw = Int32(truncatingIfNeeded: rounded)
  }

  /// An angle of whole degrees, rounded to nearest; more than half a turn wraps.
  @inlinable public init(degrees: Int32) { self.init(degrees: Q16(whole: degrees % 360)) }

  /// No turn.
  @inlinable public static var zero: BinaryAngle { BinaryAngle(raw: 0) }

  /// +90°.
  @inlinable public static var quarterTurn: BinaryAngle { BinaryAngle(raw: 1 &<< 30) }

  /// 180°.
  @inlinable public static var halfTurn: BinaryAngle { BinaryAngle(raw: Int32.min) }

  /// The angle in degrees, in (-180, 180], rounded to nearest (ties up). Error at most 0.5 LSB of Q16.16 (7.7e-6°).
  ///
  /// Combined with `atan2(y:x:)`: 0.504 LSB for 10^6 random pairs, asserted by `ArcTangentAccuracyTests`.
  @inlinable public var degrees: Q16 {
    // The first 92 units above -180° round to it. Lowering by 92 wraps them, so they come out at +180°.
    let lowered = widened(raw &- 92)
    return Q16(raw: Int32(truncatingIfNeeded: (lowered &* 360 &+ (92 * 360 + 0x8000)) &>> 16))
  }

  /// The unsigned magnitude of the angle, 0…180°, in units of 2^-32 turn.
  @inlinable public var magnitude: UInt32 { raw.magnitude }

  /// The wrapping sum.
  @inlinable public static func + (a: BinaryAngle, b: BinaryAngle) -> BinaryAngle {
    BinaryAngle(raw: a.raw &+ b.raw)
  }

  /// The wrapping difference: the shorter turn from `b` to `a`.
  @inlinable public static func - (a: BinaryAngle, b: BinaryAngle) -> BinaryAngle {
    BinaryAngle(raw: a.raw &- b.raw)
  }

  /// The opposite turn; half a turn is its own opposite.
  @inlinable public static prefix func - (a: BinaryAngle) -> BinaryAngle { BinaryAngle(raw: 0 &- a.raw) }
}

public import FixedPoint

/// The angles of a specific force `f` in the board frame. Any non-zero length; the length does not matter.
///
/// Where the direction that an angle needs vanishes, the angle is 0 (`atan2(0, 0)`). Each is good to 1e-4° for forces
/// of 0.1 g and more, the limit being the Q16.16 of the components.
extension Vector3 {
  /// θ = atan2(-fx, fy): portrait 0, landscape right +90°, landscape left -90°, upside down 180°.
  ///
  /// - Source: behaviour of the phone frameworks, π/2 - atan2(-ay, ax) with a = -f.
  public var deviceAngle: BinaryAngle { atan2(y: x.negatedSaturating.raw, x: y.raw) }

  /// The turn that keeps a label on the board horizontal for the viewer: atan2(-fy, fx) + 90°, which is -θ.
  public var levelAngle: BinaryAngle { atan2(y: y.negatedSaturating.raw, x: x.raw) + .quarterTurn }

  /// The device angle as the pose `reference` sees it: 0 when held exactly in that pose.
  public func relativeAngle(to reference: Pose) -> BinaryAngle { deviceAngle - reference.deviceAngle }

  /// How far the top edge points up, -90°…+90°: atan2(fy, √(fx² + fz²)). Portrait +90°, flat 0.
  public var pitch: BinaryAngle { angle(y.raw, over: FixedPoint.magnitude(x.raw, z.raw)) }

  /// The turn about the long axis, ±180°: atan2(-fx, fz). Face up 0, right edge down +90°, face down 180°.
  ///
  /// Undefined, and noise, when the top edge points straight up or down.
  public var roll: BinaryAngle { atan2(y: x.negatedSaturating.raw, x: z.raw) }

  /// The angle of the face's normal from straight up, 0…180°: atan2(√(fx² + fy²), fz). Face up 0, upright 90°.
  public var inclination: BinaryAngle { .quarterTurn - angle(z.raw, over: FixedPoint.magnitude(x.raw, y.raw)) }
}

/// atan2 of a signed and an unsigned length; where the latter needs 32 bits, both are halved.
private func angle(_ opposite: Int32, over adjacent: UInt32) -> BinaryAngle {
  if adjacent > 0x7FFF_FFFF {
    return atan2(y: opposite &>> 1, x: Int32(bitPattern: adjacent &>> 1))
  }
  return atan2(y: opposite, x: Int32(bitPattern: adjacent))
}

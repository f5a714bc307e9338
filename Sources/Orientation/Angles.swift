public import FixedPoint

/// The angles of a specific force `f` in the board frame. Any non-zero length; the length does not matter.
///
/// Where the direction that an angle needs vanishes, the angle is 0 (`atan2(0, 0)`). Against the formulas in `Double`
/// of the same Q16.16 components each is within 2e-7° where words have 64 bits: asserted over the sphere and at full range by
/// `AnglesTests`; where one component exceeds 16384 g, the others lose their last bit to it. Where words have 32 bits, pitch and inclination are within 1.1e-6°, from the length in `polar(y:x:)`.
extension Vector3 {
  /// θ = atan2(-fx, fy): portrait 0, landscape right +90°, landscape left -90°, upside down 180°.
  ///
  /// - Source: behaviour of the phone frameworks, π/2 - atan2(-ay, ax) with a = -f.
  public var deviceAngle: BinaryAngle {
    let scaled = normalised
    return atan2(y: 0 &- scaled.x.raw, x: scaled.y.raw)
  }

  /// The turn that keeps a label on the board horizontal for the viewer: atan2(-fy, fx) + 90°, which is -θ.
  public var levelAngle: BinaryAngle {
    let scaled = normalised
    return atan2(y: 0 &- scaled.y.raw, x: scaled.x.raw) + .quarterTurn
  }

  /// The device angle as the pose `reference` sees it: 0 when held exactly in that pose.
  public func relativeAngle(to reference: Pose) -> BinaryAngle { deviceAngle - reference.deviceAngle }

  /// How far the top edge points up, -90°…+90°: atan2(fy, √(fx² + fz²)). Portrait +90°, flat 0.
  public var pitch: BinaryAngle {
    let scaled = normalised
    return pitch(scaled, over: polar(y: 0 &- scaled.x.raw, x: scaled.z.raw).length)
  }

  /// The turn about the long axis, ±180°: atan2(-fx, fz). Face up 0, right edge down +90°, face down 180°.
  ///
  /// Undefined, and noise, when the top edge points straight up or down.
  public var roll: BinaryAngle {
    let scaled = normalised
    return atan2(y: 0 &- scaled.x.raw, x: scaled.z.raw)
  }

  /// The angle of the face's normal from straight up, 0…180°: atan2(√(fx² + fy²), fz). Face up 0, upright 90°.
  public var inclination: BinaryAngle {
    let scaled = normalised
    return inclination(scaled, over: polar(y: 0 &- scaled.x.raw, x: scaled.y.raw).length)
  }

  /// The angle of a steering wheel that the board is, -90°…+90°, from gravity (the low-passed force):
  /// asin(-fy) · 90° / acos(|fz|), both arguments clamped to ±1 g.
  ///
  /// Held in landscape 0; a full quarter turn reads 90° at any tilt towards the user short of flat. Lying flat it is 0 by
  /// convention. It cannot see a turn about the vertical.
  ///
  /// - Source: the published steering formula, 180 · asin(ay) / (π - 2 |asin(az)|) with a = -f.
  public var steeringAngle: BinaryAngle {
    let turn = 0 &- asin(sine(y)).raw
    let room = 0x4000_0000 &- Int32(bitPattern: asin(sine(z)).magnitude)
    guard room > 0 else { return .zero }
    let ratio = (widened(turn) &<< 30) / widened(room)
    return BinaryAngle(raw: Int32(truncatingIfNeeded: max(-0x4000_0000, min(0x4000_0000, ratio))))
  }

  /// A component in g as a sine in Q2.30, clamped to ±1.
  private func sine(_ component: Q16) -> Int32 { max(-65_536, min(65_536, component.raw)) &<< 14 }

  /// The vector scaled by a power of two so that its largest component has 30 bits: the square root of two of them then
  /// fits in 31, its floor costs nothing that can be seen, and every component has an opposite.
  @inline(__always)
  fileprivate var normalised: Vector3 {
    let bits = (x.raw ^ (x.raw &>> 31)) | (y.raw ^ (y.raw &>> 31)) | (z.raw ^ (z.raw &>> 31))
    // The two highest bits are spare: one for the sign, one for the root. Where they are not, the vector is halved
    // first.
    let isLarge = bits > 0x3FFF_FFFF
    let half: Int32 = isLarge ? 1 : 0
    let spare = Int32(truncatingIfNeeded: (bits | 1).leadingZeroBitCount) &- 2
    let shift = isLarge ? 0 : spare
    return Vector3(
      x: Q16(raw: (x.raw &>> half) &<< shift), y: Q16(raw: (y.raw &>> half) &<< shift),
      z: Q16(raw: (z.raw &>> half) &<< shift))
  }

  /// From a normalised vector and its length across Y.
  @inline(__always)
  fileprivate func pitch(_ scaled: Vector3, over side: UInt32) -> BinaryAngle {
    atan2(y: scaled.y.raw, x: Int32(truncatingIfNeeded: side))
  }

  /// From a normalised vector and its length across Z.
  @inline(__always)
  fileprivate func inclination(_ scaled: Vector3, over plane: UInt32) -> BinaryAngle {
    atan2(y: Int32(truncatingIfNeeded: plane), x: scaled.z.raw)
  }
}

/// All angles of one sample.
public struct Angles: Equatable, Sendable {
  /// The turn in the board's own plane; see `Vector3.deviceAngle`.
  public let device: BinaryAngle
  /// How far the top edge points up; see `Vector3.pitch`.
  public let pitch: BinaryAngle
  /// The turn about the long axis; see `Vector3.roll`.
  public let roll: BinaryAngle
  /// The face's normal from straight up; see `Vector3.inclination`.
  public let inclination: BinaryAngle
  /// The angle as a steering wheel, of gravity; see `Vector3.steeringAngle`.
  public let steering: BinaryAngle

  /// The turn that keeps a label horizontal: the opposite of the device angle.
  public var level: BinaryAngle { -device }

  /// The angles of a force and of the gravity low-passed from it. Each length comes with an angle from one division.
  public init(of force: Vector3, gravity: Vector3) {
    let scaled = force.normalised
    let plane = polar(y: 0 &- scaled.x.raw, x: scaled.y.raw)
    let side = polar(y: 0 &- scaled.x.raw, x: scaled.z.raw)
    device = plane.angle
    roll = side.angle
    inclination = force.inclination(scaled, over: plane.length)
    pitch = force.pitch(scaled, over: side.length)
    steering = gravity.steeringAngle
  }
}

public import FixedPoint

/// The angles of a specific force `f` in the board frame, one at a time. Any non-zero length gives the same result.
///
/// Where the direction that an angle needs vanishes, the angle is 0 (`atan2(0, 0)`), and close to that point it is
/// noise: ``isFlat`` and ``isOnEnd`` detect it. Each angle is within 2e-7° of the formula in `Double` for the same
/// Q16.16 components; `AnglesTests` asserts it over the sphere and at full range. If one component exceeds 16384 g, the
/// others lose their last bit. ``Angles`` has all angles of a sample, cheaper and within 4e-5°.
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

  /// The device angle relative to the pose `reference`: 0 when held exactly in that pose.
  public func relativeAngle(to reference: Pose) -> BinaryAngle { deviceAngle - reference.deviceAngle }

  /// How far the top edge points up, -90°…+90°: atan2(fy, √(fx² + fz²)). Portrait +90°, flat 0.
  public var pitch: BinaryAngle {
    let scaled = normalised
    return atan2(y: scaled.y.raw, x: Int32(truncatingIfNeeded: FixedPoint.magnitude(scaled.x.raw, scaled.z.raw)))
  }

  /// The turn about the long axis, ±180°: atan2(-fx, fz). Face up 0, right edge down +90°, face down 180°.
  ///
  /// Undefined (noise) when the top edge points straight up or down: ``isOnEnd``.
  public var roll: BinaryAngle {
    let scaled = normalised
    return atan2(y: 0 &- scaled.x.raw, x: scaled.z.raw)
  }

  /// The angle of the face's normal from straight up, 0…180°: atan2(√(fx² + fy²), fz). Face up 0, upright 90°.
  public var inclination: BinaryAngle {
    let scaled = normalised
    return atan2(y: Int32(truncatingIfNeeded: FixedPoint.magnitude(scaled.x.raw, scaled.y.raw)), x: scaled.z.raw)
  }

  /// The angle of the board as a steering wheel, -90°…+90°, from gravity (the low-passed force): asin(-fy) · 90° /
  /// acos(|fz|), both arguments clamped to ±1 g.
  ///
  /// Held in landscape it is 0; a full quarter turn reads 90° at any tilt towards the user short of flat. Lying flat it
  /// is 0 by convention. It cannot detect a turn about the vertical.
  ///
  /// - Source: the published steering formula, 180 · asin(ay) / (π - 2 |asin(az)|) with a = -f.
  public var steeringAngle: BinaryAngle { steering(sineY: sine(y), sineZ: sine(z)) }

  /// A component in g as a sine in Q2.30, clamped to ±1.
  private func sine(_ component: Q16) -> Int32 { max(-65_536, min(65_536, component.raw)) &<< 14 }

  /// The vector scaled by a power of two so that its largest component has 30 bits. The square root of the squares of
  /// two components then fits in 31 bits, its floor costs no visible accuracy, and every component can be negated.
  @inline(__always)
  fileprivate var normalised: Vector3 {
    let bits = (x.raw ^ (x.raw &>> 31)) | (y.raw ^ (y.raw &>> 31)) | (z.raw ^ (z.raw &>> 31))
    // The two highest bits must be spare: one for the sign, one for the root. If they are not, the vector is halved
    // first.
    let isLarge = bits > 0x3FFF_FFFF
    let half: Int32 = isLarge ? 1 : 0
    let spare = Int32(truncatingIfNeeded: (bits | 1).leadingZeroBitCount) &- 2
    let shift = isLarge ? 0 : spare
    return Vector3(
      x: Q16(raw: (x.raw &>> half) &<< shift), y: Q16(raw: (y.raw &>> half) &<< shift),
      z: Q16(raw: (z.raw &>> half) &<< shift))
  }
}

/// The steering angle of gravity with components in Q2.30, clamped to ±1; see `Vector3.steeringAngle`.
func steering(sineY: Int32, sineZ: Int32) -> BinaryAngle {
  let turn = 0 &- asin(sineY).raw
  let room = 0x4000_0000 &- Int32(bitPattern: asin(sineZ).magnitude)
  guard room > 0 else { return .zero }
  let ratio = (widened(turn) &<< 30) / widened(room)
  return BinaryAngle(raw: Int32(truncatingIfNeeded: max(-0x4000_0000, min(0x4000_0000, ratio))))
}

/// All angles of one sample.
public struct Angles: Equatable, Sendable {
  /// The turn in the board's own plane; see ``FixedPoint/Vector3/deviceAngle``.
  public let device: BinaryAngle
  /// How far the top edge points up; see ``FixedPoint/Vector3/pitch``.
  public let pitch: BinaryAngle
  /// The turn about the long axis; see ``FixedPoint/Vector3/roll``.
  public let roll: BinaryAngle
  /// The angle of the face's normal from straight up; see ``FixedPoint/Vector3/inclination``.
  public let inclination: BinaryAngle
  /// The angle as a steering wheel, from gravity; see ``FixedPoint/Vector3/steeringAngle``.
  public let steering: BinaryAngle
  /// Bit 0: the device angle is valid. Bit 1: the roll is valid. As in `enum plumb_valid` of the C interface.
  package let valid: UInt32

  /// Whether the device angle, and with it the level angle, is more than noise: false when the board lies flat.
  public var hasDevice: Bool { valid & 1 != 0 }

  /// Whether the roll is more than noise: false when the board stands on end.
  public var hasRoll: Bool { valid & 2 != 0 }

  /// The turn that keeps a label horizontal: the opposite of the device angle.
  public var level: BinaryAngle { -device }

  /// The angles of a force and of the gravity low-passed from it.
  ///
  /// Uses cheaper arcs than the same properties of `Vector3`, with the same bits on every target. From 0.5 g on, pitch
  /// and inclination are within 4e-5° of the formulas in `Double`; device angle and roll are within 3.5e-6° if at least
  /// 0.25 g lies in their plane: asserted by `AnglesTests`. That is less than a twentieth of the effect of a
  /// component's last bit. Components are clamped to ±256 g.
  public init(of force: Vector3, gravity: Vector3) {
    self.init(ofBounded: force.bounded, gravity: gravity)
  }

  /// The same for a force known to be within ±256 g, such as the result of an `Alignment`.
  @inline(__always)
  package init(ofBounded force: Vector3, gravity: Vector3) {
    let (x, y, z) = (0 &- force.x.raw, force.y.raw, force.z.raw)
    let (sizeX, sizeY, sizeZ) = (x.magnitude, y.magnitude, z.magnitude)
    let plane = Quarter(sizeX, of: sizeX &+ sizeY)
    let side = Quarter(sizeX, of: sizeX &+ sizeZ)
    device = BinaryAngle(raw: unfolded(plane.angle, y: x, x: y))
    roll = BinaryAngle(raw: unfolded(side.angle, y: x, x: z))
    let (inPlane, height) = (plane.length(of: sizeX &+ sizeY), widened(sizeZ) &<< Quarter.fractionBits)
    inclination = BinaryAngle(raw: unfolded(Quarter(part: inPlane, of: inPlane &+ height).angle, y: 0, x: z))
    let (beside, rise) = (side.length(of: sizeX &+ sizeZ), widened(sizeY) &<< Quarter.fractionBits)
    pitch = BinaryAngle(raw: unfolded(Quarter(part: rise, of: beside &+ rise).angle, y: y, x: 0))
    steering = Angles.steering(of: gravity)
    // 0.1 g, less the error of a length; computed in words of the target, which saves a few instructions on each.
    #if _pointerBitWidth(_64)
      let least: UInt64 = (6_554 &<< Quarter.fractionBits) &- 16
      valid = (inPlane >= least ? 1 : 0) | (beside >= least ? 2 : 0)
    #else
      let least: UInt32 = 6_554
      let planeLength = UInt32(truncatingIfNeeded: (inPlane &+ 16) &>> Quarter.fractionBits)
      let sideLength = UInt32(truncatingIfNeeded: (beside &+ 16) &>> Quarter.fractionBits)
      valid = (planeLength >= least ? 1 : 0) | (sideLength >= least ? 2 : 0)
    #endif
  }

  /// The same angles with another steering angle.
  package func replacing(steering: BinaryAngle) -> Angles {
    Angles(self, steering: steering)
  }

  private init(_ other: Angles, steering: BinaryAngle) {
    (device, pitch, roll, inclination) = (other.device, other.pitch, other.roll, other.inclination)
    valid = other.valid
    self.steering = steering
  }

  /// See `Vector3.steeringAngle`.
  @inline(__always)
  private static func steering(of gravity: Vector3) -> BinaryAngle {
    let rest = arcCosineQ16(gravity.y.raw.magnitude)
    let room = arcCosineQ16(gravity.z.raw.magnitude)
    guard room > 0 else { return .zero }
    let ratio = (widened(UInt32(bitPattern: 0x4000_0000 &- rest)) &<< 30) / widened(UInt32(bitPattern: room))
    let size = Int32(truncatingIfNeeded: min(ratio, 0x4000_0000))
    return BinaryAngle(raw: gravity.y.raw < 0 ? size : 0 &- size)
  }
}

/// The angle of the point (`x`, `y`), given `angle`, that of its image in the first quadrant.
@inline(__always)
private func unfolded(_ angle: Int32, y: Int32, x: Int32) -> Int32 {
  let turned = (x ^ y) &>> 31
  return ((angle ^ turned) &- turned) &+ (x & Int32.min)
}

extension Vector3 {
  /// Whether an angle in the plane of two components is only noise: less than 0.1 g lies in the plane.
  private static func isUndefined(_ a: Q16, _ b: Q16) -> Bool {
    // 0.1 g, rounded. The squares of anything smaller fit in 32 bits.
    let least: UInt32 = 6_554
    let (a, b) = (a.raw.magnitude, b.raw.magnitude)
    return a < least && b < least && a &* a &+ b &* b < least &* least
  }

  /// Whether the board lies so flat that the device angle, and any angle derived from it, is undefined: less than 0.1 g
  /// lies in the board's plane.
  public var isFlat: Bool { Self.isUndefined(x, y) }

  /// Whether the board stands so upright that its roll is undefined: less than 0.1 g lies in the plane of X and Z.
  public var isOnEnd: Bool { Self.isUndefined(x, z) }
}

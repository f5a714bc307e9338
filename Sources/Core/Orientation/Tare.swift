public import FixedPoint

/// Why an attitude cannot be used as zero.
public enum TareError: Error, Equatable, Sendable {
  /// The force must be 0.5…1.5 g: the board must be still.
  case magnitude
}

/// An attitude of the board in which its angles are 0, like the zero of a kitchen scale with the bowl on it.
///
/// It is stored as the direction that was up at the time, `up`, in the board frame. Two rotations of the board frame
/// follow from it:
///
/// - R takes `up` to +Z. Pitch, roll and inclination are those of R f: 0 in the attitude. A board that lay flat (`up`
///   within 45° of ±Z) keeps its top edge in front: lying on its face, it is first turned over about Y; then R is the
///   shortest rotation. A board that stood (any other `up`) is first turned in its plane, so that what was up is +Y,
///   and then about X: what was behind it is in front.
/// - P rotates about Z, in the board's plane, and takes the part of `up` in that plane to +Y. Device, level and
///   relative angles are those of P f. The steering angle is that of P f turned a further quarter turn to a landscape:
///   the one with the left edge down if the board was held that way (within 45°), otherwise the other, in which a turn
///   to the right is positive. If the board lay flat, P changes nothing.
///
/// A tare does not affect poses, nor a heading, which gravity does not show.
///
/// - Source: docs/decisions/0020-tare.md.
public struct Tare: Equatable, Sendable {
  /// The direction that was up; nil without a tare.
  public let up: UnitVector?

  /// The rows of R, Q2.30.
  private let right, front, above: UnitVector
  /// The first row of P, Q2.30: (cosine, -sine, 0); the second is (sine, cosine, 0).
  private let cosine, sine: Int32
  /// The landscape in which a wheel is straight.
  private let wheel: Wheel

  private enum Wheel: UInt8 {
    /// Both, as without a tare.
    case untared
    case leftDown, rightDown
  }

  /// No tare: the angles of the board itself.
  public static var none: Tare { Tare() }

  private init() {
    up = nil
    (right, front, above) = (UnitVector(x: unit, y: 0, z: 0), UnitVector(x: 0, y: unit, z: 0), .face)
    (cosine, sine, wheel) = (unit, 0, .untared)
  }

  /// The tare of a board held still; `force`, g, is preferably a mean.
  ///
  /// - Throws: `magnitude` unless the force is 0.5…1.5 g.
  public init(_ force: Vector3) throws(TareError) {
    let size = force.squaredMagnitude
    // 0.25…2.25 g² in 2^-32.
    guard size >= 0x4000_0000 && size <= 0x2_4000_0000,
      let (x, y, z) = direction(force.x.raw &<< 12, force.y.raw &<< 12, force.z.raw &<< 12)
    else { throw .magnitude }
    self.init(checked: UnitVector(x: x, y: y, z: z))
  }

  /// The tare with this direction of up, in millionths, as used in files and streams; nil if its length is not 1 within
  /// 1 %.
  public init?(millionths x: Int32, _ y: Int32, _ z: Int32) {
    let size = Vector3(x: Q16(raw: x), y: Q16(raw: y), z: Q16(raw: z)).squaredMagnitude
    guard size >= 980_100_000_000 && size <= 1_020_100_000_000, let (x, y, z) = direction(x, y, z) else { return nil }
    self.init(checked: UnitVector(x: x, y: y, z: z))
  }

  /// `up` has the length 1.
  private init(checked up: UnitVector) {
    self.up = up
    above = up
    let flat = up.vector.isFlat ? nil : direction(up.x, up.y, 0)
    (cosine, sine) = flat.map { ($0.y, $0.x) } ?? (unit, 0)
    wheel = flat == nil ? .untared : up.x > 0 && up.x.magnitude > up.y.magnitude ? .leftDown : .rightDown
    let depth = product(up.z, up.z)
    if let flat, depth < unit &>> 1 {
      (right, front) = Self.upright(flat.y, flat.x, up)
    } else {
      (right, front) = Self.flat(up)
    }
  }

  /// The first two rows of R for a board that stood: a rotation in its plane and one about X.
  private static func upright(_ cosine: Int32, _ sine: Int32, _ up: UnitVector) -> (
    right: UnitVector, front: UnitVector
  ) {
    let inPlane = 0 &- product(sine, up.x) &- product(cosine, up.y)
    return (
      UnitVector(x: cosine, y: 0 &- sine, z: 0),
      UnitVector(x: product(sine, up.z), y: product(cosine, up.z), z: inPlane)
    )
  }

  /// The first two rows of R for a board that lay flat: the shortest rotation, after turning a board on its face over
  /// about Y.
  private static func flat(_ up: UnitVector) -> (right: UnitVector, front: UnitVector) {
    let isDown = up.z < 0
    let (x, y) = (isDown ? 0 &- up.x : up.x, up.y)
    // 1 + z, at least 1.7: with s = (x, y, 1 + z), R v = v - (s·v) s / (1 + z) + 2 (up·v) Z.
    let divisor = UInt32(bitPattern: unit) &+ up.z.magnitude
    let (shareX, shareY) = (ratio(x, divisor), ratio(y, divisor))
    let right = UnitVector(x: unit &- product(shareX, x), y: 0 &- product(shareX, y), z: 0 &- x)
    let front = UnitVector(x: 0 &- product(shareY, x), y: unit &- product(shareY, y), z: 0 &- y)
    return isDown ? (right.turnedOver, front.turnedOver) : (right, front)
  }

  /// The forces from which the angles of `force`, g, are computed.
  ///
  /// Each component of the rotated vectors is within 0.6 LSB of the formulas in `Double` up to 16 g, asserted by
  /// `TareTests`; it saturates at the range of `Q16`.
  public func applied(to force: Vector3) -> TaredForce {
    guard up != nil else { return TaredForce(tilted: force, inPlane: force, wheel: force) }
    let across = scalar(cosine, 0 &- sine, 0, force)
    let along = scalar(sine, cosine, 0, force)
    let tilted = Vector3(
      x: scalar(right.x, right.y, right.z, force), y: scalar(front.x, front.y, front.z, force),
      z: scalar(above.x, above.y, above.z, force))
    return TaredForce(
      tilted: tilted, inPlane: Vector3(x: across, y: along, z: force.z), wheel: turned(across, along, force.z))
  }

  /// The force for the steering angle, from a force rotated by P.
  private func turned(_ across: Q16, _ along: Q16, _ z: Q16) -> Vector3 {
    switch wheel {
    case .untared: Vector3(x: across, y: along, z: z)
    case .leftDown: Vector3(x: along, y: across.negatedSaturating, z: z)
    case .rightDown: Vector3(x: along.negatedSaturating, y: across, z: z)
    }
  }

  /// The inverse of R: the force that R rotates to `tilted`.
  package func undone(on tilted: Vector3) -> Vector3 {
    Vector3(
      x: scalar(right.x, front.x, above.x, tilted), y: scalar(right.y, front.y, above.y, tilted),
      z: scalar(right.z, front.z, above.z, tilted))
  }
}

/// A force seen from a tare, for computing angles.
public struct TaredForce: Equatable, Sendable {
  /// The force in the frame whose Z was up: X to the right, Y to the front.
  public let tilted: Vector3
  /// The force with the board's plane rotated so that Y was up.
  package let inPlane: Vector3
  /// The force of a steering wheel that was straight.
  private let wheel: Vector3

  fileprivate init(tilted: Vector3, inPlane: Vector3, wheel: Vector3) {
    (self.tilted, self.inPlane, self.wheel) = (tilted, inPlane, wheel)
  }

  /// See ``FixedPoint/Vector3/deviceAngle``.
  public var deviceAngle: BinaryAngle { inPlane.deviceAngle }
  /// See ``FixedPoint/Vector3/levelAngle``.
  public var levelAngle: BinaryAngle { inPlane.levelAngle }
  /// See ``FixedPoint/Vector3/relativeAngle(to:)``.
  public func relativeAngle(to reference: Pose) -> BinaryAngle { inPlane.relativeAngle(to: reference) }
  /// See ``FixedPoint/Vector3/pitch``.
  public var pitch: BinaryAngle { tilted.pitch }
  /// See ``FixedPoint/Vector3/roll``.
  public var roll: BinaryAngle { tilted.roll }
  /// See ``FixedPoint/Vector3/inclination``: how far the board is from the attitude of the tare.
  public var inclination: BinaryAngle { tilted.inclination }
  /// See ``FixedPoint/Vector3/steeringAngle``.
  public var steeringAngle: BinaryAngle { wheel.steeringAngle }

  /// Whether the board lies so flat that the device angle, and any angle derived from it, is undefined.
  public var isFlat: Bool { inPlane.isFlat }
  /// Whether the board stands on end relative to the tare, so that its roll is undefined.
  public var isOnEnd: Bool { tilted.isOnEnd }
}

extension UnitVector {
  /// The same for a frame that was first turned over about Y.
  fileprivate var turnedOver: UnitVector { UnitVector(x: 0 &- x, y: y, z: 0 &- z) }
}

/// 1 in Q2.30.
private var unit: Int32 { 0x4000_0000 }

/// The product of two numbers in Q2.30, rounded to nearest.
private func product(_ a: Int32, _ b: Int32) -> Int32 {
  Int32(truncatingIfNeeded: (widened(a) &* widened(b) &+ 0x2000_0000) &>> 30)
}

/// The scalar product of a row in Q2.30 and `force`, rounded to nearest, saturating.
private func scalar(_ x: Int32, _ y: Int32, _ z: Int32, _ force: Vector3) -> Q16 {
  let sum =
    widened(x) &* widened(force.x.raw) &+ widened(y) &* widened(force.y.raw) &+ widened(z) &* widened(force.z.raw)
  return Q16(raw: saturated((sum &+ 0x2000_0000) &>> 30))
}

/// `value` / `divisor`, both in Q2.30; `divisor` is at least 1.
private func ratio(_ value: Int32, _ divisor: UInt32) -> Int32 {
  let size = Int32(truncatingIfNeeded: quotient(widened(value.magnitude) &<< 30, widened(divisor)))
  return value < 0 ? 0 &- size : size
}

/// Measures a tare: the mean force of a board held still for a second.
public struct TareCapture: Equatable, Sendable {
  private var still: StillForce
  /// The deadline for holding the board still.
  private let deadline: Instant

  /// The state of the measurement.
  public enum Progress: Equatable, Sendable {
    /// More samples are needed.
    case measuring
    /// The board was held still.
    case tare(Tare)
    /// The board was not still for 3.5 s, or its force is not gravity.
    case moved
  }

  /// Starts measuring at `now`, with samples every `period`. It takes 1.25 s at 100 Hz, or nine samples if they are
  /// infrequent.
  public init(at now: Instant, period: Microseconds) {
    let gap = max(.seconds(1), min(.seconds(60), period * 3))
    do throws(StillForceError) {
      still = StillForce(try StillForce.Configuration(minimumSamples: 8, longestGap: gap))
    } catch {
      still = StillForce()
    }
    deadline = now + .milliseconds(3_500) + min(.seconds(600), period * 10)
  }

  /// Takes in the force at `now`, g, in the board frame; nil if there is none.
  public mutating func step(_ force: Vector3?, at now: Instant) -> Progress {
    if let force, case .held(let mean) = still.step(force, at: now) {
      do throws(TareError) { return .tare(try Tare(mean)) } catch { return .moved }
    }
    return now > deadline ? .moved : .measuring
  }
}

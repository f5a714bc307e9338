public import FixedPoint

/// A movement of the board: the specific force and the rotation rate over time, without a sensor's errors.
///
/// A motion need only provide the force: without a rotation rate of its own it does not turn, and without an up of its
/// own the force is taken as gravity's. Motions whose acceleration and rotation belong together are ``RigidMotion``s.
public protocol Motion: Sendable {
  /// How long it lasts; the board is still before it begins and after it has ended.
  var duration: Microseconds { get }

  /// The specific force in g in the board frame, `time` after the start; any time, even a negative one.
  func specificForce(at time: Microseconds) -> Vector3

  /// The rotation rate in °/s about the axes of the board, counter-clockwise when the axis points to the viewer; any
  /// time.
  func rotationRate(at time: Microseconds) -> Vector3

  /// The true direction of up in the board frame, of length 1, whatever an accelerometer measures; any time.
  func up(at time: Microseconds) -> Vector3
}

extension Motion {
  /// No rotation.
  public func rotationRate(at time: Microseconds) -> Vector3 { .zero }

  /// The direction of the force, each component within 1 LSB of Q16.16; zero if there is no force.
  public func up(at time: Microseconds) -> Vector3 {
    let force = specificForce(at: time)
    let wide = SIMD3(Double(force.x.raw), Double(force.y.raw), Double(force.z.raw))
    let length = (wide.x * wide.x + wide.y * wide.y + wide.z * wide.z).squareRoot()
    return length > 0 ? Vector3(rounding: wide / length) : .zero
  }

  /// The true pose: that of the axis nearest to the true up.
  public func pose(at time: Microseconds) -> TruePose { TruePose(up: up(at: time)) }
}

/// One of the six poses, by the axis of the board that is nearest to the true up; no dead band, no dwell.
public enum TruePose: String, CaseIterable, Sendable {
  /// Y is up.
  case portrait
  /// Minus Y is up.
  case portraitUpsideDown
  /// X is up.
  case landscapeLeft
  /// Minus X is up.
  case landscapeRight
  /// Z is up.
  case faceUp
  /// Minus Z is up.
  case faceDown

  /// The pose in which `up` is the direction of up. If axes are equally near, Y comes before X, and X before Z.
  public init(up: Vector3) {
    let (x, y, z) = (Int64(up.x.raw).magnitude, Int64(up.y.raw).magnitude, Int64(up.z.raw).magnitude)
    if y >= x && y >= z {
      self = up.y.raw >= 0 ? .portrait : .portraitUpsideDown
    } else if x >= z {
      self = up.x.raw >= 0 ? .landscapeLeft : .landscapeRight
    } else {
      self = up.z.raw >= 0 ? .faceUp : .faceDown
    }
  }
}

/// How a board is held: its angle in its own plane, and how far it leans back.
///
/// `f = (-sin θ cos t, cos θ cos t, sin t)` with the device angle θ and the tilt t, which means θ = atan2(-fx, fy).
public struct Attitude: Equatable, Sendable {
  /// The device angle θ: portrait 0, landscapeRight +90°, landscapeLeft -90°, upside down 180°.
  public var deviceAngle: BinaryAngle
  /// The lean back from upright, -90° (face down) to +90° (face up).
  public var tilt: BinaryAngle

  /// An attitude with a device angle, by default upright.
  public init(deviceAngle: BinaryAngle, tilt: BinaryAngle = .zero) {
    self.deviceAngle = deviceAngle
    self.tilt = tilt
  }

  /// The specific force at rest in g, of length 1. Each component is within 1 LSB of Q16.16.
  public var specificForce: Vector3 {
    let (sine, cosine) = deviceAngle.sinCos
    let (sineOfTilt, cosineOfTilt) = tilt.sinCos
    return Vector3(
      x: product(sine, cosineOfTilt).negatedSaturating,
      y: product(cosine, cosineOfTilt),
      z: Q16(raw: Int32((Int64(sineOfTilt) + 0x4000) >> 15)))
  }

  /// The product of two Q1.31 numbers, rounded to nearest.
  private func product(_ a: Int32, _ b: Int32) -> Q16 {
    Q16(raw: Int32((Int64(a) * Int64(b) + (1 << 45)) >> 46))
  }

  /// Top edge up.
  public static var portrait: Attitude { Attitude(deviceAngle: .zero) }
  /// Bottom edge up.
  public static var portraitUpsideDown: Attitude { Attitude(deviceAngle: .halfTurn) }
  /// Turned counter-clockwise: right edge up.
  public static var landscapeLeft: Attitude { Attitude(deviceAngle: -.quarterTurn) }
  /// Turned clockwise: left edge up.
  public static var landscapeRight: Attitude { Attitude(deviceAngle: .quarterTurn) }
  /// The face up.
  public static var faceUp: Attitude { Attitude(deviceAngle: .zero, tilt: .quarterTurn) }
  /// The back up.
  public static var faceDown: Attitude { Attitude(deviceAngle: .zero, tilt: -.quarterTurn) }
}

/// The motions that have a name, for command lines and tables of tests.
///
/// ```swift
/// let motion = NamedMotion(rawValue: "free-fall")?.motion
/// ```
public enum NamedMotion: String, CaseIterable, Sendable {
  /// All six poses in turn.
  case tumble
  /// Held in portrait, leaning back 20°.
  case hold
  /// From portrait to landscapeRight in 0.3 s, leaning back 20°.
  case turn
  /// Shaken along X, at 5 Hz with 1.5 g peak for 3 s.
  case shake
  /// Flat on a machine that runs for 8 s, at 24 Hz with 0.5 g peak along X, and rests for 2 s before and after.
  case machine
  /// Knocked on the right edge.
  case tap
  /// Knocked twice on the back.
  case doubleTap = "double-tap"
  /// Knocked on all sides.
  case knocks
  /// Dropped, 1.5 s near 0 g, then a knock.
  case freeFall = "free-fall"
  /// Held exactly in one pose for 5 s.
  case portrait, portraitUpsideDown, landscapeLeft, landscapeRight, faceUp, faceDown
  /// Held for 3 s in each pose, as a calibration requires.
  case sixFaces = "six-faces"
  /// The same with a clumsy hand, which has to hold some of them again.
  case sixFacesClumsy = "six-faces-clumsy"
  /// The same, and then turned once about each axis, as a gyroscope calibration requires.
  case fullTurns = "full-turns"
  /// From the table held upright, then laid face up, as determining the mounting requires.
  case twoPoses = "two-poses"
  /// The same with a clumsy hand.
  case twoPosesClumsy = "two-poses-clumsy"
  /// In the hand of a walker, with slow turns from pose to pose.
  case carried
  /// Shaken at 2 to 6 Hz with up to 5 g, with some rotation.
  case shaken
  /// At the end of a swinging arm.
  case swung
  /// Mounted in a car for a minute.
  case driven
  /// On a turntable, 5 °/s about the vertical after 5 s of rest.
  case turntable
  /// Carried, dropped for 0.4 s, and left where it lies.
  case dropped

  /// All names, for help texts.
  public static var names: [String] { allCases.map(\.rawValue) }

  /// The motion with its default parameters.
  public var motion: any Motion { motion(seed: 1) }

  /// The motion whose path is determined by `seed`; those without randomness are the same for all. Its duration is the
  /// same for every seed.
  public func motion(seed: UInt64) -> any Motion {
    let tilt = BinaryAngle(degrees: 20)
    return switch self {
    case .tumble: AttitudePath.tumble
    case .hold: AttitudePath.hold(Attitude(deviceAngle: .zero, tilt: tilt))
    case .turn: AttitudePath.turn(from: .zero, to: .quarterTurn, in: .milliseconds(300), tilt: tilt)
    case .shake: Shake()
    case .machine: Shake.machine
    case .tap: KnockedMotion.tap
    case .doubleTap: KnockedMotion.doubleTap
    case .knocks: KnockedMotion.knocks
    case .freeFall: FreeFall()
    case .portrait: AttitudePath.hold(.portrait)
    case .portraitUpsideDown: AttitudePath.hold(.portraitUpsideDown)
    case .landscapeLeft: AttitudePath.hold(.landscapeLeft)
    case .landscapeRight: AttitudePath.hold(.landscapeRight)
    case .faceUp: AttitudePath.hold(.faceUp)
    case .faceDown: AttitudePath.hold(.faceDown)
    case .sixFaces: AttitudePath.sixFaces
    case .sixFacesClumsy: AttitudePath.sixFacesClumsy
    case .fullTurns: FullTurns()
    case .twoPoses: AttitudePath.twoPoses
    case .twoPosesClumsy: AttitudePath.twoPosesClumsy
    case .carried: CarriedMotion(seed: seed)
    case .shaken: ShakenMotion(seed: seed)
    case .swung: SwungMotion(seed: seed)
    case .driven: DrivenMotion(seed: seed)
    case .turntable: TurntableMotion()
    case .dropped: DroppedMotion(seed: seed)
    }
  }
}

import FixedPoint

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
  /// Shaken along X, 5 Hz and 1.5 g peak for 3 s.
  case shake
  /// Dropped, 1.5 s near 0 g, then a knock.
  case freeFall = "free-fall"
  /// Held exactly in one pose for 5 s.
  case portrait, portraitUpsideDown, landscapeLeft, landscapeRight, faceUp, faceDown
  /// Held for 3 s in each pose, as a calibration asks.
  case sixFaces = "six-faces"
  /// The same by a clumsy hand, which has to hold some of them again.
  case sixFacesClumsy = "six-faces-clumsy"
  /// From the table held upright, then laid face up, as finding the mounting asks.
  case twoPoses = "two-poses"
  /// The same by a clumsy hand.
  case twoPosesClumsy = "two-poses-clumsy"

  /// All names, for help texts.
  public static var names: [String] { allCases.map(\.rawValue) }

  /// The motion with its default figures.
  public var motion: any Motion {
    let tilt = BinaryAngle(degrees: 20)
    return switch self {
    case .tumble: AttitudePath.tumble
    case .hold: AttitudePath.hold(Attitude(deviceAngle: .zero, tilt: tilt))
    case .turn: AttitudePath.turn(from: .zero, to: .quarterTurn, in: .milliseconds(300), tilt: tilt)
    case .shake: Shake()
    case .freeFall: FreeFall()
    case .portrait: AttitudePath.hold(.portrait)
    case .portraitUpsideDown: AttitudePath.hold(.portraitUpsideDown)
    case .landscapeLeft: AttitudePath.hold(.landscapeLeft)
    case .landscapeRight: AttitudePath.hold(.landscapeRight)
    case .faceUp: AttitudePath.hold(.faceUp)
    case .faceDown: AttitudePath.hold(.faceDown)
    case .sixFaces: AttitudePath.sixFaces
    case .sixFacesClumsy: AttitudePath.sixFacesClumsy
    case .twoPoses: AttitudePath.twoPoses
    case .twoPosesClumsy: AttitudePath.twoPosesClumsy
    }
  }
}

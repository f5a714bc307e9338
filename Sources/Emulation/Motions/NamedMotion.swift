import FixedPoint

/// The motions that have a name, for command lines and tables of tests.
///
///     NamedMotion(rawValue: "free-fall")?.motion
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
    }
  }
}

public import FixedPoint

/// One of the six ways to hold a board, named by what points up.
///
/// A *device* pose. The way to draw a picture on it (interface orientation) is the mirror image, and another type.
public enum Pose: UInt8, Equatable, Sendable {
  /// The top edge is up: specific force (0, +1, 0) g.
  case portrait
  /// The bottom edge is up: (0, -1, 0) g.
  case portraitUpsideDown
  /// Turned counter-clockwise, the left edge down and the right edge up: (+1, 0, 0) g.
  case landscapeLeft
  /// Turned clockwise, the right edge down and the left edge up: (-1, 0, 0) g.
  case landscapeRight
  /// Flat, the face up: (0, 0, +1) g.
  case faceUp
  /// Flat, the back up: (0, 0, -1) g.
  case faceDown

  /// The number of poses; raw values are 0..<`count`.
  public static var count: Int { 6 }

  /// The name as in documentation, JSON and board files.
  public var name: StaticString {
    switch self {
    case .portrait: "portrait"
    case .portraitUpsideDown: "portraitUpsideDown"
    case .landscapeLeft: "landscapeLeft"
    case .landscapeRight: "landscapeRight"
    case .faceUp: "faceUp"
    case .faceDown: "faceDown"
    }
  }

  /// Whether the face points up or down; the device angle then has no meaning.
  public var isFace: Bool { self == .faceUp || self == .faceDown }

  /// The device angle at the centre of the pose; 0 for the two faces, which have none.
  public var deviceAngle: BinaryAngle {
    switch self {
    case .portrait, .faceUp, .faceDown: .zero
    case .portraitUpsideDown: .halfTurn
    case .landscapeLeft: -.quarterTurn
    case .landscapeRight: .quarterTurn
    }
  }
}

/// Why no pose is known. Never presented as a pose.
public enum UnknownReason: UInt8, Equatable, Sendable {
  /// No sample has arrived yet.
  case notYetSampled
  /// The last pose no longer holds, and no other has held long enough.
  case ambiguous
  /// More than gravity acts: the specific force is too large to tell which way is up.
  case accelerating
  /// Less than gravity acts: falling, or thrown.
  case freeFall
  /// The last sample is too old.
  case stale
  /// The sensor does not respond, or returns nonsense.
  case fault

  /// The name as in documentation and JSON.
  public var name: StaticString {
    switch self {
    case .notYetSampled: "notYetSampled"
    case .ambiguous: "ambiguous"
    case .accelerating: "accelerating"
    case .freeFall: "freeFall"
    case .stale: "stale"
    case .fault: "fault"
    }
  }
}

/// What is known of the pose: either the pose, or the reason why it is unknown.
public enum PoseState: Equatable, Sendable {
  /// The pose is known.
  case known(Pose)
  /// The pose is not known.
  case unknown(UnknownReason)

  /// The pose, if known.
  public var pose: Pose? {
    if case .known(let pose) = self { return pose }
    return nil
  }

  /// The name of the pose, or `unknown`.
  public var name: StaticString { pose?.name ?? "unknown" }
}

import Orientation

extension Pose {
  /// How the board is held, in words.
  var meaning: String {
    switch self {
    case .portrait: "upright"
    case .portraitUpsideDown: "upside down"
    case .landscapeLeft: "turned left, the right edge is up"
    case .landscapeRight: "turned right, the left edge is up"
    case .faceUp: "flat, the face up"
    case .faceDown: "flat, the back up"
    }
  }
}

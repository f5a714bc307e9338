import Orientation

extension SensorAxis {
  /// As in a board file: `+x` and so on.
  var text: String {
    switch self {
    case .plusX: "+x"
    case .minusX: "-x"
    case .plusY: "+y"
    case .minusY: "-y"
    case .plusZ: "+z"
    case .minusZ: "-z"
    }
  }

  /// The one that points the other way.
  var opposite: SensorAxis {
    switch self {
    case .plusX: .minusX
    case .minusX: .plusX
    case .plusY: .minusY
    case .minusY: .plusY
    case .plusZ: .minusZ
    case .minusZ: .plusZ
    }
  }
}

extension Mounting {
  /// As in a board file.
  var text: String { "\(x.text) \(y.text) \(z.text)" }

  /// The pose in which the sensor's half-axis `axis` points up.
  func pose(up axis: SensorAxis) -> Pose {
    switch axis {
    case y: .portrait
    case y.opposite: .portraitUpsideDown
    case x: .landscapeLeft
    case x.opposite: .landscapeRight
    case z: .faceUp
    default: .faceDown
    }
  }

  /// The sensor's half-axis that points up in `pose`.
  func axis(upIn pose: Pose) -> SensorAxis {
    switch pose {
    case .portrait: y
    case .portraitUpsideDown: y.opposite
    case .landscapeLeft: x
    case .landscapeRight: x.opposite
    case .faceUp: z
    case .faceDown: z.opposite
    }
  }
}

extension Pose {
  /// All poses, in the order in which one turns a board through them.
  static let round: [Pose] = [
    .portrait, .landscapeLeft, .portraitUpsideDown, .landscapeRight, .faceUp, .faceDown,
  ]

  /// What somebody is to do with the board.
  var request: String {
    switch self {
    case .portrait: "hold it upright, the top edge up"
    case .portraitUpsideDown: "hold it upside down, the bottom edge up"
    case .landscapeLeft: "stand it on its left edge, the right edge up"
    case .landscapeRight: "stand it on its right edge, the left edge up"
    case .faceUp: "lay it on its back, face up"
    case .faceDown: "lay it on its face, back up"
    }
  }

  /// What of the board is up.
  var sideUp: String {
    switch self {
    case .portrait: "top edge up"
    case .portraitUpsideDown: "bottom edge up"
    case .landscapeLeft: "right edge up"
    case .landscapeRight: "left edge up"
    case .faceUp: "face up"
    case .faceDown: "face down"
    }
  }
}

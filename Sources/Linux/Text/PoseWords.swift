public import Orientation
package import Sensors

// Poses in words, for everything that people read. `name` is the identifier in JSON, in arguments and in files.
extension Pose {
  private var row: (words: StaticString, shortWords: StaticString, meaning: StaticString) {
    switch self {
    case .portrait: ("portrait", "portrait", "top edge up")
    case .portraitUpsideDown: ("portrait, upside down", "upside down", "bottom edge up")
    case .landscapeLeft: ("landscape, left edge down", "left down", "right edge up")
    case .landscapeRight: ("landscape, right edge down", "right down", "left edge up")
    case .faceUp: ("face up", "face up", "lying on its back")
    case .faceDown: ("face down", "face down", "lying on its face")
    }
  }

  /// The pose, such as "landscape, left edge down".
  package var words: StaticString { row.words }

  /// The pose in fewer words, such as "left down".
  package var shortWords: StaticString { row.shortWords }

  /// How the board is held, such as "right edge up".
  package var meaning: StaticString { row.meaning }
}

extension Pose {
  /// The pose called `name`.
  package init?<let size: Int>(_ name: ShortText<size>) {
    for number in 0..<UInt8(truncatingIfNeeded: Pose.count) {
      guard let pose = Pose(rawValue: number), name == pose.name else { continue }
      self = pose
      return
    }
    return nil
  }

  /// The pose as a sentence, such as "pose: face up".
  package var sentence: Message { "pose: \(words)" }
}

extension PoseState {
  /// The pose in words, or "unknown".
  package var words: StaticString { pose?.words ?? "unknown" }

  /// The pose in fewer words, or "unknown".
  package var shortWords: StaticString { pose?.shortWords ?? "unknown" }
}

extension InterfaceOrientation {
  /// The orientation of the picture in words.
  package var words: StaticString {
    switch self {
    case .portrait: "portrait"
    case .portraitUpsideDown: "portrait, upside down"
    case .landscapeLeft: "landscape left"
    case .landscapeRight: "landscape right"
    }
  }
}

extension UnknownReason {
  /// What the reason means, in plain words.
  public var message: StaticString {
    switch self {
    case .notYetSampled: "no sample yet"
    case .ambiguous: "the board is between poses"
    case .accelerating: "accelerating, over 1.4 g"
    case .freeFall: "free fall, under 0.6 g"
    case .stale: "no recent sample"
    case .fault: "sensor fault"
    }
  }

  /// The sentence that the pose is unknown, and why: in the words of `cause` if `sensor` reports one.
  package func sentence(_ cause: SensorError?, of sensor: SensorPlace) -> Message {
    var text: Message = "pose unknown: "
    if let cause { text.append(cause.message(of: sensor)) } else { text.append(message) }
    return text
  }
}

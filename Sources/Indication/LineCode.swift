public import HAL
public import Orientation

/// What the lines say: to people through LEDs, or to another controller that reads them.
///
/// | code | line 0 | the other lines | pose not known |
/// |---|---|---|---|
/// | `leds` | portrait's | one a pose, up to face-down's | blinking, see ``Indicator`` |
/// | `oneHot` | valid | 1…6: one a pose, portrait to face-down | all off |
/// | `binary` | valid | 1…3: bits 0, 1 and 2 of the pose's number, 0 to 5 | all off |
///
/// The valid line is the first, because the kernel takes the lines of a request in order where it claims them (all off) or
/// gives them back: a reader sees `valid` go first.
public enum LineCode: UInt8, Equatable, Sendable {
  /// One LED a pose; trouble blinks.
  case leds
  /// One line a pose and one that says whether they are valid. Nothing blinks.
  case oneHot
  /// The number of the pose in three bits and a line that says whether they are valid. Nothing blinks.
  case binary

  /// How many codes there are; raw values are 0 up to this.
  public static var count: Int { 3 }

  /// The name as in a board file.
  public var name: StaticString {
    switch self {
    case .leds: "leds"
    case .oneHot: "one-hot"
    case .binary: "binary"
    }
  }

  /// How many lines the code takes.
  public var lineCount: Int {
    switch self {
    case .leds: Pose.count
    case .oneHot: Pose.count &+ 1
    case .binary: 4
    }
  }

  /// The line that says whether the others are valid; off where the code has none.
  public var valid: Levels { self == .leds ? .off : Levels(bits: 1) }

  /// All lines but that one.
  public var data: Levels { Levels(bits: (1 &<< UInt32(truncatingIfNeeded: lineCount)) &- 1).without(valid) }

  /// The levels that say `pose`.
  public func levels(of pose: Pose) -> Levels {
    switch self {
    case .leds: .oneHot(pose)
    case .oneHot: Levels(bits: Levels.oneHot(pose).bits &<< 1 | 1)
    case .binary: Levels(bits: UInt32(pose.rawValue) &<< 1 | 1)
    }
  }
}

extension Levels {
  /// The same with the lines off that are on in `others`.
  public func without(_ others: Levels) -> Levels { Levels(bits: bits & ~others.bits) }
}

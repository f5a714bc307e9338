public import HAL
public import Orientation

/// The use of the lines: LEDs for people, or a code for another controller.
///
/// | code | line 0 | the other lines | unknown pose |
/// |---|---|---|---|
/// | `leds` | portrait | one for each pose, up to face down | blinking, see ``Indicator`` |
/// | `oneHot` | valid | 1…6: one for each pose, portrait to face down | all off |
/// | `binary` | valid | 1…3: bits 0, 1 and 2 of the pose's number, 0 to 5 | all off |
///
/// The valid line is the first, because the kernel claims (all off) and releases the lines of a request in order: a
/// reader sees `valid` go off first.
public enum LineCode: UInt8, Equatable, Sendable {
  /// One LED for each pose; other states blink.
  case leds
  /// One line for each pose and a valid line. Nothing blinks.
  case oneHot
  /// The number of the pose in three bits and a valid line. Nothing blinks.
  case binary

  /// The number of codes; raw values are 0..<`count`.
  public static var count: Int { 3 }

  /// The name as in a board file.
  public var name: StaticString {
    switch self {
    case .leds: "leds"
    case .oneHot: "one-hot"
    case .binary: "binary"
    }
  }

  /// The number of lines of the code.
  public var lineCount: Int {
    switch self {
    case .leds: Pose.count
    case .oneHot: Pose.count &+ 1
    case .binary: 4
    }
  }

  /// The name of line `index`, 0..<`lineCount`: the key of its GPIO in a board file, and its name in JSON.
  public func name(ofLine index: Int) -> StaticString {
    switch (self, index) {
    case (.oneHot, 0), (.binary, 0): return "valid"
    case (.binary, 1): return "bit0"
    case (.binary, 2): return "bit1"
    case (.binary, _): return "bit2"
    case (.leds, _), (.oneHot, _):
      let number = self == .leds ? index : index &- 1
      return Pose(rawValue: UInt8(truncatingIfNeeded: number))?.name ?? "valid"
    }
  }

  /// The valid line; off if the code has none.
  public var valid: Levels { self == .leds ? .off : Levels(bits: 1) }

  /// All lines except the valid line.
  public var data: Levels { Levels(bits: (1 &<< UInt32(truncatingIfNeeded: lineCount)) &- 1).without(valid) }

  /// The levels for `pose`.
  public func levels(of pose: Pose) -> Levels {
    switch self {
    case .leds: .oneHot(pose)
    case .oneHot: Levels(bits: Levels.oneHot(pose).bits &<< 1 | 1)
    case .binary: Levels(bits: UInt32(pose.rawValue) &<< 1 | 1)
    }
  }
}

extension Levels {
  /// The same levels with every line that is on in `others` switched off.
  public func without(_ others: Levels) -> Levels { Levels(bits: bits & ~others.bits) }
}

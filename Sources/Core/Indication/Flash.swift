public import FixedPoint
public import HAL

/// Flashes of all LEDs over their present state, to show an event: one for a tap, two for a double tap.
///
/// Each flash lasts 80 ms, with 80 ms between two; afterwards the LEDs show what they did before. All LEDs are lit, so
/// a flash never looks like a pose.
public struct Flash: Equatable, Sendable {
  /// When the LEDs change next; nil while there is no flash.
  public private(set) var nextChange: Instant?
  /// The number of changes left, including the end of the last flash; odd while lit.
  private var left: UInt8 = 0

  private static var span: Microseconds { .milliseconds(80) }

  /// No flashes.
  public init() {}

  /// Begins `count` flashes at `now`, replacing any others still in progress; 0 for none, at most 100.
  public mutating func begin(_ count: UInt8, at now: Instant) {
    left = count == 0 ? 0 : 2 &* min(count, 100) &- 1
    nextChange = left == 0 ? nil : now + Self.span
  }

  /// The levels at `now` for LEDs that show `levels` without flashes. After a long wait, missed flashes are skipped.
  public mutating func shown(over levels: Levels, at now: Instant) -> Levels {
    while let due = nextChange, now >= due {
      left &-= 1
      nextChange = left > 0 ? due + Self.span : nil
    }
    return left & 1 == 1 ? .all : levels
  }
}

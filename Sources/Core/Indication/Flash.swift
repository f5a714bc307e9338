public import FixedPoint
public import HAL

/// Flashes of all LEDs over whatever they show, for what has just happened: one for a tap, two for a double tap.
///
/// Each lasts 80 ms, with as much between two; then the LEDs show what they did before. All are lit, so that a flash is
/// no pose.
public struct Flash: Equatable, Sendable {
  /// When the LEDs change next; nil while there is no flash.
  public private(set) var nextChange: Instant?
  /// How many changes are left, the end of the last flash included; odd while lit.
  private var left: UInt8 = 0

  private static var span: Microseconds { .milliseconds(80) }

  /// None.
  public init() {}

  /// Begins `count` flashes at `now`, in place of what is left of others; 0 for none, 100 at most.
  public mutating func begin(_ count: UInt8, at now: Instant) {
    left = count == 0 ? 0 : 2 &* min(count, 100) &- 1
    nextChange = left == 0 ? nil : now + Self.span
  }

  /// What LEDs show at `now` that show `levels` without flashes. After a long wait what was missed is left out.
  public mutating func shown(over levels: Levels, at now: Instant) -> Levels {
    while left > 0, let due = nextChange, now >= due {
      left &-= 1
      nextChange = left > 0 ? due + Self.span : nil
    }
    return left & 1 == 1 ? .all : levels
  }
}

public import FixedPoint
public import HAL

/// A clock that moves only when it is told to, so that a minute of tests takes no time and always runs the same.
///
/// A reference: whoever holds it sees the same time. Emulated parts take it as `{ clock.now }`.
public final class VirtualClock: MonotonicClock {
  /// The present instant.
  public private(set) var now: Instant

  /// A clock that stands at `start`.
  public init(startingAt start: Instant = Instant(microseconds: 0)) { now = start }

  /// Moves on to `instant`; stays where it is when that has passed.
  public func advance(to instant: Instant) { now = max(now, instant) }

  /// Moves on by `span`; stays where it is for a negative one.
  public func advance(by span: Microseconds) { advance(to: now + span) }

  /// Moves on to `deadline` at once; always true.
  public func sleep(until deadline: Instant) -> Bool {
    advance(to: deadline)
    return true
  }
}

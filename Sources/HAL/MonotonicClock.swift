public import FixedPoint

/// A clock that never runs backwards.
public protocol MonotonicClock: ~Copyable {
  /// The present instant; the origin is the clock's own.
  var now: Instant { get }

  /// Waits until `deadline`; returns at once when that has passed.
  ///
  /// Returns false when the wait ended early because the program was asked to stop or to look about.
  mutating func sleep(until deadline: Instant) -> Bool
}

public import FixedPoint

/// A clock that never runs backwards.
public protocol MonotonicClock: ~Copyable {
  /// The present instant; the origin is the clock's own.
  var now: Instant { get }

  /// Waits until `deadline`; returns at once when that has passed.
  ///
  /// Returns false when the wait ended early because the program was asked to stop or to check something.
  mutating func sleep(until deadline: Instant) -> Bool

  /// Waits for the sensor's next sample, which is expected at `due`; returns at once when that has passed.
  ///
  /// A clock that hears of samples, as by a data-ready line, may return earlier or later than at `due`; others sleep.
  mutating func awaitSample(due: Instant) -> Awakening
}

/// What ended a wait for a sample.
public enum Awakening: Equatable, Sendable {
  /// The program was asked to stop or to check something.
  case interrupted
  /// Time.
  case time
  /// The sensor, which has a sample.
  case data
}

extension MonotonicClock where Self: ~Copyable {
  /// Sleeps until `due`.
  public mutating func awaitSample(due: Instant) -> Awakening { sleep(until: due) ? .time : .interrupted }
}

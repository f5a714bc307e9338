public import FixedPoint

/// A clock that never runs backwards.
public protocol MonotonicClock: ~Copyable {
  /// The present instant; the origin is the clock's own.
  var now: Instant { get }

  /// Waits until `deadline`; returns at once if it has passed.
  ///
  /// Returns false if the wait ended early, because the program must stop or check something.
  mutating func sleep(until deadline: Instant) -> Bool

  /// Waits for the sensor's next sample, which is expected at `due`; returns at once if that has passed.
  ///
  /// A clock that detects samples, for example from a data-ready line, may return before or after `due`; others sleep
  /// until then.
  mutating func awaitSample(due: Instant) -> Awakening

  /// Waits until the sensor's interrupt signals movement (`data`), or until `deadline` at the latest; returns at once
  /// if an edge is pending that no wait has consumed.
  ///
  /// A clock without such a line sleeps.
  mutating func awaitMovement(until deadline: Instant) -> Awakening

  /// Discards edges that no wait has consumed: those from samples, before the sensor is asked whether it has moved.
  mutating func forgetEdges()
}

/// What ended a wait for a sample.
public enum Awakening: Equatable, Sendable {
  /// The program must stop or check something.
  case interrupted
  /// The time is up.
  case time
  /// The sensor has a sample.
  case data
}

extension MonotonicClock where Self: ~Copyable {
  /// Sleeps until `due`.
  public mutating func awaitSample(due: Instant) -> Awakening { sleep(until: due) ? .time : .interrupted }

  /// Does nothing: there are no edges.
  public mutating func forgetEdges() {}

  /// Sleeps until `deadline`.
  public mutating func awaitMovement(until deadline: Instant) -> Awakening {
    sleep(until: deadline) ? .time : .interrupted
  }
}

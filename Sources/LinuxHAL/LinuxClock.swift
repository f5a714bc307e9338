internal import CSupport
public import FixedPoint
public import HAL

/// The kernel's `CLOCK_MONOTONIC`: microseconds since some time near the start of the system.
public struct LinuxClock: MonotonicClock, Sendable {
  /// The clock; there is but one.
  public init() {}

  /// The present instant.
  public var now: Instant { Instant(microseconds: csupport_clock_now()) }

  /// Waits until `deadline`, never less; returns false as soon as a stop signal has come, before the wait or during it.
  ///
  /// Signals count once `StopSignals.install` has been called.
  public func sleep(until deadline: Instant) -> Bool {
    // Other codes than EINTR cannot come of these arguments; if one did, going on is better than a stop.
    csupport_clock_sleep_until(deadline.microseconds) == 0 || StopSignals.received == nil
  }
}

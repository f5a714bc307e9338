internal import CSupport
public import FixedPoint
public import HAL

/// The kernel's `CLOCK_MONOTONIC`: microseconds since some time near the start of the system.
public struct LinuxClock: MonotonicClock, Sendable {
  /// The clock; there is but one.
  public init() {}

  /// The present instant.
  public var now: Instant { Instant(microseconds: csupport_clock_now()) }

  /// Waits until `deadline`, never less, in one system call; returns false as soon as a signal has come, before the wait
  /// or during it.
  ///
  /// Signals count once ``StopSignals`` or ``ServiceSignals`` are installed.
  public func sleep(until deadline: Instant) -> Bool {
    // No error can come of these arguments; if one did, going on is better than a stop.
    csupport_wait(Int32(truncatingIfNeeded: CSUPPORT_WAIT_FOR_SIGNALS), deadline.microseconds) <= 0
  }
}

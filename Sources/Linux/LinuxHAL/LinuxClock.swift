internal import CSupport
public import FixedPoint
public import HAL

/// The kernel's `CLOCK_MONOTONIC`: microseconds since about the start of the system.
public struct LinuxClock: MonotonicClock, Sendable {
  /// The clock; there is only one.
  public init() {}

  /// The present instant.
  public var now: Instant { Instant(microseconds: csupport_clock_now()) }

  /// Waits until `deadline`, never less, in one system call; returns false as soon as a signal comes, also if it came
  /// before the wait.
  ///
  /// Signals end a wait only if ``StopSignals`` or ``ServiceSignals`` are installed. In a process that offers a stream,
  /// so do its clients.
  public func sleep(until deadline: Instant) -> Bool {
    // These arguments cannot cause an error; if one occurred, it would be better to continue than to stop.
    csupport_wait(Int32(truncatingIfNeeded: CSUPPORT_WAIT_FOR_SIGNALS), deadline.microseconds) <= 0
  }
}

internal import CSupport
public import FixedPoint
public import HAL

/// The kernel's `CLOCK_MONOTONIC`: microseconds since roughly when the system started.
public struct LinuxClock: MonotonicClock, Sendable {
  /// The clock; there is only one.
  public init() {}

  /// The present instant.
  public var now: Instant { Instant(microseconds: csupport_clock_now()) }

  /// Waits until `deadline`, never less, in one system call. Returns false as soon as a signal arrives, or if one
  /// arrived before the wait.
  ///
  /// Signals end a wait only if ``StopSignals`` or ``ServiceSignals`` are installed. In a process that serves a stream,
  /// its clients also end it.
  public func sleep(until deadline: Instant) -> Bool {
    // These arguments cannot cause an error; if one occurred, continuing would be better than stopping.
    csupport_wait(Int32(truncatingIfNeeded: CSUPPORT_WAIT_FOR_SIGNALS), deadline.microseconds) <= 0
  }
}

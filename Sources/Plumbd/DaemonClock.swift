internal import BoardFile
internal import CSupport
internal import FixedPoint
internal import HAL

/// The kernel's `CLOCK_MONOTONIC`, waited for until an absolute instant, one system call a wait.
///
/// Who waits has done its work: that is when the service manager is told that the program is alive, at half of the time
/// within which it wants to hear so. A wait for longer is done in parts.
struct DaemonClock: ~Copyable, MonotonicClock {
  /// How often the service manager is told; 0 where it did not ask.
  private let interval: Microseconds
  private var due: Instant

  /// A clock that tells the service manager at its first wait.
  init() {
    interval = Microseconds(csupport_notify_watchdog() &>> 1)
    due = Instant(microseconds: csupport_clock_now())
  }

  var now: Instant { Instant(microseconds: csupport_clock_now()) }

  /// Waits until `deadline`; returns false as soon as a request has come.
  mutating func sleep(until deadline: Instant) -> Bool {
    while interval > .zero && due < deadline {
      guard csupport_daemon_wait(due.microseconds) == 0 else { return false }
      Line("WATCHDOG=1").notify()
      due = now + interval
    }
    return csupport_daemon_wait(deadline.microseconds) == 0
  }
}

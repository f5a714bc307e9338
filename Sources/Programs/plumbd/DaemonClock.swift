internal import CSupport
internal import FixedPoint
internal import LinuxHAL
internal import Service
internal import Text

/// The clock of the daemon, which notifies the service manager while it waits.
typealias DaemonClock = ReadyClock<Watchdog>

/// Notifies the service manager that the program is alive, at half of the watchdog's time.
struct Watchdog: Chore {
  /// 0 where the service manager did not ask.
  private let interval: Microseconds
  private(set) var due: Instant?

  /// A watchdog that is to be notified at the first wait after `now`.
  init(at now: Instant) {
    interval = Microseconds(csupport_notify_watchdog() &>> 1)
    due = interval > .zero ? now : nil
  }

  mutating func perform(at now: Instant) {
    LogLine("WATCHDOG=1").notify()
    due = now + interval
  }
}

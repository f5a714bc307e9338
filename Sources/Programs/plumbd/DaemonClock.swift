internal import CSupport
internal import FixedPoint
internal import LinuxHAL
internal import Service
internal import Text

/// The daemon's clock, which notifies the service manager while it waits.
typealias DaemonClock = ReadyClock<Watchdog>

/// Notifies the service manager, at half the watchdog's interval, that the program is alive.
struct Watchdog: Chore {
  /// 0 if the service manager did not ask for it.
  private let interval: Microseconds
  private(set) var due: Instant?

  /// A watchdog to be notified at the first wait after `now`.
  init(at now: Instant) {
    interval = Microseconds(csupport_notify_watchdog() &>> 1)
    due = interval > .zero ? now : nil
  }

  mutating func perform(at now: Instant) {
    LogLine("WATCHDOG=1").notify()
    due = now + interval
  }
}

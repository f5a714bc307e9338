internal import CSupport
package import FixedPoint
internal import Service
internal import Text

/// Where the loop of a service writes messages for people.
package protocol ServiceJournal: ~Copyable {
  /// Writes a line; `isTrouble` if something does not work.
  mutating func write(_ line: ConnectionLog.Line, isTrouble: Bool)
  /// Shows the status in a few words, after each change.
  mutating func show(status: ConnectionLog.Line)
  /// How often ``noteAlive()`` is called at least; nil for never.
  var aliveInterval: Microseconds? { get }
  /// Notes that the loop is still running.
  mutating func noteAlive()
}

/// Writes to the service manager and its journal.
package struct SystemdJournal: ServiceJournal, ~Copyable {
  package let aliveInterval: Microseconds?

  /// A journal for the service manager that has started this program.
  package init() {
    let interval = Microseconds(csupport_notify_watchdog() &>> 1)
    aliveInterval = interval > .zero ? interval : nil
  }

  package func write(_ line: ConnectionLog.Line, isTrouble: Bool) {
    LogLine(cutting: line).print(isTrouble ? .warning : .notice)
  }

  package func show(status: ConnectionLog.Line) {
    var line = LogLine("STATUS=")
    line.append(status)
    line.notify()
  }

  package func noteAlive() { LogLine("WATCHDOG=1").notify() }
}

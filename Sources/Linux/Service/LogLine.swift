internal import CSupport
package import Text

/// A line of output.
package typealias LogLine = ShortText<1000>

/// How important a line of output is, as a priority of the journal.
package enum Importance {
  case error, warning, notice, information

  fileprivate var level: csupport_importance {
    switch self {
    case .error: CSUPPORT_ERROR
    case .warning: CSUPPORT_WARNING
    case .notice: CSUPPORT_NOTICE
    case .information: CSUPPORT_INFORMATION
    }
  }
}

extension ShortText where capacity == 1000 {
  /// Writes the line to standard output, which the journal reads; drops it if it cannot be written at once.
  package func print(_ importance: Importance = .information) { write(to: 1, importance) }

  /// Writes the line to standard error, which the journal also reads.
  package func printError() { write(to: 2, .error) }

  private func write(to descriptor: Int32, _ importance: Importance) {
    _ = unsafe withCString { text in unsafe csupport_daemon_say(descriptor, importance.level, text, count) }
  }

  /// Sends the line to the service manager.
  package func notify() {
    _ = unsafe withCString { text in unsafe csupport_notify_send(text, count) }
  }
}

internal import BoardFile
internal import CSupport

/// A line of output.
typealias LogLine = ShortText<1000>

extension ShortText where capacity == 1000 {
  /// Writes the line to standard output, where the journal reads; a line that cannot be written at once is dropped.
  func print(_ importance: csupport_importance = CSUPPORT_INFORMATION) { write(to: 1, importance) }

  /// Writes the line to standard error, where the journal reads too.
  func printError() { write(to: 2, CSUPPORT_ERROR) }

  private func write(to descriptor: Int32, _ importance: csupport_importance) {
    _ = unsafe withCString { text in unsafe csupport_daemon_say(descriptor, importance, text, count) }
  }

  /// Sends the line to the service manager.
  func notify() {
    _ = unsafe withCString { text in unsafe csupport_notify_send(text, count) }
  }
}

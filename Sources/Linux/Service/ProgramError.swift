package import Text

/// An error that ends a program: a message for people, and the exit code.
package struct ProgramError: Error {
  /// The exit codes, as in sysexits.h.
  package enum Code: Int32 {
    case usage = 64
    case unavailable = 69
    case `internal` = 70
    case noPermission = 77
    case configuration = 78
  }

  package var code: Code
  package var message: Message

  /// An error that ends the program with `code` because of `message`.
  package init(_ code: Code, _ message: Message) {
    self.code = code
    self.message = message
  }

  /// Writes the message to standard error, as `program`.
  package func printError(of program: StaticString) {
    LogLine("\(program): \(message)").printError()
  }
}

extension ProgramError {
  /// The error of the settings file at `path`.
  package init<Key: SettingsKey>(_ error: SettingsError<Key>, in path: ServiceCommand.Path) {
    self.init(
      error.exitCode == 77 ? .noPermission : .configuration, Message(error.message, line: error.line, in: path))
  }
}

extension Message {
  /// `words` about a line of the file at `path`; 0 is none.
  package init<let size: Int>(_ words: ShortText<size>, line: Int32, in path: ServiceCommand.Path) {
    self = line > 0 ? "\(path):\(line): \(words)" : "\(path): \(words)"
  }
}

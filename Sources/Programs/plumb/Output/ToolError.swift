import ArgumentParser
import Glibc
package import Recordings

/// An error that ends the program: one line for people and an exit code for scripts.
package struct ToolError: Error {
  /// The exit codes, as in sysexits.h.
  package enum Code: Int32 {
    case usage = 64
    case data = 65
    case noInput = 66
    case unavailable = 69
    case `internal` = 70
    case cannotCreate = 73
    case noPermission = 77
    case configuration = 78
  }

  package var code: Code
  package var message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  package init(_ error: InputError) {
    code =
      switch error.cause {
      case .data: .data
      case .missing, .unreadable: .noInput
      case .permission: .noPermission
      }
    message = error.message
  }
}

/// Runs the body of a command, and turns its error into a line on standard error and an exit code.
package func reportingError<Result: ~Copyable>(_ body: () throws(ToolError) -> Result) throws -> Result {
  do {
    return try body()
  } catch {
    writeToStandardError(overInterrupt(STDERR_FILENO) + fitForTerminal("plumb: \(error.message)\n"))
    throw ExitCode(error.code.rawValue)
  }
}

/// Writes `text` whole if it is still read: an error here could not be reported anywhere.
package func writeToStandardError(_ text: String) {
  _ = WholeFile.write(Array(text.utf8), to: STDERR_FILENO)
}

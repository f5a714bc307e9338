/// Why a file made by others cannot be read: one line for people, and the kind of reason.
package struct InputError: Error {
  /// The kinds of reasons.
  package enum Cause: Sendable {
    /// The content of the file; the message has the line number.
    case data
    /// There is no such file.
    case missing
    /// The file exists but cannot be read.
    case unreadable
    /// There is no permission to read it.
    case permission
  }

  package let cause: Cause
  package let message: String

  init(_ cause: Cause, _ message: String) {
    self.cause = cause
    self.message = message
  }
}

/// Why a file of others cannot be read: one line for people, and what kind of reason it is.
package struct InputError: Error {
  /// The kinds of reasons.
  package enum Cause: Sendable {
    /// What is in the file: the message has the line's number.
    case data
    /// There is no such file.
    case missing
    /// There is one, but not to be read.
    case unreadable
    /// It belongs to others.
    case permission
  }

  package let cause: Cause
  package let message: String

  init(_ cause: Cause, _ message: String) {
    self.cause = cause
    self.message = message
  }
}

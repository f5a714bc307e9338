internal import Glibc

/// Why the bridge cannot serve a program, in words.
package struct BridgeError: Error, Equatable, CustomStringConvertible {
  /// The sentence, without what it is about where a caller puts that before it.
  package let description: String

  /// A complaint about the file or the text as a whole.
  init(_ complaint: String) { description = complaint }

  /// A complaint about a piece of text.
  init(_ text: Substring, _ complaint: String) { description = "\"\(text)\" \(complaint)" }

  /// A complaint of the system's.
  init(_ complaint: String, _ code: Int32) {
    description = "\(complaint): \(unsafe String(cString: strerror(code)))"
  }
}

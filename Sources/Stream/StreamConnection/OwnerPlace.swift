internal import CConnect
package import FixedPoint
package import JSON

/// Where the owner of a sensor offers its stream: what a connection needs to know of it.
package protocol OwnerPlace {
  /// The TCP port; nil for a Unix socket.
  var port: UInt16? { get }
  /// Gives the path of the socket, or the name or address of the host, to `body`.
  func withPlace(_ body: (UnsafePointer<CChar>) -> Int32) -> Int32
  /// Gives what the owner's token file holds to `body`; nothing where there is none.
  func withToken(_ body: (Span<UInt8>) -> Void)
  /// Writes how to give the owner's token, which it needs and was not given.
  func writeTokenAdvice(to writer: inout ByteWriter)
  /// Writes the address, for messages.
  func writeName(to writer: inout ByteWriter)

  // For a place that must be made, as a tunnel of ssh. All others do without.

  /// For how long a socket that is not there yet is tried again.
  var patience: Microseconds { get }
  /// Has the socket made, or goes on with it, without waiting; false where that fails: ``writeTrouble(to:)`` has the
  /// words.
  mutating func prepare() -> Bool
  /// The connection is over.
  mutating func release()
  /// Writes what has gone wrong with the making of the place; nothing where it is not known.
  func writeTrouble(to writer: inout ByteWriter)
}

extension OwnerPlace {
  /// Whether there is a token.
  var hasToken: Bool {
    var count = 0
    withToken { token in count = token.count }
    return count > 0
  }

  package var patience: Microseconds { .zero }
  package mutating func prepare() -> Bool { true }
  package mutating func release() {}
  package func writeTrouble(to writer: inout ByteWriter) {}
}

/// Why a connection is lost, or cannot be made: one sentence.
package struct OwnerLoss: Error {
  /// What kind of loss.
  package enum Cause: Equatable, Sendable {
    /// The owner is not there, or does not respond.
    case unreachable
    /// The system does not let this user in.
    case notPermitted
    /// The owner does not.
    case refused
    /// What listens there does not speak the protocol of a stream.
    case badProtocol
  }

  /// What kind of loss.
  package var cause: Cause
  private var bytes = InlineArray<512, UInt8>(repeating: 0)
  private var count = 0

  /// What `body` writes, cut where it is too long.
  package init(_ cause: Cause, _ body: (inout ByteWriter) -> Void) {
    self.cause = cause
    var span = bytes.mutableSpan
    count = unsafe span.withUnsafeMutableBufferPointer { buffer in
      var writer = unsafe ByteWriter(buffer)
      body(&writer)
      return writer.count
    }
  }

  /// Gives the sentence to `body`.
  package func withWords<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    body(bytes.span.extracting(first: count))
  }
}

extension ByteWriter {
  /// Appends `bytes`, as many of them as fit.
  package mutating func append(bytes: Span<UInt8>) {
    for index in 0..<bytes.count { append(bytes[index]) }
  }

  /// Appends the system's words for `code`, an errno, and the code itself.
  mutating func append(system code: Int32) {
    unsafe append(cString: csupport_connect_text(code))
    append(" (errno ")
    append(whole: widened(code))
    append(")")
  }

  /// Appends the bytes up to the first zero.
  mutating func append(cString: UnsafePointer<CChar>) {
    var next = unsafe cString
    while unsafe next.pointee != 0 {
      append(unsafe UInt8(bitPattern: next.pointee))
      unsafe next += 1
    }
  }

  /// Appends a string of JSON, at most 256 bytes of it, without control characters.
  mutating func append(text value: JSONValue?) {
    guard let value else { return }
    var bytes = InlineArray<256, UInt8>(repeating: 0)
    var count = 0
    value.forEachTextByte { byte in
      guard count < 256 else { return }
      bytes[count] = byte
      count &+= 1
    }
    append(bytes: bytes.span.extracting(first: count))
  }
}

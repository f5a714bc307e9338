internal import CConnect
package import FixedPoint
package import JSON

/// Where the owner of a sensor serves its stream: what a connection needs to know about it.
package protocol OwnerPlace {
  /// The TCP port; nil for a Unix socket and for a serial line.
  var port: UInt16? { get }
  /// Whether it is a serial line: a board with Plumb's firmware.
  var isSerial: Bool { get }
  /// Calls `body` with the path of the socket, the name or address of the host, or the path of the serial device, which
  /// is empty for the only board there is.
  func withPlace(_ body: (UnsafePointer<CChar>) -> Int32) -> Int32
  /// Calls `body` with the owner's token; with nothing if there is none.
  func withToken(_ body: (Span<UInt8>) -> Void)
  /// Writes how to pass the token, for an owner that needs one and did not get it.
  func writeTokenAdvice(to writer: inout ByteWriter)
  /// Writes the address, for messages.
  func writeName(to writer: inout ByteWriter)

  // For a place that must be prepared, such as an ssh tunnel. All others use the defaults.

  /// For how long a socket that does not exist yet is retried.
  var patience: Microseconds { get }
  /// Starts or continues preparing the socket, without waiting; returns false if that fails, and ``writeTrouble(to:)``
  /// says why.
  mutating func prepare() -> Bool
  /// Ends the preparation, because the connection is over.
  mutating func release()
  /// Writes what went wrong in the preparation; nothing if unknown.
  func writeTrouble(to writer: inout ByteWriter)
}

extension OwnerPlace {
  /// Whether there is a token.
  var hasToken: Bool {
    var count = 0
    withToken { token in count = token.count }
    return count > 0
  }

  package var isSerial: Bool { false }
  package var patience: Microseconds { .zero }
  package mutating func prepare() -> Bool { true }
  package mutating func release() {}
  package func writeTrouble(to writer: inout ByteWriter) {}
}

/// Why a connection is lost or cannot be made, in one sentence.
package struct OwnerLoss: Error {
  /// The kind of loss.
  package enum Cause: Equatable, Sendable {
    /// There is no owner, or it does not respond.
    case unreachable
    /// There are several boards, and the address names none of them.
    case ambiguous
    /// The system denies access.
    case notPermitted
    /// The owner refuses.
    case refused
    /// The program that listens there does not speak the protocol of a stream.
    case badProtocol
  }

  /// The kind of loss.
  package var cause: Cause
  private var bytes = InlineArray<512, UInt8>(repeating: 0)
  private var count = 0

  /// A loss with the sentence that `body` writes, cut if it is too long.
  package init(_ cause: Cause, _ body: (inout ByteWriter) -> Void) {
    self.cause = cause
    var span = bytes.mutableSpan
    count = unsafe span.withUnsafeMutableBufferPointer { buffer in
      var writer = unsafe ByteWriter(buffer)
      body(&writer)
      return writer.count
    }
  }

  /// Calls `body` with the sentence.
  package func withWords<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    body(bytes.span.extracting(first: count))
  }
}

extension ByteWriter {
  /// Appends as many of `bytes` as fit.
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

  /// Appends a JSON string, at most 256 bytes of it, without control characters.
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

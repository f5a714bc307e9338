internal import CConnect
internal import JSON

/// A socket or a serial line that never blocks, with the received lines and the unsent bytes stored in place.
///
/// Public, because Embedded Swift does not find the `deinit` of a `package` type in other modules.
public struct StreamSocket: ~Copyable {
  /// The socket; -1 for none.
  package private(set) var descriptor: Int32 = -1
  private var inbox = InlineArray<4_096, UInt8>(repeating: 0)
  /// The last line, and the bytes that follow it in the inbox.
  private var line = 0..<0
  private var unread = 0..<0
  private var outbox = InlineArray<1_024, UInt8>(repeating: 0)
  private var unsent = 0..<0

  /// The maximum length of a line, including its end.
  package static var longestLine: Int { JSONObject.longestLine }

  /// The result of reading the socket.
  package enum Arrival {
    /// More bytes have arrived.
    case more
    /// No bytes at present.
    case none
    /// No more bytes will arrive: the system's code, or 0 if the other end has closed the connection normally.
    case ended(Int32)
  }

  /// The result of looking for a line.
  package enum Found {
    case line
    /// No line is complete yet.
    case none
    /// There are more bytes than a line may have, and no end.
    case tooLong
  }

  package init() {}

  deinit {
    if descriptor >= 0 { csupport_socket_close(descriptor) }
  }

  /// Closes the socket, and discards what it has received.
  package mutating func close() {
    if descriptor >= 0 { csupport_socket_close(descriptor) }
    descriptor = -1
    (line, unread, unsent) = (0..<0, 0..<0, 0..<0)
  }

  /// Takes over `descriptor`, which must not block.
  package mutating func open(_ descriptor: Int32) {
    close()
    self.descriptor = descriptor
  }

  /// Calls `body` with the last line, without its end.
  package func withLine<Result>(_ body: (Span<UInt8>) -> Result) -> Result { body(inbox.span.extracting(line)) }

  /// Advances to the next line.
  package mutating func next() -> Found {
    let limit = min(unread.upperBound, unread.lowerBound &+ Self.longestLine)
    for index in unread.lowerBound..<limit where inbox[index] == 0x0A {
      line = unread.lowerBound..<index
      unread = (index &+ 1)..<unread.upperBound
      return .line
    }
    return unread.count < Self.longestLine ? .none : .tooLong
  }

  /// Discards a line that is too long, with its end if that has arrived. What follows stays: it may be the hello.
  package mutating func skip() {
    for index in unread where inbox[index] == 0x0A {
      unread = (index &+ 1)..<unread.upperBound
      return
    }
    unread = unread.upperBound..<unread.upperBound
  }

  /// Receives what has arrived. There is always space, because less than a line is unread.
  package mutating func fill() -> Arrival {
    line = 0..<0
    for index in 0..<unread.count { inbox[index] = inbox[unread.lowerBound &+ index] }
    unread = 0..<unread.count
    let (descriptor, start) = (descriptor, unread.count)
    var bytes = inbox.mutableSpan
    let count = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return 0 as Int32 }
      return unsafe csupport_socket_receive(descriptor, base + start, buffer.count &- start)
    }
    if count > 0 {
      unread = 0..<(start &+ Int(truncatingIfNeeded: count))
      return .more
    }
    return csupport_socket_is_blocked(0 &- count) ? .none : .ended(0 &- count)
  }

  /// Whether there are unsent bytes.
  package var waitsToWrite: Bool { !unsent.isEmpty }

  /// Sends `line` and its end. Returns false if too much is unsent already, which no request comes near.
  package mutating func put(_ line: Span<UInt8>) -> Bool {
    let start = unsent.count
    for index in 0..<start { outbox[index] = outbox[unsent.lowerBound &+ index] }
    unsent = 0..<start
    guard start &+ line.count < 1_024 else { return false }
    for index in 0..<line.count { outbox[start &+ index] = line[index] }
    outbox[start &+ line.count] = 0x0A
    unsent = 0..<(start &+ line.count &+ 1)
    flush()
    return true
  }

  /// Sends as many unsent bytes as possible. Receiving finds errors.
  package mutating func flush() {
    while !unsent.isEmpty {
      let bytes = outbox.span.extracting(unsent)
      let (descriptor, waiting) = (descriptor, unsent)
      let count = unsafe bytes.withUnsafeBufferPointer { buffer in
        unsafe csupport_socket_send(descriptor, buffer.baseAddress, buffer.count, nil, 0)
      }
      guard count > 0 else { return }
      unsent = (waiting.lowerBound &+ Int(truncatingIfNeeded: count))..<waiting.upperBound
    }
  }
}

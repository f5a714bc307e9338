internal import CConnect
internal import JSON

/// A socket that never blocks, with the lines that have come over it and the bytes that wait to go: both in place.
///
/// Public, because Embedded Swift does not find the `deinit` of a type of `package` in other modules.
public struct StreamSocket: ~Copyable {
  /// The socket; -1 for none.
  package private(set) var descriptor: Int32 = -1
  private var inbox = InlineArray<4_096, UInt8>(repeating: 0)
  /// The last line, in the inbox, and what follows it there.
  private var line = 0..<0
  private var unread = 0..<0
  private var outbox = InlineArray<1_024, UInt8>(repeating: 0)
  private var unsent = 0..<0

  /// The most bytes of a line, with its end.
  package static var longestLine: Int { JSONObject.longestLine }

  /// What reading a socket came to.
  package enum Arrival {
    /// There are more bytes than before.
    case more
    /// No byte is there at present.
    case none
    /// No byte comes any more: with the system's code, or 0 where the other end has closed in order.
    case ended(Int32)
  }

  /// What looking for a line came to.
  package enum Found {
    case line
    /// None is whole yet.
    case none
    /// There are more bytes than a line has, and no end.
    case tooLong
  }

  package init() {}

  deinit {
    if descriptor >= 0 { csupport_socket_close(descriptor) }
  }

  /// Closes the socket, and forgets what came over it.
  package mutating func close() {
    if descriptor >= 0 { csupport_socket_close(descriptor) }
    descriptor = -1
    (line, unread, unsent) = (0..<0, 0..<0, 0..<0)
  }

  /// Takes over `descriptor`, which does not block.
  package mutating func open(_ descriptor: Int32) {
    close()
    self.descriptor = descriptor
  }

  /// Gives the last line, without its end, to `body`.
  package func withLine<Result>(_ body: (Span<UInt8>) -> Result) -> Result { body(inbox.span.extracting(line)) }

  /// Goes on to the next line.
  package mutating func next() -> Found {
    let limit = min(unread.upperBound, unread.lowerBound &+ Self.longestLine)
    for index in unread.lowerBound..<limit where inbox[index] == 0x0A {
      line = unread.lowerBound..<index
      unread = (index &+ 1)..<unread.upperBound
      return .line
    }
    return unread.count < Self.longestLine ? .none : .tooLong
  }

  /// Receives what has come, into room that is always there: less than a line is unread.
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

  /// Whether bytes wait to go.
  package var waitsToWrite: Bool { !unsent.isEmpty }

  /// Has `line` go, and its end. False where too much waits already, which nothing that is asked for comes near.
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

  /// Sends what waits, as far as it goes. An error is found by receiving.
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

/// The received bytes of requests that are incomplete or not handled yet, in the caller's memory.
@safe
package struct Inbox {
  private let bytes: UnsafeMutableBufferPointer<UInt8>
  private var received = 0
  /// Whether the rest of a line is to be skipped.
  private var skipsLine = false

  /// An empty inbox.
  package init(_ bytes: UnsafeMutableBufferPointer<UInt8>) { unsafe self.bytes = bytes }

  /// The result of looking for a request.
  package enum Heard {
    /// A line of this many bytes, not counting its end: see ``line(_:)``.
    case line(Int)
    /// A line that is too long for the inbox.
    case tooLong
    /// Nothing more for now.
    case nothing
  }

  /// Whether more can be received.
  package var hasRoom: Bool { unsafe received < bytes.count }

  /// Forgets everything.
  package mutating func clear() { (received, skipsLine) = (0, false) }

  /// Calls `receive` with the free memory; it returns how many bytes it put there, or an error.
  package mutating func fill(_ receive: (UnsafeMutableBufferPointer<UInt8>) -> Int32) -> Int32 {
    let whole = unsafe bytes.count
    let count = unsafe receive(UnsafeMutableBufferPointer(rebasing: bytes[received..<whole]))
    if count > 0 { received = min(whole, received &+ Int(truncatingIfNeeded: count)) }
    return count
  }

  /// Ends the last line: no more will be received.
  package mutating func endLine() {
    guard received > 0, hasRoom else { return }
    unsafe bytes[received] = 0x0A
    received &+= 1
  }

  /// The next line, if it may be returned now; call ``dropLine(_:)`` once it has been handled.
  package mutating func nextLine(mayReturn: Bool = true) -> Heard {
    var length = 0
    while length < received {
      guard unsafe bytes[length] == 0x0A else {
        length &+= 1
        continue
      }
      if skipsLine {
        skipsLine = false
        dropLine(length)
        length = 0
        continue
      }
      guard mayReturn else { return .nothing }
      return .line(length)
    }
    guard skipsLine || !hasRoom else { return .nothing }
    // None of it is kept.
    received = 0
    defer { skipsLine = true }
    return skipsLine ? .nothing : .tooLong
  }

  /// The line of `length` bytes, valid until more is received.
  package func line(_ length: Int) -> UnsafeBufferPointer<UInt8> {
    unsafe UnsafeBufferPointer(rebasing: bytes[0..<max(0, min(received, length))])
  }

  /// Removes the line of `length` bytes and its end.
  package mutating func dropLine(_ length: Int) {
    let count = length &+ 1
    for index in count..<max(count, received) { unsafe bytes[index &- count] = unsafe bytes[index] }
    received = max(0, received &- count)
  }
}

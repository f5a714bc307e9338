/// The lines that a client has not yet received: a ring of whole lines in the caller's memory.
///
/// A line that does not fit replaces the oldest whole ones. In their place the client gets one line that counts them,
/// but never inside a line that is partly sent.
@safe
package struct Outbox {
  private let bytes: UnsafeMutableBufferPointer<UInt8>
  /// The index of the first unsent byte, 0 ..< `bytes.count`.
  private var start = 0
  /// The number of unsent bytes, without the line that counts lost ones if that is not written yet.
  package private(set) var count = 0
  /// Whether the first bytes are the rest of a partly sent line.
  private var isHalfSent = false
  /// How many lines were lost since the last line that counts lost ones was written.
  private var missed: UInt64 = 0
  /// The count in the line about lost ones, while it is first and entirely unsent; otherwise 0.
  private var noted: UInt64 = 0
  /// How many lines were lost in total.
  package private(set) var missedInAll: UInt64 = 0

  /// The space reserved for the line that counts lost ones.
  package static var reserve: Int { 64 }

  /// An empty outbox whose lines are in `bytes`, of which it keeps ``reserve`` free.
  package init(_ bytes: UnsafeMutableBufferPointer<UInt8>) { unsafe self.bytes = bytes }

  /// Whether there is nothing to send.
  package var isEmpty: Bool { count == 0 && missed == 0 }

  /// Appends a line with its end; counts it as lost if it cannot fit.
  package mutating func append(_ line: UnsafeBufferPointer<UInt8>) {
    let limit = unsafe bytes.count &- Self.reserve
    while count &+ line.count > limit {
      guard line.count <= limit, dropOldest() else {
        // One line counts all the lost ones.
        if noted > 0 { _ = dropOldest() }
        return lose()
      }
    }
    for index in 0..<line.count { unsafe bytes[place(count &+ index)] = unsafe line[index] }
    count &+= line.count
  }

  /// Writes the line that counts lost ones, if it is due.
  private mutating func note() {
    guard missed > 0, !isHalfSent else { return }
    var line = InlineArray<64, UInt8>(repeating: 0)
    var span = line.mutableSpan
    let length = unsafe span.withUnsafeMutableBufferPointer { unsafe ObjectWriter.missed(missed, into: $0) }
    start = place(unsafe bytes.count &- length)
    for index in 0..<length { unsafe bytes[place(index)] = line[index] }
    count &+= length
    (noted, missed) = (missed, 0)
  }

  /// Calls `send` once with everything to send, or with only the rest of a line if those after it were lost, in two
  /// parts if it wraps around the end of the ring. `send` returns how many bytes were taken, 0 or more, or an error. Do
  /// not call it on an empty outbox.
  package mutating func flush(
    _ send: (_ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>) -> Int32
  ) -> Int32 {
    note()
    // No line after lost ones is sent before the line that counts them.
    let due = missed > 0 && isHalfSent ? lengthOfLine(from: 0) : count
    let whole = unsafe bytes.count
    let first = min(due, whole &- start)
    let sent = unsafe send(
      UnsafeBufferPointer(rebasing: bytes[start..<(start &+ first)]),
      UnsafeBufferPointer(rebasing: bytes[0..<(due &- first)]))
    remove(Int(truncatingIfNeeded: sent))
    return sent
  }

  private mutating func remove(_ sent: Int) {
    guard sent > 0, sent <= count else { return }
    isHalfSent = unsafe bytes[place(sent &- 1)] != 0x0A
    noted = 0
    count &-= sent
    // Start again at the beginning, where the memory is in use already.
    start = count == 0 ? 0 : place(sent)
  }

  /// Drops the oldest entirely unsent line; returns false if there is none.
  private mutating func dropOldest() -> Bool {
    let first = isHalfSent ? lengthOfLine(from: 0) : 0
    guard first < count else { return false }
    let length = lengthOfLine(from: first)
    if noted > 0 {
      (missed, noted) = (noted, 0)
    } else {
      lose()
    }
    // The partly sent line moves up to the remaining lines.
    var index = first
    while index > 0 {
      index &-= 1
      unsafe bytes[place(length &+ index)] = unsafe bytes[place(index)]
    }
    start = place(length)
    count &-= length
    return true
  }

  private mutating func lose() {
    missed &+= 1
    missedInAll &+= 1
  }

  /// The length, including its end, of the line that begins `offset` bytes after the first.
  private func lengthOfLine(from offset: Int) -> Int {
    var index = offset
    while index < count {
      index &+= 1
      if unsafe bytes[place(index &- 1)] == 0x0A { break }
    }
    return index &- offset
  }

  /// The ring index of the byte at `offset`, less than two rings, from the first.
  @inline(__always)
  private func place(_ offset: Int) -> Int {
    let place = start &+ offset
    return unsafe place >= bytes.count ? place &- bytes.count : place
  }
}

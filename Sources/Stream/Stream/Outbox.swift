/// The lines that a client has not taken yet: a ring of whole lines in memory of the caller's.
///
/// A line that does not fit takes the place of the oldest whole ones. In their place the client gets one line that
/// counts them, never inside a line of which it has a part already.
@safe
package struct Outbox {
  private let bytes: UnsafeMutableBufferPointer<UInt8>
  /// Where the first byte is that was not sent, 0 ..< `bytes.count`.
  private var start = 0
  /// How many bytes there are to send, without the line that counts lost ones if that is not written yet.
  package private(set) var count = 0
  /// Whether the first bytes are the rest of a line of which a part was sent.
  private var isHalfSent = false
  /// How many lines were lost since the last line that counts them was written.
  private var missed: UInt64 = 0
  /// What the line says that counts lost ones, where it is the first and nothing of it was sent; else 0.
  private var noted: UInt64 = 0
  /// How many lines were lost so far.
  package private(set) var missedInAll: UInt64 = 0

  /// Room that is kept for the line that counts lost ones.
  package static var reserve: Int { 64 }

  /// An empty outbox with its lines in `bytes`, of which it keeps ``reserve`` free.
  package init(_ bytes: UnsafeMutableBufferPointer<UInt8>) { unsafe self.bytes = bytes }

  /// Whether there is nothing to send.
  package var isEmpty: Bool { count == 0 && missed == 0 }

  /// Adds a line with its end, and counts it as lost if it fits in no way.
  package mutating func append(_ line: UnsafeBufferPointer<UInt8>) {
    let limit = unsafe bytes.count &- Self.reserve
    while count &+ line.count > limit {
      guard line.count <= limit, dropOldest() else {
        // One line counts all that are lost.
        if noted > 0 { _ = dropOldest() }
        return lose()
      }
    }
    for index in 0..<line.count { unsafe bytes[place(count &+ index)] = unsafe line[index] }
    count &+= line.count
  }

  /// Writes the line that counts lost ones, if it is time for it.
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

  /// Calls `send` once with all that there is to send, or with the rest of a line if those after it were lost, in two
  /// parts where it lies around the end of the ring; `send` returns how much of it was taken, 0 or more, or what went
  /// wrong. Not with nothing.
  package mutating func flush(
    _ send: (_ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>) -> Int32
  ) -> Int32 {
    note()
    // Of lines after lost ones nothing is sent before the line that counts those.
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
    // From the beginning, where the memory is in use already.
    start = count == 0 ? 0 : place(sent)
  }

  /// Drops the oldest line of which nothing was sent; false if there is none.
  private mutating func dropOldest() -> Bool {
    let first = isHalfSent ? lengthOfLine(from: 0) : 0
    guard first < count else { return false }
    let length = lengthOfLine(from: first)
    if noted > 0 {
      (missed, noted) = (noted, 0)
    } else {
      lose()
    }
    // The part that is under way moves up to the lines that stay.
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

  /// The length of the line that begins at `offset` from the first byte, with its end.
  private func lengthOfLine(from offset: Int) -> Int {
    var index = offset
    while index < count {
      index &+= 1
      if unsafe bytes[place(index &- 1)] == 0x0A { break }
    }
    return index &- offset
  }

  /// Where in the ring the byte is that is `offset`, less than two rings, behind the first.
  @inline(__always)
  private func place(_ offset: Int) -> Int {
    let place = start &+ offset
    return unsafe place >= bytes.count ? place &- bytes.count : place
  }
}

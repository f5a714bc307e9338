import Glibc

/// Standard output, written in whole lines.
///
/// Where the reader has gone away (a closed pipe), writing ends quietly and `isClosed` tells.
struct Output {
  private(set) var isClosed = false
  private var buffer: [UInt8] = []
  private let capacity: Int

  /// `isLive`: each line is shown at once; otherwise lines are gathered for fewer, larger writes.
  init(isLive: Bool) { capacity = isLive ? 0 : 1 << 16 }

  /// Writes `text` and a line feed.
  mutating func line(_ text: String) throws(Failure) {
    guard !isClosed else { return }
    buffer.append(contentsOf: text.utf8)
    buffer.append(0x0A)
    if buffer.count > capacity { try flush() }
  }

  /// Hands everything to the system.
  mutating func flush() throws(Failure) {
    var rest = buffer[...]
    buffer.removeAll(keepingCapacity: true)
    while !rest.isEmpty && !isClosed {
      let count = unsafe rest.withUnsafeBytes { unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EPIPE {
        isClosed = true
      } else if errno != EINTR {
        throw Failure(.cannotCreate, "standard output cannot be written: \(systemText(errno))")
      }
    }
  }
}

internal import Glibc

/// A file that several processes append lines to, one at a time.
///
/// Whoever locks it reads what the others have appended since, and may then append a line of its own.
final class Journal {
  private let descriptor: Int32
  /// How far it was read or written by us.
  private var position: off_t = 0

  /// Opens the file at `path`, made where there is none.
  init(path: String) throws(BridgeError) {
    descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw BridgeError("cannot be opened", errno) }
  }

  deinit { close(descriptor) }

  /// Waits until no other process has it, and keeps them out until ``unlock()``.
  ///
  /// A lock of the process, not of the open file: a forked child shares the latter with its parent.
  func lock() throws(BridgeError) {
    // From the file's own position, which never moves from 0, to its end and beyond.
    while lockf(descriptor, F_LOCK, 0) != 0 {
      guard errno == EINTR else { throw BridgeError("cannot be locked", errno) }
    }
  }

  /// Lets the others have it.
  func unlock() {
    // Giving back what we have does not fail.
    _ = lockf(descriptor, F_ULOCK, 0)
  }

  /// Begins the journal with the line `first` where nobody has, and returns its first line; only while locked.
  ///
  /// The lines after it are left for ``newLines()``.
  func begin(_ first: String) throws(BridgeError) -> String {
    if let found = try newLines().split(separator: "\n").first {
      position = off_t(found.utf8.count + 1)
      return String(found)
    }
    try append(first)
    return first
  }

  /// The whole lines that others have appended since the last call; only while locked.
  func newLines() throws(BridgeError) -> String {
    let chunk = 65_536
    var bytes: [UInt8] = []
    var count = chunk
    while count == chunk {
      let start = bytes.count
      bytes.append(contentsOf: repeatElement(0, count: chunk))
      count = unsafe bytes.withUnsafeMutableBytes { buffer in
        guard let base = buffer.baseAddress else { return 0 }
        return unsafe pread(descriptor, base + start, chunk, position + off_t(start))
      }
      guard count >= 0 else { throw BridgeError("cannot be read", errno) }
      bytes.removeLast(chunk - count)
    }
    // A line without an end is of a process that was ended while it wrote.
    let whole = bytes[..<((bytes.lastIndex(of: 0x0A) ?? -1) + 1)]
    position += off_t(whole.count)
    return String(decoding: whole, as: UTF8.self)
  }

  /// Appends `line`; only while locked and after ``newLines()``.
  func append(_ line: String) throws(BridgeError) {
    let bytes = Array((line + "\n").utf8)
    // Cuts off what somebody did not finish.
    guard ftruncate(descriptor, position) == 0 else { throw BridgeError("cannot be shortened", errno) }
    let count = unsafe pwrite(descriptor, bytes, bytes.count, position)
    guard count == bytes.count else { throw BridgeError("cannot be written", count < 0 ? errno : ENOSPC) }
    position += off_t(count)
  }
}

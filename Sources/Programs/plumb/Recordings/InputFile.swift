internal import Glibc
internal import LinuxHAL
internal import PlumbViews

/// A file read line by line, one piece at a time, into one buffer.
package struct InputFile: ~Copyable {
  /// The number of the last line read, from 1.
  package private(set) var lineNumber = 0
  /// What messages call the file.
  package let name: String
  /// The size of the file in bytes; nil if unknown, as for a pipe.
  package let size: Int64?
  /// How many bytes have been read so far.
  package private(set) var position: Int64 = 0
  /// The bytes that include the last line.
  package private(set) var bytes: [UInt8]

  private let descriptor: Int32
  private let longestLine: Int
  /// The range in `bytes` that was read but not returned yet.
  private var unread = 0..<0

  /// The longest accepted line of a recording, in bytes; no line of numbers comes near it.
  package static let longestOfRecording = 1_000
  /// How many bytes are read at once.
  private static let piece = 1 << 18

  /// Opens the file at `path`; `-` is standard input. A line longer than `longestLine` bytes is an error.
  package init(_ path: String, longestLine: Int = longestOfRecording) throws(InputError) {
    let isStandardInput = path == "-"
    let descriptor = isStandardInput ? dup(STDIN_FILENO) : unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.cannotRead(printable(path), errno) }
    self.init(descriptor, name: isStandardInput ? "standard input" : printable(path), longestLine: longestLine)
  }

  /// The open file `descriptor`, which it closes at the end; messages call it `name`.
  package init(_ descriptor: Int32, name: String, longestLine: Int = longestOfRecording) {
    self.descriptor = descriptor
    self.name = name
    self.longestLine = longestLine
    var status = stat()
    let isFile = unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
    size = isFile ? Int64(status.st_size) : nil
    bytes = [UInt8](repeating: 0, count: Self.piece)
  }

  deinit { close(descriptor) }

  /// The position of the last line, for messages.
  package var place: String { "\(name):\(lineNumber)" }

  /// The next line without its line feed; nil after the last one.
  package mutating func line() throws(InputError) -> [UInt8]? { try nextLine().map { Array(bytes[$0]) } }

  /// The range in `bytes` of the next line, without its line feed; nil after the last one.
  package mutating func nextLine() throws(InputError) -> Range<Int>? {
    while true {
      if let end = lineFeed() {
        let line = unread.lowerBound..<end
        unread = (end + 1)..<unread.upperBound
        return try counted(line)
      }
      guard unread.count <= longestLine else { return try counted(unread) }
      guard try !readPiece() else { continue }
      let line = unread
      unread = line.upperBound..<line.upperBound
      return line.isEmpty ? nil : try counted(line)
    }
  }

  /// Makes ``nextLine()`` return `line`, the last one, again.
  package mutating func putBack(_ line: Range<Int>) {
    unread = line.lowerBound..<unread.upperBound
    lineNumber -= 1
  }

  private func lineFeed() -> Int? {
    let unread = unread
    return unsafe bytes.withUnsafeBytes { bytes in
      guard !unread.isEmpty, let start = bytes.baseAddress,
        let found = unsafe memchr(start + unread.lowerBound, 0x0A, unread.count)
      else { return nil }
      return unsafe UnsafeRawPointer(found) - start
    }
  }

  private mutating func counted(_ line: Range<Int>) throws(InputError) -> Range<Int> {
    lineNumber += 1
    guard line.count <= longestLine else {
      throw InputError(.data, "\(place): a line of over \(longestLine) bytes; is this a CSV file?")
    }
    return line
  }

  /// Reads more after the unread bytes, which it moves to the beginning of `bytes`. Returns whether there was more.
  private mutating func readPiece() throws(InputError) -> Bool {
    let kept = unread.count
    // Only if lines may be of any length.
    if kept == bytes.count { bytes.append(contentsOf: [UInt8](repeating: 0, count: kept)) }
    while true {
      let (start, descriptor) = (unread.lowerBound, descriptor)
      let count = unsafe bytes.withUnsafeMutableBytes { bytes in
        guard let base = bytes.baseAddress else { return 0 }
        if start > 0 { unsafe memmove(base, base + start, kept) }
        return unsafe read(descriptor, base + kept, bytes.count - kept)
      }
      unread = 0..<(kept + max(0, count))
      if count >= 0 {
        position += Int64(count)
        return count > 0
      }
      if errno != EINTR { throw Self.cannotRead(name, errno) }
    }
  }

  private static func cannotRead(_ path: String, _ code: Int32) -> InputError {
    switch code {
    case ENOENT, ENOTDIR: InputError(.missing, "\(path): no such file")
    case EACCES, EPERM: InputError(.permission, "\(path): no permission to read this file")
    case EISDIR: InputError(.unreadable, "\(path): a directory, not a file")
    default: InputError(.unreadable, "\(path): the file cannot be read: \(systemText(code))")
    }
  }
}

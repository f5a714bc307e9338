import Glibc
import LinuxHAL

/// A file that is read line by line, a piece at a time, into one buffer.
struct InputFile: ~Copyable {
  /// The number of the line that was read last, from 1.
  private(set) var lineNumber = 0
  /// What messages call the file.
  let name: String
  /// The number of bytes in the file; nil where that is not known, as of a pipe.
  let size: Int64?
  /// The number of bytes that were read so far.
  private(set) var position: Int64 = 0
  /// The bytes among which the last line is.
  private(set) var bytes: [UInt8]

  private let descriptor: Int32
  private let longestLine: Int
  /// Where in `bytes` those are that were read but not returned yet.
  private var unread = 0..<0

  /// The longest line of a recording that is accepted, in bytes; no line of numbers is near it.
  private static let longestOfRecording = 1_000
  /// The number of bytes that are read at once.
  private static let piece = 1 << 18

  /// Opens the file at `path`; `-` is standard input. A line of more than `longestLine` bytes is an error.
  init(_ path: String, longestLine: Int = longestOfRecording) throws(ToolError) {
    self.longestLine = longestLine
    let isStandardInput = path == "-"
    descriptor = isStandardInput ? dup(STDIN_FILENO) : unsafe open(path, O_RDONLY | O_CLOEXEC)
    let code = errno
    guard descriptor >= 0 else { throw Self.cannotRead(printable(path), code, Self.hint(about: path)) }
    name = isStandardInput ? "standard input" : printable(path)
    var status = stat()
    let isFile = unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
    size = isFile ? Int64(status.st_size) : nil
    bytes = [UInt8](repeating: 0, count: Self.piece)
  }

  deinit { close(descriptor) }

  /// Where in the file the line is that was read last, for messages.
  var place: String { "\(name):\(lineNumber)" }

  /// The next line without its line feed; nil after the last one.
  mutating func line() throws(ToolError) -> [UInt8]? { try nextLine().map { Array(bytes[$0]) } }

  /// Where in `bytes` the next line is, without its line feed; nil after the last one.
  mutating func nextLine() throws(ToolError) -> Range<Int>? {
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

  /// Has ``nextLine()`` return `line`, the last one, once more.
  mutating func putBack(_ line: Range<Int>) {
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

  private mutating func counted(_ line: Range<Int>) throws(ToolError) -> Range<Int> {
    lineNumber += 1
    guard line.count <= longestLine else {
      throw ToolError(.data, "\(place): a line of over \(longestLine) bytes; is this a CSV file?")
    }
    return line
  }

  /// Reads more behind what is unread, which moves to the beginning of `bytes`. Returns whether there was more.
  private mutating func readPiece() throws(ToolError) -> Bool {
    let kept = unread.count
    // Only where lines may be of any length.
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

  /// The hint in the error of a recording that is not there: the nearest name in its folder, if one is near.
  private static func hint(about path: String) -> String {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    let names = BoardCatalogue.names(in: folder.isEmpty ? "." : folder) ?? []
    let near = Misspelling.nearest(to: String(path.dropFirst(folder.count)), in: names.filter { $0.hasSuffix(".csv") })
    return near.map { " (did you mean \(printable(folder + $0))?)" } ?? ""
  }

  private static func cannotRead(_ path: String, _ code: Int32, _ hint: String = "") -> ToolError {
    switch code {
    case ENOENT, ENOTDIR: ToolError(.noInput, "\(path): no such file\(hint)")
    case EACCES, EPERM: ToolError(.noPermission, "\(path): no permission to read this file")
    case EISDIR: ToolError(.noInput, "\(path): a directory, not a file")
    default: ToolError(.noInput, "\(path): the file cannot be read: \(systemText(code))")
    }
  }
}

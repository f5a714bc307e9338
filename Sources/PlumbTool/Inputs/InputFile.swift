import Glibc
import LinuxHAL

/// A file that is read line by line, a piece at a time.
struct InputFile: ~Copyable {
  /// The number of the line that was read last, from 1.
  private(set) var lineNumber = 0
  /// What messages call the file.
  let name: String

  private let descriptor: Int32
  private let longestLine: Int
  private var piece: [UInt8]
  private var rest: ArraySlice<UInt8> = []

  /// The longest line of a recording that is accepted, in bytes; no line of four numbers is near it.
  private static let longestOfRecording = 1_000

  /// Opens the file at `path`; `-` is standard input. A line of more than `longestLine` bytes is an error.
  init(_ path: String, longestLine: Int = longestOfRecording) throws(ToolError) {
    self.longestLine = longestLine
    let isStandardInput = path == "-"
    descriptor = isStandardInput ? dup(STDIN_FILENO) : unsafe open(path, O_RDONLY | O_CLOEXEC)
    let code = errno
    guard descriptor >= 0 else { throw Self.cannotRead(printable(path), code, Self.hint(about: path)) }
    name = isStandardInput ? "standard input" : printable(path)
    piece = [UInt8](repeating: 0, count: 1 << 16)
  }

  deinit { close(descriptor) }

  /// Where in the file the line is that was read last, for messages.
  var place: String { "\(name):\(lineNumber)" }

  /// The next line without its line feed; nil after the last one.
  mutating func line() throws(ToolError) -> [UInt8]? {
    var line: [UInt8] = []
    while true {
      if let end = rest.firstIndex(of: 0x0A) {
        line += rest[..<end]
        rest = rest[(end + 1)...]
        return try counted(line)
      }
      line += rest
      guard line.count <= longestLine else { return try counted(line) }
      try readPiece()
      if rest.isEmpty { return line.isEmpty ? nil : try counted(line) }
    }
  }

  private mutating func counted(_ line: [UInt8]) throws(ToolError) -> [UInt8] {
    lineNumber += 1
    guard line.count <= longestLine else {
      throw ToolError(.data, "\(place): a line of over \(longestLine) bytes; is this a CSV file?")
    }
    return line
  }

  private mutating func readPiece() throws(ToolError) {
    while true {
      let count = unsafe piece.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = piece[..<count]
        return
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
    case ENOENT, ENOTDIR: ToolError(.noInput, "\(path): there is no such file\(hint)")
    case EACCES, EPERM: ToolError(.noPermission, "\(path): this file may not be read; check its permissions")
    case EISDIR: ToolError(.noInput, "\(path): this is a directory; a file was expected")
    default: ToolError(.noInput, "\(path): the file cannot be read: \(systemText(code))")
    }
  }
}

import BoardFile
import Glibc
import LinuxHAL

/// Changes keys in a board file, and nothing else in it.
///
/// A symbolic link is followed and stays one. The file is replaced as a whole (`ReplacementFile`): whatever happens, its
/// name stands for the old text or for the new one. Of several hard links only this name gets the new text.
struct BoardEditor {
  /// What messages call the file.
  let name: String
  /// The board as it was when the file was opened.
  let board: BoardDescription
  /// The file itself, behind symbolic links.
  private let file: String

  /// A change to a board file.
  struct Change {
    var section: BoardSection
    var entries: [BoardText.Entry]
    /// What is written above keys that were not there.
    var comment: String
    /// Takes what may have changed from the second board into the first, which then must be equal to it.
    var adopt: (inout BoardDescription, BoardDescription) -> Void
  }

  /// Reads the board file that an option names: a path, or the name of one that comes with plumb. What is in a folder of
  /// those, however it is named, is for all, and so nothing `isWritten` into it.
  init(_ option: String, isWritten: Bool) throws(ToolError) {
    let path = boardPath(option, in: nil)
    board = try readBoard(path)
    name = printable(path)
    guard let resolved = unsafe realpath(path, nil) else { throw Self.cannotRead(name, errno) }
    file = unsafe String(cString: resolved)
    unsafe free(resolved)
    guard isWritten && (path != option || BoardCatalogue().holds(file)) else { return }
    let what = path == option ? "is in the folder of the boards that come with plumb," : "comes with plumb"
    throw ToolError(
      .cannotCreate,
      "\(printable(option)) \(what) and is left alone; copy it: `cp \(shellWord(path)) my-board.ini`, then --board my-board.ini"
    )
  }

  /// Finds out whether a change like `change` could be written, without writing it: a user is not to turn a board
  /// round and round for nothing.
  func rehearse(_ change: Change) throws(ToolError) {
    try replacement(change).write(commits: false)
  }

  /// Writes `change` into the file as it is now: it may have been edited since it was opened.
  func write(_ change: Change) throws(ToolError) {
    try replacement(change).write(commits: true)
  }

  /// The file with the change: its text has been read again and found to say what it should.
  private func replacement(_ change: Change) throws(ToolError) -> ReplacementFile {
    let (bytes, status) = try content()
    var text = BoardText(bytes)
    let section = change.section.name.description
    guard text.set(change.entries, in: section, comment: change.comment) else {
      throw ToolError(.configuration, "\(name): there is no section [\(section)] to write to; nothing is written")
    }
    guard text.bytes.count <= Self.greatestSize else {
      throw ToolError(.cannotCreate, "\(name): no room in this file, which may have 64 KiB; nothing is written")
    }
    var expected = try parsed(bytes)
    let changed = try parsed(text.bytes)
    change.adopt(&expected, changed)
    guard changed == expected else {
      throw ToolError(.internal, "\(name): the changed text would say something else; nothing is written")
    }
    return ReplacementFile(target: file, name: name, status: status, bytes: text.bytes)
  }

  private func parsed(_ bytes: [UInt8]) throws(ToolError) -> BoardDescription {
    do {
      return try BoardDescription.parse(bytes.span)
    } catch {
      throw ToolError(.configuration, "\(error.description(file: name)); nothing is written")
    }
  }

  /// What board files may have at most.
  private static let greatestSize = 65_536

  private func content() throws(ToolError) -> (bytes: [UInt8], status: stat) {
    // Not to wait for a pipe, should there be one of that name now.
    let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { throw Self.cannotRead(name, errno) }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw Self.cannotRead(name, errno) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw ToolError(.cannotCreate, "\(name): no ordinary file, so that nothing can be written into it")
    }
    guard unsafe access(file, W_OK) == 0 else { throw ReplacementFile.cannotWrite(name, errno) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 14)
    while bytes.count <= Self.greatestSize {
      let count = unsafe piece.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw Self.cannotRead(name, errno) }
      if count == 0 { break }
      bytes += piece[..<count]
    }
    return (bytes, status)
  }

  private static func cannotRead(_ name: String, _ code: Int32) -> ToolError {
    switch code {
    case ENOENT, ENOTDIR: ToolError(.cannotCreate, "\(name): the board file has vanished; nothing is written")
    case EACCES, EPERM: ToolError(.noPermission, "\(name): no permission to read this board file; nothing is written")
    default: ToolError(.cannotCreate, "\(name): the board file cannot be read: \(systemText(code)); nothing is written")
    }
  }
}

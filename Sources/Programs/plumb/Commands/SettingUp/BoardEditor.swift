import BoardFile
import Glibc
import LinuxHAL
import PlumbViews
import ToolInputs
import ToolOutput

/// Changes keys in a board file, and nothing else in it.
///
/// A symbolic link is followed and stays one. The file is replaced as a whole (`ReplacementFile`): whatever happens,
/// its name refers to either the old or the new text. Of several hard links, only this name gets the new text.
struct BoardEditor {
  /// What messages call the file.
  let name: String
  /// The board as it was when the file was opened.
  let board: BoardDescription
  /// The file itself, with symbolic links resolved.
  private let file: String

  /// A change to a board file.
  struct Change {
    var section: BoardSection
    var entries: [BoardText.Entry]
    /// The comment above new keys.
    var comment: String
    /// What happens to the keys.
    var kind = Kind.set
    /// Copies what may have changed from the second board into the first, which must then equal it.
    var adopt: (inout BoardDescription, BoardDescription) -> Void
  }

  /// What a change does to its keys.
  enum Kind {
    /// Sets them, in an existing section.
    case set
    /// Sets them, in a section that is added if it is missing.
    case add
    /// Removes them.
    case remove
  }

  /// Reads the board file that an option names: a path, or the name of a file that comes with plumb. The files in
  /// plumb's own folders are shared, however they are named, so none of them may be `isWritten`.
  init(_ option: String, isWritten: Bool) throws(ToolError) {
    let path = boardPath(option, in: nil)
    board = try readBoard(path)
    name = printable(path)
    guard let resolved = unsafe realpath(path, nil) else { throw Self.cannotRead(name, errno) }
    file = unsafe String(cString: resolved)
    unsafe free(resolved)
    guard isWritten && (path != option || BoardCatalogue().holds(file)) else { return }
    let what = path == option ? "is in the folder of the board files that come with plumb," : "comes with plumb"
    throw ToolError(
      .cannotCreate,
      "\(printable(option)) \(what) and is not changed; copy it: `cp \(shellWord(path)) my-board.ini`, then --board my-board.ini"
    )
  }

  /// Checks whether a change like `change` could be written, without writing it, so that a user does not turn a board
  /// for nothing.
  func rehearse(_ change: Change) throws(ToolError) {
    try replacement(change).write(commits: false)
  }

  /// Writes `change` into the current file, which may have been edited since it was opened.
  func write(_ change: Change) throws(ToolError) {
    try replacement(change).write(commits: true)
  }

  /// The file with the change, whose text was parsed again and says what it should.
  private func replacement(_ change: Change) throws(ToolError) -> ReplacementFile {
    let (bytes, status) = try content()
    return ReplacementFile(target: file, name: name, status: status, bytes: try Self.changed(bytes, by: change, name))
  }

  /// The text `bytes` of the board file that messages call `name`, with `change`. It was parsed again and says what it
  /// should.
  static func changed(_ bytes: [UInt8], by change: Change, _ name: String) throws(ToolError) -> [UInt8] {
    var text = BoardText(bytes)
    let section = change.section.name.description
    switch change.kind {
    case .remove: for entry in change.entries { text.remove(entry.key, from: section, comment: change.comment) }
    case .add where !text.isThere(section): text.append(change.entries, as: section, comment: change.comment)
    case .set, .add:
      guard text.set(change.entries, in: section, comment: change.comment) else {
        throw ToolError(.configuration, "\(name): no section [\(section)]; nothing was written")
      }
    }
    guard text.bytes.count <= greatestSize else {
      throw ToolError(.cannotCreate, "\(name): the file would be larger than 64 KiB; nothing was written")
    }
    var expected = try parsed(bytes, name)
    let changed = try parsed(text.bytes, name)
    change.adopt(&expected, changed)
    guard changed == expected else {
      throw ToolError(.internal, "\(name): the changed file does not read back as expected; nothing was written")
    }
    return text.bytes
  }

  /// The board that the text `bytes` describes.
  static func parsed(_ bytes: [UInt8], _ name: String) throws(ToolError) -> BoardDescription {
    do {
      return try BoardDescription.parse(bytes.span)
    } catch {
      throw ToolError(.configuration, "\(error.description(file: name)); nothing was written")
    }
  }

  /// The maximum size of a board file, in bytes.
  private static let greatestSize = 65_536

  private func content() throws(ToolError) -> (bytes: [UInt8], status: stat) {
    // So as not to block if the name is a pipe by now.
    let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { throw Self.cannotRead(name, errno) }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw Self.cannotRead(name, errno) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw ToolError(.cannotCreate, "\(name): not a regular file; nothing was written")
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
    case ENOENT, ENOTDIR: ToolError(.cannotCreate, "\(name): the board file has been deleted; nothing was written")
    case EACCES, EPERM: ToolError(.noPermission, "\(name): no permission to read this board file; nothing was written")
    default:
      ToolError(.cannotCreate, "\(name): the board file cannot be read: \(systemText(code)); nothing was written")
    }
  }
}

/// A new text that replaces an old file in one step.
///
/// It is written to a separate file in the same folder, such as `.plumb-board-x3Gh0a`, and synced to the disk before
/// that file is renamed to the old one, so that neither an error nor a power loss leaves half a file. If anything
/// fails, the new file is removed, and signals that stop the program wait; only something like `kill -9` in the middle
/// leaves it behind, where it does no harm.
struct ReplacementFile {
  /// The file to replace, which is not a symbolic link.
  var target: String
  /// What messages call it.
  var name: String
  /// The file's status: the new file gets its permissions and, if allowed, its owner.
  var status: stat
  /// The new text.
  var bytes: [UInt8]

  /// Writes the new file and renames it to the old one; or, without `commits`, removes it again.
  func write(commits: Bool) throws(ToolError) {
    try uninterrupted { () throws(ToolError) in try writeWhole(commits: commits) }
  }

  private func writeWhole(commits: Bool) throws(ToolError) {
    var path = Array((folder + "/.plumb-board-XXXXXX").utf8CString)
    let descriptor = unsafe path.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return Int32(-1) }
      return unsafe mkstemp(start)
    }
    guard descriptor >= 0 else { throw Self.cannotWrite(name, errno) }
    var code = fill(descriptor)
    if close(descriptor) != 0 && code == 0 { code = errno }
    if code == 0 && commits { code = unsafe rename(path, target) == 0 ? 0 : errno }
    if code != 0 || !commits { unsafe unlink(path) }
    guard code == 0 else { throw Self.cannotWrite(name, code) }
    if commits { WholeFile.settleFolder(of: target) }
  }

  /// The folder of both files, which may be the root.
  private var folder: String { String(target[..<(target.lastIndex(of: "/") ?? target.startIndex)]) }

  /// Gives the file its permissions, owner and content, and syncs it. Returns 0 or the system's code.
  private func fill(_ descriptor: Int32) -> Int32 {
    // Only root may change the owner; permissions come last, because a new owner clears some of them.
    _ = fchown(descriptor, status.st_uid, status.st_gid)
    if fchmod(descriptor, status.st_mode & 0o7777) != 0 {
      // A file system without permissions gives all files the same.
      let code = errno
      var own = stat()
      guard unsafe fstat(descriptor, &own) == 0 && own.st_mode == status.st_mode else { return code }
    }
    let code = WholeFile.write(bytes, to: descriptor)
    return code == 0 ? WholeFile.settle(descriptor) : code
  }

  /// Why a file cannot be replaced.
  static func cannotWrite(_ name: String, _ code: Int32) -> ToolError {
    switch code {
    case EACCES, EPERM:
      ToolError(
        .noPermission,
        "\(name): no permission to write this board file and its folder; nothing was written. "
          + "Copy it into a folder of your own")
    case ENOSPC, EDQUOT:
      ToolError(.cannotCreate, "\(name): the disk is full; nothing was written")
    case EFBIG: ToolError(.cannotCreate, "\(name): the file has reached the size limit; nothing was written")
    case EROFS: ToolError(.cannotCreate, "\(name): the file system is read-only; nothing was written")
    case ENOENT: ToolError(.cannotCreate, "\(name): the board file or its folder has been deleted; nothing was written")
    default:
      ToolError(.cannotCreate, "\(name): the board file cannot be written: \(systemText(code)); nothing was written")
    }
  }
}

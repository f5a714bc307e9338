import Glibc
import LinuxHAL

/// A new text that is to take the place of an old file, in one step.
///
/// It is written to a file of its own in the same folder, such as `.plumb-board-x3Gh0a`, and is on the disk before that
/// takes the old one's name, so that neither a fault nor a loss of power leaves half a file. Whatever fails, the file is
/// removed again, and signals that stop the program wait; only `kill -9` and the like in mid-work leave it behind, where
/// it is in nobody's way.
struct ReplacementFile {
  /// The file to replace, which is no symbolic link.
  var target: String
  /// What messages call it.
  var name: String
  /// What the system knows of it: the new one gets its rights, and where that is allowed its owner.
  var status: stat
  /// The new text.
  var bytes: [UInt8]

  /// Writes the new file and puts it in the place of the old one; or, without `commits`, removes it again.
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
    if commits { settleFolder() }
  }

  /// The folder of both files, which may be the root.
  private var folder: String { String(target[..<(target.lastIndex(of: "/") ?? target.startIndex)]) }

  /// Gives the file behind `descriptor` rights, owner and content, on the disk. Returns 0 or the system's code.
  private func fill(_ descriptor: Int32) -> Int32 {
    // A file of somebody else's may not be given to them; the rights come last, because a new owner takes some of them.
    _ = fchown(descriptor, status.st_uid, status.st_gid)
    if fchmod(descriptor, status.st_mode & 0o7777) != 0 {
      // A file system without rights has the same for all files.
      let code = errno
      var own = stat()
      guard unsafe fstat(descriptor, &own) == 0 && own.st_mode == status.st_mode else { return code }
    }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return count < 0 ? errno : ENOSPC }
      rest = rest.dropFirst(count)
    }
    // A disk can be found full as late as here.
    while fsync(descriptor) != 0 {
      if errno != EINTR { return errno }
    }
    return 0
  }

  /// Brings the new name to the disk. What fails here the file system does by itself a little later: no fault to report.
  private func settleFolder() {
    let descriptor = unsafe open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// Why a file cannot be replaced.
  static func cannotWrite(_ name: String, _ code: Int32) -> ToolError {
    switch code {
    case EACCES, EPERM:
      ToolError(
        .noPermission,
        "\(name): no permission to write this board file and its folder; nothing is written. "
          + "Copy it into a folder of your own")
    case ENOSPC, EDQUOT: ToolError(.cannotCreate, "\(name): the disk is full; nothing is written, the file is as it was")
    case EROFS: ToolError(.cannotCreate, "\(name): the file system is read-only; nothing is written")
    case ENOENT: ToolError(.cannotCreate, "\(name): the board file or its folder has vanished; nothing is written")
    default:
      ToolError(.cannotCreate, "\(name): the board file cannot be written: \(systemText(code)); nothing is written")
    }
  }
}

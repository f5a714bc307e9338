import Glibc
import LinuxHAL

/// Where a recording is written.
enum RecordingTarget {
  /// Something that is no regular file.
  case stream
  /// The file `draft`, which gets the name `path` in the end, in place of one that is there where it `replaces` that.
  case draft(_ draft: String, path: String, replaces: Bool)

  var isStream: Bool {
    if case .stream = self { return true }
    return false
  }

  /// Opens what is to be written for `path`. Nothing that is there is changed.
  static func open(_ path: String, isForced: Bool) throws(ToolError) -> (RecordingTarget, Int32) {
    if path == "-" { return (.stream, dup(STDOUT_FILENO)) }
    var status = stat()
    let isThere = unsafe lstat(path, &status) == 0
    var place = path
    if isThere && status.st_mode & S_IFMT == S_IFLNK, let real = unsafe realpath(path, nil) {
      // What the link leads to is meant, not the link.
      place = unsafe String(cString: real)
      unsafe free(real)
      unsafe stat(place, &status)
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR where isThere:
      throw ToolError(.cannotCreate, "\(printable(path)) is a directory; name a file in it")
    case S_IFREG where isThere, S_IFLNK where isThere:
      guard isForced else {
        throw ToolError(
          .cannotCreate,
          "\(printable(path)) is there already, and is left alone; choose another name, or --force to replace it")
      }
    default:
      guard !isThere else { return (.stream, try checked(unsafe Glibc.open(path, O_WRONLY | O_CLOEXEC), path)) }
    }
    return try draft(
      for: place, named: path, isThere && status.st_mode & S_IFMT == S_IFREG ? status.st_mode : nil, isForced)
  }

  /// Makes a file of its own beside `place`, with the rights of the one that it replaces, or of any new one.
  private static func draft(
    for place: String, named path: String, _ rights: mode_t?, _ isForced: Bool
  ) throws(ToolError) -> (RecordingTarget, Int32) {
    let suffix = ".part"
    var name = Array((place + ".XXXXXX" + suffix).utf8CString)
    let descriptor = unsafe name.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return Int32(-1) }
      return unsafe mkstemps(start, Int32(suffix.utf8.count))
    }
    _ = try checked(descriptor, path)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let mask = umask(0)
    umask(mask)
    // A file system without rights gives all files the same.
    _ = fchmod(descriptor, (rights ?? 0o666 & ~mask) & 0o777)
    let text = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return (.draft(text, path: place, replaces: isForced), descriptor)
  }

  private static func checked(_ descriptor: Int32, _ path: String) throws(ToolError) -> Int32 {
    guard descriptor < 0 else { return descriptor }
    let code = errno
    let name = printable(path)
    switch code {
    case EACCES, EPERM: throw ToolError(.noPermission, "\(name): no permission to make this file; choose another folder")
    case ENOENT, ENOTDIR: throw ToolError(.cannotCreate, "\(name): there is no such folder")
    case ENOSPC, EDQUOT: throw ToolError(.cannotCreate, "\(name): the disk is full; nothing is written")
    default: throw ToolError(.cannotCreate, "\(name) cannot be made: \(systemText(code))")
    }
  }

  /// Brings a file to the disk. Returns 0 or the system's code.
  static func settle(_ descriptor: Int32) -> Int32 {
    while fsync(descriptor) != 0 {
      if errno != EINTR { return errno }
    }
    return 0
  }

  /// Gives `draft` the name `path`. Returns 0 or the system's code, `EEXIST` where there is such a file and it is not to be
  /// replaced.
  static func move(_ draft: String, to path: String, replaces: Bool) -> Int32 {
    var code: Int32 = 0
    if replaces {
      code = unsafe rename(draft, path) == 0 ? 0 : errno
    } else if unsafe link(draft, path) == 0 {
      unsafe unlink(draft)
    } else {
      code = errno
      // A file system without second names, such as that of a memory card: looking first is the best there is.
      if code == EPERM || code == ENOTSUP { code = isFile(path) ? EEXIST : unsafe rename(draft, path) == 0 ? 0 : errno }
    }
    if code == 0 { settleFolder(of: path) }
    return code
  }

  /// Brings the new name to the disk. What fails here the file system does by itself a little later.
  private static func settleFolder(of path: String) {
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "."
    let descriptor = unsafe Glibc.open(String(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}

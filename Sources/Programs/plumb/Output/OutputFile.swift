import ArgumentParser
import Glibc
import LinuxHAL
import PlumbViews

/// Whether something exists at `path`.
package func isFile(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

/// Refuses an empty file name in the option `-o`.
package func checkOutputName(_ path: String?) throws {
  if path == "" { throw ValidationError("-o takes the name of a file, not an empty name.") }
}

/// A file that appears whole or not at all: written next to its place, synced to the disk, then moved there.
package struct OutputFile {
  package let path: String
  /// Whether an existing file is replaced.
  package var isForced: Bool

  package init(path: String, isForced: Bool = true) { (self.path, self.isForced) = (path, isForced) }

  /// Checks that the file can be created, before the work rather than after it.
  package func check() throws(ToolError) {
    var status = stat()
    let isThere = unsafe stat(path, &status) == 0
    if !isThere && errno != ENOENT { throw OutputTarget.error(errno, path) }
    let name = printable(path)
    if isThere && status.st_mode & S_IFMT == S_IFDIR {
      throw ToolError(.cannotCreate, "\(name) is a directory; give the name of a file in it")
    }
    // Anything that is not a regular file, such as /dev/null or a pipe, is written to, not replaced.
    guard isForced || !isThere || status.st_mode & S_IFMT != S_IFREG else {
      throw ToolError(
        .cannotCreate, "\(name) already exists; choose another name, or replace it with --force")
    }
    guard let slash = path.lastIndex(of: "/"), !isFile(String(path[...slash])) else { return }
    throw ToolError(.cannotCreate, "\(name): no such folder")
  }

  /// Writes `text` to the file. A signal leaves no draft behind.
  package func write(_ text: String) throws(ToolError) {
    var status = stat()
    let isStream = unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    // A pipe without a reader blocks until a signal ends the wait.
    if isStream { return try writeWhole(text) }
    try uninterrupted { () throws(ToolError) in try writeWhole(text) }
  }

  private func writeWhole(_ text: String) throws(ToolError) {
    let (target, descriptor) = try OutputTarget.open(path, isForced: isForced)
    var code = WholeFile.write(Array(text.utf8), to: descriptor)
    guard case .draft(let draft, let place, let replaces) = target else {
      close(descriptor)
      if code != 0 { throw error(code, "") }
      return
    }
    if code == 0 { code = WholeFile.settle(descriptor) }
    if close(descriptor) != 0 && code == 0 { code = errno }
    if code == 0 { code = OutputTarget.move(draft, to: place, replaces: replaces) }
    guard code != 0 else { return }
    unsafe unlink(draft)
    throw error(code, isFile(path) ? "; the existing file is unchanged" : "; no file is left")
  }

  /// The error for `code`; `rest` is what happened to the file.
  private func error(_ code: Int32, _ rest: String) -> ToolError {
    let reason =
      switch code {
      case EEXIST: "another program has created this file in the meantime"
      case ENOSPC, EDQUOT: "the disk is full"
      case EFBIG: "the file has reached the size limit"
      default: systemText(code)
      }
    return ToolError(.cannotCreate, "\(printable(path)) cannot be written: \(reason)\(rest)")
  }
}

/// Where a file's content is written.
enum OutputTarget {
  /// Something that is not a regular file.
  case stream
  /// The file `draft`, which is renamed to `path` at the end; `replaces` is whether an existing file is replaced.
  case draft(_ draft: String, path: String, replaces: Bool)

  var isStream: Bool {
    if case .stream = self { return true }
    return false
  }

  /// Opens the target for `path`. Changes nothing that exists.
  static func open(_ path: String, isForced: Bool) throws(ToolError) -> (OutputTarget, Int32) {
    if path == "-" { return (.stream, dup(STDOUT_FILENO)) }
    var status = stat()
    let isThere = unsafe lstat(path, &status) == 0
    // For example, a name that is too long for its folder.
    if !isThere && errno != ENOENT { throw error(errno, path) }
    var place = path
    if isThere && status.st_mode & S_IFMT == S_IFLNK, let real = unsafe realpath(path, nil) {
      // What the link points to is meant, not the link.
      place = unsafe String(cString: real)
      unsafe free(real)
      unsafe stat(place, &status)
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR where isThere:
      throw ToolError(.cannotCreate, "\(printable(path)) is a directory; give the name of a file in it")
    case S_IFREG where isThere, S_IFLNK where isThere:
      guard isForced else {
        throw ToolError(
          .cannotCreate,
          "\(printable(path)) already exists; choose another name, or replace it with --force")
      }
    default:
      guard !isThere else { return (.stream, try checked(unsafe Glibc.open(path, O_WRONLY | O_CLOEXEC), path)) }
    }
    return try draft(
      for: place, named: path, isThere && status.st_mode & S_IFMT == S_IFREG ? status.st_mode : nil, isForced)
  }

  /// Creates a separate file next to `place`, with the permissions of the one that it replaces, or those of a new file.
  private static func draft(
    for place: String, named path: String, _ rights: mode_t?, _ isForced: Bool
  ) throws(ToolError) -> (OutputTarget, Int32) {
    let suffix = ".part"
    var name = Array((draftStem(of: place) + ".XXXXXX" + suffix).utf8CString)
    let descriptor = unsafe name.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return Int32(-1) }
      return unsafe mkstemps(start, Int32(suffix.utf8.count))
    }
    _ = try checked(descriptor, path)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let mask = umask(0)
    umask(mask)
    // A file system without permissions gives all files the same.
    _ = fchmod(descriptor, (rights ?? 0o666 & ~mask) & 0o777)
    let text = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return (.draft(text, path: place, replaces: isForced), descriptor)
  }

  /// The beginning of a draft's path for `place`: `place`, with its name cut if the draft's would be too long.
  private static func draftStem(of place: String) -> String {
    let folder = place.lastIndex(of: "/").map { String(place[...$0]) } ?? ""
    let longest = unsafe pathconf(folder.isEmpty ? "." : folder, Int32(_PC_NAME_MAX))
    var name = String(place.dropFirst(folder.count))
    while !name.isEmpty && name.utf8.count + ".XXXXXX.part".utf8.count > (longest > 0 ? longest : 255) {
      name.removeLast()
    }
    return folder + name
  }

  private static func checked(_ descriptor: Int32, _ path: String) throws(ToolError) -> Int32 {
    guard descriptor < 0 else { return descriptor }
    throw error(errno, path)
  }

  /// The error that the file at `path` cannot be created.
  static func error(_ code: Int32, _ path: String) -> ToolError {
    let name = printable(path)
    switch code {
    case EACCES, EPERM:
      return ToolError(.noPermission, "\(name): no permission to create this file; choose another folder")
    case ENOENT, ENOTDIR: return ToolError(.cannotCreate, "\(name): no such folder")
    case ENOSPC, EDQUOT: return ToolError(.cannotCreate, "\(name): the disk is full; nothing was written")
    default: return ToolError(.cannotCreate, "\(name) cannot be created: \(systemText(code))")
    }
  }

  /// Renames `draft` to `path`. Returns 0 or the system's code; `EEXIST` if the file exists and must not be replaced.
  static func move(_ draft: String, to path: String, replaces: Bool) -> Int32 {
    var code: Int32 = 0
    if replaces {
      code = unsafe rename(draft, path) == 0 ? 0 : errno
    } else if unsafe link(draft, path) == 0 {
      unsafe unlink(draft)
    } else {
      code = errno
      // A file system without hard links, such as a memory card's: checking first is the best that is possible.
      if code == EPERM || code == ENOTSUP { code = isFile(path) ? EEXIST : unsafe rename(draft, path) == 0 ? 0 : errno }
    }
    if code == 0 { WholeFile.settleFolder(of: path) }
    return code
  }
}

/// What every file needs that is whole on the disk or not there.
package enum WholeFile {
  /// Writes all of `bytes`. Returns 0 or the system's code.
  package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return count < 0 ? errno : ENOSPC }
      rest = rest.dropFirst(count)
    }
    return 0
  }

  /// Syncs a file to the disk, which may turn out to be full only here. Returns 0 or the system's code.
  package static func settle(_ descriptor: Int32) -> Int32 {
    while fsync(descriptor) != 0 {
      if errno != EINTR { return errno }
    }
    return 0
  }

  /// Syncs the new name of the file at `path` to the disk. If this fails, the file system does it a little later, so it
  /// is not reported.
  package static func settleFolder(of path: String) {
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "."
    let descriptor = unsafe Glibc.open(String(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}

/// Performs `work` without interruption: a signal that asks the program to stop (`SIGINT`, `SIGTERM`, `SIGHUP`) waits
/// until it is done.
///
/// For short work that must not be left half done, such as renaming a finished file. It must not block, as opening a
/// pipe may.
package func uninterrupted<Result>(_ work: () throws(ToolError) -> Result) throws(ToolError) -> Result {
  var stops = sigset_t()
  var before = sigset_t()
  unsafe sigemptyset(&stops)
  for number in [SIGINT, SIGTERM, SIGHUP] { unsafe sigaddset(&stops, number) }
  // Neither call can fail: the numbers are valid.
  unsafe pthread_sigmask(SIG_BLOCK, &stops, &before)
  defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
  return try work()
}

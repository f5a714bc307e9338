import Glibc
import LinuxHAL

/// Whether there is anything at `path`.
func isFile(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

/// A file that appears whole or not at all: written beside its place, brought to the disk, then moved there.
struct OutputFile {
  let path: String
  /// Whether a file that is there is replaced.
  var isForced = true

  /// Finds out what stands in the way, before the work: nobody likes to hear it afterwards.
  func check() throws(ToolError) {
    var status = stat()
    let isThere = unsafe stat(path, &status) == 0
    let name = printable(path)
    if isThere && status.st_mode & S_IFMT == S_IFDIR {
      throw ToolError(.cannotCreate, "\(name) is a directory; name a file in it")
    }
    // What is no regular file, such as /dev/null or a pipe, is written to, not replaced.
    guard isForced || !isThere || status.st_mode & S_IFMT != S_IFREG else {
      throw ToolError(
        .cannotCreate, "\(name) is there already, and is left alone; choose another name, or --force to replace it")
    }
    guard let slash = path.lastIndex(of: "/"), !isFile(String(path[...slash])) else { return }
    throw ToolError(.cannotCreate, "\(name): there is no such folder")
  }

  /// Writes `text` to the file at `path`. A signal leaves no draft behind.
  func write(_ text: String) throws(ToolError) {
    var status = stat()
    let isStream = unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    // A pipe may have no reader, and is waited for until somebody gives up.
    if isStream { return try writeWhole(text) }
    try uninterrupted { () throws(ToolError) in try writeWhole(text) }
  }

  private func writeWhole(_ text: String) throws(ToolError) {
    // What is larger than is allowed is an error to tell, not to die of.
    _ = signal(SIGXFSZ, SIG_IGN)
    let (target, descriptor) = try RecordingTarget.open(path, isForced: isForced)
    var code = Self.write(text, to: descriptor)
    guard case .draft(let draft, let place, let replaces) = target else {
      close(descriptor)
      if code != 0 { throw failure(code, "") }
      return
    }
    if code == 0 { code = RecordingTarget.settle(descriptor) }
    if close(descriptor) != 0 && code == 0 { code = errno }
    if code == 0 { code = RecordingTarget.move(draft, to: place, replaces: replaces) }
    guard code != 0 else { return }
    unsafe unlink(draft)
    throw failure(code, isFile(path) ? "; the file that is there is as it was" : "; no file is left")
  }

  /// Returns 0 or the system's code.
  private static func write(_ text: String, to descriptor: Int32) -> Int32 {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 || (count < 0 && errno == EINTR) else { return errno }
      bytes = bytes.dropFirst(max(0, count))
    }
    return 0
  }

  /// `rest` is what became of the file.
  private func failure(_ code: Int32, _ rest: String) -> ToolError {
    let reason =
      switch code {
      case EEXIST: "somebody has made this file meanwhile"
      case ENOSPC, EDQUOT: "the disk is full"
      case EFBIG: "the file may not grow any more"
      default: systemText(code)
      }
    return ToolError(.cannotCreate, "\(printable(path)) cannot be written: \(reason)\(rest)")
  }
}

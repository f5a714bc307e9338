import Glibc
import LinuxHAL

/// Whether there is anything at `path`.
func isFile(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

/// A file that appears whole or not at all: written beside its place, then moved there.
struct OutputFile {
  let path: String

  /// Writes `text` to the file at `path`, in place of one that may be there.
  func write(_ text: String) throws(Failure) {
    // What is no regular file, such as /dev/null or a pipe, is written to, not replaced.
    var status = stat()
    let isThere = unsafe stat(path, &status) == 0
    if isThere && status.st_mode & S_IFMT != S_IFREG { return try write(text, to: path) }
    let draft = "\(path).\(getpid()).part"
    do throws(Failure) {
      try write(text, to: draft)
      if isThere { unsafe chmod(draft, status.st_mode & 0o777) }
      guard unsafe rename(draft, path) == 0 else { throw failure(errno) }
    } catch {
      unsafe unlink(draft)
      throw error
    }
  }

  private func write(_ text: String, to path: String) throws(Failure) {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard file >= 0 else { throw failure(errno) }
    defer { close(file) }
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
      guard count > 0 || (count < 0 && errno == EINTR) else { throw failure(errno) }
      bytes = bytes.dropFirst(max(0, count))
    }
  }

  private func failure(_ code: Int32) -> Failure {
    Failure(.cannotCreate, "\(printable(path)) cannot be written: \(systemText(code))")
  }
}

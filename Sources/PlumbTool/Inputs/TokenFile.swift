import Glibc
import LinuxHAL
import WebView

/// The file that has the token which viewers need.
struct TokenFile {
  let path: String

  /// So much of it is looked at, bytes: the longest token has 128.
  private static let longest = 1_024

  /// The token in its first line; `-` is standard input.
  ///
  /// A pipe is waited for. That is to be done before stop signals are taken over, so that they end the wait.
  func token() throws(ToolError) -> String {
    let descriptor = path == "-" ? dup(STDIN_FILENO) : unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    while bytes.count < Self.longest && !bytes.contains(0x0A) {
      var piece = [UInt8](repeating: 0, count: Self.longest)
      let count = unsafe piece.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
      if count == 0 { break }
      if count < 0 && errno != EINTR { throw failure(errno) }
      bytes += piece.prefix(max(0, count))
    }
    guard let token = Token.read(Array(bytes.prefix { $0 != 0x0A })) else {
      throw ToolError(
        .data, "\(name) holds no token: it needs 16 to 128 letters, digits, hyphens and underscores in its first line")
    }
    return token
  }

  private var name: String { path == "-" ? "standard input" : printable(path) }

  private func failure(_ code: Int32) -> ToolError {
    switch code {
    case ENOENT, ENOTDIR: ToolError(.noInput, "\(name): there is no such file that could hold a token")
    case EACCES, EPERM: ToolError(.noPermission, "\(name): this file may not be read; check its permissions")
    case EISDIR: ToolError(.data, "\(name) holds no token: it is a directory")
    default: ToolError(.noInput, "\(name): the token cannot be read: \(systemText(code))")
    }
  }
}

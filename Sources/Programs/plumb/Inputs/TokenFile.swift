import Glibc
import LinuxHAL
import PlumbViews
package import ToolOutput

/// The file with the token that viewers need.
package struct TokenFile {
  package let path: String

  package init(path: String) { self.path = path }

  /// How many bytes are read; the longest token has 128.
  private static let longest = 1_024

  /// The token in the first line; `-` is standard input.
  ///
  /// Waits for a pipe. Call it before stop signals are taken over, so that they can end the wait.
  package func token() throws(ToolError) -> String {
    let descriptor = path == "-" ? dup(STDIN_FILENO) : unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw error(errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    while bytes.count < Self.longest && !bytes.contains(0x0A) {
      var piece = [UInt8](repeating: 0, count: Self.longest)
      let count = unsafe piece.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
      if count == 0 { break }
      if count < 0 && errno != EINTR { throw error(errno) }
      bytes += piece.prefix(max(0, count))
    }
    guard let token = AccessToken.read(Array(bytes.prefix { $0 != 0x0A })) else {
      throw ToolError(
        .data, "\(name): no token; the first line must have 16 to 128 letters, digits, hyphens and underscores")
    }
    return token
  }

  private var name: String { path == "-" ? "standard input" : printable(path) }

  private func error(_ code: Int32) -> ToolError {
    switch code {
    case ENOENT, ENOTDIR: ToolError(.noInput, "\(name): no such token file")
    case EACCES, EPERM: ToolError(.noPermission, "\(name): no permission to read this token file")
    case EISDIR: ToolError(.data, "\(name): a directory, not a token file")
    default: ToolError(.noInput, "\(name): the token file cannot be read: \(systemText(code))")
    }
  }
}

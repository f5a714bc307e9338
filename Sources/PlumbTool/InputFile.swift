import Glibc

/// Reads the whole of the file at `path`; `-` is standard input.
func readInput(_ path: String) throws(Failure) -> [UInt8] {
  let isStandardInput = path == "-"
  let descriptor = isStandardInput ? STDIN_FILENO : unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw cannotRead(path, errno) }
  defer { if !isStandardInput { close(descriptor) } }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
    if count == 0 { return bytes }
    if count < 0 {
      if errno == EINTR { continue }
      throw cannotRead(path, errno)
    }
    bytes.append(contentsOf: chunk[..<count])
  }
}

private func cannotRead(_ path: String, _ code: Int32) -> Failure {
  switch code {
  case ENOENT, ENOTDIR: Failure(.noInput, "\(path): there is no such file")
  case EACCES, EPERM: Failure(.noPermission, "\(path): this file may not be read; check its permissions")
  case EISDIR: Failure(.noInput, "\(path): this is a directory; a CSV file was expected")
  default: Failure(.noInput, "\(path): the file cannot be read: \(systemText(code))")
  }
}

import ArgumentParser
import Glibc

/// An error that ends the program: one line for people and an exit code for scripts.
struct ToolError: Error {
  /// The exit codes of the sysexits convention that the tool uses.
  enum Code: Int32 {
    case usage = 64
    case data = 65
    case noInput = 66
    case unavailable = 69
    case `internal` = 70
    case cannotCreate = 73
    case noPermission = 77
    case configuration = 78
  }

  var code: Code
  var message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

/// Runs the body of a command and turns its error into a line on standard error and an exit code.
func reportingError<Result: ~Copyable>(_ body: () throws(ToolError) -> Result) throws -> Result {
  do {
    return try body()
  } catch {
    writeToStandardError(overInterrupt(STDERR_FILENO) + fitForTerminal("plumb: \(error.message)\n"))
    throw ExitCode(error.code.rawValue)
  }
}

/// Writes `text` whole, as far as anyone still reads it: there is nowhere left to report an error to.
func writeToStandardError(_ text: String) {
  var bytes = Array(text.utf8)[...]
  while !bytes.isEmpty {
    let count = unsafe bytes.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    guard count > 0 || (count < 0 && errno == EINTR) else { return }
    bytes = bytes.dropFirst(max(0, count))
  }
}

/// A path fit for one line of an error message: control characters escaped, the rest as it is.
func printable(_ path: String) -> String {
  var shown = ""
  for scalar in path.unicodeScalars {
    let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    shown += isControl ? "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16) : String(scalar)
  }
  return shown.isEmpty ? "\"\"" : shown
}

/// A path as a word of a command to copy: in quotation marks where a shell would take it apart.
func shellWord(_ path: String) -> String {
  let isPlain = path.utf8.allSatisfy { byte in
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...: true
    default: "/._-+:,@%=".utf8.contains(byte)
    }
  }
  return isPlain && !path.isEmpty ? printable(path) : "'" + printable(path).replacing("'", with: "'\\''") + "'"
}

/// `text` fit for one line of an error message: printable ASCII as it is, the rest escaped, cut at `limit` characters.
func quoted(_ text: some Collection<UInt8>, upTo limit: Int = 40) -> String {
  var shown = "\""
  for byte in text.prefix(limit) {
    switch byte {
    case 0x20...0x7E where byte != 0x22 && byte != 0x5C: shown.unicodeScalars.append(Unicode.Scalar(byte))
    default: shown += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
  }
  return shown + (text.count > limit ? "…\"" : "\"")
}

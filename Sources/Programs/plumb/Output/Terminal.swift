import CSupport
import Glibc
import LinuxHAL
package import PlumbViews

extension TextStyle {
  /// The style for the environment: colour on a terminal that is not `dumb`, unless `NO_COLOR` is set; non-ASCII
  /// characters if the locale is UTF-8.
  ///
  /// - Source: https://no-color.org; POSIX.1-2017, 8.2 (LC_ALL before LC_CTYPE before LANG).
  package static var ofStandardOutput: TextStyle {
    let isPlain = variable("NO_COLOR") != nil || variable("TERM") == nil || variable("TERM") == "dumb"
    let locale = variable("LC_ALL") ?? variable("LC_CTYPE") ?? variable("LANG") ?? "C"
    let encoding = locale.lowercased().replacing("-", with: "")
    return TextStyle(hasColour: !isPlain && isatty(STDOUT_FILENO) == 1, hasUnicode: encoding.contains("utf8"))
  }

  /// The value of an environment variable; nil if it is unset or empty.
  package static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }
}

/// How many columns the terminal of `descriptor` has, 80 if it does not report them; nil if it is not a terminal.
func terminalWidth(_ descriptor: Int32) -> Int? {
  guard isatty(descriptor) == 1 else { return nil }
  var (columns, rows): (UInt32, UInt32) = (0, 0)
  let code = unsafe csupport_terminal_size(descriptor, &columns, &rows)
  return code == 0 && columns > 0 ? max(20, min(1_000, Int(columns))) : 80
}

/// `text` for standard error: on a terminal, lines wider than it are wrapped between words.
package func fitForTerminal(_ text: String) -> String {
  guard let width = terminalWidth(STDERR_FILENO) else { return text }
  return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
    line.count <= width ? String(line) : wrapped(String(line), to: width - 2).joined(separator: "\n  ")
  }.joined(separator: "\n")
}

/// The prefix of the first output after a stop: on a terminal, which shows Ctrl-C as `^C`, a return to the beginning of
/// that line, to overwrite it.
package func overInterrupt(_ descriptor: Int32) -> String {
  StopSignals.received == .interrupt && isatty(descriptor) == 1 ? "\r" : ""
}

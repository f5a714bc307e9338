import CSupport
import Glibc
import LinuxHAL
package import PlumbViews

extension TextStyle {
  /// As the environment says: colour on a terminal that is not `dumb` and where `NO_COLOR` is not set; other
  /// characters than ASCII where the locale is one of UTF-8.
  ///
  /// - Source: https://no-color.org; POSIX.1-2017, 8.2 (LC_ALL before LC_CTYPE before LANG).
  package static var ofStandardOutput: TextStyle {
    let isPlain = variable("NO_COLOR") != nil || variable("TERM") == nil || variable("TERM") == "dumb"
    let locale = variable("LC_ALL") ?? variable("LC_CTYPE") ?? variable("LANG") ?? "C"
    let encoding = locale.lowercased().replacing("-", with: "")
    return TextStyle(hasColour: !isPlain && isatty(STDOUT_FILENO) == 1, hasUnicode: encoding.contains("utf8"))
  }

  /// The value of an environment variable that is set and not empty.
  package static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }
}

/// How many columns the terminal of `descriptor` has, 80 where it does not report them; nil where it is no terminal.
func terminalWidth(_ descriptor: Int32) -> Int? {
  guard isatty(descriptor) == 1 else { return nil }
  var (columns, rows): (UInt32, UInt32) = (0, 0)
  let code = unsafe csupport_terminal_size(descriptor, &columns, &rows)
  return code == 0 && columns > 0 ? max(20, min(1_000, Int(columns))) : 80
}

/// `text` for standard error: where that is a terminal, lines that are wider than it are broken between words.
package func fitForTerminal(_ text: String) -> String {
  guard let width = terminalWidth(STDERR_FILENO) else { return text }
  return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
    line.count <= width ? String(line) : wrapped(String(line), to: width - 2).joined(separator: "\n  ")
  }.joined(separator: "\n")
}

/// What goes before the first words after a stop: where `descriptor` is a terminal that shows Ctrl-C as `^C`, what
/// takes the words to the beginning of its line, over that.
package func overInterrupt(_ descriptor: Int32) -> String {
  StopSignals.received == .interrupt && isatty(descriptor) == 1 ? "\r" : ""
}

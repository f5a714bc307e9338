import CSupport
import Glibc
import LinuxHAL

/// How many columns the terminal of `descriptor` has, 80 where it does not tell; nil where it is no terminal.
func terminalWidth(_ descriptor: Int32) -> Int? {
  guard isatty(descriptor) == 1 else { return nil }
  var (columns, rows): (UInt32, UInt32) = (0, 0)
  let code = unsafe csupport_terminal_size(descriptor, &columns, &rows)
  return code == 0 && columns > 0 ? max(20, min(1_000, Int(columns))) : 80
}

/// `text` for standard error: where that is a terminal, lines that are wider than it are broken between words.
func fitForTerminal(_ text: String) -> String {
  guard let width = terminalWidth(STDERR_FILENO) else { return text }
  return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
    line.count <= width ? String(line) : wrapped(String(line), to: width - 2).joined(separator: "\n  ")
  }.joined(separator: "\n")
}

/// What goes before the first words after a stop: where `descriptor` is a terminal that shows Ctrl-C as `^C`, what takes
/// the words to the beginning of its line, over that.
func overInterrupt(_ descriptor: Int32) -> String {
  StopSignals.received == .interrupt && isatty(descriptor) == 1 ? "\r" : ""
}

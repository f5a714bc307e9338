import FixedPoint
import Glibc
import LinuxHAL

/// Shows on standard error how far the work is: a line that is drawn again, only on a terminal.
struct Progress {
  /// Whether standard error is a terminal that can redraw a line.
  let isLive: Bool
  private var isDrawn = false
  private var nextDrawing = Instant(microseconds: .min)

  private static let interval = Microseconds.milliseconds(100)

  init(isQuiet: Bool = false) {
    let terminal = TextStyle.variable("TERM")
    isLive = !isQuiet && isatty(STDERR_FILENO) == 1 && terminal != nil && terminal != "dumb"
  }

  /// Whether it is time to draw again: ten times a second in real time, not in the time of an emulated
  /// board.
  mutating func isDue() -> Bool {
    guard isLive else { return false }
    let now = LinuxClock().now
    guard now >= nextDrawing else { return false }
    nextDrawing = now + Self.interval
    return true
  }

  /// Draws a line in place of the one before, cut to what the terminal holds.
  mutating func show(_ text: String) {
    guard isLive else { return }
    writeToStandardError("\r\u{1B}[K" + text.prefix((terminalWidth(STDERR_FILENO) ?? 80) - 1))
    isDrawn = true
  }

  /// Writes a line that stays, on a terminal.
  mutating func note(_ text: String) {
    guard isLive else { return }
    clear()
    writeToStandardError(fitForTerminal(text + "\n"))
  }

  /// Takes the drawn line away.
  mutating func clear() {
    if isDrawn { writeToStandardError("\r\u{1B}[K") }
    isDrawn = false
  }
}

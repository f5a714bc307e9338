import FixedPoint
import Glibc
import LinuxHAL
import PlumbViews

/// Shows on standard error how far the work is: a line that is drawn again, only on a terminal.
package struct Progress {
  /// Whether standard error is a terminal that can redraw a line.
  package let isLive: Bool
  private var isDrawn = false
  private var nextDrawing = Instant(microseconds: .min)

  private static let interval = Microseconds.milliseconds(100)

  package init(isQuiet: Bool = false) {
    let terminal = TextStyle.variable("TERM")
    isLive = !isQuiet && isatty(STDERR_FILENO) == 1 && terminal != nil && terminal != "dumb"
  }

  /// Whether it is time to draw again: ten times a second in real time, not in the time of an emulated
  /// board.
  package mutating func isDue() -> Bool {
    guard isLive else { return false }
    let now = LinuxClock().now
    guard now >= nextDrawing else { return false }
    nextDrawing = now + Self.interval
    return true
  }

  /// Draws a line in place of the one before, cut to what the terminal holds.
  package mutating func show(_ text: String) {
    guard isLive else { return }
    writeToStandardError("\r\u{1B}[K" + text.prefix((terminalWidth(STDERR_FILENO) ?? 80) - 1))
    isDrawn = true
  }

  /// Writes a line that stays, on a terminal.
  package mutating func note(_ text: String) {
    guard isLive else { return }
    clear()
    writeToStandardError(fitForTerminal(text + "\n"))
  }

  /// Takes the drawn line away.
  package mutating func clear() {
    if isDrawn { writeToStandardError("\r\u{1B}[K") }
    isDrawn = false
  }
}

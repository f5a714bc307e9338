import FixedPoint
import Glibc
import LinuxHAL
import PlumbViews

/// Shows progress on standard error: a line that is redrawn, only on a terminal.
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

  /// Whether it is time to redraw: ten times a second in real time, even if the board's time is virtual.
  package mutating func isDue() -> Bool {
    guard isLive else { return false }
    let now = LinuxClock().now
    guard now >= nextDrawing else { return false }
    nextDrawing = now + Self.interval
    return true
  }

  /// Redraws the line, cut to the width of the terminal.
  package mutating func show(_ text: String) {
    guard isLive else { return }
    writeToStandardError("\r\u{1B}[K" + text.prefix((terminalWidth(STDERR_FILENO) ?? 80) - 1))
    isDrawn = true
  }

  /// On a terminal, writes a line that stays.
  package mutating func note(_ text: String) {
    guard isLive else { return }
    clear()
    writeToStandardError(fitForTerminal(text + "\n"))
  }

  /// Clears the drawn line.
  package mutating func clear() {
    if isDrawn { writeToStandardError("\r\u{1B}[K") }
    isDrawn = false
  }
}

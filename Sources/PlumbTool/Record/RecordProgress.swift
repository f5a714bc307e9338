import FixedPoint
import Glibc
import LinuxHAL
import Orientation

/// Says on standard error how a recording goes: on a terminal in one line that is drawn again, else at the end only.
struct RecordProgress {
  private let isQuiet: Bool
  /// Whether somebody watches.
  private let isLive: Bool
  private var isDrawn = false
  private var nextDrawing = Instant(microseconds: .min)

  private static let interval = Microseconds.milliseconds(100)

  init(isQuiet: Bool) {
    self.isQuiet = isQuiet
    let terminal = TextStyle.variable("TERM")
    isLive = !isQuiet && isatty(STDERR_FILENO) == 1 && terminal != nil && terminal != "dumb"
  }

  /// Shows how much there is, ten times a second at most.
  mutating func show(_ account: RecordAccount, _ state: PoseState) {
    guard isLive else { return }
    // The time of whoever watches, which is not that of an emulated board in a hurry.
    let now = LinuxClock().now
    guard now >= nextDrawing else { return }
    nextDrawing = now + Self.interval
    let gaps = account.gapCount > 0 ? "  \(account.gapCount) \(account.gapCount == 1 ? "gap" : "gaps")" : ""
    draw("\(padded(account.elapsed.tableText, 9)) s  \(account.samples) samples  \(state.name)\(gaps)")
    isDrawn = true
  }

  /// Says something that stays, to who watches.
  mutating func note(_ text: String) {
    guard isLive else { return }
    clear()
    writeToStandardError(text + "\n")
  }

  /// Takes the drawn line away.
  mutating func clear() {
    if isDrawn { draw("") }
    isDrawn = false
  }

  /// Says what it came to.
  func end(_ lines: [String]) {
    if !isQuiet { writeToStandardError(lines.joined(separator: "\n") + "\n") }
  }

  private func draw(_ text: String) { writeToStandardError("\r\u{1B}[K" + text) }
}

import FixedPoint
import Orientation

/// Says on standard error how a recording goes: on a terminal in one line that is drawn again, else not at all.
struct RecordProgress {
  private var progress: Progress

  init(isQuiet: Bool) { progress = Progress(isQuiet: isQuiet) }

  /// Shows how much there is, ten times a second at most.
  mutating func show(_ account: RecordAccount, _ state: PoseState) {
    guard progress.isDue() else { return }
    let gaps = account.gapCount > 0 ? "  \(account.gapCount) \(account.gapCount == 1 ? "gap" : "gaps")" : ""
    progress.show("\(padded(account.elapsed.tableText, 9)) s  \(account.samples) samples  \(state.name)\(gaps)")
  }

  /// Says something that stays, to who watches.
  mutating func note(_ text: String) { progress.note(text) }

  /// Takes the drawn line away.
  mutating func clear() { progress.clear() }
}

import FixedPoint
import Monitor

/// What a run came to.
struct Summary {
  var duration: Microseconds
  var counters: Counters
  /// Nil where there is no bus.
  var transactions: UInt64?
  /// Nil where there are no lines.
  var outputWrites: UInt64?

  /// One line, for people or for scripts.
  func line(_ format: Format) -> String {
    let figures: [(key: String, words: String, value: UInt64?)] = [
      ("samples", "samples", counters.samples),
      ("transactions", "bus transactions", transactions),
      ("pose_changes", "pose changes", counters.poseChanges),
      ("faults", "faults", counters.faults),
      ("recoveries", "recoveries", counters.recoveries),
      ("late_samples", "late samples", counters.lateSamples),
      ("output_writes", "output writes", outputWrites),
    ]
    let present = figures.compactMap { figure in figure.value.map { (figure.key, figure.words, $0) } }
    switch format {
    case .json:
      return "{\"event\":\"summary\",\"duration_s\":\(duration.secondsText),"
        + present.map { "\"\($0.0)\":\($0.2)" }.joined(separator: ",") + "}"
    case .text:
      return "Summary: \(duration.tableText) s, " + present.map { "\($0.2) \($0.1)" }.joined(separator: ", ") + "."
    }
  }
}

import FixedPoint
import Glibc
import Monitor

/// What a run came to.
struct Summary {
  var duration: Microseconds
  var counters: Counters
  /// Nil where there is no bus.
  var transactions: UInt64?
  /// Nil where there are no lines.
  var outputWrites: UInt64?
  /// Samples that are earlier than the one before, or of the same time; nil where that cannot be.
  var backwards: UInt64?
  var repeated: UInt64?
  /// Lines of output that a slow reader has cost; nil for none.
  var droppedLines: UInt64?

  /// One line for standard output, for people or for scripts.
  func line(_ format: Format) -> String {
    let figures: [(key: String, one: String, many: String, value: UInt64?)] = [
      ("samples", "sample", "samples", counters.samples),
      ("transactions", "bus transaction", "bus transactions", transactions),
      ("pose_changes", "pose change", "pose changes", counters.poseChanges),
      ("faults", "fault", "faults", counters.faults), ("recoveries", "recovery", "recoveries", counters.recoveries),
      ("late_samples", "late sample", "late samples", counters.lateSamples),
      ("shakes", "shake", "shakes", counters.shakes > 0 || format == .json ? counters.shakes : nil),
      ("backwards", "time backwards", "times backwards", shown(backwards, format)),
      ("repeated", "time repeated", "times repeated", shown(repeated, format)),
      ("output_writes", "output write", "output writes", outputWrites),
      (
        "dropped_lines", "output line dropped for a slow reader", "output lines dropped for a slow reader",
        droppedLines
      ),
    ]
    let present = figures.compactMap { figure in
      figure.value.map { (figure.key, $0 == 1 ? figure.one : figure.many, $0) }
    }
    switch format {
    case .json:
      let plain = present.map { "\"\($0.0)\":\($0.2)" } + ["\"restarts\":\(counters.restarts)"]
      let kinds = [
        "\"fault_kinds\":" + Self.object(counters.faultKinds.named),
        "\"unknown\":" + Self.object(counters.unknown.named),
      ]
      return overInterrupt(STDOUT_FILENO) + "{\"event\":\"summary\",\"duration_s\":\(duration.secondsText),"
        + (plain + kinds).joined(separator: ",") + "}"
    case .text:
      let words = ["\(duration.tableText) s"] + present.map { "\($0.2) \($0.1)" }
      return overInterrupt(STDOUT_FILENO) + wrapped(words.joined(separator: ", ") + ".", behind: "Summary: ")
    }
  }

  /// For people, what is not 0.
  private func shown(_ count: UInt64?, _ format: Format) -> UInt64? { format == .json || count != 0 ? count : nil }

  private static func object(_ figures: [(name: String, count: UInt64)]) -> String {
    "{" + figures.map { "\"\($0.name)\":\($0.count)" }.joined(separator: ",") + "}"
  }
}

extension FaultCounts {
  /// Each kind of fault that came, by its name in the JSON summary.
  var named: [(name: String, count: UInt64)] {
    [
      ("noAcknowledge", noAcknowledge), ("arbitrationLost", arbitrationLost), ("timedOut", timedOut),
      ("shortRead", shortRead), ("unsupported", unsupported), ("notPermitted", notPermitted), ("busy", busy),
      ("unavailable", unavailable), ("otherBusFault", otherBusFault), ("unexpectedIdentity", unexpectedIdentity),
      ("configurationRejected", configurationRejected), ("configurationLost", configurationLost),
      ("resetTimedOut", resetTimedOut), ("rateTooHigh", rateTooHigh), ("frozen", frozen),
      ("stuckAtFullScale", stuckAtFullScale), ("weightless", weightless),
    ].filter { $0.1 > 0 }
  }
}

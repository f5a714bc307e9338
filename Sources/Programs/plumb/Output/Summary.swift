package import FixedPoint
import Glibc
import JSON
package import Monitor
import Orientation
import PlumbViews
import Stream
import StreamCodec

/// The summary of a run.
package struct Summary {
  package var duration: Microseconds
  package var counters: Counters
  /// Nil if there is no bus.
  package var transactions: UInt64?
  /// Nil if there are no lines.
  package var outputWrites: UInt64?
  /// Samples that are earlier than the previous one, or at the same time; nil if that cannot happen.
  package var backwards: UInt64?
  package var repeated: UInt64?
  /// Waits for a sample that ended without an edge of the data-ready line; nil if no line is waited for.
  package var missedEdges: UInt64?
  /// Lines of output dropped for a slow reader; nil for none.
  var droppedLines: UInt64?

  /// The result of the fusion with a gyroscope; nil without one.
  package var gyroscope: Gyroscope?

  package init(
    duration: Microseconds, counters: Counters, transactions: UInt64? = nil, outputWrites: UInt64? = nil,
    backwards: UInt64? = nil, repeated: UInt64? = nil, missedEdges: UInt64? = nil
  ) {
    (self.duration, self.counters, self.transactions) = (duration, counters, transactions)
    (self.outputWrites, self.backwards, self.repeated) = (outputWrites, backwards, repeated)
    self.missedEdges = missedEdges
  }

  /// What is known about a gyroscope at the end.
  package struct Gyroscope {
    /// Its reading at rest, in °/s; nil if the board was never at rest.
    package var bias: Vector3?
    /// The temperature of the die, in °C; nil if it is not measured.
    package var temperature: Q16?
    /// Samples with an axis at the end of its range.
    package var clippedSamples: UInt64

    /// The state of a monitor after its last sample; nil without fusion.
    package init?(_ monitor: borrowing Monitor) {
      guard let attitude = monitor.attitude else { return nil }
      bias = attitude.certainty == .starting ? nil : attitude.bias
      (temperature, clippedSamples) = (monitor.temperature, UInt64(monitor.clippedSamples))
    }

    fileprivate func write(to writer: inout JSONWriter) {
      writer.field("clipped_samples", clippedSamples)
      writer.field("bias_dps", bias, places: 3)
      writer.field("temperature_c", temperature, places: 1)
    }

    fileprivate var words: [String] {
      var words: [String] = []
      if clippedSamples > 0 { words.append(counted(clippedSamples, "clipped sample", "clipped samples")) }
      words.append("gyroscope bias " + (bias.map { $0.texts(places: 2).joined(separator: " ") + " °/s" } ?? "unknown"))
      if let temperature { words.append("die \(temperature.text(places: 1)) °C") }
      return words
    }
  }

  /// The summary in one line for standard output, for people or for scripts.
  package func line(_ format: Format) -> String {
    let figures: [(key: String, one: String, many: String, value: UInt64?)] = [
      ("samples", "sample", "samples", counters.samples),
      ("transactions", "bus transaction", "bus transactions", transactions),
      ("pose_changes", "pose change", "pose changes", counters.poseChanges),
      ("faults", "fault", "faults", counters.faults), ("recoveries", "recovery", "recoveries", counters.recoveries),
      ("late_samples", "late sample", "late samples", counters.lateSamples),
      ("lost_samples", "lost sample", "lost samples", shown(counters.lostSamples, format)),
      ("missed_edges", "wait without data-ready", "waits without data-ready", missedEdges),
      ("shakes", "shake", "shakes", counters.shakes > 0 || format == .json ? counters.shakes : nil),
      ("backwards", "time backwards", "times backwards", shown(backwards, format)),
      ("repeated", "time repeated", "times repeated", shown(repeated, format)),
      ("output_writes", "output write", "output writes", outputWrites),
      (
        "dropped_lines", "output line dropped for a slow reader", "output lines dropped for a slow reader",
        droppedLines
      ),
    ]
    switch format {
    case .json:
      return overInterrupt(STDOUT_FILENO)
        + JSONText.object("summary") { writer in
          writer.field("duration_s", seconds: duration)
          for figure in figures { if let value = figure.value { writer.field(key: figure.key, value) } }
          writer.field("restarts", counters.restarts)
          gyroscope?.write(to: &writer)
          writer.field(counters.faultKinds)
          writer.field(counters.unknown)
        }
    case .text:
      let present = figures.compactMap { figure in
        figure.value.map { "\($0) \($0 == 1 ? figure.one : figure.many)" }
      }
      let words = ["\(duration.tableText) s"] + present + (gyroscope?.words ?? [])
      return overInterrupt(STDOUT_FILENO) + wrapped(words.joined(separator: ", ") + ".", behind: "Summary: ")
    }
  }

  /// For people, only what is not 0.
  private func shown(_ count: UInt64?, _ format: Format) -> UInt64? { format == .json || count != 0 ? count : nil }
}

extension Vector3 {
  /// Its components as decimal numbers.
  fileprivate func texts(places: Int) -> [String] { [x, y, z].map { $0.text(places: places) } }
}

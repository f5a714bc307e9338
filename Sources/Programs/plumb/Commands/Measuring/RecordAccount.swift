import BoardFile
import FixedPoint
import JSON
import Monitor
import Orientation
import PlumbViews
import Sensors
import Text
import ToolInputs
import ToolOutput

/// What a recording contains so far, and where samples are missing.
struct RecordAccount {
  /// The times of the samples, with the gaps between them.
  private var times: SampleTimes
  /// The time from the first sample to the last.
  private(set) var elapsed: Microseconds = .zero
  /// Why samples have been missing since the last one, in words; nil for no known reason.
  private(set) var cause: String?
  /// How long the outage lasted after which the sensor was given up; nil if it was not.
  private(set) var givenUpAfter: Microseconds?

  /// Samples that were lost while they waited in the sensor.
  private(set) var lost: UInt64 = 0
  /// Lost lines of a stream.
  private(set) var missed: UInt64 = 0

  private var gaps: [Gap] = []
  private var first: Instant?

  private struct Gap {
    var from: Microseconds
    var to: Microseconds
    var cause: String
  }

  /// How many gaps are listed individually.
  private static let listedGaps = 10

  /// The account of samples that are due every `period`.
  init(period: Microseconds) { times = SampleTimes(period: period) }

  var samples: UInt64 { times.samples }
  var gapCount: UInt64 { times.gaps.count }
  /// The total length of the gaps, each from the sample before it to the sample after it.
  private var missing: Microseconds { Microseconds(times.gaps.total) }

  /// Notes that the sample at `instant` was recorded.
  mutating func take(_ instant: Instant) {
    let start = first ?? instant
    first = start
    let last = elapsed
    elapsed = instant - start
    let before = gapCount
    times.take(instant)
    defer { cause = nil }
    guard gapCount > before else { return }
    if gaps.count < Self.listedGaps {
      gaps.append(Gap(from: last, to: elapsed, cause: cause ?? "the samples were read too late"))
    }
  }

  /// Notes why samples are missing, in the owner's `words` if there are any, and reports it at once on a terminal.
  mutating func take(
    _ event: Event, of sensor: BoardDescription.Sensor, _ words: String?, _ progress: inout RecordProgress
  ) {
    switch event {
    case .trouble(.fault, let cause?):
      let words = words ?? cause.text(of: sensor)
      self.cause = words
      progress.note("\(elapsed.tableText) s: \(words)")
    case .trouble(.stale, _):
      // The owner of a stream is gone.
      guard let words else { break }
      cause = words
      progress.note("\(elapsed.tableText) s: \(words)")
    case .recovered(_, let outage): progress.note("\(elapsed.tableText) s: recovered after \(outage.tableText) s")
    case .gaveUp(let cause, let outage):
      self.cause = words ?? cause.text(of: sensor)
      givenUpAfter = outage
    case .notice(let notice):
      let words = words ?? notice.text(of: sensor)
      if case .samplesLost(let count)? = notice {
        lost &+= UInt64(count)
        cause = cause ?? words
        progress.note("\(elapsed.tableText) s: \(words)")
      } else {
        progress.note(words)
      }
    default: break
    }
  }

  /// Notes what a stream has lost on the way.
  mutating func take(_ remark: OwnerRemark, _ progress: inout RecordProgress) {
    if remark.missed > 0 {
      missed &+= remark.missed
      cause = cause ?? "this program was too slow for the stream"
      progress.note("\(elapsed.tableText) s: \(remark.missedText)")
    }
    if let note = remark.note { progress.note("\(elapsed.tableText) s: \(note)") }
  }

  /// The error that there is no recording; nil if there is one, or if the user stopped it early.
  func error(wasStopped: Bool) -> ToolError? {
    guard samples == 0 && (cause != nil || !wasStopped) else { return nil }
    let givenUp = givenUpAfter.map { "gave up after \($0.tableText) s: " } ?? ""
    return ToolError(
      .unavailable, "no sample, so no file was written: \(givenUp)\(cause ?? "the time was too short")")
  }

  /// The sample rate in Hz, to a tenth and without the gaps; nil before there are two samples.
  var rateText: String? { rate.map { decimalText($0.intervals * 1_000_000, over: $0.span, places: 1) } }

  /// The same as a number of intervals in a span of microseconds.
  private var rate: (intervals: Int64, span: Int64)? {
    let span = elapsed - missing
    guard samples > gapCount + 1, span > .zero, samples < 1 << 40 else { return nil }
    return (Int64(samples - 1 - gapCount), span.count)
  }

  /// What was recorded to `name`, as lines of text.
  func summary(of name: String) -> [String] {
    guard samples > 0 else { return ["Stopped before the first sample: no file was written."] }
    let rate = rateText.map { ", \($0) Hz" } ?? ""
    var lines = [
      "Recorded \(counted(samples, "sample", "samples")) in \(elapsed.tableText) s\(rate), to \(name)."
    ]
    if gapCount > 0 {
      lines.append("\(counted(gapCount, "gap", "gaps")), \(missing.tableText) s in all:")
      for gap in gaps { lines.append(wrapped(gap.cause, behind: "  \(gap.from.tableText) to \(gap.to.tableText) s: ")) }
      let rest = gapCount - UInt64(gaps.count)
      if rest > 0 { lines.append("  and \(rest) more") }
    }
    if missed > 0 { lines.append("\(counted(missed, "line", "lines")) of the stream missed.") }
    if let cause {
      lines.append(wrapped("The sensor did not respond at the end, after \(elapsed.tableText) s: \(cause)", behind: ""))
    } else if gapCount == 0 {
      lines.append("No gaps.")
    }
    return lines
  }

  /// An object for each listed gap, and a summary of what was recorded to `path`.
  func json(_ path: String) -> [String] {
    let listed = gaps.map { gap in
      JSONText.object("gap") { writer in
        writer.field("from_s", seconds: gap.from)
        writer.field("to_s", seconds: gap.to)
        writer.field("detail", gap.cause)
      }
    }
    let summary = JSONText.object("summary") { writer in
      writer.field("file", samples > 0 ? path : nil)
      writer.field("samples", samples)
      writer.field("duration_s", seconds: elapsed)
      if let rate {
        writer.field("rate_hz", decimal: rate.intervals * 1_000_000, over: rate.span, places: 1)
      } else {
        writer.nullField("rate_hz")
      }
      writer.field("gaps", gapCount)
      writer.field("gap_s", seconds: missing)
      writer.field("lost_samples", lost)
      writer.field("missed", missed)
      writer.field("trouble_at_end", samples > 0 ? cause : nil)
      writer.field("gave_up", givenUpAfter != nil)
    }
    return listed + [summary]
  }
}

/// Shows a recording's progress on standard error: on a terminal in one line that is redrawn, otherwise not at all.
struct RecordProgress {
  private var progress: Progress

  init(isQuiet: Bool) { progress = Progress(isQuiet: isQuiet) }

  /// Shows how much has been recorded, at most ten times a second.
  mutating func show(_ account: RecordAccount, _ state: PoseState) {
    guard progress.isDue() else { return }
    let gaps = account.gapCount > 0 ? "  " + counted(account.gapCount, "gap", "gaps") : ""
    progress.show(
      "\(account.elapsed.tableText.rightAligned(to: 9)) s  \(counted(account.samples, "sample", "samples"))  "
        + "\(state.shortWords)\(gaps)")
  }

  /// On a terminal, writes a line that stays.
  mutating func note(_ text: String) { progress.note(text) }

  /// Clears the drawn line.
  mutating func clear() { progress.clear() }
}

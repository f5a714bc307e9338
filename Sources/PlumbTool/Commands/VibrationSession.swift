import BoardFile
import FixedPoint
import JSON
import Monitor
import Orientation
import PlumbViews
import Stream
import Vibration

/// A measurement of vibration, from the first sample to the summary.
///
/// Of a recording nothing is known beforehand: its first samples are kept until they show the rate.
struct VibrationSession {
  private var output: Output
  private let format: Format
  private let sensor: BoardDescription.Sensor?
  /// How many samples there will be, where that is known.
  private let limit: Int?
  private let bands: BandList?
  private let block: Int?
  private var meter: (any VibrationMeter)?
  private var account: VibrationAccount?
  private var detector: BusyDetector?
  private var early: [(force: Vector3, time: Instant)] = []
  private var first: Instant?
  private var last = Instant(microseconds: 0)
  private var period = Microseconds.zero

  /// How many samples show the rate of a recording.
  private static let shown = 1_000

  init(
    output: Output, format: Format, sensor: BoardDescription.Sensor?, limit: Int?, bands: BandList?, block: Int?,
    busy: BusyDetector.Configuration?
  ) throws(ToolError) {
    (self.output, self.format, self.sensor, self.limit) = (output, format, sensor, limit)
    (self.bands, self.block) = (bands, block)
    detector = busy.map { BusyDetector($0) }
    if let sensor { try begin(sensor.pace, limit) }
  }

  /// Whether the reader of the output is gone.
  var isClosed: Bool { output.isClosed }

  /// The time since the first sample.
  var elapsed: Microseconds { first.map { last - $0 } ?? .zero }

  /// Says what is measured, above the table of seconds.
  mutating func greet(_ text: String) throws(ToolError) {
    try output.line(wrapped(text, behind: ""))
    try output.line("  time s     RMS g         x         y         z    peak g")
  }

  /// Says what happens to the sensor.
  mutating func tell(_ seen: Observation, _ remark: OwnerRemark?) throws(ToolError) {
    guard let sensor else { return }
    let origin = first ?? seen.reading?.instant
    for index in 0..<seen.report.events.count {
      guard let occurrence = seen.report.events[index] else { continue }
      let (name, words): (StaticString, String)
      switch occurrence.event {
      case .trouble(.fault, let cause):
        (name, words) = ("trouble", remark?.detail ?? cause.map { $0.text(of: sensor) } ?? "sensor fault")
      case .trouble(.stale, _): (name, words) = ("trouble", remark?.detail ?? "no samples")
      case .recovered(let cause, let outage):
        let detail = remark?.detail ?? cause.text(of: sensor)
        (name, words) = ("recovery", "recovered after \(outage.tableText) s from: \(detail)")
      case .notice(let notice): (name, words) = ("notice", remark?.detail ?? notice.text(of: sensor))
      default: continue
      }
      try tell(name, words, at: occurrence.at - (origin ?? occurrence.at)) { $0.field("detail", words) }
    }
  }

  /// Adds a sample.
  mutating func take(_ force: Vector3, at now: Instant) throws(ToolError) {
    if first == nil { first = now }
    last = now
    guard let meter else {
      early.append((force, now))
      if early.count == Self.shown { try beginWithEarly(nil) }
      return
    }
    if let report = meter.step(force, at: now) { try take(report) }
  }

  /// Ends the measurement. Returns what the spectrum shows; nil where there is none.
  mutating func conclude() throws(ToolError) -> SpectrumFigures? {
    guard first != nil else { throw ToolError(.unavailable, "no sample, so nothing was measured") }
    if meter == nil { try beginWithEarly(early.count) }
    if let report = meter?.finish(at: last + period) { try take(report) }
    guard let figures = meter?.figures, let account else { return nil }
    switch format {
    case .text:
      try output.line("")
      for line in account.text(figures) { try output.line(line) }
      try output.line(wrapped(account.sentence(figures), behind: ""), always: true)
    case .json:
      for line in account.json(figures) { try output.line(line, always: true) }
    }
    try output.flush()
    return figures.blocks > 0 ? figures : nil
  }

  /// Begins with samples that come every `period`; `count` is how many there will be at most, where that is known.
  private mutating func begin(_ period: Microseconds, _ count: Int?) throws(ToolError) {
    do throws(VibrationError) {
      let rate = 1e6 / Double(max(1, period.count))
      let edges = try (bands ?? .usual(rate: rate)).bands()
      let length = block ?? VibrationBlock.usual(period: period, within: count)
      meter = try VibrationBlock.meter(length, edges, period: period)
      account = VibrationAccount(edges)
      self.period = period
    } catch {
      throw ToolError(.data, "samples \(period.durationText) apart: vibration needs 200 µs to 1 s")
    }
  }

  /// The same for a recording, from its first samples.
  private mutating func beginWithEarly(_ count: Int?) throws(ToolError) {
    var times = SampleTimes()
    for sample in early { times.take(sample.time) }
    try begin(Microseconds(times.usualInterval), count)
    let samples = early
    early = []
    for sample in samples {
      if let report = meter?.step(sample.force, at: sample.time) { try take(report) }
    }
  }

  /// Shows a second, and what the detector makes of it.
  private mutating func take(_ report: VibrationReport) throws(ToolError) {
    account?.take(report)
    try show(report)
    guard let first, let change = detector?.step(report) else { return }
    let time = report.end - first
    switch change {
    case .busy(let since):
      let since = since - first
      try tell("busy", "busy since \(since.tableText) s", at: time) { $0.field("since_s", seconds: since) }
    case .quiet(let since):
      let since = since - first
      try tell("quiet", "quiet since \(since.tableText) s", at: time) { $0.field("since_s", seconds: since) }
    }
  }

  private mutating func show(_ report: VibrationReport) throws(ToolError) {
    guard let first else { return }
    let (level, time) = (report.level, report.end - first)
    let (rms, peaks) = (level.rms.components.map(\.double), level.peak.components.map(\.double))
    switch format {
    case .text:
      let cells = [level.total.double] + rms + [peaks.max() ?? 0]
      try output.line(
        time.tableText.rightAligned(to: 8) + cells.map { figure($0, places: 4, width: 10, sign: false) }.joined())
    case .json:
      try output.line(
        JSONText.object("vibration") { writer in
          writer.field("t", seconds: time)
          writer.field("rms_g", level.total)
          writer.field("axes_rms_g", rms, places: 6)
          writer.field("axes_peak_g", peaks, places: 6)
          guard report.blocks > 0, let edges = account?.edges else { return writer.nullField("bands_g") }
          writer.field("bands_g", (0..<edges.count).map { report.rms(inBand: $0).double }, places: 6)
        })
    }
  }

  /// Writes an event: `words` for people, an object for scripts.
  private mutating func tell(
    _ event: StaticString, _ words: String, at time: Microseconds, _ write: (inout JSONWriter) -> Void
  ) throws(ToolError) {
    switch format {
    case .text: try output.line(wrapped(words, behind: time.tableText.rightAligned(to: 8) + "  "))
    case .json:
      try output.line(
        JSONText.object(event) { writer in
          writer.field("t", seconds: time)
          write(&writer)
        })
    }
  }
}

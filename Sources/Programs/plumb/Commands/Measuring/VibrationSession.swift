import BoardFile
import FixedPoint
import JSON
import Monitor
import Orientation
import PlumbViews
import Stream
import ToolInputs
import ToolOutput
import Vibration

/// A measurement of vibration, from the first sample to the summary.
///
/// The rate of a recording is not known beforehand: its first samples are kept until they show it.
struct VibrationSession {
  private var output: Output
  private let format: Format
  private let sensor: BoardDescription.Sensor?
  /// How many samples there will be, if known.
  private let limit: Int?
  private let bands: BandEdges?
  private let block: Int?
  private var meter: (any VibrationMeter)?
  private var account: VibrationAccount?
  private var detector: BusyDetector?
  private var early: [(force: Vector3, time: Instant)] = []
  private var first: Instant?
  private var last = Instant(microseconds: 0)
  private var period = Microseconds.zero

  /// How many samples show a recording's rate.
  private static let shown = 1_000

  init(
    output: Output, format: Format, sensor: BoardDescription.Sensor?, limit: Int?, bands: BandEdges?, block: Int?,
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

  /// Writes what is measured, above the table of seconds.
  mutating func greet(_ text: String) throws(ToolError) {
    try output.line(wrapped(text, behind: ""))
    try output.line("  time s     RMS g         x         y         z    peak g")
  }

  /// Reports what happens to the sensor.
  mutating func show(_ seen: Observation, _ remark: OwnerRemark?) throws(ToolError) {
    guard let sensor else { return }
    for index in 0..<seen.events.count {
      guard let occurrence = seen.events[index] else { continue }
      let (name, words): (StaticString, String)
      switch occurrence.event {
      case .trouble(.fault, let cause):
        (name, words) = ("trouble", remark?.detail ?? cause.map { $0.text(of: sensor) } ?? "sensor fault")
      case .trouble(.stale, _): (name, words) = ("trouble", remark?.detail ?? "no samples")
      case .recovered, .notice:
        (name, words) = (occurrence.event.kind.name, occurrence.event.text(of: sensor, remark?.detail))
      default: continue
      }
      let time = occurrence.at - (first ?? seen.reading?.instant ?? occurrence.at)
      try show(
        words, at: time,
        JSONText.object { writer in
          writer.field("t", seconds: time)
          writer.field("event", name)
          writer.field("detail", words)
        })
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

  /// Whether there has been no sample yet.
  var isEmpty: Bool { first == nil }

  /// Ends the measurement. Returns the figures of the spectrum; nil if there is none.
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

  /// Begins with samples that arrive every `period`; `count` is how many there will be at most, if known.
  private mutating func begin(_ period: Microseconds, _ count: Int?) throws(ToolError) {
    let highest = BandEdges.highest(period: max(Microseconds(200), period))
    // A thousandth more, because a period is a whole number of microseconds.
    if let bands, bands.top.double > highest.double * 1.001 {
      throw ToolError(
        .usage,
        "bands up to \(bands.top.text(places: 2)) Hz need twice as many samples a second; these show up to "
          + "\(highest.text(places: 2)) Hz")
    }
    do throws(VibrationError) {
      let edges = bands ?? .usual(period: period)
      let length = block ?? VibrationBlock.usual(period: period, within: count)
      meter = try VibrationBlock.meter(length, edges, period: period)
      account = VibrationAccount(edges)
      self.period = period
    } catch {
      throw ToolError(.data, "samples \(period.durationText) apart: vibration needs 200 µs to 1 s")
    }
  }

  /// Begins with a recording's first samples.
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

  /// Shows a second, and the detector's result for it.
  private mutating func take(_ report: VibrationReport) throws(ToolError) {
    guard let first, let edges = account?.edges else { return }
    account?.take(report)
    let place = (sensor ?? BoardDescription.emulated.sensor).place
    let objects = ObjectWriter(start: first, sensor: place)
    let (second, time) = (VibrationSecond(report, edges), report.end - first)
    switch format {
    case .text:
      let peak = second.peak.components.map(\.double).max() ?? 0
      let cells = [second.total.double] + second.rms.components.map(\.double) + [peak]
      try output.line(
        time.tableText.rightAligned(to: 8) + cells.map { figure($0, places: 4, width: 10, sign: false) }.joined())
    case .json: try output.line(JSONText.line { objects.write(second, to: &$0) })
    }
    let event: Event
    let words: String
    switch detector?.step(report) {
    case .busy(let since): (event, words) = (.busy(since: since), "busy since \((since - first).tableText) s")
    case .quiet(let since): (event, words) = (.quiet(since: since), "quiet since \((since - first).tableText) s")
    case nil: return
    }
    try show(words, at: time, JSONText.line { objects.write(event, at: report.end, to: &$0) })
  }

  /// Writes an event: `words` for people, `object` for scripts.
  private mutating func show(_ words: String, at time: Microseconds, _ object: String) throws(ToolError) {
    switch format {
    case .text: try output.line(wrapped(words, behind: time.tableText.rightAligned(to: 8) + "  "))
    case .json: try output.line(object)
    }
  }
}

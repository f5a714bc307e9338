import BoardFile
import FixedPoint
import Monitor
import Orientation
import PlumbViews
import Sensors
import Stream
import Vibration

/// A recording of specific force over time, and of rotation where there was a gyroscope, read sample by sample: a CSV file
/// with the columns `time_s,x_g,y_g,z_g`, or `time_s,x_g,y_g,z_g,x_dps,y_dps,z_dps`, or one that `RecordingFormat` knows.
struct Recording: ~Copyable {
  struct Sample {
    var time: Instant
    var measurement: Measurement
  }

  static let header = "time_s,x_g,y_g,z_g"
  static let headerWithRotation = header + ",x_dps,y_dps,z_dps"

  private var file: InputFile
  private let format: RecordingFormat
  /// The number of samples so far.
  private(set) var samples = 0

  /// Reads the header of `file`.
  init(_ file: consuming InputFile, _ options: RecordingOptions) throws(ToolError) {
    format = try RecordingFormat(of: &file, options)
    self.file = file
  }

  /// What messages call it.
  var name: String { file.name }

  /// Whether samples have rotation rates: all, or none.
  var hasRotation: Bool { format.hasRotation }

  /// The next sample; nil after the last one. A line that is wrong is an error; so is a recording without samples.
  mutating func next() throws(ToolError) -> Sample? {
    while let line = try file.nextLine() {
      guard let values = format.exactValues(file.bytes.span, line) else {
        guard let sample = try slowSample(line) else { continue }
        samples += 1
        return sample
      }
      samples += 1
      return sample(values)
    }
    guard samples > 0 else { throw ToolError(.data, "\(file.name): there is no sample after the header") }
    return nil
  }

  /// Shows how far reading is.
  func show(in progress: inout Progress) {
    guard samples & 0xFFF == 0 && progress.isDue() else { return }
    let share = file.size.map { " (\(min(100, file.position * 100 / $0)) %)" } ?? ""
    progress.show("Reading: \(samples) samples …\(share)")
  }

  /// The sample of a line that may be wrong, or empty, or has numbers that only the system's conversion does exactly.
  private func slowSample(_ line: Range<Int>) throws(ToolError) -> Sample? {
    let line = format.trimmed(file.bytes[line])
    guard !line.isEmpty else { return nil }
    return sample(try format.values(line, at: file.place))
  }

  /// The sample of `values` within the limits.
  @inline(__always)
  private func sample(_ values: RecordingFormat.Values) -> Sample {
    let (scale, rotationScale) = (format.scale, format.rotationScale)
    let force = Vector3(
      x: Self.q16(values[1], scale), y: Self.q16(values[2], scale), z: Self.q16(values[3], scale))
    let rotation =
      format.hasRotation
      ? Vector3(
        x: Self.q16(values[4], rotationScale), y: Self.q16(values[5], rotationScale),
        z: Self.q16(values[6], rotationScale)) : nil
    return Sample(
      time: Instant(microseconds: Self.rounded(values[0] * 1e6)),
      measurement: Measurement(force: force, rotation: rotation))
  }

  /// `value`, of which `scale` are one of the unit.
  @inline(__always)
  private static func q16(_ value: Double, _ scale: Double) -> Q16 {
    Q16(raw: Int32(rounded((scale == 1 ? value : value / scale) * 65_536)))
  }

  /// The nearest whole number, of two the one away from 0: as `rounded()`, without a call.
  @inline(__always)
  private static func rounded(_ value: Double) -> Int64 {
    let whole = Int64(value)
    let rest = value - Double(whole)
    return rest >= 0.5 ? whole + 1 : rest <= -0.5 ? whole - 1 : whole
  }
}

/// A recording as if it happened now: the same pipeline as on a live board, as fast as possible, without suspicion of
/// samples.
struct RecordedBoard: ObservationSource, ~Copyable {
  let start: Instant
  /// The sample of the last observation, as it was recorded.
  private(set) var latest: Recording.Sample
  /// The times of the samples so far.
  private(set) var times = SampleTimes()
  private var recording: Recording
  private var isAtStart = true
  private var monitor: Monitor
  /// What watches vibration; nil for nothing.
  private var vibration: VibrationObserver?
  /// The vibration of the second that the last step ended; nil where it did not end one.
  private(set) var second: VibrationSecond?
  /// The latest time so far: times may run backwards.
  private var end: Instant

  /// Reads up to the first sample. What is watched beside poses is what the file of `board` asks for.
  init(
    _ recording: consuming Recording, gravity: GravityFilter.Configuration, movement: Movement.Configuration,
    board: BoardDescription? = nil, knocks: Knocks.Configuration? = nil
  ) throws(ToolError) {
    vibration = try board.flatMap { board throws(ToolError) in
      try VibrationObserver.watching(board.vibration, period: board.sensor.pace)
    }
    latest =
      try recording.next()
      ?? Recording.Sample(time: Instant(microseconds: 0), measurement: Measurement(force: .zero))
    self.recording = recording
    (start, end) = (latest.time, latest.time)
    var configuration = Monitor.Configuration.recording
    configuration.pipeline = Pipeline.Configuration(gravity: gravity)
    configuration.movement = movement
    configuration.detectsRest = true
    configuration.knocks = knocks
    monitor = Monitor(configuration, at: start)
  }

  mutating func next() throws(ToolError) -> Observation? {
    guard let report = try step() else { return nil }
    return observation(report)
  }

  /// The report on the next sample; nil at the end.
  mutating func step() throws(ToolError) -> Monitor.Report? {
    if isAtStart {
      isAtStart = false
    } else {
      guard let sample = try recording.next() else { return nil }
      latest = sample
    }
    times.take(latest.time)
    end = max(end, latest.time)
    var report = monitor.sampled(latest.measurement, at: latest.time)
    vibration?.step(&report, of: &monitor)
    second = vibration?.second
    return report
  }

  /// What the last step brought, whose report this is.
  func observation(_ report: Monitor.Report) -> Observation {
    Observation(report, monitor, vibration: second)
  }

  var now: Instant { end }

  /// Shows how far it is.
  func show(in progress: inout Progress) { recording.show(in: &progress) }

  var summary: Summary {
    Summary(
      duration: end - start, counters: monitor.counters, backwards: times.backwards, repeated: times.repeated)
  }

  /// A warning on times that misbehave; nil where none does.
  func warning(about file: String) -> String? {
    let counts = [
      times.backwards > 0 ? "runs backwards \(Self.times(times.backwards))" : nil,
      times.repeated > 0 ? "stands still \(Self.times(times.repeated))" : nil,
    ].compactMap(\.self)
    guard !counts.isEmpty else { return nil }
    return "plumb: warning: \(file): the time \(counts.joined(separator: " and "))\n"
  }

  private static func times(_ count: UInt64) -> String { count == 1 ? "once" : "\(count) times" }
}

package import BoardFile
package import FixedPoint
package import Monitor
package import Orientation
package import PlumbViews
package import Recordings
import Sensors
import Stream
package import ToolOutput
import Vibration

/// A recording as if it happened now: the same pipeline as on a live board, but as fast as possible, and without checks
/// that suspect samples.
package struct RecordedBoard: ObservationSource, ~Copyable {
  package let start: Instant
  /// The sample of the last observation, as recorded.
  package private(set) var latest: Recording.Sample
  /// The times of the samples so far.
  package private(set) var times = SampleTimes()
  private var recording: Recording
  private var isAtStart = true
  private var monitor: Monitor
  /// Watches vibration; nil for not at all.
  private var vibration: VibrationDetector?
  /// The latest time so far, because times may run backwards.
  private var end: Instant

  /// Reads up to the first sample. Besides poses, it watches what the file of `board` asks for.
  package init(
    _ recording: consuming Recording, gravity: GravityFilter.Configuration, movement: Movement.Configuration,
    board: BoardDescription? = nil, knocks: Knocks.Configuration? = nil
  ) throws(ToolError) {
    vibration = if let board { try watchingVibration(of: board) } else { nil }
    latest =
      try Self.next(of: &recording)
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

  private static func next(of recording: inout Recording) throws(ToolError) -> Recording.Sample? {
    do {
      return try recording.next()
    } catch {
      throw ToolError(error)
    }
  }

  package mutating func next() throws(ToolError) -> Observation? {
    if isAtStart {
      isAtStart = false
    } else {
      guard let sample = try Self.next(of: &recording) else { return nil }
      latest = sample
    }
    times.take(latest.time)
    end = max(end, latest.time)
    return monitor.sampled(latest.measurement, at: latest.time, watching: &vibration)
  }

  package var now: Instant { end }

  /// Shows how far reading is.
  package func show(in progress: inout Progress) {
    // Read once, as `times` below: a value of so many fields that is borrowed in several branches takes seconds to
    // compile.
    let (samples, share) = (recording.samples, recording.share)
    guard samples & 0xFFF == 0 && progress.isDue() else { return }
    let words = share.map { " (\($0) %)" } ?? ""
    progress.show("Reading: \(counted(samples, "sample", "samples")) …\(words)")
  }

  package var summary: Summary {
    Summary(
      duration: end - start, counters: monitor.counters, backwards: times.backwards, repeated: times.repeated)
  }

  /// A warning about times that run backwards or stand still; nil if none do.
  package func warning(about file: String) -> String? {
    let times = times
    let counts = [
      times.backwards > 0 ? "runs backwards \(Self.times(times.backwards))" : nil,
      times.repeated > 0 ? "stands still \(Self.times(times.repeated))" : nil,
    ].compactMap(\.self)
    guard !counts.isEmpty else { return nil }
    return "plumb: warning: \(file): the time \(counts.joined(separator: " and "))\n"
  }

  private static func times(_ count: UInt64) -> String { count == 1 ? "once" : "\(count) times" }
}

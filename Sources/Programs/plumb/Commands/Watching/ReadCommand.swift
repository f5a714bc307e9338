import ArgumentParser
import BoardFile
import Emulation
import FixedPoint
import Monitor
import Orientation
import PlumbStream
import PlumbViews
import Sensors
import Stream
import ToolInputs
import ToolOutput

/// `plumb read`: the pose and all angles, once.
struct ReadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Reads the pose and all angles of a board once.",
    usage: "plumb read [<options>]",
    discussion: """
      One sample is enough: you need not move the board first. A sensor that already runs with the settings of the \
      board file, for example under plumb run, is read without disturbing it; any other is started, unless another \
      plumb owns it. If that plumb run has a --rate, give the same rate here. The LEDs do not change. With --from the \
      owner of a sensor reads it. Without --motion the emulated board is held upright, leaning back.

      EXAMPLE: plumb read --board raspberry-pi-adxl345 --relative-to landscapeLeft

      EXIT CODES: 0 success, even if the pose is unknown; 69 no bus, sensor or owner; 77 no permission; 78 bad board \
      file
      """)

  @OptionGroup var source: SourceOptions

  @Option(
    help: ArgumentHelp(
      "Also give the angle relative to this pose: \(Pose.names.joined(separator: ", ")).", valueName: "pose"),
    completion: .list(Pose.names), transform: Pose.named)
  var relativeTo: Pose?

  @Option(
    help: ArgumentHelp(
      "Average this many samples, 1 to 10000 (more samples: less noise, more time).", valueName: "n"))
  var average = 1

  @Option(help: "Output format: text for people, json for scripts (one object).")
  var format: Format = .text

  func validate() throws {
    guard (1...10_000).contains(average) else {
      throw ValidationError("--average takes a number of samples from 1 to 10000, not \(average).")
    }
  }

  func run() throws {
    let motion = self.source.board.motion ?? .hold
    let emulated = EmulatedBoard(motion: motion, seed: self.source.board.seed, isFast: true)
    var source = try ChosenSource(self.source, for: Self.self, streamSettings, emulated) {
      try self.source.board.description(for: Self.self) { _ in
        self.source.board.batch == nil
          ? nil : "--batch is for commands that run on; plumb read takes one sample at a time."
      }
    }
    try reportingError { () throws(ToolError) in
      try source.begin(
        LiveBoard.Settings(
          usesLines: false, adopts: true,
          // Too few samples are read to judge them by; a sensor that does not deliver is restarted up to three times.
          faults: FaultPolicy(implausibleLimit: 0, weightlessLimit: .zero, restartLimit: 3),
          hearsSignals: false))
      try show(try answer(of: &source, motion))
    }
  }

  private func show(_ answer: ReadAnswer) throws(ToolError) {
    var output = Output(isLive: false)
    for line in answer.lines(format, relativeTo: relativeTo) { try output.line(line) }
    try output.flush()
  }

  /// A single reading is requested directly; for an average, samples are subscribed to.
  private var streamSettings: StreamSource.Settings {
    guard average > 1 else { return StreamSource.Settings() }
    return StreamSource.Settings(samples: .all, endsWithOwner: true)
  }

  private func answer(of source: inout ChosenSource, _ motion: NamedMotion) throws(ToolError)
    -> ReadAnswer
  {
    var notice: SensorNotice?
    let asked = average == 1 ? try source.ask() : nil
    let fresh = if let asked { asked } else { try sampled(&source, &notice) }
    if source.hasOwner { try source.close() }
    let words = source.ownerWords.map { $0 + "." }
    return ReadAnswer(
      fresh: fresh, tare: source.tare, isAdopted: source.isAdopted, notice: notice,
      board: source.description,
      source: words ?? sentence(of: source.description, motion, isAdopted: source.isAdopted))
  }

  /// The mean of the first trustworthy samples. Trouble at an owner is an error: it can last forever.
  private func sampled(
    _ source: inout ChosenSource, _ notice: inout SensorNotice?
  ) throws(ToolError) -> FreshReading {
    var mean = MeanForce()
    while let seen = try source.next() {
      if !source.hasOwner { seen.forEachEvent { if case .notice(let seen) = $0.event { notice = seen } } }
      if source.hasOwner, let reason = seen.snapshot.silence {
        let words = source.remark?.detail ?? "\(reason.message)"
        throw ToolError(.unavailable, "the owner\(source.ownerPlace): \(printable(words))")
      }
      guard let reading = seen.reading else { continue }
      mean.add(reading.force)
      guard mean.count >= average else { continue }
      return average == 1
        ? FreshReading(reading) : mean.reading(at: reading.instant, source.description.poses ?? .standard)
    }
    if let error = source.lastError { throw error }
    throw ToolError(
      .unavailable,
      source.hasOwner
        ? "stopped after \(mean.count) of \(average) samples" : "stopped before the first sample")
  }
}

extension ReadCommand {
  /// A sentence about the sensor that was read.
  private func sentence(of board: BoardDescription, _ motion: NamedMotion, isAdopted: Bool) -> String {
    switch board.bus {
    case .emulated: "\(board.sensorPlace), motion \(motion.rawValue)."
    case .linux, .iio, .pico:
      "\(board.sensorPlace), "
        + (isAdopted ? "already running: nothing was written to it." : "started for this reading.")
    }
  }
}

/// The average of forces, rounded to nearest.
private struct MeanForce {
  private(set) var count = 0
  private var sum: (x: Int64, y: Int64, z: Int64) = (0, 0, 0)

  mutating func add(_ force: Vector3) {
    count += 1
    sum = (sum.x + Int64(force.x.raw), sum.y + Int64(force.y.raw), sum.z + Int64(force.z.raw))
  }

  /// The average, and the pose that follows from it alone.
  func reading(at instant: Instant, _ poses: PoseTracker.Configuration) -> FreshReading {
    func mean(_ sum: Int64) -> Q16 {
      let half = Int64(count) / 2
      return Q16(raw: Int32(truncatingIfNeeded: (sum < 0 ? sum - half : sum + half) / Int64(max(1, count))))
    }
    return Pipeline(Pipeline.Configuration(tracker: poses)).reading(
      of: Vector3(x: mean(sum.x), y: mean(sum.y), z: mean(sum.z)), at: instant)
  }
}

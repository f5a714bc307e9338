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

/// `plumb read`: the pose and all angles, once.
struct ReadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Reads the pose and all angles of a board once.",
    usage: "plumb read [<options>]",
    discussion: """
      One sample is enough: you need not move the board first. A sensor that already runs with the settings of the board \
      file, for example under plumb run, is read without disturbing it; any other is started. If that plumb run has a \
      --rate, give the same rate here. The LEDs do not change. With --from the owner of a sensor reads it. Without \
      --motion the emulated board is held upright, leaning back.

      EXAMPLE: plumb read --board raspberry-pi-adxl345 --relative-to landscapeLeft

      EXIT CODES: 0 success, even if the pose is unknown; 69 no bus, sensor or owner; 77 no permission; 78 bad board file
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
    if var stream = try source.stream(for: Self.self, streamSettings) {
      return try reportingError { () throws(ToolError) in try show(try answer(of: &stream)) }
    }
    let description = try source.board.description(for: Self.self) { _ in
      source.board.batch == nil ? nil : "--batch is for commands that go on; plumb read takes a sample at a time."
    }
    try reportingError { () throws(ToolError) in try show(try answer(of: description)) }
  }

  private func show(_ answer: ReadAnswer) throws(ToolError) {
    var output = Output(isLive: false)
    for line in answer.lines(format, relativeTo: relativeTo) { try output.line(line) }
    try output.flush()
  }

  /// A single reading is asked for; for an average samples are, and given time for twice as many, and a restart.
  private var streamSettings: StreamSource.Settings {
    guard average > 1 else { return StreamSource.Settings() }
    return StreamSource.Settings(samples: .all, endsWithOwner: true)
  }

  /// Asks the owner of the sensor.
  private func answer(of stream: inout StreamSource) throws(ToolError) -> ReadAnswer {
    let snapshot = average > 1 ? try mean(of: &stream) : try stream.read()
    try stream.close()
    return ReadAnswer(
      snapshot: snapshot, tare: stream.tare, isAdopted: true, notice: nil, board: stream.description,
      source: stream.greeting + ".")
  }

  /// The mean of the next samples. The owner's trouble is an error: it can last for ever.
  private func mean(of stream: inout StreamSource) throws(ToolError) -> Snapshot {
    var mean = MeanForce()
    while let seen = try stream.next() {
      if case .unknown(let reason) = seen.state, reason == .fault || reason == .stale {
        let words = stream.remark?.detail ?? "\(reason.message)"
        throw ToolError(.unavailable, "the owner at \(stream.address): \(printable(words))")
      }
      guard let reading = seen.reading else { continue }
      mean.add(reading.force)
      if mean.count >= average { return mean.snapshot(at: reading.instant) }
    }
    throw ToolError(.unavailable, "stopped after \(mean.count) of \(average) samples")
  }

  /// Takes the first samples that can be trusted.
  private func answer(of description: BoardDescription) throws(ToolError) -> ReadAnswer {
    let emulated = EmulatedBoard(motion: source.board.motion ?? .hold, seed: source.board.seed, isFast: true)
    var board = try LiveBoard(
      description, emulated,
      LiveBoard.Settings(
        usesLines: false, adopts: true,
        // There are too few samples to be suspicious of them; a sensor that does not deliver is started three times more.
        faults: FaultPolicy(implausibleLimit: 0, weightlessLimit: .zero, restartLimit: 3), hearsSignals: false))
    var notice: SensorNotice?
    var mean = MeanForce()
    while let seen = try board.next() {
      seen.forEachEvent { if case .notice(let seen) = $0.event { notice = seen } }
      guard let reading = seen.reading else { continue }
      mean.add(reading.force)
      guard mean.count >= average else { continue }
      return ReadAnswer(
        snapshot: average == 1 ? Snapshot(reading) : mean.snapshot(at: reading.instant),
        tare: description.tare, isAdopted: board.isAdopted, notice: notice, board: description,
        source: sentence(of: description, emulated.motion, isAdopted: board.isAdopted))
    }
    if case .gaveUp(let cause, _) = board.ending { throw ToolError(cause, of: description.sensor) }
    throw ToolError(.unavailable, "stopped before the first sample")
  }
}

extension ReadCommand {
  /// The sensor that was read.
  private func sentence(of board: BoardDescription, _ motion: NamedMotion, isAdopted: Bool) -> String {
    let name = "\(board.sensor.model.properName) at \(board.sensor.address.text)"
    return switch board.bus {
    case .emulated: "Emulated \(name), motion \(motion.rawValue)."
    case .linux(let path):
      "\(name) on \(path.description), "
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
  func snapshot(at instant: Instant) -> Snapshot {
    func mean(_ sum: Int64) -> Q16 {
      let half = Int64(count) / 2
      return Q16(raw: Int32(truncatingIfNeeded: (sum < 0 ? sum - half : sum + half) / Int64(max(1, count))))
    }
    return Pipeline().snapshot(of: Vector3(x: mean(sum.x), y: mean(sum.y), z: mean(sum.z)), at: instant)
  }
}

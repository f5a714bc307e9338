import BoardFile
import Emulation
import FixedPoint
import HAL
import LinuxHAL
import Monitor
import Orientation
import Sensors

/// What is done with a board in somebody's hands, sample by sample.
protocol HandsOnWalk {
  /// What is applied to the samples before they come here.
  var alignment: Alignment { get }
  /// Where progress is told.
  var narrator: Narrator { get set }

  /// Says what is to be done, before the first sample.
  mutating func begin() throws(Failure)
  /// Takes in the force of `instant`, in the sensor's own frame; true when all is done.
  mutating func take(_ force: Vector3, at instant: Instant) throws(Failure) -> Bool
  /// The sensor failed or came back: what was being measured begins anew.
  mutating func interrupt()
  /// What has not been done yet, for the end of a message.
  var missing: String { get }
}

/// Reads the sensor of a board, real or emulated, for a walk: at 100 Hz, whatever the board file says, because that is
/// fast enough to follow a hand and where both sensors are quietest. Lines are left alone.
///
/// Faults of the sensor are answered as in `plumb run`: the same loop runs it.
struct HandsOnSession {
  var board: BoardDescription
  /// What an emulated board does.
  var motion: NamedMotion
  /// The seed of an emulated sensor; nil for the board file's.
  var seed: UInt64?
  var isFast: Bool
  /// After how long it ends undone; nil for never, or on an emulated board with its motion.
  var timeout: Microseconds?

  /// How a session ended.
  enum Ending {
    /// All is done.
    case complete
    /// A stop signal came, or nobody reads what is said.
    case stopped
  }

  /// A sensor that is away for so long is given up: nobody stands holding a board for longer.
  private static let patience = Microseconds.seconds(60)

  /// While the clumsy hand holds the board face up, its sensor does not answer for this span.
  private static let clumsyFaults: FaultPlan = [
    FaultPlan.Rule(.noAcknowledge, .during(.milliseconds(22_000)..<Microseconds.milliseconds(22_300)))
  ]

  init(board: BoardDescription, motion: NamedMotion, seed: UInt64?, isFast: Bool, timeout: Microseconds?) {
    self.board = board
    // 100 Hz is a rate of every sensor.
    if let rate = UpdateRate(millihertz: 100_000) { _ = self.board.sensor.setRate(rate) }
    self.motion = motion
    self.seed = seed
    self.isFast = isFast
    self.timeout = timeout
  }

  /// Whether what is said is to be seen at once.
  var isLive: Bool { !(isFast && board.bus == .emulated) }

  /// Does `walk` to its end.
  func run<Walk: HandsOnWalk>(_ walk: inout Walk) throws(Failure) -> Ending {
    do { try StopSignals.install() } catch { throw Failure(.internal, error.description) }
    var use = Use(session: self, walk: walk)
    defer { walk = use.walk }
    return try use.run(on: board, isFast: isFast) { now in emulatedBus(now: now) }
  }

  private struct Use<Walk: HandsOnWalk>: SensorUse {
    let session: HandsOnSession
    var walk: Walk

    mutating func use<Sensor: SelfTesting & ~Copyable>(
      _ sensor: consuming Sensor, _ clock: some MonotonicClock
    ) throws(Failure) -> Ending {
      try session.drive(&walk, sensor, clock)
    }
  }

  private func emulatedBus(now: @escaping () -> Instant) -> EmulatedBus {
    let plan = motion == .sixFacesClumsy ? Self.clumsyFaults : .none
    return board.emulatedBus(motion: motion.motion, seed: seed, plan: plan, now: now)
  }

  private func drive<Sensor: Accelerometer & ~Copyable>(
    _ walk: inout some HandsOnWalk, _ sensor: consuming Sensor, _ clock: some MonotonicClock
  ) throws(Failure) -> Ending {
    // A stuck sensor must not pass for a board held still, not even a quiet one.
    let faults = FaultPolicy(quietLimit: .zero, outageLimit: Self.patience)
    let configuration = Monitor.Configuration(
      period: board.sensor.period, fullScale: sensor.fullScale,
      pipeline: Pipeline.Configuration(alignment: walk.alignment), faults: faults)
    let start = clock.now
    walk.narrator.start = start
    let noLines = RecordingOutputBank(log: OutputLog(capacity: 0)) { clock.now }
    var loop = Loop(sensor: sensor, bank: noLines, clock: clock, configuration: configuration)
    var outage: SensorError?
    try greet(&walk.narrator)
    try walk.begin()
    let end = [timeout, motionEnd].compactMap(\.self).min().map { start + $0 }
    while loop.monitor.next.at <= end ?? loop.monitor.next.at {
      // Virtual time does not wait, and so does not hear of a signal by itself.
      if walk.narrator.isUnheard || StopSignals.received != nil { return .stopped }
      let report: Monitor.Report?
      do { report = try loop.turn() } catch { throw Failure(.internal, "lines that are not there were set") }
      guard let report else { return .stopped }
      for index in 0..<report.events.count {
        guard let event = report.events[index]?.event else { break }
        try tell(event, at: loop.clock.now, &walk, &outage)
      }
      if let reading = report.reading, try walk.take(reading.force, at: reading.instant) { return .complete }
    }
    try walk.narrator.flush()
    if let outage {
      throw Failure(.unavailable, "\(outage.text(of: board.sensor)); nothing is written, \(walk.missing)")
    }
    let isTimeUp = timeout.map { $0 < motionEnd ?? $0 + .seconds(1) } ?? false
    let what = isTimeUp ? "the time is up" : "the motion \(motion.rawValue) is over"
    throw Failure(.data, "\(what), and \(walk.missing); nothing is written")
  }

  /// When an emulated board lies still for ever.
  private var motionEnd: Microseconds? { board.bus == .emulated ? motion.motion.duration : nil }

  /// Tells what happened to the sensor, if anything did.
  private func tell(
    _ event: Event, at now: Instant, _ walk: inout some HandsOnWalk, _ outage: inout SensorError?
  ) throws(Failure) {
    switch event {
    case .trouble(.fault, let cause?):
      let words = cause.text(of: board.sensor)
      if case .rateTooHigh = cause { throw Failure(.configuration, words) }
      outage = cause
      walk.interrupt()
      try walk.narrator.tell("trouble", words, at: now)
    case .recovered(let cause, let span):
      outage = nil
      walk.interrupt()
      let words = following(
        "after \(span.tableText) s from: \(cause.text(of: board.sensor))", "what is held begins anew")
      try walk.narrator.tell("recovery", words, at: now)
    case .notice(let notice): try walk.narrator.tell("notice", notice.text(of: board.sensor), at: now)
    case .gaveUp(let cause, let span):
      try walk.narrator.flush()
      throw Failure(
        .unavailable,
        "given up after \(span.tableText) s: \(cause.text(of: board.sensor)); nothing is written, \(walk.missing)")
    default: break
    }
  }

  private func greet(_ narrator: inout Narrator) throws(Failure) {
    guard narrator.format == .text else { return }
    let name = "\(board.sensor.model.properName) at \(board.sensor.address.text)"
    switch board.bus {
    case .emulated: try narrator.line("Emulated \(name); motion \(motion.rawValue).")
    case .linux(let path):
      try narrator.line("\(name) on \(path.description); Ctrl-C stops, and then nothing is written.")
    }
  }
}

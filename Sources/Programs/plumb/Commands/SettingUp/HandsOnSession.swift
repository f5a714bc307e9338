import ArgumentParser
import BoardFile
import Emulation
import FixedPoint
import JSON
import Monitor
import Orientation
import PlumbStream
import PlumbViews
import Sensors
import Stream
import ToolInputs
import ToolOutput

/// The options of the commands for which a user holds the board, and which then write its board file.
struct HandsOnOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The board file to write the result to.", valueName: "file"),
    completion: .boards)
  var board: String?

  @OptionGroup var owner: OwnerOptions

  @Flag(
    help: ArgumentHelp(
      "With --from unix: or serial:, write the result to --board, the owner's board file. Without it, the lines for that file are printed."
    ))
  var write = false

  @Option(help: "Output format: text for people, json for scripts (one object per line).")
  var format: Format = .text

  @Flag(help: "Do everything except write the result to the board file.")
  var dryRun = false

  @Option(
    help: ArgumentHelp(
      "The motion of the emulated board: \(NamedMotion.names.joined(separator: ", ")).", valueName: "name"),
    completion: .list(NamedMotion.names), transform: NamedMotion.named)
  var motion: NamedMotion?

  @Option(
    help: ArgumentHelp(
      "The seed of the emulated sensor's noise and errors (default: the board file's, or 1).",
      valueName: "n"))
  var seed: UInt64?

  @OptionGroup var time: SpeedOption

  @Option(
    help: ArgumentHelp("Give up with exit code 65 after this many seconds.", valueName: "seconds"),
    transform: SecondsOption.parsed)
  var timeout: Double?

  func validate() throws {
    try SecondsOption.check([("timeout", timeout)])
    if let wrong = wrongForOwner { throw ValidationError(wrong) }
  }

  /// Whether the result goes into an owner's board file: that of a board on a serial line has no other place than this
  /// computer.
  var writesOwn: Bool {
    if case .serial = owner.from { write || board != nil } else { write }
  }

  /// What is wrong with the options that concern an owner, if anything.
  private var wrongForOwner: String? {
    guard let from = owner.from else {
      return write ? "--write needs --from: without that, the result is always written to --board." : nil
    }
    let own = [
      ("--motion", motion != nil), ("--seed", seed != nil), ("--speed", time.isGiven),
    ]
    if let (name, _) = own.first(where: \.1) {
      return "\(name) and --from do not go together: it is for a local emulated board."
    }
    switch from {
    case .ssh, .tcp:
      if write {
        return
          "--write changes no file of another computer. Leave it out: the lines for the owner's board file are printed, "
          + "with what to do with them."
      }
      return board == nil ? nil : "--board and --from do not go together: give one of the two."
    case .unix, .serial:
      if write && board == nil { return "--write with --from needs --board, the owner's board file." }
      return board == nil || writesOwn ? nil : "--board with --from needs --write."
    }
  }

  /// What is wrong with the options for this board, if anything.
  func misuse(of board: BoardDescription) -> String? {
    guard board.bus != .emulated else { return nil }
    if let misuse = time.misuse(of: board) { return misuse }
    if motion != nil { return "--motion needs a board whose bus is emulated." }
    return seed == nil ? nil : "--seed needs a board whose bus is emulated."
  }
}

/// A task, sample by sample, for a user who holds the board.
protocol HandsOnWalk {
  /// The alignment that is applied to the samples first.
  var alignment: Alignment { get }
  /// Reports progress.
  var narrator: Narrator { get set }

  /// Says what to do, before the first sample.
  mutating func begin() throws(ToolError)
  /// Takes the force at `instant`, and the rate of rotation if there is a gyroscope, both in the sensor frame; returns
  /// true when everything is done.
  mutating func take(_ force: Vector3, _ rotation: Vector3?, at instant: Instant) throws(ToolError) -> Bool
  /// The sensor failed or recovered, so the present measurement starts again.
  mutating func interrupt()
  /// What has not been done yet, for the end of a message.
  var missing: String { get }
  /// What to write into the board file, once everything is done.
  var change: BoardEditor.Change? { get }
  /// Reports the result, and what happened to it.
  mutating func report(_ outcome: HandsOnOutcome) throws(ToolError)
}

extension HandsOnWalk {
  /// Shows what the board does, and for how much of the time it has been held.
  mutating func show(
    _ text: String, _ state: StaticString, progress: Q16? = nil, at instant: Instant
  ) throws(ToolError) {
    try narrator.show(text, progress: progress, [{ $0.field("state", state) }], at: instant)
  }
}

/// Reads a board's sensor, real or emulated, for a walk: at 100 Hz, whatever the board file says, because that is fast
/// enough to follow a hand, and both sensors are quietest there. Leaves the lines alone.
struct HandsOnSession {
  private var description: BoardDescription
  private let options: HandsOnOptions
  private let emulated: EmulatedBoard
  /// After how long it gives up; nil for never, or, on an emulated board, until its motion ends.
  private let timeout: Microseconds?

  /// How a session ended.
  enum Ending {
    /// Everything is done.
    case complete
    /// A stop signal arrived, or the output is closed.
    case stopped
  }

  /// After an outage of this length the sensor is given up, because a user does not hold a board for longer.
  private static let patience = Microseconds.seconds(60)

  /// While the clumsy hand holds the board face up, its sensor does not answer during this span.
  private static let clumsyFaults: FaultPlan = [
    FaultPlan.Rule(.noAcknowledge, .during(.milliseconds(22_000)..<Microseconds.milliseconds(22_300)))
  ]

  /// A session with `board`, which moves as `usual` if it is emulated and no other motion was chosen.
  init(_ options: HandsOnOptions, with board: BoardDescription, motion usual: NamedMotion) {
    description = board
    // Every sensor supports 100 Hz.
    if let rate = UpdateRate(millihertz: 100_000) { _ = description.sensor.setRate(rate) }
    self.options = options
    let motion = options.motion ?? usual
    emulated = EmulatedBoard(
      motion: motion, seed: options.seed, isFast: options.time.isFast,
      faults: motion == .sixFacesClumsy ? Self.clumsyFaults : .none)
    timeout = options.timeout.map(SecondsOption.microseconds)
  }

  /// Whether output must be visible at once.
  var isLive: Bool { !(emulated.isFast && description.bus == .emulated) }

  /// When an emulated board stops moving for good.
  private var motionEnd: Microseconds? { emulated.duration(on: description) }

  /// Runs `walk` to its end.
  func run(_ walk: inout some HandsOnWalk) throws(ToolError) -> Ending {
    let board = try LiveBoard(
      description, emulated,
      LiveBoard.Settings(
        duration: [timeout, motionEnd].compactMap(\.self).min(), usesLines: false, alignment: walk.alignment,
        // A stuck sensor must not pass for a board held still, not even for a quiet one.
        faults: FaultPolicy(quietLimit: .zero, outageLimit: Self.patience)))
    walk.narrator.start = board.start
    try greet(&walk.narrator)
    try walk.begin()
    var outage: SensorError?
    while !walk.narrator.isUnheard, let seen = try board.next() {
      let now = board.now
      try seen.forEachEvent { occurrence throws(ToolError) in try report(occurrence.event, at: now, &walk, &outage) }
      if let reading = seen.reading, try walk.take(reading.force, reading.rotation, at: reading.instant) {
        return .complete
      }
    }
    if walk.narrator.isUnheard || board.wasStopped { return .stopped }
    try walk.narrator.flush()
    if let error = board.error {
      throw ToolError(error.code, "\(error.message); nothing was written: \(walk.missing)")
    }
    if let outage {
      throw ToolError(
        .unavailable, "\(outage.text(of: description.sensor)); nothing was written: \(walk.missing)")
    }
    let isTimeUp = timeout.map { $0 < motionEnd ?? $0 + .seconds(1) } ?? false
    let what = isTimeUp ? "the time is up" : "the motion \(emulated.motion.rawValue) is over"
    throw ToolError(.data, "\(what), and \(walk.missing); nothing was written")
  }

  /// Reports what happened to the sensor, if anything.
  private func report(
    _ event: Event, at now: Instant, _ walk: inout some HandsOnWalk, _ outage: inout SensorError?
  ) throws(ToolError) {
    switch event {
    case .trouble(.fault, let cause?):
      outage = cause
      walk.interrupt()
      try walk.narrator.report("trouble", cause.text(of: description.sensor), at: now)
    case .recovered(let cause, let span):
      outage = nil
      walk.interrupt()
      let words =
        "after \(span.tableText) s from: \(cause.text(of: description.sensor)); hold the board still again"
      try walk.narrator.report("recovery", words, at: now)
    case .notice(let notice): try walk.narrator.report("notice", notice.text(of: description.sensor), at: now)
    default: break
    }
  }

  private func greet(_ narrator: inout Narrator) throws(ToolError) {
    guard narrator.format == .text else { return }
    let more =
      description.bus == .emulated
      ? ", motion \(emulated.motion.rawValue)." : "; Ctrl-C stops without writing anything."
    try narrator.line(description.sensorPlace + more)
  }
}

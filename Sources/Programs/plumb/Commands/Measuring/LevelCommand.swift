import ArgumentParser
import BoardFile
import Emulation
import FixedPoint
import Glibc
import JSON
import Monitor
import Orientation
import PlumbStream
import PlumbViews
import Stream
import ToolInputs
import ToolOutput

/// `plumb level`: how far a vehicle is from level.
struct LevelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "level",
    abstract: "Shows how far a caravan or another vehicle is from level, in degrees and in millimetres at each wheel.",
    usage: "plumb level [<options>]",
    discussion: """
      Fix the board in the vehicle: flat, its top edge to the front, or upright on a wall that faces the rear. Level \
      the vehicle once, with a spirit level, and run plumb tare: that attitude is level from then on. Without a tare, \
      level is that of the board.

      With the distances between the wheels, plumb also says by how much to raise each one. A caravan has two wheels \
      and a jockey wheel: first raise the low wheel, then set the jockey wheel. The distances may be in the board \
      file: vehicle, wheelbase and track in [level].

      On a terminal it goes on, with the mean of each second, until Ctrl-C; elsewhere it prints once. --once and \
      --follow choose. In the live line, L and R are left and right, F and R before them front and rear. An emulated \
      board is held upright, leaning back 20° (--motion).

      EXAMPLES:
        plumb level --once
        plumb level --once --wheelbase 3500 --track 1850
        plumb level --once --board my-board.ini --format json
        plumb level --from ssh:pi --follow --vehicle car --wheelbase 2600

      EXIT CODES: 0 done, level or not, or stopped with Ctrl-C; 64 wrong usage; 69 no bus, sensor or owner; 77 no \
      permission; 78 bad board file
      """)

  @OptionGroup var source: SourceOptions

  @Option(
    help: ArgumentHelp(
      "The kind of vehicle: caravan (two wheels and a jockey wheel) or car (four wheels).", valueName: "kind"),
    completion: .list(["caravan", "car"]), transform: BoardDescription.Vehicle.Kind.named)
  var vehicle: BoardDescription.Vehicle.Kind?

  @Option(
    help: ArgumentHelp(
      "From the axle to the jockey wheel, or to the other axle, 100 to 20000 (default: the board file's).",
      valueName: "mm"))
  var wheelbase: Int32?

  @Option(
    help: ArgumentHelp(
      "From the left wheel to the right one, 100 to 20000 (default: the board file's).", valueName: "mm"))
  var track: Int32?

  @Flag(help: "Go on, once a second, until Ctrl-C; the default on a terminal.")
  var follow = false

  @Flag(help: "Print once; the default if standard output is not a terminal.")
  var once = false

  @OptionGroup var length: DurationOption

  @Option(help: "Output format: text for people, json for scripts (one object, or one a second).")
  var format: Format = .text

  func validate() throws {
    guard !(follow && once) else {
      throw ValidationError("--follow and --once do not go together: give one of the two.")
    }
    for (name, length) in [("--wheelbase", wheelbase), ("--track", track)] {
      guard let length, !(100...20_000).contains(length) else { continue }
      throw ValidationError("\(name) takes a number of millimetres from 100 to 20000, not \(length).")
    }
  }

  /// Whether it continues.
  private var goesOn: Bool { follow || !once && isatty(STDOUT_FILENO) == 1 }

  func run() throws {
    let settings = StreamSource.Settings(
      duration: length.span, samples: .perSecond(20), endsWithOwner: true)
    let emulated = EmulatedBoard(
      motion: self.source.board.motion ?? .hold, repeats: goesOn, seed: self.source.board.seed,
      isFast: !goesOn)
    var source = try ChosenSource(self.source, for: Self.self, settings, emulated) {
      try self.source.board.description(for: Self.self)
    }
    try reportingError { () throws(ToolError) in
      try source.begin(
        LiveBoard.Settings(
          duration: length.span, usesLines: false, adopts: true,
          faults: goesOn ? FaultPolicy() : FaultPolicy(restartLimit: 3)))
      try show(&source)
    }
  }

  /// The vehicle in the options, completed from the board file.
  private func vehicle(of board: BoardDescription) -> BoardDescription.Vehicle {
    BoardDescription.Vehicle(
      kind: vehicle ?? board.vehicle.kind, wheelbase: wheelbase ?? board.vehicle.wheelbase,
      track: track ?? board.vehicle.track)
  }

  private func show(_ source: inout ChosenSource) throws(ToolError) {
    let vehicle = vehicle(of: source.description)
    var narrator = Narrator(format, isLive: goesOn)
    narrator.start = source.start
    if format == .text {
      for line in wrapped((source.ownerWords ?? source.title) + ".") { try narrator.line(line) }
    }
    var meter = LevelMeter()
    var hasLevel = false
    while !narrator.isUnheard, let seen = try source.next() {
      if let reason = seen.snapshot.silence {
        if let refusal = source.refusal { throw refusal }
        meter = LevelMeter()
        try report(reason, source.remark?.detail, &narrator, at: source.now)
        continue
      }
      guard let reading = seen.reading, let mean = meter.take(reading.held, seen.snapshot.tare, at: reading.instant)
      else {
        continue
      }
      let level = VehicleLevel(seen.snapshot.tare.applied(to: mean).tilted, of: vehicle)
      if format == .text && !hasLevel && seen.snapshot.tare == .none {
        try narrator.line("No tare: level is the board itself. When the vehicle is level, run plumb tare.")
      }
      hasLevel = true
      try say(level, seen.snapshot.tare, &narrator, at: reading.instant)
      if !goesOn { break }
    }
    try narrator.flush()
    try source.close()
    if let error = source.error { throw error }
    guard !hasLevel && !narrator.isUnheard else { return }
    let words = "stopped before a second of samples was complete"
    guard source.wasStopped else { throw ToolError(.unavailable, words) }
    writeToStandardError(fitForTerminal("plumb: " + words))
  }

  private func say(
    _ level: VehicleLevel, _ tare: Tare, _ narrator: inout Narrator, at now: Instant
  ) throws(ToolError) {
    switch (format, goesOn) {
    case (.json, _):
      let start = narrator.start
      try narrator.line(
        JSONText.object { writer in
          writer.field("t", seconds: now - start)
          writer.field("event", "level")
          level.write(to: &writer)
          writer.field("tared", tare != .none)
        })
    case (.text, true): try narrator.show(level.line, [], at: now)
    case (.text, false): for sentence in level.sentences { try narrator.line(sentence) }
    }
  }

  /// Handles a sensor that does not deliver: ends a single answer; otherwise reports it, because it may recover.
  private func report(
    _ reason: UnknownReason, _ detail: String?, _ narrator: inout Narrator, at now: Instant
  ) throws(ToolError) {
    let words = printable(detail ?? "\(reason.message)")
    guard goesOn else { throw ToolError(.unavailable, words) }
    try narrator.show("unknown: \(words)", [{ $0.field("detail", words) }], at: now)
  }
}

/// The mean direction of up, second by second.
private struct LevelMeter {
  private var sum: (x: Int64, y: Int64, z: Int64) = (0, 0, 0)
  private var count: Int64 = 0
  private var begin: Instant?
  private var tare = Tare.none

  /// Takes the force at `now`, in g; returns the mean once a second has passed.
  mutating func take(_ force: Vector3, _ tare: Tare, at now: Instant) -> Vector3? {
    if tare != self.tare { self = LevelMeter() }
    self.tare = tare
    let start = begin ?? now
    begin = start
    sum = (sum.x + Int64(force.x.raw), sum.y + Int64(force.y.raw), sum.z + Int64(force.z.raw))
    count += 1
    guard now - start >= .seconds(1) else { return nil }
    func mean(_ sum: Int64) -> Q16 { Q16(raw: Int32(truncatingIfNeeded: sum / max(1, count))) }
    let result = Vector3(x: mean(sum.x), y: mean(sum.y), z: mean(sum.z))
    self = LevelMeter()
    self.tare = tare
    return result
  }
}

extension BoardDescription.Vehicle.Kind {
  /// The kind called `name`.
  fileprivate static func named(_ name: String) throws -> Self {
    try Misspelling.value(name, "kind of vehicle", of: [.caravan, .car]) { "\($0.name)" }
  }
}

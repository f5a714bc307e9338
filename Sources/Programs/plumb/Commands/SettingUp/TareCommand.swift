import ArgumentParser
import BoardFile
import Emulation
import FixedPoint
import JSON
import Orientation
import PlumbStream
import PlumbViews
import Stream
import ToolInputs
import ToolOutput

/// `plumb tare`: takes the present attitude as the one in which angles are zero.
struct TareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tare",
    abstract: "Makes the present attitude of the board zero: for angles, steering and scrolling.",
    usage: """
      plumb tare --board <file> [--undo] [<options>]
      plumb tare [--from <address>] [--undo] [--write] [<options>]
      """,
    discussion: """
      Hold the board still for a second. From then on, as on a kitchen scale that was zeroed with a bowl on it, angle, \
      pitch, roll, inclination and steering are 0 in that attitude, and nothing scrolls in it. Poses and LEDs stay as \
      the board really is. plumb level shows how far a vehicle is from it.

      With --board, the attitude goes into the board file, as [tare]; every other byte of the file stays as it is. \
      --undo removes it.

      With --from, the owner of the sensor (plumbd, or plumb run --share) keeps it until it is restarted; its board \
      file must have commands = yes in [share], or its plumb run --commands. To keep it, put the lines that plumb \
      prints into that file; with unix: or serial:, use --write and --board, as with plumb calibrate. --undo goes back to what \
      the board file says. Without --board and --from, it is for the owner on this machine.

      An emulated board is held upright, leaning back (--motion hold).

      EXAMPLES:
        plumb tare --board my-board.ini
        plumb tare --board my-board.ini --undo
        plumb tare --from ssh:pi

      EXIT CODES: 0 done, or stopped with Ctrl-C and nothing written; 64 wrong usage; 65 the board was not held still; \
      69 bus, sensor or owner not available; 73 board file cannot be written; 77 no permission; 78 bad board file
      """)

  @OptionGroup var options: HandsOnOptions

  @Flag(help: "Remove the tare; with --from, go back to that of the owner's board file.")
  var undo = false

  /// How long a board may move before the command gives up, unless the user says otherwise.
  private static let patience = 10.0

  func run() throws {
    if options.owner.from == nil && options.board != nil { return try runOnBoard() }
    guard let address = options.owner.from ?? SourceOptions.usualAddress(in: Self.self) else {
      UsageError.end(HandsOnOptions.needsBoard(for: "attitude"), in: Self.self)
    }
    try reportingError { () throws(ToolError) in
      if options.writesOwn { try write(from: address) } else { try order(address) }
    }
  }

  private func runOnBoard() throws {
    let editor = try options.editor(for: Self.self)
    try reportingError { () throws(ToolError) in try tare(editor) }
  }

  /// The options with this command's default timeout.
  private var patient: HandsOnOptions {
    var options = options
    options.timeout = options.timeout ?? Self.patience
    return options
  }

  private func tare(_ editor: BoardEditor) throws(ToolError) {
    let board = editor.board
    if undo {
      if !options.dryRun { try editor.write(TareWalk.removal) }
      return try report(undone: board.tare, of: editor.name, isWritten: !options.dryRun)
    }
    try patient.run(editor, motion: .hold, trial: TareWalk.change(to: Self.upright)) {
      TareWalk(alignment: board.sensor.alignment, before: board.tare, narrator: $0)
    }
  }

  /// The same with an owner's samples, into its board file.
  private func write(from address: StreamAddress) throws(ToolError) {
    var session = try HandsOnStream(patient, address)
    let board = session.stream.board
    let before = session.stream.hello.snapshot.tare
    if undo {
      let target = try options.target(of: session.stream)
      let isReloaded = try options.conclude(TareWalk.removal, target, &session.stream) { outcome throws(ToolError) in
        try report(undone: before, of: outcome.file, isWritten: outcome.isWritten)
      }
      var narrator = Narrator(options.format, isLive: true)
      return try narrator.say(isReloaded: isReloaded, options)
    }
    try patient.run(&session, trial: TareWalk.change(to: Self.upright)) {
      TareWalk(alignment: Alignment(board.calibration, board.mounting), before: before, narrator: $0)
    }
  }

  /// Asks the owner at `address` to take the present attitude.
  private func order(_ address: StreamAddress) throws(ToolError) {
    if options.dryRun {
      throw ToolError(.usage, "--dry-run needs --board or --write: a tare of an owner changes no file")
    }
    let stream = try StreamSource(address, token: try options.owner.token())
    let before = stream.tare
    var narrator = Narrator(options.format, isLive: true)
    if options.format == .text && !undo { try narrator.line("\(stream.greeting); hold the board still for a second.") }
    try stream.command(undo ? "untare" : "tare")
    let now = stream.tare
    let file = OwnerBoardFile(stream.hello.board.description, of: address)
    try stream.close()
    let lasting = undo ? nil : now.up.map { TareWalk.change(to: TareWalk.Up($0)) }
    switch options.format {
    case .text:
      try narrator.line(
        undo
          ? now == .none
            ? "Undone: angles are those of the board again." : "Undone: zero is again as in the board file."
          : "Done: this attitude is zero until the owner is restarted.")
      guard let lasting else { break }
      for line in wrapped("To keep it: \(file.instruction)") + lasting.lines { try narrator.line(line) }
    case .json:
      try narrator.line(
        TareWalk.object(now, before: before) { writer in
          writer.field("written", false)
          lasting?.write(to: &writer)
        })
    }
    try narrator.flush()
  }

  /// Reports what happened to a tare that was to be removed from the board file `file`.
  private func report(undone before: Tare, of file: String, isWritten: Bool) throws(ToolError) {
    var narrator = Narrator(options.format, isLive: true)
    switch options.format {
    case .text:
      try narrator.line(
        before == .none
          ? "Nothing to undo: \(file) has no tare."
          : isWritten ? "Undone: \(file) no longer has a tare." : "Not written to \(file): --dry-run.")
    case .json:
      try narrator.line(
        TareWalk.object(.none, before: before) { writer in
          writer.field("board", file)
          writer.field("written", isWritten && before != .none)
        })
    }
    try narrator.flush()
  }

  /// For checking whether a file could be written.
  private static let upright = TareWalk.Up(x: 0, y: 1_000_000, z: 0)
}

/// Waits until a board is held still for a second, and keeps the direction that is up.
struct TareWalk: HandsOnWalk {
  /// A direction in millionths, as in a board file.
  struct Up {
    var x: Int32
    var y: Int32
    var z: Int32

    var tare: Tare { Tare(millionths: x, y, z) ?? .none }

    var text: String { [x, y, z].map { decimalText(Int64($0), over: 1_000_000, places: 6) }.joined(separator: " ") }

    init(x: Int32, y: Int32, z: Int32) { (self.x, self.y, self.z) = (x, y, z) }

    init(_ up: UnitVector) {
      let parts = up.millionths
      self.init(x: parts.x, y: parts.y, z: parts.z)
    }
  }

  let alignment: Alignment
  var narrator: Narrator
  /// The result, once everything is done.
  private var up: Up?
  /// The tare in the board file.
  private let before: Tare
  private var still = StillForce()

  init(alignment: Alignment, before: Tare, narrator: Narrator) {
    (self.alignment, self.before, self.narrator) = (alignment, before, narrator)
  }

  mutating func begin() throws(ToolError) {
    let words = "Hold the board still for a second, in the attitude to make zero."
    try narrator.say(words, event: "wanted", [], at: narrator.start)
  }

  mutating func interrupt() { still.interrupt() }

  var missing: String { "the board was not held still" }

  mutating func take(_ force: Vector3, _: Vector3?, at instant: Instant) throws(ToolError) -> Bool {
    switch still.step(force, at: instant) {
    case .moving: try show("Moving: hold it still.", "moving", at: instant)
    case .holding(let share): try show("Holding still.", "holding", progress: share, at: instant)
    case .held(let mean):
      do throws(TareError) {
        up = try Tare(mean).up.map { Up($0) }
        return true
      } catch {
        let words = "the sensor does not measure 1 g: calibrate it with plumb calibrate"
        try narrator.say("Rejected: \(words).", event: "refused", [Narrator.detail(words)], at: instant)
      }
    }
    return false
  }

  var change: BoardEditor.Change? { up.map(Self.change) }

  /// Reports the new zero, and what happened to it.
  mutating func report(_ outcome: HandsOnOutcome) throws(ToolError) {
    guard let up else { return }
    switch narrator.format {
    case .text:
      let words = before == .none ? "" : "; the file had another one"
      try narrator.line(
        "Held still: every angle is 0 in this attitude\(words). The direction of up, in the board's frame:")
      try narrator.say(outcome)
    case .json: try narrator.line(Self.object(up.tare, before: before) { outcome.write(to: &$0) })
    }
  }

  /// The object of a tare, with the fields that `write` adds.
  static func object(_ tare: Tare, before: Tare, _ write: (inout JSONWriter) -> Void) -> String {
    JSONText.object("tare") { writer in
      writer.field("before", before.up)
      writer.field("up", tare.up)
      write(&writer)
    }
  }

  private static let comment = "Written by plumb tare: what was up. plumb tare --undo removes it."

  /// The change that writes `up` into a board file.
  static func change(to up: Up) -> BoardEditor.Change {
    BoardEditor.Change(
      section: .tare, entries: [BoardText.Entry(key: "up", value: up.text)], comment: comment, kind: .add
    ) { expected, changed in
      if changed.tare == up.tare { expected.tare = up.tare }
    }
  }

  /// The change that removes the tare from a board file.
  static var removal: BoardEditor.Change {
    BoardEditor.Change(
      section: .tare, entries: [BoardText.Entry(key: "up", value: "")], comment: comment, kind: .remove
    ) { expected, changed in
      if changed.tare == .none { expected.tare = .none }
    }
  }
}

import ArgumentParser
import BoardFile
import Emulation
import FixedPoint
import JSON
import Orientation
import PlumbStream
import PlumbViews
import ToolInputs
import ToolOutput

/// `plumb mount`: finds how the sensor is mounted on the board, and writes it into the board file.
struct MountCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mount",
    abstract: "Finds how the sensor is mounted on its board, and writes that to the board file.",
    usage: """
      plumb mount --board <file> [<options>]
      plumb mount --from <address> [--write] [<options>]
      """,
    discussion: """
      Pick the board up and hold it upright, the top edge up, for two seconds; then lay it on its back, face up. From \
      these two poses plumb finds where each axis of the sensor points, in any of the 24 possible mountings, and sets \
      mounting in [sensor]. Every other byte of the file stays as it is, and a calibration in it stays valid.

      With --from, the samples are those of an owner, such as plumbd on a Raspberry Pi that cannot run plumb. Then \
      plumb prints the line for its board file, and what to do with it. With --write and unix:, it writes to --board, \
      and makes an owner that accepts commands read it again. With serial:, --board FILE is the board file of which the \
      firmware was made: plumb writes to it, and says how to build the firmware again.

      An emulated board turns on its own (--motion two-poses); mounting in [emulation] sets how its sensor is mounted.

      EXAMPLES:
        plumb mount --board my-board.ini
        plumb mount --from ssh:pi
        plumb mount --from serial:auto --board my-pico.ini

      EXIT CODES: 0 done, or stopped with Ctrl-C and nothing written; 64 wrong usage; 65 the poses were not held; 69 \
      bus or sensor not available; 73 board file cannot be written; 77 no permission; 78 bad board file
      """)

  @OptionGroup var options: HandsOnOptions

  func validate() throws {
    guard options.board == nil && options.owner.from == nil else { return }
    throw ValidationError(
      "Give --board FILE, the board file to write the mounting to, or --from ADDRESS, the owner of a sensor; plumb boards "
        + "lists board files to copy."
    )
  }

  func run() throws {
    if let address = options.owner.from {
      return try reportingError { () throws(ToolError) in try mount(from: address) }
    }
    let editor = try reportingError { () throws(ToolError) in
      try BoardEditor(options.board ?? "", isWritten: !options.dryRun)
    }
    if let misuse = options.misuse(of: editor.board) { UsageError.end(misuse, in: Self.self) }
    try reportingError { () throws(ToolError) in try mount(editor) }
  }

  private func mount(_ editor: BoardEditor) throws(ToolError) {
    let sensor = editor.board.sensor
    if !options.dryRun { try editor.rehearse(Self.change(to: .aligned)) }
    let session = HandsOnSession(options, with: editor.board, motion: .twoPoses)
    var walk = MountWalk(
      calibration: sensor.calibration, narrator: Narrator(options.format, isLive: session.isLive))
    guard try session.run(&walk) == .complete, let mounting = walk.mounting else {
      return try walk.narrator.stop()
    }
    // Nothing is written unless the result could be shown.
    try walk.narrator.flush()
    if !options.dryRun { try editor.write(Self.change(to: mounting)) }
    try walk.report(
      mounting, before: sensor.mounting,
      HandsOnOutcome(
        file: editor.name, change: Self.change(to: mounting), state: options.dryRun ? .dryRun : .written))
    try walk.narrator.flush()
  }

  /// The same with an owner's samples.
  private func mount(from address: StreamAddress) throws(ToolError) {
    var session = try HandsOnStream(options, address)
    let target = try options.target(of: session.stream)
    if !options.dryRun { try target.rehearse(Self.change(to: .aligned)) }
    let before = session.stream.board.mounting
    var walk = MountWalk(
      calibration: session.stream.board.calibration, narrator: Narrator(options.format, isLive: true))
    guard try session.run(&walk) == .complete, let mounting = walk.mounting else { return try walk.narrator.stop() }
    try walk.narrator.flush()
    let isReloaded = try options.conclude(Self.change(to: mounting), target, &session.stream) {
      outcome throws(ToolError) in
      try walk.report(mounting, before: before, outcome)
      try walk.narrator.flush()
    }
    try walk.narrator.say(isReloaded: isReloaded, options)
  }

  /// The change that writes `mounting` into a board file.
  private static func change(to mounting: Mounting) -> BoardEditor.Change {
    BoardEditor.Change(
      section: .sensor, entries: [BoardText.Entry(key: "mounting", value: mounting.text)],
      comment: "Written by plumb mount. After you remount the sensor, run plumb mount again."
    ) { expected, changed in
      if changed.sensor.mounting == mounting { expected.sensor.mounting = mounting }
    }
  }
}

/// The two poses that determine the mounting of a sensor: upright, then face up.
///
/// A board that has not moved since the start does not count as held upright: it lies on a table, and would yield the
/// mounting for the way it lies.
struct MountWalk: HandsOnWalk {
  var narrator: Narrator
  /// The result, once everything is done.
  private(set) var mounting: Mounting?

  let alignment: Alignment
  private var still = StillForce()
  /// The force at the start.
  private var first: Vector3?
  private var hasMoved = false
  private var upright: Vector3?
  /// Whether the present pose has been judged, so that there is nothing more to say until the next movement.
  private var isJudged = false

  /// A movement since the start changes an axis by more than this, in g: 14° from level.
  private static let movement = Q16(1, over: 4)

  init(calibration: Calibration, narrator: Narrator) {
    alignment = Alignment(calibration)
    self.narrator = narrator
  }

  mutating func begin() throws(ToolError) {
    let words = "First pick the board up and hold it upright, the top edge up, for two seconds."
    try narrator.say(words, event: "wanted", [{ $0.field("pose", "portrait") }], at: narrator.start)
  }

  mutating func interrupt() { still.interrupt() }

  var missing: String {
    upright == nil
      ? "the board was not picked up and held upright" : "the board was held upright, but not laid face up"
  }

  mutating func take(_ force: Vector3, _: Vector3?, at instant: Instant) throws(ToolError) -> Bool {
    let origin = first ?? force
    first = origin
    switch still.step(force, at: instant) {
    case .moving:
      isJudged = false
      try show("Moving: hold it still.", "moving", at: instant)
    case .holding(let share):
      hasMoved = hasMoved || force.isFar(from: origin, over: Self.movement)
      if hasMoved && !isJudged { try show("Holding still.", "holding", progress: share, at: instant) }
    case .held(let average):
      guard hasMoved else {
        let words = "Hold it upright. Upright already? Turn it away and back."
        try show(words, "not-moved", at: instant)
        return false
      }
      guard !isJudged else { return false }
      isJudged = true
      return try judge(average, at: instant)
    }
    return false
  }

  private mutating func judge(_ average: Vector3, at instant: Instant) throws(ToolError) -> Bool {
    do throws(MountingFinderError) {
      // With the same pose for both, a good one throws `notTurned`.
      mounting = try MountingFinder.mounting(upright: upright ?? average, faceUp: average)
      return true
    } catch {
      switch error {
      case .notTurned where upright == nil:
        upright = average
        let words = "Upright: done. Now lay the board on its back, face up, for two seconds."
        let fields: Narrator.Fields = { writer in
          writer.field("pose", "portrait")
          writer.field("left", ["faceUp"])
        }
        try narrator.say(words, event: "accepted", [fields], at: instant)
      case .notTurned: try show("Still upright. Now lay the board on its back, face up.", "already-done", at: instant)
      default:
        let words = error.message.description
        try narrator.say("Rejected: \(words).", event: "refused", [Narrator.detail(words)], at: instant)
      }
      return false
    }
  }

  private mutating func show(_ text: String, _ state: StaticString, progress: Q16? = nil, at instant: Instant)
    throws(ToolError)
  {
    try narrator.show(text, progress: progress, [{ $0.field("state", state) }], at: instant)
  }

  /// Reports how the sensor is mounted, what the board file said, and what happened to the file.
  mutating func report(_ mounting: Mounting, before: Mounting, _ outcome: HandsOnOutcome) throws(ToolError) {
    switch narrator.format {
    case .text:
      try narrator.line("Face up: done. The axes of the sensor point as follows:")
      for (place, was, now) in [
        ("to the right of the board:  ", before.x, mounting.x), ("to its top edge:            ", before.y, mounting.y),
        ("out of its face:            ", before.z, mounting.z),
      ] {
        try narrator.line("  \(place)\(now.text)  \(now == was ? "as in the file" : "(\(was.text) in the file)")")
      }
      try narrator.line("  mounting = \(mounting.text)")
      for words in outcome.words { try narrator.line(words) }
    case .json:
      let object = JSONText.object("mounting") { writer in
        writer.field("before", before.text)
        writer.field("mounting", mounting.text)
        outcome.write(to: &writer)
      }
      try narrator.line(object)
    }
  }
}

extension Vector3 {
  /// Whether any component differs from that of `other` by more than `limit`.
  fileprivate func isFar(from other: Vector3, over limit: Q16) -> Bool {
    [(x, other.x), (y, other.y), (z, other.z)].contains { abs(Int64($0.raw) - Int64($1.raw)) > Int64(limit.raw) }
  }
}

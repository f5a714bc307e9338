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

  func validate() throws { try options.requireBoard(for: "mounting") }

  func run() throws {
    if let address = options.owner.from {
      return try reportingError { () throws(ToolError) in try mount(from: address) }
    }
    let editor = try options.editor(for: Self.self)
    let sensor = editor.board.sensor
    try reportingError { () throws(ToolError) in
      try options.run(editor, motion: .twoPoses, trial: MountWalk.change(to: .aligned)) {
        MountWalk(calibration: sensor.calibration, before: sensor.mounting, narrator: $0)
      }
    }
  }

  /// The same with an owner's samples.
  private func mount(from address: StreamAddress) throws(ToolError) {
    var session = try HandsOnStream(options, address)
    let board = session.stream.board
    try options.run(&session, trial: MountWalk.change(to: .aligned)) {
      MountWalk(calibration: board.calibration, before: board.mounting, narrator: $0)
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
  private var mounting: Mounting?
  /// The mounting in the board file.
  private let before: Mounting

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

  init(calibration: Calibration, before: Mounting, narrator: Narrator) {
    alignment = Alignment(calibration)
    (self.before, self.narrator) = (before, narrator)
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

  var change: BoardEditor.Change? { mounting.map(Self.change) }

  /// The change that writes `mounting` into a board file.
  static func change(to mounting: Mounting) -> BoardEditor.Change {
    BoardEditor.Change(
      section: .sensor, entries: [BoardText.Entry(key: "mounting", value: mounting.text)],
      comment: "Written by plumb mount. After you remount the sensor, run plumb mount again."
    ) { expected, changed in
      if changed.sensor.mounting == mounting { expected.sensor.mounting = mounting }
    }
  }

  /// Reports how the sensor is mounted, what the board file said, and what happened to the file.
  mutating func report(_ outcome: HandsOnOutcome) throws(ToolError) {
    guard let mounting else { return }
    switch narrator.format {
    case .text:
      try narrator.line("Face up: done. The axes of the sensor point as follows:")
      for (place, was, now) in [
        ("to the right of the board:  ", before.x, mounting.x), ("to its top edge:            ", before.y, mounting.y),
        ("out of its face:            ", before.z, mounting.z),
      ] {
        try narrator.line("  \(place)\(now.text)  \(now == was ? "as in the file" : "(\(was.text) in the file)")")
      }
      try narrator.say(outcome)
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

import ArgumentParser
import BoardFile
import Emulation
import Orientation

/// `plumb mount`: finds how the sensor sits on the board, and writes it into the board file.
struct MountCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mount",
    abstract: "Finds how the sensor sits on its board, and writes that into the board file.",
    usage: "plumb mount --board <file> [<options>]",
    discussion: """
      Take the board up and hold it upright, the top edge up, for two seconds; then lay it on its back, face up. That \
      tells which of the sensor's axes points where, whichever of the 24 ways it sits. Then mounting in [sensor] is set, \
      and every other byte of the file stays as it is; a calibration in it stays good.

      An emulated board turns itself (--motion two-poses); how its sensor really sits says mounting in [emulation].

      EXAMPLE: plumb mount --board my-board.ini

      EXIT CODES: 0 done, or stopped with Ctrl-C and nothing written; 64 wrong usage, 65 the poses were not held, 69 bus or \
      sensor not available, 73 board file cannot be written, 77 no permission, 78 bad board file
      """)

  @OptionGroup var options: HandsOnOptions

  func validate() throws {
    guard options.board == nil else { return }
    throw ValidationError(
      "Give --board FILE: the mounting is written into that file. The folder boards has some to copy.")
  }

  func run() throws {
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
    // What cannot be told is not done.
    try walk.narrator.flush()
    if !options.dryRun { try editor.write(Self.change(to: mounting)) }
    try walk.tell(mounting, before: sensor.mounting, of: editor.name, isWritten: !options.dryRun)
    try walk.narrator.flush()
  }

  /// The change that makes a board file say `mounting`.
  private static func change(to mounting: Mounting) -> BoardEditor.Change {
    BoardEditor.Change(
      section: .sensor, entries: [BoardText.Entry(key: "mounting", value: mounting.text)],
      comment: "Written by plumb mount: how the sensor sits. Once it sits in another way, find it again."
    ) { expected, changed in
      if changed.sensor.mounting == mounting { expected.sensor.mounting = mounting }
    }
  }
}

import ArgumentParser
import BoardFile
import Emulation
import FixedPoint
import Orientation

/// `plumb calibrate`: finds a sensor's offsets and scales, and writes them into the board file.
struct CalibrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract: "Measures the errors of a board's sensor, and writes the correction to its board file.",
    usage: "plumb calibrate --board <file> [<options>]",
    discussion: """
      Hold the board still on each of its six faces for two seconds, in any order; plumb recognises each face. When all \
      six are done, plumb sets offset and scale in [sensor]; every other byte of the file stays as it is. A calibration \
      already in the file is ignored and replaced. Hold the faces straight: a tilt of 2° makes angles read up to 0.03° \
      wrong, and more than 5° is rejected.

      An emulated board turns on its own (--motion six-faces).

      EXAMPLE: plumb calibrate --board my-board.ini

      EXIT CODES: 0 done, or stopped with Ctrl-C and nothing written; 64 wrong usage; 65 not all faces were held; 69 \
      bus or sensor not available; 73 board file cannot be written; 77 no permission; 78 bad board file
      """)

  @OptionGroup var options: HandsOnOptions

  func validate() throws {
    guard options.board == nil else { return }
    throw ValidationError(
      "Give --board FILE, the board file to write the calibration to; plumb boards lists some to copy.")
  }

  func run() throws {
    let editor = try reportingError { () throws(ToolError) in
      try BoardEditor(options.board ?? "", isWritten: !options.dryRun)
    }
    if let misuse = options.misuse(of: editor.board) { UsageError.end(misuse, in: Self.self) }
    try reportingError { () throws(ToolError) in try calibrate(editor) }
  }

  private func calibrate(_ editor: BoardEditor) throws(ToolError) {
    if !options.dryRun { try editor.rehearse(Self.change(to: .none)) }
    let session = HandsOnSession(options, with: editor.board, motion: .sixFaces)
    var walk = CalibrateWalk(
      mounting: editor.board.sensor.mounting, narrator: Narrator(options.format, isLive: session.isLive))
    guard try session.run(&walk) == .complete, let result = walk.result else {
      return try walk.narrator.stop()
    }
    // Nothing is written unless the result could be shown.
    try walk.narrator.flush()
    if !options.dryRun { try editor.write(Self.change(to: result.calibration)) }
    try walk.report(result, of: editor.name, isWritten: !options.dryRun)
    try walk.narrator.flush()
  }

  /// The change that makes a board file say `calibration`.
  private static func change(to calibration: Calibration) -> BoardEditor.Change {
    BoardEditor.Change(
      section: .sensor,
      entries: [
        BoardText.Entry(key: "offset", value: calibration.offsetText.joined(separator: " ")),
        BoardText.Entry(key: "scale", value: calibration.scaleText.joined(separator: " ")),
      ],
      comment: "Written by plumb calibrate for this sensor. After you replace the sensor, calibrate again."
    ) { expected, changed in
      let read = changed.sensor.calibration
      // Six decimals say an offset exactly, and a scale to half a millionth: 537 of 2^30.
      guard read.offset == calibration.offset, read.scale.isNear(calibration.scale, within: 600) else { return }
      expected.sensor.calibration = read
    }
  }
}

extension Calibration {
  /// The offsets in g, as in a board file.
  var offsetText: [String] { [offset.x, offset.y, offset.z].map { $0.text(places: 6) } }

  /// The scales, as in a board file.
  var scaleText: [String] {
    [scale.x, scale.y, scale.z].map { decimalText(Int64($0), over: 1 << 30, places: 6) }
  }
}

extension Calibration.Scale {
  fileprivate func isNear(_ other: Calibration.Scale, within limit: Int64) -> Bool {
    [(x, other.x), (y, other.y), (z, other.z)].allSatisfy { abs(Int64($0) - Int64($1)) <= limit }
  }
}

import ArgumentParser
import BoardFile
import Stream

/// `plumb replay`: the pipeline over a recording.
struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Runs a recording through the same filter and pose tracker, as fast as possible.",
    usage: "plumb replay <file> [<options>]",
    discussion: """
      The file has a header line time_s,x_g,y_g,z_g and one sample a line: seconds, and specific force in g in the \
      board's frame (X right, Y up, Z out of the face; +1 g along the axis that points up). With a gyroscope \
      x_dps,y_dps,z_dps follow: the rotation rate in °/s about the same axes, counter-clockwise seen from where the axis \
      points to. The result depends on nothing else: the same file gives the same bytes. A file of any length takes the \
      same memory.

      A file with rotation rates goes through the fusion of both, any other through a low-pass, unless --gravity says \
      otherwise.

      What phyphox and Sensor Logger export is read too, with forces in m/s² and rotation in rad/s: see \
      docs/recording.md. Any other file with a time in seconds and three forces, and perhaps three rotation rates, is \
      read with --columns, and --unit and --rotation-unit where those are not g and °/s.

      EXAMPLES:
        plumb replay movement.csv --samples --format json
        plumb replay movement.csv --gravity low-pass

      EXIT CODES: 0 success; 64 wrong usage; 65 a bad line in the recording; 66 no such recording; 73 output cannot be \
      written; 77 no permission
      """)

  @Argument(help: "The recording; - reads standard input.", completion: .file(extensions: ["csv"]))
  var file: String

  @Option(help: "Output format: text for people, json for scripts (one object per line).")
  var format: Format = .text

  @OptionGroup var recording: RecordingOptions

  @OptionGroup var showing: Showing

  func run() throws { try reportingError { () throws(ToolError) in try replay() } }

  private func replay() throws(ToolError) {
    let input = try InputFile(file)
    let name = input.name
    let recording = try Recording(input, recording)
    let gravity = self.recording.gravity(for: recording, in: Self.self)
    var board = try RecordedBoard(recording, gravity: gravity, movement: try showing.movement())
    var reporter = Reporter(
      output: Output(isLive: false), format: format, showing: showing, start: board.start,
      sensor: BoardDescription.emulated.sensor)
    if format == .text { try reporter.output.line(reporter.heading) }
    do {
      while !reporter.output.isClosed, let report = try board.step() {
        if reporter.shows(report) { try reporter.show(board.observation(report)) }
      }
    } catch {
      // What was before the line that is wrong comes before the error.
      try reporter.output.flush()
      throw error
    }
    if !reporter.output.isClosed, let warning = board.warning(about: name) {
      writeToStandardError(fitForTerminal(warning))
    }
    try reporter.conclude(board.summary)
  }
}

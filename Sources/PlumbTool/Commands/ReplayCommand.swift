import ArgumentParser
import BoardFile

/// `plumb replay`: the pipeline over a recording.
struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Runs a recording through the same filter and pose tracker, as fast as possible.",
    usage: "plumb replay <file> [<options>]",
    discussion: """
      The file has a header line time_s,x_g,y_g,z_g and one sample a line: seconds, and specific force in g in the \
      board's frame (X right, Y up, Z out of the face; +1 g along the axis that points up). The result depends on \
      nothing else: the same file gives the same bytes.

      EXAMPLE: plumb replay movement.csv --samples --format json

      EXIT CODES: 0 success; 64 wrong usage; 65 a bad line in the recording; 66 no such recording; 73 output cannot be \
      written; 77 no permission
      """)

  @Argument(help: "The recording; - reads standard input.", completion: .file(extensions: ["csv"]))
  var file: String

  @Option(help: "Output format: text for people, json for scripts (one object per line).")
  var format: Format = .text

  @OptionGroup var showing: Showing

  func run() throws { try reportingError { () throws(ToolError) in try replay() } }

  private func replay() throws(ToolError) {
    var board = RecordedBoard(try Recording(try InputFile(file)), movement: try showing.movement())
    var reporter = Reporter(
      output: Output(isLive: false), format: format, showing: showing, start: board.start,
      sensor: BoardDescription.emulated.sensor)
    if format == .text { try reporter.output.line(reporter.heading) }
    while !reporter.output.isClosed, let seen = board.next() { try reporter.show(seen) }
    try reporter.conclude(board.summary)
  }
}

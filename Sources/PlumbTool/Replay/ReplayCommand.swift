import ArgumentParser
import BoardFile
import FixedPoint
import HAL
import Monitor
import Sensors

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

      EXIT CODES: 0 fine; 64 wrong usage; 65 a bad line in the recording; 66 no such recording; 73 output cannot be \
      written; 77 no permission
      """)

  @Argument(help: "The recording; - reads standard input.", completion: .file(extensions: ["csv"]))
  var file: String

  @Option(help: "How results are written: text for people, json for scripts (one object a line).")
  var format: Format = .text

  @OptionGroup var showing: Showing

  func run() throws {
    try reportingFailure { () throws(Failure) in
      try replay(try Recording(try InputFile(file)).samples)
    }
  }

  private func replay(_ recorded: [Recording.Sample]) throws(Failure) {
    guard let start = recorded.first?.time else { return }
    var reporter = Reporter(
      output: Output(isLive: false), format: format, showing: showing, start: start,
      sensor: BoardDescription.emulated.sensor)
    if format == .text { try reporter.output.line(reporter.heading) }
    var configuration = Monitor.Configuration.recording
    configuration.movement = try showing.movement()
    var monitor = Monitor(configuration, at: start)
    for sample in recorded {
      let report = monitor.sampled(sample.force, at: sample.time)
      try reporter.show(report, of: monitor)
      if reporter.output.isClosed { return }
    }
    let summary = Summary(
      duration: recorded.reduce(start) { max($0, $1.time) } - start, counters: monitor.counters, transactions: nil,
      outputWrites: nil)
    try reporter.output.line(summary.line(format))
    try reporter.output.flush()
  }
}

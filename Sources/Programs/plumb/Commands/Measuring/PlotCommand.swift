import ArgumentParser
import FixedPoint
import JSON
import Monitor
import PlumbStream
import PlumbViews
import Recordings
import Sensors
import Stream
import ToolInputs
import ToolOutput

/// `plumb plot`: draws a recording.
struct PlotCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plot",
    abstract: "Draws a recording: forces, rotation, poses, angles and events in one picture.",
    usage: "plumb plot (<file> | --from <address>) -o <file> [<options>]",
    discussion: """
      The file is from `plumb record`, or any other that `plumb replay` reads; it goes through the same filter and \
      pose tracker. A name that ends in .svg gives a picture for any browser or document, light or dark to match the \
      reader's system; .html gives a page with read-out and zoom. Both are self-contained and stay below 2 MB: a long \
      recording is drawn in columns that keep every extreme. The same recording gives the same bytes.

      With --from it draws what the owner of a sensor measures, until --duration, Ctrl-C, or the end of the owner.

      EXAMPLES:
        plumb plot movement.csv -o movement.svg --title "Through the hall"
        plumb plot --from ssh:pi@raspberrypi.local --duration 60 -o now.html

      EXIT CODES: 0 success, 64 wrong usage, 65 a bad line in the recording, 66 no such recording, 69 no owner, 73 the \
      picture already exists, or cannot be written; 77 no permission
      """)

  @Argument(help: "The recording; - reads standard input.", completion: .file(extensions: ["csv"]))
  var file: String?

  @OptionGroup var owner: OwnerOptions

  @Option(
    help: ArgumentHelp("With --from: stop after this many seconds.", valueName: "seconds"),
    transform: SecondsOption.parsed)
  var duration: Double?

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("The picture to write, .svg or .html; - writes SVG to standard output.", valueName: "file"),
    completion: .file(extensions: ["svg", "html"]))
  var output: String

  @Option(
    help: ArgumentHelp("The title of the picture (default: the name of the recording).", valueName: "text"))
  var title: String?

  @Option(
    help: """
      Format of the summary: text for people, on standard error if that is a terminal; json for scripts (one object), \
      on standard output, or with -o - on standard error.
      """)
  var format: Format = .text

  @OptionGroup var recording: RecordingOptions

  @Flag(help: "Replace the picture if it exists.")
  var force = false

  private var isPage: Bool { output.hasSuffix(".html") || output.hasSuffix(".htm") }

  func validate() throws {
    try checkOutputName(output)
    try SecondsOption.check([("duration", duration)])
    guard (file == nil) != (owner.from == nil) else {
      throw ValidationError("Give a recording, or the owner of a sensor with --from.")
    }
    guard duration == nil || owner.from != nil else { throw ValidationError("--duration needs --from.") }
    guard owner.from == nil || recording.isUsual else {
      throw ValidationError("--columns, --unit, --rotation-unit and --gravity are for a recording, not for --from.")
    }
    guard output == "-" || isPage || output.hasSuffix(".svg") else {
      throw ValidationError("-o takes a name that ends in .svg or .html, not '\(printable(output))'.")
    }
  }

  func run() throws {
    // An existing file is an error before waiting for samples.
    if output != "-" {
      try reportingError { () throws(ToolError) in try OutputFile(path: output, isForced: force).check() }
    }
    let settings = StreamSource.Settings(
      duration: duration.map(SecondsOption.microseconds), samples: .all, endsWithOwner: duration == nil)
    if let from = owner.from {
      return try reportingError { () throws(ToolError) in
        let stream = try StreamSource(from, token: try owner.token(), settings)
        try plot { progress throws(ToolError) in try data(of: stream, &progress) }
      }
    }
    try reportingError { () throws(ToolError) in
      try plot { progress throws(ToolError) in try data(of: file ?? "-", &progress) }
    }
  }

  private func plot(_ data: (inout Progress) throws(ToolError) -> PlotData) throws(ToolError) {
    let file = OutputFile(path: output, isForced: force)
    var progress = Progress()
    defer { progress.clear() }
    let data = try data(&progress)
    let heading = printable(title ?? name)
    let text = isPage ? PlotPage.text(data, title: heading) : PlotDrawing.text(data, title: heading)
    progress.clear()
    let summary = PlotSummary(path: output, size: text.utf8.count, data: data)
    var standard = Output(isLive: false)
    if output == "-" {
      try standard.line(String(text.dropLast()))
      if format == .json { writeToStandardError(summary.json + "\n") }
    } else {
      try file.write(text)
      if format == .json { try standard.line(summary.json) } else { progress.note(summary.text) }
    }
    try standard.flush()
  }

  /// The data to plot, from the same filter and pose tracker as in `plumb replay`.
  private func data(of file: String, _ progress: inout Progress) throws(ToolError) -> PlotData {
    let recording = try self.recording.open(file)
    let name = recording.name
    let gravity = self.recording.gravity(for: recording, in: Self.self)
    var board = try RecordedBoard(recording, gravity: gravity, movement: Movement.Configuration())
    var data = PlotData(capacity: isPage ? PlotPage.columnLimit : PlotDrawing.columnLimit)
    while let seen = try board.next() {
      data.take(seen, of: board.latest.measurement, at: board.latest.time)
      board.show(in: &progress)
    }
    data.counters = board.summary.counters
    progress.clear()
    if let warning = board.warning(about: name) { writeToStandardError(fitForTerminal(warning)) }
    return data
  }

  /// The data to plot, as the owner of a sensor observes it.
  private func data(of stream: StreamSource, _ progress: inout Progress) throws(ToolError) -> PlotData {
    var data = PlotData(capacity: isPage ? PlotPage.columnLimit : PlotDrawing.columnLimit)
    progress.note("From " + stream.greeting + ".")
    // The events of a sample arrive before it.
    var events: [Occurrence] = []
    var missed: UInt64 = 0
    var missedBefore: UInt64 = 0
    while var seen = try stream.next() {
      missed += stream.remark?.missed ?? 0
      seen.forEachEvent { events.append($0) }
      guard let reading = seen.reading else { continue }
      for event in events.suffix(Events.capacity) { seen.add(event) }
      events = []
      let measurement = Measurement(force: reading.force, rotation: reading.rotation)
      data.take(seen, of: measurement, at: reading.instant, wasLost: missed > missedBefore)
      missedBefore = missed
      if progress.isDue() { progress.show(counted(data.samples, "sample", "samples") + " …") }
    }
    try stream.close()
    guard data.samples > 0 else {
      throw ToolError(.unavailable, "no sample came from the owner at \(stream.address), so nothing was drawn")
    }
    data.counters = stream.summary.counters
    progress.clear()
    if missed > 0 {
      writeToStandardError(fitForTerminal("plumb: warning: \(OwnerRemark(missed: missed).missedText)\n"))
    }
    return data
  }

  /// The name of the recording or of the owner.
  private var name: String {
    if let from = owner.from { return "\(from)" }
    let file = file ?? "-"
    return file == "-" ? "standard input" : file.split(separator: "/").last.map(String.init) ?? file
  }
}

/// What was drawn, and to which file.
private struct PlotSummary {
  var path: String
  /// The size of the picture, in bytes.
  var size: Int
  var data: PlotData

  private var span: Microseconds { Microseconds(data.span) }

  /// How often time ran backwards or stood still, for people.
  private var odd: String {
    (data.times.backwards > 0 ? ", \(data.times.backwards) backwards" : "")
      + (data.times.repeated > 0 ? ", \(data.times.repeated) repeated" : "")
  }

  /// A line for people.
  var text: String {
    "Drawn: \(counted(data.samples, "sample", "samples")), \(span.tableText) s, to \(printable(path)) "
      + "(\((size + 500) / 1_000) kB\(odd))."
  }

  /// One object for scripts.
  var json: String {
    let (counters, times) = (data.counters, data.times)
    return JSONText.object("summary") { writer in
      writer.field("file", path)
      writer.field("bytes", size)
      writer.field("samples", data.samples)
      writer.field("duration_s", seconds: span)
      writer.field("pose_changes", counters.poseChanges)
      writer.field("shakes", counters.shakes)
      writer.field("gaps", times.gaps.count)
      writer.field("gap_s", seconds: Microseconds(times.gaps.total))
      writer.field("backwards", times.backwards)
      writer.field("repeated", times.repeated)
    }
  }
}

import ArgumentParser
import BoardFile
import Emulation
import FixedPoint
import Glibc
import Monitor
import PlumbStream
import Stream
import ToolInputs
import ToolOutput

/// `plumb record`: writes what the sensor measures to a file, sample by sample.
struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Records what the sensor measures, sample by sample, to a CSV file, for `plumb replay` and `plumb plot`.",
    usage: "plumb record -o <file> [<options>]",
    discussion: """
      Writes one line per sample, time_s,x_g,y_g,z_g: seconds since the first sample, and force in g, calibrated and \
      in the board's frame. With a gyroscope that is on, x_dps,y_dps,z_dps follow: the rotation rate in °/s about \
      the same axes. The file holds the exact values measured. plumb record does not use the lines (LEDs).

      The file appears under its name when the recording ends: after --duration, at the end of an emulated board's \
      motion, at Ctrl-C or SIGTERM, or with --give-up. Until then it is called FILE.XXXXXX.part, with six random \
      letters and digits. With --from the owner's samples are recorded, to the last bit, until --duration or the end \
      of the owner; lost samples are counted. With -o - samples go to standard output as they come, and all messages \
      to standard error.

      EXAMPLES:
        plumb record -o movement.csv
        plumb record -o movement.csv --board raspberry-pi-adxl345 --duration 60
        plumb record -o movement.csv --from ssh:pi@raspberrypi.local

      EXIT CODES: 0 done, or stopped with Ctrl-C; 64 wrong usage; 69 no bus, sensor, owner or sample, or gave up on \
      the sensor (the file has the samples until then); 73 the file already exists, or cannot be written; 77 no \
      permission; 78 bad board file
      """)

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("The file to write; - is standard output.", valueName: "file"),
    completion: .file(extensions: ["csv"]))
  var output: String

  @OptionGroup var source: SourceOptions

  @OptionGroup var length: DurationOption

  @OptionGroup var time: SpeedOption

  @Option(
    help: ArgumentHelp(
      "Give up with exit code 69 when the sensor has not responded for this many seconds (default: never).",
      valueName: "seconds"), transform: SecondsOption.parsed)
  var giveUp: Double?

  @Flag(help: "Replace the file if it exists.")
  var force = false

  @Option(
    help: """
      Format of the summary: text for people, on standard error; json for scripts (one object per line), on standard \
      output, or with -o - on standard error.
      """)
  var format: Format = .text

  @Flag(name: [.customShort("q"), .long], help: "Write only errors to standard error.")
  var quiet = false

  func validate() throws {
    try checkOutputName(output)
    try SecondsOption.check([("give-up", giveUp)])
  }

  func run() throws {
    let own = [
      OwnBoardOption("--give-up", giveUp != nil, "the owner decides when to give up on its sensor"),
      time.ownBoardOption,
    ]
    let settings = StreamSource.Settings(
      duration: length.span, samples: .all, endsWithOwner: !length.isGiven)
    let isAnySource = isAnySource
    var source = try ChosenSource(
      self.source, for: Self.self, own: own, settings,
      self.source.board.emulated(.tumble, isFast: time.isFast)
    ) {
      try self.source.board.description(for: Self.self, isFast: time.isFast) { board in time.misuse(of: board) }
    }
    try reportingError { () throws(ToolError) in
      let words =
        source.ownerWords.map { "From \($0).\n" }
        ?? (isAnySource ? "From \(UsualBoard.name); --board and --from name another.\n" : nil)
      if let words, !quiet && format == .text { writeToStandardError(fitForTerminal(words)) }
      try source.begin(
        LiveBoard.Settings(
          duration: length.span ?? source.motionLength, usesLines: false,
          faults: FaultPolicy(outageLimit: giveUp.map(SecondsOption.microseconds) ?? .zero)))
      try record(&source)
    }
  }

  /// Whether no option says what to record.
  private var isAnySource: Bool {
    source.from == nil && source.board.board == nil && source.board.motion == nil && !time.isGiven
  }

  private func record(_ source: inout ChosenSource) throws(ToolError) {
    let sensor = source.description.sensor
    let file = try RecordingFile(
      output, isForced: force, flushing: time.isFast ? nil : .milliseconds(500))
    var account = RecordAccount(period: sensor.pace)
    var progress = RecordProgress(isQuiet: quiet)
    do throws(ToolError) {
      while !file.isClosed, let seen = try source.next() {
        let remark = source.remark
        if let remark { account.take(remark, &progress) }
        seen.forEachEvent { account.take($0.event, of: sensor, remark?.detail, &progress) }
        guard let reading = seen.reading else { continue }
        account.take(reading.instant)
        try file.append(reading.force, reading.rotation, at: account.elapsed)
        progress.show(account, reading.state)
      }
    } catch {
      progress.clear()
      guard error.code == .configuration else { throw error }
      throw ToolError(error.code, error.message + "; nothing was recorded")
    }
    progress.clear()
    try file.finish()
    // The reader has closed the pipe, so there is no summary.
    if file.isClosed { return }
    if let error = account.error(wasStopped: source.wasStopped) { throw error }
    try report(account, in: file)
    if let error = source.error { throw error }
  }

  /// Reports the result: for people on standard error; for scripts on standard output, unless that has the samples.
  private func report(_ account: RecordAccount, in file: RecordingFile) throws(ToolError) {
    guard format == .json else {
      let lines = account.summary(of: file.name)
      if !quiet { writeToStandardError(overInterrupt(STDERR_FILENO) + lines.joined(separator: "\n") + "\n") }
      return
    }
    let lines = account.json(self.output)
    if self.output == "-" { return writeToStandardError(lines.joined(separator: "\n") + "\n") }
    var output = Output(isLive: false)
    for (index, line) in lines.enumerated() {
      try output.line((index == 0 ? overInterrupt(STDOUT_FILENO) : "") + line)
    }
    try output.flush()
  }
}

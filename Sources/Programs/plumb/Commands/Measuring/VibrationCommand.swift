import ArgumentParser
import BoardFile
import Emulation
import FixedPoint
import Monitor
import PlumbStream
import PlumbViews
import Recordings
import Sensors
import Stream
import ToolInputs
import ToolOutput
import Vibration

/// `plumb vibration`: measures how strong a vibration is, and its frequencies.
struct VibrationCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vibration",
    abstract: "Measures vibration: strength, bands of frequency and spectrum.",
    usage: "plumb vibration [<file>] [<options>]",
    discussion: """
      Each second it prints the root mean square of the vibration, without gravity, and the peak; at the end the \
      strength and crest factor of each axis, the strongest frequency, and the root mean square in bands of frequency. \
      The spectrum is the mean of blocks of samples under a Hann window that overlap by half (Welch's method). -o \
      draws it; --format json has all of its figures.

      Samples come from an emulated or a real board (--board), the owner of a sensor (--from), or a recording. \
      Vibration above half the sample rate appears at a wrong frequency, so choose the highest rate that the sensor \
      and the bus allow.

      --busy reports when a machine begins to work and when it is done, as [vibration] in the board file does for \
      plumbd and every other command; that section also sets the default bands. --csv writes every sample in the \
      columns that Klipper's scripts for input shapers read.

      EXAMPLES:
        plumb vibration --speed fast
        plumb vibration movement.csv --bands 0.5,5,20 -o spectrum.svg
        plumb vibration --board my-board.ini --rate 400 --duration 60 --csv raw.csv
        plumb vibration --speed fast --busy 0.1 --busy-time 3 --quiet-time 1

      EXIT CODES: 0 success, or stopped with Ctrl-C; 64 wrong usage; 65 a bad line in the recording; 66 no such \
      recording; 69 no bus, sensor, owner or sample; 73 a file already exists, or cannot be written; 77 no permission; \
      78 bad board file
      """)

  @Argument(help: "A recording; - reads standard input.", completion: .file(extensions: ["csv"]))
  var file: String?

  @OptionGroup var source: SourceOptions

  @OptionGroup var length: DurationOption

  @OptionGroup var time: SpeedOption

  @Option(
    help: ArgumentHelp(
      "The edges of up to eight bands, in Hz, separated by commas (default: 1, 5, 10, 20, 50, 100, 200 and 500 as far "
        + "as below half the rate, and half the rate).", valueName: "list"),
    transform: BandList.parsed)
  var bands: BandList?

  @Option(
    help: ArgumentHelp(
      "The samples in a block: 64, 128, 256, 512 or 1024. More give finer frequencies, but fewer blocks (default: a "
        + "second or more).", valueName: "n"))
  var block: Int?

  @Option(
    help: ArgumentHelp(
      "Report when the vibration has been this strong for --busy-time, and when it has been below three fifths of it "
        + "for --quiet-time.", valueName: "g"))
  var busy: Double?

  @Option(help: ArgumentHelp("See --busy (default: 10).", valueName: "seconds"), transform: SecondsOption.parsed)
  var busyTime: Double?

  @Option(help: ArgumentHelp("See --busy (default: 120).", valueName: "seconds"), transform: SecondsOption.parsed)
  var quietTime: Double?

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("Draw the spectrum to this file, .svg.", valueName: "file"),
    completion: .file(extensions: ["svg"]))
  var output: String?

  @Option(
    help: ArgumentHelp("Write every sample to this file: time in s, force in mm/s².", valueName: "file"),
    completion: .file(extensions: ["csv"]))
  var csv: String?

  @Flag(help: "Replace the files of -o and --csv if they exist.")
  var force = false

  @Option(help: "Output format: text for people, json for scripts (one object per line).")
  var format: Format = .text

  @OptionGroup var recording: RecordingOptions

  func validate() throws {
    try checkOutputName(output)
    try SecondsOption.check([("busy-time", busyTime), ("quiet-time", quietTime)])
    if let block, !VibrationBlock.lengths.contains(block) {
      throw ValidationError("--block takes 64, 128, 256, 512 or 1024, not \(block).")
    }
    if csv == "" { throw ValidationError("--csv takes the name of a file, not an empty name.") }
    guard output?.hasSuffix(".svg") ?? true else {
      throw ValidationError("-o takes a name that ends in .svg, not '\(printable(output ?? ""))'.")
    }
    if let busy, !(busy >= 0.001 && busy <= 16) {
      throw ValidationError("--busy takes a number of g from 0.001 to 16, not \(busy).")
    }
    guard busy != nil || (busyTime == nil && quietTime == nil) else {
      throw ValidationError("--busy-time and --quiet-time need --busy.")
    }
    guard file == nil || source.isUsual else {
      throw ValidationError("Give a recording, or a board or an owner with --board or --from.")
    }
    guard file == nil || !(length.isGiven || time.isGiven) else {
      throw ValidationError("--duration and --speed are not for a recording.")
    }
    guard file != nil || recording.isUsual else {
      throw ValidationError("--columns, --unit, --rotation-unit and --gravity are for a recording.")
    }
  }

  func run() throws {
    if let output {
      // An existing file is an error before waiting for samples.
      try reportingError { () throws(ToolError) in try OutputFile(path: output, isForced: force).check() }
    }
    if let file { return try reportingError { () throws(ToolError) in try measure(file) } }
    let settings = StreamSource.Settings(
      duration: length.span, samples: .all, endsWithOwner: !length.isGiven)
    let own = [time.ownBoardOption]
    let emulated = self.source.board.emulated(.machine, isFast: time.isFast)
    var source = try ChosenSource(self.source, for: Self.self, own: own, settings, emulated) {
      try self.source.board.description(for: Self.self, isFast: time.isFast) { board in time.misuse(of: board) }
    }
    try reportingError { () throws(ToolError) in
      try source.begin(
        LiveBoard.Settings(duration: length.span ?? source.motionLength, usesLines: false))
      let description = source.description
      let greeting =
        source.ownerWords.map { "From \($0); stop with Ctrl-C." }
        ?? description.greeting(doing: emulated.motion)
      try measure(&source, description, greeting)
    }
  }

  private func measure(_ file: String) throws(ToolError) {
    let recording = try self.recording.open(file)
    let name = recording.name
    let gravity = self.recording.gravity(for: recording, in: Self.self)
    var board = try RecordedBoard(recording, gravity: gravity, movement: Movement.Configuration())
    try measure(&board, nil, "\(name):")
    if let warning = board.warning(about: name) { writeToStandardError(fitForTerminal(warning)) }
  }

  /// Measures everything from `source`, which is `board` or a recording.
  private func measure<Source: ObservationSource & ~Copyable>(
    _ source: inout Source, _ board: BoardDescription?, _ greeting: String
  ) throws(ToolError) {
    var session = try VibrationSession(
      output: Output(isLive: board != nil && !time.isFast), format: format, sensor: board?.sensor,
      limit: limit(of: board?.sensor), bands: bands?.bands ?? board?.vibration?.edges, block: block,
      busy: try busyConfiguration() ?? board?.vibration?.busy)
    let raw = try csv.map { path throws(ToolError) in
      try RecordingFile(path, isForced: force, flushing: nil, columns: .klipper)
    }
    if format == .text { try session.greet(greeting) }
    while !session.isClosed, let seen = try source.next() {
      try session.show(seen, source.remark)
      guard let reading = seen.reading else { continue }
      try session.take(reading.force, at: reading.instant)
      try raw?.append(reading.force, nil, at: session.elapsed)
    }
    try source.close()
    if source.wasStopped && session.isEmpty {
      try raw?.finish()
      return writeToStandardError(fitForTerminal("plumb: stopped before the first sample: nothing was measured"))
    }
    let figures = try session.conclude()
    try raw?.finish()
    if let output {
      guard let figures else {
        throw ToolError(.unavailable, "too few samples without a gap for a spectrum, so nothing was drawn")
      }
      try OutputFile(path: output, isForced: force).write(SpectrumDrawing.text(figures, title: title))
    }
    if let error = source.error { throw error }
  }

  /// How many samples there will be, if known.
  private func limit(of sensor: BoardDescription.Sensor?) -> Int? {
    guard let sensor, let duration = length.seconds else { return nil }
    return Int(min(1e9, duration * 1e6 / Double(max(1, sensor.pace.count))))
  }

  private func busyConfiguration() throws(ToolError) -> BusyDetector.Configuration? {
    guard let busy else { return nil }
    do throws(VibrationError) {
      return try BusyDetector.Configuration(
        busyThreshold: Q16(raw: Int32((busy * 65_536).rounded())), busyTime: SecondsOption.microseconds(busyTime ?? 10),
        quietTime: SecondsOption.microseconds(quietTime ?? 120))
    } catch {
      throw ToolError(.usage, "--busy-time and --quiet-time take at most 86400 seconds")
    }
  }

  /// The title of the picture.
  private var title: String {
    if let file { return file == "-" ? "Vibration" : "Vibration, " + printable(file.fileName) }
    if let from = source.from { return "Vibration, " + printable("\(from)") }
    return source.board.board.map { "Vibration, " + printable($0.fileName) } ?? "Vibration"
  }
}

extension String {
  /// The part after the last slash.
  fileprivate var fileName: String { split(separator: "/").last.map(String.init) ?? self }
}

extension SourceOptions {
  /// Whether none of the options was given.
  fileprivate var isUsual: Bool {
    from == nil && board.board == nil && board.rate == nil && board.motion == nil && board.seed == nil
  }
}

/// The edges of bands in a command line.
struct BandList {
  let bands: BandEdges

  static func parsed(_ text: String) throws -> BandList {
    let words = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    let numbers = words.compactMap(\.self)
    guard numbers.count == words.count, numbers.allSatisfy({ $0 >= 0 && $0 <= 2_500 }) else {
      throw ValidationError("it takes frequencies in Hz, 0 to 2500, separated by commas, such as 1,10,50.")
    }
    let edges = numbers.map { Q16(raw: Int32(($0 * 65_536).rounded())) }
    do throws(VibrationError) { return BandList(bands: try BandEdges(edges.span)) } catch {
      throw ValidationError("it takes two to nine frequencies, each above the one before, such as 1,10,50.")
    }
  }
}

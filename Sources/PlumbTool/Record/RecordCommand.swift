import ArgumentParser
import BoardFile
import Emulation
import FixedPoint

/// `plumb record`: what the sensor measures, sample by sample, into a file.
struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Records the specific force of every sample into a CSV file, for `plumb replay` and `plumb plot`.",
    discussion: """
      One line a sample, time_s,x_g,y_g,z_g: seconds since the first sample, and force in g, calibrated and in the board's \
      frame. What is read from the file is what was measured, to the last bit. Lines (LEDs) are left alone.

      The file appears under its name when the recording is over: after --duration, with the motion of an emulated board, \
      or with Ctrl-C or SIGTERM, which end it in good order. Until then it is FILE.….part in the same folder. With -o - \
      samples go to standard output as they come, and all words to standard error.

      EXAMPLE: plumb record -o movement.csv --board boards/raspberry-pi-adxl345.ini --duration 60

      EXIT CODES: 0 done, or stopped with Ctrl-C; 64 wrong usage, 69 bus or sensor not available, so that no sample came; 73 \
      the file is there already, or cannot be written; 77 no permission, 78 bad board file
      """)

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("The file to make; - is standard output.", valueName: "file"),
    completion: .file(extensions: ["csv"]))
  var output: String

  @Option(
    help: ArgumentHelp("The board file; the emulated board when left out.", valueName: "file"),
    completion: .file(extensions: ["ini"]))
  var board: String?

  @Option(help: ArgumentHelp("Stop after so many seconds.", valueName: "seconds"))
  var duration: Double?

  @Option(
    help: ArgumentHelp(
      "How often the sensor is asked for a sample, in place of the board file's rate: from 1 to 800 (ADXL345) or 1000 "
        + "(MPU-6050).", valueName: "hertz"), transform: UpdateRate.parsed)
  var rate: UpdateRate?

  @Option(
    help: ArgumentHelp(
      "What the emulated board does: \(NamedMotion.names.joined(separator: ", ")); tumble when left out.",
      valueName: "name"),
    completion: .list(NamedMotion.names), transform: NamedMotion.named)
  var motion: NamedMotion?

  @Option(
    help: ArgumentHelp(
      "The seed of the emulated sensor's noise and errors, in place of the board file's.", valueName: "n"))
  var seed: UInt64?

  @Option(help: "Whether emulated time passes as real time does (realtime) or as fast as it can (fast).")
  var speed: RunCommand.Speed?

  @Flag(help: "Replace the file where there is one already.")
  var force = false

  @Flag(name: [.customShort("q"), .long], help: "Say nothing on standard error but what fails.")
  var quiet = false

  func validate() throws {
    guard let duration, !(duration >= 1e-6 && duration <= 1e9) else { return }
    throw ValidationError("--duration takes a number of seconds from 0.000001 to 1000000000, not \(duration).")
  }

  func run() throws {
    var description = try reportingFailure { () throws(Failure) in
      try board.map { path throws(Failure) in try readBoard(path) } ?? .emulated
    }
    if let misuse = misuse(of: description) { Self.exit(withError: ValidationError(misuse)) }
    if let refusal = rate?.refusal(by: &description.sensor) { Self.exit(withError: refusal) }
    try reportingFailure { () throws(Failure) in try session(description).run() }
  }

  /// What is wrong with the options for this board, if anything.
  private func misuse(of description: BoardDescription) -> String? {
    guard description.bus != .emulated else { return nil }
    if speed == .fast { return "--speed fast needs a board whose bus is emulated." }
    if motion != nil { return "--motion needs a board whose bus is emulated." }
    return seed == nil ? nil : "--seed needs a board whose bus is emulated."
  }

  private func session(_ description: BoardDescription) -> RecordSession {
    RecordSession(
      board: description, path: output, isForced: force, isQuiet: quiet,
      duration: duration.map { Microseconds(Int64(($0 * 1e6).rounded())) }, motion: motion ?? .tumble, seed: seed,
      isFast: speed == .fast)
  }
}

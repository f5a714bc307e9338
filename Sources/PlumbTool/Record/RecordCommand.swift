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

  @OptionGroup var source: BoardOptions

  @Option(help: ArgumentHelp("Stop after so many seconds.", valueName: "seconds"))
  var duration: Double?

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
    let description = try source.description(for: Self.self) { board in
      speed == .fast && board.bus != .emulated ? "--speed fast needs a board whose bus is emulated." : nil
    }
    try reportingFailure { () throws(Failure) in try session(description).run() }
  }

  private func session(_ description: BoardDescription) -> RecordSession {
    RecordSession(
      board: description, path: output, isForced: force, isQuiet: quiet,
      duration: duration.map { Microseconds(Int64(($0 * 1e6).rounded())) }, motion: source.motion ?? .tumble,
      seed: source.seed,
      isFast: speed == .fast)
  }
}

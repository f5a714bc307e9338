import ArgumentParser
import BoardFile
import Emulation
import FixedPoint

/// `plumb record`: what the sensor measures, sample by sample, into a file.
struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Records the specific force of every sample into a CSV file, for `plumb replay` and `plumb plot`.",
    usage: "plumb record -o <file> [<options>]",
    discussion: """
      One line a sample, time_s,x_g,y_g,z_g: seconds since the first sample, and force in g, calibrated and in the board's \
      frame. What is read from the file is what was measured, to the last bit. Samples are asked for by the clock, \
      and lines (LEDs) are left alone.

      The file appears under its name when the recording is over: after --duration, with the motion of an emulated board, \
      or with Ctrl-C or SIGTERM, which end it in good order, and with --give-up. Until then its name is \
      FILE.XXXXXX.part, with any six letters and digits. With -o - \
      samples go to standard output as they come, and all words to standard error.

      EXAMPLES:
        plumb record -o movement.csv
        plumb record -o movement.csv --board raspberry-pi-adxl345 --duration 60

      EXIT CODES: 0 done, or stopped with Ctrl-C; 64 wrong usage; 69 bus or sensor not available, so that no sample came, \
      or the sensor was given up (what came before is in the file); 73 the file is there already, or cannot be written; \
      77 no permission; 78 bad board file
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

  @Option(
    help: ArgumentHelp(
      "End with code 69 when the sensor could not be had back for so many seconds; never when left out.",
      valueName: "seconds"))
  var giveUp: Double?

  @Flag(help: "Replace the file where there is one already.")
  var force = false

  @Option(
    help: """
      How the account at the end is written: text for people, on standard error; json for scripts (one object a line), \
      on standard output, or with -o - on standard error.
      """)
  var format: Format = .text

  @Flag(name: [.customShort("q"), .long], help: "Say nothing on standard error but what fails.")
  var quiet = false

  func validate() throws { try SecondsOption.check([("duration", duration), ("give-up", giveUp)]) }

  func run() throws {
    let description = try source.description(for: Self.self) { board in
      speed == .fast && board.bus != .emulated ? "--speed fast needs a board whose bus is emulated." : nil
    }
    try reportingFailure { () throws(Failure) in try session.run(description) }
  }

  private var session: RecordSession {
    RecordSession(
      path: output, isForced: force, isQuiet: quiet, format: format,
      duration: duration.map(SecondsOption.microseconds), motion: source.motion ?? .tumble, seed: source.seed,
      isFast: speed == .fast, patience: giveUp.map(SecondsOption.microseconds))
  }
}

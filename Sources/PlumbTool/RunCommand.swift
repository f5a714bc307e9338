import Accelerometers
import ArgumentParser
import BoardFile
import Emulation
import FixedPoint
import LinuxHAL

/// `plumb run`: the main job.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Watches a board and shows its pose on its LEDs.",
    discussion: """
      Without --board the emulated board tumbles through all six poses; on the way its sensor stops answering for a \
      moment, and recovers. With a real board it runs until Ctrl-C or SIGTERM, then sets the idle levels and releases \
      the lines.

      EXAMPLE: plumb run --board boards/raspberry-pi-adxl345.ini --format json
      """)

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

  @Option(help: "How results are written: text for people, json for scripts (one object a line).")
  var format: Format = .text

  @OptionGroup var showing: Showing

  @Flag(help: "Let the LEDs of the old and the new pose alternate while the interface turns.")
  var crossFade = false

  @Option(
    help: ArgumentHelp(
      "What the emulated board does: \(NamedMotion.names.joined(separator: ", ")); tumble when left out.",
      valueName: "name"),
    completion: .list(NamedMotion.names), transform: NamedMotion.named)
  var motion: NamedMotion?

  @Option(
    help: ArgumentHelp(
      "The seed of the emulated sensor's noise and errors, in place of the board file's; the same seed gives the same run.",
      valueName: "n"))
  var seed: UInt64?

  @Option(help: "Whether emulated time passes as real time does (realtime) or as fast as it can (fast).")
  var speed: Speed?

  @Option(
    help: ArgumentHelp(
      "End with code 69 when the sensor could not be had back for so many seconds; never when left out.",
      valueName: "seconds"))
  var giveUp: Double?

  /// How emulated time passes.
  enum Speed: String, ExpressibleByArgument, CaseIterable {
    case realtime, fast
  }

  func validate() throws {
    for (name, seconds) in [("duration", duration), ("give-up", giveUp)] {
      guard let seconds, !(seconds >= 1e-6 && seconds <= 1e9) else { continue }
      throw ValidationError("--\(name) takes a number of seconds from 0.000001 to 1000000000, not \(seconds).")
    }
  }

  func run() throws {
    var description = try reportingFailure { () throws(Failure) in
      try board.map { path throws(Failure) in try readBoard(path) } ?? .emulated
    }
    if let misuse = misuse(of: description) { Self.exit(withError: ValidationError(misuse)) }
    if let refusal = rate?.refusal(by: &description.sensor) { Self.exit(withError: refusal) }
    try reportingFailure { () throws(Failure) in try plan.run(description) }
  }

  /// What is wrong with the options for this board, if anything.
  private func misuse(of description: BoardDescription) -> String? {
    guard description.bus != .emulated || !description.lines.isEmulated else { return nil }
    if speed == .fast { return "--speed fast needs a board whose bus and lines are emulated." }
    guard description.bus != .emulated else { return nil }
    if motion != nil { return "--motion needs a board whose bus is emulated." }
    return seed == nil ? nil : "--seed needs a board whose bus is emulated."
  }

  private var plan: RunPlan {
    RunPlan(
      duration: duration.map(Self.microseconds), format: format, showing: showing, crossFades: crossFade,
      motion: motion ?? .tumble, seed: seed, isFast: speed == .fast,
      patience: giveUp.map(Self.microseconds))
  }

  private static func microseconds(_ seconds: Double) -> Microseconds { Microseconds(Int64((seconds * 1e6).rounded())) }
}

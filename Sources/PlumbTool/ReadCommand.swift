import ArgumentParser
import BoardFile
import Emulation
import Orientation

/// `plumb read`: the pose and all angles, once.
struct ReadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Tells the pose and all angles of a board, once.",
    discussion: """
      One sample is enough: nobody has to turn the board first. A sensor that runs already as the board file says, as \
      where plumb run is at work, is only read and does not notice; any other is started. The LEDs are left alone.

      EXAMPLE: plumb read --board boards/raspberry-pi-adxl345.ini --relative-to landscapeLeft

      EXIT CODES: 0 there is an answer, also where it is that the pose is unknown, and why; 69 no bus or no sensor, \
      77 no permission, 78 bad board file
      """)

  @Option(
    help: ArgumentHelp("The board file; the emulated board when left out.", valueName: "file"),
    completion: .file(extensions: ["ini"]))
  var board: String?

  @Option(
    help: ArgumentHelp(
      "Give the angle relative to this pose, too: \(Pose.names.joined(separator: ", ")).", valueName: "pose"),
    completion: .list(Pose.names), transform: Pose.named)
  var relativeTo: Pose?

  @Option(
    help: ArgumentHelp(
      "Average so many samples instead of taking one, 1 to 10000: less noise, but not at once.", valueName: "n"))
  var average = 1

  @Option(
    help: ArgumentHelp(
      "The rate that the sensor is asked at, in place of the board file's: that of a plumb run --rate at work on it.",
      valueName: "hertz"),
    transform: UpdateRate.parsed)
  var rate: UpdateRate?

  @Option(help: "How the answer is written: text for people, json for scripts (one object).")
  var format: Format = .text

  @Option(
    help: ArgumentHelp(
      "What the emulated board does: \(NamedMotion.names.joined(separator: ", ")); hold when left out.",
      valueName: "name"),
    completion: .list(NamedMotion.names), transform: NamedMotion.named)
  var motion: NamedMotion?

  @Option(
    help: ArgumentHelp(
      "The seed of the emulated sensor's noise and errors, in place of the board file's.", valueName: "n"))
  var seed: UInt64?

  func validate() throws {
    guard (1...10_000).contains(average) else {
      throw ValidationError("--average takes a number of samples from 1 to 10000, not \(average).")
    }
  }

  func run() throws {
    var description = try reportingFailure { () throws(Failure) in
      try board.map { path throws(Failure) in try readBoard(path) } ?? .emulated
    }
    if let misuse = misuse(of: description) { Self.exit(withError: ValidationError(misuse)) }
    if let refusal = rate?.refusal(by: &description.sensor) { Self.exit(withError: refusal) }
    try reportingFailure { () throws(Failure) in
      let answer = try ReadPlan(motion: motion ?? .hold, seed: seed, samples: average).answer(of: description)
      var output = Output(isLive: false)
      for line in answer.lines(format, relativeTo: relativeTo) { try output.line(line) }
      try output.flush()
    }
  }

  /// What is wrong with the options for this board, if anything.
  private func misuse(of description: BoardDescription) -> String? {
    guard description.bus != .emulated else { return nil }
    if motion != nil { return "--motion needs a board whose bus is emulated." }
    return seed == nil ? nil : "--seed needs a board whose bus is emulated."
  }
}

import ArgumentParser
import BoardFile
import Emulation
import Orientation

/// `plumb read`: the pose and all angles, once.
struct ReadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Tells the pose and all angles of a board, once.",
    usage: "plumb read [<options>]",
    discussion: """
      One sample is enough: nobody has to turn the board first. A sensor that runs already as the board file says, as \
      where plumb run is at work, is only read and does not notice; any other is started. Where that run has a --rate, \
      give the same one here. The LEDs are left alone. The emulated board is held upright, leaning back, unless --motion \
      says otherwise.

      EXAMPLE: plumb read --board raspberry-pi-adxl345 --relative-to landscapeLeft

      EXIT CODES: 0 there is an answer, also where it is that the pose is unknown, and why; 69 no bus or no sensor, \
      77 no permission, 78 bad board file
      """)

  @OptionGroup var source: BoardOptions

  @Option(
    help: ArgumentHelp(
      "Give the angle relative to this pose, too: \(Pose.names.joined(separator: ", ")).", valueName: "pose"),
    completion: .list(Pose.names), transform: Pose.named)
  var relativeTo: Pose?

  @Option(
    help: ArgumentHelp(
      "Average so many samples instead of taking one, 1 to 10000: less noise, but not at once.", valueName: "n"))
  var average = 1

  @Option(help: "How the answer is written: text for people, json for scripts (one object).")
  var format: Format = .text

  func validate() throws {
    guard (1...10_000).contains(average) else {
      throw ValidationError("--average takes a number of samples from 1 to 10000, not \(average).")
    }
  }

  func run() throws {
    let description = try source.description(for: Self.self)
    try reportingFailure { () throws(Failure) in
      let plan = ReadPlan(motion: source.motion ?? .hold, seed: source.seed, samples: average)
      let answer = try plan.answer(of: description)
      var output = Output(isLive: false)
      for line in answer.lines(format, relativeTo: relativeTo) { try output.line(line) }
      try output.flush()
    }
  }
}

import ArgumentParser
import BoardFile
import Emulation
import FixedPoint

/// The options of the commands that have a user hold the board and then write into its board file.
struct HandsOnOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The board file, which the result is written to.", valueName: "file"),
    completion: .boards)
  var board: String?

  @Option(help: "How progress and result are written: text for people, json for scripts (one object a line).")
  var format: Format = .text

  @Flag(help: "Do everything but write the result to the board file.")
  var dryRun = false

  @Option(
    help: ArgumentHelp(
      "What the emulated board does: \(NamedMotion.names.joined(separator: ", ")).", valueName: "name"),
    completion: .list(NamedMotion.names), transform: NamedMotion.named)
  var motion: NamedMotion?

  @Option(
    help: ArgumentHelp(
      "The seed of the emulated sensor's noise and errors; the one of the board file, or 1, when left out.",
      valueName: "n"))
  var seed: UInt64?

  @Option(help: "Whether emulated time passes as real time does (realtime) or as fast as it can (fast).")
  var speed: RunCommand.Speed?

  @Option(help: ArgumentHelp("End with code 65 when it is not done after so many seconds.", valueName: "seconds"))
  var timeout: Double?

  func validate() throws { try SecondsOption.check([("timeout", timeout)]) }

  /// What is wrong with the options for this board, if anything.
  func misuse(of board: BoardDescription) -> String? {
    guard board.bus != .emulated else { return nil }
    if speed == .fast { return "--speed fast needs a board whose bus is emulated." }
    if motion != nil { return "--motion needs a board whose bus is emulated." }
    return seed == nil ? nil : "--seed needs a board whose bus is emulated."
  }

  /// A session with `board`, which does `motion` where it is emulated and nothing else was asked for.
  func session(with board: BoardDescription, motion usual: NamedMotion) -> HandsOnSession {
    HandsOnSession(
      board: board, motion: motion ?? usual, seed: seed, isFast: speed == .fast,
      timeout: timeout.map(SecondsOption.microseconds))
  }
}

import ArgumentParser
import BoardFile
import Emulation

/// Which board a command works with, and what it does where it is emulated.
struct BoardOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The board file, or the name of one that comes with plumb; the emulated board when left out.",
      valueName: "file"),
    completion: .boards)
  var board: String?

  @Option(
    help: ArgumentHelp(
      "How often the sensor is asked for a sample, in place of the board file's rate: from 1 to 800 (ADXL345) or 1000 "
        + "(MPU-6050).", valueName: "hertz"), transform: UpdateRate.parsed)
  var rate: UpdateRate?

  @Option(
    help: ArgumentHelp(
      "What the emulated board does, in place of what is usual: \(NamedMotion.names.joined(separator: ", ")).",
      valueName: "name"),
    completion: .list(NamedMotion.names), transform: NamedMotion.named)
  var motion: NamedMotion?

  @Option(
    help: ArgumentHelp(
      "The seed of the emulated sensor's noise and errors, in place of the board file's; the same seed gives the same "
        + "samples.", valueName: "n"))
  var seed: UInt64?

  /// The board, asked as often as the options want. Ends `command` with the failure of the file, or with what is wrong with
  /// the options for this board; `misuse` is what the command itself finds.
  func description<Command: ParsableCommand>(
    for command: Command.Type, misuse: (BoardDescription) -> String? = { _ in nil }
  ) throws -> BoardDescription {
    var description = try reportingError { () throws(ToolError) in
      try board.map { path throws(ToolError) in try readBoard(path) } ?? .emulated
    }
    if let words = self.misuse(of: description) ?? misuse(description) {
      UsageError.end(words, in: command)
    }
    if let refusal = rate?.refusal(by: &description.sensor) { UsageError.end(refusal, in: command) }
    return description
  }

  private func misuse(of description: BoardDescription) -> String? {
    guard description.bus != .emulated else { return nil }
    if motion != nil { return "--motion needs a board whose bus is emulated." }
    return seed == nil ? nil : "--seed needs a board whose bus is emulated."
  }

  /// What the board does where it is emulated; `usual` where no motion was asked for.
  func emulated(_ usual: NamedMotion, repeats: Bool = false, isFast: Bool = false) -> EmulatedBoard {
    let motion = motion ?? usual
    return EmulatedBoard(
      motion: motion, repeats: repeats, seed: seed, isFast: isFast, faults: .usual(during: motion))
  }
}

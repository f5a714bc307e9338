import ArgumentParser
import BoardFile
import FixedPoint

/// How long a command goes on.
struct DurationOption: ParsableArguments {
  @Option(
    name: .customLong("duration"), help: ArgumentHelp("Stop after this many seconds.", valueName: "seconds"),
    transform: SecondsOption.parsed)
  var seconds: Double?

  /// nil: until something else ends it.
  var span: Microseconds? { seconds.map(SecondsOption.microseconds) }

  var isGiven: Bool { seconds != nil }

  func validate() throws { try SecondsOption.check([("duration", seconds)]) }
}

/// How emulated time passes.
struct SpeedOption: ParsableArguments {
  enum Speed: String, ExpressibleByArgument, CaseIterable {
    case realtime, fast
  }

  @Option(help: "The speed of emulated time: real time (realtime) or as fast as possible (fast).")
  var speed: Speed?

  var isFast: Bool { speed == .fast }

  var isGiven: Bool { speed != nil }

  /// What an owner's stream has no use for.
  var ownBoardOption: OwnBoardOption { OwnBoardOption("--speed", isGiven, "a stream goes on in real time") }

  /// What is wrong with it for this board, if anything.
  func misuse(of board: BoardDescription) -> String? {
    isFast && board.bus != .emulated ? "--speed fast needs a board whose bus is emulated." : nil
  }
}

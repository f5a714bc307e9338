package import ArgumentParser
package import BoardFile
package import FixedPoint
import ToolOutput

/// How long a command runs.
package struct DurationOption: ParsableArguments {
  @Option(
    name: .customLong("duration"), help: ArgumentHelp("Stop after this many seconds.", valueName: "seconds"),
    transform: SecondsOption.parsed)
  package var seconds: Double?

  package init() {}

  /// Nil to run until something else ends it.
  package var span: Microseconds? { seconds.map(SecondsOption.microseconds) }

  package var isGiven: Bool { seconds != nil }

  package func validate() throws { try SecondsOption.check([("duration", seconds)]) }
}

/// How emulated time passes.
package struct SpeedOption: ParsableArguments {
  package enum Speed: String, ExpressibleByArgument, CaseIterable {
    case realtime, fast
  }

  @Option(help: "The speed of emulated time: real time (realtime) or as fast as possible (fast).")
  package var speed: Speed?

  package init() {}

  package var isFast: Bool { speed == .fast }

  package var isGiven: Bool { speed != nil }

  /// The option that has no effect on an owner's stream.
  package var ownBoardOption: OwnBoardOption { OwnBoardOption("--speed", isGiven, "a stream goes on in real time") }

  /// What is wrong with it for this board, if anything.
  package func misuse(of board: BoardDescription) -> String? {
    isFast && board.bus != .emulated ? "--speed fast needs a board whose bus is emulated." : nil
  }
}

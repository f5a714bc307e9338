package import ArgumentParser

/// The commands that show a board as it is now, to people, browsers, scripts and other programs.
package enum WatchingCommands {
  package static let all: [any ParsableCommand.Type] = [
    RunCommand.self, WatchCommand.self, ServeCommand.self, ReadCommand.self, StatusCommand.self, OnCommand.self,
    InterfaceCommand.self,
  ]

  /// The arguments of the program, prepared for parsing.
  package static func prepared(_ arguments: [String]) -> [String] { OnCommand.keepingTerminator(arguments) }
}

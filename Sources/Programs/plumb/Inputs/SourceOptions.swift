package import ArgumentParser
import BoardFile
import Glibc
package import PlumbStream
import PlumbViews
package import ToolOutput

/// The owner of a sensor that a command listens to.
package struct OwnerOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The owner to listen to: unix:PATH, tcp:HOST:PORT, ssh:[USER@]HOST[:PATH], serial:DEVICE or serial:auto.",
      valueName: "address"),
    transform: Self.address)
  package var from: StreamAddress?

  @Option(
    help: ArgumentHelp(
      "The file whose first line is the token for tcp:.", valueName: "file"),
    completion: .file())
  package var fromToken: String?

  package init() {}

  private static func address(_ text: String) throws -> StreamAddress {
    do throws(StreamError) { return try StreamAddress(text) } catch {
      throw ValidationError("\(error.message).")
    }
  }

  package func validate() throws {
    guard fromToken == nil || from != nil else { throw ValidationError("--from-token needs --from.") }
  }

  /// The token that the owner requires; nil for none.
  package func token() throws(ToolError) -> String? {
    try fromToken.map { path throws(ToolError) in try TokenFile(path: path).token() }
  }
}

/// Where a command gets its samples: from a local board, or from the owner of one.
package struct SourceOptions: ParsableArguments {
  @OptionGroup package var owner: OwnerOptions
  @OptionGroup package var board: BoardOptions

  package init() {}

  package var from: StreamAddress? { owner.from }
}

/// Says what to do instead of `--from`, for a command that needs the bus itself.
package struct OwnBusOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Not for this command.", visibility: .private))
  package var from: String?

  package init() {}

  package func validate() throws {
    guard from != nil else { return }
    throw ValidationError(
      "--from is not for this command: it needs the sensor's bus itself. On the owner's machine, stop the owner "
        + "(sudo systemctl stop plumbd) and run it there; without plumb there, plumbd --check examines the set-up.")
  }
}

/// An option that an owner decides on or that needs a local board, and whether it was given.
package struct OwnBoardOption {
  /// The name on the command line.
  package var name: String
  package var isGiven: Bool
  /// Why it has no effect on a stream; nil for the usual words.
  package var reason: String?

  package init(_ name: String, _ isGiven: Bool, _ reason: String? = nil) {
    (self.name, self.isGiven, self.reason) = (name, isGiven, reason)
  }
}

extension SourceOptions {
  /// Opens the stream that the options name; nil for a local board. See ``client(for:own:_:)``.
  package func stream<Command: ParsableCommand>(
    for command: Command.Type, own: [OwnBoardOption] = [], _ settings: StreamSource.Settings
  ) throws -> StreamSource? {
    try client(for: command, own: own) { address, token throws(ToolError) in
      try StreamSource(address, token: token, settings)
    }
  }

  /// Connects by `connect` to the owner that the options name; nil for a local board.
  ///
  /// Without --from and --board, this is the owner on this machine, if there is one and none of `own` is given. Ends
  /// `command` with wrong usage if the options do not go together.
  package func client<Client: ~Copyable, Command: ParsableCommand>(
    for command: Command.Type, own: [OwnBoardOption] = [],
    _ connect: (StreamAddress, _ token: String?) throws(ToolError) -> Client
  ) throws -> Client? {
    let given = ownBoardOption(own)
    if let from {
      if let given {
        let reason = given.reason ?? "it needs a local board"
        UsageError.end("\(given.name) and --from do not go together: \(reason).", in: command)
      }
      return try reportingError { () throws(ToolError) in try connect(from, try owner.token()) }
    }
    guard given == nil, let usual = Self.usual(in: command) else { return nil }
    return try reportingError { () throws(ToolError) in
      do throws(ToolError) {
        return try connect(usual.address, nil)
      } catch {
        if usual.isRequired { throw error }
        writeToStandardError(fitForTerminal("plumb: warning: \(error.message); \(UsualBoard.name) is used\n"))
        return nil
      }
    }
  }

  /// The first given option that is for a local board; `own` are those of a command.
  package func ownBoardOption(_ own: [OwnBoardOption] = []) -> OwnBoardOption? {
    let usual = [
      OwnBoardOption("--board", board.board != nil, "give one of the two"),
      OwnBoardOption("--rate", board.rate != nil, "the owner decides how often the sensor is read"),
      OwnBoardOption("--batch", board.batch != nil, "the owner decides how often the sensor is read"),
      OwnBoardOption("--motion", board.motion != nil, "it is for a local emulated board"),
      OwnBoardOption("--seed", board.seed != nil, "it is for a local emulated board"),
      OwnBoardOption("--sleep-after", board.sleepAfter != nil, "the owner decides when its sensor sleeps"),
    ]
    return (usual + own).first { $0.isGiven }
  }

  /// The owner that `command` asks if no other is named: that of `PLUMB_STREAM`, or this machine's service; nil if
  /// there is none.
  package static func usualAddress(in command: any ParsableCommand.Type) -> StreamAddress? {
    usual(in: command)?.address
  }

  /// The default owner, and whether it must exist: the one that `PLUMB_STREAM` names (`none` for none), or the
  /// service's, if its socket exists and `PLUMB_BOARD` names no board.
  private static func usual(
    in command: any ParsableCommand.Type
  ) -> (address: StreamAddress, isRequired: Bool)? {
    switch TextStyle.variable("PLUMB_STREAM") {
    case "none": return nil
    case let name?:
      do throws(StreamError) {
        return (try StreamAddress(name), true)
      } catch {
        UsageError.end("PLUMB_STREAM: \(error.message).", in: command)
      }
    case nil:
      guard UsualBoard.named ?? "none" == "none", unsafe access(StreamAddress.systemPath, F_OK) == 0 else { return nil }
      return (.unix(path: StreamAddress.systemPath), false)
    }
  }
}

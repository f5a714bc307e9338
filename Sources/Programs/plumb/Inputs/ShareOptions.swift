package import ArgumentParser
package import BoardFile
package import FixedPoint
package import PlumbStream
package import Stream
import Text
package import ToolOutput

/// Where a command offers a stream of what it observes.
package struct ShareOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Share what the board does, at unix:PATH or tcp:HOST:PORT. May be given up to 4 times.", valueName: "address"),
    transform: Self.address)
  package var share: [StreamAddress] = []

  @Option(
    help: ArgumentHelp(
      "The file whose first line clients over TCP must send; needed where other computers reach the host.",
      valueName: "file"),
    completion: .file())
  package var tokenFile: String?

  package init() {}

  /// Whether anything is shared.
  package var isSharing: Bool { !share.isEmpty }

  private static func address(_ text: String) throws -> StreamAddress {
    do {
      let address = try StreamAddress(text)
      if case .ssh = address {
        throw ValidationError("ssh: is for clients; share at unix:PATH, which ssh forwards, or at tcp:HOST:PORT.")
      }
      return address
    } catch let error as StreamError {
      throw ValidationError("\(error)")
    }
  }

  package func validate() throws {
    if tokenFile != nil && share.isEmpty { throw ValidationError("--token-file needs --share.") }
  }

  /// The owner of `board`, which has begun at `now` and is called `name`; nil where nothing is shared.
  package func owner(
    of board: BoardDescription, called name: String, at now: Instant
  ) throws(ToolError) -> StreamOwner? {
    guard isSharing else { return nil }
    do throws(StreamOwnerError) {
      let configuration = StreamOwner.Configuration(
        name: ShortText(cutting: name), allowsCommands: board.share.allowsCommands)
      var owner = try StreamOwner(board, configuration, at: now)
      if let tokenFile { try owner.useToken(from: ShortText(cutting: tokenFile)) }
      for address in share {
        switch address {
        case .unix(let path): try owner.listen(unix: ShortText(cutting: path))
        case .tcp(let host, let port): try owner.listen(tcp: ShortText(cutting: host), port: port)
        case .ssh: break  // refused before
        }
      }
      return owner
    } catch {
      throw ToolError(error)
    }
  }
}

extension ToolError {
  package init(_ error: StreamOwnerError) {
    let code: Code = error.isConfiguration ? .usage : error.isPermission ? .noPermission : .unavailable
    self.init(code, "\(error.message)")
  }
}

package import ArgumentParser
package import BoardFile
import CSupport
package import FixedPoint
import Glibc
import JSON
package import PlumbStream
import PlumbViews
package import Stream
import Text
package import ToolOutput

/// Where a command serves a stream of what it observes.
package struct ShareOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Share a stream of the board at unix:PATH or tcp:HOST:PORT. May be given up to 4 times.", valueName: "address"),
    transform: Self.address)
  package var share: [StreamAddress] = []

  @Option(
    help: ArgumentHelp(
      "The file whose first line is the token for TCP. Without it, a token is made if other computers can reach the host.",
      valueName: "file"),
    completion: .file())
  package var tokenFile: String?

  package init() {}

  /// Whether anything is shared.
  package var isSharing: Bool { !share.isEmpty }

  private static func address(_ text: String) throws -> StreamAddress {
    do {
      let address = try StreamAddress(text)
      switch address {
      case .unix, .tcp: return address
      case .ssh:
        throw ValidationError("ssh: is for clients; share at unix:PATH, which ssh forwards, or at tcp:HOST:PORT.")
      case .serial: throw ValidationError("serial: is for clients; share at unix:PATH or tcp:HOST:PORT.")
      }
    } catch let error as StreamError {
      throw ValidationError("\(error)")
    }
  }

  package func validate() throws {
    if tokenFile != nil && share.isEmpty { throw ValidationError("--token-file needs --share.") }
  }

  /// A token, generated like that of `plumb serve`, if other computers can reach an address and no file has a token;
  /// otherwise nil.
  package func madeToken() -> String? {
    let isReached = share.contains { address in
      guard case .tcp(let host, _) = address else { return false }
      return unsafe csupport_share_is_address(host) && !csupport_share_is_loopback(host)
    }
    return isReached && tokenFile == nil ? AccessToken.words() : nil
  }

  /// How a board called `name` is shared, whose clients send `token` if one was generated; nil if it is not shared.
  /// `takesCommands` allows commands even if the board file does not.
  package func sharing(called name: String, token: String?, takesCommands: Bool = false) -> BoardSharing? {
    guard isSharing else { return nil }
    return BoardSharing(at: share, called: name, tokenFile: tokenFile, token: token, takesCommands: takesCommands)
  }
}

/// How a local board is shared.
package struct BoardSharing {
  private let addresses: [StreamAddress]
  private let name: String
  private let tokenFile: String?
  private let token: String?
  private let takesCommands: Bool

  /// Shares a board called `name` at `addresses`. Clients that need a token send the one in the file, or `token`.
  /// `takesCommands` allows commands even if the board file does not.
  package init(
    at addresses: [StreamAddress], called name: String, tokenFile: String? = nil, token: String? = nil,
    takesCommands: Bool = false
  ) {
    (self.addresses, self.name, self.tokenFile, self.token) = (addresses, name, tokenFile, token)
    self.takesCommands = takesCommands
  }

  /// The owner of `board`, which begins at `now`.
  package func owner(of board: BoardDescription, at now: Instant) throws(ToolError) -> StreamOwner {
    do throws(StreamOwnerError) {
      let configuration = StreamOwner.Configuration(
        name: ShortText(cutting: name), allowsCommands: takesCommands || board.share.allowsCommands)
      var owner = try StreamOwner(board, configuration, at: now)
      if let tokenFile { try owner.useToken(from: ShortText(cutting: tokenFile)) }
      if let token { try owner.useToken(ShortText(cutting: token)) }
      for address in addresses {
        switch address {
        case .unix(let path): try owner.listen(unix: ShortText(cutting: path))
        case .tcp(let host, let port): try owner.listen(tcp: ShortText(cutting: host), port: port)
        case .ssh, .serial: break  // refused before
        }
      }
      return owner
    } catch {
      throw ToolError(error)
    }
  }
}

/// Where a board is shared and how to listen to it, printed at the start.
package struct ShareAnnouncement {
  private let options: ShareOptions
  private let token: String?

  /// The announcement for `options`; `token` is the generated one.
  package init(_ options: ShareOptions, token: String?) { (self.options, self.token) = (options, token) }

  /// The lines for standard output; none if nothing is shared.
  package var lines: [String] {
    guard options.isSharing else { return [] }
    let places = options.share.map { printable("\($0)") }.joined(separator: ", ")
    return wrapped("Shared at \(places). To listen:") + [""] + options.share.map { "  " + command(for: $0) } + [""]
  }

  /// The same for scripts; nil if no token was generated, because they need nothing else.
  package var json: String? {
    guard let token else { return nil }
    return JSONText.object("sharing") { writer in
      writer.field("addresses", options.share.map { "\($0)" })
      writer.field("token", token)
    }
  }

  /// The command that listens at `address`, on another computer if that can reach it.
  private func command(for address: StreamAddress) -> String {
    guard case .tcp(let host, let port) = address else { return "plumb run --from \(shellWord("\(address)"))" }
    let isAny = host == "0.0.0.0" || host == "::"
    let name = isAny ? ThisMachine.addresses.first ?? ThisMachine.name : host
    let listening = "plumb run --from \(shellWord("\(StreamAddress.tcp(host: name, port: port))"))"
    if let token { return "echo \(token) | \(listening) --from-token -" }
    return listening + (options.tokenFile.map { " --from-token \(shellWord($0))" } ?? "")
  }
}

/// How other computers know this one.
package enum ThisMachine {
  /// The host name.
  package static var name: String {
    var name = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&name, name.count - 1) == 0 else { return "raspberrypi" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Its IPv4 addresses that others can reach.
  package static var addresses: [String] {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard unsafe getifaddrs(&first) == 0 else { return [] }
    defer { unsafe freeifaddrs(first) }
    var addresses: [String] = []
    var next = unsafe first
    while let entry = unsafe next {
      unsafe next = entry.pointee.ifa_next
      let flags = unsafe entry.pointee.ifa_flags
      guard let address = unsafe entry.pointee.ifa_addr, unsafe address.pointee.sa_family == sa_family_t(AF_INET),
        flags & UInt32(IFF_UP) != 0, flags & UInt32(IFF_LOOPBACK) == 0
      else { continue }
      var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let size = socklen_t(MemoryLayout<sockaddr_in>.size)
      if unsafe getnameinfo(address, size, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST) == 0 {
        addresses.append(String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
      }
    }
    return addresses
  }
}

extension ToolError {
  package init(_ error: StreamOwnerError) {
    let code: Code = error.isConfiguration ? .usage : error.isPermission ? .noPermission : .unavailable
    self.init(code, "\(error.message)")
  }
}

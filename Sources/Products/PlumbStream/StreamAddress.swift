internal import StreamConnection

/// Where the owner of a sensor serves its stream.
///
/// As text: `unix:PATH`, `tcp:HOST:PORT`, `ssh:[USER@]HOST[:PATH]`, `serial:DEVICE` or `serial:auto`. An absolute path
/// alone is a Unix socket.
public enum StreamAddress: Equatable, Sendable {
  /// A Unix socket.
  case unix(path: String)
  /// A TCP port.
  case tcp(host: String, port: UInt16)
  /// A Unix socket on another machine, forwarded by OpenSSH; a nil path stands for ``systemPath``.
  case ssh(destination: String, path: String?)
  /// A board with Plumb's firmware on a serial device of this machine, such as `/dev/ttyACM0`; a nil path stands for the
  /// only such board that is plugged in.
  case serial(path: String?)

  /// The Unix socket of the service, `/run/plumb/stream`.
  public static var systemPath: String { "/run/plumb/stream" }
  /// The default port.
  public static var usualPort: UInt16 { 7_587 }
  /// The longest path of a Unix socket, in bytes: Linux has room for it and a NUL.
  static var longestPath: Int { 107 }
  /// The longest path of a serial device, in bytes.
  static var longestDevice: Int { 191 }

  /// The address in `text`. Throws ``StreamError/Kind/badAddress`` if it is not one.
  public init(_ text: String) throws(StreamError) {
    let scheme = text.prefix { $0 != ":" }
    let rest = String(text.dropFirst(scheme.count + 1))
    switch scheme {
    case _ where text.hasPrefix("/"): self = .unix(path: try Self.path(text, of: text))
    case "unix": self = .unix(path: rest.isEmpty ? Self.systemPath : try Self.path(rest, of: text))
    case "tcp": self = try Self.tcp(rest, of: text)
    case "ssh": self = try Self.ssh(rest, of: text)
    case "serial" where rest == "auto": self = .serial(path: nil)
    case "serial" where rest.hasPrefix("/"):
      self = .serial(path: try Self.path(rest, of: text, "serial device", Self.longestDevice))
    case "serial": throw Self.error(text, "write serial:auto, or the path of a device, as in serial:/dev/ttyACM0")
    default: throw Self.error(text, "it begins with unix:, tcp:, ssh: or serial:, or is an absolute path")
    }
  }

  private static func tcp(_ rest: String, of text: String) throws(StreamError) -> StreamAddress {
    var (host, port) = (rest, usualPort)
    // The last colon, unless it belongs to an IPv6 address.
    if let colon = rest.lastIndex(of: ":"), !rest[colon...].contains("]") {
      guard let number = UInt16(rest[rest.index(after: colon)...]), number > 0 else {
        throw error(text, "a port is a number from 1 to 65535")
      }
      (host, port) = (String(rest[..<colon]), number)
    }
    if host.hasPrefix("[") && host.hasSuffix("]") {
      host = String(host.dropFirst().dropLast())
    } else if host.contains(":") {
      throw error(text, "write an IPv6 address in brackets, as in tcp:[::1]:\(usualPort)")
    }
    guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      throw error(text, "the host is missing: tcp:HOST:PORT")
    }
    return .tcp(host: host, port: port)
  }

  private static func ssh(_ rest: String, of text: String) throws(StreamError) -> StreamAddress {
    let end = rest.firstRange(of: ":/")?.lowerBound ?? rest.endIndex
    let (destination, path) = (String(rest[..<end]), String(rest[end...].dropFirst()))
    // ssh would take a leading hyphen for an option.
    guard !destination.isEmpty, !destination.hasPrefix("-"), !destination.hasSuffix("@"),
      destination.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
    else { throw error(text, "the host is missing: ssh:[USER@]HOST[:PATH]") }
    // More than one colon is an IPv6 address.
    guard destination.count(where: { $0 == ":" }) != 1 else {
      throw error(text, "write an absolute path after the host; a port or a key belongs into the configuration of ssh")
    }
    return .ssh(destination: destination, path: path.isEmpty ? nil : try Self.path(path, of: text))
  }

  private static func path(
    _ path: String, of text: String, _ what: String = "Unix socket", _ longest: Int = longestPath
  ) throws(StreamError) -> String {
    guard path.utf8.count <= longest else {
      throw error(text, "the path of a \(what) has at most \(longest) bytes")
    }
    guard path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw error(text, "the path has control characters")
    }
    return path
  }

  /// The boards with Plumb's firmware that are plugged into this machine, also those that a program uses: what
  /// `/dev/serial/by-id` lists, or another folder that `PLUMB_SERIAL` names.
  public static var serialBoards: [StreamAddress] {
    var boards: [StreamAddress] = []
    while boards.count < 64,
      SerialBoards.withPath(
        Int32(boards.count),
        { path in
          let text = unsafe path.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
          boards.append(.serial(path: text))
        })
    {}
    return boards.sorted { "\($0)" < "\($1)" }
  }

  private static func error(_ text: String, _ words: String) -> StreamError {
    StreamError(.badAddress, "\(printable(text)) is no address of a stream: \(words)")
  }
}

extension StreamAddress: CustomStringConvertible {
  /// The address as text that ``init(_:)`` reads.
  public var description: String {
    switch self {
    case .unix(let path): "unix:\(path)"
    case .tcp(let host, let port): host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
    case .ssh(let destination, nil): "ssh:\(destination)"
    case .ssh(let destination, let path?): "ssh:\(destination):\(path)"
    case .serial(let path): "serial:\(path ?? "auto")"
    }
  }
}

/// Why there is no stream, or no longer one.
public struct StreamError: Error, Equatable, Sendable {
  /// The kind of error.
  public enum Kind: Equatable, Sendable {
    /// The text is not an address, or not that of one board alone.
    case badAddress
    /// No program listens there, or it does not respond.
    case unreachable
    /// The system or the owner denies access to this user.
    case noPermission
    /// The owner has ended the connection before it began, for example because it has no place for another client.
    case refused
    /// The program that listens there does not speak the protocol of a stream.
    case badProtocol
  }

  /// The kind of error.
  public var kind: Kind
  /// What happened, where, and what to do, in one line.
  public var message: String

  init(_ kind: Kind, _ message: String) { (self.kind, self.message) = (kind, message) }
}

extension StreamError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}

/// `text` made safe for one line of a message: control characters become `?`.
func printable(_ text: String) -> String {
  String(
    String.UnicodeScalarView(
      text.unicodeScalars.map { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? "?" : $0 }))
}

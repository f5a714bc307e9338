internal import CSupport
public import Text

/// Why a stream cannot be served.
public enum StreamOwnerError: Error, Equatable, Sendable {
  /// Another owner serves its stream on this socket.
  case inUse(ShortText<108>)
  /// The path is that of another kind of file.
  case notSocket(ShortText<108>)
  /// The path is empty, relative or longer than 107 bytes.
  case badPath(ShortText<108>)
  /// The socket cannot be created; the system's `errno`.
  case socket(ShortText<108>, code: Int32)
  /// The host is neither an address nor localhost.
  case badHost(ShortText<48>)
  /// Other computers can reach this host, and there is no token.
  case tokenNeeded(ShortText<48>)
  /// The port cannot be listened on; the system's `errno`.
  case port(ShortText<48>, UInt16, code: Int32)
  /// The token file cannot be read; the system's `errno`.
  case tokenFile(ShortText<128>, code: Int32)
  /// The file's first line is not a valid token.
  case badToken(ShortText<128>)
  /// The service manager passed a descriptor that is not a listening stream socket.
  case badActivation
  /// There are more addresses than an owner can serve.
  case tooMany
  /// The system has no resources for it; its `errno`.
  case system(code: Int32)

  /// The error for `code`, an `errno`, at the socket `path`.
  init(_ path: ShortText<108>, code: Int32) {
    self =
      switch csupport_share_trouble(code) {
      case CSUPPORT_SHARE_IN_USE: .inUse(path)
      case CSUPPORT_SHARE_NOT_A_SOCKET: .notSocket(path)
      case CSUPPORT_SHARE_BAD_PATH: .badPath(path)
      default: .socket(path, code: code)
      }
  }

  /// What is wrong and how to fix it, in plain words.
  public var message: ShortText<384> {
    switch self {
    case .inUse(let path):
      "the sensor is already shared by another owner at \(path): listen to it with `--from`, or stop it"
    case .notSocket(let path): "\(path) is not a socket: remove it, or name another path"
    case .badPath(let path): "the path of the socket \(quoted: path) must begin with / and have at most 107 bytes"
    case .socket(let path, let code): "the socket \(path) cannot be made: \(system: code)"
    case .badHost(let host):
      "\(quoted: host) is not an address to listen on: write one of this computer as a number, or localhost"
    case .tokenNeeded(let host):
      "other computers reach \(host): give a token file as well, or use localhost and ssh"
    case .port(let host, let port, let code): Self.message(of: code, atPort: port, of: host)
    case .tokenFile(let path, let code): "the token file \(path) cannot be read: \(system: code)"
    case .badToken(let path): "the first line of the token file \(path) must have 16 to 128 bytes"
    case .badActivation:
      "the service manager gave a descriptor that is not a listening stream socket: check the socket unit"
    case .tooMany: "a stream can be offered at 4 addresses at most"
    case .system(let code): "the stream cannot be offered: \(system: code)"
    }
  }

  /// Why port `port` of `host` cannot be listened on, in the same words in every program of Plumb.
  private static func message(of code: Int32, atPort port: UInt16, of host: ShortText<48>) -> ShortText<384> {
    let number = UInt32(truncatingIfNeeded: port)
    switch csupport_share_trouble(code) {
    case CSUPPORT_SHARE_IN_USE:
      return "port \(number) of \(host) is in use by another program: choose another port, or stop that program"
    case CSUPPORT_SHARE_NO_ADDRESS:
      return "this computer has no address \(host): `ip address` lists its addresses; 0.0.0.0 stands for all"
    case _ where csupport_meaning(code) == CSUPPORT_NOT_PERMITTED:
      return "no permission to listen on port \(number) of \(host): ports below 1024 need root rights; choose another"
    default: return "port \(number) of \(host) cannot be listened on: \(system: code)"
    }
  }

  /// Whether a permission is missing.
  public var isPermission: Bool {
    switch self {
    case .socket(_, let code), .port(_, _, let code), .tokenFile(_, let code):
      csupport_meaning(code) == CSUPPORT_NOT_PERMITTED
    default: false
    }
  }

  /// Whether the request itself is wrong, whatever the state of the system.
  public var isConfiguration: Bool {
    switch self {
    case .badPath, .badHost, .tokenNeeded, .badToken, .badActivation, .tooMany: true
    default: false
    }
  }
}

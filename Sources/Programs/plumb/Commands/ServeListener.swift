import CSupport
import FlyingSocks
import Glibc
import JSON
import LinuxHAL
import PlumbViews

/// The socket that viewers come to.
struct ServeListener {
  let socket: Socket
  /// Where it listens; with the port that was free, where 0 was asked for.
  let address: ListenAddress

  init(_ wanted: ListenAddress) throws(ToolError) {
    var address = wanted
    do {
      let socket = try Socket(domain: wanted.family == .ip4 ? AF_INET : AF_INET6)
      // Where it was just used, the port may be had again at once.
      try socket.setValue(true, for: BoolSocketOption.localAddressReuse)
      // What is accepted inherits both: messages leave at once, and few wait for a viewer that is slow.
      try socket.setValue(true, for: BoolSocketOption(level: Int32(IPPROTO_TCP), name: Int32(TCP_NODELAY)))
      try socket.setValue(32_768, for: Int32SocketOption.sendBufferSize)
      switch wanted.family {
      case .ip4: try socket.bind(to: .inet(ip4: wanted.host, port: wanted.port))
      case .ip6: try socket.bind(to: .inet6(ip6: wanted.host, port: wanted.port))
      }
      try socket.listen(maxPendingConnection: 64)
      // A viewer that hangs up between `poll` and `accept` must not block the thread.
      try socket.setFlags(.nonBlocking)
      switch try socket.sockname() {
      case .ip4(_, let port), .ip6(_, let port): address.port = port
      case .unix: break
      }
      self.socket = socket
      self.address = address
    } catch {
      throw Self.error(error, wanted)
    }
  }

  private static func error(_ error: any Error, _ wanted: ListenAddress) -> ToolError {
    let place = "\(wanted.urlHost):\(wanted.port)"
    guard case .failed(_, let code, _) = error as? SocketError else {
      return ToolError(.unavailable, "cannot serve at \(place): \(error)")
    }
    switch code {
    case EADDRINUSE:
      return ToolError(
        .unavailable,
        "port \(wanted.port) is in use by another program: choose another with --listen \(wanted.urlHost):PORT, or 0 "
          + "for any free port")
    case EACCES, EPERM:
      return ToolError(
        .noPermission,
        "no permission to listen at \(place): ports below 1024 need root rights; choose another with --listen "
          + "\(wanted.urlHost):PORT")
    case EADDRNOTAVAIL:
      return ToolError(
        .unavailable,
        "this computer has no address \(wanted.host): `ip address` lists its addresses; 0.0.0.0 stands for all")
    default: return ToolError(.unavailable, "cannot serve at \(place): \(systemText(code))")
    }
  }
}

/// The address of the page, as printed at the start.
struct ServeAnnouncement {
  private let address: ListenAddress
  private let token: String?

  init(_ address: ListenAddress, token: String?) { (self.address, self.token) = (address, token) }

  /// The address of the page; of all that it has, one that others reach.
  var url: String { url(of: hosts.first ?? address.urlHost) }

  var json: String { JSONText.object("serving") { $0.field("url", url) } }

  /// What is said on standard output, in lines of at most 80 characters where addresses and names let them; `title` is what is
  /// shown. A terminal gets an address that others reach as a QR code, too: for a phone's camera.
  func lines(_ title: String) -> [String] {
    var lines = wrapped("Serving \(title).") + ["", "  \(url)"]
    for host in hosts.dropFirst().prefix(3) { lines.append("  \(url(of: host))") }
    lines.append("")
    let style = TextStyle.ofStandardOutput
    if !address.isLoopback, isatty(STDOUT_FILENO) == 1, style.hasUnicode, let code = QRCode(url) {
      lines += code.lines(style) + [""]
    }
    if address.isLoopback {
      lines.append("Only this computer can open the page. To open it on another one, run there")
      lines.append("")
      lines.append("  ssh -N -L \(address.port):\(address.urlHost):\(address.port) \(user)@\(Self.machine)")
      lines.append("")
      lines.append("and open")
      lines.append("")
      lines.append("  \(url(of: "localhost"))")
      lines.append("")
    } else {
      lines += wrapped(
        "Anyone with this address can watch, but cannot change anything. The connection is not encrypted: use it only on networks you trust."
      )
    }
    return lines + ["Stop with Ctrl-C."]
  }

  private var query: String { token.map { "?token=\($0)" } ?? "" }

  private func url(of host: String) -> String { "http://\(host):\(address.port)/\(query)" }

  /// The names that the page has in a URL.
  private var hosts: [String] {
    guard address.isAny else { return [address.urlHost] }
    let addresses = Self.addresses
    return addresses.isEmpty ? [Self.machine] : addresses
  }

  private var user: String { TextStyle.variable("USER") ?? "user" }

  private static var machine: String {
    var name = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&name, name.count - 1) == 0 else { return "raspberrypi" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The addresses of this machine that others can reach, those of version 4.
  private static var addresses: [String] {
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

/// The file that has the token which viewers need.
struct TokenFile {
  let path: String

  /// The number of bytes that are read; the longest token has 128.
  private static let longest = 1_024

  /// The token in its first line; `-` is standard input.
  ///
  /// A pipe is waited for. That is to be done before stop signals are taken over, so that they end the wait.
  func token() throws(ToolError) -> String {
    let descriptor = path == "-" ? dup(STDIN_FILENO) : unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw error(errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    while bytes.count < Self.longest && !bytes.contains(0x0A) {
      var piece = [UInt8](repeating: 0, count: Self.longest)
      let count = unsafe piece.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
      if count == 0 { break }
      if count < 0 && errno != EINTR { throw error(errno) }
      bytes += piece.prefix(max(0, count))
    }
    guard let token = AccessToken.read(Array(bytes.prefix { $0 != 0x0A })) else {
      throw ToolError(
        .data, "\(name): no token; the first line must have 16 to 128 letters, digits, hyphens and underscores")
    }
    return token
  }

  private var name: String { path == "-" ? "standard input" : printable(path) }

  private func error(_ code: Int32) -> ToolError {
    switch code {
    case ENOENT, ENOTDIR: ToolError(.noInput, "\(name): no such token file")
    case EACCES, EPERM: ToolError(.noPermission, "\(name): no permission to read this token file")
    case EISDIR: ToolError(.data, "\(name): a directory, not a token file")
    default: ToolError(.noInput, "\(name): the token file cannot be read: \(systemText(code))")
    }
  }
}

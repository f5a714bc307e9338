import CSupport
import FlyingSocks
import Glibc
import LinuxHAL
import WebView

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
      // Else the daemon of somebody else would have to be started with it.
      try socket.setFlags(.nonBlocking)
      switch try socket.sockname() {
      case .ip4(_, let port), .ip6(_, let port): address.port = port
      case .unix: break
      }
      self.socket = socket
      self.address = address
    } catch {
      throw Self.failure(error, wanted)
    }
  }

  private static func failure(_ error: any Error, _ wanted: ListenAddress) -> ToolError {
    let place = "\(wanted.urlHost):\(wanted.port)"
    guard case .failed(_, let code, _) = error as? SocketError else {
      return ToolError(.unavailable, "nobody can be served at \(place): \(error)")
    }
    switch code {
    case EADDRINUSE:
      return ToolError(
        .unavailable,
        "port \(wanted.port) is in use by another program: give another with --listen \(wanted.urlHost):PORT, 0 for any "
          + "that is free")
    case EACCES, EPERM:
      return ToolError(
        .noPermission,
        "you may not listen at \(place): ports below 1024 need root rights; give another with --listen "
          + "\(wanted.urlHost):PORT")
    case EADDRNOTAVAIL:
      return ToolError(
        .unavailable,
        "this machine has no address \(wanted.host): `ip address` lists those it has; 0.0.0.0 stands for all")
    default: return ToolError(.unavailable, "nobody can be served at \(place): \(systemText(code))")
    }
  }
}

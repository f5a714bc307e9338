/// Where the owner of a sensor offers its stream.
public enum StreamAddress: Equatable, Sendable {
  /// A Unix socket.
  case unix(path: String)
  /// A TCP port.
  case tcp(host: String, port: UInt16)
  /// A Unix socket of another machine, by OpenSSH; the path is nil for the usual one.
  case ssh(destination: String, path: String?)
}

import CSupport
import Foundation

/// The other end of connections. Its effects are complete when a function returns: no thread, no waiting.
public final class Listener {
  /// The socket.
  public let descriptor: Int32
  /// The TCP port.
  public private(set) var port: UInt16 = 0

  /// Listens at the Unix socket `path`.
  public init(path: String) throws {
    descriptor = unsafe path.withCString { unsafe csupport_share_listen_unix($0) }
    guard descriptor >= 0 else { throw FakeOwner.CannotListen(code: -descriptor) }
  }

  /// Listens on a TCP port of 127.0.0.1.
  public init() throws {
    descriptor = unsafe csupport_share_listen_tcp("127.0.0.1", 0)
    guard descriptor >= 0 else { throw FakeOwner.CannotListen(code: -descriptor) }
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout.size(ofValue: address))
    let code = unsafe withUnsafeMutableBytes(of: &address) { bytes in
      unsafe getsockname(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
    }
    guard code == 0 else { throw FakeOwner.CannotListen(code: errno) }
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(descriptor) }

  /// The waiting connection.
  public func accept() throws -> End {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    unsafe poll(&wait, 1, 60_000)
    let end = csupport_share_accept(descriptor)
    guard end >= 0 else { throw NoConnection() }
    return End(end)
  }

  /// Whether a connection is waiting.
  public var isWanted: Bool {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&wait, 1, 0) > 0
  }
}

/// No connection is waiting.
public struct NoConnection: Error {}

/// The other end of a connection.
public final class End {
  /// The socket.
  public let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Sends `text`.
  public func send(_ text: String) {
    let bytes = Array(text.utf8)
    let count = unsafe Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    precondition(count == bytes.count, "a test sends more than a socket takes")
  }

  /// The bytes received from the client so far; nil if it has closed. Over TCP the system delivers them in its own
  /// time: with `waits`, the first of them is waited for.
  public func received(waits: Bool = false) -> String? {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    if waits { unsafe poll(&wait, 1, 60_000) }
    var bytes = [UInt8](repeating: 0, count: 1 << 18)
    let count = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return count == 0 ? nil : String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}

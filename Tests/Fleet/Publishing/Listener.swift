import CSupport
import Foundation
import Testing

/// The other end of connections. What it does has happened when the function returns: no thread, no waiting.
final class Listener {
  let descriptor: Int32
  private(set) var port: UInt16 = 0

  /// Listens at the Unix socket `path`.
  init(path: String) throws {
    descriptor = unsafe path.withCString { unsafe csupport_share_listen_unix($0) }
    try #require(descriptor >= 0)
  }

  /// Listens on a TCP port of 127.0.0.1.
  init() throws {
    descriptor = unsafe csupport_share_listen_tcp("127.0.0.1", 0)
    try #require(descriptor >= 0)
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout.size(ofValue: address))
    let code = unsafe withUnsafeMutableBytes(of: &address) { bytes in
      unsafe getsockname(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
    }
    try #require(code == 0)
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(descriptor) }

  /// The connection that waits.
  func accept() throws -> End {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    unsafe poll(&wait, 1, 10_000)
    let end = csupport_share_accept(descriptor)
    try #require(end >= 0, "no connection waits")
    return End(end)
  }

  /// Whether a connection waits.
  var isWanted: Bool {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&wait, 1, 0) > 0
  }
}

final class End {
  let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    #expect(unsafe Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
  }

  /// What has come from the client so far; nil where it has closed.
  func received() -> String? {
    var bytes = [UInt8](repeating: 0, count: 1 << 18)
    let count = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return count == 0 ? nil : String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}

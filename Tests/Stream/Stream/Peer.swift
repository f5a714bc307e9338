import FixedPoint
import Foundation
import JSON
import Stream
import TestSupport

/// The other end of a connection to an owner.
final class Peer {
  private let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// A new client of `owner`, on this computer or as over TCP.
  convenience init(of owner: inout StreamOwner, isLocal: Bool, at now: Instant) {
    var ends: [Int32] = [0, 0]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    unsafe expect(socketpair(AF_UNIX, type, 0, &ends), equals: 0)
    owner.admit(ends[1], isLocal: isLocal, at: now)
    self.init(ends[0])
  }

  deinit { close(descriptor) }

  func put(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// Sends no more, but may still read.
  func shutDown() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// The kinds of the lines received, or the words of an error or a bye; `end` once the owner has closed.
  func lines() throws -> [String] {
    let (objects, isEnd) = try received()
    let lines = objects.map { object in
      object["needs"]?.string.map { "needs \($0)" } ?? object["detail"]?.string ?? object["event"]?.string ?? ""
    }
    return lines + (isEnd ? ["end"] : [])
  }

  /// The objects received, and whether the owner has closed.
  func received() throws -> (objects: [JSONObject], isEnd: Bool) {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    var count = 0
    repeat {
      count = unsafe recv(descriptor, &piece, piece.count, Int32(MSG_DONTWAIT))
      bytes += piece.prefix(max(0, count))
    } while count > 0
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    return (try lines.map { try JSONObject(String($0)) }, count == 0)
  }
}

import Foundation

/// A stand-in for an MQTT broker on a TCP port of this computer: accepts what clients publish, and forwards nothing.
public final class FakeBroker: Sendable {
  /// Where it listens.
  public let port: UInt16
  /// The publications: the topic, ` retained ` or a blank, and the payload.
  public let published = Notes()
  /// The user and password of each client.
  public let logins = Notes()
  private let listener: Int32

  /// The socket could not be made, with the system's code.
  public struct CannotListen: Error {
    /// The system's code.
    public let code: Int32
  }

  /// Listens, and answers each client with the return code `answer`: 0 for accepted. Each subscription is also
  /// answered with the bytes `retained`.
  public init(answering answer: UInt8 = 0, retaining retained: [UInt8] = []) throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout.size(ofValue: address))
    let listener = listener
    let isListening = unsafe withUnsafeMutableBytes(of: &address) { bytes in
      let generic = unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
      return unsafe bind(listener, generic, size) == 0 && listen(listener, 16) == 0
        && getsockname(listener, generic, &size) == 0
    }
    guard isListening else { throw CannotListen(code: errno) }
    port = UInt16(bigEndian: address.sin_port)
    let (published, logins) = (published, logins)
    Thread.detachNewThread {
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        Thread.detachNewThread {
          let visitor = Visitor(FakeClient(descriptor: client), published, logins, retained)
          while visitor.serve(answering: answer) {}
          close(client)
        }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }
}

/// One client of a stand-in: MQTT 3.1.1, sections 2 and 3.
private struct Visitor {
  private let client: FakeClient
  private let published: Notes
  private let logins: Notes
  private let retained: [UInt8]

  init(_ client: FakeClient, _ published: Notes, _ logins: Notes, _ retained: [UInt8]) {
    (self.client, self.published, self.logins, self.retained) = (client, published, logins, retained)
  }

  /// Answers the next packet; false at the end.
  func serve(answering answer: UInt8) -> Bool {
    guard let head = client.bytes(1)?.first, let length = remainingLength(), let body = client.bytes(length) else {
      return false
    }
    switch head >> 4 {
    case 1:
      logins.add(login(of: body))
      client.send(bytes: [0x20, 2, 0, answer])
      return answer == 0
    case 3:
      let topic = text(body, at: 0)
      let start = 2 + topic.utf8.count + (head & 0x06 == 0 ? 0 : 2)
      let payload = String(decoding: body[start...], as: UTF8.self)
      published.add(topic + (head & 1 == 1 ? " retained " : " ") + payload)
      if head & 0x06 != 0 { client.send(bytes: [0x40, 2, body[start - 2], body[start - 1]]) }
    case 8: client.send(bytes: [0x90, 3, body[0], body[1], 1] + retained)
    case 12: client.send(bytes: [0xD0, 0])
    default: return false
    }
    return true
  }

  private func remainingLength() -> Int? {
    var (length, shift) = (0, 0)
    while let byte = client.bytes(1)?.first {
      length |= Int(byte & 0x7F) << shift
      shift += 7
      if byte < 0x80 { return length }
    }
    return nil
  }

  /// User and password, separated by a colon.
  private func login(of body: [UInt8]) -> String {
    let flags = body[7]
    var texts: [String] = []
    var index = 10
    while index < body.count {
      let text = text(body, at: index)
      texts.append(text)
      index += 2 + text.utf8.count
    }
    // After the client's id, and the topic and payload of its will.
    let rest = texts.dropFirst(flags & 0x04 == 0 ? 1 : 3)
    return rest.joined(separator: ":")
  }

  private func text(_ body: [UInt8], at index: Int) -> String {
    let count = Int(body[index]) << 8 | Int(body[index + 1])
    return String(decoding: body[(index + 2)..<(index + 2 + count)], as: UTF8.self)
  }
}

extension FakeClient {
  /// The next `count` bytes, waited for; nil at the end of the connection.
  func bytes(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    guard count > 0 else { return bytes }
    return unsafe recv(descriptor, &bytes, count, Int32(MSG_WAITALL)) == count ? bytes : nil
  }

  fileprivate func send(bytes: [UInt8]) {
    _ = unsafe Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }
}

import Foundation
import TestSupport
import Testing

/// A packet of MQTT 3.1.1.
struct Packet: Equatable {
  var type: UInt8
  var flags: UInt8 = 0
  var body: [UInt8] = []

  static let (connect, connack, publish, puback): (UInt8, UInt8, UInt8, UInt8) = (1, 2, 3, 4)
  static let (subscribe, suback, pingreq, disconnect): (UInt8, UInt8, UInt8, UInt8) = (8, 9, 12, 14)

  static func connack(_ code: UInt8) -> Packet { Packet(type: connack, body: [0, code]) }
  static func puback(_ id: [UInt8]) -> Packet { Packet(type: puback, body: id) }

  /// A message with QoS 1.
  static func message(_ topic: String, _ payload: [UInt8], id: UInt16, isRetained: Bool = false) -> Packet {
    let name = Array(topic.utf8)
    let head = [UInt8(name.count >> 8), UInt8(name.count & 0xFF)] + name + [UInt8(id >> 8), UInt8(id & 0xFF)]
    return Packet(type: publish, flags: isRetained ? 3 : 2, body: head + payload)
  }

  var bytes: [UInt8] {
    var length: [UInt8] = []
    var rest = body.count
    repeat {
      length.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
      rest >>= 7
    } while rest > 0
    return [type << 4 | flags] + length + body
  }

  /// The texts of a body, each preceded by its length, from `offset` on.
  func texts(from offset: Int) -> [String] {
    var texts: [String] = []
    var rest = body.dropFirst(offset)
    while let high = rest.popFirst(), let low = rest.popFirst() {
      let count = Int(high) << 8 | Int(low)
      texts.append(String(decoding: rest.prefix(count), as: UTF8.self))
      rest = rest.dropFirst(count)
    }
    return texts
  }

  /// The topic of a publication.
  var topic: String { texts(from: 0).first ?? "" }
  /// The packet identifier of a publication with QoS 1.
  var id: [UInt8] { Array(body.dropFirst(2 + topic.utf8.count).prefix(2)) }
  var payload: String { String(decoding: body.dropFirst(4 + topic.utf8.count), as: UTF8.self) }
}

/// A broker's end of a connection; the test writes each packet.
extension End {
  func send(_ packet: Packet) {
    let bytes = packet.bytes
    unsafe expect(Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)), equals: bytes.count)
  }

  /// Ends the connection in both directions.
  func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// The next packet; nil if the client has closed the connection.
  func packet() throws -> Packet? {
    guard let first = try byte() else { return nil }
    var count = 0
    var shift = 0
    while let next = try byte() {
      count |= Int(next & 0x7F) << shift
      shift += 7
      if next < 0x80 { break }
    }
    var body: [UInt8] = []
    while body.count < count, let next = try byte() { body.append(next) }
    return Packet(type: first >> 4, flags: first & 0xF, body: body)
  }

  /// The next packet except pings, which are answered.
  func request(_ type: UInt8) throws -> Packet {
    while true {
      let packet = try require(packet())
      if packet.type == Packet.pingreq {
        send(Packet(type: 13))
        continue
      }
      try #require(packet.type == type)
      return packet
    }
  }

  /// The next byte; nil if the client has closed the connection.
  func byte() throws -> UInt8? {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    try unsafe require(that: poll(&wait, 1, 60_000) > 0, "the client sends nothing")
    var byte: UInt8 = 0
    return unsafe recv(descriptor, &byte, 1, 0) == 1 ? byte : nil
  }
}

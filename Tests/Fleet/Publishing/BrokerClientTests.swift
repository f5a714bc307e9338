import FixedPoint
import Fleet
import Foundation
import Publishing
import TestSupport
import Testing
import Text

/// A client, and the broker that it connects to. Both stay until the program ends: Paho tells the clients of a
/// process apart by their descriptors, and takes an event of a closed one for one of its successor.
private final class Rig {
  private let listener: Listener
  private var client: BrokerClient

  init(keepAlive: UInt16 = 60, patience: UInt16 = 60, trustFile: String? = nil) throws {
    listener = try Listener()
    var options = BrokerClient.Options()
    options.host = "127.0.0.1"
    options.port = listener.port
    options.clientID = "plumb-test"
    options.user = "someone"
    options.password = "secret"
    options.willTopic = "plumb/test/status"
    options.keepAlive = keepAlive
    options.patience = patience
    if let trustFile {
      options.hasTLS = true
      options.trustFile = ShortText(cutting: trustFile)
    }
    client = BrokerClient(options)
    _ = unsafe Unmanaged.passRetained(self)
  }

  func connect() { client.connect() }

  /// The broker's end of the waiting connection.
  func accept() throws -> End {
    let end = try listener.accept()
    _ = unsafe Unmanaged.passRetained(end)
    return end
  }

  /// Connects, and makes the broker accept.
  func connected() throws -> End { try Self.connected([self])[0] }

  /// Connects several clients at once, whose brokers accept.
  ///
  /// One after another, each takes up to two seconds of Paho: it waits for its sockets for a second at a time, includes
  /// a new one only in the next wait, and asks only after that one whether the connection is open.
  static func connected(_ rigs: [Rig]) throws -> [End] {
    for rig in rigs { rig.connect() }
    return try rigs.map { rig in
      let end = try rig.accept()
      _ = try end.request(Packet.connect)
      end.send(.connack(0))
      try #require(rig.next() == .connected)
      return end
    }
  }

  func publish(_ token: UInt16, topic: Topic.Name = "a/b", payload: String = "x", isRetained: Bool = false)
    -> Bool
  {
    client.publish(Publication(on: topic, Array(payload.utf8), isRetained: isRetained, token: token))
  }

  func subscribe(_ topic: ShortText<64>) -> Bool { client.subscribe(topic) }

  /// The next news, waited for.
  func next() throws -> BrokerNews {
    while true {
      if let news = client.next() { return news }
      var wait = pollfd(fd: client.descriptor, events: Int16(POLLIN), revents: 0)
      try unsafe require(that: poll(&wait, 1, 60_000) > 0, "nothing is new")
    }
  }

  /// The next news, if any.
  var news: BrokerNews? { client.next() }

  /// The trouble that ends the attempt or the connection.
  func trouble() throws -> BrokerTrouble {
    switch try next() {
    case .refused(let trouble), .lost(let trouble): return trouble
    case let news:
      Issue.record("no trouble: \(news)")
      throw CancellationError()
    }
  }

  var message: (topic: String, payload: [UInt8]) {
    var found = ("", [UInt8]())
    client.withMessage { topic, payload in
      found.0 = String(decoding: topic.indices.map { topic[$0] }, as: UTF8.self)
      found.1 = payload.indices.map { payload[$0] }
    }
    return found
  }

  func close(milliseconds: Int64) { client.close(patience: .milliseconds(milliseconds)) }
}

/// How a client's connection to a broker, whose packets the test writes, begins and ends.
@Suite(.serialized) struct BrokerClientTests {
  @Test static func `it connects with 3.1.1, a clean session and a retained will, and identifies itself`() throws {
    let rig = try Rig(keepAlive: 15)
    rig.connect()
    let packet = try rig.accept().request(Packet.connect)
    expect(packet.texts(from: 0).first, equals: "MQTT")
    // Level 4; user, password, will retained with QoS 1, clean session.
    expect(packet.body[6..<10], equals: [4, 0b1110_1110, 0, 15])
    expect(packet.texts(from: 10), equals: ["plumb-test", "plumb/test/status", "offline", "someone", "secret"])
  }

  @Test static func `a rejected connection reports the reason`() throws {
    let reasons: [(code: UInt8, kind: BrokerTrouble.Kind)] = [
      (1, .denied), (2, .denied), (3, .denied), (4, .notAuthorised), (5, .notAuthorised),
    ]
    let rigs = try reasons.map { _ in try Rig() }
    for rig in rigs { rig.connect() }
    for (rig, reason) in zip(rigs, reasons) {
      let broker = try rig.accept()
      _ = try broker.request(Packet.connect)
      broker.send(.connack(reason.code))
      let trouble = try rig.trouble()
      expect(trouble.kind, equals: reason.kind, "\(reason.code)")
      expect(trouble.message.description, lacks: "secret")
    }
  }

  @Test static func `an unreadable file of authorities is named, and one without certificates is reported`()
    throws
  {
    let absent = try Rig(trustFile: "/nonexistent/ca.crt")
    absent.connect()
    let reason = try absent.trouble()
    expect(reason.kind, equals: .file)
    expect(reason.message.description, contains: "/nonexistent/ca.crt cannot be read")
    let useless = try Rig(trustFile: #filePath)
    useless.connect()
    try expect(useless.trouble().message.description, contains: "no certificates in the CA file")
  }

  @Test static func `a client that is connecting does not connect twice`() throws {
    let rig = try Rig()
    rig.connect()
    rig.connect()
    let broker = try rig.accept()
    _ = try broker.request(Packet.connect)
    broker.send(.connack(0))
    try expect(rig.next(), equals: .connected)
    expect(rig.news, equals: nil)
  }

  @Test static func `a broker that closes the connection without an answer is reported`() throws {
    let rig = try Rig()
    rig.connect()
    let broker = try rig.accept()
    _ = try broker.request(Packet.connect)
    broker.hangUp()
    let trouble = try rig.trouble()
    expect(trouble.kind, equals: .closed)
    expect(trouble.message, equals: "the broker closed the connection; it may require TLS")
  }

  @Test static func `a broker that accepts the connection and never answers is given up`() throws {
    let rig = try Rig(patience: 1)
    rig.connect()
    _ = try rig.accept()
    try expect(rig.trouble().kind, equals: .time)
  }

  /// Connects where there is no broker; why that fails.
  private static func refusal(_ client: inout BrokerClient) throws -> BrokerTrouble {
    client.connect()
    var wait = pollfd(fd: client.descriptor, events: Int16(POLLIN), revents: 0)
    try unsafe require(that: poll(&wait, 1, 60_000) > 0)
    guard case .refused(let trouble) = client.next() else {
      Issue.record("not refused")
      throw CancellationError()
    }
    return trouble
  }

  @Test static func `without a broker the system's words are reported, and the next try is free`() throws {
    var options = BrokerClient.Options()
    options.host = "127.0.0.1"
    // No program listens on a port that was just closed.
    options.port = try Listener().port
    var client = BrokerClient(options)
    for _ in 0..<3 {
      let trouble = try Self.refusal(&client)
      expect(trouble.kind, equals: .network)
      expect(trouble.message.description, contains: "refused")
    }
  }

  @Test static func `an invalid name has no address`() throws {
    var options = BrokerClient.Options()
    options.host = "a..b"
    var client = BrokerClient(options)
    try expect(Self.refusal(&client).kind, equals: .name)
  }

  @Test static func `a broker that stops answering pings is lost`() throws {
    let rig = try Rig(keepAlive: 1)
    let broker = try rig.connected()
    let trouble = try rig.trouble()
    expect(trouble.kind, equals: .time)
    try expect(broker.packet()?.type, equals: Packet.pingreq)
  }

  @Test static func `without a connection nothing is accepted`() throws {
    let rig = try Rig()
    expect(that: !rig.publish(1))
    expect(that: !rig.subscribe("a"))
    rig.connect()
    expect(that: !rig.publish(1))
    let broker = try rig.accept()
    _ = try broker.request(Packet.connect)
    broker.send(.connack(0))
    // The broker has accepted, but the caller does not know yet.
    try expect(rig.next(), equals: .connected)
    expect(that: rig.publish(2, payload: "second"))
    try expect(broker.request(Packet.publish).payload, equals: "second")
  }

  @Test static func `closing waits for publications for a limited time, and then disconnects cleanly`() throws {
    let rig = try Rig()
    let broker = try rig.connected()
    expect(that: rig.publish(1, payload: "offline"))
    rig.close(milliseconds: 100)
    try expect(broker.request(Packet.publish).payload, equals: "offline")
    try expect(broker.packet(), equals: Packet(type: Packet.disconnect))
    try expect(broker.packet(), equals: nil)
  }

  @Test static func `closing returns as soon as everything is acknowledged`() throws {
    let rig = try Rig()
    let broker = try rig.connected()
    expect(that: rig.publish(1))
    broker.send(.puback(try broker.request(Packet.publish).id))
    // Longer than any test may take: there is nothing to wait for.
    rig.close(milliseconds: 3_600_000)
    try expect(broker.packet(), equals: Packet(type: Packet.disconnect))
  }

  @Test static func `an attempt to connect is given up without waiting`() throws {
    let rig = try Rig()
    rig.connect()
    _ = try rig.accept()
    rig.close(milliseconds: 3_600_000)
    expect(rig.news, equals: nil)
  }
}

/// What goes through a client's connection to a broker whose packets the test writes.
@Suite(.serialized) struct BrokerTrafficTests {
  @Test static func `a publication is delivered once the broker has acknowledged it`() throws {
    let rig = try Rig()
    let broker = try rig.connected()
    expect(that: rig.publish(7, topic: "plumb/x/state", payload: "{}", isRetained: true))
    let packet = try broker.request(Packet.publish)
    expect(packet.flags, equals: 0b0011)
    expect((packet.topic, packet.payload), equals: ("plumb/x/state", "{}"))
    expect(rig.news, equals: nil)
    broker.send(.puback(packet.id))
    try expect(rig.next(), equals: .delivered(7))
  }

  /// No room is allocated for its body: none of it is ever sent.
  @Test static func `a packet that is too long or not for a client ends the connection`() throws {
    let packets: [(bytes: [UInt8], kind: BrokerTrouble.Kind, words: String)] = [
      ([0x30, 0x81, 0x80, 0x04], .tooLong, "more than 64 KiB"),
      ([0x31, 0xFF, 0xFF, 0xFF, 0x7F], .tooLong, "more than 64 KiB"), ([0x20, 0x81, 0x80, 0x04], .tooLong, "64 KiB"),
      ([0x00], .other, "that MQTT does not allow"), ([0x00, 0x00, 0x00, 0x00], .other, "that MQTT does not allow"),
      ([0x34, 0x02], .other, "that MQTT does not allow"),
      ([0x62, 0x02, 0x00, 0x01], .other, "that MQTT does not allow"),
      ([0x10, 0x00], .other, "that MQTT does not allow"), ([0xF0, 0x00], .other, "that MQTT does not allow"),
      ([0x30, 0x80, 0x80, 0x80, 0x80], .other, "that MQTT does not allow"),
    ]
    let rigs = try packets.map { _ in try Rig() }
    for ((rig, end), (bytes, kind, words)) in zip(zip(rigs, try Rig.connected(rigs)), packets) {
      // Earlier packets are taken.
      end.send(.message("a/b", [0x78], id: 1))
      try expect(rig.next(), equals: .message(isRetained: false, dropped: 0), "\(bytes)")
      unsafe expect(Foundation.send(end.descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)), equals: bytes.count)
      let trouble = try rig.trouble()
      #expect(trouble.kind == kind && "\(trouble.message)".contains(words), "\(bytes)")
    }
    // The next connection works as usual.
    for ((rig, next), packet) in zip(zip(rigs, try Rig.connected(rigs)), packets) {
      next.send(.message("a/b", [0x79], id: 1))
      try expect(rig.next(), equals: .message(isRetained: false, dropped: 0), "\(packet.bytes)")
    }
  }

  @Test static func `a message of 64 KiB is read, and dropped`() throws {
    let rig = try Rig()
    let end = try rig.connected()
    end.send(.message("a/b", [UInt8](repeating: 0x78, count: 65_536 - 7), id: 1))
    try expect(rig.next(), equals: .longMessage)
    end.send(.message("a/b", [0x78], id: 2))
    try expect(rig.next(), equals: .message(isRetained: false, dropped: 0))
  }

  @Test static func `a lost connection yields nothing more, and nothing of it is sent on the next`() throws {
    let rig = try Rig()
    let broker = try rig.connected()
    expect(that: rig.publish(1))
    _ = try broker.request(Packet.publish)
    broker.hangUp()
    // Publications in flight may be reported as failed first.
    var news = try rig.next()
    if news == .failed(1) { news = try rig.next() }
    guard case .lost(let trouble) = news else {
      Issue.record("not lost: \(news)")
      return
    }
    expect(trouble.message, equals: "the broker closed the connection")
    expect(rig.news, equals: nil)
    expect(that: !rig.publish(2))
    let next = try rig.connected()
    expect(that: rig.publish(3, payload: "third"))
    try expect(next.request(Packet.publish).payload, equals: "third")
  }

  @Test static func `at most 16 publications are unacknowledged`() throws {
    let rig = try Rig()
    let broker = try rig.connected()
    for token in 0..<UInt16(16) { expect(that: rig.publish(token)) }
    expect(that: !rig.publish(16))
    for token in 0..<UInt16(16) {
      broker.send(.puback(try broker.request(Packet.publish).id))
      try expect(rig.next(), equals: .delivered(token))
    }
    expect(that: rig.publish(16))
  }

  @Test static func `a message has its topic, its payload and whether it was retained`() throws {
    let rig = try Rig()
    let broker = try rig.connected()
    for isRetained in [false, true] {
      broker.send(.message("plumb/x/command", Array("tare".utf8), id: 9, isRetained: isRetained))
      try expect(rig.next(), equals: .message(isRetained: isRetained, dropped: 0))
      expect(rig.message, equals: ("plumb/x/command", Array("tare".utf8)))
    }
    broker.send(.message("t", [], id: 10))
    try expect(rig.next(), equals: .message(isRetained: false, dropped: 0))
    expect(rig.message, equals: ("t", []))
    // Bytes of any value, including zero.
    broker.send(.message("t", [0, 255, 0], id: 11))
    try expect(rig.next(), equals: .message(isRetained: false, dropped: 0))
    expect(rig.message.payload, equals: [0, 255, 0])
  }

  @Test static func `a message is kept up to 256 bytes of topic and 512 of payload`() throws {
    let sizes = [(256, 512, true), (257, 1, false), (1, 513, false), (9_000, 50_000, false)]
    let rigs = try sizes.map { _ in try Rig() }
    for ((rig, broker), (topic, payload, isKept)) in zip(zip(rigs, try Rig.connected(rigs)), sizes) {
      let name = String(repeating: "t", count: topic)
      broker.send(.message(name, [UInt8](repeating: 7, count: payload), id: 1))
      let news = isKept ? BrokerNews.message(isRetained: false, dropped: 0) : .longMessage
      try expect(rig.next(), equals: news, "\(topic), \(payload)")
      if isKept { expect(rig.message, equals: (name, [UInt8](repeating: 7, count: payload))) }
    }
  }

  @Test static func `the first 16 untaken messages are kept, and the others counted`() throws {
    let rig = try Rig()
    let broker = try rig.connected()
    for id in 1...UInt16(100) {
      broker.send(.message("t", [UInt8(id)], id: id))
      // The client has a message once it has acknowledged it.
      _ = try broker.request(Packet.puback)
    }
    for _ in 0..<16 { try expect(rig.next(), equals: .message(isRetained: false, dropped: 0)) }
    expect(rig.message.payload, equals: [16])
    expect(rig.news, equals: nil)
    broker.send(.message("t", [101], id: 101))
    try expect(rig.next(), equals: .message(isRetained: false, dropped: 84))
  }

  @Test static func `messages leave room for news that must not be lost`() throws {
    let rig = try Rig()
    let broker = try rig.connected()
    for token in 0..<UInt16(16) { expect(that: rig.publish(token)) }
    for id in 1...UInt16(40) {
      broker.send(.message("t", [], id: id))
    }
    var ids: [[UInt8]] = []
    var pubacks = 0
    while ids.count < 16 || pubacks < 40 {
      let packet = try require(broker.packet())
      if packet.type == Packet.publish { ids.append(packet.id) } else { pubacks += 1 }
    }
    for id in ids { broker.send(.puback(id)) }
    var delivered: Set<UInt16> = []
    while delivered.count < 16 {
      if case .delivered(let token) = try rig.next() { delivered.insert(token) }
    }
  }

  @Test static func `a subscription that the broker rejects is reported`() throws {
    let rig = try Rig()
    let broker = try rig.connected()
    for (code, isRefused) in [(UInt8(1), false), (0x80, true)] {
      expect(that: rig.subscribe("plumb/x/command"))
      let packet = try broker.request(Packet.subscribe)
      expect(packet.texts(from: 2).first, equals: "plumb/x/command")
      broker.send(Packet(type: Packet.suback, body: packet.body[0..<2] + [code]))
      if isRefused { try expect(rig.next(), equals: .subscriptionRefused) }
    }
  }
}

import CConnect
import FixedPoint
import Foundation
import JSON
import StreamConnection
import TestSupport
import Testing

/// A place that a test defines.
struct TestPlace: OwnerPlace {
  var path = ""
  var isSerial = false
  var port: UInt16?
  var token: String?
  var patience = Microseconds.zero
  /// Why the place cannot be made; nil if it can.
  var trouble: String?

  func withPlace(_ body: (UnsafePointer<CChar>) -> Int32) -> Int32 { unsafe path.withCString { unsafe body($0) } }

  func withToken(_ body: (Span<UInt8>) -> Void) {
    if let token { body(token.utf8.span) }
  }

  func writeTokenAdvice(to writer: inout ByteWriter) { writer.append("ask for it") }

  func writeName(to writer: inout ByteWriter) {
    let kind = isSerial ? "serial" : "unix"
    writer.append(bytes: (port.map { "tcp:\(path):\($0)" } ?? "\(kind):\(path)").utf8.span)
  }

  mutating func prepare() -> Bool { trouble == nil }

  func writeTrouble(to writer: inout ByteWriter) { writer.append(bytes: (trouble ?? "").utf8.span) }
}

/// A connection whose clock the test sets.
final class Client {
  private var connection: OwnerConnection<TestPlace>
  /// In ms.
  var now: Int64 = 1_000_000
  /// The number of connections made.
  private(set) var connections = 0

  init(_ place: TestPlace) {
    connection = OwnerConnection(to: place, random: 1, at: Instant(microseconds: now * 1_000))
  }

  convenience init(path: String) { self.init(TestPlace(path: path)) }

  convenience init(host: String = "127.0.0.1", port: UInt16, token: String? = nil) {
    self.init(TestPlace(path: host, port: port, token: token))
  }

  private var instant: Instant { Instant(microseconds: now * 1_000) }

  /// The next arrival: a line, `gone: why`, or nil.
  func next() -> String? {
    while let arrival = connection.receive(at: instant) {
      switch arrival {
      case .connected: connections += 1
      case .line: return connection.line
      case .lost(let loss): return "gone: \(loss)"
      }
    }
    return nil
  }

  /// All arrivals.
  func all() -> [String] {
    var all: [String] = []
    while let one = next() { all.append(one) }
    return all
  }

  @discardableResult
  func request(_ line: String) -> Bool { connection.send(line.utf8.span) }

  func end() { connection.end() }

  var isOpen: Bool { connection.isOpen }
  var isOver: Bool { connection.isOver }
  var descriptor: Int32 { connection.descriptor }
  var waitsToWrite: Bool { connection.waitsToWrite }

  /// The time it waits, in ms.
  var wait: Int64 { Int64(connection.milliseconds(at: instant)) }

  /// Lets that time pass, and tries again.
  func nextTry() -> String? {
    now += wait
    return next()
  }

  /// Waits in real time until something arrives.
  func hear() {
    var wait = pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0)
    unsafe poll(&wait, 1, 60_000)
  }

  /// Waits in real time until the system has connected.
  func settle() {
    var wait = pollfd(fd: connection.descriptor, events: Int16(POLLOUT), revents: 0)
    unsafe poll(&wait, 1, 10_000)
  }
}

struct ConnectionTests {
  private static let hello = FakeOwner.hello()

  /// A client that has received its hello, and the other end of its connection.
  private static func open(_ folder: String, _ body: (Client, End, Listener) throws -> Void) throws {
    let listener = try Listener(path: folder + "/s")
    let client = Client(path: folder + "/s")
    expect(client.next(), equals: nil)
    let end = try listener.accept()
    end.send(Self.hello + "\n")
    expect(client.next(), equals: Self.hello)
    try body(client, end, listener)
  }

  // Lines.

  @Test static func `lines arrive whole and in order, however they are split`() throws {
    try withShortFolder { folder in
      let listener = try Listener(path: folder + "/s")
      let client = Client(path: folder + "/s")
      expect(client.all(), equals: [])
      let end = try listener.accept()
      let lines = [Self.hello] + (1...20).map { "{\"t\":\($0),\"event\":\"shake\"}" }
      var seen: [String] = []
      for byte in lines.joined(separator: "\n") + "\n" {
        end.send(String(byte))
        seen += client.all()
      }
      expect(seen, equals: lines)
    }
  }

  @Test static func `lines that arrive together are taken one at a time`() throws {
    try withShortFolder { folder in
      try open(folder) { client, end, _ in
        let lines = (1...40).map { FakeOwner.sample(t: "\($0)") }
        end.send(lines.joined(separator: "\n") + "\n{\"t\":")
        expect(client.all(), equals: lines)
        end.send("41,\"event\":\"still\"}\n")
        expect(client.all(), equals: ["{\"t\":41,\"event\":\"still\"}"])
      }
    }
  }

  @Test static func `of endless lines 64 arrive, then nothing once, without a wait`() throws {
    try withShortFolder { folder in
      try open(folder) { client, end, _ in
        let lines = (1...200).map { "{\"event\":\"x\",\"count\":\($0)}" }
        end.send(lines.joined(separator: "\n") + "\n")
        var seen = client.all()
        // The hello was one of them.
        expect(seen.count, equals: 63)
        expect(client.wait, equals: 0)
        for _ in 0..<2 {
          let more = client.all()
          expect(more.count, equals: 64)
          expect(client.wait, equals: 0)
          seen += more
        }
        seen += client.all()
        expect(seen, equals: lines)
        expect(client.wait, isAbove: 0)
      }
    }
  }

  @Test static func `a line has no control characters, whatever the owner writes`() throws {
    try withShortFolder { folder in
      try open(folder) { client, end, _ in
        end.send("{\"t\":1,\r\"event\":\"shake\",\t\"detail\":\"a\u{9B}31m\u{7F}é\u{85}\"}\n")
        expect(client.next(), equals: "{\"t\":1, \"event\":\"shake\", \"detail\":\"a?31m?é?\"}")
      }
    }
  }

  @Test static func `a line of 1024 bytes with its end is accepted; a longer one ends the connection`() throws {
    try withShortFolder { folder in
      try open(folder) { client, end, _ in
        let begin = "{\"event\":\"error\",\"detail\":\""
        func line(_ count: Int) -> String {
          begin + String(repeating: "x", count: count - begin.utf8.count - 2) + "\"}"
        }
        end.send(line(1_023) + "\n" + line(1_023) + "\n" + line(1_024) + "\n")
        expect(client.next(), equals: line(1_023))
        expect(client.next(), equals: line(1_023))
        expect(client.all(), equals: ["gone: the owner at unix:\(folder)/s sent a line of more than 1024 bytes"])
        expect(end.received(), equals: nil)
      }
    }
  }

  @Test static func `a line without an end is given up at 1024 bytes`() throws {
    try withShortFolder { folder in
      try open(folder) { client, end, _ in
        end.send(String(repeating: "x", count: 1_023))
        expect(client.next(), equals: nil)
        end.send("x")
        expect(client.next()?.hasSuffix("more than 1024 bytes"), equals: true)
      }
    }
  }

  @Test static func `the rest of a line does not get into the next connection`() throws {
    try withShortFolder { folder in
      let listener = try Listener(path: folder + "/s")
      let client = Client(path: folder + "/s")
      expect(client.next(), equals: nil)
      do {
        let end = try listener.accept()
        end.send(Self.hello + "\n{\"t\":1,\"event\":\"sha")
        expect(client.next(), equals: Self.hello)
      }
      expect(client.next()?.hasPrefix("gone: "), equals: true)
      expect(client.nextTry(), equals: nil)
      let end = try listener.accept()
      end.send(Self.hello + "\n")
      expect(client.all(), equals: [Self.hello])
    }
  }

  @Test static func `a line that is not JSON ends an open connection`() throws {
    try withShortFolder { folder in
      try open(folder) { client, end, _ in
        end.send("\u{1}\u{2}garbage\n")
        expect(client.next(), equals: "gone: the owner at unix:\(folder)/s sent a line that is not JSON")
      }
    }
  }

  @Test static func `an unknown kind of event is a line like any other`() throws {
    try withShortFolder { folder in
      try open(folder) { client, end, _ in
        end.send("{\"event\":\"tap\",\"t\":9,\"count\":2}\n{\"later\":true}\n")
        expect(client.all(), equals: ["{\"event\":\"tap\",\"t\":9,\"count\":2}", "{\"later\":true}"])
      }
    }
  }

  // Ends that are not owners.

  @Test(arguments: [
    ("HTTP/1.1 400 Bad Request\r\n\r\n", "is not the owner of a sensor: it sent no JSON"),
    ("\n", "is not the owner of a sensor: it sent no JSON"),
    ("[1]\n", "is not the owner of a sensor: it sent no JSON"),
    ("{\"t\":1,\"event\":\"shake\"}\n", "is not the owner of a sensor: it did not begin with a hello"),
    ("{}\n", "is not the owner of a sensor: it did not begin with a hello"),
    (
      FakeOwner.hello(protocol: 2) + "\n",
      "(plumb 0.2.0) speaks protocol 2, and this program protocol 1: update the older of the two"
    ),
    ("{\"event\":\"hello\"}\n", "is not the owner of a sensor: its hello does not name a protocol"),
    (
      "{\"event\":\"hello\",\"protocol\":2}\n",
      " speaks protocol 2, and this program protocol 1: update the older of the two"
    ),
    (String(repeating: "x", count: 5_000), "sent a line of more than 1024 bytes"),
    ("{\"event\":\"bye\",\"detail\":\"16 clients\"}\n", "refuses: 16 clients"),
    ("{\"event\":\"error\",\"detail\":\"wrong token\"}\n", "refuses: wrong token"),
    ("{\"event\":\"error\",\"detail\":\"a\\u001b[2J\\nb\\u007f\"}\n", "refuses: a?[2J?b?"),
    ("{\"event\":\"error\"}\n", "refuses and gives no reason"),
    ("", "the connection was closed at once"),
    ("{\"event\":\"hel", "the connection was closed at once"),
  ])
  static func `an end without a hello of this protocol is given up, with the reason`(
    text: String, words: String
  ) throws {
    try withShortFolder { folder in
      let listener = try Listener(path: folder + "/s")
      let client = Client(path: folder + "/s")
      expect(client.next(), equals: nil)
      do {
        let end = try listener.accept()
        end.send(text)
      }
      let seen = client.all()
      #expect(seen.count == 1 && seen[0].hasPrefix("gone: ") && seen[0].hasSuffix(words), "\(seen)")
      expect(seen[0], contains: "unix:\(folder)/s")
      expect(client.descriptor, equals: -1)
      expect(that: !client.isOpen)
    }
  }

  @Test static func `a missing hello ends the connection after 12 s`() throws {
    try withShortFolder { folder in
      let listener = try Listener(path: folder + "/s")
      let client = Client(path: folder + "/s")
      expect(client.next(), equals: nil)
      let end = try listener.accept()
      expect(client.wait, equals: 12_000)
      client.now += 11_999
      expect(client.next(), equals: nil)
      client.now += 1
      expect(client.next(), equals: "gone: the owner at unix:\(folder)/s does not respond")
      expect(end.received(), equals: nil)
    }
  }

  // Without an owner.

  @Test static func `without an owner each try reports that, until there is one`() throws {
    try withShortFolder { folder in
      let client = Client(path: folder + "/none")
      let words = "gone: no owner offers a stream at unix:\(folder)/none: there is no such socket"
      expect(client.next(), equals: words)
      for _ in 0..<3 { expect(client.nextTry(), equals: words) }
      let listener = try Listener(path: folder + "/none")
      expect(client.nextTry(), equals: nil)
      let end = try listener.accept()
      end.send(Self.hello + "\n")
      expect(client.next(), equals: Self.hello)
    }
  }

  @Test static func `the pauses between tries double up to half a minute, with jitter`() throws {
    try withShortFolder { folder in
      let client = Client(path: folder + "/none")
      _ = client.next()
      for expected: Int64 in [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000] {
        let wait = client.wait
        expect(wait, isIn: expected * 3 / 4...expected * 5 / 4 + 1, "\(wait) for \(expected)")
        client.now += wait - 1
        expect(client.next(), equals: nil)
        expect(client.wait, equals: 1)
        client.now += 1
        expect(client.next(), hasPrefix: "gone: ")
        expect(client.wait, isAbove: 1)
      }
    }
  }

  @Test static func `each kind of path that is not an owner's socket has its error`() throws {
    try withShortFolder { folder in
      try Data().write(to: URL(fileURLWithPath: folder + "/file"))
      let file = Client(path: folder + "/file")
      expect(file.next(), equals: "gone: no owner offers a stream at unix:\(folder)/file: no program listens there")
      let below = Client(path: folder + "/file/s")
      expect(below.next()?.hasSuffix("there is no such socket"), equals: true)
      let packets = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
      defer { close(packets) }
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: (folder + "/packets").utf8) }
      let bound = unsafe withUnsafeBytes(of: &address) { bytes in
        unsafe bind(packets, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
      }
      try require(that: bound == 0)
      let other = Client(path: folder + "/packets")
      expect(other.next(), equals: "gone: unix:\(folder)/packets is not the socket of a stream")
      let long = Client(path: "/" + String(repeating: "x", count: 106))
      expect(long.next()?.contains("there is no such socket"), equals: true)
    }
  }

  @Test static func `a port where no program listens has its error, and so has an unknown host`() throws {
    let port = try Listener().port
    let client = Client(port: port)
    var seen = client.next()
    if seen == nil {
      client.settle()
      seen = client.next()
    }
    expect(seen, equals: "gone: no owner offers a stream at tcp:127.0.0.1:\(port): no program listens there")
    let nowhere = Client(host: "host..example", port: 1)
    expect(nowhere.next()?.hasPrefix("gone: tcp:host..example:1: "), equals: true)
  }

  @Test static func `a connection that the system does not make within 20 s is given up`() throws {
    // A full queue makes the system wait: connections that nothing accepts fill it.
    let listener = try Listener()
    try require(that: listen(listener.descriptor, 0) == 0)
    var addresses = csupport_connect_addresses()
    try unsafe require(that: csupport_connect_look_up("127.0.0.1", listener.port, &addresses) == 0)
    var others: [Int32] = []
    defer { for other in others { close(other) } }
    var isFull = false
    while !isFull && others.count < 64 {
      let other = unsafe csupport_connect_tcp(&addresses, 0)
      try require(that: other >= 0)
      others.append(other)
      // The system completes a connection in its own time.
      var wait = pollfd(fd: other, events: Int16(POLLOUT), revents: 0)
      isFull = unsafe poll(&wait, 1, 500) == 0 && csupport_connect_outcome(other) == 1
    }
    try require(that: isFull)
    let client = Client(port: listener.port)
    expect(client.next(), equals: nil)
    expect(client.wait, equals: 20_000)
    expect(that: client.waitsToWrite)
    client.now += 19_999
    expect(client.next(), equals: nil)
    client.now += 1
    let place = "tcp:127.0.0.1:\(listener.port)"
    expect(
      client.next(), equals: "gone: no connection to the owner at \(place): Connection timed out (errno \(ETIMEDOUT))")
  }

  // Loss and recovery.

  @Test static func `an owner that is killed is gone at once`() throws {
    try withShortFolder { folder in
      try open(folder) { client, _, _ in _ = client.next() }
      // In order, and with a request that was not read.
      for request in ["", "{\"samples\":10}"] {
        let listener = try Listener(path: folder + "/s")
        let client = Client(path: folder + "/s")
        expect(client.next(), equals: nil)
        do {
          let end = try listener.accept()
          end.send(Self.hello + "\n")
          expect(client.next(), equals: Self.hello)
          if !request.isEmpty { client.request(request) }
        }
        let words = request.isEmpty ? "it has closed the connection" : "Connection reset by peer (errno \(ECONNRESET))"
        expect(client.all(), equals: ["gone: the owner at unix:\(folder)/s is gone: \(words)"])
      }
    }
  }

  @Test static func `lines that came before the end are taken first`() throws {
    try withShortFolder { folder in
      let listener = try Listener(path: folder + "/s")
      let client = Client(path: folder + "/s")
      expect(client.next(), equals: nil)
      let bye = "{\"event\":\"bye\",\"detail\":\"the end\"}"
      do {
        let end = try listener.accept()
        end.send(Self.hello + "\n{\"t\":1,\"event\":\"shake\"}\n" + bye + "\n")
      }
      expect(
        client.all(),
        equals: [
          Self.hello, "{\"t\":1,\"event\":\"shake\"}", bye, "gone: the owner at unix:\(folder)/s has ended: the end",
        ])
    }
  }

  @Test static func `after a good connection the first pause is short again, and after others it is not`() throws {
    try withShortFolder { folder in
      let listener = try Listener(path: folder + "/s")
      let client = Client(path: folder + "/s")
      var waits: [Int64] = []
      for good in [false, false, false, true, false] {
        expect(client.next(), equals: nil)
        do {
          let end = try listener.accept()
          end.send(Self.hello + "\n")
          expect(client.next(), equals: Self.hello)
          client.now += good ? 5_000 : 4_999
          end.send(Self.hello + "\n")
          expect(client.next(), equals: Self.hello)
        }
        expect(client.next()?.hasPrefix("gone: "), equals: true)
        waits.append(client.wait)
        client.now += client.wait
      }
      for (wait, expected) in zip(waits, [500, 1_000, 2_000, 500, 1_000] as [Int64]) {
        expect(wait, isIn: expected * 3 / 4...expected * 5 / 4 + 1, "\(waits)")
      }
    }
  }

  // Silence.

  @Test static func `a silent owner is asked after 2 s, and lost 3 s later`() throws {
    try withShortFolder { folder in
      try open(folder) { client, end, _ in
        expect(client.next(), equals: nil)
        expect(client.wait, equals: 2_000)
        client.now += 1_999
        expect(client.next(), equals: nil)
        expect(end.received(), equals: "")
        client.now += 1
        expect(client.next(), equals: nil)
        expect(end.received(), equals: "{\"query\":\"hello\"}\n")
        // It answers.
        client.now += 2_999
        end.send(Self.hello + "\n")
        expect(client.next(), equals: Self.hello)
        expect(client.next(), equals: nil)
        expect(client.wait, equals: 2_000)
        client.now += 2_000
        expect(client.next(), equals: nil)
        expect(end.received(), equals: "{\"query\":\"hello\"}\n")
        // It does not.
        client.now += 2_999
        expect(client.next(), equals: nil)
        expect(client.wait, equals: 1)
        client.now += 1
        expect(client.next(), equals: "gone: nothing came from the owner at unix:\(folder)/s for 5 s")
        expect(end.received(), equals: nil)
      }
    }
  }

  @Test static func `half a line is a sign of life only once it is whole`() throws {
    try withShortFolder { folder in
      try open(folder) { client, end, _ in
        end.send("{\"t\":1,")
        client.now += 2_000
        expect(client.next(), equals: nil)
        expect(end.received(), equals: "{\"query\":\"hello\"}\n")
        client.now += 3_000
        end.send("\"event\":\"shake\"}\n")
        expect(client.next(), equals: "{\"t\":1,\"event\":\"shake\"}")
      }
    }
  }

  // Requests.

  @Test static func `requests are sent once the system has connected, even before the hello`() throws {
    try withShortFolder { folder in
      let listener = try Listener(path: folder + "/s")
      let client = Client(path: folder + "/s")
      expect(that: !client.request("{\"samples\":1}"))
      expect(client.next(), equals: nil)
      expect(client.connections, equals: 1)
      let end = try listener.accept()
      expect(that: client.request("{\"samples\":2}"))
      end.send(Self.hello + "\n")
      expect(client.next(), equals: Self.hello)
      client.request("{\"counters\":4}")
      expect(end.received(), equals: "{\"samples\":2}\n{\"counters\":4}\n")
      expect(that: !client.waitsToWrite)
    }
  }

  @Test static func `a request that does not fit behind the waiting ones is rejected`() throws {
    try withShortFolder { folder in
      try open(folder) { client, _, _ in
        expect(that: client.request(String(repeating: "x", count: 1_023)))
        expect(that: !client.request(String(repeating: "x", count: 1_024)))
      }
    }
  }

  @Test static func `a connection that was ended yields nothing more`() throws {
    try withShortFolder { folder in
      try open(folder) { client, end, _ in
        client.end()
        expect(end.received(), equals: nil)
        expect(that: client.isOver)
        expect(client.wait, equals: -1)
        client.now += 100_000
        expect(client.next(), equals: nil)
        expect(client.descriptor, equals: -1)
      }
    }
  }

  // Places that are being made.

  @Test static func `a socket that is being made is tried every 50 ms, for as long as its place allows`() throws {
    try withShortFolder { folder in
      let client = Client(TestPlace(path: folder + "/s", patience: .seconds(120)))
      for _ in 0..<20 {
        expect(client.next(), equals: nil)
        expect(client.wait, equals: 50)
        client.now += 50
      }
      let listener = try Listener(path: folder + "/s")
      expect(client.next(), equals: nil)
      expect(client.connections, equals: 1)
      _ = try listener.accept()
      let other = Client(TestPlace(path: folder + "/none", patience: .seconds(120)))
      expect(other.next(), equals: nil)
      other.now += 120_000
      expect(other.next(), equals: "gone: unix:\(folder)/none: ssh made no connection in 120 s")
    }
  }

  @Test static func `a place that cannot be made reports the reason`() {
    let client = Client(TestPlace(path: "/nowhere", trouble: "ssh: no such host"))
    expect(client.next(), equals: "gone: ssh: no such host")
  }

  @Test static func `an owner that does not read gets whole requests later, as many as there is room for`() throws {
    try withShortFolder { folder in
      try open(folder) { client, end, _ in
        let request = "{\"query\":\"" + String(repeating: "x", count: 110) + "\"}"
        var count = 0
        while !client.waitsToWrite && count < 100_000 {
          client.request(request)
          count += 1
        }
        try require(that: client.waitsToWrite)
        for _ in 0..<100 { client.request(request) }
        var received = ""
        while client.waitsToWrite {
          received += try require(end.received())
          expect(client.next(), equals: nil)
        }
        received += try require(end.received())
        let lines = received.split(separator: "\n", omittingEmptySubsequences: false)
        expect(all: lines.dropLast()) { $0 == request }
        expect(lines.last, equals: "")
        // At most 1024 bytes have waited.
        expect(lines.count - 1, isIn: count...count + 8, "\(lines.count - 1) of \(count) + 100")
      }
    }
  }

  @Test static func `over TCP, a client without a token asks at once whether one is needed, and says what to do`()
    throws
  {
    let needed = "{\"event\":\"error\",\"needs\":\"token\",\"detail\":\"no\"}\n"
    let listener = try Listener()
    let client = Client(port: listener.port)
    expect(client.next(), equals: nil)
    client.settle()
    expect(client.next(), equals: nil)
    expect(client.connections, equals: 1)
    let end = try listener.accept()
    expect(end.received(waits: true), equals: "{\"token\":\"\"}\n")
    end.send(needed)
    client.hear()
    expect(client.next(), equals: "gone: the owner at tcp:127.0.0.1:\(listener.port) needs a token: ask for it")
    // A client with a token may get that error before its token has arrived, but not for ever.
    let other = Client(port: listener.port, token: "0123456789abcdef")
    expect(other.next(), equals: nil)
    other.settle()
    expect(other.next(), equals: nil)
    expect(other.connections, equals: 1)
    let second = try listener.accept()
    second.send(needed + Self.hello + "\n")
    other.hear()
    expect(other.next(), equals: Self.hello)
    let third = Client(port: listener.port, token: "0123456789abcdef")
    expect(third.next(), equals: nil)
    third.settle()
    expect(third.next(), equals: nil)
    expect(third.connections, equals: 1)
    try listener.accept().send(needed + needed)
    third.hear()
    expect(third.next()?.hasSuffix(" needs a token: ask for it"), equals: true)
  }

  @Test static func `over TCP the token is the first line`() throws {
    let listener = try Listener()
    let client = Client(host: "localhost", port: listener.port, token: "a\"b\\c")
    expect(client.next(), equals: nil)
    let end = try listener.accept()
    client.settle()
    expect(client.next(), equals: nil)
    expect(end.received(waits: true), equals: #"{"token":"a\"b\\c"}"# + "\n")
    end.send(Self.hello + "\n")
    var wait = pollfd(fd: client.descriptor, events: Int16(POLLIN), revents: 0)
    unsafe poll(&wait, 1, 10_000)
    expect(client.next(), equals: Self.hello)
  }

  @Test static func `a dropped connection is closed`() throws {
    try withShortFolder { folder in
      let listener = try Listener(path: folder + "/s")
      let end: End
      do {
        let client = Client(path: folder + "/s")
        expect(client.next(), equals: nil)
        end = try listener.accept()
        expect(end.received(), equals: "")
      }
      expect(end.received(), equals: nil)
    }
  }
}

import BoardFile
import FixedPoint
import Foundation
import JSON
import Monitor
import Stream
import TestSupport
import Testing
import Text

/// An owner of the emulated board, whose clock the test sets.
private struct Rig: ~Copyable {
  var owner: StreamOwner
  var now = Instant(microseconds: 1_000_000)

  init(token: String? = nil, unix: String? = nil) throws {
    var owner = try StreamOwner(.emulated, StreamOwner.Configuration(name: ShortText("b.ini")), at: now)
    if let unix { try owner.listen(unix: ShortText(cutting: unix + "/s")) }
    if let token { try owner.useToken(ShortText(cutting: token)) }
    self.owner = owner
  }

  /// Lets `seconds` pass, with a sample every second.
  mutating func pass(_ seconds: Int64) {
    for _ in 0..<seconds {
      now = now + .seconds(1)
      owner.serve(at: now)
      owner.observe(Observation(Snapshot(at: now)), raw: nil, at: now)
    }
  }

  mutating func serve() { owner.serve(at: now) }

  /// A new client, on this computer or as over TCP.
  mutating func client(isLocal: Bool) throws -> Peer { Peer(of: &owner, isLocal: isLocal, at: now) }

  /// The owner's answers to `count` unauthenticated connections that send `line`.
  mutating func answers(_ line: String, _ count: Int) throws -> Set<String> {
    var answers: Set<String> = []
    for _ in 0..<count {
      let peer = try client(isLocal: false)
      peer.put(line)
      serve()
      answers.insert(try peer.lines().first ?? "nothing")
    }
    return answers
  }

  /// `count` new clients.
  mutating func clients(_ count: Int, isLocal: Bool) throws -> [Peer] {
    var peers: [Peer] = []
    for _ in 0..<count { peers.append(try client(isLocal: isLocal)) }
    return peers
  }
}

private let full = "all 16 places for clients are taken: try again later"
private let replaced = "another client needs this place, and this one has been silent for longest"
private let right = "{\"token\":\"0123456789abcdef\"}"
private let wrong = "{\"token\":\"0123456789abcdee\"}"

struct OwnerSeatsTests {
  /// A connection over TCP that the owner of `rig` has admitted.
  private static func connect(_ listener: Listener, _ rig: inout Rig) throws -> Peer {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), listener.port.bigEndian)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let code = unsafe withUnsafeBytes(of: &address) { bytes in
      unsafe Foundation.connect(
        descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
    }
    expect(code, equals: 0)
    let end = try listener.accept()
    rig.owner.admit(withExtendedLifetime(end) { dup(end.descriptor) }, isLocal: false, at: rig.now)
    return Peer(descriptor)
  }

  /// Serves until `condition`, without advancing the owner's clock.
  private static func serve(_ rig: inout Rig, until condition: (borrowing StreamOwner) -> Bool) {
    for _ in 0..<6_000 where !condition(rig.owner) {
      rig.serve()
      usleep(10_000)
    }
    let isReached = condition(rig.owner)
    expect(that: isReached)
  }

  @Test static func `a client over TCP that closes cleanly frees its seat at once, without a sample`() throws {
    var rig = try Rig()
    let listener = try Listener()
    for _ in 0..<3 {
      var peers: [Peer] = []
      for _ in 0..<16 { peers.append(try connect(listener, &rig)) }
      expect(rig.owner.clients, equals: 16)
      for peer in peers { try expect(peer.lines(), equals: ["hello"]) }
      peers = []
      serve(&rig) { $0.clients == 0 }
    }
  }

  @Test static func `a client over TCP that only reads keeps its seat and its samples`() throws {
    var rig = try Rig()
    let listener = try Listener()
    let peer = try connect(listener, &rig)
    peer.put("{\"counters\":1}")
    peer.shutDown()
    var seen: [String] = []
    for _ in 0..<6_000 where !seen.contains("counters") {
      rig.pass(1)
      usleep(10_000)
      seen += try peer.lines()
    }
    expect(that: seen.contains("counters"))
    expect(that: !seen.contains("end"))
    expect(rig.owner.clients, equals: 1)
  }

  @Test static func `if seats are short, the client that was silent longest goes, and no active one`() throws {
    var rig = try Rig()
    let first = try rig.client(isLocal: true)
    rig.pass(1)
    let others = try rig.clients(15, isLocal: true)
    try expect(rig.client(isLocal: true).lines(), equals: [full, "end"])
    rig.pass(8)
    // A client that has just asked is not silent, nor is one that gets counters, however long ago it asked for them.
    first.put("{\"query\":\"hello\"}")
    others[0].put("{\"counters\":86400}")
    rig.pass(1)
    try expect(rig.client(isLocal: true).lines(), equals: [full, "end"])
    rig.pass(9)
    let next = try rig.client(isLocal: true)
    try expect(next.lines(), equals: ["hello"])
    expect(rig.owner.clients, equals: 16)
    try expect(first.lines(), equals: ["hello", "hello"])
    try expect(others[0].lines(), equals: ["hello"])
    try expect(others.filter { try $0.lines() == ["hello", replaced, "end"] }.count, equals: 1)
    // And so on, until all clients left have requested something.
    let more = try rig.clients(16, isLocal: true)
    try expect(more.filter { try $0.lines() == [full, "end"] }.count, equals: 3)
  }

  @Test static func `one that has just gone makes room for the next client, which replaces no silent one`() throws {
    var rig = try Rig()
    var clients = try rig.clients(16, isLocal: true)
    rig.pass(11)
    clients.remove(at: 7)
    // The owner hears of the new one first.
    try expect(rig.client(isLocal: true).lines(), equals: ["hello"])
    try expect(all: clients) { try $0.lines() == ["hello"] }
    expect(rig.owner.clients, equals: 16)
  }

  @Test static func `TCP clients leave four seats to this computer's clients, and displace none of them`() throws {
    try withShortFolder { folder in
      var rig = try Rig(unix: folder)
      let local = try rig.client(isLocal: true)
      let remote = try rig.clients(12, isLocal: false)
      try expect(all: remote) { try $0.lines() == ["hello"] }
      try expect(rig.client(isLocal: false).lines(), equals: [full, "end"])
      let rest = try rig.clients(3, isLocal: true)
      try expect(all: rest) { try $0.lines() == ["hello"] }
      try expect(rig.client(isLocal: true).lines(), equals: [full, "end"])
      rig.pass(11)
      try expect(rig.client(isLocal: false).lines(), equals: ["hello"])
      try expect(local.lines(), equals: ["hello"])
      try expect(remote.filter { try $0.lines().contains(replaced) }.count, equals: 1)
    }
    // Without a Unix socket no seats are reserved.
    var rig = try Rig()
    try expect(all: rig.clients(16, isLocal: false)) { try $0.lines() == ["hello"] }
  }

  @Test static func `the oldest without a token goes for the newest, and one with the token always gets in`() throws {
    var rig = try Rig(token: "0123456789abcdef")
    var silent: [Peer] = []
    for _ in 0..<40 {
      silent.append(try rig.client(isLocal: false))
      let client = try rig.client(isLocal: false)
      client.put(right)
      rig.serve()
      try expect(client.lines(), equals: ["hello"])
      expect(rig.owner.clients, equals: 1)
      // It leaves, which a socket of this computer shows at once.
      _ = consume client
      rig.serve()
    }
    try expect(silent.filter { try $0.lines().last == "end" }.count, equals: 37)
    // One whose token arrives as it would have to go is admitted.
    let known = try rig.clients(4, isLocal: false)
    for peer in known { peer.put(right) }
    let more = try rig.clients(4, isLocal: false)
    rig.serve()
    try expect(all: known) { try $0.lines() == ["hello"] }
    try expect(all: more) { try $0.lines().isEmpty }
    // Unauthenticated connections take no seat from clients.
    expect(rig.owner.clients, equals: 4)
    let crowd = try rig.clients(12, isLocal: true)
    try expect(all: crowd) { try $0.lines() == ["hello"] }
    more[0].put(right)
    rig.serve()
    try expect(more[0].lines(), equals: [full, "end"])
  }

  @Test static func `a connection without a token hears after 2 s that one is needed, and has 10 s`() throws {
    var rig = try Rig(token: "0123456789abcdef")
    let silent = try rig.client(isLocal: false)
    rig.pass(1)
    try expect(silent.lines(), equals: [])
    rig.pass(8)
    try expect(silent.lines(), equals: ["needs token"])
    rig.pass(1)
    try expect(silent.lines(), equals: ["no token came within 10 s: pass the owner's with --from-token FILE", "end"])
    // One that asks, sends anything else, or can send no more gets the error at once.
    for line in ["{\"token\":\"\"}", "{\"samples\":10}", "GET / HTTP/1.1", String(repeating: "x", count: 600)] {
      let asking = try rig.client(isLocal: false)
      asking.put(line)
      rig.serve()
      try expect(asking.lines().prefix(1), equals: ["needs token"], "\(line.prefix(20))")
    }
    let mute = try rig.client(isLocal: false)
    mute.shutDown()
    rig.serve()
    try expect(mute.lines(), equals: ["needs token", "end"])
    expect(rig.owner.clients, equals: 0)
  }

  @Test static func `a hello counts what came before it, also for a client that asks all the time`() throws {
    var rig = try Rig(token: "0123456789abcdef")
    let peer = try rig.client(isLocal: true)
    peer.put("{\"samples\":\"all\"}")
    // More than the owner listens to between two samples: some are left for the steps.
    for _ in 0..<19 { peer.put("{\"query\":\"hello\"}") }
    var snapshot = Snapshot(at: rig.now)
    for step in 1...4 {
      rig.serve()
      rig.now = rig.now + .seconds(1)
      (snapshot.events, snapshot.counters.samples) = (2 * UInt64(step), UInt64(step))
      var seen = Observation(snapshot)
      seen.reading = Reading(
        instant: rig.now, force: .zero, rotation: nil, gravity: .zero, isFused: false, steering: nil,
        state: snapshot.state)
      for _ in 0..<2 { seen.add(Occurrence(at: rig.now, .asleep)) }
      rig.owner.observe(seen, raw: nil, at: rig.now)
    }
    var (events, samples, hellos) = (UInt64(0), UInt64(0), 0)
    for object in try peer.received().objects {
      switch object["event"]?.string {
      case "asleep": events += 1
      case "sample": samples += 1
      case "hello":
        hellos += 1
        expect(object["events"]?.count, equals: events)
        expect(object["counters"]?["samples"]?.count, equals: samples)
      default: Issue.record("unexpected: \(object["event"]?.string ?? "")")
      }
    }
    expect(events, equals: 8)
    expect(samples, equals: 4)
    expect(hellos, equals: 20)
  }

  @Test static func `60 wrong tokens are checked, then 60 a minute; the right one waits as long`() throws {
    var rig = try Rig(token: "0123456789abcdef")
    let (no, late) = (
      "the token is wrong: compare it with the first line of the owner's token file",
      "too many wrong tokens: try again in a minute"
    )
    try expect(rig.answers(wrong, 60), equals: [no])
    try expect(rig.answers(wrong, 100), equals: [late])
    try expect(rig.answers(right, 3), equals: [late])
    rig.pass(1)
    try expect(rig.answers(right, 1), equals: ["hello"])
    try expect(rig.answers(wrong, 1), equals: [no])
    try expect(rig.answers(right, 1), equals: [late])
  }
}

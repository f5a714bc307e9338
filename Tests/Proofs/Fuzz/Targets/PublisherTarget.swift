internal import FixedPoint
internal import Fleet
internal import JSON
internal import Text

/// A device on a broker with any input from its owner and from the broker, in any order, publishes whole JSON objects
/// on topics without wildcards, at most 8 at once, and only while connected; it sends only JSON to its owner; when it
/// has nothing to send it waits for a later time; and it ends with `offline`.
///
/// Up to an empty line the input is a settings file. Each line after that is a step, of a kind given by its first
/// letter.
func checkPublisher(_ bytes: [UInt8]) throws(Broken) {
  var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)[...]
  let head = lines.prefix { !$0.isEmpty }
  lines = lines.dropFirst(head.count + 1)
  var device = Device(Array(head.joined(separator: [0x0A])))
  for line in lines.prefix(512) { try device.step(Array(line)) }
  try device.end()
}

private struct Device: ~Copyable {
  private var publisher: Publisher
  private let command: [UInt8]
  private let birth: [UInt8]
  private var now: Int64 = 1_000_000
  private var isConnected = false
  private var isEnding = false
  /// The tokens of publications in flight, oldest first.
  private var flying: [UInt16] = []
  private var last = ""

  init(_ file: [UInt8]) {
    var settings = PublisherSettings()
    do throws(PublisherError) { settings = try PublisherSettings.parse(file.span) } catch {
      settings = PublisherSettings()
    }
    let identity = identity(settings)
    publisher = Publisher(settings, identity, random: 1, at: Instant(microseconds: 1_000_000))
    let topics = Topics(settings, identity)
    (command, birth) = (Array(topics[.command].description.utf8), Array(topics[.birth].description.utf8))
  }

  private var instant: Instant { Instant(microseconds: now) }

  mutating func step(_ line: [UInt8]) throws(Broken) {
    let rest = Array(line.dropFirst())
    let (instant, command, birth) = (instant, command, birth)
    switch line.first {
    case UInt8(ascii: "O"):
      // A connection yields no other lines.
      do throws(JSONError) { publisher.take(try JSONObject(rest.span), at: instant, wall: now * 1_000) } catch {}
    case UInt8(ascii: "C"): publisher.take(topic: command.span, payload: rest.span, isRetained: false, at: instant)
    case UInt8(ascii: "R"): publisher.take(topic: command.span, payload: rest.span, isRetained: true, at: instant)
    case UInt8(ascii: "B"): publisher.take(topic: birth.span, payload: rest.span, isRetained: false, at: instant)
    case UInt8(ascii: "T"): publisher.take(topic: rest.span, payload: rest.span, isRetained: false, at: instant)
    case UInt8(ascii: "G"): publisher.ownerIsGone(at: instant, wall: nil, why: "gone")
    case UInt8(ascii: "+"): connect()
    case UInt8(ascii: "-"): disconnect()
    case UInt8(ascii: "A"): if !flying.isEmpty { publisher.delivered(flying.removeFirst()) }
    case UInt8(ascii: "F"): if !flying.isEmpty { publisher.failed(flying.removeFirst(), at: instant) }
    case UInt8(ascii: "N"): publisher.delivered(UInt16(truncatingIfNeeded: rest.count &* 257))
    case UInt8(ascii: "E"):
      isEnding = true
      publisher.end(at: instant)
    default: now += 1 + Int64(line.first ?? 0) * 40_000
    }
    try drain()
  }

  private mutating func connect() {
    publisher.connected(at: instant)
    (isConnected, flying) = (true, [])
  }

  private mutating func disconnect() {
    publisher.disconnected(at: instant)
    (isConnected, flying) = (false, [])
  }

  /// Takes everything there is to send and to report.
  private mutating func drain() throws(Broken) {
    var requests = 0
    while let request = publisher.nextRequest() {
      requests += 1
      try require(requests <= 16, "requests to the owner without end")
      guard case .object = PlainJSON(Array(request.description.utf8)) else {
        throw Broken(words: "request: \(request)")
      }
    }
    while let publication = publisher.next(at: instant) {
      try require(isConnected, "published while not connected")
      try require(!flying.contains(publication.token), "token \(publication.token) twice in flight")
      flying.append(publication.token)
      try require(flying.count <= 8, "\(flying.count) in flight")
      try checkTopic(publication.topic.description)
      last = String(decoding: publication.payload, as: UTF8.self)
      if last == "online" || last == "offline" { continue }
      guard case .object = PlainJSON(publication.payload, depth: 16) else { throw Broken(words: "payload: \(last)") }
    }
    if let due = publisher.due { try require(due > instant, "due \(due.microseconds) at \(now), with nothing to send") }
    var notices = 0
    while let notice = publisher.nextNotice(at: instant) {
      notices += 1
      try require(notices <= 64, "notices without end")
      let words = notice.message.description
      try require(!words.isEmpty && words.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "notice: \(words)")
    }
  }

  /// After any input, on a new connection with a broker that acknowledges, it ends.
  mutating func end() throws(Broken) {
    disconnect()
    connect()
    publisher.end(at: instant)
    var turns = 0
    while !publisher.hasEnded {
      turns += 1
      try require(turns <= 1_000, "it does not end")
      try drain()
      while !flying.isEmpty { publisher.delivered(flying.removeFirst()) }
      now += 200_000
    }
    try require(last == "offline" || isEnding, "the last payload is \(last)")
  }
}

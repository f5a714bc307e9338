import Fleet
import FixedPoint
import Foundation
import JSON
import Testing
import Text

/// A publisher with a virtual clock, and its results.
struct PublisherRig: ~Copyable {
  /// A message for the broker.
  struct Message: Equatable {
    var topic: String
    var payload: String
    var isRetained: Bool
    var token: UInt16
    var seconds: Double

    /// The payload as an object; empty if it is not one.
    var object: [String: Any] { jsonObject(payload) }
    /// A field of the payload as text.
    subscript(key: String) -> String? { object[key].map { "\($0)" } }
    /// The last level of the topic.
    var kind: String { String(topic.split(separator: "/").last ?? "") }
  }

  /// The last levels of the topics of `messages`, of those that the tests know: others may come at any place.
  static func kinds(_ messages: [Message]) -> [String] {
    messages.map(\.kind).filter { ["state", "status", "config", "event", "answer"].contains($0) }
  }

  var publisher: Publisher
  /// In µs since the beginning.
  var now: Int64 = 0
  /// In µs since 1970 at the beginning; nil if the clock is not set.
  var wallAtStart: Int64? = 1_795_356_000_000_000
  /// All messages sent.
  var sent: [Message] = []
  /// All requests to the owner.
  var requests: [String] = []
  /// Whether the broker acknowledges.
  var acknowledges = true

  init(_ settings: String = "", hostName: String = "pi", seed: UInt64 = 1) {
    let text = "[broker]\nhost = h\n" + settings
    var parsed = PublisherSettings()
    do { parsed = try PublisherSettings.parse(text.utf8.span) } catch { Issue.record("\(error.message)") }
    let identity = DeviceIdentity(parsed, hostName: hostName.utf8.span, machineID: "".utf8.span)
    publisher = Publisher(parsed, identity, random: seed, at: Instant(microseconds: 0))
  }

  var instant: Instant { Instant(microseconds: now) }
  var wall: Int64? { wallAtStart.map { $0 + now } }

  /// Takes lines of the owner, and sends what follows.
  mutating func owner(_ lines: String...) {
    for line in lines {
      take(Array(line.utf8))
      ask()
      turn()
    }
  }

  /// Takes `line` if it is JSON: a connection yields no others.
  mutating func take(_ line: [UInt8]) {
    do throws(JSONError) { publisher.take(try JSONObject(line.span), at: instant, wall: wall) } catch {}
  }

  mutating func ownerIsGone(_ why: String = "connection refused") {
    publisher.ownerIsGone(at: instant, wall: wall, why: ShortText(cutting: why))
    turn()
  }

  mutating func connect() {
    publisher.connected(at: instant)
    turn()
  }

  mutating func disconnect() {
    publisher.disconnected(at: instant)
    turn()
  }

  mutating func command(_ payload: String, topic: String = "plumb/pi/command", isRetained: Bool = false) {
    publisher.take(topic: topic.utf8.span, payload: payload.utf8.span, isRetained: isRetained, at: instant)
    ask()
    turn()
  }

  mutating func birth(_ payload: String = "online", isRetained: Bool = false) {
    command(payload, topic: "homeassistant/status", isRetained: isRetained)
  }

  private mutating func ask() {
    var count = 0
    while let request = publisher.nextRequest() {
      requests.append("\(request)")
      count += 1
      guard count < 100 else {
        Issue.record("requests without end")
        return
      }
    }
  }

  mutating func nextNotice() -> PublisherNotice? { publisher.nextNotice(at: instant) }

  /// Sends everything due now.
  mutating func turn() {
    var count = 0
    while let message = next() {
      sent.append(message)
      if acknowledges { publisher.delivered(message.token) }
      count += 1
      guard count < 1_000 else {
        Issue.record("publications without end")
        return
      }
    }
  }

  /// The next publication, which is then in flight.
  mutating func next() -> Message? {
    guard let publication = publisher.next(at: instant) else { return nil }
    return Message(
      topic: "\(publication.topic)", payload: String(decoding: publication.payload, as: UTF8.self),
      isRetained: publication.isRetained, token: publication.token, seconds: Double(now) / 1e6)
  }

  /// Lets time pass and sends what becomes due, woken exactly as the publisher requests. What is due at the end
  /// and was not requested is an issue.
  mutating func pass(_ seconds: Double) {
    turn()
    let end = now + Int64(seconds * 1e6)
    var wakes = 0
    while let due = publisher.due, due.microseconds <= end {
      now = max(now, due.microseconds)
      turn()
      wakes += 1
      guard wakes < 100_000, publisher.due.map({ $0.microseconds > now }) ?? true else {
        Issue.record("busy at \(now): due \(publisher.due?.microseconds ?? 0)")
        return
      }
    }
    let (due, count) = (publisher.due, sent.count)
    now = end
    turn()
    for message in sent.dropFirst(count) {
      Issue.record("due at \(now), but requested at \(due?.microseconds ?? .max): \(message)")
    }
  }

  /// Lets time pass with samples and counters as an owner sends them; `sample` gets the time in seconds.
  mutating func pass(_ seconds: Double, _ sample: (Double) -> String) {
    let end = now + Int64(seconds * 1e6)
    while now < end {
      pass(0.1)
      owner(sample(Double(now) / 1e6))
      if now % 1_000_000 < 100_000 { owner(OwnerLine.counters()) }
    }
  }

  /// Returns and removes the messages sent.
  mutating func take() -> [Message] {
    defer { sent = [] }
    return sent
  }

  /// Returns the messages on topics that end with `kind`, and removes all.
  mutating func take(_ kind: String) -> [Message] { take().filter { $0.kind == kind } }

  /// Connected to owner and broker, after all initial messages.
  static func running(_ settings: String = "", _ hello: String = OwnerLine.hello(), seed: UInt64 = 1) -> PublisherRig {
    var rig = PublisherRig(settings, seed: seed)
    rig.owner(hello, OwnerLine.sample())
    rig.connect()
    rig.pass(2.5) { _ in OwnerLine.sample() }
    _ = rig.take()
    rig.requests = []
    return rig
  }
}

/// An object of JSON; empty, with an issue, for anything else.
func jsonObject(_ text: String) -> [String: Any] {
  do {
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
    guard let fields = object as? [String: Any] else {
      Issue.record("no object: \(text)")
      return [:]
    }
    return fields
  } catch {
    Issue.record("no JSON: \(text)")
    return [:]
  }
}

/// Lines as an owner writes them.
enum OwnerLine {
  static func hello(
    owner: String = "1-1", t: String = "12.5", pose: String = "faceUp", since: String = "3.2", events: Int = 3,
    protocol number: Int = 1, sensor: String = "adxl345", gyroscope: String = "null", board: String = "b.ini",
    still: String? = nil,
    counters: String = "{\"samples\":1000,\"recoveries\":1,\"late_samples\":2,\"restarts\":4}", tare: String = "null"
  ) -> String {
    "{\"event\":\"hello\",\"protocol\":\(number),\"plumb\":\"0.2.0\",\"owner\":\"\(owner)\",\"board\":\"\(board)\","
      + "\"sensor\":\"\(sensor)\",\"address\":83,\"bus\":\"/dev/i2c-1\",\"rate_hz\":100,\"range_g\":16,"
      + "\"gyroscope_range_dps\":\(gyroscope),\"chip\":\"raspberry-pi\",\"code\":\"leds\",\"lines\":[1,0,0,0,0,0],"
      + "\"commands\":true,\"tare\":\(tare),\"t\":\(t),\"pose\":\"\(pose)\",\"since\":\(since),\"x\":0,\"y\":0,\"z\":1,"
      + (still.map { "\"still\":\($0)," } ?? "") + "\"events\":\(events),\"clients\":1,\"counters\":\(counters)}"
  }

  static func sample(x: Double = 0, y: Double = 0, z: Double = 1, more: String = "") -> String {
    "{\"t\":12.5,\"event\":\"sample\",\"x\":\(x),\"y\":\(y),\"z\":\(z),\"pose\":\"faceUp\",\"angle_deg\":null\(more)}"
  }

  static func fused(up: (Double, Double, Double), heading: String = "10", isStill: Bool = true) -> String {
    sample(
      x: 0.3,
      more: ",\"up\":[\(up.0),\(up.1),\(up.2)],\"heading_deg\":\(heading),\"rate_dps\":[0,0,0],\"still\":\(isStill)")
  }

  static func counters(late: Int = 2, recoveries: Int = 1, more: String = "") -> String {
    "{\"t\":13,\"event\":\"counters\",\"samples\":1000,\"recoveries\":\(recoveries),\"late_samples\":\(late),\"restarts\":4,"
      + "\"clients\":1,\"missed\":0\(more)}"
  }

  static func pose(_ to: String, from: String = "faceUp") -> String {
    "{\"t\":14.5,\"event\":\"pose\",\"from\":\"\(from)\",\"to\":\"\(to)\",\"angle_deg\":0.5,\"pitch_deg\":89,"
      + "\"roll_deg\":null,\"leds\":[1,0,0,0,0,0]}"
  }

  static func trouble(
    _ reason: String, _ more: String = ",\"cause\":\"noAcknowledge\",\"detail\":\"no response at 0x53\""
  )
    -> String
  { "{\"t\":15,\"event\":\"trouble\",\"reason\":\"\(reason)\"\(more)}" }

  static let recovery =
    "{\"t\":16,\"event\":\"recovery\",\"outage_s\":1,\"cause\":\"noAcknowledge\",\"detail\":\"no response at 0x53\"}"
  static let shake = "{\"t\":17.25,\"event\":\"shake\"}"
}

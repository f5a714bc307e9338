import FixedPoint
import Fleet
import Foundation
import Testing
import TestSupport

/// What is in flight, what waits, and what is dropped.
struct FlowTests {
  private static func shake(_ t: Int) -> String { "{\"t\":\(t),\"event\":\"shake\"}" }

  @Test static func `an event is published once, with its fields, its number and its time`() throws {
    var rig = PublisherRig.running()
    rig.owner(OwnerLine.shake, "{\"t\":18,\"event\":\"tap\",\"axis\":\"z\",\"of\":{\"a\":[1,2.50]}}")
    let events = rig.take("event")
    expect(
      events.map(\.payload),
      equals: [
        "{\"event_type\":\"shake\",\"n\":1,\"t\":17.25,\"time\":\"2026-11-22T14:00:02Z\"}",
        "{\"event_type\":\"tap\",\"n\":2,\"t\":18,\"time\":\"2026-11-22T14:00:02Z\",\"axis\":\"z\",\"of\":{\"a\":[1,2.50]}}",
      ])
    expect(all: events) { !$0.isRetained && $0.topic == "plumb/pi/event" }
  }

  @Test static func `a rotation is published at its end, with its goal`() {
    var rig = PublisherRig.running()
    rig.owner(
      "{\"t\":1,\"event\":\"rotation\",\"phase\":\"willRotate\",\"from\":\"portrait\",\"to\":\"landscapeLeft\",\"duration_s\":0.4}",
      "{\"t\":1.1,\"event\":\"rotation\",\"phase\":\"redirected\",\"to\":\"landscapeRight\",\"remaining_s\":0.3}",
      "{\"t\":1.2,\"event\":\"rotation\",\"phase\":\"firstHalf\"}",
      "{\"t\":1.3,\"event\":\"rotation\",\"phase\":\"secondHalf\"}",
      "{\"t\":1.4,\"event\":\"rotation\",\"phase\":\"didRotate\",\"from\":\"portrait\"}")
    expect(
      rig.take("event").map(\.payload),
      equals: [
        "{\"event_type\":\"rotation\",\"n\":1,\"t\":1.4,\"time\":\"2026-11-22T14:00:02Z\",\"from\":\"portrait\","
          + "\"to\":\"landscapeRight\"}"
      ])
  }

  @Test(arguments: [
    "sample", "raw", "counters", "reading", "board", "done", "error", "trouble", "recovery", "notice", "give-up", "",
    "a b",
    "ä", "x\\u0022y", String(repeating: "a", count: 48),
  ])
  static func `an object that is not an event is not published as one`(name: String) {
    var rig = PublisherRig.running()
    rig.owner("{\"t\":1,\"event\":\"\(name)\",\"x\":0,\"y\":0,\"z\":1,\"detail\":\"d\",\"reason\":\"ambiguous\"}")
    expect(empty: rig.take("event"))
  }

  @Test static func `an event that is too long keeps its kind`() {
    var rig = PublisherRig.running()
    rig.owner("{\"t\":1,\"event\":\"tap\",\"words\":\"\(String(repeating: "w", count: 800))\"}", OwnerLine.shake)
    expect(
      rig.take("event").map { $0.payload.prefix(36) },
      equals: [
        "{\"event_type\":\"tap\",\"n\":1,\"t\":1,\"tim", "{\"event_type\":\"shake\",\"n\":2,\"t\":17.2",
      ])
  }

  @Test static func `of 200 events while the broker is away 64 are kept, in order, and the others counted`() throws {
    var rig = PublisherRig.running()
    rig.disconnect()
    for number in 1...200 { rig.owner(Self.shake(number)) }
    expect(empty: rig.sent)
    rig.connect()
    let events = rig.take("event")
    expect(events.first?.payload, equals: "{\"event_type\":\"missed\",\"count\":136}")
    expect(events.dropFirst().map { $0["n"] }, equals: (137...200).map { "\($0)" })
    expect(events.dropFirst().map { $0["t"] }, equals: (137...200).map { "\($0)" })
    rig.pass(6)
    expect(rig.nextNotice(), equals: .dropped(136))
    expect(rig.nextNotice(), equals: nil)
    rig.owner(OwnerLine.pose("portrait"))
    rig.owner(OwnerLine.hello(pose: "portrait"), OwnerLine.sample())
    expect(rig.take("state").last?["missed"], equals: "136")
  }

  @Test static func `an hour without a broker costs only the dropped events, and the latest state counts`()
    throws
  {
    var rig = PublisherRig.running()
    rig.disconnect()
    for minute in 0..<60 {
      rig.pass(60) { _ in OwnerLine.sample() }
      rig.owner(OwnerLine.pose(minute % 2 == 0 ? "portrait" : "faceUp"))
    }
    rig.connect()
    let sent = rig.take()
    expect(PublisherRig.kinds(sent).prefix(3), equals: ["state", "status", "config"])
    expect(sent.first?["pose"], equals: "faceUp")
    expect(sent.filter { $0.kind == "event" }.map { $0["n"] }, equals: (1...60).map { "\($0)" })
  }

  @Test static func `at most 8 are in flight, and those lost with a connection are sent again`() {
    var rig = PublisherRig.running()
    rig.acknowledges = false
    for number in 1...20 { rig.owner(Self.shake(number)) }
    // Six events; two places are for the state and other required messages.
    expect(rig.take().map { $0["n"] }, equals: (1...6).map { "\($0)" })
    rig.owner(OwnerLine.pose("portrait"))
    let state = rig.take()
    expect(state.map(\.kind), equals: ["state"])
    rig.pass(3600)
    expect(empty: rig.sent, "a broker that does not acknowledge gets no more")
    rig.disconnect()
    rig.acknowledges = true
    rig.owner(OwnerLine.hello(pose: "portrait"), OwnerLine.sample())
    rig.connect()
    let again = rig.take()
    expect(again.first?["pose"], equals: "portrait")
    expect(again.filter { $0.kind == "event" }.map { $0["n"] }, equals: (1...21).map { "\($0)" })
  }

  @Test static func `events in flight are not dropped while the queue behind them overflows`() {
    var rig = PublisherRig.running()
    rig.acknowledges = false
    for number in 1...6 { rig.owner(Self.shake(number)) }
    let inFlight = rig.take()
    for number in 7...106 { rig.owner(Self.shake(number)) }
    rig.acknowledges = true
    for message in inFlight { rig.publisher.delivered(message.token) }
    rig.turn()
    let events = rig.take("event")
    expect(events.first?.payload, equals: "{\"event_type\":\"missed\",\"count\":42}")
    expect(events.dropFirst().map { $0["n"] }, equals: (49...106).map { "\($0)" })
  }

  @Test static func `each event is either published or counted, whatever fails`() {
    for seed in 1...10 as ClosedRange<UInt64> {
      var random = SplitMix64(seed: seed)
      var rig = PublisherRig.running()
      rig.acknowledges = false
      var delivered: [PublisherRig.Message] = []
      var count = 0
      for _ in 0..<400 {
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1:
          count += 1
          rig.owner(Self.shake(count))
        case 2:
          let flying = rig.take()
          for message in flying {
            if Int.random(in: 0..<4, using: &random) == 0 {
              rig.publisher.failed(message.token, at: rig.instant)
            } else {
              rig.publisher.delivered(message.token)
              delivered.append(message)
            }
          }
        case 3 where Int.random(in: 0..<4, using: &random) == 0:
          rig.disconnect()
          _ = rig.take()
          for _ in 0..<Int.random(in: 0..<90, using: &random) {
            count += 1
            rig.owner(Self.shake(count))
          }
          rig.connect()
        default: rig.pass(0.3)
        }
      }
      rig.disconnect()
      _ = rig.take()
      rig.acknowledges = true
      rig.connect()
      rig.pass(2)
      delivered += rig.take()
      let events = delivered.filter { $0.kind == "event" }
      let numbers = Set(events.compactMap { $0["n"].flatMap { Int($0) } })
      let missed = events.compactMap { $0["count"].flatMap { Int($0) } }.reduce(0, +)
      expect(numbers.count + missed, equals: count, "seed \(seed): \(numbers.count) and \(missed) of \(count)")
      expect(numbers.count, equals: events.count { $0["n"] != nil }, "seed \(seed): one came twice")
    }
  }

  @Test static func `a failed publication is retried after a second`() {
    var rig = PublisherRig.running()
    rig.acknowledges = false
    rig.owner(OwnerLine.shake)
    let event = rig.take()
    rig.publisher.failed(event[0].token, at: rig.instant)
    rig.turn()
    rig.pass(0.999)
    expect(empty: rig.sent)
    rig.pass(0.001)
    expect(rig.take().map(\.payload), equals: event.map(\.payload))
  }

  @Test static func `a birth of Home Assistant triggers discovery within 5 s, and then the state`() {
    var waits: [Double] = []
    for seed in 1...100 as ClosedRange<UInt64> {
      var rig = PublisherRig.running(seed: seed)
      rig.pass(5) { _ in OwnerLine.sample() }
      let start = Double(rig.now) / 1e6
      rig.birth()
      rig.pass(7.5) { _ in OwnerLine.sample() }
      let sent = rig.take()
      expect(sent.map(\.kind), equals: ["config", "state"])
      guard sent.count == 2 else { continue }
      waits.append(sent[0].seconds - start)
      expect(sent[1].seconds - sent[0].seconds, isIn: 0.6...2.0001)
    }
    expect(all: waits) { (0...5.0001).contains($0) }
    for part in 0..<5 {
      expect(any: waits, "none in second \(part)") { (Double(part)..<Double(part + 1)).contains($0) }
    }
  }

  @Test(arguments: [("offline", false), ("online", true), ("", false), ("onlineX", false)])
  static func `only a birth message is a birth`(payload: String, isRetained: Bool) {
    var rig = PublisherRig.running()
    rig.birth(payload, isRetained: isRetained)
    rig.pass(8) { _ in OwnerLine.sample() }
    expect(empty: rig.take("config"))
  }

  @Test static func `a flood of births causes no flood of discoveries`() {
    var rig = PublisherRig.running()
    for _ in 0..<600 {
      rig.birth()
      rig.pass(0.1) { _ in OwnerLine.sample() }
    }
    expect(rig.take("config").count, isAtMost: 12)
  }

  @Test static func `without discovery there is no message to Home Assistant, and no subscription`() {
    var rig = PublisherRig("[home-assistant]\ndiscovery = no\n")
    let subscriptions = rig.publisher.subscriptions.map { "\($0)" }
    expect(subscriptions, equals: ["plumb/pi/command"])
    rig.owner(OwnerLine.hello(), OwnerLine.sample())
    rig.connect()
    rig.birth()
    rig.pass(10) { _ in OwnerLine.sample() }
    expect(PublisherRig.kinds(rig.sent).prefix(2), equals: ["state", "status"])
    expect(that: !rig.sent.contains { $0.kind == "config" })
  }

  @Test static func `at the end waiting messages are sent, and then offline`() {
    var rig = PublisherRig.running()
    rig.acknowledges = false
    for number in 1...10 { rig.owner(Self.shake(number)) }
    rig.publisher.end(at: rig.instant)
    var sent = rig.take()
    rig.turn()
    expect(empty: rig.sent)
    var hasEnded = rig.publisher.hasEnded
    expect(that: !hasEnded)
    for message in sent { rig.publisher.delivered(message.token) }
    rig.turn()
    sent = rig.take()
    expect(sent.map { $0["n"] }, equals: (7...10).map { "\($0)" })
    for message in sent { rig.publisher.delivered(message.token) }
    rig.turn()
    sent = rig.take()
    expect(sent.map(\.payload), equals: ["offline"])
    expect(that: sent.allSatisfy { $0.isRetained && $0.kind == "status" })
    hasEnded = rig.publisher.hasEnded
    expect(that: !hasEnded)
    rig.publisher.delivered(sent[0].token)
    hasEnded = rig.publisher.hasEnded
    expect(that: hasEnded)
    expect(rig.next(), equals: nil)
  }

  @Test static func `a publisher that ends without a connection has ended at once`() {
    var rig = PublisherRig.running()
    rig.disconnect()
    rig.publisher.end(at: rig.instant)
    let hasEnded = rig.publisher.hasEnded
    expect(that: hasEnded)
  }

  @Test static func `forgetting empties the retained topics, discovery first`() {
    let publications = Publication.forgetting(PublisherRig().publisher.topics)
    expect(all: publications) { $0.isRetained && $0.payload.isEmpty && $0.token > 0 }
    expect(Set(publications.map(\.token)).count, equals: publications.count)
    let topics = publications.map { "\($0.topic)" }
    expect(topics.first, equals: "homeassistant/device/plumb-pi/config")
    expect(topics, contains: "plumb/pi/state")
    expect(topics, contains: "plumb/pi/status")
    expect(Set(topics).count, equals: Topic.allCases.count { $0.use == .retained })
  }
}

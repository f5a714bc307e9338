import Fleet
import FixedPoint
import Foundation
import TestSupport
import Testing
import Text

/// For any input, the output is valid.
struct RandomTests {
  private static let lines = [
    OwnerLine.hello(), OwnerLine.hello(owner: "2-2", pose: "fault", sensor: "mpu6050", gyroscope: "2000"),
    OwnerLine.hello(board: "\\u0000\\ud83d\\ude00\\\"\\\\"), OwnerLine.sample(), OwnerLine.fused(up: (0.1, 0.2, 0.97)),
    OwnerLine.counters(more: ",\"temperature_c\":-5.25"), OwnerLine.pose("portrait"), OwnerLine.trouble("fault"),
    OwnerLine.recovery,
    OwnerLine.shake, "{\"event\":\"missed\",\"count\":18446744073709551615}",
    "{\"event\":\"done\",\"command\":\"tare\"}",
    "{\"event\":\"reading\",\"t\":1,\"x\":0}", "{\"event\":\"error\",\"detail\":\"no\"}",
    "{\"event\":\"bye\",\"detail\":\"x\"}",
    "{\"t\":1,\"event\":\"rotation\",\"phase\":\"didRotate\",\"from\":\"portrait\",\"to\":\"\\n\"}",
    "{\"t\":1e999,\"event\":\"moving\",\"a\":{\"b\":[[[[[[]]]]]]}}",
    OwnerLine.hello(t: "-9e18", since: "9e18"), OwnerLine.hello(t: "9223372036854.775", since: "-9223372036854"),
  ]

  private static func changed(_ text: String, _ random: inout SplitMix64) -> [UInt8] {
    var bytes = Array(text.utf8)
    for _ in 0..<Int.random(in: 0...4, using: &random) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes.remove(at: place)
      case 2: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &random)], at: place)
      default: bytes.removeLast(min(bytes.count, Int.random(in: 0...5, using: &random)))
      }
    }
    return bytes
  }

  @Test(arguments: [3, 4] as [UInt64])
  static func `10 000 random lines, messages and failures never trap, and all output is valid`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var rig = PublisherRig("[commands]\nallow = tare query\n[values]\nangles = pitch roll inclination angle heading\n")
    rig.connect()
    var published = 0
    for step in 0..<5_000 {
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<10:
        let line = Self.changed(Self.lines.randomElement(using: &random) ?? "", &random)
        rig.take(line)
      case 10..<14:
        let payload = Self.changed(
          ["tare", "query", "{\"command\":\"query\"}", "online"].randomElement(using: &random) ?? "", &random)
        let topic = Self.changed(
          ["plumb/pi/command", "homeassistant/status"].randomElement(using: &random) ?? "", &random)
        rig.publisher.take(
          topic: topic.span, payload: payload.span, isRetained: Bool.random(using: &random), at: rig.instant)
      case 14: rig.acknowledges.toggle()
      case 15: rig.publisher.disconnected(at: rig.instant)
      case 16: rig.publisher.connected(at: rig.instant)
      case 17: rig.publisher.failed(UInt16.random(in: 0...9, using: &random), at: rig.instant)
      case 18: rig.publisher.delivered(UInt16.random(in: 0...UInt16.max, using: &random))
      default:
        if step % 50 == 0 { rig.ownerIsGone(String(repeating: "\"\u{1}é", count: 99)) }
        // Also backwards, and with any wall clock.
        rig.now += Int64.random(in: -2_000_000...4_000_000, using: &random)
        rig.wallAtStart =
          [nil, 0, Int64.min, Int64.max / 2, 1_795_356_000_000_000].randomElement(using: &random) ?? nil
      }
      while let request = rig.publisher.nextRequest() { expect(that: !jsonObject("\(request)").isEmpty) }
      _ = rig.nextNotice().map { "\($0.message)" }
      rig.turn()
      for message in rig.take() {
        published += 1
        let topic = Topic.allCases.first { "\(rig.publisher.topics[$0])" == message.topic }
        expect(topic.map { $0.use }, equals: message.isRetained ? .retained : .passing, "\(message.topic)")
        if message.kind == "status" {
          expect(message.payload, equals: "online")
        } else {
          expect(that: !message.object.isEmpty)
        }
        if message.kind == "state" { expect(message["pose"] == "<null>", isNot: message["reason"] == "<null>") }
      }
    }
    expect(published, isAbove: 500, "\(published) publications")
  }

  @Test static func `meaningless bytes are ignored`() {
    var random = SplitMix64(seed: 7)
    var rig = PublisherRig.running()
    for _ in 0..<2_000 {
      let bytes = (0..<Int.random(in: 0..<2_000, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      rig.take(bytes)
    }
    rig.turn()
    expect(empty: rig.sent)
  }
}

import Fleet
import Foundation
import TestSupport
import Testing

/// What is published of the board, and when.
struct StateTests {
  @Test static func `after connecting come state, online, discovery, and the state again after 0.6 to 2 s`() throws {
    for seed in 1...50 as ClosedRange<UInt64> {
      var rig = PublisherRig(seed: seed)
      rig.owner(OwnerLine.hello(), OwnerLine.sample())
      rig.connect()
      expect(
        rig.sent.prefix(3).map(\.topic),
        equals: ["plumb/pi/state", "plumb/pi/status", "homeassistant/device/plumb-pi/config"])
      expect(Set(rig.sent.map(\.topic)).count, equals: rig.sent.count)
      expect(all: rig.sent) { $0.isRetained && $0.seconds == 0 }
      expect(rig.sent[1].payload, equals: "online")
      _ = rig.take()
      rig.pass(0.599)
      expect(empty: rig.sent)
      rig.pass(1.401)
      expect(rig.sent.map(\.kind), equals: ["state"])
    }
  }

  @Test static func `the waits after discovery are spread over their range`() {
    var waits: [Double] = []
    for seed in 1...200 as ClosedRange<UInt64> {
      var rig = PublisherRig(seed: seed)
      rig.owner(OwnerLine.hello(), OwnerLine.sample())
      rig.connect()
      _ = rig.take()
      rig.pass(2)
      waits.append(rig.sent.first?.seconds ?? 0)
    }
    expect(all: waits) { (0.6...2).contains($0) }
    for part in 0..<7 {
      let range = 0.6 + 0.2 * Double(part)..<0.8 + 0.2 * Double(part)
      expect(any: waits, "none in \(range)") { range.contains($0) }
    }
  }

  @Test static func `a state has every field`() throws {
    var rig = PublisherRig("[values]\nangles = pitch roll inclination angle heading\n")
    rig.owner(OwnerLine.hello(t: "12.5", since: "2.5"), OwnerLine.sample(x: 0.5, y: 0, z: 0.866025))
    rig.connect()
    let state = try require(rig.sent.first)
    expect(
      state.payload,
      equals: "{\"version\":1,\"pose\":\"faceUp\",\"pose_name\":\"Face up\",\"since\":\"2026-11-22T13:59:50Z\","
        + "\"reason\":null,\"detail\":null,\"trouble\":false,\"moving\":null,\"pitch_deg\":0,\"roll_deg\":-30,"
        + "\"inclination_deg\":30,\"angle_deg\":-90,\"late_samples\":2,\"restarts\":1,\"missed\":0,"
        + "\"temperature_c\":null,\"sensor\":\"adxl345\",\"board\":\"b.ini\"}")
  }

  @Test static func `nothing is published before the owner's hello, or 2 s`() {
    var rig = PublisherRig()
    rig.connect()
    expect(empty: rig.sent)
    rig.pass(1.999)
    expect(empty: rig.sent)
    rig.pass(0.001)
    expect(PublisherRig.kinds(rig.take()).prefix(3), equals: ["state", "status", "config"])
  }

  @Test static func `an owner that cannot be reached is published at once, without a pose`() throws {
    var rig = PublisherRig()
    rig.ownerIsGone("no \"such\" file")
    rig.connect()
    let state = try require(rig.sent.first)
    expect(state["pose"], equals: "<null>")
    expect(state["pose_name"], equals: "<null>")
    expect(state["reason"], equals: "ownerGone")
    expect(state["detail"], equals: "no \"such\" file")
    expect(state["sensor"], equals: "<null>")
    expect(state.object["trouble"] as? Bool, equals: true)
  }

  @Test(arguments: [
    (OwnerLine.trouble("fault"), "fault", true), (OwnerLine.trouble("stale", ""), "stale", true),
    (OwnerLine.trouble("ambiguous", ""), "ambiguous", false),
    (OwnerLine.trouble("accelerating", ""), "accelerating", false),
    (OwnerLine.trouble("freeFall", ""), "freeFall", false),
    (OwnerLine.trouble("notYetSampled", ""), "notYetSampled", false),
    (OwnerLine.trouble("dreaming", ""), "dreaming", false), (OwnerLine.trouble("portrait", ""), "portrait", false),
    (OwnerLine.trouble("a \\u0000 \\\" b", ""), "fault", true),
    (OwnerLine.pose("sideways"), "sideways", false), (OwnerLine.pose("a \\u0000 \\\" b"), "ambiguous", false),
  ])
  static func `an unknown pose is null, with the reason`(line: String, reason: String, isTrouble: Bool) throws {
    var rig = PublisherRig.running()
    rig.owner(line)
    let state = try require(rig.take("state").last)
    expect(state["pose"], equals: "<null>")
    expect(state["pose_name"], equals: "<null>")
    expect(state["reason"], equals: reason)
    expect(state.object["trouble"] as? Bool, equals: isTrouble)
    // Angles are current, or null.
    expect(state["pitch_deg"] == "<null>", equals: isTrouble)
  }

  @Test(arguments: ["portrait", "portraitUpsideDown", "landscapeLeft", "landscapeRight", "faceDown"])
  static func `a new pose is published at once, as state and event`(pose: String) throws {
    var rig = PublisherRig.running("[names]\n\(pose) = \"Shelf\"\n")
    rig.owner(OwnerLine.pose(pose))
    expect(rig.sent.map(\.kind), equals: ["state", "event"])
    #expect(rig.sent[0]["pose"] == pose && rig.sent[0]["pose_name"] == "\"Shelf\"" && rig.sent[0]["reason"] == "<null>")
    #expect(rig.sent[1]["event_type"] == "pose" && rig.sent[1]["to"] == pose)
  }

  @Test static func `after a fault no old angle remains, and after a recovery no trouble`() throws {
    var rig = PublisherRig.running("", OwnerLine.hello(sensor: "mpu6050", gyroscope: "2000"))
    rig.owner(OwnerLine.fused(up: (0, 0, 1)))
    rig.owner(OwnerLine.trouble("fault"))
    var state = try require(rig.take("state").last)
    expect(state["detail"], equals: "no response at 0x53")
    expect(state["pitch_deg"], equals: "<null>")
    expect(state["moving"], equals: "<null>")
    rig.owner(OwnerLine.recovery)
    state = try require(rig.take("state").last)
    expect(state["reason"], equals: "ambiguous")
    expect(state.object["trouble"] as? Bool, equals: false)
    rig.owner(OwnerLine.pose("portrait"))
    state = try require(rig.take("state").last)
    expect(state["pose"], equals: "portrait")
    expect(state["detail"], equals: "<null>")
  }

  @Test static func `a sample ends the trouble of a hello that came between recovery and pose`() throws {
    var rig = PublisherRig()
    rig.owner(OwnerLine.hello(pose: "fault"))
    rig.connect()
    expect(rig.take("state").last?["detail"], equals: "sensor fault")
    rig.owner(OwnerLine.sample())
    expect(rig.take("state").last?["reason"], equals: "ambiguous")
  }

  @Test static func `an owner that leaves is published at once, and its state when it returns`() throws {
    var rig = PublisherRig.running()
    rig.ownerIsGone("connection reset")
    var state = try require(rig.take("state").last)
    expect(state["reason"], equals: "ownerGone")
    expect(state["pose"], equals: "<null>")
    expect(state["pitch_deg"], equals: "<null>")
    rig.pass(10)
    _ = rig.take()
    rig.owner(OwnerLine.hello(pose: "portrait"))
    // With angles, for which it waits half a second.
    expect(empty: rig.sent)
    rig.owner(OwnerLine.sample(y: 1, z: 0))
    state = try require(rig.take("state").last)
    expect(state["pose"], equals: "portrait")
    expect(state["pitch_deg"], equals: "90")
    expect(rig.requests.suffix(2), equals: ["{\"samples\":10}", "{\"counters\":1}"])
  }

  @Test static func `an owner without samples is published after a pause, and as gone after 3 s`() {
    var rig = PublisherRig()
    rig.connect()
    rig.owner(OwnerLine.hello())
    // In steps, so that the rig reports what is due and was not requested.
    for _ in 0..<40 { rig.pass(0.1) }
    let states = rig.take("state")
    expect(states.first?["pose"], equals: "faceUp")
    expect(states.first?.seconds, equals: 0.5)
    expect(states.last?["reason"], equals: "ownerGone")
    expect(states.last?.seconds, equals: 3)
  }

  @Test static func `an owner silent for 3 s is gone, and is asked for hello when it responds again`() throws {
    var rig = PublisherRig.running()
    rig.pass(2.9)
    expect(all: rig.take("state")) { $0["pose"] == "faceUp" }
    rig.pass(0.2)
    var state = try require(rig.take("state").last)
    expect(state["reason"], equals: "ownerGone")
    expect(state["detail"], equals: "nothing came from the owner for 3 s")
    rig.owner(OwnerLine.sample(), OwnerLine.pose("portrait"))
    expect(rig.requests, equals: ["{\"query\":\"hello\"}"])
    expect(empty: rig.take("state"))
    rig.owner(OwnerLine.hello(pose: "portrait", events: 4), OwnerLine.sample())
    state = try require(rig.take("state").last)
    expect(state["pose"], equals: "portrait")
    expect(state["missed"], equals: "0")
  }

  @Test static func `no angle remains when samples stop`() throws {
    var rig = PublisherRig.running()
    for _ in 0..<4 {
      rig.pass(0.9)
      rig.owner(OwnerLine.counters())
    }
    let state = try require(rig.take("state").last)
    expect(state["pitch_deg"], equals: "<null>")
    expect(state["pose"], equals: "faceUp")
  }

  @Test static func `an owner of another protocol does not count`() throws {
    var rig = PublisherRig.running()
    rig.owner(OwnerLine.hello(protocol: 2))
    let state = try require(rig.take("state").last)
    expect(state["reason"], equals: "ownerGone")
    expect(state["detail"], equals: "the owner speaks protocol 2, this program protocol 1")
    rig.owner(OwnerLine.pose("portrait"), OwnerLine.sample())
    expect(empty: rig.take("state"))
  }

  @Test static func `the words of an owner that ends are shown`() {
    var rig = PublisherRig.running()
    rig.owner("{\"event\":\"bye\",\"detail\":\"ended by a signal\"}")
    expect(rig.take("state").last?["detail"], equals: "the owner has ended: ended by a signal")
  }

  @Test static func `without a set clock there is no time, and once it is set the time is right`() throws {
    var rig = PublisherRig()
    rig.wallAtStart = nil
    rig.owner(OwnerLine.hello(), OwnerLine.sample())
    rig.connect()
    rig.owner(OwnerLine.shake)
    expect(rig.sent.first?["since"], equals: "<null>")
    expect(rig.take("event").last?["time"], equals: "<null>")
    rig.wallAtStart = 1_795_356_000_000_000
    rig.pass(10) { _ in OwnerLine.sample() }
    rig.owner(OwnerLine.pose("portrait"), OwnerLine.shake)
    expect(rig.sent.last { $0.kind == "state" }?["since"], equals: "2026-11-22T14:00:10Z")
    expect(rig.sent.last { $0.kind == "event" }?["time"], equals: "2026-11-22T14:00:10Z")
  }

  @Test static func `the time of a pose is stable to the second while the clock is slewed`() {
    var rig = PublisherRig.running()
    var times: Set<String> = []
    for step in 0..<100 {
      rig.wallAtStart = 1_795_356_000_000_000 + Int64(step) * 7_000
      rig.pass(1) { _ in OwnerLine.sample(x: step % 2 == 0 ? 0.1 : 0) }
      times.formUnion(rig.take("state").compactMap { $0["since"] })
    }
    expect(times.count, equals: 1)
  }

  @Test static func `another run of the owner counts from zero; the same one reports missed events`() throws {
    var rig = PublisherRig.running()
    rig.owner(OwnerLine.shake)
    rig.ownerIsGone()
    rig.owner(OwnerLine.hello(events: 9), OwnerLine.sample())
    let sent = rig.take()
    expect(sent.last { $0.kind == "event" }?.payload, equals: "{\"event_type\":\"missed\",\"count\":5}")
    expect(sent.last { $0.kind == "state" }?["missed"], equals: "5")
    rig.ownerIsGone()
    rig.owner(
      OwnerLine.hello(owner: "2-2", events: 70, counters: "{\"recoveries\":0,\"late_samples\":0,\"restarts\":0}"),
      OwnerLine.sample())
    let state = try require(rig.take("state").last)
    expect(state["missed"], equals: "5")
    expect(state["late_samples"], equals: "0")
    expect(state["restarts"], equals: "0")
  }

  @Test static func `restarts are recoveries, as in plumb status, however many attempts one took`() throws {
    var rig = PublisherRig.running()
    // One outage; the stream counts each attempt to end it as a restart.
    rig.owner("{\"t\":13,\"event\":\"counters\",\"recoveries\":0,\"late_samples\":2,\"restarts\":3}")
    rig.owner(OwnerLine.pose("portrait"))
    expect(rig.take("state").last?["restarts"], equals: "0")
    rig.owner(OwnerLine.counters(recoveries: 1), OwnerLine.pose("faceUp", from: "portrait"))
    expect(rig.take("state").last?["restarts"], equals: "1")
  }

  @Test static func `lines that the owner reports as missed are published, and hello is requested`() {
    var rig = PublisherRig.running()
    rig.owner("{\"event\":\"missed\",\"count\":12}")
    expect(rig.requests, equals: ["{\"query\":\"hello\"}"])
    expect(rig.take("event").map(\.payload), equals: ["{\"event_type\":\"missed\",\"count\":12}"])
    // The events of that hello are not missed a second time.
    rig.owner(OwnerLine.hello(pose: "portrait", events: 90))
    expect(empty: rig.take("event"))
    expect(rig.nextNotice(), equals: .missed(12))
    expect(rig.nextNotice(), equals: nil)
  }

  @Test static func `a count of missed lines stays at its maximum`() {
    var rig = PublisherRig.running()
    rig.acknowledges = false
    for _ in 0..<9 { rig.owner("{\"event\":\"missed\",\"count\":18446744073709551615}") }
    rig.disconnect()
    rig.acknowledges = true
    _ = rig.take()
    rig.connect()
    let sent = rig.take()
    expect(all: sent.filter { $0.kind == "event" }) { $0["count"] == "18446744073709551615" }
    expect(sent.first?["missed"], equals: "18446744073709551615")
  }

  @Test static func `the state is published at each heartbeat, and rarely because of counters`() {
    var rig = PublisherRig.running("[values]\nheartbeat = 30\n")
    var states: [PublisherRig.Message] = []
    for second in 0..<120 {
      rig.pass(0.95)
      rig.owner(OwnerLine.sample())
      rig.pass(0.05)
      // Late samples in the first half minute only.
      rig.owner(OwnerLine.counters(late: min(second, 30), more: ",\"temperature_c\":\(20 + second % 2)"))
      states += rig.take("state")
    }
    let gaps = zip(states, states.dropFirst()).map { $1.seconds - $0.seconds }
    expect(all: gaps.filter { $0 < 29 }, "\(gaps)") { $0 > 4.999 }
    expect(all: gaps) { $0 < 30.1 }
    expect(states.count, isIn: 8...12, "\(states.count) states")
    expect(states.last?["late_samples"], equals: "30")
  }

  @Test static func `moving comes from hello, events and samples`() {
    var rig = PublisherRig.running("", OwnerLine.hello(sensor: "mpu6050", gyroscope: "2000"))
    rig.owner(OwnerLine.fused(up: (0, 0, 1), isStill: true))
    expect(rig.take("state").last?.object["moving"] as? Bool, equals: false)
    rig.owner("{\"t\":20,\"event\":\"moving\"}")
    expect(rig.sent.map(\.kind), equals: ["state", "event"])
    expect(rig.take("state").last?.object["moving"] as? Bool, equals: true)
    rig.owner("{\"t\":21,\"event\":\"still\"}")
    expect(rig.take("state").last?.object["moving"] as? Bool, equals: false)
    var plain = PublisherRig.running()
    plain.owner("{\"t\":20,\"event\":\"moving\"}")
    expect(plain.take("state").last?.object["moving"] as? Bool, equals: true)
    for (still, moving) in [("true", false), ("false", true), ("null", nil)] as [(String, Bool?)] {
      var rig = PublisherRig.running("", OwnerLine.hello(owner: "2-2", still: still))
      rig.owner(OwnerLine.pose("portrait"))
      expect(rig.take("state").last?.object["moving"] as? Bool, equals: moving, "\(still)")
      // During a fault the last known movement is out of date.
      rig.owner(OwnerLine.trouble("fault"))
      expect(rig.take("state").last?["moving"], equals: "<null>")
    }
  }

  @Test static func `temperature is shown as long as there is no trouble`() {
    var rig = PublisherRig.running("", OwnerLine.hello(sensor: "mpu6050", gyroscope: "2000"))
    rig.owner(OwnerLine.counters(more: ",\"temperature_c\":36.53"), OwnerLine.pose("portrait"))
    expect(rig.take("state").last?["temperature_c"], equals: "36.53")
    rig.owner(OwnerLine.trouble("fault"))
    expect(rig.take("state").last?["temperature_c"], equals: "<null>")
  }

  @Test static func `without angles only counters are requested, and rest from a gyroscope`() {
    var rig = PublisherRig("[values]\nangles = none\n")
    rig.owner(OwnerLine.hello())
    expect(rig.requests, equals: ["{\"samples\":0}", "{\"counters\":1}"])
    rig.connect()
    expect(rig.sent.first?["pitch_deg"], equals: nil)
    expect(PublisherRig.kinds(rig.sent).prefix(3), equals: ["state", "status", "config"])
    var fused = PublisherRig("[values]\nangles = none\n")
    fused.owner(OwnerLine.hello(sensor: "mpu6050", gyroscope: "2000"))
    expect(fused.requests, equals: ["{\"samples\":1}", "{\"counters\":1}"])
  }
}

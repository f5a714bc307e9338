import Fleet
import Foundation
import Monitor
import TestSupport
import Testing

/// The messages to Home Assistant: docs of its MQTT integration, device discovery.
struct DiscoveryTests {
  private static func discovery(_ settings: String = "", _ hello: String? = OwnerLine.hello()) -> PublisherRig.Message?
  {
    var rig = PublisherRig(settings)
    if let hello { rig.owner(hello, OwnerLine.sample()) } else { rig.ownerIsGone() }
    rig.connect()
    return rig.take("config").first
  }

  private static func components(_ settings: String = "", _ hello: String? = OwnerLine.hello()) throws -> [String:
    [String:
    Any]]
  {
    try require(discovery(settings, hello)?.object["cmps"] as? [String: [String: Any]])
  }

  private static let fused = OwnerLine.hello(sensor: "mpu6050", gyroscope: "2000")

  /// A device with all components and the longest names. Quotation marks take two bytes in JSON.
  private static let longest: String = {
    func name(_ first: String, _ count: Int) -> String { first + String(repeating: "\"", count: count - 1) }
    return """
      [device]
      id = \(String(repeating: "i", count: 48))
      name = \(name("n", 64))
      [topics]
      base = \(String(repeating: "b", count: 64))
      [home-assistant]
      prefix = \(String(repeating: "p", count: 64))
      [values]
      angles = pitch roll inclination angle heading
      heartbeat = 3600
      [names]
      portrait = \(name("a", 48))
      portraitUpsideDown = \(name("b", 48))
      landscapeLeft = \(name("c", 48))
      landscapeRight = \(name("d", 48))
      faceUp = \(name("e", 48))
      faceDown = \(name("f", 48))

      """
  }()

  @Test static func `the message is one retained object on the topic of the device`() throws {
    let message = try require(Self.discovery())
    expect(message.topic, equals: "homeassistant/device/plumb-pi/config")
    expect(that: message.isRetained)
    expect(message["avty_t"], equals: "plumb/pi/status")
    expect(message["stat_t"], equals: "plumb/pi/state")
    let device = try require(message.object["dev"] as? [String: Any])
    expect(device["ids"] as? [String], equals: ["plumb-pi"])
    expect(device["name"] as? String, equals: "pi")
    expect(device["mf"] as? String, equals: "Plumb")
    expect(device["mdl"] as? String, equals: "ADXL345")
    expect(device["sw"] as? String, equals: "0.2.0")
    let components = try require(message.object["cmps"] as? [String: [String: Any]])
    expect(components["event"]?["stat_t"] as? String, equals: "plumb/pi/event")
    let origin = try require(message.object["o"] as? [String: String])
    expect(origin["name"], equals: "plumb")
    expect(origin["sw"], equals: "0.1.0")
  }

  @Test static func `with the longest names everything fits`() throws {
    let message = try require(Self.discovery(Self.longest, Self.fused))
    expect(message.payload.utf8.count, isAbove: 4_000)
    expect((message.object["cmps"] as? [String: Any])?.count, equals: 25)
  }

  @Test static func `each component has what its platform requires, and nothing that it rejects`() throws {
    for (settings, hello) in [
      ("", OwnerLine.hello()), (Self.longest, Self.fused), ("", nil), ("[values]\nangles = none\n", Self.fused),
    ] {
      let components = try Self.components(settings, hello)
      var identities: Set<String> = []
      for (key, component) in components {
        let platform = try require(component["p"] as? String)
        expect(["sensor", "binary_sensor", "event", "device_automation"], contains: platform)
        // A component that is removed.
        if component.count == 1 { continue }
        if platform == "device_automation" {
          expect(component["atype"] as? String, equals: "trigger")
          expect(that: component["t"] is String)
          expect(that: component["pl"] is String)
          #expect(component["type"] is String && component["stype"] is String && component["uniq_id"] == nil)
          continue
        }
        let identity = try require(component["uniq_id"] as? String)
        expect(that: identity.hasSuffix("_\(key)"))
        expect(that: identities.insert(identity).inserted)
        expect((component["name"] as? String)?.isEmpty, equals: false)
        // All others share the state topic.
        expect(component["stat_t"] != nil, equals: platform == "event")
        expect(component["val_tpl"] != nil, equals: platform != "event")
        if component["dev_cla"] as? String == "enum" {
          #expect(component["ops"] is [String] && component["unit_of_meas"] == nil && component["stat_cla"] == nil)
        }
        if let unit = component["unit_of_meas"] as? String {
          expect(["°", "°C"], contains: unit)
          expect(component["stat_cla"] as? String, equals: "measurement")
        }
        if let classOfState = component["stat_cla"] as? String {
          expect(that: ["measurement", "total_increasing"].contains(classOfState))
          expect(platform, equals: "sensor")
        }
        expect(that: component["exp_aft"].map { $0 is Int } ?? true)
      }
    }
  }

  @Test static func `the options of the pose are its names for people, and every state is one of them or null`() throws
  {
    let settings = "[names]\nfaceUp = Level \"2\"\n"
    let pose = try require(Self.components(settings)["pose"])
    let names = try require(pose["ops"] as? [String])
    expect(names, equals: ["Portrait", "Upside down", "Landscape left", "Landscape right", "Level \"2\"", "Face down"])
    expect(pose["dev_cla"] as? String, equals: "enum")
    expect(pose["val_tpl"] as? String, equals: "{{ value_json.pose_name }}")
    var rig = PublisherRig.running(settings)
    for name in ["portrait", "portraitUpsideDown", "landscapeLeft", "landscapeRight", "faceUp", "faceDown"] {
      rig.owner(OwnerLine.pose(name))
      expect(names, contains: rig.take("state").last?["pose_name"] ?? "")
    }
  }

  @Test(arguments: [(60, 150), (10, 25), (15, 38), (3_600, 9_000)])
  static func `an angle expires after two and a half heartbeats`(heartbeat: Int, expiry: Int) throws {
    let components = try Self.components("[values]\nheartbeat = \(heartbeat)\n")
    for name in ["pitch", "roll", "inclination", "angle"] {
      let angle = try require(components[name])
      expect(angle["exp_aft"] as? Int, equals: expiry)
      expect(angle["sug_dsp_prc"] as? Int, equals: 1)
      expect(angle["val_tpl"] as? String, equals: "{{ value_json.\(name)_deg }}")
      expect(angle["unit_of_meas"] as? String, equals: "°")
    }
  }

  @Test static func `entities follow the sensor: present, removed, or not yet known`() throws {
    let gyroscope = ["heading", "moving", "temperature"]
    let settings = "[values]\nangles = pitch heading\n"
    let with = try Self.components(settings, Self.fused)
    let without = try Self.components(settings, OwnerLine.hello())
    let unknown = try Self.components(settings, nil)
    for key in gyroscope {
      expect(with[key]?.count ?? 0, isAbove: 1, "\(key)")
      expect(without[key]?.count, equals: 1, "\(key)")
      expect(absent: unknown[key], "\(key)")
    }
    expect(with["roll"]?.count, equals: 1)
    expect(without["roll"]?.count, equals: 1)
    expect(unknown["roll"]?.count, equals: 1)
    let any = try Self.components(settings, OwnerLine.hello(still: "null"))
    #expect(any["moving"] != nil && any["moving"]?.count == with["moving"]?.count && any["heading"]?.count == 1)
    expect(with["moving"]?["dev_cla"] as? String, equals: "moving")
    expect(with["trouble"]?["dev_cla"] as? String, equals: "problem")
  }

  @Test static func `without diagnostics the counters are removed`() throws {
    let components = try Self.components("[values]\ndiagnostics = no\n", Self.fused)
    for key in ["late_samples", "restarts", "missed", "temperature"] {
      expect(components[key]?.count, equals: 1, "\(key)")
    }
    expect(components["since"]?.count ?? 0, isAbove: 1)
  }

  @Test static func `triggers match the published events`() throws {
    let components = try Self.components()
    var rig = PublisherRig.running()
    for pose in ["portrait", "portraitUpsideDown", "landscapeLeft", "landscapeRight", "faceUp", "faceDown"] {
      rig.owner(OwnerLine.pose(pose))
      let event = try require(rig.take("event").last)
      let trigger = try require(components["to_\(pose)"])
      expect(trigger["pl"] as? String, equals: "\(event["event_type"] ?? "") \(event["to"] ?? "")")
      expect(trigger["t"] as? String, equals: event.topic)
      expect(trigger["stype"] as? String, equals: pose)
    }
    expect(components["shaken"]?["pl"] as? String, equals: "shake")
    let types = try require(components["event"]?["evt_typ"] as? [String])
    let published = Event.Kind.allCases.filter { $0.group != .sensor }.map { "\($0.name)" }
    expect(types, equals: published + ["missed"])
    for kind in ["busy", "quiet"] {
      rig.owner("{\"t\":20,\"event\":\"\(kind)\",\"duration_s\":12.5}")
      let event = try require(rig.take("event").last)
      expect(event["event_type"], equals: kind)
      expect(event["duration_s"], equals: "12.5")
      let trigger = try require(components["machine_\(kind)"])
      expect(trigger["pl"] as? String, equals: kind)
      expect(trigger["type"] as? String, equals: kind)
    }
    for (kind, key) in [("tap", "tapped"), ("doubleTap", "tapped_twice")] {
      rig.owner("{\"t\":20,\"event\":\"\(kind)\",\"axis\":\"x\",\"sign\":-1}")
      let event = try require(rig.take("event").last)
      expect(event["event_type"], equals: kind)
      expect(event["axis"], equals: "x")
      expect(event["sign"], equals: "-1")
      expect(components[key]?["pl"] as? String, equals: kind)
    }
    rig.owner("{\"t\":20,\"event\":\"vibration\",\"rms_g\":0.5}")
    expect(empty: rig.take("event"), "the vibration of a second is no event")
  }

  @Test static func `another sensor is published, at most every 5 s`() {
    var rig = PublisherRig.running()
    rig.owner(Self.fused, OwnerLine.fused(up: (0, 0, 1)))
    rig.pass(5) { _ in OwnerLine.fused(up: (0, 0, 1)) }
    expect(rig.take("config").count, equals: 1)
    for number in 0..<100 {
      rig.owner(number % 2 == 0 ? OwnerLine.hello() : Self.fused)
      rig.pass(0.1)
    }
    expect(rig.take("config").count, isAtMost: 3)
    rig.owner(OwnerLine.hello(board: "other"))
    rig.pass(6) { _ in OwnerLine.sample() }
    _ = rig.take()
    rig.owner(OwnerLine.hello(board: "third"))
    rig.pass(6) { _ in OwnerLine.sample() }
    expect(empty: rig.take("config"), "the board's name is in the state")
  }
}

import Foundation
import JSON
import Orientation
import PlumbViews
import TestSupport
import Testing
import Text

struct SceneJSONTests {
  private static func object(_ write: (inout JSONWriter) -> Void) throws -> [String: Any] {
    try require(JSONSerialization.jsonObject(with: Data(JSONText.object(write).utf8)) as? [String: Any])
  }

  private static var scene: Scene {
    var scene = Scene()
    (scene.title, scene.elapsed) = ("a \"b\" \\ c", 12.345)
    scene.force = Scene.Force(0.5, -0.25, 1)
    scene.pose = .known(2, name: "landscape, left edge down", meaning: "right edge up")
    scene.lamps = [Scene.Lamp("P", isLit: false, pose: 0), Scene.Lamp("valid", isLit: true, pose: nil)]
    scene.angles = [("angle", -12.34), ("pitch", nil), ("roll", 180), ("inclination", 0)]
    (scene.steering, scene.scroll) = (-89.96, (0.25, 1))
    scene.counters = [
      ("samples", 1), ("late", 2), ("faults", 3), ("recoveries", 4), ("transactions", 5), ("shakes", .max),
    ]
    return scene
  }

  @Test static func `a known pose is an object with all values`() throws {
    let object = try object { scene.writeFigures(age: 0.5, reason: nil, to: &$0) }
    expect(object["t"] as? Double, equals: 12.345)
    expect(object["age_s"] as? Double, equals: 0.5)
    expect(object["pose"] as? String, equals: "landscapeLeft")
    expect(object["number"] as? Int, equals: 2)
    expect(that: object["reason"] is NSNull)
    expect(["x", "y", "z"].map { object[$0] as? Double }, equals: [0.5, -0.25, 1])
    expect(object["angle_deg"] as? Double, equals: -12.3)
    expect(that: object["pitch_deg"] is NSNull)
    expect(object["roll_deg"] as? Double, equals: 180)
    expect(object["steering_deg"] as? Double, equals: -90)
    expect(object["scroll"] as? [Double], equals: [0.25, 1])
    expect(object["lit"] as? [Int], equals: [0, 1])
    expect(object["attitude"] as? [[Double]], equals: [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    let counters = try require(object["counters"] as? [String: UInt64])
    expect(
      counters,
      equals: [
        "samples": 1, "late_samples": 2, "faults": 3, "recoveries": 4, "transactions": 5, "shakes": .max,
      ])
  }

  @Test static func `without a fresh force its values are null, and the reason is given`() throws {
    var scene = scene
    (scene.force, scene.pose) = (nil, .unknown("sensor fault"))
    let object = try object { scene.writeFigures(age: 3, reason: "fault", to: &$0) }
    for name in ["x", "y", "z", "angle_deg", "roll_deg", "number"] { expect(that: object[name] is NSNull, "\(name)") }
    expect(object["pose"] as? String, equals: "unknown")
    expect(object["reason"] as? String, equals: "fault")
    expect(object["meaning"] as? String, equals: "sensor fault")
  }

  @Test static func `vibration is an object with its bands if it is watched, and null otherwise`() throws {
    try expect(that: object { scene.writeFigures(age: 0, reason: nil, to: &$0) }["vibration"] is NSNull)
    var watched = scene
    watched.vibration = Scene.Vibration(total: 0.12345, bands: [.init("1 to 5 Hz", 0.1), .init("5 to 50 Hz", 0.02)])
    let object = try object { watched.writeFigures(age: 0, reason: nil, to: &$0) }
    let vibration = try require(object["vibration"] as? [String: Any])
    expect(vibration["rms_g"] as? Double, equals: 0.1235)
    let bands = try require(vibration["bands"] as? [[String: Any]])
    expect(bands.map { $0["band"] as? String }, equals: ["1 to 5 Hz", "5 to 50 Hz"])
    expect(bands.map { $0["rms_g"] as? Double }, equals: [0.1, 0.02])
  }

  private static let fusionNames = [
    "up", "heading_deg", "rate_dps", "still", "certainty", "bias_dps", "temperature_c", "clipped_samples",
  ]

  @Test static func `without a gyroscope the fields of the fusion are null`() throws {
    let object = try object { scene.writeFigures(age: 0.5, reason: nil, to: &$0) }
    for name in Self.fusionNames { expect(that: object[name] is NSNull, "\(name)") }
  }

  @Test(arguments: [true, false])
  static func `stillness is reported without a gyroscope too`(isStill: Bool) throws {
    var scene = scene
    scene.isStill = isStill
    let object = try object { scene.writeFigures(age: 0.5, reason: nil, to: &$0) }
    expect(object["still"] as? Bool, equals: isStill)
    expect(that: object["certainty"] is NSNull)
  }

  @Test static func `with a gyroscope its values are there, those of the last sample only while it is current`() throws
  {
    var scene = scene
    var fusion = Scene.Fusion()
    (fusion.up, fusion.heading) = (Scene.Force(0.6, -0.8, 0), 12.34)
    (fusion.rate, fusion.isStill, fusion.certainty) = (Scene.Force(1.234, -2, 0), true, .still)
    (fusion.bias, fusion.temperature, fusion.clippedSamples) = (Scene.Force(2.7, -0.6, 1.8), 36.53, 7)
    scene.fusion = fusion
    let fresh = try object { scene.writeFigures(age: 0.5, reason: nil, to: &$0) }
    expect(fresh["up"] as? [Double], equals: [0.6, -0.8, 0])
    expect(fresh["heading_deg"] as? Double, equals: 12.3)
    expect(fresh["rate_dps"] as? [Double], equals: [1.23, -2, 0])
    expect(fresh["still"] as? Bool, equals: true)
    expect(fresh["certainty"] as? String, equals: "still")
    expect(fresh["bias_dps"] as? [Double], equals: [2.7, -0.6, 1.8])
    expect(fresh["temperature_c"] as? Double, equals: 36.5)
    expect(fresh["clipped_samples"] as? Int, equals: 7)
    scene.fusion?.isFresh = false
    let old = try object { scene.writeFigures(age: 0.5, reason: nil, to: &$0) }
    for name in Self.fusionNames.prefix(5) { expect(that: old[name] is NSNull, "\(name)") }
    expect(old["bias_dps"] as? [Double], equals: [2.7, -0.6, 1.8])
    expect(old["clipped_samples"] as? Int, equals: 7)
  }

  @Test static func `before the bias is known it is null, and the certainty is starting`() throws {
    var scene = scene
    scene.fusion = Scene.Fusion()
    let object = try object { scene.writeFigures(age: 0.5, reason: nil, to: &$0) }
    expect(object["certainty"] as? String, equals: "starting")
    expect(object["still"] as? Bool, equals: false)
    for name in ["bias_dps", "heading_deg", "temperature_c"] { expect(that: object[name] is NSNull, "\(name)") }
  }

  @Test static func `the setting has the lamps by name`() throws {
    let object = try object { scene.writeSetting(to: &$0) }
    expect(object["title"] as? String, equals: "a \"b\" \\ c")
    let lamps = try require(object["lamps"] as? [[String: Any]])
    expect(lamps.map { $0["label"] as? String }, equals: ["P", "valid"])
    #expect(lamps[0]["pose"] as? Int == 0 && lamps[1]["pose"] is NSNull)
  }

  @Test static func `the history has its numbers, extremes in mg and poses`() throws {
    var history = History(interval: 0.1)
    expect(history.last, equals: -1)
    expect(slices(of: history, from: 0, limit: 10), equals: "[]")
    history.take(Scene.Force(1, -0.5, 0.0004), 4, at: 0.01)
    history.take(Scene.Force(1.25, -0.75, 0), 4, at: 0.05)
    history.take(nil, nil, at: 0.31)
    expect(history.last, equals: 3)
    expect(
      slices(of: history, from: 0, limit: 10),
      equals: "[[0,1000,1250,-750,-500,0,0,4],[1,null,null,null,null,null,null,4],[2,null,null,null,null,null,null,4],"
        + "[3,null,null,null,null,null,null,null]]")
    expect(slices(of: history, from: 3, limit: 10), equals: "[[3,null,null,null,null,null,null,null]]")
    expect(slices(of: history, from: -100, limit: 1), equals: slices(of: history, from: 3, limit: 10))
    expect(slices(of: history, from: 4, limit: 10), equals: "[]")
  }

  @Test static func `slices keep their numbers however long it runs`() {
    var history = History(interval: 0.1)
    for step in 0..<5_000 { history.take(Scene.Force(Double(step) / 1_000, 0, 0), 0, at: Double(step) * 0.1 + 0.05) }
    expect(history.last, equals: 4_999)
    expect(
      slices(of: history, from: 4_998, limit: 900), equals: "[[4998,4998,4998,0,0,0,0,0],[4999,4999,4999,0,0,0,0,0]]")
  }

  @Test(arguments: [
    (0.0, 2, "0"), (-0.0, 2, "0"), (-0.004, 2, "0"), (0.005, 2, "0.01"), (1.5, 0, "2"), (-1.25, 1, "-1.3"),
    (12.340, 3, "12.34"), (-0.05, 2, "-0.05"), (99.999, 2, "100"), (.nan, 2, "null"), (.infinity, 2, "null"),
    (-1e300, 2, "null"), (0.1, 4, "0.1"),
  ])
  static func `a number is written in its shortest form, and a non-number as null`(
    value: Double, places: Int, text: String
  ) {
    expect(decimalText(value, places: places), equals: text)
  }

  @Test static func `text of any length is an object, and takes more fields`() throws {
    let text = String(String.UnicodeScalarView((0...0x2100).compactMap(Unicode.Scalar.init)))
    let json = JSONText.object("long") { writer in
      writer.field("text", text)
      writer.field("list", ["a", "b"])
      writer.field("none", nil as Int?)
    }
    let longer = JSONText.extended(json) { $0.field("weight", 1) }
    let values = try require(JSONSerialization.jsonObject(with: Data(longer.utf8)) as? [String: Any])
    expect(values["text"] as? String, equals: text)
    expect(values["event"] as? String, equals: "long")
    expect(values["weight"] as? Int, equals: 1)
    expect(values["list"] as? [String], equals: ["a", "b"])
    expect(that: values["none"] is NSNull)
    expect(values.count, equals: 5)
    expect(that: !json.contains("\n"))
    expect(that: !json.contains("\u{2028}"))
  }

  /// The slices as an array.
  private static func slices(of history: History, from first: Int, limit: Int) -> String {
    let object = JSONText.object { history.write(from: first, limit: limit, to: &$0) }
    return String(object.dropFirst("{\"slices\":".count).dropLast())
  }
}

struct WebPageTests {
  @Test static func `the page has its nonce where the policy requires it, and loads nothing`() throws {
    let (body, policy) = WebPage().bytes(nonce: "n0")
    let page = String(decoding: body, as: UTF8.self)
    expect(page, hasPrefix: "<!DOCTYPE html>")
    expect(page.components(separatedBy: "nonce=\"n0\"").count, equals: 3)
    expect(policy, hasPrefix: "default-src 'none';script-src 'nonce-n0';style-src 'nonce-n0';connect-src 'self'")
    for mark in ["NONCE", "/*STYLE*/", "/*SCRIPT*/", " src=", "@import", "url(", "innerHTML", " style=", "onclick"] {
      expect(page, lacks: mark, "\(mark)")
    }
    // It contains each script and the style.
    for part in ["const Board", "const Chart", "const Panel", "new EventSource", "--accent", "id=\"lamps\""] {
      expect(page, contains: part, "\(part)")
    }
    expect(body.count, isBelow: 64 << 10)
  }

  @Test static func `the scripts have the names, words and letters of the poses`() {
    let page = String(decoding: WebPage().bytes(nonce: "n0").body, as: UTF8.self)
    let poses = (0..<UInt8(Pose.count)).compactMap { Pose(rawValue: $0) }
    let lists = [
      ("names", poses.map { "\($0.name)" }), ("words", poses.map { "\($0.words)" }),
      ("short", poses.map { "\($0.shortWords)" }), ("letters", PoseMark.letters),
    ]
    for (name, texts) in lists {
      let list = texts.map { "\"\($0)\"" }.joined(separator: ", ")
      expect(that: page.contains("\(name): [\(list)]"))
    }
  }
}

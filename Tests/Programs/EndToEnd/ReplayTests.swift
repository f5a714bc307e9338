import Foundation
import TestSupport
import Testing

struct ReplayTests {
  static let recordings = ["wrist-abduction", "wrist-forward-elevation", "wrist-pendulum", "wrist-row"]

  static func path(_ recording: String) throws -> String {
    try unwrapped(Bundle.module.path(forResource: recording, ofType: "csv", inDirectory: "Recordings"))
  }

  struct Row {
    var time: Double
    var values: [Double]
  }

  static func rows(_ recording: String) throws -> [Row] {
    let text = try String(contentsOfFile: try path(recording), encoding: .utf8)
    return try text.split(whereSeparator: \.isNewline).dropFirst().map { line in
      let fields = try line.split(separator: ",").map { try unwrapped(Double($0)) }
      return Row(time: fields[0], values: Array(fields.dropFirst()))
    }
  }

  @Test(arguments: recordings)
  static func `every pose event of a recording matches the model in Double`(recording: String) throws {
    var model = PoseModel()
    for row in try Self.rows(recording) { model.take(row.time, row.values[0], row.values[1], row.values[2]) }
    let result = try Tool.run("replay", try Self.path(recording), "--format", "json")
    expect(result.exitCode, equals: 0)
    let events = try result.events("pose")
    expect(that: !events.isEmpty)
    expect(events.count, equals: model.events.count)
    for (event, expected) in zip(events, model.events) {
      expect(event["t"] as? Double, equals: expected.time)
      expect(event["from"] as? String, equals: expected.from)
      expect(event["to"] as? String, equals: expected.to)
    }
  }

  @Test(arguments: recordings)
  static func `every pose event is past the boundary of the pose it leaves, and names its LED`(recording: String) throws
  {
    let result = try Tool.run("replay", try Self.path(recording), "--format", "json")
    for event in try result.events("pose") {
      let (from, to) = (try unwrapped(event["from"] as? String), try unwrapped(event["to"] as? String))
      expect(from, isNot: to)
      let leds = try unwrapped(event["leds"] as? [Int])
      expect(leds, equals: PoseModel.names.map { $0 == to ? 1 : 0 })
      if !from.hasPrefix("face") && !to.hasPrefix("face") && from != "unknown" {
        expect(PoseModel.offset(try unwrapped(event["angle_deg"] as? Double), from), isAbove: 60)
      }
    }
  }

  @Test(arguments: recordings)
  static func `samples have the recorded force and angles within 0.01° of the formulas`(recording: String) throws {
    let rows = try Self.rows(recording)
    let result = try Tool.run("replay", try Self.path(recording), "--samples", "--format", "json")
    let samples = try result.events("sample")
    expect(samples.count, equals: rows.count)
    for (sample, row) in zip(samples, rows) {
      try expect(abs(unwrapped(sample["t"] as? Double) - (row.time - rows[0].time)), isBelow: 1e-9)
      for (key, value) in zip(["x", "y", "z"], row.values) {
        try expect(abs(unwrapped(sample[key] as? Double) - value), isBelow: 1e-5)
      }
      let (x, y, z) = (row.values[0], row.values[1], row.values[2])
      try near(sample, "angle_deg", atan2(-x, y), defined: hypot(x, y))
      try near(sample, "pitch_deg", atan2(y, hypot(x, z)), defined: 1)
      try near(sample, "roll_deg", atan2(-x, z), defined: hypot(x, z))
      try near(sample, "inclination_deg", atan2(hypot(x, y), z), defined: 1)
    }
  }

  private static func near(_ sample: [String: Any], _ key: String, _ radians: Double, defined length: Double) throws {
    guard length > 0.1 else { return }
    let difference = remainder(try unwrapped(sample[key] as? Double) - radians * 180 / .pi, 360)
    expect(abs(difference), isBelow: 0.01)
  }

  @Test
  static func `the same file gives the same bytes, in both formats`() throws {
    for format in ["json", "text"] {
      let path = try Self.path("wrist-abduction")
      let first = try Tool.run("replay", path, "--samples", "--format", format)
      let second = try Tool.run("replay", path, "--samples", "--format", format)
      expect(first.output, equals: second.output)
      expect(first.output.utf8.count, isAbove: 100_000)
    }
  }

  @Test
  static func `the last line is the summary, with the counts of the lines before`() throws {
    let result = try Tool.run("replay", try Self.path("wrist-abduction"), "--samples", "--format", "json")
    let last = try unwrapped(try result.objects.last)
    expect(last["event"] as? String, equals: "summary")
    expect(last["samples"] as? Int, equals: (try result.events("sample")).count)
    expect(last["pose_changes"] as? Int, equals: (try result.events("pose")).count)
  }

  @Test
  static func `times at both ends of the accepted range, and backwards, are written exactly`() throws {
    let text = "time_s,x_g,y_g,z_g\n-1e12,0,1,0\n1e12,0,0,1\n9.99e11,1,0,0\n"
    let result = try withFile(content: Data(text.utf8)) { path in
      try (Tool.run("replay", path, "--samples", "--format", "json"), Tool.run("replay", path, "--samples"))
    }
    expect(result.0.exitCode, equals: 0)
    expect(result.1.exitCode, equals: 0)
    let times = result.0.output.split(separator: "\n").filter { $0.contains("\"sample\"") }.map { $0.prefix(18) }
    expect(times, equals: ["{\"t\":0,\"event\":\"sa", "{\"t\":2000000000000", "{\"t\":1999000000000"])
    let backwards = "time_s,x_g,y_g,z_g\n10,0,1,0\n9.95,0,1,0\n9.994,0,1,0\n"
    let lines = try withFile(content: Data(backwards.utf8)) { try Tool.run("replay", $0, "--samples").output }
    expect(lines, contains: "   -0.05  [P")
    expect(lines, contains: "   -0.01  [P")
  }

  @Test(arguments: recordings)
  static func `a low-pass gives the same bytes from six columns as from three`(recording: String) throws {
    let three = try String(contentsOfFile: try Self.path(recording), encoding: .utf8)
    let six = Recordings.adding(rotation: { ["\($0)e-1", "\(-$0)e-1", "3"] }, to: three)
    for options in [["--samples", "--format", "json"], ["--show", "angles,steering,scroll,shake,rotation,still"]] {
      let expected = try Tool.run(arguments: ["replay", try Self.path(recording)] + options)
      let found = try withFile(content: Data(six.utf8)) { path in
        try Tool.run(arguments: ["replay", path, "--gravity", "low-pass"] + options)
      }
      // The measured rotation is printed, but changes nothing.
      let rest = found.output.replacing(/,"rotation_dps":\[[^\]]*\]/, with: "")
      expect(expected.exitCode, equals: 0)
      expect(expected.output, equals: rest)
      let asked = try Tool.run(arguments: ["replay", try Self.path(recording), "--gravity", "low-pass"] + options)
      expect(asked.output, equals: expected.output)
      let adaptive = try Tool.run(arguments: ["replay", try Self.path(recording), "--gravity", "adaptive"] + options)
      expect(adaptive.exitCode, equals: 0)
      expect(adaptive.output, isNot: expected.output)
    }
  }

  @Test
  static func `samples of six columns have the fusion's up, heading, rate and rest; three columns do not`() throws {
    let path = try Self.path("wrist-row")
    let three = try String(contentsOfFile: path, encoding: .utf8)
    let keys = ["up", "heading_deg", "rate_dps", "still"]
    for sample in try Tool.run("replay", path, "--samples", "--format", "json").events("sample") {
      expect(all: keys) { sample[$0] == nil }
    }
    let six = Recordings.adding(rotation: { _ in ["0.5", "-0.25", "0.125"] }, to: three)
    try withFile(content: Data(six.utf8)) { path in
      let result = try Tool.run("replay", path, "--samples", "--format", "json")
      let samples = try result.events("sample")
      try expect(samples.count, equals: Self.rows("wrist-row").count)
      for sample in samples {
        let up = try unwrapped(sample["up"] as? [Double])
        expect(abs(up.reduce(0) { $0 + $1 * $1 } - 1), isBelow: 1e-4)
        expect(up.count, equals: 3)
        expect((sample["rate_dps"] as? [Double])?.count, equals: 3)
        expect(that: sample["still"] is Bool)
        expect(that: (sample["heading_deg"] is Double || sample["heading_deg"] is NSNull))
      }
      let fusion = try Tool.run("replay", path, "--samples", "--format", "json", "--gravity", "fusion")
      expect(fusion.output, equals: result.output)
    }
  }

  @Test
  static func `a board at rest becomes still once, and moves once it turns`() throws {
    var text = Recordings.rotating
    // 5 s at rest, upright, like a real part: noise of one step, and a bias of 3 °/s; then a turn of 90° to the left,
    // counter-clockwise, in which up turns to the right in the board's frame.
    for index in 0..<500 {
      text += "\(Double(index) / 100),0,\(index % 2 == 0 ? 1 : 1.002),0,3,\(index % 3 == 0 ? -2 : -2.06),1\n"
    }
    for index in 0..<100 {
      let angle = Double(index) * 0.9 * .pi / 180
      text += "\(5 + Double(index) / 100),\(sin(angle)),\(cos(angle)),0,3,-2,91\n"
    }
    try withFile(content: Data(text.utf8)) { path in
      let result = try Tool.run("replay", path, "--samples", "--format", "json")
      let events = try result.objects.filter { ["still", "moving"].contains($0["event"] as? String) }
      expect(events.map { $0["event"] as? String }, equals: ["still", "moving"], "\(events)")
      try expect(unwrapped(events.first?["t"] as? Double), isBelow: 3)
      try expect(unwrapped(events.last?["t"] as? Double), isIn: 5...5.5)
      let samples = try result.events("sample")
      #expect(samples[450]["still"] as? Bool == true && samples[580]["still"] as? Bool == false)
      // Turned to the left by 80°, with the gyroscope's bias known from the rest.
      let (up, rate) = (
        try unwrapped(samples[589]["up"] as? [Double]), try unwrapped(samples[589]["rate_dps"] as? [Double])
      )
      expect(abs(atan2(up[0], up[1]) * 180 / .pi - 80.1), isBelow: 2, "\(up)")
      expect(all: zip(rate, [0, 0, 90]), "\(rate)") { abs($0 - $1) < 0.3 }
      let table = try Tool.run("replay", path, "--show", "still").output
      expect(that: table.contains("]  still\n"))
      expect(that: table.contains("]  moving\n"))
      try expect(Tool.run("replay", path).output, lacks: "still")
    }
  }

  @Test
  static func `a gap over 1 s is reported as stale, and the pose after it comes from unknown`() throws {
    let text = "time_s,x_g,y_g,z_g\n0,0,1,0\n0.5,0,1,0\n1.6,0,0,1\n"
    let result = try withFile(content: Data(text.utf8)) { try Tool.run("replay", $0, "--format", "json") }
    let objects = try result.objects
    expect(objects.map { $0["event"] as? String }, equals: ["pose", "trouble", "pose", "summary"])
    expect(objects[1]["reason"] as? String, equals: "stale")
    expect(objects[2]["from"] as? String, equals: "unknown")
    expect(objects[2]["to"] as? String, equals: "faceUp")
  }
}

import Foundation
import TestSupport
import Testing

/// Recordings of phones and of other programs: what is read, what is rejected, and the messages.
struct RecordingFormatTests {
  struct Export: Sendable {
    var name: String
    var content: String
    var options: [String] = []
  }

  private static let phyphox =
    "\"Time (s)\",\"Acceleration x (m/s^2)\",\"Acceleration y (m/s^2)\",\"Acceleration z (m/s^2)\",\"Absolute acceleration (m/s^2)\"\n"

  /// Each is upright for two samples, then face up; at 0, 0.5 and 0.75 s.
  static let exports = [
    Export(name: "Plumb's own", content: "time_s,x_g,y_g,z_g\n0,0,1,0\n0.5,0,1,0\n0.75,0,0,1\n"),
    Export(
      name: "phyphox, comma",
      content: phyphox
        + "0.000000000E0,0.000000000E0,9.806650000E0,0.000000000E0,9.806650000E0\n"
        + "5.000000000E-1,0.000000000E0,9.806650000E0,0.000000000E0,9.806650000E0\n"
        + "7.500000000E-1,0.000000000E0,0.000000000E0,9.806650000E0,9.806650000E0\n"),
    Export(
      name: "phyphox, tab",
      content: phyphox.replacingOccurrences(of: "\",\"", with: "\"\t\"")
        + "0\t0\t9.80665\t0\t9.8\n0.5\t0\t9.80665\t0\t9.8\n0.75\t0\t0\t9.80665\t\n"),
    Export(
      name: "phyphox, semicolon and decimal comma",
      content: phyphox.replacingOccurrences(of: "\",\"", with: "\";\"").replacingOccurrences(of: "\"", with: "")
        + "0,0;0,0;9,80665;0,0;9,8\n5,0E-1;0,0;9,80665;0,0;9,8\n7,5E-1;0,0;0,0;9,80665;9,8\n"),
    Export(
      name: "Sensor Logger",
      content: "time,seconds_elapsed,z,y,x\n1700000000000000000,0,0,9.80665,0\n1700000000500000000,0.5,0,9.80665,0\n"
        + "1700000000750000000,0.75,9.80665,0,0\n"),
    Export(
      name: "columns by name", content: "n,t,ax,ay,az\n1,0,0,9.80665,0\n2,0.5,0,9.80665,0\n3,0.75,0,0,9.80665\n",
      options: ["--columns", "t,ax,ay,az", "--unit", "m/s2"]),
    Export(
      name: "columns by number, no header", content: "0,0,1,0\n0.5,0,1,0\n0.75,0,0,1\n",
      options: ["--columns", "1,2,3,4"]),
    Export(
      name: "columns by number, no header, a byte order mark", content: "\u{FEFF}0,0,1,0\n0.5,0,1,0\n0.75,0,0,1\n",
      options: ["--columns", "1,2,3,4"]),
    Export(
      name: "decimal commas from the second row on, among points",
      content: "time_s;x_g;y_g;z_g\n0;0;1;0\n0,5;0.0;1,0;0\n0.75;0;0;1\n"),
    Export(
      name: "the unit in the header",
      content: "t,a (m/s^2),b (m/s^2),c (m/s^2)\n0,0,9.80665,0\n.5,0,9.80665,0\n.75,0,0,9.80665\n",
      options: ["--columns", "1,2,3,4"]),
  ]

  @Test(arguments: exports)
  static func `exports of phones and other programs are replayed like Plumb's own recordings`(export: Export) throws {
    let result = try withFile(content: Data(export.content.utf8)) { path in
      try Tool.run(arguments: ["replay", path, "--samples", "--format", "json"] + export.options)
    }
    expect(result.exitCode, equals: 0, "\(result.errors)")
    let samples = try result.events("sample")
    expect(samples.map { $0["t"] as? Double }, equals: [0, 0.5, 0.75])
    let forces = samples.map { sample in ["x", "y", "z"].map { sample[$0] as? Double } }
    expect(forces, equals: [[0, 1, 0], [0, 1, 0], [0, 0, 1]])
  }

  /// Each rotates by 90, -180 and 45 °/s about x, y and z, upright for two samples, then face up; at 0, 0.5 and 0.75
  /// s.
  static let rotations = [
    Export(
      name: "Plumb's own",
      content: Recordings.rotating + "0,0,1,0,90,-180,45\n0.5,0,1,0,90,-180,45\n0.75,0,0,1,90,-180,45\n"),
    Export(
      name: "Plumb's own, with the columns of an optical truth, some of them empty",
      content: "time_s,x_g,y_g,z_g,x_dps,y_dps,z_dps,up_x,up_y,up_z,moving\n0,0,1,0,90,-180,45,0,1,0,0\n"
        + "0.5,0,1,0,90,-180,45,,,,1\n0.75,0,0,1,90,-180,45,0,0,1,1\n"),
    Export(
      name: "phyphox, with a gyroscope",
      content: phyphox.replacing(
        "\n",
        with: ",\"Gyroscope x (rad/s)\",\"Gyroscope y (rad/s)\",\"Gyroscope z (rad/s)\",\"Absolute (rad/s)\"\n")
        + "0.0E0,0.0E0,9.806650000E0,0.0E0,9.8E0,1.570796327E0,-3.141592654E0,7.853981634E-1,3.6E0\n"
        + "5.0E-1,0.0E0,9.806650000E0,0.0E0,9.8E0,1.570796327E0,-3.141592654E0,7.853981634E-1,3.6E0\n"
        + "7.5E-1,0.0E0,0.0E0,9.806650000E0,9.8E0,1.570796327E0,-3.141592654E0,7.853981634E-1,3.6E0\n"),
    Export(
      name: "Sensor Logger, all sensors in one file",
      content: "time,seconds_elapsed,totalAcceleration_z,totalAcceleration_y,totalAcceleration_x,gyroscope_z,"
        + "gyroscope_y,gyroscope_x,accelerometer_z\n"
        + "17,0,0,9.80665,0,0.785398163397448,-3.14159265358979,1.5707963267949,0\n"
        + "18,0.5,0,9.80665,0,0.785398163397448,-3.14159265358979,1.5707963267949,0\n"
        + "19,0.75,9.80665,0,0,0.785398163397448,-3.14159265358979,1.5707963267949,0\n"),
    Export(
      name: "columns by name, and their units by options",
      content: "gx,gy,gz,t,ax,ay,az\n1.5707963267949,-3.14159265358979,0.785398163397448,0,0,9.80665,0\n"
        + "1.5707963267949,-3.14159265358979,0.785398163397448,0.5,0,9.80665,0\n"
        + "1.5707963267949,-3.14159265358979,0.785398163397448,0.75,0,0,9.80665\n",
      options: ["--columns", "t,ax,ay,az,gx,gy,gz", "--unit", "m/s2", "--rotation-unit", "rad/s"]),
    Export(
      name: "columns by number, and the unit in the header",
      content: "t,ax,ay,az,wx [rad/s],wy [rad/s],wz [rad/s]\n"
        + "0,0,1,0,1.5707963267949,-3.14159265358979,0.785398163397448\n"
        + "0.5,0,1,0,1.5707963267949,-3.14159265358979,0.785398163397448\n"
        + "0.75,0,0,1,1.5707963267949,-3.14159265358979,0.785398163397448\n",
      options: ["--columns", "1,2,3,4,5,6,7"]),
    Export(
      name: "decimal commas",
      content: "time_s;x_g;y_g;z_g;x_dps;y_dps;z_dps\n0,0;0;1,0;0;90,0;-180;45\n0,5;0;1;0;9,0E1;-180;45\n"
        + "0,75;0;0;1;90;-180;45\n"),
  ]

  @Test(arguments: rotations)
  static func `rotation rates of phones and other programs are replayed and drawn like Plumb's, in °/s`(
    export: Export
  ) throws {
    try withFile(content: Data(export.content.utf8)) { path in
      try withFile(named: "own.csv", content: Data(Self.rotations[0].content.utf8)) { own in
        let replay = ["--samples", "--format", "json"]
        let result = try Tool.run(arguments: ["replay", path] + replay + export.options)
        expect(result.exitCode, equals: 0, "\(result.errors)")
        try expect(result.events("sample").count, equals: 3)
        try expect(result.output, equals: Tool.run(arguments: ["replay", own] + replay).output)
        let drawn = try Tool.run(arguments: ["plot", path, "-o", "-", "--title", "one"] + export.options)
        try expect(drawn.output, equals: Tool.run("plot", own, "-o", "-", "--title", "one").output)
      }
    }
    let drawn = try withFile(content: Data(export.content.utf8)) { path in
      PNGPicture(try Tool.run(arguments: ["plot", path, "-o", "-"] + export.options).output)
    }
    let rotation = try drawn.axis(of: "Rotation rate, °/s")
    for (name, rate) in [("X", 90.0), ("Y", -180), ("Z", 45)] {
      let points = try drawn.lines("id=\"line-rotation\(name)\"").joined()
      expect(that: !points.isEmpty)
      expect(that: points.allSatisfy { abs(rotation.value(at: $0.y) - rate) < 1 })
    }
  }

  struct Refusal: Sendable {
    var content: String
    var options: [String] = []
    var code: Int32 = 65
    var words: [String]
  }

  static let refusals = [
    Refusal(
      content: phyphox.replacingOccurrences(of: "Acceleration x", with: "Linear Acceleration x") + "0,0,0,0,0\n",
      words: [":1:", "lacks gravity", "with g"]),
    Refusal(
      content: "t,ax,ay,az\n0,0,1,0\n", words: [":1:", "t,ax,ay,az", "time_s,x_g,y_g,z_g", "--columns", "2 \"ax\""]),
    Refusal(
      content: "t,ax,ay,az\n0,0,1,0\n", options: ["--columns", "t,ax,ay,aw"],
      words: [":1:", "no column \"aw\"", "4 \"az\""]),
    Refusal(content: "t,ax,ay,az\n0,0,1,0\n", options: ["--columns", "1,2,3,5"], words: ["no column \"5\""]),
    Refusal(
      content: "t,ax,ay,az\n0,0,1,0\n", options: ["--columns", "1,2,4,az"],
      words: [":1:", "a column of this file twice"]),
    Refusal(content: "0,0,0,1\n", options: ["--columns", "1,2,3,03"], words: [":1:", "twice"]),
    Refusal(
      content: "t,ax,ay,az\n0,0,1,0\n", options: ["--columns", "1,2,3"], code: 64, words: ["four different columns"]),
    Refusal(content: "t,ax,ay,az\n0,0,1,0\n", options: ["--unit", "km"], code: 64, words: ["km"]),
    Refusal(
      content: "time,seconds_elapsed,z,y,x\n1,0,0,9,0\n2,0.5,0,zero,0\n",
      words: [":3:", "y is \"zero\"", "not a number"]),
    Refusal(content: "time_s;x_g;y_g;z_g\n0;0;1,5\n", words: [":2:", "3 columns where 4"]),
    Refusal(
      content: "time_s,x_g,y_g,z_g,x_dps,z_dps\n0,0,1,0,0,0\n",
      words: [":1:", "three columns", "\"y_dps\"", "6 \"z_dps\""]),
    Refusal(
      content: "t,ax,ay,az,gx\n0,0,1,0,0\n", options: ["--columns", "1,2,3,4,5"], code: 64,
      words: ["four different columns", "seven with rotation"]),
    Refusal(
      content: "t,ax,ay,az,gx,gy,gz\n0,0,1,0,0,0,0\n", options: ["--columns", "1,2,3,4,5,6,6"], code: 64,
      words: ["seven with rotation"]),
    Refusal(content: "t,ax,ay,az\n0,0,1,0\n", options: ["--rotation-unit", "rpm"], code: 64, words: ["rpm"]),
    Refusal(
      content: "t,ax,ay,az,gx,gy,gz\n0,0,1,0,69.81,0,0\n1,0,1,0,0,69.82,0\n",
      options: ["--columns", "1,2,3,4,5,6,7", "--rotation-unit", "rad/s"],
      words: [":3:", "gy is \"69.82\"", "±4000 °/s"]),
    Refusal(
      content: "time_s,x_g,y_g,z_g\n0,0,1,0\n", options: ["--gravity", "fusion"], code: 64,
      words: ["--gravity fusion needs rotation rates", "file.csv has none"]),
    Refusal(
      content: Recordings.rotating + "0,0,1,0,0,0,0\n", options: ["--gravity", "fusion", "--columns", "1,2,3,4"],
      code: 64, words: ["--gravity fusion needs rotation rates"]),
    Refusal(content: "time_s,x_g,y_g,z_g\n0,0,1,0\n", options: ["--gravity", "kalman"], code: 64, words: ["kalman"]),
  ]

  @Test(arguments: refusals)
  static func `wrong columns are reported in words, with the columns found`(refusal: Refusal) throws {
    let result = try withFile(content: Data(refusal.content.utf8)) { path in
      try Tool.run(arguments: ["replay", path] + refusal.options)
    }
    expect(result.exitCode, equals: refusal.code)
    expect(result.output, lacks: "Summary")
    for word in refusal.words { expect(result.errors, contains: word, "\(word) in \(result.errors)") }
  }

  @Test
  static func `times out of order are counted by one rule in replay and plot, with a warning`() throws {
    let rows = "0,0,1,0\n0.1,0,1,0\n0.05,0,1,0\n0.05,0,1,0\n0.0500001,0,1,0\n0.2,0,1,0\n"
    try withFile(content: Data(("time_s,x_g,y_g,z_g\n" + rows).utf8)) { path in
      let replayed = try Tool.run("replay", path, "--format", "json")
      let drawn = try Tool.run("plot", path, "-o", path + ".svg", "--format", "json")
      for result in [replayed, drawn] {
        let summary = try unwrapped(try result.events("summary").first)
        expect(summary["backwards"] as? Int, equals: 1)
        expect(summary["repeated"] as? Int, equals: 2)
        expect(result.errors, contains: "warning")
        expect(result.errors, contains: "runs backwards once")
        expect(result.errors, contains: "stands still 2 times")
      }
      try expect(Tool.run("replay", path).output, contains: "2 times repeated")
    }
    let regular = try Tool.run("replay", ReplayTests.path("wrist-row"))
    expect(regular.errors, equals: "")
    expect(that: !regular.output.contains("repeated"))
    expect(that: !regular.output.contains("backwards"))
  }

  @Test
  static func `record and plot report the same gaps of the same file, without a power of two`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let (file, picture) = (folder.appendingPathComponent("a.csv").path, folder.appendingPathComponent("a.svg").path)
    for seed in ["1", "2", "3"] {
      let recorded = try Tool.run(
        "record", "-o", file, "--force", "--speed", "fast", "--seed", seed, "--format", "json")
      let drawn = try Tool.run("plot", file, "-o", picture, "--force", "--format", "json")
      let (one, other) = (
        try unwrapped(try recorded.events("summary").first), try unwrapped(try drawn.events("summary").first)
      )
      try expect(unwrapped(one["gaps"] as? Int), isAbove: 0)
      expect(one["gaps"] as? Int, equals: other["gaps"] as? Int)
      expect(one["gap_s"] as? Double, equals: other["gap_s"] as? Double)
      expect((try String(contentsOfFile: picture, encoding: .utf8)), lacks: "65.5 ms")
    }
  }

  @Test
  static func `angles that are undefined are null in every object`() throws {
    let rows = "0,0,1,0\n0.5,0,1,0\n1,0,0,1\n1.5,0,0,1\n"
    let result = try withFile(content: Data(("time_s,x_g,y_g,z_g\n" + rows).utf8)) { path in
      try Tool.run("replay", path, "--samples", "--format", "json", "--relative-to", "portrait")
    }
    let objects = try result.objects
    for object in objects where object["event"] as? String == "sample" || object["event"] as? String == "pose" {
      let isUpright = try unwrapped(object["pitch_deg"] as? Double) == 90
      expect(object["roll_deg"] is NSNull, equals: isUpright)
      for key in ["angle_deg", "level_deg", "relative_deg"] where object[key] != nil {
        expect(object[key] is NSNull, equals: !isUpright, "\(key)")
      }
      expect(that: object["pitch_deg"] is Double)
    }
    let read = try unwrapped(try Tool.run("read", "--motion", "hold", "--format", "json").objects.first)
    expect(read["pose"] as? String, equals: "portrait")
  }

  @Test
  static func `seconds are decimal, as in a recording`() throws {
    for wrong in ["0x10", "nan", "inf", "0x1p3", "1_000"] {
      let result = try Tool.run("run", "--speed", "fast", "--duration", wrong)
      expect(result.exitCode, equals: 64, "\(result.errors)")
      expect(result.errors, contains: "it takes a number of seconds", "\(result.errors)")
      try expect(Tool.run("interface", "--speed", "fast", "--rotation-time", wrong).exitCode, equals: 64)
      try expect(Tool.run("record", "-o", "-", "--speed", "fast", "--give-up", wrong).exitCode, equals: 64)
      try expect(Tool.run("calibrate", "--timeout", wrong).exitCode, equals: 64)
    }
    try expect(Tool.run("run", "--speed", "fast", "--duration", "1e-1").exitCode, equals: 0)
  }

  @Test
  static func `an error in a later line comes after the rows before it, without a summary`() throws {
    let rows = "0,0,1,0\n0.5,0,1,0\n1,0,oops,1\n"
    let result = try withFile(content: Data(("time_s,x_g,y_g,z_g\n" + rows).utf8)) { path in
      try Tool.run("replay", path, "--samples", "--format", "json")
    }
    expect(result.exitCode, equals: 65)
    expect(result.errors, contains: ":4: y_g is \"oops\"")
    try expect(result.events("sample").count, equals: 2)
    try expect(that: result.events("summary").isEmpty)
  }

  @Test
  static func `numbers of any length and form are read as the nearest Double`() throws {
    let numbers = [
      "0.1", "1e-1", "+0.25", "5.", ".5", "0.30000000000000004", "9007199254740993e-16", "123456789012345678e-17",
      "0.000000000000000000000001", "0.0000076293945312499999", "0.00000762939453125", "-0.0000076293945312500001",
    ]
    for number in numbers {
      let value = try unwrapped(Double(number))
      let result = try withFile(content: Data("time_s,x_g,y_g,z_g\n0,\(number),1,0\n".utf8)) { path in
        try Tool.run("replay", path, "--samples", "--format", "json")
      }
      let x = try unwrapped(try result.events("sample").first?["x"] as? Double)
      expect((x * 65_536).rounded(), equals: (value * 65_536).rounded(), "\(number)")
    }
  }
}

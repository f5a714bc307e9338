import Foundation
import TestSupport
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// `plumb vibration`: values, spectrum, picture and raw file match what was measured.
struct VibrationTests {
  /// Runs it and returns its objects.
  private static func objects(_ arguments: String...) throws -> [[String: Any]] {
    let result = try Tool.run(arguments: ["vibration", "--format", "json"] + arguments)
    expect(result.exitCode, equals: 0, "\(result.errors)")
    expect(result.errors, equals: "", "\(result.errors)")
    return try result.output.split(separator: "\n").map { line in
      try require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
  }

  private static func summary(_ objects: [[String: Any]]) throws -> [String: Any] {
    try require(objects.last { $0["event"] as? String == "summary" })
  }

  private static func number(_ object: [String: Any], _ key: String) throws -> Double {
    try require(object[key] as? Double, "\(key) in \(object)")
  }

  private static func numbers(_ object: [String: Any], _ key: String) throws -> [Double] {
    try require(object[key] as? [Double], "\(key) in \(object)")
  }

  /// A recording of `count` samples at `rate` Hz: 50 Hz with 0.4 g peak on x, 120 Hz with 0.1 g on y, gravity on z.
  private static func recording(rate: Int, count: Int, _ work: (String) throws -> Void) throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    var text = "time_s,x_g,y_g,z_g\n"
    for index in 0..<count {
      let time = Double(index) / Double(rate)
      let (x, y) = (0.4 * sin(2 * .pi * 50 * time), 0.1 * sin(2 * .pi * 120 * time))
      text += String(format: "%.6f,%.6f,%.6f,1\n", 100 + time, x, y)
    }
    let file = folder.appendingPathComponent("tones.csv")
    try Data(text.utf8).write(to: file)
    try work(file.path)
  }

  @Test static func `the tones of a recording have their strength, frequency and band`() throws {
    try recording(rate: 500, count: 5_000) { path in
      let objects = try objects(path, "--bands", "5,40,100,250")
      let summary = try summary(objects)
      try expect(number(summary, "samples"), equals: 5_000)
      expect(abs(try number(summary, "duration_s") - 10), isBelow: 1e-5)
      expect(abs(try number(summary, "rate_hz") - 500), isBelow: 0.01)
      let axes = try numbers(summary, "axes_rms_g")
      for (found, peak) in zip(axes, [0.4, 0.1, 0]) { expect(abs(found - peak / 2.squareRoot()), isBelow: 3e-5) }
      expect(abs(try number(summary, "rms_g") - 0.085.squareRoot()), isBelow: 5e-5)
      expect(abs(try number(summary, "strongest_hz") - 50), isBelow: 0.02)
      expect(abs(try number(summary, "strongest_g") - 0.4 / 2.squareRoot()), isBelow: 3e-4)
      try expect(numbers(summary, "mean_g"), equals: [0, 0, 1])
      let bands = try numbers(summary, "bands_g")
      for (found, peak) in zip(bands, [0, 0.4, 0.1]) { expect(abs(found - peak / 2.squareRoot()), isBelow: 0.002) }
      let crest = try require(summary["axes_crest"] as? [Any])
      expect(abs((crest[0] as? Double ?? 0) - 1.345), isBelow: 0.01)
      expect(that: crest[2] is NSNull)
      let spectrum = try require(objects.first { $0["event"] as? String == "spectrum" })
      let (densities, step) = (try numbers(spectrum, "x"), try number(spectrum, "step_hz"))
      expect(densities.count, equals: 256)
      expect(abs(step - 500.0 / 512), isBelow: 1e-6)
      let power = densities.reduce(0) { $0 + $1 * $1 * step }
      expect(abs(power - 0.08), isBelow: 0.08 * 1e-3)
      expect(objects.count { $0["event"] as? String == "vibration" }, equals: 10)
    }
  }

  @Test static func `the emulated machine runs at 24 Hz, and is reported busy and quiet`() throws {
    let objects = try objects(
      "--speed", "fast", "--rate", "200", "--busy", "0.1", "--busy-time", "3", "--quiet-time", "1")
    let seconds = objects.filter { $0["event"] as? String == "vibration" }
    for second in seconds {
      let (time, rms) = (try number(second, "t"), try number(second, "rms_g"))
      // The specimen's sensitivity is up to 3 % off, and its noise is some milli-g.
      if time > 4 && time < 10 { expect(abs(rms - 0.5 / 2.squareRoot()), isBelow: 0.02, "\(time)") }
      if time < 2 || time > 11.5 { expect(rms, isBelow: 0.02, "\(time)") }
    }
    expect(abs(try number(try summary(objects), "strongest_hz") - 24), isBelow: 0.05)
    let changes = objects.filter { ["busy", "quiet"].contains($0["event"] as? String) }
    expect(changes.map { $0["event"] as? String }, equals: ["busy", "quiet"])
    for (change, begin) in zip(changes, [2.0, 10]) {
      expect(abs(try number(change, "t") - (try number(change, "duration_s")) - begin), isAtMost: 1.01)
    }
  }

  @Test static func `the raw file has every sample in the columns of Klipper's scripts`() throws {
    try recording(rate: 400, count: 1_000) { path in
      let raw = path + ".raw"
      let result = try Tool.run("vibration", path, "--csv", raw)
      expect(result.exitCode, equals: 0, "\(result.errors)")
      let lines = try String(contentsOfFile: raw, encoding: .utf8).split(separator: "\n")
      expect(lines.first, equals: "#time,accel_x,accel_y,accel_z")
      expect(lines.count, equals: 1_001)
      for (index, line) in lines.dropFirst().enumerated() {
        let fields = try line.split(separator: ",").map { try require(Double($0)) }
        let time = Double(index) / 400
        #expect(fields.count == 4 && abs(fields[0] - time) < 2e-6)
        expect(abs(fields[1] - 9_806.65 * 0.4 * sin(2 * .pi * 50 * time)), isBelow: 0.08)
        expect(abs(fields[3] - 9_806.65), isBelow: 1e-5)
      }
      let again = try Tool.run("vibration", path, "--csv", raw)
      expect(again.exitCode, equals: 73)
      expect(again.errors, contains: "--force")
      try expect(Tool.run("vibration", path, "--csv", raw, "--force").exitCode, equals: 0)
    }
  }

  @Test static func `the picture is a spectrum, the same each time`() throws {
    try recording(rate: 400, count: 4_000) { path in
      let picture = path + ".svg"
      try expect(Tool.run("vibration", path, "-o", picture).exitCode, equals: 0)
      let text = try String(contentsOfFile: picture, encoding: .utf8)
      let parser = XMLParser(data: Data(text.utf8))
      expect(that: parser.parse(), "\(String(describing: parser.parserError))")
      for part in ["Vibration, tones.csv", "frequency, Hz", "g/√Hz", "strongest 50 Hz", "id=\"line-x\""] {
        expect(text, contains: part, "\(part)")
      }
      try expect(Tool.run("vibration", path, "-o", picture, "--force").exitCode, equals: 0)
      try expect(String(contentsOfFile: picture, encoding: .utf8), equals: text)
      try expect(Tool.run("vibration", path, "-o", picture).exitCode, equals: 73)
    }
  }

  @Test static func `too few samples are measured without a spectrum`() throws {
    try recording(rate: 100, count: 40) { path in
      let summary = try summary(try objects(path))
      try expect(number(summary, "samples"), equals: 40)
      expect(that: summary["bands_g"] is NSNull)
      expect(that: summary["strongest_hz"] is NSNull)
      let result = try Tool.run("vibration", path)
      expect(result.exitCode, equals: 0)
      expect(result.output, contains: "too few samples")
    }
  }

  @Test static func `the table for people fits in 80 columns and has a row for each band`() throws {
    try recording(rate: 500, count: 5_000) { path in
      let result = try Tool.run("vibration", path)
      expect(result.exitCode, equals: 0)
      expect(result.errors, equals: "")
      let lines = result.output.split(separator: "\n").map(String.init)
      for line in lines { expect(line.count, isAtMost: 80, "\(line)") }
      for part in ["RMS, g", "crest factor", "strongest, Hz", "20 to 50 Hz", "200 to 250 Hz"] {
        expect(any: lines, "\(part)") { $0.hasPrefix(part) }
      }
      expect(any: lines, "\(lines)") { $0.hasPrefix("Summary: 10.00 s, 5000 samples at 500 Hz;") }
    }
  }

  @Test(arguments: [
    ["a.csv", "--board", "emulated"], ["a.csv", "--duration", "5"], ["a.csv", "--speed", "fast"], ["--bands", "5"],
    ["--bands", "5,4"], ["--bands", "5,,6"], ["--bands", "0,3000"], ["--bands", "0,1,2,3,4,5,6,7,8,9"],
    ["--block", "100"], ["--block", "2048"], ["--busy", "0"], ["--busy", "17"], ["--busy-time", "-1"],
    ["--busy-time", "3"], ["--quiet-time", "3"], ["--speed", "fast", "--bands", "1,60"],
    ["-o", "a.png"], ["-o", ""], ["--csv", ""], ["--unit", "g"], ["--busy", "1", "--quiet-time", "100000"],
  ])
  static func `wrong usage has code 64 and says what to do`(arguments: [String]) throws {
    let result = try Tool.run(arguments: ["vibration"] + arguments)
    expect(result.exitCode, equals: 64, "\(result.errors)")
    expect(result.output, equals: "", "\(result.errors)")
    expect(that: !result.errors.isEmpty)
  }

  /// The emulated board `base` with a section `[vibration]`.
  private static func machineBoard(
    _ section: String = "busy = 0.1\nbusy-time = 3\nquiet-time = 1\n", _ base: String = "emulated",
    _ body: (String) throws -> Void
  ) throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let file = folder.appendingPathComponent("machine.ini")
    let text = try String(contentsOfFile: Tool.board(base), encoding: .utf8)
    try Data((text + "\n[vibration]\n" + section).utf8).write(to: file)
    try body(file.path)
  }

  @Test(arguments: ["emulated", "emulated-mpu6050"])
  static func `a board file adds busy and quiet events to every run, and a recording has the same`(base: String) throws
  {
    try machineBoard("bands = 1 20 30 50\nbusy = 0.1\nbusy-time = 3\nquiet-time = 1\n", base) { board in
      let show = ["--board", board, "--format", "json", "--show", "vibration"]
      let run = try Tool.run(arguments: ["run", "--motion", "machine", "--speed", "fast"] + show)
      expect(run.exitCode, equals: 0, "\(run.errors)")
      expect(run.errors, equals: "", "\(run.errors)")
      let live = try run.objects
      let changes = live.filter { ["busy", "quiet"].contains($0["event"] as? String) }
      expect(changes.map { $0["event"] as? String }, equals: ["busy", "quiet"])
      for (change, begin) in zip(changes, [2.0, 10]) {
        expect(abs(try number(change, "t") - (try number(change, "duration_s")) - begin), isAtMost: 1.01)
      }
      let seconds = live.filter { $0["event"] as? String == "vibration" }
      expect(seconds.count, isAtLeast: 10)
      for second in seconds where (5.0...9).contains(try number(second, "t")) {
        try expect(numbers(second, "edges_hz"), equals: [1, 20, 30, 50])
        let bands = try numbers(second, "bands_g")
        #expect(abs(bands[1] - 0.5 / 2.squareRoot()) < 0.02 && bands[0] < 0.02 && bands[2] < 0.02, "\(bands)")
      }
      let recording = board + ".csv"
      let record = try Tool.run(
        "record", "-q", "-o", recording, "--board", board, "--motion", "machine", "--speed", "fast")
      expect(record.exitCode, equals: 0, "\(record.errors)")
      let again = try Tool.run(arguments: ["replay", recording] + show).objects
      expect(again.filter { $0["event"] as? String == "vibration" }.count, equals: seconds.count)
      expect(
        again.compactMap { ["busy", "quiet"].contains($0["event"] as? String) ? $0["event"] as? String : nil },
        equals: ["busy", "quiet"])
      // The bands and thresholds of the file are also the defaults of the measurement.
      let measured = try Tool.run("vibration", recording, "--format", "json").objects
      expect(none: measured) { $0["event"] as? String == "busy" }
      let account = try Tool.run("vibration", "--board", board, "--speed", "fast", "--format", "json").objects
      expect(any: account) { $0["event"] as? String == "quiet" }
      try expect(numbers(try require(account.last), "edges_hz"), equals: [1, 20, 30, 50])
    }
  }

  @Test static func `run shows each second of a board without the section too`() throws {
    let result = try Tool.run("run", "--motion", "machine", "--speed", "fast", "--show", "vibration")
    expect(result.exitCode, equals: 0, "\(result.output)")
    expect(result.output, contains: "vibration 0.35", "\(result.output)")
    for line in result.output.split(separator: "\n") { expect(line.count, isAtMost: 80, "\(line)") }
    try expect(Tool.run("run", "--motion", "machine", "--speed", "fast").output, lacks: "vibration")
  }

  @Test static func `a command runs when the machine has finished`() throws {
    try machineBoard("busy = 0.1\nbusy-time = 1\nquiet-time = 0.5\n") { board in
      let result = try Tool.run(
        "on", "busy", "quiet", "--board", board, "--motion", "machine", "--", "sh", "-c", "echo \"$PLUMB_EVENT\"")
      let words = result.output.split(separator: "\n").map(String.init).filter { ["busy", "quiet"].contains($0) }
      expect(result.exitCode, equals: 0, "\(result.output) \(result.errors)")
      expect(words, equals: ["busy", "quiet"], "\(result.output) \(result.errors)")
    }
  }

  @Test static func `impossible settings are rejected`() throws {
    try machineBoard { board in
      let slow = try Tool.run("run", "--board", board, "--rate", "9", "--speed", "fast")
      expect(slow.exitCode, equals: 64, "\(slow.errors)")
      expect(slow.errors, contains: "at least 10 Hz", "\(slow.errors)")
      let none = try Tool.run("on", "quiet", "--board", "emulated", "--", "true")
      expect(none.exitCode, equals: 64, "\(none.errors)")
      expect(none.errors, contains: "[vibration]", "\(none.errors)")
      let few = try Tool.run("run", "--rate", "9", "--speed", "fast", "--show", "vibration")
      expect(few.exitCode, equals: 64, "\(few.errors)")
      expect(few.errors, contains: "10 samples a second", "\(few.errors)")
      for arguments in [["--show", "vibration"], ["--show", "vibration", "--board", "emulated"]] {
        let replay = try Tool.run(arguments: ["replay", "/dev/null"] + arguments)
        expect(replay.exitCode, equals: 64, "\(replay.errors)")
        expect(replay.errors, contains: "[vibration]", "\(replay.errors)")
      }
    }
    try machineBoard("bands = 1 51\n") { board in
      let bad = try Tool.run("run", "--board", board, "--speed", "fast")
      expect(bad.exitCode, equals: 78)
      expect(bad.errors, contains: "too few samples for [vibration], 100 a second")
    }
  }

  @Test static func `a missing, bad or slow recording ends with its code`() throws {
    try expect(Tool.run("vibration", "/nowhere.csv").exitCode, equals: 66)
    let folder = try scratchFolder()
    defer { remove(folder) }
    let file = folder.appendingPathComponent("a.csv")
    try Data("time_s,x_g,y_g,z_g\n0,0,0,1\n1,0,0,x\n".utf8).write(to: file)
    try expect(Tool.run("vibration", file.path).exitCode, equals: 65)
    try Data("time_s,x_g,y_g,z_g\n0,0,0,1\n2,0,0,1\n4,0,0,1\n".utf8).write(to: file)
    let slow = try Tool.run("vibration", file.path)
    expect(slow.exitCode, equals: 65, "\(slow.errors)")
    expect(slow.errors, contains: "2 s apart", "\(slow.errors)")
  }
}

import Foundation
import TestSupport
import Testing

struct RunTests {
  @Test
  static func `the default board shows all six poses, a fault and its recovery, and ends`() throws {
    let result = try Tool.run("run", "--speed", "fast", "--format", "json")
    expect(result.exitCode, equals: 0)
    expect(empty: result.errors)
    let poses = try result.events("pose").compactMap { $0["to"] as? String }
    expect(Set(poses), equals: Set(PoseModel.names))
    let kinds = try result.objects.compactMap { $0["event"] as? String }
    let fault = try unwrapped(kinds.firstIndex(of: "trouble"))
    let recovery = try unwrapped(kinds.firstIndex(of: "recovery"))
    expect(fault, isBelow: recovery)
    try expect(result.events("trouble").first?["reason"] as? String, equals: "fault")
    let summary = try unwrapped(try result.objects.last)
    expect(summary["event"] as? String, equals: "summary")
    try expect(unwrapped(summary["duration_s"] as? Double), isBelow: 15)
    expect(summary["pose_changes"] as? Int, equals: poses.count)
    expect(summary["recoveries"] as? Int, equals: 1)
  }

  @Test
  static func `text shows the poses, the row of LEDs, the trouble in words and a summary`() throws {
    let result = try Tool.run("run", "--speed", "fast")
    for words in PoseModel.words.values { expect(result.output, contains: "  \(words) ") }
    for row in ["[P·····]", "[·U····]", "[··L···]", "[···R··]", "[····F·]", "[·····D]", "[PULRFD]"] {
      expect(result.output, contains: row)
    }
    expect(result.output, contains: "pose unknown: no acknowledge from 0x53")
    expect(result.output, contains: "recovered")
    expect(result.output, contains: "Summary: ")
  }

  @Test
  static func `in steady state transactions grow with samples, and outputs are not written`() throws {
    var figures: [[String: Any]] = []
    for duration in ["2", "9"] {
      let result = try Tool.run(
        "run", "--motion", "hold", "--speed", "fast", "--duration", duration, "--format", "json")
      figures.append(try unwrapped(try result.objects.last))
    }
    func grown(_ key: String) throws -> Int {
      try unwrapped(figures[1][key] as? Int) - unwrapped(figures[0][key] as? Int)
    }
    try expect(grown("samples"), equals: 700)
    // Seven seconds pass, with three transactions each to check the configuration.
    try expect(grown("transactions"), isIn: 721...727)
    try expect(grown("output_writes"), equals: 0)
  }

  @Test
  static func `the same seed gives the same bytes, and another seed others`() throws {
    let run = { try Tool.run("run", "--speed", "fast", "--samples", "--format", "json", "--seed", $0).output }
    try expect(run("5"), equals: run("5"))
    try expect(run("5"), isNot: run("6"))
  }

  @Test(arguments: ["hold", "turn", "tumble", "shake", "free-fall"])
  static func `every named motion runs`(name: String) throws {
    let result = try Tool.run("run", "--speed", "fast", "--format", "json", "--motion", name)
    expect(result.exitCode, equals: 0)
    try expect(that: !result.events("pose").isEmpty)
  }

  @Test(arguments: [SIGINT, SIGTERM])
  static func `in real time an interrupt or a termination ends the run cleanly`(signal: Int32) throws {
    let process = Tool.process(["run", "--format", "json", "--motion", "hold", "--duration", "60"])
    let pipe = Pipe()
    process.standardOutput = pipe
    // This process may have the signals blocked, and the tool inherits that: it must receive them.
    try process.run()
    // The first line comes once the loop is running.
    try expect(pipe.line(), contains: "\"event\":\"pose\"")
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    expect(process.terminationStatus, equals: 0)
    let rest = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let last = try unwrapped(rest.split(separator: "\n").last)
    let summary = try unwrapped(JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any])
    expect(summary["event"] as? String, equals: "summary")
    try expect(unwrapped(summary["duration_s"] as? Double), isBelow: 30)
  }

  @Test(arguments: [
    ["--speed", "fast", "--duration", "100000000"], ["--samples", "--duration", "100000"],
    ["--speed", "fast", "--samples", "--duration", "100000000"],
  ])
  static func `a stop signal also ends a run in virtual time, and one with a stalled reader`(arguments: [String]) throws
  {
    let process = Tool.process(["run", "--motion", "hold", "--format", "json"] + arguments)
    // Nothing reads this pipe.
    process.standardOutput = Pipe()
    try process.run()
    // Not before the tool handles the signal: until then it would die of it, like any program.
    for _ in 0..<6_000 where try !catches(SIGTERM, process) { Thread.sleep(forTimeInterval: 0.02) }
    Thread.sleep(forTimeInterval: 0.2)
    kill(process.processIdentifier, SIGTERM)
    let begin = Date()
    process.waitUntilExit()
    expect(Date().timeIntervalSince(begin), isBelow: 30)
    expect(process.terminationReason, equals: .exit)
    expect(process.terminationStatus, equals: 0)
  }

  @Test
  static func `a closed reader ends the run quietly; an output that cannot be written is reported`() throws {
    let closed = try Tool.shell("'\(Tool.path)' run --speed fast --samples --format json --duration 600 | head -n 1")
    expect(closed.status, equals: 0)
    expect(empty: closed.errors)
    let none = try Tool.shell("'\(Tool.path)' run --speed fast --format json >&-")
    expect(none.status, equals: 73)
    expect(none.errors, contains: "Bad file descriptor")
    let full = try Tool.shell("'\(Tool.path)' run --speed fast --format json > /dev/full")
    expect(full.status, equals: 73)
    expect(full.errors, contains: "standard output cannot be written")
  }

  /// Whether a process has a handler for `signal`.
  private static func catches(_ signal: Int32, _ process: Process) throws -> Bool {
    let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
    let line = try unwrapped(status.linesAsBytes.first { $0.hasPrefix("SigCgt:") })
    let mask = try unwrapped(UInt64(line.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16))
    return mask >> UInt64(signal - 1) & 1 == 1
  }
}

/// Any sample rate from 1 Hz to the sensor's limit, on the emulated boards of both sensors.
struct RateTests {
  static let boards = ["emulated", "emulated-mpu6050"]

  private static func run(_ board: String, _ more: [String]) throws -> Tool {
    try Tool.run(
      arguments: ["run", "--board", Tool.board(board), "--speed", "fast", "--format", "json"] + more)
  }

  @Test(
    arguments: [
      ("1", 1_000_000), ("24", 41_667), ("29.97", 33_367), ("30", 33_333), ("60", 16_667), ("800", 1_250),
      ("1000", 1_000),
    ], boards)
  static func `a sample comes every period, in one transaction, never late, with a check every second`(
    rate: (text: String, period: Int), board: String
  ) throws {
    guard rate.text != "1000" || board == "emulated-mpu6050" else { return }
    let figures = try ["7", "47"].map { duration in
      let result = try run(board, ["--rate", rate.text, "--motion", "hold", "--duration", duration])
      expect(result.exitCode, equals: 0)
      try expect(result.events("pose").map { $0["to"] as? String }, equals: ["portrait"])
      try expect(empty: result.events("trouble"))
      return try unwrapped(try result.objects.last)
    }
    let grown = try ["samples", "transactions"].map { key in
      try unwrapped(figures[1][key] as? Int) - unwrapped(figures[0][key] as? Int)
    }
    // 40 s of samples, give or take one if the ends do not coincide with the period.
    expect(abs(Double(grown[0]) - 40_000_000 / Double(rate.period)), isAtMost: 1, "\(grown)")
    // In addition the registers are checked once a second, or slightly more often.
    let look = board == "emulated" ? 3 : 4
    expect(grown[1] - grown[0], isIn: 39 * look...46 * look, "\(grown)")
    expect(all: figures) { $0["late_samples"] as? Int == 0 }
    expect(all: figures) { $0["faults"] as? Int == 0 }
  }

  @Test(arguments: [("29.97", 33_367), ("1", 1_000_000)], boards)
  static func `samples have the exact times of the rate`(rate: (text: String, period: Int), board: String) throws {
    let result = try run(board, ["--rate", rate.text, "--motion", "hold", "--duration", "10", "--samples"])
    let times = try result.events("sample").map { Int((try unwrapped($0["t"] as? Double) * 1e6).rounded()) }
    expect(times.count, isAtLeast: 9)
    expect(all: zip(times, times.dropFirst())) { $1 - $0 == rate.period }
  }

  @Test(arguments: ["1", "24", "29.97", "30", "60"], boards)
  static func `a turn is reported at 1 Hz as at 24, 30 and 60`(rate: String, board: String) throws {
    let result = try run(board, ["--rate", rate, "--motion", "turn", "--duration", "8"])
    try expect(result.events("pose").map { $0["to"] as? String }, equals: ["portrait", "landscapeRight"])
    try expect(empty: result.events("trouble"))
  }

  @Test(arguments: boards)
  static func `at 24 Hz and more the tumbling board shows all six poses, its fault and its recovery`(board: String)
    throws
  {
    for rate in ["24", "30", "60"] {
      let result = try run(board, ["--rate", rate])
      expect(Set(try result.events("pose").compactMap { $0["to"] as? String }), equals: Set(PoseModel.names))
      try expect(result.events("trouble").map { $0["reason"] as? String }, equals: ["fault"])
      try expect(result.events("recovery").count, equals: 1)
    }
  }

  @Test
  static func `the rate of the command line overrides the board file's, and the greeting names it`() throws {
    let text = try String(contentsOfFile: Tool.board("emulated"), encoding: .utf8)
      .replacing("address = 0x53", with: "address = 0x53\nrate = 29.97")
    try withFile(named: "board.ini", content: Data(text.utf8)) { file in
      for (more, rate) in [([], "29.97"), (["--rate", "12.5"], "12.5"), (["--rate", "60.000"], "60")] {
        let result = try Tool.run(arguments: ["run", "--board", file, "--speed", "fast", "--duration", "2"] + more)
        expect(result.output, hasPrefix: "ADXL345 at 0x53, emulated, \(rate) Hz, ±16 g, motion ")
      }
    }
  }

  @Test(arguments: [
    ("emulated", "800.001", "at most 800 Hz with an ADXL345, not 800.001"),
    ("emulated", "1000", "at most 800 Hz with an ADXL345, not 1000"),
    ("emulated-mpu6050", "1000.001", "a number of hertz from 1 to 1000 with at most 3 decimals, not '1000.001'"),
    ("emulated", "0.999", "from 1 to 1000"), ("emulated", "fast", "from 1 to 1000"),
    ("emulated", "1e2", "from 1 to 1000"),
  ])
  static func `a rate beyond the sensor's limit is rejected on the command line, with what is allowed`(
    board: String, rate: String, words: String
  ) throws {
    let result = try run(board, ["--rate", rate])
    expect(result.exitCode, equals: 64)
    expect(empty: result.output)
    expect(result.errors, contains: words)
  }

  @Test(arguments: boards)
  static func `a rate beyond the sensor's limit is rejected in a board file, with its line`(board: String) throws {
    let limit = board == "emulated" ? 800 : 1_000
    let text = try String(contentsOfFile: Tool.board(board), encoding: .utf8)
      .replacing("[lines]", with: "rate = \(limit).001\n[lines]")
    let line = try unwrapped(
      text.split(separator: "\n", omittingEmptySubsequences: false).firstIndex { $0.hasPrefix("rate") })
    let result = try withFile(content: Data(text.utf8)) { try Tool.run("run", "--board", $0) }
    expect(result.exitCode, equals: 78)
    expect(result.errors, contains: ":\(line + 1): ", "\(result.errors)")
    expect(result.errors, contains: "allowed: a number from 1 to \(limit) (Hz), at most 3 decimals", "\(result.errors)")
  }
}

/// Movement in the tool's output: shakes, rotation, steering and scrolling.
struct ShowTests {
  private static func json(_ arguments: String...) throws -> Tool { try json("run", arguments) }

  private static func interface(_ arguments: String...) throws -> Tool { try json("interface", arguments) }

  private static func json(_ command: String, _ arguments: [String]) throws -> Tool {
    let result = try Tool.run(arguments: [command, "--speed", "fast", "--format", "json"] + arguments)
    expect(result.exitCode, equals: 0)
    expect(empty: result.errors)
    return result
  }

  @Test(arguments: ["emulated", "emulated-mpu6050"])
  static func `a shake is reported once, and counted`(board: String) throws {
    let shaken = try Self.json("--motion", "shake", "--board", Tool.board(board))
    try expect(shaken.events("shake").count, equals: 1)
    try expect(shaken.objects.last?["shakes"] as? Int, equals: 1)
    let held = try Self.json("--motion", "hold", "--board", Tool.board(board))
    #expect(try held.events("shake").isEmpty && held.objects.last?["shakes"] as? Int == 0)
  }

  @Test(arguments: ["emulated", "emulated-mpu6050"])
  static func `stillness is reported in JSON, and in text on request`(board: String) throws {
    let options = ["--motion", "shake", "--board", Tool.board(board), "--duration", "8"]
    let told = try Tool.run(arguments: ["run", "--speed", "fast", "--format", "json"] + options).objects
    let last = try unwrapped(told.last { ["still", "moving"].contains($0["event"] as? String) })
    expect(last["event"] as? String, equals: "still")
    // It is shaken from the first second to the fourth.
    expect(try unwrapped(last["t"] as? Double), isIn: 5...6, "\(last)")
    let text = try Tool.run(arguments: ["run", "--speed", "fast", "--show", "still"] + options).output
    expect(text, contains: "]  still\n")
    let plain = try Tool.run(arguments: ["run", "--speed", "fast"] + options).output
    expect(plain, lacks: "still")
    expect(plain, lacks: "moving")
  }

  @Test
  static func `a turn has four phases in order, mirrored from the pose, in the requested time`() throws {
    let turned = try Self.interface("--motion", "turn", "--rotation-time", "0.5")
    let phases = try turned.events("rotation")
    expect(
      phases.compactMap { $0["phase"] as? String }, equals: ["willRotate", "firstHalf", "secondHalf", "didRotate"])
    let first = try unwrapped(phases.first)
    expect(first["from"] as? String, equals: "portrait")
    expect(first["to"] as? String, equals: "landscapeLeft")
    expect(first["duration_s"] as? Double, equals: 0.5)
    let times = try phases.map { try unwrapped($0["t"] as? Double) }
    for (time, after) in zip(times, [0, 0, 0.25, 0.5]) { expect(abs(time - times[0] - after), isBelow: 1e-5) }
    let pose = try unwrapped(try turned.events("pose").last)
    #expect(pose["to"] as? String == "landscapeRight" && pose["t"] as? Double == times[0])
  }

  @Test
  static func `the interface turns only to supported orientations`() throws {
    let kept = try Self.interface("--motion", "turn", "--orientations", "portrait,landscapeRight")
    try expect(kept.events("pose").count, equals: 2)
    try expect(empty: kept.events("rotation"))
    let never = try Self.interface("--motion", "tumble", "--orientations", "portraitUpsideDown")
    try expect(empty: never.events("rotation"))
  }

  @Test
  static func `with --cross-fade the lines of both poses alternate during the turn`() throws {
    func writes(_ options: String...) throws -> Int {
      let result = try Tool.run(
        arguments: ["interface", "--speed", "fast", "--format", "json", "--motion", "turn"] + options)
      return try unwrapped(try result.objects.last?["output_writes"] as? Int)
    }
    // Old … new, old, new | old, new, old, new: six more writes than the one of a plain change.
    try expect(writes(), equals: 2)
    try expect(writes("--cross-fade"), equals: 8)
  }

  @Test
  static func `measurements are shown ten times a second, samples or not`() throws {
    for quantity in ["angles", "steering", "scroll"] {
      let samples = try Self.json("--motion", "hold", "--duration", "3", "--show", quantity).events("sample")
      expect(samples.count, isIn: 29...30)
      for key in ["steering_deg", "level_deg", "inclination_deg"] { expect(all: samples) { $0[key] is Double } }
      expect(all: samples) { ($0["scroll"] as? [Double])?.count == 2 }
    }
    try expect(empty: Self.json("--motion", "hold", "--duration", "3", "--show", "shake").events("sample"))
  }

  @Test
  static func `text has a column for each requested quantity, and words for shakes and phases`() throws {
    let turn = try Tool.run("run", "--speed", "fast", "--motion", "turn", "--show", "steering,scroll,rotation")
    let lines = turn.output.split(separator: "\n")
    expect(String(lines[1]), hasSuffix: "pose                          steer.    scroll")
    expect(turn.output, contains: "]  interface rotation: portrait to landscape left, 0.30 s\n")
    expect(turn.output, contains: "]  interface rotation: done, from portrait\n")
    let plain = try Tool.run("run", "--speed", "fast", "--motion", "shake")
    expect(plain.output, lacks: "  shake\n")
    expect(plain.output, lacks: "rotation")
    let shake = try Tool.run("run", "--speed", "fast", "--motion", "shake", "--show", "shake")
    expect(shake.output, contains: "[P·····]  shake\n")
  }

  @Test
  static func `every line fits in 80 characters, with numbers aligned to their headings`()
    throws
  {
    let pixels = ["--content", "640x4000", "--viewport", "320x240"]
    let (digits, indent) = (Set("0123456789°–".unicodeScalars), String(repeating: " ", count: 10).unicodeScalars)
    for board in ["emulated", "emulated-one-hot", "emulated-binary"] {
      for shown in ["angles", "steering", "scroll", "angles,steering", "angles,scroll", "angles,steering,scroll"] {
        for more in [[], ["--relative-to", "faceUp"], pixels, pixels + ["--relative-to", "portrait"]] {
          let command = more.contains("--content") ? "interface" : "run"
          let run = [command, "--speed", "fast", "--board", Tool.board(board), "--show", shown, "--samples"] + more
          let output = try Tool.run(arguments: run).output.split(separator: "\n")
          let heading = try unwrapped(output.dropFirst().first)
          // Scalars are what a terminal has columns for here, and take far less time than characters.
          let lines = output.map { Array($0.unicodeScalars) }
          expect(all: lines, "\(run): \(lines.map(\.count).max() ?? 0)") { $0.count <= 80 }
          let figures = heading.matches(of: /(angle|pitch|roll|inclin\.|relat\.|steer\.|scroll|pixels)/)
          let kinds = shown.split(separator: ",")
          let angles = kinds.contains("angles") ? 4 + (more.contains("--relative-to") ? 1 : 0) : 0
          expect(figures.count, equals: angles + kinds.count { $0 != "angles" }, "\(heading)")
          let ends = figures.map { heading.distance(from: heading.startIndex, to: $0.range.upperBound) }
          let samples = lines.dropFirst(2).filter { $0.count == lines[1].count && !$0.starts(with: indent) }
          expect(samples.count, isAbove: 1_000)
          let crooked = samples.first { line in
            line.last.map(digits.contains) == true
              && !ends.allSatisfy { digits.contains(line[$0 - 1]) && ($0 == line.count || line[$0] == " ") }
          }
          expect(crooked, equals: nil, "\(heading)\n\(String(String.UnicodeScalarView(crooked ?? [])))")
        }
      }
    }
  }

  @Test
  static func `the position in pixels is that of the window on the content`() throws {
    let result = try Self.interface(
      "--motion", "turn", "--samples", "--content", "640x4000", "--viewport", "320x240", "--rest", "captured")
    for sample in try result.events("sample") {
      let place = try unwrapped(sample["scroll"] as? [Double])
      let pixels = try unwrapped(sample["scroll_px"] as? [Int])
      #expect(abs(Double(pixels[0]) - place[0] * 320) < 0.51 && abs(Double(pixels[1]) - place[1] * 3_760) < 0.55)
    }
  }

  @Test
  static func `relative angles are those of behaviour.md, section 2`() throws {
    for (pose, offset) in [
      ("portrait", 0.0), ("portraitUpsideDown", 180), ("landscapeLeft", -90), ("landscapeRight", 90),
    ] {
      let result = try Self.json("--motion", "turn", "--samples", "--relative-to", pose)
      for sample in try result.events("sample") {
        let angle = try unwrapped(sample["angle_deg"] as? Double)
        let relative = try unwrapped(sample["relative_deg"] as? Double)
        expect(abs(remainder(angle - offset - relative, 360)), isBelow: 3e-4)
        expect(relative, isAbove: -180.0001)
        expect(relative, isAtMost: 180)
      }
    }
  }

  @Test(arguments: [
    (["--show", "pitch"], "angles, steering, scroll, shake, rotation"),
    (["--orientations", "faceUp"], "landscapeLeft"), (["--rotation-time", "61"], "0 to 60"),
    (["--rotation-time", "nan"], "0 to 60"), (["--content", "640x"], "640x4000"),
    (["--content", "640x480"], "--viewport"),
    (["--relative-to", "sideways"], "portraitUpsideDown"), (["--rest", "lying"], "captured"),
  ])
  static func `an impossible quantity is rejected with the possible ones`(options: [String], words: String) throws {
    for command in [["interface"], ["replay", "nothing.csv"]] {
      let result = try Tool.run(arguments: command + options)
      #expect(result.exitCode == 64 && result.errors.contains(words), "\(result.errors)")
    }
  }
}

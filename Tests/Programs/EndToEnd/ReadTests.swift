import Foundation
import TestSupport
import Testing

/// `plumb read` on emulated boards: the pose and all angles are right at start-up.
struct ReadTests {
  static let poses: [(name: String, force: [Double], words: String)] = [
    ("portrait", [0, 1, 0], "top edge up"), ("portraitUpsideDown", [0, -1, 0], "bottom edge up"),
    ("landscapeLeft", [1, 0, 0], "right edge up"), ("landscapeRight", [-1, 0, 0], "left edge up"),
    ("faceUp", [0, 0, 1], "lying on its back"), ("faceDown", [0, 0, -1], "lying on its face"),
  ]

  private func read(_ arguments: String...) throws -> Tool { try Tool.run(arguments: ["read"] + arguments) }

  @Test(arguments: ["emulated", "emulated-mpu6050"])
  func `each of the six poses is reported at start-up with all angles, by both sensors`(board: String) throws {
    for (name, force, words) in Self.poses {
      for seed in 1...3 {
        let arguments = ["--board", Tool.board(board), "--motion", name, "--seed", "\(seed)"]
        let json = try Tool.run(arguments: ["read", "--format", "json"] + arguments)
        expect(json.exitCode, equals: 0)
        expect(json.errors, equals: "")
        let answer = try PrintedAnswer(json)
        expect(answer.text("event"), equals: "read")
        expect(answer.text("pose"), equals: name)
        expect(that: answer.isNull("reason"))
        expect(that: answer.isNull("detail"))
        expect(that: answer.isNull("notice"))
        expect(that: answer.isNull("relative_to"))
        expect(that: answer.isNull("relative_deg"))
        expect(answer.flag("adopted"), equals: false)
        // Only noise: some thousandths of a g.
        for (key, expected) in zip(["x", "y", "z"], force) {
          expect(abs(try answer.number(key) - expected), isBelow: 0.05)
        }
        try answer.agreesWithFormulas()
        let text = try Tool.run(arguments: ["read"] + arguments)
        expect(text.exitCode, equals: 0)
        expect(text.errors, equals: "")
        let rows = text.output.split(separator: "\n")
        #expect(rows[0].contains(", emulated, ") && rows[0].hasSuffix("motion \(name)."))
        #expect(rows[1].hasPrefix("pose        \(try unwrapped(PoseModel.words[name])) ") && rows[1].contains(words))
        let names = ["pose", "force", "angle", "level", "pitch", "roll", "inclination", "steering"]
        expect(rows.dropFirst().map { String($0.prefix { $0 != " " }) }, equals: names)
        let isFlat = name.hasPrefix("face")
        #expect(rows[3].contains("–") == isFlat && rows[4].contains("–") == isFlat)
        expect(rows[6].contains("–"), equals: name.hasPrefix("portrait"))
      }
    }
  }

  @Test func `the mean of many samples has less noise than one, and the same pose`() throws {
    func worst(_ samples: String) throws -> Double {
      try (1...12).map { seed in
        let answer = try PrintedAnswer(
          try Tool.run(
            "read", "--motion", "landscapeLeft", "--seed", "\(seed)", "--average", samples, "--format", "json"))
        expect(answer.text("pose"), equals: "landscapeLeft")
        return abs(try answer.number("pitch_deg"))
      }.reduce(0, max)
    }
    try expect(worst("400"), isBelow: 0.05)
    try expect(worst("1"), isAbove: 0.1)
  }

  @Test(arguments: [["--average", "0"], ["--average", "10001"], ["--rate", "0.5"], ["--rate", "801"]])
  func `an impossible number of samples or rate is rejected`(options: [String]) throws {
    let result = try Tool.run(arguments: ["read"] + options)
    #expect(result.exitCode == 64 && result.errors.contains(options[0]), "\(result.errors)")
  }

  @Test func `the default is the emulated board, held in portrait`() throws {
    let result = try read()
    expect(result.exitCode, equals: 0)
    expect(result.output, hasPrefix: "ADXL345 at 0x53, emulated, motion hold.\npose        portrait ")
    try expect(read().output, equals: result.output)
    try expect(read("--seed", "2").output, isNot: result.output)
  }

  @Test(arguments: zip(ReadTests.poses.map(\.name), [0.0, 180, -90, 90, 0, 0]))
  func `the angle relative to a pose is the device angle minus that of the pose`(pose: String, own: Double) throws {
    for motion in ["hold", "landscapeLeft", "landscapeRight", "portraitUpsideDown"] {
      let result = try read("--motion", motion, "--relative-to", pose, "--format", "json")
      expect(result.exitCode, equals: 0)
      let answer = try PrintedAnswer(result)
      expect(answer.text("relative_to"), equals: pose)
      let difference = try answer.number("angle_deg") - own - answer.number("relative_deg")
      expect(abs(remainder(difference, 360)), isBelow: 0.0002)
      expect(try answer.number("relative_deg"), isIn: -180.0...180)
      try expect(read("--motion", motion, "--relative-to", pose).output, contains: "\nrelative ")
    }
  }

  @Test func `an unknown pose is wrong usage, and the existing ones are listed`() throws {
    for name in ["up", "Portrait", "unknown", ""] {
      let result = try read("--relative-to", name)
      expect(result.exitCode, equals: 64)
      expect(result.output, equals: "")
      for (pose, _, _) in Self.poses { expect(result.errors, contains: pose) }
    }
    let motion = try read("--motion", "fly")
    expect(motion.exitCode, equals: 64)
    expect(motion.errors, contains: "landscapeLeft")
    try expect(read("--format", "xml").exitCode, equals: 64)
    try expect(read("board.ini").exitCode, equals: 64)
  }

  @Test func `motion and seed are only for emulated boards`() throws {
    let board = Tool.board("raspberry-pi-adxl345")
    for option in [["--motion", "hold"], ["--seed", "1"]] {
      let result = try Tool.run(arguments: ["read", "--board", board] + option)
      expect(result.exitCode, equals: 64)
      expect(result.errors, contains: "needs a board whose bus is emulated")
    }
  }

  @Test func `a bad or missing board file has code 78, and names the place`() throws {
    let missing = try read("--board", "/nonexistent.ini")
    expect(missing.exitCode, equals: 78)
    expect(missing.errors, contains: "/nonexistent.ini")
    let bad = try withFile(named: "board.ini", content: Data("[sensor]\nmodel = adxl999\n".utf8)) {
      try read("--board", $0)
    }
    expect(bad.exitCode, equals: 78)
    expect(bad.errors, contains: "board.ini:2")
    expect(bad.output, equals: "")
    expect(bad.errors.split(separator: "\n").count, equals: 1)
  }

  @Test func `standard output that cannot be written has code 73`() throws {
    let launcher = ["/bin/sh", "-c", "exec \"$0\" \"$@\" >/dev/full"]
    let result = try Tool.run(arguments: ["read"], launcher: launcher)
    expect(result.exitCode, equals: 73)
  }
}

/// The one object of `plumb read --format json`.
struct PrintedAnswer {
  private let fields: [String: Any]

  init(_ tool: Tool) throws {
    let objects = try tool.objects
    guard objects.count == 1, let first = objects.first else { throw Missing() }
    fields = first
  }

  func text(_ key: String) -> String? { fields[key] as? String }
  func flag(_ key: String) -> Bool? { fields[key] as? Bool }
  func isNull(_ key: String) -> Bool { fields[key] is NSNull }

  func number(_ key: String) throws -> Double {
    guard let number = fields[key] as? NSNumber else { throw Missing() }
    return number.doubleValue
  }

  /// Compares every angle with its formula in Double.
  ///
  /// The components are printed to a millionth of a g: for the shortest length that counts, 0.3 g, that is 2e-4°.
  func agreesWithFormulas() throws {
    let (x, y, z) = (try number("x"), try number("y"), try number("z"))
    let degrees = 180 / Double.pi
    func expect(_ key: String, _ value: Double, _ within: Double = 0.001) throws {
      #expect(abs(remainder(try number(key) - value, 360)) < within, "\(key)")
    }
    if hypot(x, y) > 0.3 {
      try expect("angle_deg", atan2(-x, y) * degrees)
      try expect("level_deg", -atan2(-x, y) * degrees)
    }
    if hypot(x, z) > 0.3 { try expect("roll_deg", atan2(-x, z) * degrees) }
    try expect("pitch_deg", atan2(y, hypot(x, z)) * degrees)
    try expect("inclination_deg", atan2(hypot(x, y), z) * degrees)
    let (sine, face) = (asin(max(-1, min(1, -y))), asin(min(1, abs(z))))
    // Near flat it is a quotient of two small numbers.
    if face < 1.5 { try expect("steering_deg", max(-90, min(90, 180 * sine / (.pi - 2 * face))), 0.01) }
    #expect((-90.0...90).contains(try number("steering_deg")))
  }
}

/// `plumb read` on a real board's path: the bridge replaces the kernel, with emulated sensors without noise.
struct ReadBusTests {
  /// Runs the tool with `sensors` on `/dev/i2c-1`, shared through `journal` if given.
  private func environment(_ sensors: String, journal: String? = nil) -> [String: String] {
    var environment = Tool.bridge(sensors, isNoisy: false)
    environment["PLUMB_BRIDGE_JOURNAL"] = journal
    return environment
  }

  /// The text of the Raspberry Pi's board file of `model`, its lines emulated.
  private func board(_ model: String, _ change: (String, String)? = nil) throws -> Data {
    var text = try String(contentsOfFile: Tool.board("raspberry-pi-\(model)"), encoding: .utf8)
    text = text.replacing("chip = raspberry-pi", with: "chip = emulated")
    if let change {
      expect(text, contains: change.0)
      text = text.replacing(change.0, with: change.1)
    }
    return Data(text.utf8)
  }

  private func read(
    _ model: String, _ change: (String, String)? = nil, with sensors: String, _ format: String = "json",
    launcher: [String] = []
  ) throws -> Tool {
    try withFile(named: "board.ini", content: try board(model, change)) {
      try Tool.run(
        arguments: ["read", "--board", $0, "--format", format], launcher: launcher, environment: environment(sensors))
    }
  }

  static let sensors: [(model: String, sensor: String)] = [
    ("adxl345", "adxl345@0x53"), ("mpu6050", "mpu6050@0x68"), ("mpu6050", "mpu6500@0x68"),
  ]

  @Test(arguments: ReadBusTests.sensors)
  func `force and all angles are those of the board, in any attitude`(model: String, sensor: String) throws {
    // In 1/256 g, which is exact for both sensors.
    let forces: [[Double]] = [
      [0, 256, 0], [0, 0, 256], [0, 0, -256], [128, 192, 96], [-160, -96, 128], [200, -20, -140], [-16, 8, 250],
      [3, 250, -5], [176, 176, 64],
    ]
    for force in forces {
      let place = force.map { "\($0 / 256)" }.joined(separator: ",")
      let result = try read(model, with: "\(sensor)=\(place)")
      expect(result.exitCode, equals: 0, "\(result.errors)")
      let answer = try PrintedAnswer(result)
      for (key, value) in zip(["x", "y", "z"], force) {
        expect(abs(try answer.number(key) - value / 256), isBelow: 1e-6)
      }
      try answer.agreesWithFormulas()
      expect(answer.flag("adopted"), equals: false)
    }
  }

  @Test func `mounting and calibration of the board file are applied`() throws {
    let mounted = try read("adxl345", ("mounting = +x +y +z", "mounting = -y +x +z"), with: "adxl345@0x53=1,0,0")
    try expect(PrintedAnswer(mounted).text("pose"), equals: "portrait")
    let calibrated = try read(
      "adxl345", ("offset = 0 0 0\nscale = 1 1 1", "offset = 0.25 0 -0.5\nscale = 1.5 1 1"),
      with: "adxl345@0x53=0.75,0,0")
    #expect(try PrintedAnswer(calibrated).number("x") == 0.75 && (try PrintedAnswer(calibrated).number("z")) == 0.5)
  }

  @Test func `an unknown pose is an answer: the reason, all angles, and code 0`() throws {
    for (model, sensor) in Self.sensors {
      for (force, reason, words) in [
        ("0,2,0", "accelerating", "accelerating, over 1.4 g"), ("0,0.25,0.25", "freeFall", "free fall, under 0.6 g"),
      ] {
        // With fusion a push does not give up the pose.
        guard model == "adxl345" || reason == "freeFall" else { continue }
        let result = try read(model, with: "\(sensor)=\(force)")
        expect(result.exitCode, equals: 0)
        expect(result.errors, equals: "")
        let answer = try PrintedAnswer(result)
        expect(answer.text("pose"), equals: "unknown")
        expect(answer.text("reason"), equals: reason)
        try expect(unwrapped(answer.text("detail")), contains: words)
        try answer.agreesWithFormulas()
        let text = try read(model, with: "\(sensor)=\(force)", "text")
        expect(text.exitCode, equals: 0)
        expect(that: text.output.contains(/pose        unknown +/))
        expect(text.output, contains: "  \(words)\n")
      }
    }
  }

  @Test func `a part compatible with an MPU-6050 is used, and reported by name`() throws {
    let result = try read("mpu6050", with: "icm20689@0x68=0,1,0")
    expect(result.exitCode, equals: 0)
    try expect(PrintedAnswer(result).text("pose"), equals: "portrait")
    try expect(unwrapped(try PrintedAnswer(result).text("notice")), contains: "ICM-20689")
    try expect(read("mpu6050", with: "icm20689@0x68=0,1,0", "text").output, contains: "\nnotice: the part at 0x68")
  }

  @Test func `without a working sensor there is one sentence with the fix, and code 69`() throws {
    for (model, sensors, words) in [
      ("adxl345", "", "no acknowledge from 0x53"), ("mpu6050", "mpu6050@0x69=0,1,0", "no acknowledge from 0x68"),
      ("adxl345", "mpu6050@0x53=0,1,0", "not 0xE5 (ADXL345)"),
      ("mpu6050", "adxl345@0x68=0,1,0", "not 0x68 (MPU-6050)"),
      ("adxl345", "adxl345@0x53=0,0,0", "measures almost no force"),
      ("mpu6050", "mpu6050@0x68=0,0,0", "measures almost no force"),
    ] {
      for format in ["text", "json"] {
        let result = try read(model, with: sensors, format)
        expect(result.exitCode, equals: 69)
        expect(result.output, equals: "")
        expect(result.errors, contains: words)
        expect(result.errors.split(separator: "\n").count, equals: 1)
      }
    }
  }

  @Test func `a missing bus has code 69, and a forbidden one code 77`() throws {
    for path in ["/dev/i2c-250", "/dev/null"] {
      let result = try withFile(named: "board.ini", content: try board("adxl345", ("/dev/i2c-1", path))) {
        try Tool.run("read", "--board", $0)
      }
      expect(result.exitCode, equals: 69)
      expect(that: result.errors.contains(path))
    }
    // The path of a bus has at most 63 characters and no space; that of TMPDIR may.
    let folder = try scratchFolder(in: URL(filePath: "/tmp"))
    defer { remove(folder) }
    // The tool can read its board file, but not the bus.
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
    let bus = folder.appendingPathComponent("i2c-1")
    let file = folder.appendingPathComponent("board.ini")
    try Data().write(to: bus)
    try board("adxl345", ("/dev/i2c-1", bus.path)).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o000], ofItemAtPath: bus.path)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
    let result = try Tool.run(arguments: ["read", "--board", file.path], launcher: Tool.withoutRights)
    expect(result.exitCode, equals: 77)
    expect(result.errors, contains: "no permission to use \(bus.path); ")
    expect(result.errors, contains: ". Fix: sudo ")
  }

  @Test(arguments: ReadBusTests.sensors)
  func `beside a run it writes nothing, and does not disturb the run`(model: String, sensor: String) throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let (journal, file) = (folder.appendingPathComponent("bus"), folder.appendingPathComponent("board.ini"))
    // 25 Hz: the run ends before samples that repeat, without noise, would look like those of a stopped sensor.
    try board(model, ("rate = 100", "rate = 25")).write(to: file)
    let shared = environment("\(sensor)=0.25,-0.9375,0.125", journal: journal.path)
    let run = Tool.process(
      ["run", "--board", file.path, "--duration", "1.2", "--format", "json"], environment: shared)
    let output = folder.appendingPathComponent("out")
    try Data().write(to: output)
    run.standardOutput = try FileHandle(forWritingTo: output)
    try run.run()
    // A data read is on the bus: the run has started its sensor.
    try waitFor { try self.lines(of: journal).contains { self.isSample($0) } }
    let startWrites = try lines(of: journal).filter(isWrite).count
    var answers: [PrintedAnswer] = []
    for _ in 0..<4 {
      let arguments = ["read", "--board", file.path, "--relative-to", "portraitUpsideDown", "--format", "json"]
      let result = try Tool.run(arguments: arguments, environment: shared)
      expect(result.exitCode, equals: 0, "\(result.errors)")
      answers.append(try PrintedAnswer(result))
    }
    run.waitUntilExit()
    for answer in answers {
      expect(answer.flag("adopted"), equals: true)
      expect(answer.text("pose"), equals: "portraitUpsideDown")
      try expect(answer.number("y"), equals: -0.9375)
    }
    let text = try Tool.run(arguments: ["read", "--board", file.path], environment: shared)
    expect(text.output, contains: "already running: nothing was written to it.")
    // The run wrote when it started its sensor, and nothing has been written since.
    expect(startWrites, isAbove: 5)
    try expect(lines(of: journal).filter(isWrite).count, equals: startWrites)
    let events = Tool(exitCode: 0, output: try String(contentsOf: output, encoding: .utf8), errors: "")
    expect(run.terminationStatus, equals: 0)
    // A computer that stalls is trouble, and the pose comes again.
    if try !events.objects.contains(where: { $0["reason"] as? String == "stale" }) {
      try expect(
        events.objects.map { $0["event"] as? String }.filter { $0 != "rotation" }, equals: ["pose", "summary"])
    }
    let summary = try unwrapped(try events.objects.last)
    expect(summary["faults"] as? Int, equals: 0)
    expect(summary["restarts"] as? Int, equals: 0)
    expect(summary["transactions"] as? Int ?? .max, isBelow: try lines(of: journal).count)
  }

  @Test(arguments: ReadBusTests.sensors)
  func `a sensor that runs with other settings than the board file's is started`(model: String, sensor: String) throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let journal = folder.appendingPathComponent("bus")
    let shared = environment("\(sensor)=0,1,0", journal: journal.path)
    var adopted: [Bool?] = []
    for (number, rate) in [100, 100, 50, 50, 100].enumerated() {
      let file = folder.appendingPathComponent("board\(number).ini")
      try board(model, ("rate = 100", "rate = \(rate)")).write(to: file)
      let result = try Tool.run(
        arguments: ["read", "--board", file.path, "--format", "json"], environment: shared)
      expect(result.exitCode, equals: 0, "\(result.errors)")
      adopted.append(try PrintedAnswer(result).flag("adopted"))
    }
    expect(adopted, equals: [false, true, false, true, false])
  }

  @Test(.enabled(if: LinuxBusTests.canHideFolders, "needs the right to mount"))
  func `a rate too high for the bus has code 78`() throws {
    let node = "/sys/class/i2c-adapter/i2c-1/of_node"
    let script =
      "mount -t tmpfs none /sys/class && mkdir -p \(node) "
      + "&& printf '\\000\\001\\206\\240' >\(node)/clock-frequency && exec \"$@\""
    let result = try read(
      "adxl345", ("rate = 100", "rate = 400"), with: "adxl345@0x53=0,1,0",
      launcher: ["/usr/bin/unshare", "-m", "/bin/sh", "-c", script, "sh"])
    expect(result.exitCode, equals: 78)
    expect(result.errors, contains: "too high for a bus of 100 kHz: use a rate of 200 Hz or less")
  }
}

extension ReadBusTests {
  private func lines(of journal: URL) throws -> [Substring] {
    guard FileManager.default.fileExists(atPath: journal.path) else { return [] }
    return try String(contentsOf: journal, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
  }

  private func isWrite(_ line: Substring) -> Bool { !line.contains(" Sr ") }

  /// A burst that begins with an ADXL345's DATA_FORMAT, or with an MPU-6050's data.
  private func isSample(_ line: Substring) -> Bool { line.contains("+W | 31 | Sr") || line.contains("+W | 3B | Sr") }
}

import Foundation
import TestSupport
import Testing

/// `plumb doctor`: on emulated boards, off a Raspberry Pi, and with the bridge's sensors on `/dev/i2c-1`.
struct DoctorTests {
  private static let checks = [
    "machine", "bus", "bus-access", "bus-speed", "address", "identity", "lines-access", "chip", "lines", "pins",
  ]

  /// Runs `plumb doctor` with `sensors` on `/dev/i2c-1` and the lines of the Raspberry Pi's board file emulated.
  private static func doctor(_ model: String, with sensors: String, format: String = "json") throws -> Tool {
    let text = try String(contentsOfFile: Tool.board("raspberry-pi-\(model)"), encoding: .utf8)
      .replacing("chip = raspberry-pi", with: "chip = emulated")
    return try withFile(named: "board.ini", content: Data(text.utf8)) {
      try Tool.run(
        arguments: ["doctor", "--board", $0, "--format", format],
        environment: Tool.bridge(sensors).merging(["LC_ALL": "C.UTF-8"]) { $1 })
    }
  }

  private static func outcome(_ check: String, of result: Tool) throws -> [String: Any] {
    try unwrapped(try result.events("check").first { $0["check"] as? String == check })
  }

  @Test(arguments: ["emulated", "emulated-mpu6050"])
  static func `on an emulated board one row says that all is emulated`(board: String) throws {
    let json = try Tool.run("doctor", "--board", Tool.board(board), "--format", "json")
    expect(json.exitCode, equals: 0)
    let isFused = board == "emulated-mpu6050"
    let checks = isFused ? Self.checks[..<6] + ["gyroscope"] + Self.checks[6...] : Self.checks[...]
    try expect(json.events("check").compactMap { $0["check"] as? String }, equals: Array(checks))
    try expect(all: json.events("check")) { $0["outcome"] as? String == "emulated" }
    try expect(json.events("summary").first?["well"] as? Bool, equals: true)
    let text = try Tool.run(
      arguments: ["doctor", "--board", Tool.board(board)], environment: ["LC_ALL": "C.UTF-8"])
    // One row for all of it.
    expect(
      text.output.split(separator: "\n").filter { $0.hasPrefix("  ") }, equals: ["  ✓ emulated: bus, sensor and lines"])
    expect(text.output, contains: "No errors: sensor and lines are emulated")
    let ascii = try Tool.run(arguments: ["doctor", "--board", Tool.board(board)], environment: ["LC_ALL": "C"])
    expect(all: ascii.output.utf8) { $0 < 0x80 }
    expect(ascii.output, contains: "  ok   emulated: bus, sensor and lines")
  }

  @Test
  static func `a good sensor passes; a silent address, another address or part each have their fix`() throws {
    for (model, sensors, problem, code) in [
      ("adxl345", "adxl345@0x53=0,0,1", nil, 0), ("mpu6050", "icm20689@0x68=0,0,1", nil, 0),
      ("adxl345", "adxl345@0x20=0,0,1", "address.silent", 69),
      ("adxl345", "adxl345@0x1d=0,0,1", "address.elsewhere", 78),
      ("mpu6050", "adxl345@0x53=0,0,1", "address.elsewhere", 78), ("adxl345", "mpu6050@0x53=0,0,1", "identity", 69),
    ] as [(String, String, String?, Int32)] {
      let result = try doctor(model, with: sensors)
      expect(result.exitCode, equals: code, "\(sensors): \(result.output)")
      let summary = try unwrapped(try result.events("summary").first)
      expect(summary["exit_code"] as? Int, equals: Int(code))
      let first = summary["first_problem"] as? String
      if let problem { try expect(unwrapped(first), hasPrefix: problem) } else { expect(first, equals: nil) }
      if problem == "address.elsewhere" {
        try expect(unwrapped(outcome("address", of: result)["fix"] as? String), contains: "address = 0x")
      }
    }
  }

  @Test
  static func `a gyroscope is read only if the sensor runs as configured; one without noise is frozen`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let (journal, file) = (folder.appendingPathComponent("bus"), folder.appendingPathComponent("board.ini"))
    let text = try String(contentsOfFile: Tool.board("raspberry-pi-mpu6050"), encoding: .utf8)
      .replacing("chip = raspberry-pi", with: "chip = emulated")
    try Data(text.utf8).write(to: file)
    var shared = Tool.bridge("mpu6050@0x68=0,0,1", isNoisy: false)
    shared["PLUMB_BRIDGE_JOURNAL"] = journal.path
    shared["LC_ALL"] = "C.UTF-8"
    func doctor(_ format: String) throws -> Tool {
      try Tool.run(arguments: ["doctor", "--board", file.path, "--format", format], environment: shared)
    }
    let early = try outcome("gyroscope", of: doctor("json"))
    expect(early["outcome"] as? String, equals: "skipped")
    expect(early["because"] as? String, equals: "not-running")
    try expect(doctor("text").output, contains: "the gyroscope: not checked: the sensor is not running")
    try expect(Tool.run(arguments: ["read", "--board", file.path], environment: shared).exitCode, equals: 0)
    let writes = {
      try String(contentsOf: journal, encoding: .utf8).split(separator: "\n").count { !$0.contains(" Sr ") }
    }
    let before = try writes()
    let result = try doctor("json")
    let late = try outcome("gyroscope", of: result)
    expect(late["outcome"] as? String, equals: "warning")
    expect(late["problem"] as? String, equals: "gyroscope.frozen")
    try expect(unwrapped(late["fix"] as? String), hasPrefix: "plumb selftest --board ")
    let after = try writes()
    expect(result.exitCode, equals: 0)
    expect(after, equals: before)
    let words = try doctor("text").output
    expect(words, contains: "! the gyroscope\n      The gyroscope repeats the same reading")
  }

  @Test
  static func `without a gyroscope in use, none is reported`() throws {
    for (model, filter) in [("adxl345", ""), ("mpu6050", "[filter]\ngravity = low-pass\n")] {
      try withFile(named: "board.ini", content: Data((BoardCopy.emulated(model) + filter).utf8)) { path in
        let result = try Tool.run("doctor", "--board", path, "--format", "json")
        try expect(result.events("check").compactMap { $0["check"] as? String }, equals: Self.checks)
      }
    }
  }

  @Test
  static func `without the bus its dependent checks are skipped, and the first cause comes first`()
    throws
  {
    let text = try String(contentsOfFile: Tool.board("raspberry-pi-adxl345"), encoding: .utf8)
      .replacing("/dev/i2c-1", with: "/dev/i2c-250")
    try withFile(named: "board.ini", content: Data(text.utf8)) { path in
      let result = try Tool.run("doctor", "--board", path, "--format", "json")
      expect(result.exitCode, equals: 69)
      // A computer without any bus has no list of them.
      let problem = try outcome("bus", of: result)["problem"] as? String
      let hasBus = problem == "bus.absent"
      #expect(hasBus || problem == "bus.none")
      for check in ["bus-access", "bus-speed", "address", "identity"] {
        try expect(outcome(check, of: result)["outcome"] as? String, equals: "skipped")
        try expect(outcome(check, of: result)["because"] as? String, equals: "bus")
      }
      let words = try Tool.run(arguments: ["doctor", "--board", path], environment: ["LC_ALL": "C.UTF-8"])
      expect(words.exitCode, equals: 69)
      for errors in [result.errors, words.errors] {
        expect(errors, hasPrefix: "plumb: there is no /dev/i2c-250\(hasBus ? "" : ": this computer has no I2C bus") (")
        expect(errors.split(separator: "\n").count, equals: 1)
      }
      expect(words.output, contains: "Do this first: \(hasBus ? "ls /dev/i2c-*" : "use a computer with an I2C bus")")
      expect(words.output, contains: "✗ the I2C bus: /dev/i2c-250")
    }
  }

  @Test
  static func `a bad board file has code 78, and a closed output ends quietly`() throws {
    try expect(Tool.run("doctor", "--board", "/nonexistent.ini").exitCode, equals: 78)
    let closed = try Tool.run(
      arguments: ["doctor", "--board", Tool.board("emulated")], launcher: ["/bin/sh", "-c", "\"$@\" | true", "sh"])
    expect(empty: closed.errors)
  }

  @Test static func `its output fits in 80 columns, and without faults it points to the self-test`()
    throws
  {
    let well = try doctor("adxl345", with: "adxl345@0x53=0,0,1", format: "text")
    expect(well.exitCode, equals: 0)
    expect(well.output, contains: "No errors.\nTo test the sensor itself: plumb selftest ")
    let elsewhere = try doctor("mpu6050", with: "adxl345@0x53=0,0,1", format: "text")
    let bare = try Tool.run(
      arguments: ["doctor", "--board", Tool.board("raspberry-pi-adxl345")], environment: ["LC_ALL": "C.UTF-8"])
    for result in [well, elsewhere, bare] {
      // It does not break the name of the given file.
      for line in result.output.split(separator: "\n") where !line.contains("/") {
        expect(line.count, isAtMost: 80, "\(line)")
      }
    }
  }
}

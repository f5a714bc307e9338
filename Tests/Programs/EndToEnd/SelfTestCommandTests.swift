import Foundation
import TestSupport
import Testing

/// `plumb selftest`: emulated sensors, good and defective ones, and the bridge's on `/dev/i2c-1`.
///
/// The limits are copied from the data sheets: ADXL345 Rev. E, tables 14 and 15, in LSB of 1/256 g at 3.3 V; register
/// map RM-MPU-6000A, 14 % around the factory value, at 4096 LSB/g.
struct SelfTestCommandTests {
  private static let adxl345: [String: [Double]] = ["x": [89, 955], "y": [-89, -955], "z": [111, 1_286]]
  private static let mpu6050: [String: Double] = ["x": 2_291, "y": 2_531, "z": 1_941]

  private static func test(_ board: String, _ arguments: String..., format: String = "json") throws -> Tool {
    try Tool.run(arguments: ["selftest", "--board", Tool.board(board), "--format", format] + arguments)
  }

  /// Runs it with `sensors` on `/dev/i2c-1` and the lines of the Raspberry Pi's board file emulated.
  private static func bridged(_ model: String, with sensors: String) throws -> Tool {
    let text = try String(contentsOfFile: Tool.board("raspberry-pi-\(model)"), encoding: .utf8)
      .replacing("chip = raspberry-pi", with: "chip = emulated")
    return try withFile(named: "board.ini", content: Data(text.utf8)) {
      try Tool.run(
        arguments: ["selftest", "--board", $0, "--format", "json"],
        environment: Tool.bridge(sensors))
    }
  }

  private static func number(_ object: [String: Any], _ key: String) throws -> Double {
    try unwrapped(object[key] as? Double)
  }

  private static func outcomes(_ result: Tool) throws -> [String] {
    try result.events("axis").map { "\($0["axis"] ?? "") \($0["outcome"] ?? "")" }
  }

  @Test static func `a good ADXL345 passes, with its data sheet's limits beside the results`() throws {
    let result = try test("emulated")
    expect(result.exitCode, equals: 0)
    expect(result.errors, equals: "")
    try expect(outcomes(result), equals: ["x passed", "y passed", "z passed"])
    // The emulated specimen's response: 0.85, -0.85 and 1.35 g at 2.5 V.
    let changes: [Double] = [0.85 * 1.77, -0.85 * 1.77, 1.35 * 1.47]
    for (axis, change) in zip(try result.events("axis"), changes) {
      let limits = try unwrapped(Self.adxl345[try unwrapped(axis["axis"] as? String)])
      try expect(abs(number(axis, "weakest_g") - limits[0] / 256), isBelow: 2e-6)
      try expect(abs(number(axis, "strongest_g") - limits[1] / 256), isBelow: 2e-6)
      try expect(abs(number(axis, "change_g") - change), isBelow: 0.02)
      expect(that: axis["factory_g"] is NSNull)
    }
    let summary = try unwrapped(try result.events("summary").first)
    expect(summary["outcome"] as? String, equals: "passed")
    expect(summary["sensor"] as? String, equals: "adxl345")
    expect(summary["address"] as? Int, equals: 0x53)
    expect(summary["bus"] as? String, equals: "emulated")
    expect(summary["supply_v"] as? Double, equals: 3.3)
  }

  @Test static func `a good MPU-6050 passes, with its factory response beside the present one`() throws {
    let result = try test("emulated-mpu6050")
    expect(result.exitCode, equals: 0)
    try expect(outcomes(result), equals: ["x passed", "y passed", "z passed"])
    for axis in try result.events("axis") {
      let factory = try unwrapped(Self.mpu6050[try unwrapped(axis["axis"] as? String)]) / 4_096
      try expect(abs(number(axis, "factory_g") - factory), isBelow: 2e-6)
      try expect(abs(number(axis, "weakest_g") - factory * 0.86), isBelow: 2e-5)
      try expect(abs(number(axis, "strongest_g") - factory * 1.14), isBelow: 2e-5)
      try expect(abs(number(axis, "change_g") - factory), isBelow: 0.01)
    }
    try expect(that: result.events("summary").first?["supply_v"] is NSNull)
  }

  @Test(arguments: [
    (
      "emulated", "dead-x", ["x failed", "y passed", "z passed"],
      "x      +0.00 g  +0.35 to +3.73 g    FAILED: did not move"
    ),
    ("emulated", "dead-y", ["x passed", "y failed", "z passed"], "FAILED: did not move"),
    ("emulated", "dead-z", ["x passed", "y passed", "z failed"], "FAILED: did not move"),
    ("emulated", "weak-x", ["x failed", "y passed", "z passed"], "FAILED: moved too little"),
    ("emulated", "reversed-y", ["x passed", "y failed", "z passed"], "FAILED: moved the wrong way"),
    ("emulated-mpu6050", "dead-y", ["x passed", "y failed", "z passed"], "FAILED: did not move"),
    ("emulated-mpu6050", "reversed-y", ["x passed", "y failed", "z passed"], "FAILED: moved the wrong way"),
    ("emulated-mpu6050", "strong-z", ["x passed", "y passed", "z failed"], "FAILED: moved too far"),
  ])
  static func `only the defective axis fails, in plain words and with code 69`(
    board: String, defect: String, axes: [String], words: String
  ) throws {
    let json = try test(board, "--defect", defect)
    expect(json.exitCode, equals: 69)
    try expect(outcomes(json), equals: axes)
    try expect(json.events("summary").first?["outcome"] as? String, equals: "failed")
    let name = try unwrapped(axes.first { $0.hasSuffix("failed") }).prefix(1)
    expect(json.errors, equals: "plumb: the sensor failed its self-test on \(name)\n")
    let text = try test(board, "--defect", defect, format: "text")
    expect(text.exitCode, equals: 69, "\(text.output)")
    expect(that: text.output.contains(words), "\(text.output)")
    expect(text.output, contains: "Failed: the sensor or its supply is defective.")
    expect(all: text.output.split(separator: "\n")) { $0.count <= 80 }
  }

  @Test static func `a pass by the data sheet, or without a verdict, ends with code 0 and says so`() throws {
    let strong = try test("emulated", "--defect", "strong-z")
    expect(strong.exitCode, equals: 0)
    try expect(outcomes(strong), equals: ["x passed", "y passed", "z strong"])
    let copy = try test("emulated-mpu6050", "--defect", "no-codes")
    expect(copy.exitCode, equals: 0)
    try expect(outcomes(copy), equals: ["x unjudged", "y unjudged", "z unjudged"])
    try expect(all: copy.events("axis")) { $0["weakest_g"] is NSNull && $0["factory_g"] is NSNull }
    try expect(copy.events("summary").first?["outcome"] as? String, equals: "unjudged")
    // An MPU-9250: its limits are unofficial.
    let relative = try bridged("mpu6050", with: "mpu9250@0x68=0,1,0")
    expect(relative.exitCode, equals: 0)
    try expect(outcomes(relative), equals: ["x plausible", "y plausible", "z plausible"])
    try expect(relative.events("summary").first?["outcome"] as? String, equals: "unjudged")
  }

  @Test(arguments: [("emulated", "1"), ("emulated", "800"), ("emulated-mpu6050", "1"), ("emulated-mpu6050", "1000")])
  static func `the sensor's sample rate makes no difference`(board: String, rate: String) throws {
    let result = try test(board, "--rate", rate)
    expect(result.exitCode, equals: 0)
    try expect(outcomes(result), equals: ["x passed", "y passed", "z passed"])
  }

  @Test static func `limits follow the given supply`() throws {
    let result = try test("emulated", "--supply", "2.5")
    try expect(abs(number(unwrapped(result.events("axis").first), "weakest_g") - 50.0 / 256), isBelow: 2e-6)
    try expect(abs(number(unwrapped(result.events("axis").last), "strongest_g") - 875.0 / 256), isBelow: 2e-6)
    for wrong in ["5", "1.9", "nan", "three"] {
      let result = try test("emulated", "--supply", wrong)
      expect(result.exitCode, equals: 64)
      expect(result.errors, contains: "a number of volts from 2.0 to 3.6")
    }
    try expect(test("emulated-mpu6050", "--supply", "3").exitCode, equals: 64)
  }

  @Test(arguments: [
    ("emulated", "dead-gyroscope", "a sensor with a gyroscope, which an ADXL345 does not have"),
    ("emulated", "no-codes", "self-test codes of the factory, which an ADXL345 does not have"),
    ("emulated-lsm6ds", "no-codes", "self-test codes of the factory, which an LSM6DS does not have"),
  ])
  static func `a defect that the sensor cannot have is refused`(board: String, defect: String, words: String) throws {
    let result = try test(board, "--defect", defect)
    expect(result.exitCode, equals: 64)
    expect(result.errors.replacing("\n", with: " "), contains: words)
  }

  @Test static func `a board moved meanwhile is reported with code 65, and no axis is judged`() throws {
    let result = try test("emulated-mpu6050", "--motion", "turn")
    expect(result.exitCode, equals: 65)
    try expect(outcomes(result), equals: ["x unjudged", "y unjudged", "z unjudged"])
    try expect(result.events("summary").first?["outcome"] as? String, equals: "moved")
    expect(result.errors, contains: "the board was moved")
  }

  @Test(arguments: [("emulated", 120), ("emulated-mpu6050", 290)])
  static func `a bus fault at any transaction costs another attempt and no verdict`(board: String, count: Int) throws {
    // Further apart where the same register is read a hundred times.
    for number in Array(0..<50) + Array(stride(from: 50, to: count, by: 7)) {
      let result = try test(board, "--faults", "\(number)")
      expect(result.exitCode, equals: 0, "\(number): \(result.errors)")
      try expect(outcomes(result), equals: ["x passed", "y passed", "z passed"], "\(number)")
    }
  }

  @Test static func `a sensor that stops responding is reported, with whether it may still be under test`() throws {
    for board in ["emulated", "emulated-mpu6050"] {
      let never = try test(board, "--faults", "0-")
      expect(never.exitCode, equals: 69)
      expect(never.output, equals: "")
      expect(never.errors, contains: "no acknowledge from 0x")
      expect(that: !never.errors.contains("in self-test"))
      let later = try test(board, "--defect", "mute")
      expect(later.exitCode, equals: 69)
      expect(later.output, equals: "")
      expect(later.errors, contains: "may still be in self-test: switch it off and on")
    }
  }

  @Test static func `sensors behind the kernel's interface are tested the same way`() throws {
    for (model, sensor) in [("adxl345", "adxl345@0x53=0,0,1"), ("mpu6050", "mpu6050@0x68=0,1,0")] {
      let result = try bridged(model, with: sensor)
      expect(result.exitCode, equals: 0, "\(result.errors)")
      try expect(outcomes(result), equals: ["x passed", "y passed", "z passed"])
      try expect(result.events("summary").first?["bus"] as? String, equals: "/dev/i2c-1")
    }
    let absent = try bridged("adxl345", with: "adxl345@0x1d=0,0,1")
    expect(absent.exitCode, equals: 69)
    expect(absent.errors, contains: "no acknowledge from 0x53")
  }
}

import Foundation
import TestSupport
import Testing

/// What every emulated sensor does with the tool. A new sensor adds a row to `all`; what is special to it is tested in
/// its module.
struct SensorBoard: Sendable, CustomTestStringConvertible {
  /// `model` in board files.
  var model: String
  /// The beginning of the head line of `plumb run`.
  var head: String
  /// Its address in the emulated board's file, and the other one.
  var addresses: (usual: String, other: String)
  /// What `plumb probe` calls it.
  var part: String
  /// The board file that `plumb probe` names.
  var boardFile: String
  /// Pins of its module.
  var pins: ModulePins
  /// Words of `plumb selftest` about a good one.
  var verdict: String
  /// Defects with the exit code and words that they cause.
  var defects: [(name: String, exitCode: Int32, words: String)]
  /// Rates from the lowest to the highest, and with them ranges of its gyroscope; 0 without one.
  var rates: [(hertz: Int, degreesPerSecond: Int)]
  /// Rates with the bus that each needs, in hertz: the last at 100 kHz, and a faster one.
  var buses: [(rate: Int, needed: Int)]
  /// Whether the rests of `two-poses` are long enough for it to fall asleep.
  var sleepsInTwoPoses = true

  var testDescription: String { model }
  var hasGyroscope: Bool { rates[0].degreesPerSecond > 0 }
  var file: String { Tool.board("emulated-\(model)") }

  private static func failing(_ defects: String...) -> [(name: String, exitCode: Int32, words: String)] {
    defects.map { defect in
      (defect, 69, "failed its self-test on \(defect == "dead-gyroscope" ? "" : String(defect.suffix(1)))")
    }
  }

  private static func doubtful(_ defects: String...) -> [(name: String, exitCode: Int32, words: String)] {
    defects.map { ($0, 0, "\($0.suffix(1)) may be defective") }
  }

  static let all: [SensorBoard] = [
    SensorBoard(
      model: "lis3dh", head: "LIS3DH at 0x18, emulated, 100 Hz, ±4 g", addresses: ("0x18", "0x19"),
      part: "0x18  an LIS3DH", boardFile: "raspberry-pi-lis3dh",
      pins: ModulePins(supply: "VIN", high: ["CS"], select: ("SDO", "0x18"), open: ["3VO", "INT"]),
      verdict: "Passed: all three axes respond within the limits.", defects: failing("dead-x", "weak-x", "dead-z"),
      rates: [(1, 0), (100, 0), (400, 0), (1_000, 0)], buses: [(200, 100_000), (1_000, 400_000)]),
    SensorBoard(
      model: "lsm6ds", head: "LSM6DS at 0x6A, emulated, 100 Hz, ±8 g", addresses: ("0x6A", "0x6B"),
      part: "0x6A  an LSM6DSO or LSM6DSOX", boardFile: "raspberry-pi-lsm6ds",
      pins: ModulePins(supply: "VIN", high: ["CS"], select: ("DO", "0x6A"), open: ["3Vo", "I1", "I2"]),
      verdict: "Passed",
      defects: failing("dead-x", "weak-x", "dead-z", "dead-gyroscope"),
      rates: [(1, 125), (104, 500), (400, 2_000), (416, 250)], buses: [(104, 100_000), (416, 400_000)]),
    SensorBoard(
      model: "lsm9ds1", head: "LSM9DS1 at 0x6A, emulated, 100 Hz, ±8 g", addresses: ("0x6A", "0x6B"),
      part: "0x6A  an LSM9DS1", boardFile: "sense-hat",
      pins: ModulePins(supply: "VIN", high: ["CSAG"], select: ("SDOAG", "0x6A"), open: ["3Vo", "INT1"]),
      verdict: "Compared with similar parts it works.", defects: doubtful("dead-x", "weak-x", "dead-z"),
      rates: [(1, 245), (100, 500), (476, 2_000), (952, 245)], buses: [(100, 100_000), (476, 400_000)],
      sleepsInTwoPoses: false),
    SensorBoard(
      model: "icm20948", head: "ICM-20948 at 0x69, emulated, 100 Hz, ±8 g", addresses: ("0x69", "0x68"),
      part: "0x69  an ICM-20948 (identity 0xEA)", boardFile: "raspberry-pi-icm20948",
      pins: ModulePins(supply: "VIN", high: ["CS"], select: ("AD0", "0x68"), open: ["1V8", "INT"]),
      verdict: "Compared with similar parts it works.", defects: doubtful("dead-x", "weak-x", "dead-z"),
      rates: [(1, 250), (100, 500), (400, 1_000), (1_000, 2_000)], buses: [(375, 100_000), (1_000, 400_000)]),
  ]
}

/// The pins of a module, apart from GND, SDA and SCL.
struct ModulePins: Sendable {
  /// Of the supply, 3.3 V.
  var supply: String
  /// At the level of the supply.
  var high: [String]
  /// Selects the address; and the address if it is at ground.
  var select: (pin: String, grounded: String)
  /// Not connected.
  var open: [String]

  static let adxl345 = ModulePins(supply: "VCC", high: ["CS"], select: ("SDO", "0x53"), open: ["INT1", "INT2"])
  static let mpu6050 = ModulePins(supply: "VCC", high: [], select: ("AD0", "0x68"), open: ["XDA", "XCL", "INT"])
}

/// A model with a board file for a Raspberry Pi.
struct WiredModel: Sendable {
  var name: String
  var addresses: [String]
  var pins: ModulePins

  /// The first two have suites of their own, all others a row of ``SensorBoard``.
  static let all =
    [
      WiredModel(name: "adxl345", addresses: ["0x53", "0x1D"], pins: .adxl345),
      WiredModel(name: "mpu6050", addresses: ["0x68", "0x69"], pins: .mpu6050),
    ]
    + SensorBoard.all.map {
      WiredModel(name: $0.model, addresses: [$0.addresses.usual, $0.addresses.other], pins: $0.pins)
    }
}

struct EverySensorTests {
  @Test static func `every sensor with a board file for a Raspberry Pi has a row`() throws {
    let prefix = "raspberry-pi-"
    let folder = URL(filePath: Tool.board("emulated")).deletingLastPathComponent().path
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix(prefix) }
    let models = files.map { $0.dropFirst(prefix.count).prefix { $0 != "." } }
    expect(models.map(String.init).sorted(), equals: WiredModel.all.map(\.name).sorted())
  }

  private static func run(_ board: String, _ more: String...) throws -> Tool {
    try Tool.run(arguments: ["run", "--board", board, "--speed", "fast", "--format", "json"] + more)
  }

  private static func poses(_ result: Tool) throws -> [String] {
    try result.events("pose").compactMap { $0["to"] as? String }
  }

  @Test(arguments: SensorBoard.all)
  static func `six poses are shown, with a fault and a recovery between them, also in batches of 25`(
    _ sensor: SensorBoard
  ) throws {
    let expected = [
      "portrait", "landscapeLeft", "portraitUpsideDown", "landscapeRight", "landscapeRight", "faceUp", "portrait",
      "faceDown",
    ]
    let result = try run(sensor.file)
    expect(result.exitCode, equals: 0)
    try expect(poses(result), equals: expected)
    try expect(result.events("trouble").count, equals: 1)
    try expect(result.events("recovery").count, equals: 1)
    let batched = try run(sensor.file, "--batch", "25")
    expect(Set(try poses(batched)), equals: Set(expected))
    try expect(batched.events("trouble").count, equals: 1)
    try expect(batched.events("recovery").count, equals: 1)
  }

  @Test(arguments: SensorBoard.all)
  static func `the head line names the part, address, rate and range`(_ sensor: SensorBoard) throws {
    let result = try Tool.run("run", "--board", sensor.file, "--speed", "fast")
    expect(result.output, hasPrefix: "\(sensor.head), motion tumble.", "\(result.output.prefix(100))")
  }

  @Test(arguments: ["carried", "shaken", "driven", "full-turns"])
  static func `fusion shows the poses that it shows with an MPU-6050, and its angles`(motion: String) throws {
    // A wrong sign of an axis of either sensor would turn the fused up away from the true one.
    func fused(_ board: String) throws -> (poses: [String], inclinations: [Int: Double]) {
      let result = try run(board, "--motion", motion, "--samples")
      try expect(empty: result.events("trouble"))
      let angles = result.lines.reduce(into: [Int: Double]()) { found, line in
        guard line.end(of: #""event":"sample""#) != nil, let time = line.number("t"),
          let angle = line.number("inclination_deg")
        else { return }
        found[Int((time * 100).rounded())] = angle
      }
      return (try poses(result), angles)
    }
    let expected = try fused(Tool.board("emulated-mpu6050"))
    expect(that: !expected.poses.isEmpty)
    for sensor in SensorBoard.all where sensor.hasGyroscope {
      let found = try fused(sensor.file)
      expect(found.poses, equals: expected.poses, "\(sensor)")
      // They start at different times, and filter differently: a single sample of a fast turn may differ.
      let differences = found.inclinations.compactMap { time, angle in
        expected.inclinations[time].map { abs($0 - angle) }
      }
      expect(differences.count, isAbove: 500)
      expect(differences.reduce(0, +) / Double(differences.count), isBelow: 2, "\(sensor)")
    }
  }

  @Test(arguments: SensorBoard.all)
  static func `a board at rest gives samples without a fault in every range and at every rate`(_ sensor: SensorBoard)
    throws
  {
    let text = try String(contentsOfFile: sensor.file, encoding: .utf8)
    for ((hertz, degrees), range) in zip(sensor.rates, [2, 4, 8, 16]) {
      let turning = degrees > 0 ? ["gyroscope-range = \(degrees)", ""] : [""]
      for gyroscope in turning {
        let keys = "address = \(sensor.addresses.other)\nrate = \(hertz)\nrange = \(range)\n\(gyroscope)"
        let filter = gyroscope.isEmpty ? "\n[filter]\ngravity = low-pass\n" : ""
        let changed = text.replacing("address = \(sensor.addresses.usual)", with: keys) + filter
        try withFile(named: "board.ini", content: Data(changed.utf8)) { file in
          let result = try run(file, "--motion", "hold", "--duration", "8")
          try expect(poses(result), equals: ["portrait"], "\(hertz) Hz, ±\(range) g, \(gyroscope): \(result.errors)")
          try expect(unwrapped(try result.objects.last)["samples"] as? Int ?? 0, isAtLeast: 7 * hertz)
          try expect(empty: result.events("trouble"))
        }
      }
    }
  }

  @Test(arguments: SensorBoard.all)
  static func `wiring, boards and selftest support it, and it sleeps until moved`(_ sensor: SensorBoard) throws {
    let board = "raspberry-pi-\(sensor.model)"
    let wiring = try Tool.run("wiring", "--board", board).output
    for pin in [sensor.pins.supply, sensor.pins.select.pin] + sensor.pins.high { expect(wiring, contains: pin) }
    try expect(Tool.run("boards").output, contains: "\n\(board)\n")
    let test = try Tool.run("selftest", "--board", sensor.file)
    expect(test.exitCode, equals: 0)
    expect(test.output.replacing("\n", with: " "), contains: sensor.verdict, "\(test.output)")
    let motion = sensor.sleepsInTwoPoses ? ["two-poses"] : ["hold", "--duration", "6"]
    let asleep = try Tool.run(
      arguments: [
        "run", "--board", sensor.file, "--speed", "fast", "--format", "json", "--sleep-after", "1", "--motion",
      ]
        + motion)
    try expect(that: !asleep.events("asleep").isEmpty)
    try expect(asleep.events("awake").isEmpty, equals: !sensor.sleepsInTwoPoses)
  }

  @Test(arguments: SensorBoard.all)
  static func `the self-test finds a defect on its axis`(_ sensor: SensorBoard) throws {
    for (defect, exitCode, words) in sensor.defects {
      let result = try Tool.run("selftest", "--board", sensor.file, "--defect", defect)
      expect(result.exitCode, equals: exitCode, "\(defect)")
      let text = (result.output + result.errors).replacing("\n", with: " ")
      expect(text, contains: words, "\(defect): \(text)")
    }
  }

  @Test(arguments: SensorBoard.all)
  static func `it is recorded, calibrated, and its vibration measured`(_ sensor: SensorBoard) throws {
    let record = try Tool.run(
      "record", "--board", sensor.file, "--speed", "fast", "--motion", "full-turns", "--duration", "3", "-o", "-")
    expect(record.exitCode, equals: 0, "\(record.errors)")
    expect(record.output, hasPrefix: "time_s,x_g,y_g,z_g" + (sensor.hasGyroscope ? ",x_dps,y_dps,z_dps\n" : "\n"))
    expect(record.output.split(separator: "\n").count, isAbove: 250)
    let copy = try BoardCopy(String(contentsOfFile: sensor.file, encoding: .utf8))
    defer { remove(copy.folder) }
    let calibrate = try copy.run("calibrate", "--format", "json")
    expect(calibrate.exitCode, equals: 0, "\(calibrate.errors)")
    let vibration = try Tool.run(
      "vibration", "--board", sensor.file, "--motion", "hold", "--duration", "5", "--speed", "fast")
    expect(vibration.exitCode, equals: 0, "\(vibration.errors)")
  }

  @Test static func `a board file with a range of another gyroscope is rejected with what is allowed`() throws {
    let text = try String(contentsOfFile: Tool.board("emulated-lsm9ds1"), encoding: .utf8)
      .replacing("address = 0x6A", with: "address = 0x6A\ngyroscope-range = 250")
    let result = try withFile(content: Data(text.utf8)) { try Tool.run("run", "--board", $0) }
    expect(result.exitCode, equals: 78)
    expect(result.errors, contains: "245, 500 or 2000 (degrees per second)", "\(result.errors)")
  }
}

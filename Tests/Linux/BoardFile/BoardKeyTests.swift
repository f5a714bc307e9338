import BoardFile
import FixedPoint
import Foundation
import Orientation
import Sensors
import TestSupport
import Testing
import Text

struct BoardKeys {
  static let all = Array(BoardKey.all)

  /// Those of a sensor that the kernel drives are in `DeviceKeyTests`.
  @Test static func `the test files have every key`() throws {
    for key in Self.all where key != .part && key != .device {
      let isOfCodes = Self.ofCodes.contains(key)
      try expect((board("mpu6050", key) == nil), equals: isOfCodes, "\(key.name)")
      try expect((board("adxl345", key) == nil), equals: Self.ofMPU6050.contains(key) || isOfCodes, "\(key.name)")
      if isOfCodes && key != .brightness {
        expect(any: BoardFileText.codedBoards.values) { BoardFileText.line(of: key, in: $0) != nil }
      }
    }
  }

  /// The keys that only a board with an MPU-6050 has.
  static let ofMPU6050: [BoardKey] = [.unverifiedParts, .gyroscopeRange, .gyroscopeBias, .gyroscopeScale]

  /// The keys that a board with one LED per pose does not have.
  static let ofCodes: [BoardKey] = [.code, .valid, .bit0, .bit1, .bit2, .brightness]

  /// The emulated board of `model`, or a real one if `key` requires it, and the line (counted from 1) of `key`; nil
  /// if it has none.
  private static func board(_ model: String, _ key: BoardKey) throws -> (lines: [String], line: Int)? {
    let boards = key == .dataReady ? BoardFileText.readyBoards : BoardFileText.emulatedBoards
    let lines = try require(boards[model])
    return BoardFileText.line(of: key, in: lines).map { (lines, $0) }
  }

  @Test static func `poses have the keys of their names`() throws {
    for raw in 0..<UInt8(Pose.count) {
      let pose = try require(Pose(rawValue: raw))
      expect(BoardKey(pose).pose, equals: pose)
      expect(BoardKey(pose).name.description, equals: pose.name.description)
      expect(BoardKey(pose).section, equals: .lines)
    }
  }

  @Test(arguments: all, ["adxl345", "mpu6050"])
  static func `a missing key is reported if it is required`(_ key: BoardKey, _ model: String) throws {
    guard let (lines, line) = try board(model, key) else { return }
    let result = outcome(BoardFileText.replacing(line, with: nil, in: lines))
    // An optional section may have a required key.
    guard key.isRequired || key == .still else {
      expect(result.failure, equals: nil)
      return
    }
    let error = try require(result.failure)
    expect(error.cause, equals: .missingKey(key))
    let left = lines[..<(line - 1)] + lines[line...]
    expect(Int(error.line), equals: left.firstIndex(of: "[\(key.section.name)]").map { $0 + (line <= $0 ? 0 : 1) })
    let place = "\"\(key.name)\" in [\(key.section.name)]"
    let named = key == .model ? nil : SensorModel(named: model)
    expect(error.message.description, equals: "missing key \(place); allowed: \(key.allowed(with: named))")
  }

  @Test(arguments: all, ["adxl345", "mpu6050"])
  static func `a misspelt key is rejected and the right one named`(_ key: BoardKey, _ model: String) throws {
    let name = key.name.description
    guard let (lines, line) = try board(model, key) else { return }
    let names = Set(Self.all.map { $0.name.description })
    for wrong in [name + "s", String(name.dropLast()), "x" + name, name.uppercased()] where !names.contains(wrong) {
      let error = try require(outcome(BoardFileText.replacing(line, with: "\(wrong) = 1", in: lines)).failure)
      expect(error.cause, equals: .unknownKey(key.section))
      expect(error.line, equals: Int32(line))
      expect(error.message.description, contains: "(did you mean \"\(name)\"?)", "\(error)")
    }
  }

  @Test(arguments: all)
  static func `a key of another section is rejected`(_ key: BoardKey) throws {
    let other = key.section == .lines ? 3 : 9
    let text = BoardFileText.replacing(other, with: "\(BoardFileText.lines[other - 1])\n\(key.name) = 1")
    let error = try require(outcome(text).failure)
    expect(error.cause, equals: .unknownKey(key.section == .lines ? .sensor : .lines))
    expect(error.line, equals: Int32(other + 1))
  }

  /// Allowed values, all of them if they can be enumerated; none for GPIO and decimal numbers, which have their own
  /// tests.
  static let allowed: [String: [String: Set<String>]] = [
    "adxl345": [
      // Another model would make the address after it wrong.
      "model": ["adxl345"],
      "address": ["0x53", "83", "0x1D", "0x1d", "29", "0x053", "029"],
      "range": ["2", "4", "8", "16"],
      "batch": Set((1...28).map { String($0) }),
      "idle": ["on", "off"],
      "active-low": ["yes", "no"],
    ],
    "mpu6050": [
      "model": ["mpu6050"],
      "address": ["0x68", "104", "0x69", "105"],
      "range": ["2", "4", "8", "16"],
      "unverified-parts": ["yes", "no"],
      "gyroscope-range": ["250", "500", "1000", "2000"],
      "idle": ["on", "off"],
    ],
  ]

  @Test(arguments: ["adxl345", "mpu6050"])
  static func `only allowed values are accepted`(_ model: String) throws {
    for (key, allowed) in try require(Self.allowed[model]) {
      let lines = try require(BoardFileText.emulatedBoards[model])
      let line = try require(BoardFileText.line(of: key, in: lines))
      // All small ones, and those near powers of two and hundreds, where a limit could be.
      let edges = (9...12).map { 1 << $0 } + stride(from: 400, through: 4_000, by: 100)
      let numbers =
        ((0...300) + edges.flatMap { ($0 - 1)...($0 + 1) }).map { String($0) }
        + (0...255).map { "0x" + String($0, radix: 16) }
      let words = ["", "on", "off", "yes", "no", "true", "false", "On", "adxl345", "ADXL345", "adxl346", "-1", "+100"]
      let odd = [
        "1e2", "100.0", "100 Hz", "0x", "0xG", "x53", "4294967379", "65619", "٢", "0x1000000000000053", "0X53",
      ]
      let other = ["mpu6050", "mpu-6050", "MPU6050", "mpu9250"]
      for value in numbers + words + odd + other where !allowed.contains(value) {
        let error = outcome(BoardFileText.replacing(line, with: "\(key) = \(value)", in: lines)).failure
        guard case .badValue(let found) = error?.cause else {
          Issue.record("\(key) = \(value) gave \(String(describing: error))")
          continue
        }
        // Another existing model: then its address is wrong.
        let isOther = key == "model" && BoardFileText.boards[value] != nil
        expect(found.name.description, equals: isOther ? "address" : key)
      }
      for value in allowed {
        expect(outcome(BoardFileText.replacing(line, with: "\(key) = \(value)", in: lines)).failure, equals: nil)
      }
    }
  }

  @Test(arguments: (0..<UInt8(Pose.count)).compactMap { Pose(rawValue: $0) })
  static func `a pose accepts any free pin of the header`(_ pose: Pose) throws {
    let line = try require(BoardFileText.line(of: pose.name.description))
    for pin in UInt32(0)...300 {
      let result = outcome(BoardFileText.replacing(line, with: "\(pose.name) = \(pin)"))
      let isOthers = [17, 27, 22, 23, 24, 25].enumerated().contains { $1 == pin && $0 != Int(pose.rawValue) }
      switch (result, pin) {
      case (.success(let board), 4...27): #expect(!isOthers && board.lines.offset(of: pose) == pin)
      case (.failure(let error), 0...3): expect(error.cause, equals: .refused(.reserved(BoardKey(pose))))
      case (.failure(let error), 28...): expect(error.cause, equals: .refused(.outOfRange(BoardKey(pose))))
      // The second of the two lines is rejected.
      case (.failure(let error), _): #expect(isOthers && Int(error.line) >= line)
      default: Issue.record("\(pose.name) = \(pin) was taken")
      }
    }
  }

  @Test static func `mountings are the 24 rotations`() {
    let axes = ["+x", "-x", "+y", "-y", "+z", "-z"]
    let all = axes.flatMap { x in axes.flatMap { y in axes.map { z in "\(x) \(y) \(z)" } } }
    let results = all.map { outcome(BoardFileText.replacing(8, with: "mounting = \($0)")) }
    expect(results.count { $0.failure == nil }, equals: 24)
    expect(results.count { $0.failure?.cause == .refused(.impossibleMounting(.leftHanded)) }, equals: 24)
    expect(results.count { $0.failure?.cause == .refused(.impossibleMounting(.axisTwice)) }, equals: 216 - 48)
    for value in ["+x", "+x +y", "+x +y +z +x", "+x+y+z", "+x +y +z,", "++x +y +z", "+x +y +zz", "+ x + y + z"] {
      let error = outcome(BoardFileText.replacing(8, with: "mounting = \(value)")).failure
      expect(error?.cause, equals: .badValue(.mounting), "\(value)")
    }
  }

  @Test static func `names that do not fit are rejected, not cut`() throws {
    for (key, line, prefix, longest) in [("bus", 2, "/", 63), ("chip", 10, "c", 31)] {
      let value = prefix + String(repeating: "a", count: longest - 1)
      let board = try outcome(BoardFileText.replacing(line, with: "\(key) = \(value)")).get()
      let read = key == "chip" ? board.lines.chip.description : "\(board.bus)"
      expect(read, contains: value)
      expect(outcome(BoardFileText.replacing(line, with: "\(key) = \(value)a")).failure?.line, equals: Int32(line))
      expect(outcome(BoardFileText.replacing(line, with: "\(key) = \(prefix) a")).failure?.line, equals: Int32(line))
      expect(outcome(BoardFileText.replacing(line, with: "\(key) = \(prefix)ä")).failure?.line, equals: Int32(line))
    }
  }
}

/// Calibration and the errors of an emulated sensor against `Decimal`, which has no binary fractions.
struct CalibrationKeys {
  private static func board(_ line: String) throws -> BoardDescription {
    try outcome(BoardFileText.replacing(8, with: "mounting = -y +x +z\n" + line)).get()
  }

  /// `text` times `unit`, rounded to nearest (ties away from zero) or down.
  private static func model(_ text: String, times unit: Int, _ mode: NSDecimalNumber.RoundingMode = .plain) throws
    -> Int32
  {
    var product = try require(Decimal(string: text)) * Decimal(unit)
    var rounded = Decimal()
    unsafe NSDecimalRound(&rounded, &product, 0, mode)
    return Int32(truncating: rounded as NSDecimalNumber)
  }

  /// A random number in `range` millionths, with some places after the point.
  private static func number(_ range: ClosedRange<Int>, _ random: inout SplitMix64) -> String {
    let millionths = Int.random(in: range, using: &random)
    let places = Int.random(in: 0...6, using: &random)
    let unit = Int(pow(10, Double(6 - places)))
    // Truncated toward zero to that many places: may fall below a range that does not begin at such a number.
    let cut = millionths / unit * unit
    let fraction = String(format: "%06d", abs(cut) % 1_000_000).prefix(places)
    let sign = cut < 0 ? "-" : Bool.random(using: &random) ? "+" : ""
    return sign + "\(abs(cut) / 1_000_000)" + (places > 0 ? "." + fraction : "")
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  static func `offsets are rounded to the nearest Q16.16`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<500 {
      let texts = (0..<3).map { _ in number(-2_000_000...2_000_000, &random) }
      let offset = try board("offset = " + texts.joined(separator: "  \t")).sensor.calibration.offset
      let wanted = try texts.map { try model($0, times: 65_536) }
      expect([offset.x.raw, offset.y.raw, offset.z.raw], equals: wanted, "\(texts)")
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  static func `scales are rounded to the nearest Q2.30`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<500 {
      let texts = (0..<3).map { _ in
        let text = number(500_000...1_999_000, &random).replacing("+", with: "")
        return text == "0" || text == "0." ? "1" : text.hasPrefix("0.4") ? "0.5" : text
      }
      let scale = try board("scale = " + texts.joined(separator: " ")).sensor.calibration.scale
      let wanted = try texts.map { try model($0, times: 1 << 30) }
      expect([scale.x, scale.y, scale.z], equals: wanted, "\(texts)")
    }
  }

  @Test
  static func `offset and scale can be alone or together, in either order, and at their limits`() throws {
    let two = Q16(whole: 2)
    let offset = Vector3(x: two, y: two.negatedSaturating, z: .zero)
    let scale = Calibration.Scale(x: 1 << 29, y: 2_146_409_906, z: 1 << 30)
    try expect(board("offset = 2 -2 -0").sensor.calibration, equals: Calibration(offset: offset, scale: .one))
    try expect(board("scale = 0.5 1.999 1").sensor.calibration, equals: Calibration(offset: .zero, scale: scale))
    let both = try Calibration(offset: offset, scale: scale)
    try expect(board("scale = 0.5 1.999 1\noffset = 2 -2 0").sensor.calibration, equals: both)
    try expect(board("offset = 2.000000 -2.0 +0.0\nscale = 0.500000 1.999 01").sensor.calibration, equals: both)
  }

  static let notThree = [
    "", "0", "0 0", "0 0 0 0", "0, 0, 0", "0 0 x", "0 0 --1", "0 0 - 1", "0 0 1e0", "0 0 .5", "0 0 1.", "0 0 0.1234567",
    "0 0 4294.967297", "0 0 18446744073709551616", "0 0 0x1", "0\u{A0}0 0", "nan 0 0", "0 0 1g", "[0 0 0]", "0 0 +",
  ]

  @Test(arguments: notThree, ["offset", "scale"])
  static func `anything but three numbers is rejected with its line`(_ value: String, _ key: String) throws {
    // The last number is the wrong one: the others must be valid for a scale too.
    let text = key == "scale" ? value.replacing("0 0", with: "1 1") : value
    let result = outcome(BoardFileText.replacing(8, with: "mounting = -y +x +z\n\(key) = \(text)"))
    expect(result.failure?.cause, equals: .badValue(key == "scale" ? .scale : .offset))
    expect(result.failure?.line, equals: 9)
    expect(result.failure?.exitCode, equals: 78)
  }

  private static func emulated(_ line: String) throws -> BoardDescription.Emulation {
    try outcome(BoardFileText.replacing(2, with: "bus = emulated") + "[emulation]\n\(line)\n").get().emulation
  }

  @Test
  static func `errors of an emulated sensor are rounded down, so none exceeds the file's value`() throws {
    for thousandths in stride(from: 0, through: 200_000, by: 37) + [1, 80_000, 199_999, 200_000] {
      let text = "\(thousandths / 1_000).\(String(format: "%03d", thousandths % 1_000))"
      let raw = try emulated("offset-error = \(text)").offsetError.raw
      expect(raw, equals: (try model("\(Double(thousandths) / 1_000_000)", times: 65_536, .down)), "\(text)")
      guard thousandths <= 10_000 else { continue }
      let ratio = try emulated("scale-error = \(text)").scaleError.raw
      expect(ratio, equals: (try model("\(Double(thousandths) / 100_000)", times: 65_536, .down)), "\(text)")
    }
  }

  @Test
  static func `every key of [emulation] is optional, and so is the section`() throws {
    try expect(emulated(""), equals: BoardDescription.Emulation())
    try expect(emulated("seed = 0").seed, equals: 0)
    try expect(emulated("seed = 000000000000000000000000018446744073709551615").seed, equals: UInt64.max)
    try expect(emulated("mounting = -y +x +z").mounting, equals: Mounting(x: .minusY, y: .plusX, z: .plusZ))
    for bad in ["0x1", "1.0", "", "+1", "1 2", "99999999999999999999", "18446744073709551620"] {
      let text = BoardFileText.replacing(2, with: "bus = emulated") + "[emulation]\nseed = \(bad)\n"
      expect(outcome(text).failure?.cause, equals: .badValue(.seed), "\(bad)")
    }
  }
}

private func + (a: StrideThrough<Int>, b: [Int]) -> [Int] { Array(a) + b }

/// The section `[filter]`: the gravity filter.
struct FilterKeys {
  private static func gravity(_ lines: String...) throws -> GravityFilter.Configuration {
    try outcome(BoardFileText.whole + BoardFileText.text(lines)).get().gravity
  }

  private static func lowPass(_ milliseconds: Int64) -> LowPass.Configuration {
    LowPass.Configuration(timeConstant: .milliseconds(milliseconds))
  }

  @Test static func `without the section, or without keys in it, the filter is the default`() throws {
    try expect(outcome(BoardFileText.whole).get().gravity, equals: .standard)
    try expect(gravity("[filter]"), equals: .standard)
    try expect(gravity("[filter]", "gravity = low-pass"), equals: .standard)
    expect(BoardDescription.emulated.gravity, equals: .standard)
  }

  @Test static func `either filter takes its time constant, in either order of the keys`() throws {
    try expect(gravity("[filter]", "time-constant = 0.05"), equals: .lowPass(lowPass(50)))
    try expect(gravity("[filter]", "gravity = adaptive"), equals: .adaptive(AdaptiveFilterConfiguration()))
    let slow = GravityFilter.Configuration.adaptive(AdaptiveFilterConfiguration(lowPass(1_250)))
    try expect(gravity("[filter]", "gravity = adaptive", "time-constant = 1.25"), equals: slow)
    try expect(gravity("[filter]", "time-constant = 1.25", "gravity = adaptive"), equals: slow)
  }

  @Test(arguments: [("0", 0), ("0.001", 1), ("10", 10_000), ("10.000", 10_000)] as [(String, Int64)])
  static func `a time constant is exact at its limits`(_ text: String, _ milliseconds: Int64) throws {
    try expect(gravity("[filter]", "time-constant = \(text)"), equals: .lowPass(lowPass(milliseconds)))
  }

  @Test(arguments: ["10.001", "-1", "0.0001", "200 ms", "", "1e1", "99999999999"])
  static func `another time constant is rejected, with what is allowed`(_ text: String) throws {
    let error = try require(outcome(BoardFileText.whole + "[filter]\ntime-constant = \(text)\n").failure)
    expect(error.cause, equals: .badValue(.timeConstant))
    expect(error.line, equals: Int32(BoardFileText.lines.count + 2))
    expect(error.message.description, hasSuffix: "allowed: a number from 0 to 10 (s), at most 3 decimals")
  }

  @Test(arguments: ["high-pass", "Adaptive", "", "adaptive low-pass"])
  static func `another filter is rejected, with what is allowed`(_ text: String) throws {
    let error = try require(outcome(BoardFileText.whole + "[filter]\ngravity = \(text)\n").failure)
    expect(error.cause, equals: .badValue(.gravity))
    expect(error.message.description, hasSuffix: "allowed: low-pass or adaptive")
  }
}

/// The gyroscope of an MPU-6050: when it is on, and its settings.
struct GyroscopeKeys {
  /// An MPU-6050 with its required keys and `keys`, followed by `rest`.
  private static func board(_ keys: [String] = [], _ rest: String...) throws -> BoardDescription {
    let lines = BoardFileText.mpu6050Lines[..<5] + keys + BoardFileText.mpu6050Lines.drop { $0 != "[lines]" } + rest
    return try outcome(BoardFileText.text(Array(lines))).get()
  }

  private static func configuration(_ board: BoardDescription) throws -> MPU6050.Configuration {
    guard let configuration = board.sensor.configuration.mpu6050 else { throw BoardKeyError() }
    return configuration
  }

  private struct BoardKeyError: Error {}

  private static func isFused(_ board: BoardDescription) -> Bool {
    if case .fusion = board.gravity { return true }
    return false
  }

  @Test static func `an MPU-6050 uses fusion by default, at ±2000 °/s and ±8 g`() throws {
    for board in [
      try board(), try board([], "[filter]"), try board([], "[filter]", "gravity = fusion"),
      try board(["gyroscope-range = 2000", "range = 8"]),
    ] {
      expect(that: isFused(board))
      try expect(configuration(board), equals: MPU6050.Configuration(range: .g8, gyroscope: .dps2000))
      expect(that: board.sensor.configuration.usesGyroscope)
    }
    expect(that: !BoardDescription.emulated.sensor.configuration.usesGyroscope)
  }

  @Test static func `ranges in the file are kept`() throws {
    try expect(configuration(board(["range = 2"])).range, equals: .g2)
    try expect(configuration(board(["range = 4"])).gyroscope, equals: .dps2000)
    for (value, range) in [(250, MPU6050.GyroscopeRange.dps250), (500, .dps500), (1_000, .dps1000)] {
      try expect(configuration(board(["gyroscope-range = \(value)"])).gyroscope, equals: range)
    }
  }

  @Test static func `the fusion gets the ends of the ranges`() throws {
    for (keys, rate, force) in [
      ([], 2_000, 8), (["gyroscope-range = 250", "range = 2"], 250, 2), (["range = 16"], 2_000, 16),
    ] as [([String], Int32, Int32)] {
      guard case .fusion(let fusion) = try board(keys).gravity else { throw BoardKeyError() }
      expect(fusion, equals: Fusion.Configuration(rateRange: Q16(whole: rate), forceRange: Q16(whole: force)))
    }
  }

  @Test(arguments: ["gravity = low-pass", "gravity = adaptive", "time-constant = 0.2"])
  static func `with another filter the gyroscope is off, and the range is that of a force alone`(_ line: String) throws
  {
    for keys in [[], ["gyroscope-range = 500", "gyroscope-bias = 1 2 3"]] {
      let board = try board(keys, "[filter]", line)
      expect(that: !isFused(board))
      try expect(configuration(board), equals: MPU6050.Configuration(range: .g4))
      expect(that: !board.sensor.configuration.usesGyroscope)
    }
  }

  @Test static func `the gyroscope's bias and scale are rounded to nearest, apart from the accelerometer's`() throws {
    let sensor = try board(["gyroscope-bias = 2.7 -0.6 40", "offset = 1 0 0", "gyroscope-scale = 0.985 1.25 1.999"])
      .sensor
    // 2.7 and -0.6 times 65536; 0.985 and 1.999 times 2^30.
    let bias = Vector3(x: Q16(raw: 176_947), y: Q16(raw: -39_322), z: Q16(whole: 40))
    let scale = Calibration.Scale(x: 1_057_635_697, y: 1_342_177_280, z: 2_146_409_906)
    expect(sensor.rotationCalibration, equals: (try Calibration(offset: bias, scale: scale)))
    expect(sensor.calibration, equals: (try Calibration(offset: Vector3(x: .one, y: .zero, z: .zero), scale: .one)))
    expect(sensor.alignment, equals: Alignment(sensor.calibration, .aligned, rotation: sensor.rotationCalibration))
    try expect(board().sensor.rotationCalibration, equals: .none)
  }

  @Test static func `the gyroscope's keys before the model are checked against it too`() throws {
    for (line, cause) in [
      ("gyroscope-range = 125", BoardFileError.Cause.badValue(.gyroscopeRange)),
      ("gyroscope-bias = 1 2", .badValue(.gyroscopeBias)), ("gyroscope-scale = 0 0 0", .badValue(.gyroscopeScale)),
    ] {
      let lines =
        BoardFileText.mpu6050Lines[..<3] + [line] + BoardFileText.mpu6050Lines[3..<5] + BoardFileText.lines[8...]
      let error = try require(outcome(BoardFileText.text(Array(lines))).failure)
      expect(error.cause, equals: cause)
      expect(error.line, equals: 4)
      let other = BoardFileText.lines[..<3] + [line] + BoardFileText.lines[3...]
      let foreign = try require(outcome(BoardFileText.text(Array(other))).failure)
      guard case .badValue(let key) = cause else { continue }
      expect(foreign.cause, equals: .refused(.foreignKey(key)))
      expect(foreign.line, equals: 4)
    }
  }
}

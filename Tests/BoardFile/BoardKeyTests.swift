import BoardFile
import Orientation
import Testing

extension SensorModel {
  /// The model that board files call `name`.
  init?(named name: String) {
    switch name {
    case "adxl345": self = .adxl345
    case "mpu6050": self = .mpu6050
    default: return nil
    }
  }
}

@Suite struct BoardKeys {
  static let all = (0..<UInt8(BoardKey.count)).compactMap { BoardKey(rawValue: $0) }

  @Test func `the test files have every key`() throws {
    #expect(Self.all.count == BoardKey.count)
    for key in Self.all {
      let isOfCodes = Self.ofCodes.contains(key)
      #expect(try (board("mpu6050", key) == nil) == isOfCodes, "\(key.name)")
      #expect(try (board("adxl345", key) == nil) == (key == .unverifiedParts || isOfCodes), "\(key.name)")
      if isOfCodes { #expect(BoardText.codedBoards.values.contains { BoardText.line(of: key, in: $0) != nil }) }
    }
  }

  /// The keys that a board with an LED a pose does without.
  static let ofCodes: [BoardKey] = [.code, .valid, .bit0, .bit1, .bit2]

  /// The emulated board of `model`, a real one for what needs that, and the line (counted from 1) of `key`; nil where it
  /// has none.
  private func board(_ model: String, _ key: BoardKey) throws -> (lines: [String], line: Int)? {
    let boards = key == .dataReady ? BoardText.readyBoards : BoardText.emulatedBoards
    let lines = try #require(boards[model])
    return BoardText.line(of: key, in: lines).map { (lines, $0) }
  }

  @Test func `poses have the keys of their names`() throws {
    for raw in 0..<UInt8(Pose.count) {
      let pose = try #require(Pose(rawValue: raw))
      #expect(BoardKey(pose).pose == pose)
      #expect(BoardKey(pose).name.description == pose.name.description)
      #expect(BoardKey(pose).section == .lines)
    }
  }

  @Test(arguments: all, ["adxl345", "mpu6050"])
  func `a missing key is noticed where it is required`(_ key: BoardKey, _ model: String) throws {
    guard let (lines, line) = try board(model, key) else { return }
    let result = outcome(BoardText.replacing(line, with: nil, in: lines))
    guard key.isRequired else {
      #expect(result.failure == nil)
      return
    }
    let error = try #require(result.failure)
    #expect(error.cause == .missingKey(key))
    let left = lines[..<(line - 1)] + lines[line...]
    #expect(Int(error.line) == left.firstIndex(of: "[\(key.section.name)]").map { $0 + (line <= $0 ? 0 : 1) })
    let place = "\"\(key.name)\" in [\(key.section.name)]"
    let named = key == .model ? nil : SensorModel(named: model)
    #expect(error.message.description == "missing key \(place); allowed: \(key.allowed(with: named))")
  }

  @Test(arguments: all, ["adxl345", "mpu6050"])
  func `a misspelt key is refused and the right one named`(_ key: BoardKey, _ model: String) throws {
    let name = key.name.description
    guard let (lines, line) = try board(model, key) else { return }
    for wrong in [name + "s", String(name.dropLast()), "x" + name, name.uppercased()] where wrong != name {
      let error = try #require(outcome(BoardText.replacing(line, with: "\(wrong) = 1", in: lines)).failure)
      #expect(error.cause == .unknownKey(key.section))
      #expect(error.line == Int32(line))
      #expect(error.message.description.contains("(did you mean \"\(name)\"?)"), "\(error)")
    }
  }

  @Test(arguments: all)
  func `a key of another section is refused`(_ key: BoardKey) throws {
    let other = key.section == .lines ? 3 : 9
    let text = BoardText.replacing(other, with: "\(BoardText.lines[other - 1])\n\(key.name) = 1")
    let error = try #require(outcome(text).failure)
    #expect(error.cause == .unknownKey(key.section == .lines ? .sensor : .lines))
    #expect(error.line == Int32(other + 1))
  }

  /// Values that are allowed, all of them where they can be counted; none for GPIO and decimal numbers, which have tests of
  /// their own.
  static let allowed: [String: [String: Set<String>]] = [
    "adxl345": [
      // Another model makes the address that follows a wrong one.
      "model": ["adxl345"],
      "address": ["0x53", "83", "0x1D", "0x1d", "29", "0x053", "029"],
      "range": ["2", "4", "8", "16"],
      "idle": ["on", "off"],
      "active-low": ["yes", "no"],
    ],
    "mpu6050": [
      "model": ["mpu6050"],
      "address": ["0x68", "104", "0x69", "105"],
      "range": ["2", "4", "8", "16"],
      "unverified-parts": ["yes", "no"],
      "idle": ["on", "off"],
    ],
  ]

  @Test(arguments: ["adxl345", "mpu6050"])
  func `only the allowed values are taken`(_ model: String) throws {
    for (key, allowed) in try #require(Self.allowed[model]) {
      let lines = try #require(BoardText.emulatedBoards[model])
      let line = try #require(BoardText.line(of: key, in: lines))
      let numbers = (0...4_000).map { String($0) } + (0...255).map { "0x" + String($0, radix: 16) }
      let words = ["", "on", "off", "yes", "no", "true", "false", "On", "adxl345", "ADXL345", "adxl346", "-1", "+100"]
      let odd = [
        "1e2", "100.0", "100 Hz", "0x", "0xG", "x53", "4294967379", "65619", "٢", "0x1000000000000053", "0X53",
      ]
      let other = ["mpu6050", "mpu-6050", "MPU6050", "mpu9250"]
      for value in numbers + words + odd + other where !allowed.contains(value) {
        let error = outcome(BoardText.replacing(line, with: "\(key) = \(value)", in: lines)).failure
        guard case .badValue(let found) = error?.cause else {
          Issue.record("\(key) = \(value) gave \(String(describing: error))")
          continue
        }
        // A model that there is, but not this: then its address will not do.
        let isOther = key == "model" && BoardText.boards[value] != nil
        #expect(found.name.description == (isOther ? "address" : key))
      }
      for value in allowed {
        #expect(outcome(BoardText.replacing(line, with: "\(key) = \(value)", in: lines)).failure == nil)
      }
    }
  }

  @Test(arguments: (0..<UInt8(Pose.count)).compactMap { Pose(rawValue: $0) })
  func `a pose has any free pin of the header`(_ pose: Pose) throws {
    let line = try #require(BoardText.line(of: pose.name.description))
    for pin in UInt32(0)...300 {
      let result = outcome(BoardText.replacing(line, with: "\(pose.name) = \(pin)"))
      let isOthers = [17, 27, 22, 23, 24, 25].enumerated().contains { $1 == pin && $0 != Int(pose.rawValue) }
      switch (result, pin) {
      case (.success(let board), 4...27): #expect(!isOthers && board.lines.offset(of: pose) == pin)
      case (.failure(let error), 0...3): #expect(error.cause == .reserved(BoardKey(pose)))
      case (.failure(let error), 28...): #expect(error.cause == .outOfRange(BoardKey(pose)))
      // The line that comes second is the one refused.
      case (.failure(let error), _): #expect(isOthers && Int(error.line) >= line)
      default: Issue.record("\(pose.name) = \(pin) was taken")
      }
    }
  }

  @Test func `mountings are the twenty four rotations`() {
    let axes = ["+x", "-x", "+y", "-y", "+z", "-z"]
    let all = axes.flatMap { x in axes.flatMap { y in axes.map { z in "\(x) \(y) \(z)" } } }
    let results = all.map { outcome(BoardText.replacing(8, with: "mounting = \($0)")) }
    #expect(results.count { $0.failure == nil } == 24)
    #expect(results.count { $0.failure?.cause == .impossibleMounting(.leftHanded) } == 24)
    #expect(results.count { $0.failure?.cause == .impossibleMounting(.axisTwice) } == 216 - 48)
    for value in ["+x", "+x +y", "+x +y +z +x", "+x+y+z", "+x +y +z,", "++x +y +z", "+x +y +zz", "+ x + y + z"] {
      let error = outcome(BoardText.replacing(8, with: "mounting = \(value)")).failure
      #expect(error?.cause == .badValue(.mounting), "\(value)")
    }
  }

  @Test func `names that do not fit are refused not cut`() throws {
    for (key, line, prefix, longest) in [("bus", 2, "/", 63), ("chip", 10, "c", 31)] {
      let value = prefix + String(repeating: "a", count: longest - 1)
      let board = try outcome(BoardText.replacing(line, with: "\(key) = \(value)")).get()
      let read = key == "chip" ? board.lines.chip.description : "\(board.bus)"
      #expect(read.contains(value))
      #expect(outcome(BoardText.replacing(line, with: "\(key) = \(value)a")).failure?.line == Int32(line))
      #expect(outcome(BoardText.replacing(line, with: "\(key) = \(prefix) a")).failure?.line == Int32(line))
      #expect(outcome(BoardText.replacing(line, with: "\(key) = \(prefix)ä")).failure?.line == Int32(line))
    }
  }
}

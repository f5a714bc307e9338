import BoardFile
import Foundation
import Sensors

/// A board file as lines, to be broken one at a time.
enum BoardFileText {
  /// All keys, each with a value other than its default if it has one, so that an ignored value shows.
  static let lines = [
    "[i2c]",
    "bus = /dev/i2c-1",
    "[sensor]",
    "model = adxl345",
    "address = 0x1D",
    "rate = 200",
    "range = 4",
    "mounting = -y +x +z",
    "[lines]",
    "chip = pinctrl-rp1",
    "portrait = 17",
    "portraitUpsideDown = 27",
    "landscapeLeft = 22",
    "landscapeRight = 23",
    "faceUp = 24",
    "faceDown = 25",
    "idle = on",
    "active-low = yes",
  ]

  /// The same board with an MPU-6050 in place of the ADXL345, which has some extra keys.
  static let mpu6050Lines =
    Array(lines[..<3]) + [
      "model = mpu6050",
      "address = 0x69",
      "rate = 250",
      "range = 8",
      "mounting = -y +x +z",
      "unverified-parts = yes",
      "gyroscope-range = 500",
      "gyroscope-bias = 2.7 -0.6 40",
      "gyroscope-scale = 0.985 1.25 1.999",
    ] + Array(lines[8...])

  /// The boards of both models.
  static let boards = ["adxl345": lines, "mpu6050": mpu6050Lines]

  /// The same boards with an emulated bus and the keys that the others lack: every key of each model.
  static let emulatedBoards = boards.reduce(into: [String: [String]]()) { boards, board in
    let (model, lines) = board
    let sensor =
      lines[2...].prefix { $0 != "[lines]" } + [
        "offset = 0.25 -0.125 2", "scale = 1.5 0.5 1.999", "batch = 25",
      ]
    let emulation = [
      "[emulation]", "seed = 18446744073709551615", "offset-error = 150.5", "scale-error = 2.125",
      "mounting = +x -y -z", "[filter]", "gravity = adaptive", "time-constant = 0.35",
      "[share]", "socket = /run/plumb/other", "tcp = 127.0.0.1:7588", "tcp-token-file = /etc/plumb/token",
      "commands = yes", "[tare]", "up = 0.02 -0.01 0.99975", "[level]", "vehicle = car", "wheelbase = 3500",
      "track = 1850", "[power]", "still = 12.5", "leds = off",
      "[vibration]", "bands = 2 12.5 50", "busy = 0.06", "busy-time = 12", "quiet = 0.02", "quiet-time = 90.5",
      "[taps]", "threshold = 1.75", "duration = 15", "latency = 90", "window = 250", "axes = x z", "double = no",
      "[free-fall]", "threshold = 0.4375", "time = 120",
      "[poses]", "leave-angle = 55", "face-enter = 30", "face-leave = 45", "dwell = 0.05", "evidence = 0.02",
    ]
    boards[model] = completed(
      ["[i2c]", "bus = emulated"] + sensor + lines.drop { $0 != "[lines]" } + emulation, SensorModel(named: model))
  }

  /// The board with the keys that it lacks and whose rows suffice: a new key is tested from its row alone.
  private static func completed(_ lines: [String], _ model: SensorModel?) -> [String] {
    var context = BoardContext()
    context.model = model
    var board = lines
    for key in BoardKey.all where key.applies(in: context) && line(of: key, in: board) == nil {
      guard let value = value(of: key, in: context) else { continue }
      if !board.contains("[\(key.section.name)]") { board.append("[\(key.section.name)]") }
      guard let section = board.firstIndex(of: "[\(key.section.name)]") else { continue }
      board.insert("\(key.name) = \(value)", at: section + 1)
    }
    return board
  }

  /// A value other than the default; nil if only a parser knows what is allowed.
  private static func value(of key: BoardKey, in context: BoardContext) -> String? {
    var standard = ""
    if case .value(let words) = key.row.absence { standard = "\(words)" }
    switch key.rule(in: context) {
    case .either(let one, let other): return standard == "\(one)" ? "\(other)" : "\(one)"
    case .whole(let range, _, _): return [range.lowerBound, range.upperBound].map { "\($0)" }.first { $0 != standard }
    case .number(let range, let places, _):
      // The limits are in units of the last place.
      let unit = (0..<places).reduce(Int32(1)) { unit, _ in unit * 10 }
      return [range.upperBound / unit, range.upperBound / unit - 1].map { "\($0)" }.first { $0 != standard }
    case .bytes(let most): return String("example".prefix(most))
    case .path, .words: return nil
    }
  }

  /// The same boards as `boards`, with the key that requires a real bus.
  static let readyBoards = boards.mapValues { lines in
    Array(lines[..<6]) + ["data-ready = 4"] + Array(lines[6...])
  }

  /// The same boards with coded lines: every key of each code.
  static let codedBoards: [String: [String]] = ["one-hot": oneHotLines, "binary": binaryLines]

  private static let oneHotLines: [String] =
    Array(lines[..<10]) + ["code = one-hot"] + Array(lines[10...15]) + ["valid = 5"] + Array(lines[16...])

  private static let binaryLines: [String] =
    Array(lines[..<10]) + ["code = binary", "valid = 5", "bit0 = 6", "bit1 = 12", "bit2 = 13"] + Array(lines[16...])

  /// All lines.
  static var whole: String { text(lines) }

  /// All lines, with line `line` (counted from 1) replaced by `other`, which may be several lines or nil for none.
  static func replacing(_ line: Int, with other: String?, in board: [String] = lines) -> String {
    var changed = board
    changed.replaceSubrange(line - 1..<line, with: other.map { [$0] } ?? [])
    return text(changed)
  }

  static func text(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }

  /// The line (counted from 1) of `key`.
  static func line(of key: String, in board: [String] = lines) -> Int? {
    board.firstIndex { $0.hasPrefix(key + " = ") }.map { $0 + 1 }
  }

  /// The line (counted from 1) of `key`, in its own section.
  static func line(of key: BoardKey, in board: [String]) -> Int? {
    guard let section = board.firstIndex(of: "[\(key.section.name)]") else { return nil }
    let rest = board[(section + 1)...].prefix { !$0.hasPrefix("[") }
    return rest.firstIndex { $0.hasPrefix("\(key.name) = ") }.map { $0 + 1 }
  }
}

/// The board of a text, or its error.
func outcome(_ text: String) -> Result<BoardDescription, BoardFileError> { outcome(bytes: Array(text.utf8)) }

/// The same for bytes that may not be text.
func outcome(bytes: [UInt8]) -> Result<BoardDescription, BoardFileError> {
  do throws(BoardFileError) {
    return .success(try BoardDescription.parse(bytes.span))
  } catch {
    return .failure(error)
  }
}

/// The same for a file.
func outcome(path: String) -> Result<BoardDescription, BoardFileError> {
  do throws(BoardFileError) {
    return .success(try BoardDescription.read(path: path))
  } catch {
    return .failure(error)
  }
}

extension Result {
  /// The error, if any.
  var failure: Failure? {
    if case .failure(let error) = self { return error }
    return nil
  }
}

/// Calls `body` with a new folder, which is removed afterwards.
func withTemporaryFolder<Value>(_ body: (URL) throws -> Value) throws -> Value {
  let folder = FileManager.default.temporaryDirectory.appending(path: "plumb-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { _ = try? FileManager.default.removeItem(at: folder) }
  return try body(folder)
}

extension SensorConfiguration {
  /// The configuration of an ADXL345's driver; nil for another model.
  var adxl345: ADXL345.Configuration? { model == .adxl345 ? ADXL345.Configuration(self) : nil }
  /// The configuration of an MPU-6050's driver; nil for another model.
  var mpu6050: MPU6050.Configuration? { model == .mpu6050 ? MPU6050.Configuration(self) : nil }
}

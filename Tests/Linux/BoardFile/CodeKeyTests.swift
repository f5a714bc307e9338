import BoardFile
import Foundation
import HAL
import Indication
import Orientation
import TestSupport
import Testing

extension BadBoards {
  static let oneHotKeys =
    "chip, code, portrait, portraitUpsideDown, landscapeLeft, landscapeRight, faceUp, faceDown, valid, idle, "
    + "active-low"
  static let binaryKeys = "chip, code, valid, bit0, bit1, bit2, idle, active-low"

  /// A board with coded lines, one line of which (counted from 1) is replaced.
  private static func coded(
    _ code: String, _ line: Int, _ other: String?, _ cause: BoardFileError.Cause, _ message: String,
    at place: Int? = nil
  ) -> BadBoard {
    let text = BoardFileText.replacing(line, with: other, in: BoardFileText.codedBoards[code] ?? [])
    return BadBoard(text: text, Int32(place ?? line), cause, message)
  }

  static let ofCodes = [
    coded(
      "binary", 11, "code = gray", .badValue(.code),
      "bad value \"gray\" of \"code\" in [lines]; allowed: leds, one-hot or binary"),
    coded(
      "binary", 11, "code =", .badValue(.code),
      "bad value \"\" of \"code\" in [lines]; allowed: leds, one-hot or binary"),
    coded(
      "binary", 11, "Code = binary", .unknownKey(.lines),
      "unknown key \"Code\" in [lines] (did you mean \"code\"?); allowed: \(lineKeys)"),
    // A key of another code, before and after the code, and without a code.
    coded(
      "binary", 16, "portrait = 17", .refused(.uncodedKey(.portrait)),
      "key \"portrait\" in [lines] does not apply with code = binary; allowed: \(binaryKeys)"),
    coded(
      "one-hot", 18, "bit1 = 5", .refused(.uncodedKey(.bit1)),
      "key \"bit1\" in [lines] does not apply with code = one-hot; allowed: \(oneHotKeys)"),
    coded(
      "one-hot", 11, "code = binary", .refused(.uncodedKey(.portrait)),
      "key \"portrait\" in [lines] does not apply with code = binary; allowed: \(binaryKeys)", at: 12),
    coded(
      "one-hot", 11, "code = leds", .refused(.uncodedKey(.valid)),
      "key \"valid\" in [lines] does not apply with code = leds; allowed: \(lineKeys)", at: 18),
    coded(
      "one-hot", 11, nil, .refused(.uncodedKey(.valid)),
      "key \"valid\" in [lines] does not apply with code = leds; allowed: \(lineKeys)", at: 17),
    BadBoard(
      text: BoardFileText.whole + "code = binary\n", 11, .refused(.uncodedKey(.portrait)),
      "key \"portrait\" in [lines] does not apply with code = binary; allowed: \(binaryKeys)"),
    // A pin is used once, and must be on the header.
    coded(
      "one-hot", 18, "valid = 27", .refused(.taken(.valid, by: .portraitUpsideDown, firstLine: 13)),
      "GPIO 27 of \"valid\" in [lines] is already used by \"portraitUpsideDown\" in line 13; \(gpioRange), each for one line"
    ),
    coded(
      "binary", 15, "bit2 = 5", .refused(.taken(.bit2, by: .valid, firstLine: 12)),
      "GPIO 5 of \"bit2\" in [lines] is already used by \"valid\" in line 12; \(gpioRange), each for one line"),
    coded(
      "binary", 12, "valid = 2", .refused(.reserved(.valid)), "GPIO 2 of \"valid\" in [lines] \(reserved); \(gpioRange)"
    ),
    coded(
      "binary", 14, "bit1 = 40", .refused(.outOfRange(.bit1)),
      "GPIO 40 of \"bit1\" in [lines] is not on the header; \(gpioRange)"),
    coded("binary", 13, "bit0 = yes", .badValue(.bit0), "bad value \"yes\" of \"bit0\" in [lines]; \(gpioRange)"),
    coded(
      "binary", 15, "code = one-hot", .doubledKey(.code, firstLine: 11),
      "duplicate key \"code\" in [lines], first in line 11; allowed: each key once"),
    // The list of keys is that of the code.
    coded(
      "binary", 15, "bit3 = 20", .unknownKey(.lines),
      "unknown key \"bit3\" in [lines] (did you mean \"bit0\"?); allowed: \(binaryKeys)"),
    coded(
      "one-hot", 19, "gpio = 20", .unknownKey(.lines), "unknown key \"gpio\" in [lines]; allowed: \(oneHotKeys)"),
  ]
}

struct CodeKeys {
  static let pins: [String: [String: UInt32]] = [
    "leds": [
      "portrait": 17, "portraitUpsideDown": 27, "landscapeLeft": 22, "landscapeRight": 23, "faceUp": 24, "faceDown": 25,
    ],
    "one-hot": [
      "valid": 5, "portrait": 17, "portraitUpsideDown": 27, "landscapeLeft": 22, "landscapeRight": 23, "faceUp": 24,
      "faceDown": 25,
    ],
    "binary": ["valid": 5, "bit0": 6, "bit1": 12, "bit2": 13],
  ]
  /// The keys in the order of the lines.
  static let orders: [String: [String]] = [
    "leds": ["portrait", "portraitUpsideDown", "landscapeLeft", "landscapeRight", "faceUp", "faceDown"],
    "one-hot": ["valid", "portrait", "portraitUpsideDown", "landscapeLeft", "landscapeRight", "faceUp", "faceDown"],
    "binary": ["valid", "bit0", "bit1", "bit2"],
  ]

  private static func lines(_ code: String) -> [String] { BoardFileText.codedBoards[code] ?? BoardFileText.lines }

  @Test(arguments: ["leds", "one-hot", "binary"])
  func `every line of a code is read`(_ code: String) throws {
    let board = try outcome(BoardFileText.text(Self.lines(code))).get()
    let order = try require(Self.orders[code])
    expect(board.lines.code.name.description, equals: code)
    expect(board.lines.count, equals: order.count)
    expect((0..<board.lines.count).map { board.lines.key(of: $0).name.description }, equals: order)
    expect((0..<board.lines.count).map { board.lines.offsets[$0] }, equals: order.map { Self.pins[code]?[$0] })
    for index in board.lines.count..<7 { expect(board.lines.offsets[index], equals: 0) }
    for raw in 0..<UInt8(Pose.count) {
      let pose = try require(Pose(rawValue: raw))
      expect(board.lines.offset(of: pose), equals: Self.pins[code]?[pose.name.description])
    }
    expect(that: board.lines.isActiveLow)
  }

  @Test func `idle lines are all on except the valid line`() throws {
    let table: [(code: String, on: UInt32)] = [("leds", 0b11_1111), ("one-hot", 0b111_1110), ("binary", 0b1110)]
    for (code, on) in table {
      let lines = Self.lines(code)
      let line = try require(BoardFileText.line(of: "idle", in: lines))
      try expect(outcome(BoardFileText.text(lines)).get().lines.idle.bits, equals: on)
      // Wherever the code is in the section.
      let late = ["[lines]", "idle = on"] + lines.drop { $0 != "[lines]" }.dropFirst().filter { $0 != "idle = on" }
      try expect(outcome(BoardFileText.text(lines.prefix { $0 != "[lines]" } + late)).get().lines.idle.bits, equals: on)
      try expect(outcome(BoardFileText.replacing(line, with: "idle = off", in: lines)).get().lines.idle, equals: .off)
      try expect(outcome(BoardFileText.replacing(line, with: nil, in: lines)).get().lines.idle, equals: .off)
    }
  }

  @Test(arguments: ["leds", "one-hot", "binary"])
  func `a missing line is reported and named`(_ code: String) throws {
    let lines = Self.lines(code)
    for name in try require(Self.orders[code]) {
      let line = try require(BoardFileText.line(of: name, in: lines))
      let error = try require(outcome(BoardFileText.replacing(line, with: nil, in: lines)).failure)
      guard case .missingKey(let key) = error.cause else {
        Issue.record("without \(name): \(error)")
        continue
      }
      expect(key.name.description, equals: name)
      expect(that: key.isRequired(with: try outcome(BoardFileText.text(lines)).get().lines.code))
      expect(error.line, equals: 9)
      expect(
        error.message.description, equals: "missing key \"\(name)\" in [lines]; allowed: a GPIO number from 4 to 27")
    }
  }

  @Test func `the order of the keys is free`() throws {
    for code in ["one-hot", "binary"] {
      let lines = Self.lines(code)
      let board = try outcome(BoardFileText.text(lines)).get()
      let turned = Array(lines[..<9]) + lines[9...].reversed()
      try expect(outcome(BoardFileText.text(turned)).get(), equals: board)
    }
  }

  @Test func `the default code is leds`() throws {
    let named = BoardFileText.replacing(10, with: "chip = pinctrl-rp1\ncode = leds")
    try expect(outcome(named).get(), equals: try outcome(BoardFileText.whole).get())
  }

  @Test func `only the three codes are accepted`() throws {
    let lines = Self.lines("binary")
    for value in ["Binary", "BINARY", "binary2", "bin", "onehot", "one_hot", "one hot", "led", "LEDs", "0", "2"] {
      let error = outcome(BoardFileText.replacing(11, with: "code = \(value)", in: lines)).failure
      expect(error?.cause, equals: .badValue(.code), "\(value)")
    }
  }

  /// The folder `boards` of the package.
  private let boards = URL(filePath: #filePath).appending(path: "../../../../boards").standardized

  @Test(arguments: ["one-hot", "binary"])
  func `the shipped board of a code differs only in the lines`(_ code: String) throws {
    var board = try BoardDescription.read(path: boards.appending(path: "emulated-\(code).ini").path)
    expect(board.lines.code.name.description, equals: code)
    expect(that: board.lines.isEmulated)
    expect(board.lines.idle, equals: .off)
    expect(that: !board.lines.isActiveLow)
    board.lines = BoardDescription.emulated.lines
    expect(board, equals: .emulated)
  }
}

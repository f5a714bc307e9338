import Foundation
import TestSupport
import Testing

/// `plumb run` on boards with coded lines.
struct CodedPinsTests {
  /// The lines that are on in each known pose, spelt out.
  private static let binary: [String: [String]] = [
    "portrait": ["valid"], "portraitUpsideDown": ["valid", "bit0"], "landscapeLeft": ["valid", "bit1"],
    "landscapeRight": ["valid", "bit0", "bit1"], "faceUp": ["valid", "bit2"], "faceDown": ["valid", "bit0", "bit2"],
  ]
  private static let keys: [String: Set<String>] = [
    "binary": ["valid", "bit0", "bit1", "bit2"], "one-hot": Set(PoseModel.names + ["valid"]),
  ]
  /// The rows of text, with the look of each pose and of none.
  private static let rows: [String: [String: String]] = [
    "binary": [
      "portrait": "[V 000]", "portraitUpsideDown": "[V 001]", "landscapeLeft": "[V 010]", "landscapeRight": "[V 011]",
      "faceUp": "[V 100]", "faceDown": "[V 101]",
    ],
    "one-hot": [
      "portrait": "[V P·····]", "portraitUpsideDown": "[V ·U····]", "landscapeLeft": "[V ··L···]",
      "landscapeRight": "[V ···R··]", "faceUp": "[V ····F·]", "faceDown": "[V ·····D]",
    ],
  ]

  private static func run(_ code: String, _ more: String...) throws -> Tool {
    try Tool.run(arguments: ["run", "--board", Tool.board("emulated-\(code)"), "--speed", "fast"] + more)
  }

  @Test(arguments: ["one-hot", "binary"])
  static func `JSON names the code and the lines that are on, at every pose`(code: String) throws {
    let result = try run(code, "--format", "json")
    expect(result.exitCode, equals: 0)
    expect(result.errors, equals: "")
    let poses = try result.events("pose")
    expect(Set(poses.compactMap { $0["to"] as? String }), equals: Set(PoseModel.names))
    for event in poses {
      let pose = try unwrapped(event["to"] as? String)
      let lines = try unwrapped(event["lines"] as? [String: Int])
      #expect(event["code"] as? String == code && event["leds"] == nil)
      expect(Set(lines.keys), equals: Self.keys[code])
      let on = code == "binary" ? try unwrapped(Self.binary[pose]) : ["valid", pose]
      expect(Set(lines.filter { $0.value == 1 }.keys), equals: Set(on), "\(pose)")
      expect(all: lines.values) { $0 == 0 || $0 == 1 }
    }
  }

  @Test(arguments: ["one-hot", "binary"])
  static func `text shows the lines of each pose, and no valid line in trouble`(code: String) throws {
    let result = try run(code)
    let rows = result.output.split(separator: "\n").map(String.init)
    let wanted = try unwrapped(Self.rows[code])
    for (pose, row) in wanted {
      let words = try unwrapped(PoseModel.words[pose])
      expect(any: rows, "\(pose)") { $0.contains("  \(row)  \(words) ") }
    }
    let trouble = rows.filter { $0.contains("pose unknown: ") }
    expect(trouble.count, equals: 1)
    expect(that: trouble.allSatisfy { $0.contains("[· ") })
    // All columns are below their headings.
    let heading = try unwrapped(rows.first { $0.contains("    time  lines") })
    let place = try unwrapped(heading.range(of: "pose")).lowerBound.utf16Offset(in: heading)
    let row = try unwrapped(rows.first { $0.contains("  landscape, left") })
    try expect(unwrapped(row.range(of: "landscape, left")).lowerBound.utf16Offset(in: row), equals: place)
  }

  @Test(arguments: ["one-hot", "binary"])
  static func `a change of poses takes three requests, a loss two, and nothing blinks`(code: String) throws {
    func writes(_ arguments: [String]) throws -> Int {
      let board = Tool.board("emulated-\(code)")
      let result = try Tool.run(
        arguments: ["run", "--board", board, "--speed", "fast", "--format", "json"] + arguments)
      return try unwrapped(try unwrapped(try result.objects.last)["output_writes"] as? Int)
    }
    // Before the first pose no valid line needs to go off; portrait is 0, so its bits need no request.
    let first = code == "binary" ? 1 : 2
    try expect(writes(["--motion", "hold", "--duration", "5"]), equals: first)
    try expect(writes(["--motion", "hold", "--duration", "50"]), equals: first)
    // The first pose, six others, and the fault with the pose before it.
    let tumble = try run(code, "--format", "json")
    let poses = try tumble.events("pose").compactMap { $0["to"] as? String }
    let changes = zip(poses, poses.dropFirst()).filter { $0 != $1 }.count
    try expect(writes([]), equals: first + 3 * changes + 4)
  }

  @Test(arguments: ["one-hot", "binary"])
  static func `cross-fading is rejected: two alternating codes would be wrong`(code: String) throws {
    let result = try Tool.run(
      "interface", "--board", Tool.board("emulated-\(code)"), "--speed", "fast", "--cross-fade")
    expect(result.exitCode, equals: 64)
    expect(result.errors, contains: "--cross-fade needs a board with LEDs")
  }

  @Test
  static func `boards names the lines of a code, and their meaning`() throws {
    let result = try Tool.run("boards", Tool.board("emulated-binary"))
    expect(result.output, contains: "valid              GPIO17  header pin 11   the other lines show a pose")
    expect(result.output, contains: "bit2               GPIO24  header pin 18   bit 2 of the pose number is 1")
    let json = try Tool.run("boards", Tool.board("emulated-binary"), "--format", "json").events("board")
    expect(json.first?["lines"] as? [String: Int], equals: ["valid": 17, "bit0": 22, "bit1": 23, "bit2": 24])
    expect(json.first?["code"] as? String, equals: "binary")
  }
}

extension CodedPinsTests {
  /// The header pin of each line, from the table of the header in hardware.md.
  private static let pins: [String: [String: Int]] = [
    "binary": ["valid": 11, "bit0": 15, "bit1": 16, "bit2": 18, "common": 20],
    "one-hot": [
      "valid": 36, "portrait": 11, "portraitUpsideDown": 13, "landscapeLeft": 15, "landscapeRight": 16, "faceUp": 18,
      "faceDown": 22, "common": 39,
    ],
  ]

  /// The names of poses in the picture.
  private static let short = [
    "portraitUpsideDown": "upside down", "landscapeLeft": "left down", "landscapeRight": "right down",
    "faceUp": "face up", "faceDown": "face down",
  ]

  @Test(arguments: ["one-hot", "binary"])
  func `wiring has each line at its pin, and a common ground with the reader`(code: String) throws {
    let board = Tool.board("emulated-\(code)")
    let found = try Tool.run("wiring", "--board", board, "--format", "json").events("connection")
      .filter { $0["part"] as? String == "reader" }
    let pins = try Dictionary(
      uniqueKeysWithValues: found.map { (try unwrapped($0["pin"] as? String), try unwrapped($0["header_pin"] as? Int)) }
    )
    expect(pins, equals: Self.pins[code])
    let text = try Tool.run("wiring", "--board", board).output
    let picture = try Tool.run("wiring", "--board", board, "--format", "svg").output
    for word in ["LED", "330"] { #expect(!text.contains(word) && !picture.contains(word + "s<"), "\(word)") }
    for (name, pin) in pins where name != "common" {
      #expect(text.contains(" \(pin) ") && picture.contains(">\(Self.short[name] ?? name)</text>"))
    }
    expect(all: text.split(separator: "\n")) { $0.count <= 80 }
  }
}

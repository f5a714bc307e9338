import Foundation
import TestSupport
import Testing

/// `plumb tare` and `plumb level` on emulated boards of both sensors.
struct TareCommandTests {
  private static func run(_ arguments: [String]) throws -> Tool { try Tool.run(arguments: arguments) }

  private static let angles = ["pitch_deg", "roll_deg", "inclination_deg"]

  @Test(
    arguments: ["adxl345", "mpu6050"],
    ["hold", "portraitUpsideDown", "landscapeLeft", "landscapeRight", "faceUp", "faceDown"])
  static func `at the tare every angle is 0, and undone the file is as before, to the byte`(
    model: String, motion: String
  ) throws {
    let board = try BoardCopy(BoardCopy.emulated(model, sensor: "", emulation: "seed = 3"))
    defer { remove(board.folder) }
    let before = try board.text
    let read = ["read", "--board", board.path, "--motion", motion, "--average", "50", "--format", "json"]
    let plain = try require(run(read).events("read").first)
    let tare = try run(["tare", "--board", board.path, "--motion", motion, "--speed", "fast", "--format", "json"])
    expect(tare.exitCode, equals: 0, "\(tare.errors)")
    let told = try require(tare.events("tare").first)
    expect(told["written"] as? Bool, equals: true)
    expect(that: told["before"] is NSNull)
    expect((told["up"] as? [Double])?.count, equals: 3)
    #expect(try board.text.hasPrefix(before) && board.text.contains("\n[tare]\n"))
    let seen = try require(run(read).events("read").first)
    // The noise of fifty samples is a few hundredths of a degree.
    for angle in Self.angles { expect(abs(try require(seen[angle] as? Double)), isBelow: 0.3, "\(angle) \(seen)") }
    for angle in ["angle_deg", "level_deg", "steering_deg"] where !(plain["angle_deg"] is NSNull) {
      expect(abs(try require(seen[angle] as? Double)), isBelow: 0.3, "\(angle) \(seen)")
    }
    expect(seen["pose"] as? String, equals: plain["pose"] as? String)
    let again = try run(["tare", "--board", board.path, "--motion", motion, "--speed", "fast"])
    expect(again.exitCode, equals: 0)
    expect(again.output, contains: "the file had another one")
    let undone = try run(["tare", "--board", board.path, "--undo"])
    expect(undone.exitCode, equals: 0)
    expect(undone.output, contains: "no longer has a tare")
    try expect(board.text, equals: before)
    try expect(run(["tare", "--board", board.path, "--undo"]).output, contains: "Nothing to undo")
    try expect(board.text, equals: before)
  }

  @Test static func `comments, other keys and line ends stay`() throws {
    for (text, end) in [
      ("\n[tare]\n# mine\nup = 0 0 1 # flat\n", "\n"), ("\r\n[tare]\r\n# mine\r\nup = 0 0 1\r\n", "\r\n"),
    ] {
      let base = BoardCopy.emulated("adxl345", sensor: "").replacing("\n", with: end)
      let board = try BoardCopy(base + text)
      defer { remove(board.folder) }
      try expect(run(["tare", "--board", board.path, "--speed", "fast"]).exitCode, equals: 0)
      try expect(that: board.text.hasPrefix(base + text.prefix(text.count - 12).prefix(8)))
      try expect(that: board.text.contains("# mine"))
      try expect(run(["tare", "--board", board.path, "--undo"]).exitCode, equals: 0)
      try expect(board.text, equals: base + end + "[tare]" + end + "# mine" + end)
    }
  }

  @Test static func `a board that moves changes nothing`() throws {
    let board = try BoardCopy(BoardCopy.emulated("adxl345", sensor: ""))
    defer { remove(board.folder) }
    let before = try board.text
    let result = try run(["tare", "--board", board.path, "--motion", "shake", "--speed", "fast", "--timeout", "5"])
    expect(result.exitCode, equals: 65)
    expect(result.errors, contains: "the board was not held still; nothing was written")
    try expect(board.text, equals: before)
    let dry = try run(["tare", "--board", board.path, "--speed", "fast", "--dry-run"])
    expect(dry.exitCode, equals: 0)
    expect(dry.output, contains: "--dry-run")
    try expect(board.text, equals: before)
  }

  @Test(arguments: ["adxl345", "mpu6050"])
  static func `a levelled vehicle is level, and for one that leans it says what to raise`(model: String) throws {
    let board = try BoardCopy(
      BoardCopy.emulated(model, sensor: "", emulation: "seed = 3") + "\n[level]\nwheelbase = 3500\ntrack = 1850\n")
    defer { remove(board.folder) }
    let level = ["level", "--board", board.path, "--once", "--format", "json", "--motion"]
    let plain = try require(run(level + ["faceUp"]).events("level").first)
    expect(plain["tared"] as? Bool, equals: false)
    expect(abs(plain["nose_up_deg"] as? Double ?? 9), isBelow: 3)
    try expect(run(["tare", "--board", board.path, "--motion", "hold", "--speed", "fast"]).exitCode, equals: 0)
    let tared = try require(run(level + ["hold"]).events("level").first)
    expect(tared["tared"] as? Bool, equals: true)
    expect(abs(tared["nose_up_deg"] as? Double ?? 9), isBelow: 0.1)
    expect(abs(tared["right_up_deg"] as? Double ?? 9), isBelow: 0.1)
    // It leant back by 20°, so its back pointed down; upright, that is 20° higher.
    let upright = try require(run(level + ["portrait"]).events("level").first)
    expect(abs((upright["nose_up_deg"] as? Double ?? 0) - 20), isBelow: 0.5, "\(upright)")
    let raise = try require(upright["raise_mm"] as? [String: Double])
    expect(Set(raise.keys), equals: ["left", "right", "jockey"])
    expect(abs((raise["jockey"] ?? 0) + 3_500 * sin(20 * .pi / 180)), isBelow: 40)
    let words = try run(["level", "--board", board.path, "--once", "--motion", "portrait"]).output
    expect(that: words.contains("the nose is "), "\(words)")
    expect(that: words.contains("Lower the jockey wheel by "), "\(words)")
  }

  @Test(arguments: [
    (["tare"], "Give --board FILE"),
    (["tare", "--from", "unix:/nowhere/s", "--motion", "hold"], "--motion and --from"),
    (["level", "--once", "--follow"], "--once"), (["level", "--track", "99"], "--track takes"),
    (["level", "--wheelbase", "20001"], "--wheelbase takes"),
    (["level", "--vehicle", "boat"], "no kind of vehicle 'boat'"),
  ])
  static func `wrong usage is explained in words`(arguments: [String], words: String) throws {
    let result = try run(arguments)
    expect(result.exitCode, equals: 64, "\(result.errors)")
    expect(that: result.errors.contains(words), "\(result.errors)")
  }
}

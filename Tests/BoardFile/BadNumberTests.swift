import BoardFile
import Orientation
import Testing

let threeOffsets = "three numbers from -2 to 2 (g), at most 6 decimals, such as 0.0125 -0.03 0.1"
let threeScales = "three numbers from 0.5 to 1.999, at most 6 decimals, such as 1.01 0.985 1"
let seeds = "a whole number from 0 to 18446744073709551615"
let onlyEmulated = "allowed: [emulation] only where \"bus\" in [i2c] is emulated"

/// Calibration and emulation.
extension BadBoards {
  /// A file of a board with a line more in [sensor], line 9.
  private static func sensor(_ line: String, _ key: BoardKey, allowed: String) -> BadBoard {
    let value = line.drop { $0 != "=" }.dropFirst(2)
    return BadBoard(
      8, "mounting = -y +x +z\n" + line, .badValue(key),
      "bad value \"\(value)\" of \"\(key.name)\" in [sensor]; "
        + "allowed: \(allowed)", at: 9)
  }

  static let ofNumbers = [
    sensor("offset = 0.1 0.2", .offset, allowed: threeOffsets),
    sensor("offset = 0 0 2.000001", .offset, allowed: threeOffsets),
    sensor("offset = 0 -2.000001 0", .offset, allowed: threeOffsets),
    sensor("offset = 0.0000001 0 0", .offset, allowed: threeOffsets),
    sensor("offset = 0,1 0 0", .offset, allowed: threeOffsets),
    sensor("scale = 1 1 2", .scale, allowed: threeScales),
    sensor("scale = 1 0.499999 1", .scale, allowed: threeScales),
    sensor("scale = -1 1 1", .scale, allowed: threeScales),
    sensor("scale = 1", .scale, allowed: threeScales),
    BadBoard(
      8, "offset = 0 0 0\noffset = 0 0 0", .doubledKey(.offset, firstLine: 8),
      "duplicate key \"offset\" in [sensor], first in line 8; allowed: each key once", at: 9),
  ]

  /// An emulated board (its [emulation] in line 19) with `lines` there.
  private static func emulated(
    _ place: Int32, _ lines: String, _ cause: BoardFileError.Cause, _ message: String
  ) -> BadBoard {
    let text = BoardText.replacing(2, with: "bus = emulated") + "[emulation]\n" + lines + "\n"
    return BadBoard(text: text, place, cause, message)
  }

  static let ofEmulation = [
    BadBoard(
      text: BoardText.whole + "[emulation]\n", 19, .realBus,
      "section [emulation] with the bus \"/dev/i2c-1\"; \(onlyEmulated)"),
    // Found when the bus comes, and told where the section is.
    BadBoard(
      text: "[emulation]\nseed = 7\n" + BoardText.whole, 1, .realBus,
      "section [emulation] with the bus \"/dev/i2c-1\"; \(onlyEmulated)"),
    emulated(
      20, "[emulation]", .doubledSection(.emulation, firstLine: 19),
      "duplicate section [emulation], first in line 19; allowed: each section once"),
    emulated(20, "seed = -1", .badValue(.seed), "bad value \"-1\" of \"seed\" in [emulation]; allowed: \(seeds)"),
    emulated(
      20, "seed = 18446744073709551616", .badValue(.seed),
      "bad value \"18446744073709551616\" of \"seed\" in [emulation]; allowed: \(seeds)"),
    emulated(
      21, "seed = 1\noffset-error = 200.001", .badValue(.offsetError),
      "bad value \"200.001\" of \"offset-error\" in [emulation]; allowed: a number from 0 to 200 (mg), at most 3 decimals"
    ),
    emulated(
      20, "scale-error = 3 %", .badValue(.scaleError),
      "bad value \"3 %\" of \"scale-error\" in [emulation]; allowed: a number from 0 to 10 (%), at most 3 decimals"),
    emulated(
      20, "mounting = up", .badValue(.emulatedMounting),
      "bad value \"up\" of \"mounting\" in [emulation]; allowed: \(mountings)"),
    emulated(
      20, "mounting = +y +x +z", .impossibleMounting(.leftHanded),
      "impossible mounting \"+y +x +z\", it is left-handed, a mirrored sensor; allowed: \(mountings)"),
    emulated(
      20, "range = 4", .unknownKey(.emulation),
      "unknown key \"range\" in [emulation] (did you mean \"range\" in [sensor]?); "
        + "allowed: seed, offset-error, scale-error, mounting"),
    BadBoard(
      10, "seed = 1", .unknownKey(.lines),
      "unknown key \"seed\" in [lines] (did you mean \"seed\" in [emulation]?); allowed: \(lineKeys)"),
  ]

  @Test func `every real bus is no place for an emulation`() throws {
    let boards = try #require(BoardText.emulatedBoards["mpu6050"])
    let text = BoardText.replacing(2, with: "bus = /" + String(repeating: "d", count: 62), in: boards)
    let error = try #require(outcome(text).failure)
    #expect(error.cause == .realBus)
    #expect(error.line == Int32(1 + (boards.firstIndex(of: "[emulation]") ?? -1)))
    #expect(error.message.description.hasSuffix("ddd...\"; \(onlyEmulated)"))
  }
}

import BoardFile
import Orientation
import Testing

/// A broken file and what must be said about it.
struct BadBoard: Sendable, CustomTestStringConvertible {
  var text: String
  var line: Int32
  var cause: BoardFileError.Cause
  var message: String

  /// A file whose line `line` is replaced.
  ///
  /// The error is at `place`, where that is another line.
  init(
    _ line: Int, _ other: String, _ cause: BoardFileError.Cause, _ message: String, at place: Int? = nil
  ) {
    self.init(text: BoardText.replacing(line, with: other), Int32(place ?? line), cause, message)
  }

  init(text: String, _ line: Int32, _ cause: BoardFileError.Cause, _ message: String) {
    self.text = text
    self.line = line
    self.cause = cause
    self.message = message
  }

  var testDescription: String { message }
}

let gpioRange = "allowed: a GPIO number from 4 to 27"
let lineKeys =
  "chip, code, portrait, portraitUpsideDown, landscapeLeft, landscapeRight, faceUp, faceDown, idle, active-low"
let sensorKeys = "model, address, rate, range, mounting, offset, scale, data-ready"
let mountings = "the sensor's axes along the board's X, Y and Z, such as +x +y +z or -y +x +z"
let labels = "emulated, raspberry-pi, or the label of a GPIO chip (at most 31 characters)"
let buses = "emulated, or a device such as /dev/i2c-1 (at most 63 characters)"
let key47 = String(repeating: "k", count: 47)
let reserved = "is reserved, 0 and 1 for the EEPROM of a HAT, 2 and 3 for the I2C bus"
let lineForms = "allowed: [section], key = value, and comments after # or ;"

@Suite struct BadBoards {
  static let structure = [
    BadBoard(text: "", 0, .empty, "nothing in this board file; allowed: sections [i2c], [sensor] and [lines]"),
    BadBoard(
      text: "\u{FEFF}# words\n\n ; more\n", 0, .empty,
      "nothing in this board file; allowed: sections [i2c], [sensor] and [lines]"),
    BadBoard(
      text: "\n# words\nbus = x\n[i2c]\n", 3, .outsideSection,
      "key \"bus\" before the first section; allowed: [i2c], [sensor] or [lines] before it"),
    BadBoard(
      9, "[line]", .unknownSection,
      "unknown section \"line\" (did you mean \"lines\"?); allowed: i2c, sensor, lines, filter, emulation"),
    BadBoard(9, "[gpio]", .unknownSection, "unknown section \"gpio\"; allowed: i2c, sensor, lines, filter, emulation"),
    BadBoard(9, "[]", .unknownSection, "unknown section \"\"; allowed: i2c, sensor, lines, filter, emulation"),
    BadBoard(
      text: BoardText.whole + "[empty]", 19, .unknownSection,
      "unknown section \"empty\"; allowed: i2c, sensor, lines, filter, emulation"),
    BadBoard(
      text: BoardText.whole + "[i2c]\n", 19, .doubledSection(.i2c, firstLine: 1),
      "duplicate section [i2c], first in line 1; allowed: each section once"),
    BadBoard(
      text: BoardText.text(Array(BoardText.lines[2...])), 0, .missingSection(.i2c),
      "missing section [i2c]; allowed: [i2c], [sensor] and [lines], all three"),
    BadBoard(
      text: BoardText.text(Array(BoardText.lines[..<8])), 0, .missingSection(.lines),
      "missing section [lines]; allowed: [i2c], [sensor] and [lines], all three"),
    BadBoard(9, "[lines", .malformedLine, "cannot understand \"[lines\"; \(lineForms)"),
    BadBoard(9, "[lines] portrait = 4", .malformedLine, "cannot understand \"[lines] portrait = 4\"; \(lineForms)"),
    BadBoard(11, "portrait 17", .malformedLine, "cannot understand \"portrait 17\"; \(lineForms)"),
    BadBoard(18, "yes", .malformedLine, "cannot understand \"yes\"; \(lineForms)"),
    BadBoard(2, "bus # = /dev/i2c-1", .malformedLine, "cannot understand \"bus\"; \(lineForms)"),
    BadBoard(
      12, String(repeating: "k", count: 100) + " = " + String(repeating: "v", count: 88), .lineTooLong,
      "line too long, it begins \"\(key47)...\"; allowed: at most 190 bytes besides the comment"),
    BadBoard(
      text: BoardText.replacing(3, with: "# \u{1B}[31m"), 3, .notText,
      "not a text file, byte 0x1B; allowed: text in UTF-8"),
  ]

  static let keys = [
    BadBoard(
      11, "protrait = 17", .unknownKey(.lines),
      "unknown key \"protrait\" in [lines] (did you mean \"portrait\"?); allowed: \(lineKeys)"),
    BadBoard(
      11, "oprtriat = 17", .unknownKey(.lines),
      "unknown key \"oprtriat\" in [lines] (did you mean \"portrait\"?); allowed: \(lineKeys)"),
    BadBoard(
      18, "active_low = yes", .unknownKey(.lines),
      "unknown key \"active_low\" in [lines] (did you mean \"active-low\"?); allowed: \(lineKeys)"),
    BadBoard(
      15, "FACEUP = 24", .unknownKey(.lines),
      "unknown key \"FACEUP\" in [lines] (did you mean \"faceUp\"?); allowed: \(lineKeys)"),
    BadBoard(
      10, "rate = 100", .unknownKey(.lines),
      "unknown key \"rate\" in [lines] (did you mean \"rate\" in [sensor]?); allowed: \(lineKeys)"),
    BadBoard(6, "odr = 100", .unknownKey(.sensor), "unknown key \"odr\" in [sensor]; allowed: \(sensorKeys)"),
    BadBoard(2, "= /dev/i2c-1", .unknownKey(.i2c), "unknown key \"\" in [i2c]; allowed: bus"),
    BadBoard(
      6, "Ωäß = 4", .unknownKey(.sensor),
      "unknown key \"\\xCE\\xA9\\xC3\\xA4\\xC3\\x9F\" in [sensor]; allowed: \(sensorKeys)"),
    BadBoard(
      17, "portrait = 17", .doubledKey(.portrait, firstLine: 11),
      "duplicate key \"portrait\" in [lines], first in line 11; allowed: each duplicate key once"),
    BadBoard(
      7, "rate = 100", .doubledKey(.rate, firstLine: 6),
      "key \"rate\" in [sensor], first in line 6; allowed: each key once"),
  ]

  static let values = [
    BadBoard(2, "bus = i2c-1", .badValue(.bus), "bad value \"i2c-1\" of \"bus\" in [i2c]; allowed: \(buses)"),
    BadBoard(
      4, "model = mpu9250", .badValue(.model),
      "bad value \"mpu9250\" of \"model\" in [sensor]; allowed: adxl345 or mpu6050"),
    BadBoard(
      5, "address = 0x54", .badValue(.address),
      "bad value \"0x54\" of \"address\" in [sensor]; allowed: 0x53 (SDO low) or 0x1D (SDO high)"),
    BadBoard(
      6, "rate = 1600", .badValue(.rate),
      "bad value \"1600\" of \"rate\" in [sensor]; allowed: a number from 1 to 800 (Hz), at most 3 decimals"),
    BadBoard(
      7, "range = 16g", .badValue(.range), "bad value \"16g\" of \"range\" in [sensor]; allowed: 2, 4, 8 or 16 (g)"),
    BadBoard(
      8, "mounting = x y z", .badValue(.mounting),
      "bad value \"x y z\" of \"mounting\" in [sensor]; allowed: \(mountings)"),
    BadBoard(
      8, "mounting = +x +y -x", .impossibleMounting(.axisTwice),
      "impossible mounting \"+x +y -x\", it names one sensor axis twice; allowed: \(mountings)"),
    BadBoard(
      8, "mounting = +y +x +z", .impossibleMounting(.leftHanded),
      "impossible mounting \"+y +x +z\", it is left-handed, a mirrored sensor; allowed: \(mountings)"),
    BadBoard(
      10, "chip = /dev/gpiochip0", .badValue(.chip),
      "bad value \"/dev/gpiochip0\" of \"chip\" in [lines]; allowed: \(labels)"),
    BadBoard(
      11, "portrait = GPIO17", .badValue(.portrait), "bad value \"GPIO17\" of \"portrait\" in [lines]; \(gpioRange)"),
    BadBoard(11, "portrait =", .badValue(.portrait), "bad value \"\" of \"portrait\" in [lines]; \(gpioRange)"),
    BadBoard(
      11, "portrait = 17\" \\ 日", .badValue(.portrait),
      "bad value \"17\\\" \\\\ \\xE6\\x97\\xA5\" of \"portrait\" in [lines]; \(gpioRange)"),
    BadBoard(
      16, "faceDown = 28", .outOfRange(.faceDown),
      "GPIO 28 of \"faceDown\" in [lines] is not on the header; \(gpioRange)"),
    BadBoard(
      16, "faceDown = 99999999999999999999", .outOfRange(.faceDown),
      "GPIO 99999999999999999999 of \"faceDown\" in [lines] is not on the header; \(gpioRange)"),
    BadBoard(
      16, "faceDown = 3", .reserved(.faceDown),
      "GPIO 3 of \"faceDown\" in [lines] \(reserved); \(gpioRange)"),
    BadBoard(
      16, "faceDown = 27", .taken(.faceDown, by: .portraitUpsideDown, firstLine: 12),
      "GPIO 27 of \"faceDown\" in [lines] is already used by \"portraitUpsideDown\" in line 12; \(gpioRange), each for one line"
    ),
    BadBoard(17, "idle = dark", .badValue(.idle), "bad value \"dark\" of \"idle\" in [lines]; allowed: off or on"),
    BadBoard(
      18, "active-low = true", .badValue(.activeLow),
      "bad value \"true\" of \"active-low\" in [lines]; allowed: yes or no"),
  ]

  @Test(arguments: structure + keys + values + ofAnMPU6050 + ofNumbers + ofEmulation + ofCodes)
  func `is refused`(_ bad: BadBoard) throws {
    let error = try #require(outcome(bad.text).failure)
    #expect(error.cause == bad.cause)
    #expect(error.line == bad.line)
    #expect(error.message.description == bad.message)
    #expect(error.exitCode == 78)
    let place = bad.line > 0 ? "my board.ini:\(bad.line)" : "my board.ini"
    #expect(error.description(file: "my board.ini") == "\(place): \(bad.message)")
  }

  @Test func `the first error of the file is reported`() throws {
    var lines = BoardText.lines
    lines[10] = "portrait 17"
    lines[12] = "landscapeLeft = 0"
    lines[15] = "[more]"
    #expect(outcome(BoardText.text(lines)).failure?.line == 11)
    lines[10] = "portrait = 17"
    #expect(outcome(BoardText.text(lines)).failure?.cause == .reserved(.landscapeLeft))
    lines[12] = "landscapeLeft = 4"
    #expect(outcome(BoardText.text(lines)).failure?.line == 16)
  }
}

import BoardFile
import HAL
import Orientation
import Sensors
import TestSupport
import Testing
import Text

/// A broken file, and its error.
struct BadBoard: Sendable, CustomTestStringConvertible {
  var text: String
  var line: Int32
  var cause: BoardFileError.Cause
  var message: String

  /// A file whose line `line` is replaced.
  ///
  /// `place` is the line of the error, if it is another one.
  init(
    _ line: Int, _ other: String, _ cause: BoardFileError.Cause, _ message: String, at place: Int? = nil
  ) {
    self.init(text: BoardFileText.replacing(line, with: other), Int32(place ?? line), cause, message)
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
/// The names of all models, so no test has to list them.
let modelNames: String = {
  let names = SensorModel.all.map { "\($0.name)" }
  return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
}()
/// The keys of `[sensor]` in a file of such a model, so no test has to list them.
func sensorKeys(of model: SensorModel) -> [String] {
  var context = BoardContext()
  context.model = model
  return BoardKeys.all.filter { $0.section == .sensor && $0.applies(in: context) }.map { "\($0.name)" }
}
/// The same with an unknown model: those common to all models, and those of some.
let keysOfAnyModel: String = {
  let keys = SensorModel.all.map(sensorKeys)
  let sections = BoardKeys.all.filter { $0.section == .sensor }.map { "\($0.name)" }
  let shared = sections.filter { key in keys.allSatisfy { $0.contains(key) } }
  let others = sections.filter { key in !shared.contains(key) && keys.contains { $0.contains(key) } }
  return shared.joined(separator: ", ") + "; with some models " + others.joined(separator: ", ")
}()
let keysOfADXL345 = sensorKeys(of: .adxl345).joined(separator: ", ")
let keysOfMPU6050 = sensorKeys(of: .mpu6050).joined(separator: ", ")
let mountings = "the sensor's axes along the board's X, Y and Z, such as +x +y +z or -y +x +z"
let labels =
  "emulated, raspberry-pi, sense-hat, emulated-sense-hat, rp2040, or the label of a GPIO chip (at most 31 characters)"
let buses =
  "emulated, a device such as /dev/i2c-1 (at most 63 characters), or i2c0 or i2c1 of a Pico, such as i2c0 4 5"
let key47 = String(repeating: "k", count: 47)
let reserved = "is reserved, 0 and 1 for the EEPROM of a HAT, 2 and 3 for the I2C bus"
let lineForms = "allowed: [section], key = value, and comments after # or ;"

struct BadBoards {
  static let structure = [
    BadBoard(text: "", 0, .empty, "empty board file; required: the sections [i2c], [sensor] and [lines]"),
    BadBoard(
      text: "\u{FEFF}# words\n\n ; more\n", 0, .empty,
      "empty board file; required: the sections [i2c], [sensor] and [lines]"),
    BadBoard(
      text: "\n# words\nbus = x\n[i2c]\n", 3, .outsideSection,
      "key \"bus\" before the first section; allowed: keys below [i2c], [sensor] or [lines]"),
    BadBoard(
      9, "[line]", .unknownSection,
      "unknown section \"line\" (did you mean \"lines\"?); allowed: i2c, sensor, lines, filter, emulation, share, vibration, tare, level, taps, free-fall, power, poses"
    ),
    BadBoard(
      9, "[gpio]", .unknownSection,
      "unknown section \"gpio\"; allowed: i2c, sensor, lines, filter, emulation, share, vibration, tare, level, taps, free-fall, power, poses"
    ),
    BadBoard(
      9, "[]", .unknownSection,
      "unknown section \"\"; allowed: i2c, sensor, lines, filter, emulation, share, vibration, tare, level, taps, free-fall, power, poses"
    ),
    BadBoard(
      text: BoardFileText.whole + "[empty]", 19, .unknownSection,
      "unknown section \"empty\"; allowed: i2c, sensor, lines, filter, emulation, share, vibration, tare, level, taps, free-fall, power, poses"
    ),
    BadBoard(
      text: BoardFileText.whole + "[i2c]\n", 19, .doubledSection(.i2c, firstLine: 1),
      "duplicate section [i2c], first in line 1; allowed: each section once"),
    BadBoard(
      text: BoardFileText.text(Array(BoardFileText.lines[2...])), 0, .missingSection(.i2c),
      "missing section [i2c]; required: [i2c], [sensor] and [lines]"),
    BadBoard(
      text: BoardFileText.text(Array(BoardFileText.lines[..<8])), 0, .missingSection(.lines),
      "missing section [lines]; required: [i2c], [sensor] and [lines]"),
    BadBoard(9, "[lines", .malformedLine, "cannot understand \"[lines\"; \(lineForms)"),
    BadBoard(9, "[lines] portrait = 4", .malformedLine, "cannot understand \"[lines] portrait = 4\"; \(lineForms)"),
    BadBoard(11, "portrait 17", .malformedLine, "cannot understand \"portrait 17\"; \(lineForms)"),
    BadBoard(18, "yes", .malformedLine, "cannot understand \"yes\"; \(lineForms)"),
    BadBoard(2, "bus # = /dev/i2c-1", .malformedLine, "cannot understand \"bus\"; \(lineForms)"),
    BadBoard(
      12, String(repeating: "k", count: 100) + " = " + String(repeating: "v", count: 88), .lineTooLong,
      "line too long: \"\(key47)...\"; allowed: at most 190 bytes besides the comment"),
    BadBoard(
      text: BoardFileText.replacing(3, with: "# \u{1B}[31m"), 3, .notText,
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
    BadBoard(6, "odr = 100", .unknownKey(.sensor), "unknown key \"odr\" in [sensor]; allowed: \(keysOfADXL345)"),
    BadBoard(2, "= /dev/i2c-1", .unknownKey(.i2c), "unknown key \"\" in [i2c]; allowed: bus"),
    BadBoard(
      6, "Ωäß = 4", .unknownKey(.sensor),
      "unknown key \"\\xCE\\xA9\\xC3\\xA4\\xC3\\x9F\" in [sensor]; allowed: \(keysOfADXL345)"),
    BadBoard(
      17, "portrait = 17", .doubledKey(.portrait, firstLine: 11),
      "duplicate key \"portrait\" in [lines], first in line 11; allowed: each key once"),
    BadBoard(
      7, "rate = 100", .doubledKey(.rate, firstLine: 6),
      "duplicate key \"rate\" in [sensor], first in line 6; allowed: each key once"),
  ]

  static let values = [
    BadBoard(2, "bus = i2c-1", .badValue(.bus), "bad value \"i2c-1\" of \"bus\" in [i2c]; allowed: \(buses)"),
    BadBoard(
      4, "model = mpu9250", .badValue(.model),
      "bad value \"mpu9250\" of \"model\" in [sensor]; allowed: \(modelNames)"),
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
      8, "mounting = +x +y -x", .refused(.impossibleMounting(.axisTwice)),
      "impossible mounting \"+x +y -x\": it names one sensor axis twice; allowed: \(mountings)"),
    BadBoard(
      8, "mounting = +y +x +z", .refused(.impossibleMounting(.leftHanded)),
      "impossible mounting \"+y +x +z\": it is left-handed, like that of a mirrored sensor; allowed: \(mountings)"),
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
      16, "faceDown = 28", .refused(.outOfRange(.faceDown)),
      "GPIO 28 of \"faceDown\" in [lines] is not on the header; \(gpioRange)"),
    BadBoard(
      16, "faceDown = 99999999999999999999", .refused(.outOfRange(.faceDown)),
      "GPIO 99999999999999999999 of \"faceDown\" in [lines] is not on the header; \(gpioRange)"),
    BadBoard(
      16, "faceDown = 3", .refused(.reserved(.faceDown)),
      "GPIO 3 of \"faceDown\" in [lines] \(reserved); \(gpioRange)"),
    BadBoard(
      16, "faceDown = 27", .refused(.taken(.faceDown, by: .portraitUpsideDown, firstLine: 12)),
      "GPIO 27 of \"faceDown\" in [lines] is already used by \"portraitUpsideDown\" in line 12; \(gpioRange), each for one line"
    ),
    BadBoard(17, "idle = dark", .badValue(.idle), "bad value \"dark\" of \"idle\" in [lines]; allowed: off or on"),
    BadBoard(
      18, "active-low = true", .badValue(.activeLow),
      "bad value \"true\" of \"active-low\" in [lines]; allowed: yes or no"),
  ]

  @Test(arguments: structure + keys + values + ofAnMPU6050 + ofNumbers + ofEmulation + ofCodes)
  static func `a broken file is rejected, with its line, cause and message`(_ bad: BadBoard) throws {
    let error = try require(outcome(bad.text).failure)
    expect(error.cause, equals: bad.cause)
    expect(error.line, equals: bad.line)
    expect(error.message.description, equals: bad.message)
    expect(error.exitCode, equals: 78)
    let place = bad.line > 0 ? "my board.ini:\(bad.line)" : "my board.ini"
    expect(error.description(file: "my board.ini"), equals: "\(place): \(bad.message)")
  }

  @Test(arguments: SensorModel.all.map(\.self))
  static func `a sensor has the keys of what its part can do, and no other`(_ model: SensorModel) {
    let (keys, traits) = (sensorKeys(of: model), model.traits)
    expect(keys, contains: "model")
    for (names, has) in [
      (["data-ready"], traits.interruptPin != nil), (["batch"], traits.keepsSamples),
      (["unverified-parts"], traits.hasRelatives),
      (["gyroscope-range", "gyroscope-bias", "gyroscope-scale"], traits.hasGyroscope),
    ] {
      for name in names { expect(keys.contains(name), equals: has, "\(name) of an \(model.name)") }
    }
  }

  @Test static func `the first error of the file is reported`() throws {
    var lines = BoardFileText.lines
    lines[10] = "portrait 17"
    lines[12] = "landscapeLeft = 0"
    lines[15] = "[more]"
    expect(outcome(BoardFileText.text(lines)).failure?.line, equals: 11)
    lines[10] = "portrait = 17"
    expect(outcome(BoardFileText.text(lines)).failure?.cause, equals: .refused(.reserved(.landscapeLeft)))
    lines[12] = "landscapeLeft = 4"
    expect(outcome(BoardFileText.text(lines)).failure?.line, equals: 16)
  }
}

let threeOffsets = "three numbers from -2 to 2 (g), at most 6 decimals, such as 0.0125 -0.03 0.1"
let threeScales = "three numbers from 0.5 to 1.999, at most 6 decimals, such as 1.01 0.985 1"
let seeds = "a whole number from 0 to 18446744073709551615"
let onlyEmulated = "allowed: only with bus = emulated in [i2c]"

extension BadBoards {
  /// A file of a board with an extra line in [sensor], line 9.
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

  /// An emulated board (its [emulation] is in line 19) with `lines` there.
  private static func emulated(
    _ place: Int32, _ lines: String, _ cause: BoardFileError.Cause, _ message: String
  ) -> BadBoard {
    let text = BoardFileText.replacing(2, with: "bus = emulated") + "[emulation]\n" + lines + "\n"
    return BadBoard(text: text, place, cause, message)
  }

  static let ofEmulation = [
    BadBoard(
      text: BoardFileText.whole + "[emulation]\n", 19, .refused(.realBus),
      "section [emulation] with the bus \"/dev/i2c-1\"; \(onlyEmulated)"),
    // Found when the bus is read, and reported at the section.
    BadBoard(
      text: "[emulation]\nseed = 7\n" + BoardFileText.whole, 1, .refused(.realBus),
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
      20, "mounting = +y +x +z", .refused(.impossibleMounting(.leftHanded)),
      "impossible mounting \"+y +x +z\": it is left-handed, like that of a mirrored sensor; allowed: \(mountings)"),
    emulated(
      20, "range = 4", .unknownKey(.emulation),
      "unknown key \"range\" in [emulation] (did you mean \"range\" in [sensor]?); "
        + "allowed: seed, offset-error, scale-error, mounting"),
    BadBoard(
      10, "seed = 1", .unknownKey(.lines),
      "unknown key \"seed\" in [lines] (did you mean \"seed\" in [emulation]?); allowed: \(lineKeys)"),
  ]

  @Test func `no real bus allows an emulation`() throws {
    let boards = try require(BoardFileText.emulatedBoards["mpu6050"])
    let text = BoardFileText.replacing(2, with: "bus = /" + String(repeating: "d", count: 62), in: boards)
    let error = try require(outcome(text).failure)
    expect(error.cause, equals: .refused(.realBus))
    expect(error.line, equals: Int32(1 + (boards.firstIndex(of: "[emulation]") ?? -1)))
    expect(error.message.description, hasSuffix: "ddd...\"; \(onlyEmulated)")
  }
}

let addresses6050 = "0x68 (AD0 low) or 0x69 (AD0 high)"
let rates6050 = "a number from 1 to 1000 (Hz), at most 3 decimals"

extension BadBoards {
  /// A file of an MPU-6050 whose line `line` is replaced.
  private static func mpu6050(
    _ line: Int, _ other: String, _ cause: BoardFileError.Cause, _ message: String, at place: Int? = nil
  ) -> BadBoard {
    let text = BoardFileText.replacing(line, with: other, in: BoardFileText.mpu6050Lines)
    return BadBoard(text: text, Int32(place ?? line), cause, message)
  }

  static let ofAnMPU6050 = [
    mpu6050(
      5, "address = 0x53", .badValue(.address),
      "bad value \"0x53\" of \"address\" in [sensor]; allowed: \(addresses6050)"),
    mpu6050(
      6, "rate = 1000.001", .badValue(.rate), "bad value \"1000.001\" of \"rate\" in [sensor]; allowed: \(rates6050)"),
    mpu6050(
      7, "range = 32", .badValue(.range), "bad value \"32\" of \"range\" in [sensor]; allowed: 2, 4, 8 or 16 (g)"),
    mpu6050(
      9, "unverified-parts = true", .badValue(.unverifiedParts),
      "bad value \"true\" of \"unverified-parts\" in [sensor]; allowed: yes or no"),
    mpu6050(
      9, "unverified = yes", .unknownKey(.sensor),
      "unknown key \"unverified\" in [sensor]; allowed: \(keysOfMPU6050)"),
    mpu6050(
      10, "gyroscope-range = 125", .badValue(.gyroscopeRange),
      "bad value \"125\" of \"gyroscope-range\" in [sensor]; allowed: 250, 500, 1000 or 2000 (degrees per second)"),
    mpu6050(
      11, "gyroscope-bias = 0 0 40.000001", .badValue(.gyroscopeBias),
      "bad value \"0 0 40.000001\" of \"gyroscope-bias\" in [sensor]; "
        + "allowed: three numbers from -40 to 40 (degrees per second), at most 6 decimals, such as 2.7 -0.6 1.8"),
    mpu6050(
      12, "gyroscope-scale = 1 1 2", .badValue(.gyroscopeScale),
      "bad value \"1 1 2\" of \"gyroscope-scale\" in [sensor]; allowed: \(threeScales)"),
    mpu6050(
      4, "model = adxl345", .badValue(.address),
      "bad value \"0x69\" of \"address\" in [sensor]; allowed: 0x53 (SDO low) or 0x1D (SDO high)", at: 5),
    BadBoard(
      8, "unverified-parts = yes", .refused(.foreignKey(.unverifiedParts)),
      "key \"unverified-parts\" in [sensor] does not apply to an adxl345; allowed: \(keysOfADXL345)"),
    BadBoard(
      4, "odr = 1\nmodel = adxl345", .unknownKey(.sensor),
      "unknown key \"odr\" in [sensor]; allowed: \(keysOfAnyModel)"),
    BadBoard(
      8, "gyroscope-range = 500", .refused(.foreignKey(.gyroscopeRange)),
      "key \"gyroscope-range\" in [sensor] does not apply to an adxl345; allowed: \(keysOfADXL345)"),
    BadBoard(
      text: BoardFileText.whole + "[filter]\ngravity = fusion\n", 20, .refused(.noGyroscope),
      "fusion of \"gravity\" in [filter] needs a gyroscope, which an adxl345 does not have; "
        + "allowed: low-pass or adaptive"),
    // Found when the model is read, and reported at the filter.
    BadBoard(
      text: "[filter]\ngravity = fusion\n" + BoardFileText.whole, 2, .refused(.noGyroscope),
      "fusion of \"gravity\" in [filter] needs a gyroscope, which an adxl345 does not have; "
        + "allowed: low-pass or adaptive"),
    BadBoard(
      text: BoardFileText.text(BoardFileText.mpu6050Lines) + "[filter]\ngravity = fusion\ntime-constant = 0.2\n", 25,
      .refused(.fusionKey(.timeConstant)),
      "key \"time-constant\" in [filter] does not apply to fusion; allowed: only with gravity = low-pass or adaptive"),
    BadBoard(
      text: BoardFileText.text(BoardFileText.mpu6050Lines) + "[filter]\ntime-constant = 0.2\ngravity = fusion\n", 24,
      .refused(.fusionKey(.timeConstant)),
      "key \"time-constant\" in [filter] does not apply to fusion; allowed: only with gravity = low-pass or adaptive"),
    BadBoard(
      text: BoardFileText.text(BoardFileText.mpu6050Lines) + "[filter]\ngravity = lowpass\n", 24, .badValue(.gravity),
      "bad value \"lowpass\" of \"gravity\" in [filter]; allowed: fusion, low-pass or adaptive"),
    BadBoard(
      text: BoardFileText.whole + "[filter]\ngravity = lowpass\n", 20, .badValue(.gravity),
      "bad value \"lowpass\" of \"gravity\" in [filter]; allowed: low-pass or adaptive"),
  ]

  /// The keys of the sensor followed by `model`, with those in `wrong` changed.
  private func modelLast(_ wrong: [String]) -> String {
    let keys = ["unverified-parts = no", "range = 8", "address = 0x69", "rate = 125"]
    let changed = keys.map { key in wrong.first { $0.hasPrefix(key.prefix(while: { $0 != " " })) } ?? key }
    let head = Array(BoardFileText.lines[..<3])
    return BoardFileText.text(head + changed + ["model = mpu6050"] + BoardFileText.lines[8...])
  }

  @Test func `values before the model are checked against it too`() throws {
    let board = try outcome(modelLast([])).get()
    expect(board.sensor.model, equals: .mpu6050)
    expect(board.sensor.address.rawValue, equals: 0x69)
    for (wrong, line, key) in [
      ("unverified-parts = 1", 4, .unverifiedParts), ("range = 3", 5, .range), ("address = 0x53", 6, .address),
      ("rate = 1001", 7, .rate),
    ] as [(String, Int32, BoardKey)] {
      let error = try require(outcome(modelLast([wrong])).failure)
      expect(error.cause, equals: .badValue(key))
      expect(error.line, equals: line)
      expect(error.message.description, hasSuffix: "; allowed: \(key.allowed(with: .mpu6050))")
    }
  }

  @Test func `of several wrong values before the model the first in the file is reported`() throws {
    let several = ["rate = 1001", "address = 0x53", "range = 3"]
    for count in 1...3 {
      let error = try require(outcome(modelLast(Array(several[..<count]))).failure)
      expect(error.line, equals: Int32(8 - count))
    }
  }
}

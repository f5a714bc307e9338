import BoardFile
import FixedPoint
import Foundation
import HAL
import Orientation
import Sensors
import TestSupport
import Text
import Testing

struct GoodBoards {
  /// The folder `boards` of the package.
  let boards = URL(filePath: #filePath).appending(path: "../../../../boards").standardized

  let pins: InlineArray<6, UInt32> = [17, 27, 22, 23, 24, 25]

  @Test func `the emulated board is the built-in one`() throws {
    let board = try BoardDescription.read(path: boards.appending(path: "emulated.ini").path)
    expect(board, equals: .emulated)
    expect(board.bus, equals: .emulated)
    expect(that: board.lines.isEmulated)
    expect(board.sensor.address.rawValue, equals: 0x53)
    expect(board.sensor.configuration.adxl345, equals: ADXL345.Configuration(rate: .hz100, range: .g16))
    expect(board.sensor.mounting, equals: .aligned)
    expect(board.lines, equals: BoardDescription.Lines(chip: ShortText("emulated"), offsets: pins))
  }

  @Test func `the emulated board of an MPU-6050 differs only in the sensor and its abilities`() throws {
    var board = try BoardDescription.read(path: boards.appending(path: "emulated-mpu6050.ini").path)
    expect(board.sensor.address.rawValue, equals: 0x68)
    let wanted = MPU6050.Configuration(rate: .hz100, range: .g8, gyroscope: .dps2000)
    expect(board.sensor.configuration.mpu6050, equals: wanted)
    board.sensor = BoardDescription.emulated.sensor
    board.gravity = .standard
    expect(board, equals: .emulated)
  }

  @Test func `the uncalibrated board differs only in the emulation`() throws {
    var board = try BoardDescription.read(path: boards.appending(path: "emulated-uncalibrated.ini").path)
    // 0.08 and 0.03 times 65536, rounded down.
    let wanted = BoardDescription.Emulation(seed: 1, offsetError: Q16(raw: 5_242), scaleError: Q16(raw: 1_966))
    expect(board.emulation, equals: wanted)
    board.emulation = BoardDescription.Emulation()
    expect(board, equals: .emulated)
  }

  @Test(arguments: ["adxl345", "mpu6050"])
  func `the Raspberry Pi board matches its own table`(_ model: String) throws {
    let file = boards.appending(path: "raspberry-pi-\(model).ini")
    let board = try BoardDescription.read(path: file.path)
    let name = model == "adxl345" ? "emulated.ini" : "emulated-mpu6050.ini"
    expect(board.bus, equals: .linux(path: ShortText("/dev/i2c-1")))
    expect(board.sensor, equals: (try BoardDescription.read(path: boards.appending(path: name).path)).sensor)
    expect(board.lines, equals: BoardDescription.Lines(chip: ShortText("raspberry-pi"), offsets: pins))

    // The wiring table in the comments: "#   portrait   upright   11  GPIO17".
    let text = try String(contentsOf: file, encoding: .utf8)
    for raw in 0..<UInt8(Pose.count) {
      let pose = try require(Pose(rawValue: raw))
      let row = text.split(separator: "\n").first { $0.hasPrefix("#   \(pose.words) ") }
      let words = try require(row).split(separator: " ")
      let offset = try require(board.lines.offset(of: pose))
      expect(words.last, equals: "GPIO\(offset)")
      expect(words.dropLast().last.flatMap { UInt32($0) }, equals: headerPins[offset])
    }
  }

  /// GPIO to header pin. - Source: hardware.md §4.7.
  let headerPins: [UInt32: UInt32] = [17: 11, 27: 13, 22: 15, 23: 16, 24: 18, 25: 22]

  @Test func `every value of a file is read`() throws {
    let board = try outcome(BoardFileText.whole).get()
    expect(board.bus, equals: .linux(path: ShortText("/dev/i2c-1")))
    expect(board.sensor.model, equals: .adxl345)
    expect(board.sensor.address.rawValue, equals: 0x1D)
    expect(board.sensor.configuration.adxl345, equals: ADXL345.Configuration(rate: .hz200, range: .g4))
    expect(board.sensor.mounting, equals: (try Mounting(x: .minusY, y: .plusX, z: .plusZ)))
    expect(board.lines.chip, equals: "pinctrl-rp1")
    expect(board.lines.idle, equals: Levels(bits: 0b11_1111))
    expect(that: board.lines.isActiveLow)
    for raw in 0..<6 { expect(board.lines.offsets[raw], equals: pins[raw]) }
  }

  @Test func `every value of an MPU-6050 is read`() throws {
    let board = try outcome(BoardFileText.text(BoardFileText.mpu6050Lines)).get()
    expect(board.sensor.model, equals: .mpu6050)
    expect(board.sensor.address.rawValue, equals: 0x69)
    let wanted = MPU6050.Configuration(
      rate: MPU6050.SampleRate(divider: 3), range: .g8, filter: .hz94, gyroscope: .dps500, acceptsUnverifiedParts: true)
    expect(board.sensor.configuration.mpu6050, equals: wanted)
    expect(board.sensor.mounting, equals: (try Mounting(x: .minusY, y: .plusX, z: .plusZ)))
  }

  @Test(arguments: ["adxl345", "mpu6050"])
  func `every value of an emulated board is read`(_ model: String) throws {
    let board = try outcome(BoardFileText.text(try require(BoardFileText.emulatedBoards[model]))).get()
    expect(board.bus, equals: .emulated)
    // Exact offsets; scales of 1.5, 0.5 and 1.999 times 2^30; 150.5 mg and 2.125 % times 65536, rounded down.
    let offset = Vector3(x: Q16(raw: 16_384), y: Q16(raw: -8_192), z: Q16(raw: 131_072))
    let scale = Calibration.Scale(x: 1_610_612_736, y: 536_870_912, z: 2_146_409_906)
    expect(board.sensor.calibration, equals: (try Calibration(offset: offset, scale: scale)))
    expect(
      board.sensor.alignment,
      equals: Alignment(board.sensor.calibration, board.sensor.mounting, rotation: board.sensor.rotationCalibration))
    expect(board.sensor.mounting, equals: (try Mounting(x: .minusY, y: .plusX, z: .plusZ)))
    let emulation = BoardDescription.Emulation(
      seed: .max, offsetError: Q16(raw: 9_863), scaleError: Q16(raw: 1_392),
      mounting: try Mounting(x: .plusX, y: .minusY, z: .minusZ))
    expect(board.emulation, equals: emulation)
    expect(board.sensor.model.name.description, equals: model)
    expect(board.share.socket?.description, equals: "/run/plumb/other")
    expect(board.share.port, equals: BoardDescription.Share.Port(host: ShortText("127.0.0.1"), number: 7_588))
    expect(board.share.tokenFile?.description, equals: "/etc/plumb/token")
    expect(that: board.share.allowsCommands)
    expect(board.tare, equals: Tare(millionths: 20_000, -10_000, 999_750))
    expect(board.tare, isNot: .none)
    expect(board.vehicle, equals: BoardDescription.Vehicle(kind: .car, wheelbase: 3_500, track: 1_850))
  }

  @Test func `omitted keys have their defaults`() throws {
    let optional = ["rate", "range", "mounting", "idle", "active-low"]
    let short = BoardFileText.lines.filter { line in !optional.contains { line.hasPrefix($0 + " ") } }
    let board = try outcome(BoardFileText.text(short)).get()
    expect(board.sensor.configuration.adxl345, equals: ADXL345.Configuration(rate: .hz100, range: .g16))
    expect(board.sensor.mounting, equals: .aligned)
    expect(board.sensor.calibration, equals: .none)
    expect(board.sensor.period, equals: .milliseconds(10))
    expect(board.emulation, equals: BoardDescription.Emulation())
    expect(board.lines.idle, equals: .off)
    expect(that: !board.lines.isActiveLow)
  }

  static let others: [(String, String)] = [
    ("CRLF", BoardFileText.lines.joined(separator: "\r\n") + "\r\n"),
    ("a byte order mark", "\u{FEFF}" + BoardFileText.whole),
    ("no newline at the end", BoardFileText.lines.joined(separator: "\n")),
    ("a carriage return at the end", BoardFileText.lines.joined(separator: "\r\n") + "\r"),
    ("blank lines", BoardFileText.lines.joined(separator: "\n\n \t\n")),
    ("indented lines", BoardFileText.text(BoardFileText.lines.map { "\t  " + $0 + "  " })),
    ("no blanks", BoardFileText.text(BoardFileText.lines.map { $0.replacing(" = ", with: "=") })),
    ("colons", BoardFileText.text(BoardFileText.lines.map { $0.replacing(" = ", with: ": ") })),
    ("comments of both kinds", BoardFileText.text(BoardFileText.lines.map { "; a 330 Ω\n#b\n" + $0 + " ; c [d] = e" })),
    ("comments after a hash", BoardFileText.text(BoardFileText.lines.map { $0 + "\t# 330 Ω # ; =" })),
    ("long comments", BoardFileText.text(BoardFileText.lines.map { $0 + " #" + String(repeating: "-", count: 3_000) })),
    (
      "sections in another order",
      BoardFileText.text(Array(BoardFileText.lines[8...]) + BoardFileText.lines[2..<8] + BoardFileText.lines[..<2])
    ),
    ("a decimal address", BoardFileText.replacing(5, with: "address = 29")),
    ("small hexadecimal letters", BoardFileText.replacing(5, with: "address = 0x1d")),
    ("capital axes", BoardFileText.replacing(8, with: "mounting = -Y  +X\t+Z")),
  ]

  @Test func `other notations give the same board`() throws {
    let board = try outcome(BoardFileText.whole).get()
    for (what, text) in Self.others {
      let error = outcome(text).failure
      expect(error, equals: nil, "\(what)")
      try expect(outcome(text).get(), equals: board, "\(what)")
    }
  }

  @Test func `text in the program is parsed too`() throws {
    let text: StaticString = """
      [i2c]
      bus = emulated
      [sensor]
      model = adxl345
      address = 0x53
      [lines]
      chip = emulated
      portrait = 17
      portraitUpsideDown = 27
      landscapeLeft = 22
      landscapeRight = 23
      faceUp = 24
      faceDown = 25
      """
    try expect(BoardDescription.parse(text), equals: .emulated)
  }

  @Test func `a C string as the path works too`() throws {
    let path = boards.appending(path: "emulated.ini").path
    let board = try unsafe path.withCString { try unsafe BoardDescription.read(path: $0) }
    expect(board, equals: .emulated)
  }
}

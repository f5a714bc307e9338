import BoardFile
import FixedPoint
import Sensors
import TestSupport
import Testing

/// `data-ready`: the GPIO connected to the sensor's pin.
struct DataReadyTests {
  /// The standard board with `words` after line 6.
  private static func board(_ words: String, _ lines: [String] = BoardFileText.lines) -> String {
    BoardFileText.text(Array(lines[..<6]) + [words] + Array(lines[6...]))
  }

  @Test
  static func `the GPIO is read, and the sensor's interrupt is configured for it`() throws {
    let adxl345 = try outcome(Self.board("data-ready = 4")).get()
    expect(adxl345.sensor.dataReady, equals: 4)
    var wanted = ADXL345.Configuration(rate: .hz200, range: .g4)
    // INT_ENABLE bit 7; INT_MAP 0: INT1; active high.
    wanted.interrupts = ADXL345.Interrupts(conditions: ADXL345.Events(rawValue: 0x80))
    expect(adxl345.sensor.configuration.adxl345, equals: wanted)

    let mpu6050 = try outcome(Self.board("data-ready = 26", BoardFileText.mpu6050Lines)).get()
    expect(mpu6050.sensor.dataReady, equals: 26)
    guard let configuration = mpu6050.sensor.configuration.mpu6050 else {
      Issue.record("another model")
      return
    }
    expect(configuration.interrupts, equals: MPU6050.Interrupts(signalsDataReady: true))
  }

  @Test
  static func `without the key there is no GPIO and no interrupt`() throws {
    let board = try outcome(BoardFileText.whole).get()
    expect(board.sensor.dataReady, equals: nil)
    expect(board.sensor.pace, equals: board.sensor.period)
    expect(board.sensor.configuration.adxl345, equals: ADXL345.Configuration(rate: .hz200, range: .g4))
  }

  @Test
  static func `it can be removed again`() throws {
    for lines in BoardFileText.boards.values {
      let plain = try outcome(BoardFileText.text(lines)).get()
      var sensor = try outcome(Self.board("data-ready = 4", lines)).get().sensor
      expect(sensor, isNot: plain.sensor)
      sensor.setDataReady(nil)
      expect(sensor, equals: plain.sensor)
    }
  }

  @Test(
    arguments: [
      ("adxl345", "1", 40_000), ("adxl345", "60", 10_000), ("adxl345", "100", 10_000), ("adxl345", "800", 1_250),
      ("mpu6050", "1", 40_000), ("mpu6050", "60", 16_000), ("mpu6050", "1000", 1_000),
    ] as [(String, String, Int64)])
  static func `the pace is the rate at which the sensor makes samples, whatever the rate below it`(
    model: String, rate: String, microseconds: Int64
  ) throws {
    var lines = try require(BoardFileText.boards[model])
    lines[5] = "rate = \(rate)"
    let board = try outcome(Self.board("data-ready = 4", lines)).get()
    expect(board.sensor.pace, equals: Microseconds(microseconds))
  }

  @Test
  static func `its chip is that of the lines; with emulated lines, the header's`() throws {
    let real = try outcome(Self.board("data-ready = 4")).get()
    expect(real.dataReadyChip, equals: "pinctrl-rp1")
    let lines = BoardFileText.lines.map { $0.hasPrefix("chip") ? "chip = emulated" : $0 }
    try expect(outcome(Self.board("data-ready = 4", lines)).get().dataReadyChip, equals: "raspberry-pi")
  }

  /// A wrong GPIO and its error; line 7 is its own.
  static let bad: [(String, Int32, BoardFileError.Cause, String)] = [
    (
      "x", 7, .badValue(.dataReady),
      "bad value \"x\" of \"data-ready\" in [sensor]; allowed: a GPIO number from 4 to 27"
    ),
    (
      "28", 7, .refused(.outOfRange(.dataReady)),
      "GPIO 28 of \"data-ready\" in [sensor] is not on the header; allowed: a GPIO number from 4 to 27"
    ),
    (
      "2", 7, .refused(.reserved(.dataReady)),
      "GPIO 2 of \"data-ready\" in [sensor] \(reserved); allowed: a GPIO number from 4 to 27"
    ),
    (
      "17", 12, .refused(.taken(.portrait, by: .dataReady, firstLine: 7)),
      "GPIO 17 of \"portrait\" in [lines] is already used by \"data-ready\" in line 7; allowed: a GPIO number from 4 to 27, "
        + "each for one line"
    ),
  ]

  @Test(arguments: bad)
  static func `a wrong GPIO is rejected in its line`(
    value: String, line: Int32, cause: BoardFileError.Cause, message: String
  ) throws {
    let error = try require(outcome(Self.board("data-ready = \(value)")).failure)
    expect(error.line, equals: line)
    expect(error.cause, equals: cause)
    expect(error.message.description, equals: message)
  }

  @Test
  static func `a GPIO that a line uses is rejected if the lines come first`() throws {
    let lines = BoardFileText.lines
    let text = BoardFileText.text(Array(lines[8...]) + Array(lines[..<8]) + ["data-ready = 22"])
    let error = try require(outcome(text).failure)
    expect(error.line, equals: 19)
    expect(error.cause, equals: .refused(.taken(.dataReady, by: .landscapeLeft, firstLine: 5)))
  }

  @Test
  static func `an emulated bus has no such pin, whichever comes first`() throws {
    var lines = BoardFileText.lines
    lines[1] = "bus = emulated"
    let after = try require(outcome(Self.board("data-ready = 4", lines)).failure)
    expect(after.line, equals: 7)
    expect(after.cause, equals: .refused(.emulatedBus(.dataReady)))
    expect(
      after.message.description,
      equals: "key \"data-ready\" in [sensor] with an emulated bus; allowed: only with a device such as bus = "
        + "/dev/i2c-1 in [i2c]")
    let first = BoardFileText.text(Array(lines[2..<8]) + ["data-ready = 4"] + Array(lines[..<2]) + Array(lines[8...]))
    let before = try require(outcome(first).failure)
    expect((before.line, before.cause), equals: (7, .refused(.emulatedBus(.dataReady))))
  }
}

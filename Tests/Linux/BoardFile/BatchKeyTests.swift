import BoardFile
import FixedPoint
import Sensors
import TestSupport
import Testing

/// `batch`: how many samples are read from the sensor at a time.
struct BatchKeyTests {
  /// The standard board with `words` after line 6.
  private static func board(_ words: String, _ lines: [String] = BoardFileText.lines) -> String {
    BoardFileText.text(Array(lines[..<6]) + [words] + Array(lines[6...]))
  }

  @Test static func `samples wait in the sensor, with everything that it measures`() throws {
    let adxl345 = try outcome(Self.board("batch = 25")).get().sensor
    expect(adxl345.batch, equals: 25)
    let fifo = ADXL345.FIFO.stream(watermark: .init(nearest: 25))
    expect(adxl345.configuration.adxl345, equals: ADXL345.Configuration(rate: .hz200, range: .g4, fifo: fifo))
    expect(adxl345.period, equals: Microseconds(5_000))
    expect(adxl345.batchPeriod, equals: Microseconds(125_000))

    for (filter, hasRotation) in [("fusion", true), ("low-pass", false)] {
      let text = Self.board("batch = 10", BoardFileText.mpu6050Lines) + "[filter]\ngravity = \(filter)\n"
      guard let mpu6050 = try outcome(text).get().sensor.configuration.mpu6050 else {
        Issue.record("another model")
        return
      }
      expect(
        mpu6050.fifo,
        equals: MPU6050.FIFO(includesTemperature: hasRotation, includesRotation: hasRotation, longestBurst: 240))
    }
  }

  @Test static func `a batch of one is not a batch`() throws {
    for lines in BoardFileText.boards.values {
      let plain = try outcome(BoardFileText.text(lines)).get()
      expect(plain.sensor.batch, equals: 1)
      expect(plain.sensor.batchPeriod, equals: plain.sensor.pace)
      try expect(outcome(Self.board("batch = 1", lines)).get(), equals: plain)
      var sensor = try outcome(Self.board("batch = 28", lines)).get().sensor
      expect(sensor, isNot: plain.sensor)
      expect(that: sensor.setBatch(1))
      expect(sensor, equals: plain.sensor)
      for count: Int32 in [0, 29, -1] { #expect(!sensor.setBatch(count) && sensor == plain.sensor) }
    }
  }

  /// 60 Hz is not a rate of either sensor: the next ones are 100 Hz and 62.5 Hz.
  @Test(arguments: [("adxl345", 10_000), ("mpu6050", 16_000)] as [(String, Int64)])
  static func `every sample of the sensor's own rate arrives`(model: String, microseconds: Int64) throws {
    var lines = try require(BoardFileText.boards[model])
    lines[5] = "rate = 60"
    let sensor = try outcome(Self.board("batch = 20", lines)).get().sensor
    expect(sensor.period, equals: Microseconds(microseconds))
    expect(sensor.batchPeriod, equals: Microseconds(20 * microseconds))
  }

  @Test(arguments: ["0", "29", "1.5", "-2", "x", ""])
  static func `any other number is rejected`(_ value: String) throws {
    let error = try require(outcome(Self.board("batch = \(value)")).failure)
    expect(error.cause, equals: .badValue(.batch))
    expect(error.line, equals: 7)
    let words = "bad value \"\(value)\" of \"batch\" in [sensor]; allowed: a whole number of samples from 1 to 28"
    expect(error.message.description, equals: words)
  }
}

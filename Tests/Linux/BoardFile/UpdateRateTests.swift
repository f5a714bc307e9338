import BoardFile
import FixedPoint
import Foundation
import Sensors
import TestSupport
import Testing

/// A rate as written in a board file, and its settings.
struct RateRow: Sendable, CustomTestStringConvertible {
  /// As in the file.
  var text: String
  /// The time between samples.
  var microseconds: Int64
  /// BW_RATE of an ADXL345; nil if the rate is too high for it.
  var code: UInt8?
  /// SMPLRT_DIV and DLPF_CFG of an MPU-6050; nil if the rate is too high for it.
  var divider: (rate: UInt8, filter: UInt8)?

  var testDescription: String { text + " Hz" }
}

struct UpdateRates {
  /// Codes of the ADXL345: 25 Hz is 8, and each further one doubles the rate. Dividers: 1000 Hz / (1 + divider).
  /// Filters: 184, 94, 44, 21, 10 and 5 Hz are 1 to 6.
  static let rows = [
    RateRow(text: "1", microseconds: 1_000_000, code: 8, divider: (39, 6)),
    RateRow(text: "1.000", microseconds: 1_000_000, code: 8, divider: (39, 6)),
    RateRow(text: "1.001", microseconds: 999_001, code: 8, divider: (39, 6)),
    RateRow(text: "4", microseconds: 250_000, code: 8, divider: (39, 6)),
    RateRow(text: "12.5", microseconds: 80_000, code: 8, divider: (39, 6)),
    RateRow(text: "19.999", microseconds: 50_003, code: 8, divider: (39, 6)),
    RateRow(text: "20", microseconds: 50_000, code: 8, divider: (39, 5)),
    RateRow(text: "23.976", microseconds: 41_708, code: 8, divider: (39, 5)),
    RateRow(text: "24", microseconds: 41_667, code: 8, divider: (39, 5)),
    RateRow(text: "25", microseconds: 40_000, code: 8, divider: (39, 5)),
    RateRow(text: "25.001", microseconds: 39_998, code: 9, divider: (38, 5)),
    RateRow(text: "29.97", microseconds: 33_367, code: 9, divider: (32, 5)),
    RateRow(text: "30", microseconds: 33_333, code: 9, divider: (32, 5)),
    RateRow(text: "40", microseconds: 25_000, code: 9, divider: (24, 5)),
    RateRow(text: "50", microseconds: 20_000, code: 9, divider: (19, 4)),
    RateRow(text: "60", microseconds: 16_667, code: 10, divider: (15, 4)),
    RateRow(text: "100", microseconds: 10_000, code: 10, divider: (9, 3)),
    RateRow(text: "100.001", microseconds: 10_000, code: 11, divider: (8, 3)),
    RateRow(text: "125", microseconds: 8_000, code: 11, divider: (7, 3)),
    RateRow(text: "200", microseconds: 5_000, code: 11, divider: (4, 2)),
    RateRow(text: "250", microseconds: 4_000, code: 12, divider: (3, 2)),
    RateRow(text: "333.333", microseconds: 3_000, code: 12, divider: (2, 2)),
    RateRow(text: "333.334", microseconds: 3_000, code: 12, divider: (1, 2)),
    RateRow(text: "367.999", microseconds: 2_717, code: 12, divider: (1, 2)),
    RateRow(text: "368", microseconds: 2_717, code: 12, divider: (1, 1)),
    RateRow(text: "400", microseconds: 2_500, code: 12, divider: (1, 1)),
    RateRow(text: "500", microseconds: 2_000, code: 13, divider: (1, 1)),
    RateRow(text: "500.001", microseconds: 2_000, code: 13, divider: (0, 1)),
    RateRow(text: "800", microseconds: 1_250, code: 13, divider: (0, 1)),
    RateRow(text: "800.001", microseconds: 1_250, code: nil, divider: (0, 1)),
    RateRow(text: "1000", microseconds: 1_000, code: nil, divider: (0, 1)),
    RateRow(text: "1000.001", microseconds: 1_000, code: nil, divider: nil),
    RateRow(text: "0.999", microseconds: 0, code: nil, divider: nil),
    RateRow(text: "0", microseconds: 0, code: nil, divider: nil),
  ]

  private static func result(_ text: String, _ model: String) throws -> Result<BoardDescription, BoardFileError> {
    let lines = try require(BoardFileText.boards[model])
    return outcome(BoardFileText.replacing(6, with: "rate = \(text)", in: lines))
  }

  @Test(arguments: rows)
  static func `a rate gives the exact period and the lowest sufficient output data rate`(_ row: RateRow) throws {
    for model in ["adxl345", "mpu6050"] {
      let result = try result(row.text, model)
      guard model == "adxl345" ? row.code != nil : row.divider != nil else {
        expect(result.failure?.cause, equals: .badValue(.rate))
        expect(result.failure?.line, equals: 6)
        continue
      }
      let sensor = try result.get().sensor
      expect(sensor.period, equals: Microseconds(row.microseconds))
      if let configuration = sensor.configuration.adxl345 { expect(configuration.rate.rawValue, equals: row.code) }
      if let configuration = sensor.configuration.mpu6050 {
        expect(configuration.rate.divider, equals: row.divider?.rate)
        expect(configuration.filter.rawValue, equals: row.divider?.filter)
      }
    }
  }

  @Test
  static func `samples are never read faster than they are made, at any rate`() throws {
    for model in ["adxl345", "mpu6050"] {
      var sensor = try outcome(BoardFileText.text(try require(BoardFileText.boards[model]))).get().sensor
      let isADXL345 = model == "adxl345"
      let limit: Int32 = isADXL345 ? 800_000 : 1_000_000
      var last: Int32 = 999
      while last < limit {
        let millihertz = last + 1
        last = millihertz
        guard let rate = UpdateRate(millihertz: millihertz), sensor.setRate(rate) else {
          Issue.record("\(millihertz) mHz of an \(model) was refused")
          return
        }
        let made = sensor.configuration.outputPeriod
        // The next lower output data rate: half of this one, or a period longer by a millisecond.
        let next = isADXL345 ? made.count * 2 : made.count + 1_000
        let error = sensor.period.count * Int64(millihertz) - 1_000_000_000
        let isNear = error.magnitude <= UInt64(millihertz) / 2
        let isLowest = made == .milliseconds(40) || next * Int64(millihertz) > 1_000_000_000
        guard isNear && isLowest && made <= sensor.period && made.count <= 40_000 && sensor.rate == rate else {
          Issue.record("\(millihertz) mHz of an \(model): \(sensor.period), made every \(made)")
          return
        }
      }
      let before = sensor
      expect(UpdateRate(millihertz: limit + 1).map { sensor.setRate($0) }, isNot: true)
      expect(sensor, equals: before)
    }
  }

  @Test
  static func `a rate has digits and a point, as on the command line`() throws {
    for text in ["+50", "-50", "50.", ".5", "5e1", "50 Hz", "50,0", "0x32", "50.0000", "5 0", "", "٥٠", "50.-1", "--5"]
    {
      try expect(result(text, "adxl345").failure?.cause, equals: .badValue(.rate), "\(text)")
      expect(UpdateRate(text), equals: nil, "\(text)")
    }
    for text in ["4294967396", "18446744073709551716", String(repeating: "9", count: 40)] {
      try expect(result(text, "mpu6050").failure?.cause, equals: .badValue(.rate), "\(text)")
      expect(UpdateRate(text), equals: nil, "\(text)")
    }
    for (text, millihertz) in [("50", 50_000), ("050.0", 50_000), ("1.001", 1_001), ("00000000001", 1_000)] {
      expect(UpdateRate(text)?.millihertz, equals: Int32(millihertz), "\(text)")
      try expect(result(text, "adxl345").get().sensor.rate.millihertz, equals: Int32(millihertz), "\(text)")
    }
    expect(all: [0, 999, 1_000_001, Int32.max, -1, Int32.min]) { UpdateRate(millihertz: $0) == nil }
  }

  @Test
  static func `a sensor without a file is sampled at its configuration's rate, from 1 to 1000 Hz`() {
    for (wanted, millihertz) in [(50_000, 50_000), (12_500, 12_500), (98, 1_000), (2_000_000, 1_000_000)] {
      var configuration = SensorConfiguration(.adxl345)
      configuration.millihertz = Int32(wanted)
      let sensor = BoardDescription.Sensor(address: ADXL345.address, configuration: configuration)
      expect(sensor.rate.millihertz, equals: Int32(millihertz))
    }
  }

  @Test
  static func `the drivers choose the lowest sufficient rate, from their slowest to their fastest`() {
    // 0.0977 Hz and 3.906 Hz are the slowest.
    for (millihertz, code) in [(1, 0), (97, 0), (98, 1), (6_250, 6), (6_251, 7), (800_000, 13)] as [(Int32, UInt8)] {
      expect(ADXL345.OutputDataRate(atLeastMillihertz: millihertz)?.rawValue, equals: code)
    }
    for (millihertz, divider) in [(1, 255), (3_906, 255), (3_907, 254), (1_000_000, 0)] as [(Int32, UInt8)] {
      expect(MPU6050.SampleRate(atLeastMillihertz: millihertz)?.divider, equals: divider)
    }
    for millihertz in [0, -1, Int32.min, 1_000_001, Int32.max] {
      expect(ADXL345.OutputDataRate(atLeastMillihertz: millihertz), equals: nil)
      expect(MPU6050.SampleRate(atLeastMillihertz: millihertz), equals: nil)
    }
    expect(ADXL345.OutputDataRate(atLeastMillihertz: 800_001), equals: nil)
  }
}

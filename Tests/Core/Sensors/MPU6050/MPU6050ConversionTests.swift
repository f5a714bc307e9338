import FixedPoint
import Sensors
import TestSupport
import Testing

/// From bytes to units, over all 65536 values of two bytes, against models in `Double`.
struct MPU6050ConversionTests {
  static let ranges: [(range: MPU6050.Range, perG: Double)] = [
    (.g2, 16_384), (.g4, 8_192), (.g8, 4_096), (.g16, 2_048),
  ]
  static let gyroscopeRanges: [(range: MPU6050.GyroscopeRange, perDegree: Double)] = [
    (.dps250, 131), (.dps500, 65.5), (.dps1000, 32.8), (.dps2000, 16.4),
  ]
  static let scales: [(scale: MPU6050.TemperatureScale, perDegree: Double, offset: Double)] = [
    (.mpu6050, 340, 36.53), (.mpu6500, 333.87, 21), (.icm206xx, 326.8, 25),
  ]

  @Test static func `two bytes are a signed number, the high one first`() {
    for high in UInt8.min...UInt8.max {
      for low in UInt8.min...UInt8.max {
        let model = Int(high) * 256 + Int(low)
        guard Int(InvenSense.word(high, low)) == (model > 32_767 ? model - 65_536 : model) else {
          Issue.record("\(high) \(low)")
          return
        }
      }
    }
  }

  @Test(arguments: ranges)
  static func `force is exact for every raw value`(_ row: (range: MPU6050.Range, perG: Double)) {
    for raw in Int16.min...Int16.max {
      let force = Double(InvenSense.force(raw, range: row.range).raw) / 65_536
      guard force == Double(raw) / row.perG else {
        Issue.record("\(raw): \(force)")
        return
      }
    }
  }

  @Test(arguments: gyroscopeRanges)
  static func `rotation is nearest for every raw value`(_ row: (range: MPU6050.GyroscopeRange, perDegree: Double)) {
    var worst = 0.0
    for raw in Int16.min...Int16.max {
      let model = Double(raw) / row.perDegree * 65_536
      worst = max(worst, abs(Double(InvenSense.rotation(raw, range: row.range).raw) - model))
    }
    expect(worst, isAtMost: 0.51)
  }

  @Test(arguments: scales)
  static func `temperature is nearest for every raw value`(
    _ row: (scale: MPU6050.TemperatureScale, perDegree: Double, offset: Double)
  ) {
    var worst = 0.0
    for raw in Int16.min...Int16.max {
      let model = (Double(raw) / row.perDegree + row.offset) * 65_536
      worst = max(worst, abs(Double(InvenSense.temperature(raw, row.scale).raw) - model))
    }
    expect(worst, isAtMost: 0.51)
  }

  /// Bytes, then mg at each range, calculated by hand from the register map.
  static let known: [(bytes: (UInt8, UInt8), milligravities: [Double])] = [
    ((0x40, 0x00), [1_000, 2_000, 4_000, 8_000]), ((0xC0, 0x00), [-1_000, -2_000, -4_000, -8_000]),
    ((0x80, 0x00), [-2_000, -4_000, -8_000, -16_000]), ((0x08, 0x00), [125, 250, 500, 1_000]),
    ((0x7F, 0xFF), [1_999.93896484375, 3_999.8779296875, 7_999.755859375, 15_999.51171875]),
    ((0x00, 0x40), [3.90625, 7.8125, 15.625, 31.25]),
  ]

  @Test static func `the known vectors of force are exact, in the right byte order`() {
    for row in Self.known {
      for (range, expected) in zip(Self.ranges, row.milligravities) {
        let force = InvenSense.force(InvenSense.word(row.bytes.0, row.bytes.1), range: range.range)
        expect(Double(force.raw) * 1_000 / 65_536, equals: expected)
      }
    }
  }

  /// Calculated by hand from the register map, to the digits given here.
  static let temperatures: [(raw: Int16, scale: MPU6050.TemperatureScale, degrees: Double)] = [
    (0, .mpu6050, 36.53), (-521, .mpu6050, 34.998), (-3_600, .mpu6050, 25.942), (3_400, .mpu6050, 46.53),
    (-12_420, .mpu6050, 0.00), (0, .mpu6500, 21.0), (3_400, .mpu6500, 31.184), (-3_600, .mpu6500, 10.217),
  ]

  @Test(arguments: temperatures)
  static func `the known vectors of temperature are right`(
    _ row: (raw: Int16, scale: MPU6050.TemperatureScale, degrees: Double)
  ) {
    let degrees = Double(InvenSense.temperature(row.raw, row.scale).raw) / 65_536
    expect(abs(degrees - row.degrees), isBelow: 0.0015)
  }
}

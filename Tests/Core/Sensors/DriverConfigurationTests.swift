import FixedPoint
import Sensors
import Testing

/// What a driver makes of the settings of a board file.
@Suite struct DriverConfigurationTests {
  @Test func `an ADXL345 looks for taps on exactly the wanted axes`() throws {
    for axes: UInt8 in 1...7 {
      for findsDoubleTaps in [false, true] {
        var wanted = SensorConfiguration(.adxl345)
        wanted.taps = SensorConfiguration.Taps(
          threshold: Q16(whole: 3), duration: .milliseconds(20), latency: .milliseconds(80),
          window: .milliseconds(300), axes: axes, findsDoubleTaps: findsDoubleTaps)
        let tap = try #require(ADXL345.Configuration(wanted).detection.tap)
        #expect([tap.axes.x, tap.axes.y, tap.axes.z] == [0, 1, 2].map { axes >> $0 & 1 == 1 }, "\(axes)")
        #expect((tap.kind == .single) != findsDoubleTaps)
      }
    }
  }

  @Test func `the filter of an MPU-6050 is the widest that passes nothing above half the rate, or the narrowest`() {
    let widths: [MPU6050.Filter: Int32] = [
      .hz184: 184, .hz94: 94, .hz44: 44, .hz21: 21, .hz10: 10, .hz5: 5,
    ]
    #expect(widths.count == 6)
    var wanted = SensorConfiguration(.mpu6050)
    for millihertz in stride(from: 1_000, through: 1_000_000, by: 250) as StrideThrough<Int32> {
      wanted.millihertz = millihertz
      let width = widths.values.filter { 2_000 * $0 <= millihertz }.max() ?? 5
      let filter = MPU6050.Configuration(wanted).filter
      if widths[filter] != width { Issue.record("\(millihertz) mHz: \(filter), not \(width) Hz") }
    }
  }

  @Test func `each range of a gyroscope is found by its limit, and no other limit has one`() {
    var found: [Int32] = []
    for limit in -1...4_001 as ClosedRange<Int32> {
      guard let range = MPU6050.GyroscopeRange(degreesPerSecond: limit) else { continue }
      #expect(range.degreesPerSecond == limit)
      found.append(limit)
    }
    #expect(found == [250, 500, 1_000, 2_000])
  }

  @Test func `a driver delivers at least the rate that its model allows in a board file`() {
    for (model, highest) in [(.adxl345, 800), (.lis3dh, 1_000), (.mpu6050, 1_000)] as [(SensorModel, Int32)] {
      #expect(model.traits.highestRate == highest)
      var wanted = SensorConfiguration(model)
      for hertz in 1...highest {
        wanted.millihertz = hertz * 1_000
        let period = wanted.outputPeriod
        // In whole microseconds, rounded to nearest.
        if period.count > 1_000_000 / Int64(hertz) + 1 { Issue.record("\(model) at \(hertz) Hz: \(period.count) µs") }
      }
    }
  }
}

import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// Output data rates too high for the bus.
struct BusSpeedTests {
  /// The result of a start at `rate` on a bus of `hertz`, and the number of its transactions.
  private static func start(_ rate: ADXL345.OutputDataRate, _ hertz: UInt32?) -> (
    error: SensorError?, transactions: Int
  ) {
    let log = BusLog()
    let bus = EmulatedBus(PlainMemory(), at: ADXL345.address, frequency: hertz, log: log) { Instant(microseconds: 0) }
    var driver = ADXL345.Device(bus: bus, configuration: ADXL345.Configuration(rate: rate))
    return (sensorError { () throws(SensorError) in _ = try driver.start() }, log.transactionCount)
  }

  @Test(
    arguments: [
      (100_000, 200, .hz200), (200_000, 400, .hz400), (400_000, 800, .hz800), (399_999, 400, .hz400),
      (99_999, 100, .hz100),
      (250_000, 400, .hz400), (50_000, 100, .hz100), (10_000, 12, .hz12_5), (400_001, 800, .hz800),
      (1_000_000, 800, .hz800), (UInt32.max, 800, .hz800), (100, 0, .hz0_20), (49, 0, .hz0_10),
    ] as [(hertz: UInt32, limit: UInt32, fastest: ADXL345.OutputDataRate)])
  static func `at 100 kHz rates up to 200 Hz are accepted, and the next is rejected before any write`(
    _ row: (hertz: UInt32, limit: UInt32, fastest: ADXL345.OutputDataRate)
  ) {
    for rate in rates.map(\.rate) {
      let outcome = start(rate, row.hertz)
      if rate.rawValue <= row.fastest.rawValue {
        expect(outcome.error, equals: nil)
      } else {
        expect(outcome.error, equals: .rateTooHigh(busHertz: row.hertz, highestHertz: row.limit))
        expect(outcome.transactions, equals: 0)
      }
    }
  }

  @Test static func `1600 and 3200 Hz are rejected on every I2C bus of known speed`() {
    for hertz in stride(from: 0 as UInt32, through: 5_000_000, by: 9_973) {
      for rate in [ADXL345.OutputDataRate.hz1600, .hz3200] {
        // The supported rates, in whole hertz.
        let highest = ([800, 400, 200, 100, 50, 25, 12] as [UInt32]).first { $0 * 500 <= min(hertz, 400_000) } ?? 0
        expect(start(rate, hertz).error, equals: .rateTooHigh(busHertz: hertz, highestHertz: highest))
      }
    }
  }

  @Test static func `a bus of unknown speed rejects no rate`() {
    for row in rates { expect(start(row.rate, nil).error, equals: nil) }
  }

  @Test static func `adoption is not tried if the rate is too high for the bus`() {
    let log = BusLog()
    let bus = EmulatedBus(PlainMemory(), at: ADXL345.address, frequency: 100_000, log: log) { Instant(microseconds: 0) }
    var driver = ADXL345.Device(bus: bus, configuration: ADXL345.Configuration(rate: .hz400))
    let thrown = sensorError { () throws(SensorError) in _ = try driver.adopt() }
    expect(thrown, equals: .rateTooHigh(busHertz: 100_000, highestHertz: 200))
    expect(log.transactionCount, equals: 0)
  }

  @Test static func `a self-test needs 100 Hz, and is rejected before any write if the bus is too slow`() {
    let log = BusLog()
    let bus = EmulatedBus(PlainMemory(), at: ADXL345.address, frequency: 49_999, log: log) { Instant(microseconds: 0) }
    var driver = ADXL345.Device(bus: bus, configuration: ADXL345.Configuration(rate: .hz25))
    var clock = VirtualClock()
    let error = sensorError { () throws(SensorError) in _ = try driver.selfTest(clock: &clock) }
    expect(error, equals: .rateTooHigh(busHertz: 49_999, highestHertz: 50))
    expect(log.transactionCount, equals: 0)
  }
}

import FixedPoint
import Sensors
import TestSupport
import Testing

/// The rates that a bus can follow, with the clock periods of a sample worked out here.
struct BusShareTests {
  /// A configuration: the lowest frequency of a bus that can follow it, its rate as an error names it, and its check.
  private struct Row {
    var needed: Double
    var hertz: UInt32
    var check: (UInt32?) throws(SensorError) -> Void
  }

  /// Checks the rates of a part, in rising order, on buses just fast enough for one of them and just too slow. None
  /// counts as faster than 400 kHz.
  private static func check(_ rows: [Row]) throws {
    let limits = rows.map { UInt32($0.needed.rounded(.up)) }
    let buses = limits + limits.map { $0 - 1 } + [0, 1, 399_999, 400_000, 400_001, 1_000_000, UInt32.max]
    for (index, row) in rows.enumerated() {
      for bus in buses {
        func fits(_ row: Row) -> Bool { row.needed <= Double(min(bus, 400_000)) }
        let highest = rows[..<index].last(where: fits)?.hertz ?? 0
        let error = sensorError { () throws(SensorError) in try row.check(bus) }
        expect(
          error, equals: (fits(row) ? nil : .rateTooHigh(busHertz: bus, highestHertz: highest)), "\(index) at \(bus)")
      }
      try row.check(nil)
    }
  }

  /// The clock periods of a read of `bytes`: address and register, address again, each with its acknowledge; start,
  /// repeated start and stop.
  private static func bits(_ bytes: Int) -> Int { 9 * (3 + bytes) + 3 }

  @Test static func `an LIS3DH needs 292 clock periods for a sample`() throws {
    try check(
      LIS3DHFacts.rates.map { row in
        let configuration = LIS3DH.Configuration(rate: row.rate)
        return Row(needed: Double(row.hertz * 292), hertz: UInt32(row.hertz)) { (bus) throws(SensorError) in
          try configuration.check(against: bus)
        }
      })
  }

  @Test(arguments: [nil, LSM6DS.GyroscopeRange.dps250, .dps4000], [false, true])
  static func `an LSM6DS needs a burst and three repetitions, or with the FIFO a share of a burst of up to 240 bytes`(
    _ gyroscope: LSM6DS.GyroscopeRange?, _ usesFIFO: Bool
  ) throws {
    let size = gyroscope == nil ? 7 : 14
    let burst = bits(240 / size * size) + 2 * bits(4) + bits(2) + bits(3)
    let whole = usesFIFO ? (Double(burst) / Double(240 / size)).rounded(.up) : Double(bits(16) + 3 * bits(size / 7 * 6))
    let hertz: [UInt32] = [13, 26, 52, 104, 208, 416, 833, 1_666]
    try check(
      zip(LSM6DSFacts.rates, hertz).map { (row, hertz) in
        let configuration = LSM6DS.Configuration(rate: row.rate, gyroscope: gyroscope, usesFIFO: usesFIFO)
        return Row(needed: whole * Double(hertz), hertz: hertz) { (bus) throws(SensorError) in
          try configuration.check(against: bus)
        }
      })
  }

  @Test(arguments: [nil, LSM9DS1.GyroscopeRange.dps245, .dps2000], [nil, 1, 2, 3, 7, 25, 31] as [Int32?])
  static func `an LSM9DS1 needs 222 clock periods, 321 with the gyroscope, 54 or 108 and a share of 200 in batches`(
    _ gyroscope: LSM9DS1.GyroscopeRange?, _ level: Int32?
  ) throws {
    let isTurning = gyroscope != nil
    let fifo: LSM9DS1.FIFO = level.map { .continuous(threshold: .init(nearest: $0)) } ?? .bypass
    let periods = level.map { (isTurning ? 108 : 54) + 200 / $0 } ?? (isTurning ? 321 : 222)
    try check(
      LSM9DS1Facts.rates.map { row in
        let configuration = LSM9DS1.Configuration(rate: row.rate, gyroscope: gyroscope, fifo: fifo)
        let period = (1e6 / (isTurning ? row.both : row.alone)).rounded()
        return Row(needed: Double(periods) * 1.5e6 / period, hertz: UInt32((1e6 / period).rounded())) {
          (bus) throws(SensorError) in
          try configuration.check(against: bus)
        }
      })
  }
}

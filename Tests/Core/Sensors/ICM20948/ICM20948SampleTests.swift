import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// Samples in every setting, and their times.
struct ICM20948SampleTests {
  /// A board at rest that turns at a constant rate, as a gyroscope sees it.
  private struct Turning: Motion {
    var rate: Vector3
    var duration: Microseconds { .zero }
    func specificForce(at time: Microseconds) -> Vector3 { ICM20948Rig.force.vector }
    func rotationRate(at time: Microseconds) -> Vector3 { rate }
  }

  @Test(arguments: ICM20948Facts.ranges, ICM20948Facts.filters)
  static func `in each range and with each filter the first sample is exact, and nothing reserved is written`(
    _ range: (code: UInt8, range: ICM20948.Range, g: Int32), _ filter: (code: UInt8, filter: ICM20948.Filter)
  ) throws {
    for gyroscope in [nil, ICM20948.GyroscopeRange.dps500] {
      let rig = ICM20948Rig(
        ICM20948Rig.force,
        ICM20948.Configuration(range: range.range, filter: filter.filter, gyroscope: gyroscope))
      try rig.start()
      try expect(rig.sample(), equals: ICM20948Rig.force.vector)
      try expect(rig.register(0x14, ofBank: 2).value, equals: filter.code << 3 | range.code << 1 | 1)
      try expect(rig.register(0x01, ofBank: 2).value, equals: filter.code << 3 | (gyroscope == nil ? 0 : 2) | 1)
      expect(rig.part.reservedWrites, equals: 0)
      expect(rig.driver.fullScale.raw, equals: range.g * 65_536 - range.g * 2)
    }
  }

  @Test(arguments: ICM20948Facts.gyroscopeRanges)
  static func `the gyroscope reads each rotation to the nearest count, and beyond its range the limit`(
    _ row: (code: UInt8, range: ICM20948.GyroscopeRange, perTen: Double)
  ) throws {
    for turns in [1.0, -0.37, 0.004, 1.2, -1.2] {
      let full = Double(row.range.degreesPerSecond)
      let rate = Vector3(
        x: Q16(raw: Int32(turns * full * 65_536 * 0.9)), y: Q16(raw: Int32(-turns * full * 32_768)), z: .zero)
      let rig = ICM20948Rig(Turning(rate: rate), ICM20948.Configuration(gyroscope: row.range))
      try rig.start()
      let found = try rig.driver.measure()
      let rotation = try require(found.rotation)
      let most = 32_768 * 10 / row.perTen
      for (a, b) in [(rotation.x, rate.x), (rotation.y, rate.y), (rotation.z, rate.z)] {
        let expected = max(-most, min(most, Double(b.raw) / 65_536))
        expect(abs(Double(a.raw) / 65_536 - expected), isAtMost: 5.1 / row.perTen + (abs(expected) == most ? 0.1 : 0))
      }
      expect(found.force, equals: ICM20948Rig.force.vector)
      expect(abs((found.temperature ?? .zero).raw - 25 * 65_536), isAtMost: 100)
    }
  }

  @Test(arguments: [0, 1, 4, 10, 21, 44, 255] as [UInt8])
  static func `at each rate every sample comes once at its time`(_ divider: UInt8) throws {
    let rig = ICM20948Rig(ICM20948Rig.force, ICM20948.Configuration(rate: .init(divider: divider)))
    try rig.start()
    _ = try rig.registers(0x00)
    let before = rig.part.sampleCount
    rig.clock.advance(by: .seconds(16))
    _ = try rig.registers(0x00)
    let expected: Double = 16 * 1_125 / (Double(divider) + 1)
    let found = Double(rig.part.sampleCount - before)
    expect(abs(found - expected), isAtMost: 1)
  }

  @Test static func `data-ready drives the pin at each sample, in each of the pin's settings`() throws {
    for isLatched in [false, true] {
      for isActiveLow in [false, true] {
        let rig = ICM20948Rig(
          ICM20948Rig.force,
          ICM20948.Configuration(
            interrupts: .init(signalsDataReady: true, isActiveLow: isActiveLow, isLatched: isLatched)))
        try rig.start()
        _ = try rig.registers(0x1A)
        var rises = 0
        var wasActive = rig.part.isInterruptHigh != isActiveLow
        for _ in 0..<10_000 {
          rig.clock.advance(by: Microseconds(20))
          let isActive = rig.part.isInterruptHigh != isActiveLow
          if isActive, !wasActive {
            rises += 1
            if isLatched { _ = try rig.registers(0x1A) }
          }
          wasActive = isActive && !isLatched
        }
        expect(rises, isIn: 20...21, "\(isLatched), \(isActiveLow): \(rises)")
      }
    }
  }

  @Test static func `a driver that samples for a minute never selects another bank, and checks once a second`() throws {
    let rig = ICM20948Rig()
    try rig.start()
    let before = rig.log.transactionCount
    for _ in 0..<6_000 { try expect(rig.nextSample(), equals: ICM20948Rig.force.vector) }
    expect(rig.log.transactionCount - before, equals: 6_000 + 6_000 / 102)
    expect(all: rig.log.transactions.suffix(100)) { [[0x2D], [0x05]].contains($0.written) }
  }
}

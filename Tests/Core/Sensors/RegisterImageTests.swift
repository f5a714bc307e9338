import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// Every register that a driver writes, while it measures and while it watches, with the values of the data sheet: a
/// driver compares a part only with its own configuration.
struct RegisterImageTests {
  /// Measures, watches and measures again, and compares the registers each time.
  private static func check(
    _ rig: some SensorRig, _ measuring: [(UInt8, UInt8)],
    _ watching: [(UInt8, UInt8)], watch: () throws -> Microseconds?, wake: () throws -> Microseconds
  ) throws {
    func wrong(_ image: [(UInt8, UInt8)]) throws -> [String] {
      try image.compactMap { register, value in
        let found = try rig.registers(register, 1)[0]
        return found == value ? nil : "\(register): \(found), not \(value)"
      }
    }
    try rig.start()
    try expect(wrong(measuring), equals: [])
    while let wait = try watch() { rig.clock.advance(by: wait) }
    let watched = Set(watching.map(\.0))
    try expect(wrong(measuring.filter { !watched.contains($0.0) } + watching), equals: [])
    rig.clock.advance(by: try wake())
    while try rig.proceed() {}
    try expect(wrong(measuring), equals: [])
  }

  /// LSM6DS33 Rev. 4, LSM6DS3TR-C Rev. 3, lsm6dso_reg.h.
  @Test(arguments: LSM6DSFacts.parts)
  static func `an LSM6DS has the registers of its configuration`(_ part: EmulatedLSM6DS.Part) throws {
    let hasTags = LSM6DSFacts.hasTags(part)
    let gyroscopes = LSM6DSFacts.gyroscopeRanges.filter { $0.dps < 4_000 || part == .ism330dhcx }
    for (number, rate) in LSM6DSFacts.rates.enumerated() {
      for (place, range) in LSM6DSFacts.ranges.enumerated() {
        let index = number * 4 + place
        let row = index % 4 == 0 ? nil : gyroscopes[index % gyroscopes.count]
        let (fifo, ready, low) = (index % 3 > 0, index % 5 > 2, index % 7 > 3)
        let configuration = LSM6DS.Configuration(
          rate: rate.rate, range: range.range, gyroscope: row?.range, usesFIFO: fifo,
          interrupts: DataReadyPin(signalsDataReady: ready, isActiveLow: low))
        let rig = LSM6DSRig(part, configuration)
        let axes: UInt8 = part == .lsm6ds33 ? 0x38 : 0
        let control: [UInt8] = [
          rate.code << 4 | range.code << 2, row.map { rate.code << 4 | $0.code } ?? 0, low ? 0x64 : 0x44, 0, 0, 0, 0, 0,
          hasTags ? 0xE2 : axes, axes,
        ]
        let batch: [UInt8] =
          !fifo
          ? [0, 0, 0, 0]
          : hasTags
            ? [0, 0, (row == nil ? 0 : rate.code << 4) | rate.code, 6]
            : [0, row == nil ? 1 : 9, 0, rate.code << 3 | 6]
        let last: [(UInt8, UInt8)] =
          [(0x0D, 0), (0x0E, ready ? 1 : 0), (0x58, 0), (0x5F, 0)] + (hasTags ? [(0x56, 0)] : [(0x06, 0)])
        let watch: [(UInt8, UInt8)] = [
          (0x07, 0), (0x08, 0), (0x09, 0), (0x0A, 0), (0x0E, 0), (0x10, 0x10), (0x11, 0), (0x15, 0x10), (0x5B, 2),
          (0x5C, 0), (0x58, hasTags ? 0x80 : 0x81), (0x5F, 0x20),
        ]
        try check(
          rig, Array(zip(0x10...0x19, control)) + Array(zip(0x07...0x0A, batch)) + last,
          watch + (hasTags ? [(0x56, 0x41)] : []), watch: { try rig.driver.watchForMovement() },
          wake: { try rig.driver.wake() })
      }
    }
  }

  /// Rev. 2.
  @Test static func `an LSM9DS1 has the registers of its configuration`() throws {
    for (number, rate) in LSM9DS1Facts.rates.enumerated() {
      for (place, range) in LSM9DS1Facts.ranges.enumerated() {
        let index = number * 4 + place
        let row = index % 4 == 0 ? nil : LSM9DS1Facts.gyroscopes[index % 3]
        let level: UInt8? = index % 3 == 0 ? nil : UInt8(index + 3)
        let (ready, low) = (index % 5 > 2, index % 7 > 3)
        let configuration = LSM9DS1.Configuration(
          rate: rate.rate, range: range.range, gyroscope: row?.range,
          fifo: level.map { .continuous(threshold: .init(nearest: Int32($0))) } ?? .bypass,
          interrupts: DataReadyPin(signalsDataReady: ready, isActiveLow: low))
        let rig = LSM9DS1Rig(LSM9DS1Rig.force, configuration)
        let image: [(UInt8, UInt8)] = [
          (0x04, 0), (0x05, 0), (0x06, 0), (0x0C, ready ? 1 : 0), (0x0D, 0),
          (0x10, row.map { rate.code << 5 | $0.code << 3 } ?? 0), (0x11, 0), (0x12, 0), (0x13, 0), (0x1E, 0x38),
          (0x1F, 0x38), (0x20, rate.code << 5 | range.code << 3 | 4 | rate.bandwidth), (0x21, 0),
          (0x22, low ? 0x64 : 0x44), (0x23, level == nil ? 0 : 2), (0x24, 0),
          (0x2E, level.map { 0xC0 | min($0, 31) } ?? 0),
        ]
        let watch: [(UInt8, UInt8)] = [
          (0x06, 0x2A), (0x07, 0x10), (0x08, 0x10), (0x09, 0x10), (0x0A, 0), (0x0C, 0x40), (0x10, 0), (0x1E, 0x3A),
          (0x20, 0x47), (0x21, 0x81), (0x23, 0), (0x2E, 0),
        ]
        try check(
          rig, image, watch, watch: { try rig.driver.watchForMovement() }, wake: { try rig.driver.wake() })
      }
    }
  }
}

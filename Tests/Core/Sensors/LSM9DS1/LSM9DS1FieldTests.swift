import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// Register fields over all bytes, and data words over all values.
struct LSM9DS1FieldTests {
  @Test static func `every byte of CTRL_REG1_G decodes to a field that encodes to it, or is not defined`() {
    for byte: UInt8 in 0...255 {
      let isDefined = byte >> 5 < 7 && byte & 0x07 == 0 && byte >> 3 & 3 != 2
      let field = LSM9DS1.GyroscopeField(decoding: byte)
      expect(field?.encoded, equals: isDefined ? byte : nil)
      guard let field else { continue }
      expect(field.rate?.rawValue ?? 0, equals: byte >> 5)
      expect(field.range.rawValue, equals: byte >> 3 & 3)
    }
  }

  @Test static func `every byte of CTRL_REG6_XL decodes to a field that encodes to it, or is not defined`() {
    for byte: UInt8 in 0...255 {
      let isDefined = byte >> 5 < 7 && (byte & 0x04 != 0 || byte & 3 == 0)
      let field = LSM9DS1.AccelerometerField(decoding: byte)
      expect(field?.encoded, equals: isDefined ? byte : nil)
      guard let field else { continue }
      expect(field.rate?.rawValue ?? 0, equals: byte >> 5)
      expect(field.range.rawValue, equals: byte >> 3 & 3)
      expect(field.bandwidth, equals: byte & 0x04 == 0 ? nil : byte & 3)
    }
  }

  @Test static func `every byte of FIFO_SRC has 0 to 32 sets, or is not one of the part`() {
    for byte: UInt8 in 0...255 {
      expect(LSM9DS1.sets(in: byte), equals: byte & 0x3F <= 32 ? Int32(byte & 0x3F) : nil)
    }
  }

  /// Every word, as bytes, and what it is worth in counts of `unit`, clipped to a range of whole units.
  private static func check(
    _ convert: (UInt8, UInt8) -> Q16, unit: Double, limit: Double, fullScale: Q16
  ) {
    // At the end of the range the words end one count earlier.
    let most = min(32_767, (limit / unit - 1e-9).rounded(.down))
    for word in Int16.min...Int16.max {
      let bits = UInt16(bitPattern: word)
      let expected = max(-most - 1, min(most, Double(word))) * unit * 65_536
      let found = convert(UInt8(truncatingIfNeeded: bits), UInt8(bits >> 8))
      guard abs(Double(found.raw) - expected) <= 0.51 else {
        Issue.record("\(word): \(found.raw), not \(expected)")
        return
      }
    }
    expect(abs(Double(fullScale.raw) - most * unit * 65_536), isAtMost: 0.51)
    expect(Double(fullScale.raw), isBelow: limit * 65_536)
  }

  @Test(arguments: LSM9DS1Facts.ranges)
  static func `every word converts to the nearest force, clipped to the range`(
    _ row: (code: UInt8, range: LSM9DS1.Range, g: Int32, milliG: Double)
  ) {
    check(
      { LSM9DS1.force($0, $1, range: row.range) }, unit: row.milliG / 1_000, limit: Double(row.g),
      fullScale: LSM9DS1.fullScale(of: row.range))
  }

  @Test(arguments: LSM9DS1Facts.gyroscopes)
  static func `every word converts to the nearest rotation, clipped to the range`(
    _ row: (code: UInt8, range: LSM9DS1.GyroscopeRange, limit: Int32, milliDegrees: Double)
  ) {
    check(
      { row.range.component($0, $1) }, unit: row.milliDegrees / 1_000, limit: Double(row.limit),
      fullScale: row.range.fullScale)
  }

  @Test static func `every 12-bit word of the thermometer converts exactly, whatever its upper bits`() {
    for word in -2_048..<2_048 {
      for upper in [0, 0xF000] {
        let bits = UInt16(word & 0xFFF | upper)
        let found = LSM9DS1.temperature(UInt8(truncatingIfNeeded: bits), UInt8(bits >> 8))
        expect(found.raw, equals: Int32(25 * 65_536 + word * 4_096))
      }
    }
  }

  @Test static func `each rate has its period, and the lowest sufficient rate is chosen`() {
    for (code, rate, alone, both, _) in LSM9DS1Facts.rates {
      expect(rate.rawValue, equals: code)
      expect(abs(Double(rate.period(withGyroscope: false).count) - 1e6 / alone), isAtMost: 0.5)
      expect(abs(Double(rate.period(withGyroscope: true).count) - 1e6 / both), isAtMost: 0.5)
    }
    for hasGyroscope in [false, true] {
      var below: Int32 = 0
      for row in LSM9DS1Facts.rates {
        let highest = Int32((hasGyroscope ? row.both : row.alone) * 1_000)
        let code = row.code
        let wrong = (below + 1...highest).firstNumber { millihertz in
          let found = LSM9DS1.OutputDataRate(atLeastMillihertz: millihertz, withGyroscope: hasGyroscope)
          guard let found else { return true }
          return found.rawValue != code
        }
        expect(wrong, equals: nil, "\(row.rate)")
        below = highest
      }
      for millihertz in [-2...0, below + 1...952_002] {
        let found = millihertz.firstNumber {
          LSM9DS1.OutputDataRate(atLeastMillihertz: $0, withGyroscope: hasGyroscope) != nil
        }
        expect(found, equals: nil)
      }
    }
    expect([2, 4, 8, 16].map { LSM9DS1.Range(g: $0) }, equals: [.g2, .g4, .g8, .g16])
    expect((0...17).filter { LSM9DS1.Range(g: $0) != nil }, equals: [2, 4, 8, 16])
    expect((0...2_001).filter { LSM9DS1.GyroscopeRange(degreesPerSecond: $0) != nil }, equals: [245, 500, 2_000])
  }

  /// The highest rate on a bus: alone, with the gyroscope, and both in batches of 25.
  @Test(
    arguments: [
      (100, 0, 0, 0, 0), (10_000, 10, 15, 50, 15), (100_000, 238, 119, 952, 476), (399_000, 952, 476, 952, 952),
      (1_000_000, 952, 476, 952, 952),
    ] as [(UInt32, UInt32, UInt32, UInt32, UInt32)])
  static func `a rate too high for the bus is rejected before any transaction, with both frequencies`(
    _ bus: UInt32, _ alone: UInt32, _ both: UInt32, _ aloneInBatches: UInt32, _ bothInBatches: UInt32
  ) throws {
    let batches = LSM9DS1.FIFO.continuous(threshold: .init(nearest: 25))
    for (highest, gyroscope, fifo) in [
      (alone, nil, .bypass), (both, .dps2000, .bypass), (aloneInBatches, nil, batches),
      (bothInBatches, .dps2000, batches),
    ] as [(UInt32, LSM9DS1.GyroscopeRange?, LSM9DS1.FIFO)] {
      for row in LSM9DS1Facts.rates {
        let configuration = LSM9DS1.Configuration(rate: row.rate, gyroscope: gyroscope, fifo: fifo)
        let isTooFast = (gyroscope == nil ? row.alone : row.both) > Double(highest)
        let log = BusLog()
        let emulated = EmulatedBus(frequency: bus, log: log) { Instant(microseconds: 0) }
        var driver = LSM9DS1.Device(bus: emulated, configuration: configuration)
        let expected: SensorError =
          isTooFast ? .rateTooHigh(busHertz: bus, highestHertz: highest) : .bus(.noAcknowledge)
        expect(sensorError { () throws(SensorError) in _ = try driver.start() }, equals: expected, "\(configuration)")
        expect(sensorError { () throws(SensorError) in _ = try driver.adopt() }, equals: expected)
        expect(log.transactionCount, equals: isTooFast ? 0 : 2)
        try configuration.check(against: nil)
      }
    }
  }
}

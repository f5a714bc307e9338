import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// Register fields over all bytes, and data words over all values.
struct LIS3DHFieldTests {
  @Test static func `every byte of CTRL_REG1 decodes to a field that encodes to it, or has no normal rate`() {
    for byte: UInt8 in 0...255 {
      let (code, isLowPower) = (byte >> 4, byte & 0x08 != 0)
      let isNormal = code <= 7 || code == 9 && !isLowPower
      let field = LIS3DH.RateField(decoding: byte)
      expect(field?.encoded, equals: isNormal ? byte : nil)
      expect(field.map { $0.rate?.rawValue ?? 0 }, equals: isNormal ? code : nil)
      if let field { #expect(field.isLowPower == isLowPower && field.axes == byte & 7) }
    }
  }

  @Test static func `every byte of CTRL_REG4 with a valid self-test code decodes to a field that encodes to it`() {
    for byte: UInt8 in 0...255 {
      let field = LIS3DH.FormatField(decoding: byte)
      expect(field?.encoded, equals: byte & 0x06 == 0x06 ? nil : byte)
      guard let field else { continue }
      expect(field.range.rawValue, equals: byte >> 4 & 3)
      expect(field.isHighResolution, equals: byte & 0x08 != 0)
      expect(field.updatesInBlocks, equals: byte & 0x80 != 0)
      expect(field.isBigEndian, equals: byte & 0x40 != 0)
      expect(field.selfTest, equals: byte >> 1 & 3)
      expect(field.isThreeWireSPI, equals: byte & 1 != 0)
    }
  }

  @Test static func `every byte of FIFO_CTRL decodes to a field that encodes to it`() {
    for byte: UInt8 in 0...255 {
      let field = LIS3DH.FIFOControlField(decoding: byte)
      expect(field.encoded, equals: byte)
      expect(field.mode.rawValue, equals: byte >> 6)
      expect(field.watermark, equals: byte & 0x1F)
      expect(field.triggersOnInterrupt2, equals: byte & 0x20 != 0)
    }
  }

  @Test static func `every byte of FIFO_SRC decodes to a number of sets, or is one that the part cannot return`() {
    var seen: Set<UInt8> = []
    for byte: UInt8 in 0...255 {
      let (isFull, isEmpty, stored) = (byte & 0x40 != 0, byte & 0x20 != 0, byte & 0x1F)
      let sets: UInt8? = isEmpty != (stored == 0) ? nil : isFull ? (stored == 31 ? 32 : nil) : stored
      let field = LIS3DH.FIFOSourceField(decoding: byte)
      expect(field?.sets, equals: sets)
      expect(field?.encoded, equals: sets.map { _ in byte })
      if let sets { seen.insert(sets) }
    }
    expect(seen, equals: Set(0...32))
  }

  @Test(arguments: LIS3DHFacts.ranges, [true, false])
  static func `every word converts to the nearest force, clipped to the range`(
    _ row: (code: UInt8, range: LIS3DH.Range, g: Int32, milliG: Double), _ isHigh: Bool
  ) {
    let field = LIS3DH.FormatField(range: row.range, isHighResolution: isHigh)
    let step = row.milliG * (isHigh ? 1 : 4)
    let most = (Double(row.g) * 1_000 / step).rounded(.down) * step
    for word in Int16.min...Int16.max {
      // The four lowest bits are 0 in the part; the driver ignores them.
      let milliG = (Double(word) / 16).rounded(.down) * row.milliG
      let expected = max(-most, min(most - step, milliG)) * 65.536
      let bits = UInt16(bitPattern: word)
      let found = field.component(UInt8(truncatingIfNeeded: bits), UInt8(bits >> 8))
      expect(abs(Double(found.raw) - expected), isAtMost: 0.5, "\(word)")
    }
    expect(abs(Double(field.fullScale.raw) - (most - step) * 65.536), isAtMost: 0.5)
  }

  @Test static func `each rate has its period, and the lowest sufficient rate is chosen`() {
    var below: Int32 = 0
    for (code, rate, hertz) in LIS3DHFacts.rates {
      expect(rate.rawValue, equals: code)
      expect(rate.period, equals: Microseconds(1_000_000 / hertz))
      let highest = Int32(hertz * 1_000)
      let wrong = (below + 1...highest).firstNumber { millihertz in
        guard let found = LIS3DH.OutputDataRate(atLeastMillihertz: millihertz) else { return true }
        return found.rawValue != code
      }
      expect(wrong, equals: nil, "\(rate)")
      below = highest
    }
    for millihertz in [-2...0, below + 1...1_345_000] {
      expect(millihertz.firstNumber { LIS3DH.OutputDataRate(atLeastMillihertz: $0) != nil }, equals: nil)
    }
    expect([2, 4, 8, 16].map { LIS3DH.Range(g: $0) }, equals: [.g2, .g4, .g8, .g16])
    expect((0...17).filter { LIS3DH.Range(g: $0) != nil }, equals: [2, 4, 8, 16])
  }

  @Test(arguments: LIS3DHFacts.rates)
  static func `a rate too high for the bus is rejected before any transaction, with both frequencies`(
    _ row: (code: UInt8, rate: LIS3DH.OutputDataRate, hertz: Int64)
  ) throws {
    let configuration = LIS3DH.Configuration(rate: row.rate)
    for (bus, highest) in [
      (100, 0), (1_000, 1), (10_000, 25), (100_000, 200), (399_999, 1_344), (400_000, 1_344), (1_000_000, 1_344),
    ] as [(UInt32, UInt32)] {
      let isTooFast = row.hertz > Int64(highest)
      let log = BusLog()
      let emulated = EmulatedBus(frequency: bus, log: log) { Instant(microseconds: 0) }
      var driver = LIS3DH.Device(bus: emulated, configuration: configuration)
      let expected: SensorError =
        isTooFast ? .rateTooHigh(busHertz: bus, highestHertz: highest) : .bus(.noAcknowledge)
      expect(sensorError { () throws(SensorError) in _ = try driver.start() }, equals: expected)
      expect(sensorError { () throws(SensorError) in _ = try driver.adopt() }, equals: expected)
      expect(log.transactionCount, equals: isTooFast ? 0 : 2)
    }
    try configuration.check(against: nil)
  }
}

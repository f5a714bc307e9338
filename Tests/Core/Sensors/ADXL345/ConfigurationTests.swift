import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// The effects of `start()` on a part, seen on the part itself.
struct ConfigurationTests {
  static let all: [ADXL345.Configuration] = rates.flatMap { rate in
    ranges.map { ADXL345.Configuration(rate: rate.rate, range: $0.range) }
  }

  /// DATA_FORMAT: bit 3 is FULL_RES.
  static func format(_ configuration: ADXL345.Configuration) -> UInt8 { 0x08 | configuration.range.rawValue }

  @Test(arguments: all)
  static func `every rate and range reaches the registers, whatever they held before`(
    _ configuration: ADXL345.Configuration
  ) throws {
    let rig = ADXL345Rig(ADXL345Rig.force, configuration)
    for register: UInt8 in [0x1E, 0x1F, 0x20, 0x2C, 0x2D, 0x2E, 0x2F, 0x31, 0x38] { try rig.write([register, 0xFF]) }
    _ = try rig.driver.start()
    try expect(rig.registers(0x1E, 3), equals: [0, 0, 0])
    try expect(rig.registers(0x2C, 3), equals: [configuration.rate.rawValue, 0x08, 0x00])
    try expect(rig.registers(0x31), equals: [ConfigurationTests.format(configuration)])
    try expect(rig.registers(0x38), equals: [0x00])
  }

  @Test static func `the lowest rate that is at least the requested one is found, up to 800 Hz`() {
    for code in 0...13 as ClosedRange<Int32> {
      // 3200 Hz / 2^(15 - code), in millihertz.
      let exact = 3_200_000.0 / Double(1 << (15 - code))
      let found = [exact.rounded(.down), exact.rounded(.down) + 1].map {
        ADXL345.OutputDataRate(atLeastMillihertz: Int32($0))?.rawValue
      }
      expect(found, equals: [UInt8(code), code == 13 ? nil : UInt8(code + 1)], "\(exact) mHz")
    }
    expect(ADXL345.OutputDataRate(atLeastMillihertz: 1)?.rawValue, equals: 0)
    for nonsense in [Int32.min, -1, 0, 800_001, Int32.max] {
      expect(ADXL345.OutputDataRate(atLeastMillihertz: nonsense), equals: nil)
    }
  }

  @Test(arguments: all)
  static func `the first sample is ready after the time that start returns`(_ configuration: ADXL345.Configuration)
    throws
  {
    let rig = ADXL345Rig(ADXL345Rig.force, configuration)
    let wait = try rig.driver.start()
    expect(wait, equals: configuration.rate.period * 2 + Microseconds(1_100))
    rig.clock.advance(by: wait)
    try expect(rig.driver.sample(), equals: ADXL345Rig.force.vector)
    expect(rig.part.sampleCount, equals: 2)
  }

  @Test(arguments: all)
  static func `a brown-out between samples is detected by the next one`(_ configuration: ADXL345.Configuration) throws {
    let rig = ADXL345Rig(ADXL345Rig.force, configuration)
    try expect(rig.startAndSample(), equals: ADXL345Rig.force.vector)
    rig.part.powerCycle()
    for _ in 0..<3 { expect(throws: SensorError.configurationLost) { try rig.nextSample() } }
    try expect(rig.startAndSample(), equals: ADXL345Rig.force.vector)
  }

  @Test static func `no configuration writes the reset value of DATA_FORMAT, so a lost one is always detected`() throws
  {
    for range in ranges {
      for isActiveLow in [false, true] {
        let part = PlainMemory()
        var driver = part.driver(
          ADXL345.Configuration(range: range.range, interrupts: ADXL345.Interrupts(isActiveLow: isActiveLow)))
        _ = try driver.start()
        expect(part.bytes[0x31], isNot: 0x00)
        expect(part.bytes[0x31] & 0x20, equals: isActiveLow ? 0x20 : 0x00)
        expect(part.bytes[0x31] & 0xD4, equals: 0)
      }
    }
  }

  @Test static func `each FIFO mode has its code, and is set after the FIFO was emptied`() throws {
    let modes: [(fifo: ADXL345.FIFO, byte: UInt8)] = [
      (.bypass, 0x00), (.stream(watermark: .init(nearest: 1)), 0x81), (.stream(watermark: .init(nearest: 31)), 0x9F),
    ]
    for mode in modes {
      let part = PlainMemory()
      let log = BusLog()
      var driver = part.driver(ADXL345.Configuration(fifo: mode.fifo), log: log)
      _ = try driver.start()
      expect(part.bytes[0x38], equals: mode.byte)
      let written = log.transactions.map(\.written).filter { $0.count == 2 && $0[0] == 0x38 }
      expect(written, equals: (mode.byte == 0 ? [[0x38, 0x00]] : [[0x38, 0x00], [0x38, mode.byte]]))
    }
  }

  @Test(arguments: UInt8.min...UInt8.max)
  static func `signalled events are enabled and mapped as configured, and only if they are detected`(
    _ byte: UInt8
  ) throws {
    let part = PlainMemory()
    let events = ADXL345.Events(rawValue: byte)
    let freeFall = try require(ADXL345.FreeFall(threshold: Q16(1, over: 2), time: .milliseconds(100)))
    for isLookedFor in [false, true] {
      var driver = part.driver(
        ADXL345.Configuration(
          detection: ADXL345.Detection(freeFall: isLookedFor ? freeFall : nil),
          interrupts: ADXL345.Interrupts(conditions: events, onInterrupt2: events)))
      _ = try driver.start()
      // Data ready, watermark and overrun are bits 7, 1 and 0; free fall is bit 2.
      expect(part.bytes[0x2E], equals: byte & 0b1000_0011 | (isLookedFor ? 0b0000_0100 : 0))
      if part.bytes[0x2E] != 0 { expect(part.bytes[0x2F], equals: byte) }
    }
  }

  @Test static func `without detection the detectors' registers are left alone`() throws {
    let part = PlainMemory()
    var driver = part.driver()
    _ = try driver.start()
    for register in [0x1D] + Array(0x21...0x2A) + [0x2F] { expect(part.bytes[register], equals: 0x5A) }
  }

  @Test static func `the detectors' registers that belong to no configured detection are 0`() throws {
    let freeFall = try require(ADXL345.FreeFall(threshold: Q16(7, over: 16), time: .milliseconds(200)))
    let part = PlainMemory()
    var driver = part.driver(ADXL345.Configuration(detection: ADXL345.Detection(freeFall: freeFall)))
    _ = try driver.start()
    // 7 steps of 62.5 mg, 40 steps of 5 ms.
    let fall: [UInt8: UInt8] = [0x28: 0x07, 0x29: 0x28]
    for register in [0x1D] + Array(0x21...0x2A) as [UInt8] {
      expect(part.bytes[Int(register)], equals: fall[register] ?? 0, "\(register)")
    }
  }

  @Test static func `the default is 100 Hz and 16 g at the usual address`() {
    let rig = ADXL345Rig()
    expect(rig.driver.configuration, equals: ADXL345.Configuration(rate: .hz100, range: .g16))
    expect(rig.driver.configuration.fifo, equals: .bypass)
    expect(rig.driver.configuration.detection, equals: ADXL345.Detection())
    expect(rig.driver.configuration.interrupts, equals: ADXL345.Interrupts())
    expect(rig.driver.wire.address, equals: EmulatedADXL345.address)
  }

  @Test static func `a part at the other address is reached there and nowhere else`() throws {
    let rig = ADXL345Rig(at: ADXL345.alternateAddress)
    try expect(rig.startAndSample(), equals: ADXL345Rig.force.vector)
    expect(all: rig.log.transactions) { $0.address == EmulatedADXL345.alternateAddress }
  }

  @Test(arguments: ranges)
  static func `full scale is one count short of the range`(
    _ row: (code: UInt8, range: ADXL345.Range, g: Int32, lowest: Int32, highest: Int32)
  ) {
    let full = ADXL345Rig(ADXL345Rig.force, ADXL345.Configuration(range: row.range))
    expect(full.driver.fullScale, equals: Q16(raw: row.g * 65_536 - 256))
  }
}

struct ADXL345AddressTests {
  @Test(arguments: UInt8.min...UInt8.max)
  static func `an address has 7 bits and is not reserved`(_ byte: UInt8) {
    expect(I2CAddress(byte)?.rawValue, equals: (0x08...0x77).contains(byte) ? byte : nil)
  }
}

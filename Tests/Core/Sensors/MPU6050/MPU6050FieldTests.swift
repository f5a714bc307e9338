import FixedPoint
import Sensors
import TestSupport
import Testing

struct MPU6050FieldTests {
  static let filters: [(code: UInt8, filter: MPU6050.Filter, delay: Int64, laterDelay: Int64)] = [
    (1, .hz184, 2_000, 5_800), (2, .hz94, 3_000, 7_800), (3, .hz44, 4_900, 11_800), (4, .hz21, 8_500, 19_800),
    (5, .hz10, 13_800, 35_700), (6, .hz5, 19_000, 66_960),
  ]
  static let ranges: [MPU6050.Range] = [.g2, .g4, .g8, .g16]
  static let gyroscopeRanges: [MPU6050.GyroscopeRange] = [.dps250, .dps500, .dps1000, .dps2000]
  static let cycleRates: [InvenSense.CycleRate] = [.hz1_25, .hz5, .hz20, .hz40]

  @Test(arguments: UInt8.min...UInt8.max)
  static func `ACCEL_CONFIG survives decoding and encoding, or is rejected for a reserved bit`(_ byte: UInt8) {
    let field = MPU6050.AccelerometerField(decoding: byte)
    expect(field == nil, equals: byte & 0b0000_0111 != 0)
    guard let field else { return }
    expect(field.encoded, equals: byte)
    expect(field.range, equals: Self.ranges[Int(byte >> 3 & 3)])
    expect(field.selfTestsX, equals: byte & 0b1000_0000 != 0)
    expect(field.selfTestsY, equals: byte & 0b0100_0000 != 0)
    expect(field.selfTestsZ, equals: byte & 0b0010_0000 != 0)
  }

  @Test(arguments: UInt8.min...UInt8.max)
  static func `GYRO_CONFIG survives decoding and encoding, or is rejected for a reserved bit`(_ byte: UInt8) {
    let field = MPU6050.GyroscopeField(decoding: byte)
    expect(field == nil, equals: byte & 0b0000_0111 != 0)
    guard let field else { return }
    expect(field.encoded(of: .mpu6050), equals: byte)
    expect(field.encoded(of: .icm20689), equals: byte)
    expect(field.range, equals: Self.gyroscopeRanges[Int(byte >> 3 & 3)])
    expect(field.selfTestsX, equals: byte & 0b1000_0000 != 0)
    expect(field.selfTestsY, equals: byte & 0b0100_0000 != 0)
    expect(field.selfTestsZ, equals: byte & 0b0010_0000 != 0)
    // The ICM-20690 has the range one bit lower.
    expect(field.encoded(of: .icm20690), equals: byte & 0b1110_0000 | (byte & 0b0001_1000) >> 1)
  }

  @Test(arguments: UInt8.min...UInt8.max)
  static func `CONFIG is one of the six filters with a base of 1 kHz, or rejected`(_ byte: UInt8) {
    let filter = MPU6050.Filter(rawValue: byte)
    expect(filter, equals: Self.filters.first { $0.code == byte }?.filter)
    expect(filter?.rawValue ?? byte, equals: byte)
  }

  @Test(arguments: UInt8.min...UInt8.max)
  static func `ACCEL_CONFIG2 is one of six filters or the widest, or rejected`(_ byte: UInt8) {
    let field = MPU6050.AccelerometerFilterField(decoding: byte)
    expect(field != nil, equals: (1...7).contains(byte))
    expect(field?.filter, equals: Self.filters.first { $0.code == byte }?.filter)
    expect(field?.encoded ?? byte, equals: byte)
  }

  @Test(arguments: UInt8.min...UInt8.max)
  static func `INT_PIN_CFG survives decoding and encoding, or is rejected for the reserved bit`(_ byte: UInt8) {
    let field = InvenSense.InterruptPinField(decoding: byte)
    expect(field == nil, equals: byte & 1 != 0)
    guard let field else { return }
    expect(field.encoded, equals: byte)
    expect(field.isActiveLow, equals: byte & 0x80 != 0)
    expect(field.isOpenDrain, equals: byte & 0x40 != 0)
    expect(field.isLatched, equals: byte & 0x20 != 0)
    expect(field.isClearedByAnyRead, equals: byte & 0x10 != 0)
    expect(field.isFrameSyncActiveLow, equals: byte & 0x08 != 0)
    expect(field.frameSyncInterrupts, equals: byte & 0x04 != 0)
    expect(field.bypassesAuxiliaryBus, equals: byte & 0x02 != 0)
  }

  @Test static func `INT_PIN_CFG is never its reset value and never enables frame sync or bypass`() {
    for bits in 0..<32 {
      let pin = MPU6050.Interrupts(
        signalsDataReady: bits & 1 != 0, isActiveLow: bits & 2 != 0, isOpenDrain: bits & 4 != 0,
        isLatched: bits & 8 != 0, isClearedByAnyRead: bits & 16 != 0)
      for hasFIFO in [false, true] {
        let byte = InvenSense.InterruptPinField(pin, withFIFO: hasFIFO).encoded
        expect(byte & 0x0F, equals: 0x08)
        expect(byte & 0x80 != 0, equals: pin.isActiveLow)
        expect(byte & 0x40 != 0, equals: pin.isOpenDrain)
        expect(byte & 0x20 != 0, equals: pin.isLatched)
        expect(byte & 0x10 != 0, equals: pin.isClearedByAnyRead && !hasFIFO)
      }
    }
  }

  @Test(arguments: UInt8.min...UInt8.max)
  static func `INT_ENABLE survives decoding and encoding, or is rejected for a reserved bit`(_ byte: UInt8) {
    let field = MPU6050.InterruptField(decoding: byte)
    expect(field == nil, equals: byte & 0b1010_0110 != 0)
    guard let field else { return }
    expect(field.encoded, equals: byte)
    expect(field.wakesOnMotion, equals: byte & 0x40 != 0)
    expect(field.fifoOverflow, equals: byte & 0x10 != 0)
    expect(field.auxiliaryBus, equals: byte & 0x08 != 0)
    expect(field.dataReady, equals: byte & 0x01 != 0)
  }

  @Test(arguments: UInt8.min...UInt8.max)
  static func `PWR_MGMT_1 survives decoding and encoding, or is rejected for the gyroscope's standby`(_ byte: UInt8) {
    let field = InvenSense.PowerField(decoding: byte)
    expect(field == nil, equals: byte & 0x10 != 0)
    guard let field else { return }
    expect(field.encoded, equals: byte)
    expect(field.resets, equals: byte & 0x80 != 0)
    expect(field.sleeps, equals: byte & 0x40 != 0)
    expect(field.cycles, equals: byte & 0x20 != 0)
    expect(field.isTemperatureOff, equals: byte & 0x08 != 0)
    expect(field.clock, equals: byte % 8)
  }

  @Test static func `a clock source beyond 7 reaches no other bit`() {
    for clock in UInt8.min...UInt8.max { expect(InvenSense.PowerField(clock: clock).encoded, equals: clock % 8) }
  }

  @Test(arguments: UInt8.min...UInt8.max)
  static func `PWR_MGMT_2, FIFO_EN and similar fields survive decoding and encoding`(_ byte: UInt8) {
    let standby = InvenSense.StandbyField(decoding: byte)
    expect(standby?.encoded, equals: byte)
    expect(standby?.cycleRate, equals: Self.cycleRates[Int(byte >> 6)])
    expect(standby?.accelerometerAxes, equals: byte >> 3 & 7)
    expect(standby?.gyroscopeAxes, equals: byte & 7)
    let sources = MPU6050.SourcesField(decoding: byte)
    expect(sources?.encoded, equals: byte)
    expect(sources?.temperature, equals: byte & 0x80 != 0)
    expect(sources?.gyroscopeAxes, equals: byte >> 4 & 7)
    expect(sources?.accelerometer, equals: byte & 0x08 != 0)
    expect(sources?.auxiliaries, equals: byte & 7)
  }

  @Test static func `a FIFO record has 6, 8, 12 or 14 bytes, and FIFO_EN selects them`() {
    let rows: [(temperature: Bool, rotation: Bool, size: Int, byte: UInt8)] = [
      (false, false, 6, 0x08), (true, false, 8, 0x88), (false, true, 12, 0x78), (true, true, 14, 0xF8),
    ]
    for row in rows {
      let layout = InvenSense.RecordLayout(hasTemperature: row.temperature, hasRotation: row.rotation)
      expect(layout.size, equals: row.size)
      expect(MPU6050.SourcesField(layout).encoded, equals: row.byte)
    }
  }

  @Test(arguments: UInt8.min...UInt8.max)
  static func `a divider gives its period`(_ divider: UInt8) {
    expect(MPU6050.SampleRate(divider: divider).period, equals: Microseconds(1_000 * (Int64(divider) + 1)))
  }

  @Test static func `the named rates have the dividers of the register map`() {
    let named: [MPU6050.SampleRate] = [.hz50, .hz100, .hz200, .hz500, .hz1000]
    expect(named.map(\.divider), equals: [19, 9, 4, 1, 0])
  }

  @Test static func `a range in g is one of four, or nil`() {
    let numbers = Array(-10...100) + [Int32.min, Int32.max]
    expect(numbers.filter { MPU6050.Range(g: $0) != nil }, equals: [2, 4, 8, 16])
    for (code, g) in [2 as Int32, 4, 8, 16].enumerated() {
      expect(MPU6050.Range(g: g)?.rawValue, equals: UInt8(code))
      let driver = MPU6050Memory().driver(MPU6050.Configuration(range: Self.ranges[code]))
      expect(driver.fullScale, equals: Q16(raw: g * 65_536 - 2 * g))
    }
  }

  @Test static func `a filter has its code and its delay in both classes of parts`() {
    for row in Self.filters {
      expect(row.filter.rawValue, equals: row.code)
      expect(row.filter.delay(of: .mpu6050), equals: Microseconds(row.delay))
      for part in [MPU6050.Part.mpu6500, .mpu9250, .icm20689, .clone72] {
        expect(row.filter.delay(of: part), equals: Microseconds(row.laterDelay))
      }
    }
  }
}

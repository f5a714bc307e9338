import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// Each configuration register sticks once.
struct MPU6050FaultTests {
  /// Setups that together use every transaction: a first-class part, and later ones with every feature.
  static let setups: [(identity: UInt8, configuration: MPU6050.Configuration)] = [
    (0x68, MPU6050.Configuration()),
    (0x68, MPU6050.Configuration(gyroscope: .dps250, fifo: MPU6050.FIFO(includesRotation: true))),
    (0x71, MPU6050.Configuration(rate: .hz500, gyroscope: .dps2000)),
  ]

  /// Every register that a setup writes and reads back, and the value written.
  static let stuck: [(setup: Int, register: UInt8, wrote: UInt8)] = [
    (0, 0x19, 0x09), (0, 0x1A, 0x03), (0, 0x1B, 0x00), (0, 0x1C, 0x08), (0, 0x23, 0x00), (0, 0x37, 0x08),
    (0, 0x38, 0x00), (0, 0x6A, 0x00), (0, 0x6C, 0x07), (1, 0x1B, 0x00), (1, 0x38, 0x10), (1, 0x6C, 0x00),
    (2, 0x19, 0x01), (2, 0x1B, 0x18), (2, 0x1D, 0x03),
  ]

  @Test(arguments: stuck)
  static func `a register that does not keep its value is reported, with both values`(
    _ row: (setup: Int, register: UInt8, wrote: UInt8)
  ) {
    for bit in 0..<8 as Range<UInt8> {
      let read = row.wrote ^ (1 << bit)
      let setup = Self.setups[row.setup]
      let memory = MPU6050Memory(identity: setup.identity, stuck: [row.register: read])
      let log = BusLog()
      var driver = memory.driver(setup.configuration, log: log)
      let error = sensorError { () throws(SensorError) in try driver.startWholly() }
      expect(error, equals: .configurationRejected(register: row.register, wrote: row.wrote, read: read))
      expect(throws: SensorError.configurationLost) { try driver.sample() }
      // The start is not continued: the next step is a reset.
      expect(sensorError { () throws(SensorError) in _ = try driver.proceed() }, equals: nil)
      expect(log.transactions.suffix(2).map(\.written), equals: [[0x75], [0x6B, 0x80]])
    }
  }

  @Test(arguments: [(0, 0x00 as UInt8), (1, 0x01), (2, 0x01)])
  static func `a part that does not wake up as configured is rejected`(_ row: (setup: Int, wrote: UInt8)) {
    for bit in 0..<7 as Range<UInt8> {
      let setup = Self.setups[row.setup]
      let read = row.wrote ^ (1 << bit)
      var driver = MPU6050Memory(identity: setup.identity, stuck: [0x6B: read]).driver(setup.configuration)
      let error = sensorError { () throws(SensorError) in try driver.startWholly() }
      expect(error, equals: .configurationRejected(register: 0x6B, wrote: row.wrote, read: read))
    }
    var driver = MPU6050Memory(stuck: [0x6B: 0x80]).driver()
    expect(sensorError { () throws(SensorError) in try driver.startWholly() }, equals: .resetTimedOut)
  }

  @Test(arguments: [(0x23 as UInt8, 0x78 as UInt8), (0x6A, 0x40)])
  static func `a FIFO that does not start is rejected`(_ row: (register: UInt8, wrote: UInt8)) {
    // Stuck at the value that the configuration needs: only the start of the FIFO can detect it.
    var driver = MPU6050Memory(stuck: [row.register: 0x00]).driver(Self.setups[1].configuration)
    let error = sensorError { () throws(SensorError) in try driver.startWholly() }
    expect(error, equals: .configurationRejected(register: row.register, wrote: row.wrote, read: 0x00))
  }

  @Test static func `unused registers may hold anything`() throws {
    var driver = MPU6050Memory(stuck: [0x39: 0xFF, 0x3A: 0xEF, 0x06: 0x12, 0x68: 0xFF]).driver(
      MPU6050.Configuration(samplesPerWatch: 1))
    try driver.startWholly()
    try expect(driver.sample(), equals: .zero)
  }
}

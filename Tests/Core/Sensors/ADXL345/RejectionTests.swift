import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// Parts that respond, but not like an ADXL345.
struct RejectionTests {
  /// A register that is used, the value that start writes there, and the byte that the part returns.
  static let stuck: [(register: UInt8, wrote: UInt8)] = [
    (0x1E, 0x00), (0x1F, 0x00), (0x20, 0x00), (0x2C, 0x0A), (0x2D, 0x00), (0x2E, 0x00), (0x31, 0x0B), (0x38, 0x00),
  ]

  @Test static func `a bus without the part gives no acknowledge to a driver that was not started`() {
    var driver = ADXL345.Device(bus: EmulatedBus { Instant(microseconds: 0) })
    expect(sensorError { () throws(SensorError) in _ = try driver.sample() }, equals: .bus(.noAcknowledge))
  }

  @Test(arguments: stuck)
  static func `a register that does not keep its value is reported, with both values`(
    _ row: (register: UInt8, wrote: UInt8)
  ) {
    for bit: UInt8 in 0..<8 {
      let read = row.wrote ^ (1 << bit)
      let part = PlainMemory(stuck: [row.register: read])
      var driver = part.driver()
      let error = sensorError { () throws(SensorError) in _ = try driver.start() }
      expect(error, equals: .configurationRejected(register: row.register, wrote: row.wrote, read: read))
    }
  }

  @Test static func `with every feature in use, a register that does not keep its value is reported`() throws {
    let configuration = try WireFormatTests.everything()
    let plain = PlainMemory()
    var driver = plain.driver(configuration)
    _ = try driver.start()
    for register in Array(0x1D...0x2A) + [0x2C, 0x2E, 0x2F, 0x31, 0x38] as [UInt8] {
      for bit: UInt8 in 0..<8 {
        let wrote = plain.bytes[Int(register)]
        let part = PlainMemory(stuck: [register: wrote ^ (1 << bit)])
        var driver = part.driver(configuration)
        let error = sensorError { () throws(SensorError) in _ = try driver.start() }
        // INT_ENABLE is 0 until the rest is verified.
        let expected = register == 0x2E ? 0 : wrote
        expect(error, equals: .configurationRejected(register: register, wrote: expected, read: wrote ^ (1 << bit)))
        expect(part.bytes[0x2D], equals: 0x00)
      }
    }
  }

  @Test static func `a part that stays in standby is rejected`() {
    var driver = PlainMemory(stuck: [0x2D: 0x00]).driver()
    let error = sensorError { () throws(SensorError) in _ = try driver.start() }
    expect(error, equals: .configurationRejected(register: 0x2D, wrote: 0x08, read: 0x00))
  }

  @Test static func `a part never measures before its configuration is verified`() {
    for row in RejectionTests.stuck where row.register != 0x2D {
      let part = PlainMemory(stuck: [row.register: ~row.wrote])
      var driver = part.driver()
      expect(sensorError { () throws(SensorError) in _ = try driver.start() }, isNot: nil)
      expect(part.bytes[0x2D], equals: 0x00)
    }
  }

  @Test static func `unused registers may hold anything`() {
    var driver = PlainMemory(stuck: [0x2F: 0xFF, 0x30: 0xFF]).driver()
    expect(sensorError { () throws(SensorError) in _ = try driver.start() }, equals: nil)
  }

  @Test static func `a part whose start failed is not read until a start has succeeded`() {
    let log = BusLog()
    var driver = PlainMemory(stuck: [0x2D: 0x00]).driver(
      ADXL345.Configuration(fifo: .stream(watermark: .init(nearest: 8))), log: log)
    expect(sensorError { () throws(SensorError) in _ = try driver.start() }, isNot: nil)
    let before = log.transactionCount
    expect(sensorError { () throws(SensorError) in _ = try driver.sample() }, equals: .configurationLost)
    expect(sensorError { () throws(SensorError) in _ = try driver.waiting() }, equals: .configurationLost)
    expect(sensorError { () throws(SensorError) in _ = try driver.measure() }, equals: .configurationLost)
    expect(log.transactionCount, equals: before)
  }

  @Test(arguments: UInt8.min...UInt8.max)
  static func `a sample with another DATA_FORMAT than was written is rejected`(_ format: UInt8) {
    let part = PlainMemory(stuck: [0x31: format])
    var driver = part.driver()
    let error = sensorError { () throws(SensorError) in _ = try driver.sample() }
    expect(error, equals: format == 0x0B ? nil : .configurationLost)
  }
}

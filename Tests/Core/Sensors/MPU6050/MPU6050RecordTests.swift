import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// The order of values in records of a FIFO that holds more than the specific force.
struct MPU6050RecordTests {
  /// The contents of a FIFO, and its record for force 1, 2, 3, temperature 4 and rotation 5, 6, 7.
  static let layouts: [(fifo: MPU6050.FIFO, sources: UInt8, record: [Int])] = [
    (MPU6050.FIFO(includesTemperature: true), 0x88, [1, 2, 3, 4]),
    (MPU6050.FIFO(includesRotation: true), 0x78, [1, 2, 3, 5, 6, 7]),
    (MPU6050.FIFO(includesTemperature: true, includesRotation: true), 0xF8, [1, 2, 3, 4, 5, 6, 7]),
  ]

  @Test(arguments: layouts)
  static func `temperature and rotation are in the order of their registers`(
    _ row: (fifo: MPU6050.FIFO, sources: UInt8, record: [Int])
  ) throws {
    let memory = MPU6050Memory(stuck: [0x72: 0, 0x73: UInt8(2 * row.record.count)])
    let log = BusLog()
    var driver = memory.driver(MPU6050.Configuration(gyroscope: .dps250, fifo: row.fifo), log: log)
    try driver.startWholly()
    expect(memory.bytes[0x23], equals: row.sources)
    let bytes = row.record.flatMap { MPU6050FIFOWireTests.word($0) }
    let reader = BusScript([
      .writeRead([0x72], reply: [0, UInt8(bytes.count)], at: MPU6050.address),
      .writeRead([0x74], reply: bytes, at: MPU6050.address),
      .writeRead([0x37], reply: [0x08, 0x10, 0, 0], at: MPU6050.address),
    ])
    var scripted = MPU6050.Device(
      bus: Switch(EmulatedBus(memory, at: MPU6050.address) { Instant(microseconds: 0) }, ScriptedBus(reader)),
      configuration: driver.configuration)
    try scripted.startWholly()
    scripted.wire.bus.isSecond = true
    var batch = SampleBatch()
    try scripted.take(try scripted.waiting().count, into: &batch)
    let motion = try require(batch[0])
    expect(motion.force, equals: Vector3(x: Q16(raw: 8), y: Q16(raw: 16), z: Q16(raw: 24)))
    expect(motion.temperature != nil, equals: row.fifo.includesTemperature)
    if let temperature = motion.temperature { expect(temperature, equals: InvenSense.temperature(4, .mpu6050)) }
    expect(motion.rotation != nil, equals: row.fifo.includesRotation)
    if let rotation = motion.rotation {
      expect([rotation.x, rotation.y, rotation.z], equals: [5, 6, 7].map { InvenSense.rotation($0, range: .dps250) })
    }
    expect(reader.complaints, equals: [])
  }

  /// Two buses, one of them in use.
  struct Switch: I2CBus, ~Copyable {
    var isSecond = false
    var first: EmulatedBus
    var second: ScriptedBus

    init(_ first: consuming EmulatedBus, _ second: consuming ScriptedBus) {
      self.first = first
      self.second = second
    }

    mutating func write(_ bytes: Span<UInt8>, to address: I2CAddress) throws(I2CFault) {
      if isSecond { try second.write(bytes, to: address) } else { try first.write(bytes, to: address) }
    }

    mutating func writeRead(_ bytes: Span<UInt8>, into buffer: inout MutableSpan<UInt8>, at address: I2CAddress)
      throws(I2CFault)
    {
      if isSecond {
        try second.writeRead(bytes, into: &buffer, at: address)
      } else {
        try first.writeRead(bytes, into: &buffer, at: address)
      }
    }
  }
}

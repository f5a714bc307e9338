import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// The bytes that a sample reads, and what it detects.
struct MPU6050SampleTests {
  static let data: [UInt8] = [0x20, 0x00, 0xE0, 0x01, 0x00, 0x10]
  /// The data at ±4 g: 8192, -8191 and 16 LSB of 1/8192 g.
  static let force = Vector3(x: Q16(raw: 65_536), y: Q16(raw: -65_528), z: Q16(raw: 128))
  static let watched: [UInt8] = [0x08, 0x00, 0x00, 0x01]

  static func started(_ steps: [BusScript.Step], _ configuration: MPU6050.Configuration) throws(SensorError)
    -> MPU6050Script
  {
    var rig = MPU6050Script(MPU6050Script.start + steps, configuration)
    try rig.driver.startWholly()
    return rig
  }

  @Test static func `samples are bursts of six bytes, and every hundredth of ten`() throws {
    let plain = MPU6050Script.read(0x3B, Self.data)
    let longer = MPU6050Script.read(0x37, Self.watched + Self.data)
    let second = Array(repeating: plain, count: 99) + [longer]
    var rig = try Self.started(second + second + [plain], MPU6050.Configuration())
    for _ in 0..<201 { try expect(rig.driver.sample(), equals: Self.force) }
    expect(rig.script.complaints, equals: [])
    expect(rig.driver.transactions, equals: 15 + 201)
  }

  @Test(arguments: [(0 as UInt16, 0), (1, 0), (2, 1), (5, 4)])
  static func `the configuration is checked as often as configured`(_ row: (every: UInt16, plain: Int)) throws {
    let group =
      Array(repeating: MPU6050Script.read(0x3B, Self.data), count: row.plain) + [
        MPU6050Script.read(0x37, Self.watched + Self.data)
      ]
    var rig = try Self.started(group + group + group, MPU6050.Configuration(samplesPerWatch: row.every))
    for _ in 0..<(3 * group.count) { try expect(rig.driver.sample(), equals: Self.force) }
    expect(rig.script.complaints, equals: [])
  }

  /// The watched bytes of a part that lost its configuration, or only one of them.
  static let lost: [[UInt8]] = [
    [0, 0, 0, 0], [0, 0, 0, 1], [0x08, 0x01, 0, 0], [0x88, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF],
  ]

  @Test(arguments: lost)
  static func `a lost configuration is detected by the watched sample, and watched until it is back`(
    _ bytes: [UInt8]
  ) throws {
    var rig = try Self.started(
      [
        MPU6050Script.read(0x37, bytes + Self.data), MPU6050Script.read(0x37, bytes + Self.data),
        MPU6050Script.read(0x37, Self.watched + Self.data), MPU6050Script.read(0x3B, Self.data),
      ], MPU6050.Configuration(samplesPerWatch: 1))
    for _ in 0..<2 { expect(throws: SensorError.configurationLost) { try rig.driver.sample() } }
    try expect(rig.driver.sample(), equals: Self.force)
    expect(rig.script.mismatches, equals: [])
  }

  @Test static func `six zero bytes have the next sample watched, and a zero axis does not`() throws {
    let zeros: [UInt8] = [0, 0, 0, 0, 0, 0]
    var rig = try Self.started(
      [
        MPU6050Script.read(0x3B, [0, 0, 0, 0, 0, 1]), MPU6050Script.read(0x3B, [1, 0, 0, 0, 0, 0]),
        MPU6050Script.read(0x3B, zeros), MPU6050Script.read(0x37, Self.watched + zeros),
        MPU6050Script.read(0x37, Self.watched + Self.data), MPU6050Script.read(0x3B, zeros),
        MPU6050Script.read(0x37, [0, 0, 0, 0] + zeros),
      ], MPU6050.Configuration())
    _ = try rig.driver.sample()
    _ = try rig.driver.sample()
    try expect(rig.driver.sample(), equals: .zero)
    try expect(rig.driver.sample(), equals: .zero)
    try expect(rig.driver.sample(), equals: Self.force)
    try expect(rig.driver.sample(), equals: .zero)
    expect(throws: SensorError.configurationLost) { try rig.driver.sample() }
    expect(rig.script.complaints, equals: [])
  }

  @Test static func `a watched sample that the bus loses is watched again`() throws {
    let address = MPU6050.alternateAddress
    var rig = try Self.started(
      [
        .writeRead([0x37], reply: Self.watched + Self.data, at: address, throwing: .noAcknowledge),
        .writeRead([0x37], reply: Self.watched + Self.data, at: address, throwing: .timedOut),
        MPU6050Script.read(0x37, Self.watched + Self.data),
      ], MPU6050.Configuration(samplesPerWatch: 1))
    expect(throws: SensorError.bus(.noAcknowledge)) { try rig.driver.sample() }
    expect(throws: SensorError.bus(.timedOut)) { try rig.driver.sample() }
    try expect(rig.driver.sample(), equals: Self.force)
    expect(rig.script.complaints, equals: [])
  }

  @Test static func `a new start clears an old suspicion`() throws {
    let zeros = MPU6050Script.read(0x3B, [0, 0, 0, 0, 0, 0])
    var rig = try Self.started(
      [zeros] + MPU6050Script.start + [MPU6050Script.read(0x3B, Self.data)], MPU6050.Configuration())
    try expect(rig.driver.sample(), equals: .zero)
    try rig.driver.startWholly()
    try expect(rig.driver.sample(), equals: Self.force)
    expect(rig.script.complaints, equals: [])
  }

  @Test static func `before the start is done nothing is read, without a transaction`() {
    let log = BusLog()
    var driver = MPU6050Memory(data: Self.data).driver(MPU6050.Configuration(fifo: MPU6050.FIFO()), log: log)
    var clock = VirtualClock()
    for transactions in [0, 2, 5, 15] {
      expect(throws: SensorError.configurationLost) { try driver.sample() }
      expect(throws: SensorError.configurationLost) { try driver.waiting() }
      expect(throws: SensorError.configurationLost) { try driver.selfTest(clock: &clock) }
      expect(log.transactionCount, equals: transactions)
      expect(sensorErrorOfProceed(&driver), equals: nil)
    }
    expect(log.transactionCount, equals: 23)
  }

  private static func sensorErrorOfProceed(_ driver: inout MPU6050.Device<EmulatedBus>) -> SensorError? {
    do throws(SensorError) {
      _ = try driver.proceed()
      return nil
    } catch { return error }
  }
}

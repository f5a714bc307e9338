import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// Which parts are used, and the facts known of each.
struct MPU6050PartTests {
  @Test(arguments: UInt8.min...UInt8.max)
  static func `every identity is accepted, noticed, opt-in or rejected as the notes say`(_ identity: UInt8) {
    let isNoticed = MPU6050Facts.withNotice.contains(identity)
    let isAccepted = MPU6050Facts.accepted.contains(identity) || isNoticed
    let log = BusLog()
    var driver = MPU6050Memory(identity: identity).driver(log: log)
    let error = sensorError { () throws(SensorError) in try driver.startWholly() }
    expect(error, equals: (isAccepted ? nil : .unexpectedIdentity(found: identity, expected: 0x68)))
    expect(driver.part?.rawValue, equals: isAccepted ? identity : nil)
    expect(driver.notice, equals: isNoticed ? .compatiblePart(identity: identity) : nil)
    // A rejected part is not written to. An unknown one may be an ICM-20948.
    let isKnown = MPU6050Facts.all.contains(identity)
    if !isAccepted { expect(log.transactions.map(\.written), equals: (isKnown ? [[0x75]] : [[0x75], [0x00], [0x7F]])) }
  }

  @Test(arguments: UInt8.min...UInt8.max)
  static func `an unverified part is used only if the configuration allows it`(_ identity: UInt8) {
    var driver = MPU6050Memory(identity: identity).driver(MPU6050.Configuration(acceptsUnverifiedParts: true))
    let error = sensorError { () throws(SensorError) in try driver.startWholly() }
    expect(error == nil, equals: MPU6050Facts.all.contains(identity))
    guard MPU6050Facts.onlyIfAsked.contains(identity) else { return }
    expect(driver.notice, equals: .compatiblePart(identity: identity))
    let log = BusLog()
    var unasked = MPU6050Memory(identity: identity).driver(log: log)
    var isAdopted = true
    expect(sensorError { () throws(SensorError) in isAdopted = try unasked.adopt() }, equals: nil)
    expect(that: !isAdopted)
    expect(log.transactionCount, equals: 1)
  }

  @Test static func `all parts of the family are adopted as they are started, with the same notice`() throws {
    for part in emulatedParts {
      let rig = MPU6050Rig(part, MPU6050.Configuration(acceptsUnverifiedParts: true))
      try rig.start()
      let guest = try require(rig.guest() as? MPU6050Rig)
      try expect(that: guest.adopt())
      expect(guest.driver.notice, equals: rig.driver.notice)
      expect(guest.driver.part, equals: rig.driver.part)
      try expect(guest.sample(), equals: try rig.sample())
    }
  }

  @Test static func `a rejected start forgets the part of the one before`() throws {
    let rig = FaultyIdentity()
    try rig.driver.startWholly()
    expect(rig.driver.part, equals: .mpu6050)
    rig.bytes = 0x98
    try rig.driver.startWholly()
    expect(rig.driver.notice, equals: .compatiblePart(identity: 0x98))
    rig.bytes = 0x69
    expect(throws: SensorError.unexpectedIdentity(found: 0x69, expected: 0x68)) { try rig.driver.start() }
    expect(rig.driver.part, equals: nil)
    expect(rig.driver.notice, equals: nil)
  }

  /// A part whose identity changes.
  final class FaultyIdentity: EmulatedTarget {
    var bytes: UInt8 = 0x68
    var driver: MPU6050.Device<EmulatedBus>
    private let memory = MPU6050Memory()
    private var asksForIdentity = false

    init() {
      driver = MPU6050.Device(bus: EmulatedBus { Instant(microseconds: 0) })
      driver.wire.bus.attach(self, at: MPU6050.address)
    }

    func receive(_ written: Span<UInt8>) {
      asksForIdentity = written.count == 1 && written[0] == 0x75
      memory.receive(written)
    }

    func transmit(into buffer: inout MutableSpan<UInt8>) {
      memory.transmit(into: &buffer)
      if asksForIdentity { buffer[0] = bytes }
    }

    func powerCycle() {}
  }

  /// Facts by part, from the register maps and Linux's inv_mpu6050 driver; the ICM-20689 and ICM-20690 with
  /// ACCEL_CONFIG2 bits 7:6 at 0.
  static let facts: [(part: MPU6050.Part, later: Bool, fifo: UInt16, scale: MPU6050.TemperatureScale)] = [
    (.mpu6050, false, 1_024, .mpu6050), (.mpu6500, true, 512, .mpu6500), (.mpu9250, true, 512, .mpu6500),
    (.mpu9255, true, 512, .mpu6500), (.mpu6515, true, 512, .mpu6500), (.mpu6880, true, 4_096, .mpu6500),
    (.clone72, true, 512, .mpu6500), (.icm20689, true, 512, .icm206xx), (.icm20690, true, 512, .icm206xx),
    (.icm20609, true, 4_096, .icm206xx), (.icm20600, true, 1_008, .icm206xx), (.icm20602, true, 1_008, .icm206xx),
    (.icm20608, true, 512, .icm206xx), (.icm20608D, true, 512, .icm206xx), (.iam20680, true, 512, .icm206xx),
  ]

  @Test static func `every part has its facts`() {
    expect(Set(Self.facts.map(\.part.rawValue)), equals: Set(MPU6050Facts.all))
    expect(Self.facts.count, equals: MPU6050Facts.all.count)
  }

  @Test(arguments: facts)
  static func `the parts differ as the notes say`(
    _ row: (part: MPU6050.Part, later: Bool, fifo: UInt16, scale: MPU6050.TemperatureScale)
  ) throws {
    expect(row.part.hasAccelerometerFilter, equals: row.later)
    expect(row.part.fifoSize, equals: row.fifo)
    expect(row.part.temperatureScale, equals: row.scale)
    expect(row.part.selfTestKind, equals: row.later ? .informative : .factoryTrim)

    let log = BusLog()
    let memory = MPU6050Memory(identity: row.part.rawValue)
    var driver = memory.driver(MPU6050.Configuration(filter: .hz10, acceptsUnverifiedParts: true), log: log)
    try driver.startWholly()
    expect(log.transactions.contains { $0.written.first == 0x1D }, equals: row.later)
    expect(memory.bytes[0x1A], equals: 5)
    expect(memory.bytes[0x1D], equals: row.later ? 5 : 0)
    // The gyroscope is off: the first class must not use its clock, and the others choose for themselves.
    expect(memory.bytes[0x6B], equals: row.later ? 0x01 : 0x00)
    expect(memory.bytes[0x6C], equals: 0x07)
  }

  @Test(arguments: facts)
  static func `a feature that a part is not known to have is rejected before any write`(
    _ row: (part: MPU6050.Part, later: Bool, fifo: UInt16, scale: MPU6050.TemperatureScale)
  ) {
    let queueing = MPU6050.Configuration(fifo: MPU6050.FIFO(), acceptsUnverifiedParts: true)
    let turning = MPU6050.Configuration(gyroscope: .dps500, acceptsUnverifiedParts: true)
    let hasPlainFIFO = row.part != .icm20600 && row.part != .icm20602
    for (configuration, isKnown) in [(queueing, hasPlainFIFO), (turning, true)] {
      let log = BusLog()
      var driver = MPU6050Memory(identity: row.part.rawValue).driver(configuration, log: log)
      let error = sensorError { () throws(SensorError) in try driver.startWholly() }
      expect(error, equals: (isKnown ? nil : .unexpectedIdentity(found: row.part.rawValue, expected: 0x68)))
      guard !isKnown else { continue }
      expect(log.transactionCount, equals: 1)
      var isAdopted = true
      expect(sensorError { () throws(SensorError) in isAdopted = try driver.adopt() }, equals: nil)
      expect(that: !isAdopted)
      expect(log.transactionCount, equals: 2)
    }
  }
}

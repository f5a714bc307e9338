import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// The driver's samples from running parts, its start from any state, and its checks of the configuration.
struct LSM6DSSampleTests {
  @Test(arguments: LSM6DSFacts.parts, LSM6DSFacts.rates)
  static func `at each rate and range the first sample is correct`(
    _ part: EmulatedLSM6DS.Part, _ rate: (code: UInt8, rate: LSM6DS.OutputDataRate, period: Int64)
  ) throws {
    for range in LSM6DSFacts.ranges {
      let rig = LSM6DSRig(part, LSM6DS.Configuration(rate: rate.rate, range: range.range))
      try rig.start()
      try expect(rig.sample(), equals: LSM6DSFacts.read(LSM6DSRig.force.vector, milliG: range.milliG))
      try expect(rig.registers(0x10, 3), equals: [rate.code << 4 | range.code << 2, 0, 0x44])
      expect(rig.driver.fullScale, isBelow: Q16(whole: range.g))
      expect(rig.driver.fullScale.raw, isAbove: range.g * 65_000)
      expect(rig.part.reservedWrites, equals: 0)
    }
  }

  @Test(arguments: LSM6DSFacts.parts, LSM6DSFacts.gyroscopeRanges)
  static func `in each range of the gyroscope a turn reads with its sign on each axis, and with the temperature`(
    _ part: EmulatedLSM6DS.Part, _ range: (code: UInt8, range: LSM6DS.GyroscopeRange, dps: Int32, unit: Double)
  ) throws {
    var specimen = LSM6DSFacts.quiet
    specimen.turn = Vector3(x: Q16(whole: 100), y: Q16(whole: -60), z: Q16(whole: 33))
    specimen.temperature = Q16(whole: 41)
    let rig = LSM6DSRig(part, LSM6DS.Configuration(rate: .hz208, gyroscope: range.range), specimen: specimen)
    guard range.dps < 4_000 || part == .ism330dhcx else {
      expect(
        sensorError { () throws(SensorError) in try rig.start() },
        equals: .unexpectedIdentity(found: LSM6DSFacts.identity(part), expected: 0x6B))
      expect(rig.log.transactionCount, equals: 1)
      return
    }
    try rig.start()
    let measurement = try rig.driver.measure()
    let rotation = try require(measurement.rotation)
    for (found, turn) in [(rotation.x, 100.0), (rotation.y, -60), (rotation.z, 33)] {
      expect(abs(Double(found.raw) / 65_536 - turn), isAtMost: range.unit / 2_000 + 0.001)
    }
    expect(measurement.force, equals: LSM6DSFacts.read(LSM6DSRig.force.vector))
    expect(measurement.temperature, equals: Q16(whole: 41))
    expect(rig.driver.rotationFullScale, equals: Q16(whole: range.dps))
    try expect(rig.registers(0x11), equals: [0x50 | range.code])
  }

  /// A force and a rotation that are equal on all axes and change with each sample.
  private struct Staircase: Motion {
    var duration: Microseconds { .zero }
    private func value(_ time: Microseconds) -> Q16 { Q16(raw: (Int32(time.count / 1_200 % 100) - 50) * 1_311) }
    func specificForce(at time: Microseconds) -> Vector3 {
      Vector3(x: value(time), y: value(time), z: value(time))
    }
    func rotationRate(at time: Microseconds) -> Vector3 {
      let rate = Q16(raw: value(time).raw * 64)
      return Vector3(x: rate, y: rate, z: rate)
    }
  }

  @Test(arguments: LSM6DSFacts.parts, [nil, LSM6DS.GyroscopeRange.dps250])
  static func `no sample is torn, although new ones arrive within many bursts`(
    _ part: EmulatedLSM6DS.Part, _ gyroscope: LSM6DS.GyroscopeRange?
  ) throws {
    let rate: LSM6DS.OutputDataRate = gyroscope == nil ? .hz833 : .hz416
    let configuration = LSM6DS.Configuration(rate: rate, range: .g2, gyroscope: gyroscope)
    let rig = LSM6DSRig(
      part, configuration, motion: Staircase(), frequency: 400_000, specimen: LSM6DSFacts.slow)
    try rig.start()
    // Single bursts are sometimes torn; otherwise this test would prove nothing.
    var (torn, repeated) = (0, 0)
    for _ in 0..<2_000 {
      rig.clock.advance(by: Microseconds(613))
      let bytes = try rig.registers(0x28, 6)
      if bytes[0] != bytes[4] || bytes[1] != bytes[5] { torn += 1 }
    }
    for _ in 0..<4_000 {
      rig.clock.advance(by: Microseconds(977))
      let before = rig.log.transactionCount
      let measurement = try rig.driver.measure()
      let force = measurement.force
      expect(force.x, equals: force.y)
      expect(force.y, equals: force.z)
      if let rotation = measurement.rotation { #expect(rotation.x == rotation.y && rotation.y == rotation.z) }
      if rig.log.transactionCount - before > 2 { repeated += 1 }
    }
    expect(torn, isAbove: 50, "\(torn), \(repeated)")
    expect(repeated, isAbove: 50, "\(torn), \(repeated)")
  }

  @Test static func `a new sample costs two reads of 16 and 6 bytes, an old one a look at the configuration`() throws {
    let rig = LSM6DSRig()
    try rig.start()
    let first = rig.log.transactionCount
    _ = try rig.nextSample()
    _ = try rig.sample()
    let reads = rig.log.transactions.dropFirst(first).map { [Int($0.written[0]), $0.read.count] }
    expect(reads, equals: [[0x1E, 16], [0x28, 6], [0x1E, 16], [0x28, 6], [0x10, 3]])
  }

  @Test static func `data that never agree are a timeout of the bus`() throws {
    let clean = LSM6DSRig()
    try clean.start()
    let first = clean.log.transactionCount
    // Each repetition is wrong in another byte.
    let rules = (1...4).map { FaultPlan.Rule(.corruptByte(index: $0, mask: 1), .transaction(first + $0)) }
    let rig = LSM6DSRig(plan: FaultPlan(rules))
    try rig.start()
    expect(sensorError { () throws(SensorError) in _ = try rig.sample() }, equals: .bus(.timedOut))
    try expect(rig.nextSample(), equals: LSM6DSFacts.read(LSM6DSRig.force.vector))
  }

  @Test(arguments: LSM6DSFacts.parts)
  static func `a start configures the part, whatever its registers contained`(_ part: EmulatedLSM6DS.Part) throws {
    var random = SplitMix64(seed: 33)
    let configuration = LSM6DS.Configuration(gyroscope: .dps500, usesFIFO: true)
    let fresh = LSM6DSRig(part, configuration)
    try fresh.start()
    let expected = try fresh.registers(0x06, 5) + fresh.registers(0x0D, 2) + fresh.registers(0x10, 10)
    for _ in 0..<100 {
      let rig = LSM6DSRig(part, configuration)
      for register: UInt8 in Array(0x06...0x0E) + Array(0x10...0x19) + Array(0x56...0x5F) + [0x01] {
        // Bit 0 of CTRL3_C resets.
        try rig.write([register, UInt8.random(in: 0...255, using: &random) & (register == 0x12 ? 0xFE : 0xFF)])
        rig.clock.advance(by: Microseconds(Int64.random(in: 0...30_000, using: &random)))
      }
      try rig.start()
      try expect(rig.sample(), equals: LSM6DSFacts.read(LSM6DSRig.force.vector))
      try expect(rig.registers(0x06, 5) + rig.registers(0x0D, 2) + rig.registers(0x10, 10), equals: expected)
      try expect(that: rig.adopt())
    }
  }

  @Test(arguments: LSM6DSFacts.parts)
  static func `a page that was left selected is left before the part is identified`(_ part: EmulatedLSM6DS.Part) throws
  {
    let rig = LSM6DSRig(part)
    try rig.write([0x01, 0x80])
    try expect(that: !rig.adopt())
    expect(all: rig.log.transactions, "an adoption writes nothing") { $0.written.count == 1 }
    try rig.start()
    try expect(rig.sample(), equals: LSM6DSFacts.read(LSM6DSRig.force.vector))
    try expect(rig.registers(0x01), equals: [0])
  }

  @Test static func `a part is reset with exactly these bytes`() throws {
    let script = BusScript([
      .writeRead([0x0F], reply: [0x6C], at: LSM6DS.address), .write([0x18, 0xE2], to: LSM6DS.address),
      .write([0x10, 0x40], to: LSM6DS.address), .write([0x11, 0x00], to: LSM6DS.address),
      .write([0x15, 0x00], to: LSM6DS.address), .write([0x12, 0x05], to: LSM6DS.address),
    ])
    var driver = LSM6DS.Device(bus: ScriptedBus(script))
    try expect(driver.start(), equals: .milliseconds(20))
    expect(script.complaints, equals: [])
  }

  @Test(arguments: [(0, 0x00), (0, 0x1F), (0x68, 0x81), (0x33, 0xFF)] as [(UInt8, UInt8)])
  static func `nothing is written to another part, unless its register 01 can only be a selected page`(
    _ identity: UInt8, _ page: UInt8
  ) throws {
    let script = BusScript([
      .writeRead([0x0F], reply: [identity], at: LSM6DS.address), .writeRead([0x01], reply: [page], at: LSM6DS.address),
    ])
    var driver = LSM6DS.Device(bus: ScriptedBus(script))
    let error = sensorError { () throws(SensorError) in _ = try driver.start() }
    expect(error, equals: .unexpectedIdentity(found: identity, expected: 0x6C))
    expect(script.complaints, equals: [])
  }

  @Test(arguments: LSM6DSFacts.parts)
  static func `a part whose INT1 is high is reset without entering I3C`(_ part: EmulatedLSM6DS.Part) throws {
    let rig = LSM6DSRig(part) { $0.isINT1High = true }
    for _ in 0..<3 {
      try rig.start()
      try expect(rig.nextSample(), equals: LSM6DSFacts.read(LSM6DSRig.force.vector))
    }
    // The trap exists: a reset without the bit makes a later part deaf.
    try rig.write([0x18, 0xE0])
    try rig.write([0x12, 0x05])
    rig.clock.advance(by: .milliseconds(1))
    try expect(rig.registers(0x0F), equals: [LSM6DSFacts.hasTags(part) ? 0xFF : LSM6DSFacts.identity(part)])
  }

  @Test static func `a reset that never ends is reported`() throws {
    let rig = LSM6DSRig { $0.resetsForever = true }
    expect(sensorError { () throws(SensorError) in try rig.start() }, equals: .resetTimedOut)
    expect(sensorError { () throws(SensorError) in _ = try rig.sample() }, equals: .configurationLost)
  }

  @Test(arguments: LSM6DSFacts.parts)
  static func `a part without a data sheet is used with a notice, the others without`(_ part: EmulatedLSM6DS.Part)
    throws
  {
    let rig = LSM6DSRig(part)
    try rig.start()
    expect(rig.driver.notice, equals: part == .ism330dhcx ? .compatiblePart(identity: 0x6B) : nil)
    let found = try require(SensorModel.lsm6ds.part(identity: LSM6DSFacts.identity(part)))
    expect(found.admission, equals: part == .ism330dhcx ? .acceptedWithNotice : .accepted)
    for identity: UInt8 in 0...255 where !(0x69...0x6C).contains(identity) {
      expect(LSM6DS.part(identity: identity), equals: nil)
    }
  }

  @Test(
    arguments: [
      (.hz1666, nil, false, 400_000, 833), (.hz833, .dps250, false, 400_000, 416),
      (.hz833, .dps250, true, 100_000, 416), (.hz1666, .dps4000, true, 1_000_000, nil),
      (.hz1666, .dps250, false, nil, nil),
    ] as [(LSM6DS.OutputDataRate, LSM6DS.GyroscopeRange?, Bool, UInt32?, UInt32?)])
  static func `a rate that is too high for the bus is rejected before any transaction`(
    _ rate: LSM6DS.OutputDataRate, _ gyroscope: LSM6DS.GyroscopeRange?, _ usesFIFO: Bool, _ frequency: UInt32?,
    _ highest: UInt32?
  ) throws {
    let configuration = LSM6DS.Configuration(rate: rate, gyroscope: gyroscope, usesFIFO: usesFIFO)
    let rig = LSM6DSRig(.ism330dhcx, configuration, frequency: frequency)
    let error = sensorError { () throws(SensorError) in try rig.start() }
    let expected = highest.map { SensorError.rateTooHigh(busHertz: frequency ?? 0, highestHertz: $0) }
    expect(error, equals: expected)
    expect(that: error == nil || rig.log.transactionCount == 0)
  }

  @Test static func `data ready drives INT2 until a sample is read`() throws {
    for isActiveLow in [false, true] {
      let rig = LSM6DSRig(
        .lsm6dso,
        LSM6DS.Configuration(interrupts: DataReadyPin(signalsDataReady: true, isActiveLow: isActiveLow)))
      try rig.start()
      for _ in 0..<3 {
        expect(rig.part.isInterruptHigh, isNot: isActiveLow)
        _ = try rig.sample()
        expect(rig.part.isInterruptHigh, equals: isActiveLow)
        rig.clock.advance(by: .milliseconds(10))
      }
    }
  }
}

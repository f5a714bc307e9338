import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// Every part of the family, emulated: it starts, and its samples are right.
struct MPU6050FamilyTests {
  static let ranges: [(range: MPU6050.Range, unit: Int32)] = [(.g2, 4), (.g4, 8), (.g8, 16), (.g16, 32)]

  @Test(arguments: emulatedParts)
  static func `samples are the force on the board in every range`(_ part: EmulatedMPU6050.Part) throws {
    for row in Self.ranges {
      let rig = MPU6050Rig(part, MPU6050.Configuration(range: row.range, acceptsUnverifiedParts: true))
      try rig.start()
      for _ in 0..<150 { try expect(rig.nextSample(), equals: MPU6050Rig.force.vector) }
    }
  }

  @Test(arguments: emulatedParts)
  static func `any force is right within one count, and clipped to the range`(_ part: EmulatedMPU6050.Part) throws {
    for row in Self.ranges {
      let force = AnyForce(x: Q16(raw: 87_654), y: Q16(raw: -3_456_789), z: Q16(raw: 31_416))
      let rig = MPU6050Rig(
        part, MPU6050.Configuration(range: row.range, acceptsUnverifiedParts: true), motion: force)
      try rig.start()
      let sample = try rig.driver.sample()
      let highest = 32_767 * row.unit
      expect(rig.driver.fullScale, equals: Q16(raw: highest))
      expect(abs(sample.x.raw - min(highest, 87_654)), isAtMost: row.unit)
      expect(sample.y.raw, equals: -32_768 * row.unit)
      expect(abs(sample.z.raw - 31_416), isAtMost: row.unit)
    }
  }

  struct AnyForce: Motion {
    var x: Q16
    var y: Q16
    var z: Q16
    var duration: Microseconds { .zero }
    func specificForce(at time: Microseconds) -> Vector3 { Vector3(x: x, y: y, z: z) }
  }

  static let gyroscopes: [(range: MPU6050.GyroscopeRange, perDegree: Double)] = [
    (.dps250, 131), (.dps500, 65.5), (.dps1000, 32.8), (.dps2000, 16.4),
  ]

  @Test(arguments: emulatedParts)
  static func `a FIFO record has force, temperature and rotation within a count`(_ part: EmulatedMPU6050.Part) throws {
    // Their gyroscope or their FIFO is not known well enough.
    guard ![0x11, 0x12, 0x20].contains(part.identity) else { return }
    for row in Self.gyroscopes {
      let fifo = MPU6050.FIFO(includesTemperature: true, includesRotation: true)
      let rig = MPU6050Rig(
        part, MPU6050.Configuration(gyroscope: row.range, fifo: fifo, acceptsUnverifiedParts: true))
      rig.part.angularRate = Vector3(x: Q16(whole: 100), y: Q16(whole: -240), z: Q16(1, over: 3))
      rig.part.dieTemperature = Q16(whole: 41)
      try rig.start()
      rig.clock.advance(by: .milliseconds(30))
      var batch = SampleBatch()
      try rig.driver.take(try rig.driver.waiting().count, into: &batch)
      let motion = try require(batch[1])
      expect(motion.force, equals: MPU6050Rig.force.vector)
      let rotation = try require(motion.rotation)
      let expected: [(Q16, Double)] = [(rotation.x, 100), (rotation.y, -240), (rotation.z, 1.0 / 3)]
      for (component, degrees) in expected {
        expect(abs(Double(component.raw) / 65_536 - degrees), isBelow: 1 / row.perDegree)
      }
      expect(abs(Double(motion.temperature?.raw ?? 0) / 65_536 - 41), isBelow: 1 / 300)
    }
  }

  @Test(arguments: emulatedParts)
  static func `every filter and rate gives a settled sample as soon as the start is done`(_ part: EmulatedMPU6050.Part)
    throws
  {
    let filters: [MPU6050.Filter] = [.hz184, .hz94, .hz44, .hz21, .hz10, .hz5]
    for filter in filters {
      for divider in [0, 1, 9, 99, 249, 255] as [UInt8] {
        for gyroscope in [nil, .dps500] as [MPU6050.GyroscopeRange?] where gyroscope == nil || part.identity != 0x20 {
          let configuration = MPU6050.Configuration(
            rate: MPU6050.SampleRate(divider: divider), filter: filter, gyroscope: gyroscope,
            acceptsUnverifiedParts: true)
          let rig = MPU6050Rig(part, configuration)
          try rig.start()
          try expect(rig.driver.sample(), equals: MPU6050Rig.force.vector)
          try expect(rig.registers(0x19, 2), equals: [divider, filter.rawValue])
        }
      }
    }
  }

  @Test(arguments: emulatedParts)
  static func `a part is configured whatever its registers held before`(_ part: EmulatedMPU6050.Part) throws {
    let rig = MPU6050Rig(part, MPU6050.Configuration(acceptsUnverifiedParts: true))
    for register in [0x19, 0x1A, 0x1B, 0x1C, 0x1D, 0x1E, 0x23, 0x37, 0x38, 0x6C, 0x77] as [UInt8] {
      try rig.write([register, 0xFF])
    }
    try rig.write([0x6A, 0x60])
    try rig.write([0x6B, 0x6F])
    try rig.start()
    try expect(rig.driver.sample(), equals: MPU6050Rig.force.vector)
    try expect(rig.registers(0x1B), equals: [0x00])
    try expect(rig.registers(0x23), equals: [0x00])
    try expect(rig.registers(0x37, 2), equals: [0x08, 0x00])
  }

  @Test static func `data ready drives the pin until a watched sample is read`() throws {
    for isActiveLow in [false, true] {
      let pin = MPU6050.Interrupts(signalsDataReady: true, isActiveLow: isActiveLow, isLatched: true)
      let rig = MPU6050Rig(.mpu6050, MPU6050.Configuration(interrupts: pin, samplesPerWatch: 1))
      try rig.start()
      expect(rig.part.interruptPin, equals: isActiveLow ? .low : .high)
      _ = try rig.driver.sample()
      expect(rig.part.interruptPin, equals: isActiveLow ? .high : .low)
      rig.clock.advance(by: .milliseconds(10))
      expect(rig.part.interruptPin, equals: isActiveLow ? .low : .high)
    }
  }

  @Test static func `nothing drives the pin by default`() throws {
    let rig = MPU6050Rig()
    try rig.start()
    for _ in 0..<200 {
      _ = try rig.nextSample()
      expect(rig.part.interruptPin, equals: .low)
    }
  }
}

import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// Parts that lose their configuration, do not come out of reset, or disappear.
struct MPU6050BrownOutTests {
  static let plain = MPU6050Rig.force.vector
  /// The samples of a part that came up awake, at ±2 g, for a driver that assumes ±4 g.
  static var doubled: Vector3 {
    Vector3(x: Q16(raw: plain.x.raw * 2), y: Q16(raw: plain.y.raw * 2), z: Q16(raw: plain.z.raw * 2))
  }

  @Test(arguments: emulatedParts)
  static func `a lost configuration is detected within the watch period, and remembered until a start`(
    _ part: EmulatedMPU6050.Part
  ) throws {
    for offset in [0, 1, 13, 49, 50] {
      let rig = MPU6050Rig(part, MPU6050.Configuration(samplesPerWatch: 50, acceptsUnverifiedParts: true))
      try rig.start()
      for _ in 0..<offset { try expect(rig.nextSample(), equals: Self.plain) }
      rig.part.powerCycle()
      var samples = 0
      let error = sensorError { () throws(SensorError) in
        while samples < 1_000 {
          let sample = try rig.nextSample()
          #expect(sample == .zero || sample == Self.doubled)
          samples += 1
        }
      }
      expect(error, equals: .configurationLost)
      // A part asleep returns zeros, and one that comes up awake needs 30 ms: both cause a check at once.
      expect(samples, isAtMost: 2)
      for _ in 0..<3 { expect(throws: SensorError.configurationLost) { try rig.nextSample() } }
      try rig.start()
      try expect(rig.nextSample(), equals: Self.plain)
    }
  }

  @Test static func `a part that continues to measure, with the wrong range, is detected within a second`() throws {
    for offset in 0..<100 {
      let rig = MPU6050Rig(.mpu6500)
      try rig.start()
      for _ in 0..<offset { _ = try rig.nextSample() }
      rig.part.powerCycle()
      // Long enough for the first sample after the brown-out not to be zero.
      rig.clock.advance(by: .milliseconds(100))
      var samples = 0
      let error = sensorError { () throws(SensorError) in
        while samples < 1_000 {
          try expect(rig.nextSample(), equals: Self.doubled)
          samples += 1
        }
      }
      expect(error, equals: .configurationLost)
      expect(samples, equals: 99 - offset)
    }
  }

  @Test(arguments: [(0, 0), (100, 0), (101, 1), (110, 1), (150, 5), (200, 10)])
  static func `a slow reset is waited for`(_ row: (milliseconds: Int64, questions: Int)) throws {
    let rig = MPU6050Rig { $0.resetTime = .milliseconds(row.milliseconds) }
    try rig.start()
    try expect(rig.nextSample(), equals: Self.plain)
    expect(rig.log.transactions.filter { $0.written == [0x6B] }.count, equals: 1 + row.questions)
  }

  @Test static func `a reset that never ends is an error after 200 ms, and so is the next`() {
    for resetTime in [nil, .milliseconds(201)] as [Microseconds?] {
      let rig = MPU6050Rig { $0.resetTime = resetTime }
      for _ in 0..<(resetTime == nil ? 3 : 1) {
        let before = rig.clock.now
        expect(sensorError { () throws(SensorError) in try rig.start() }, equals: .resetTimedOut)
        expect(rig.clock.now - before, equals: .milliseconds(200))
        expect(throws: SensorError.configurationLost) { try rig.driver.sample() }
      }
    }
  }

  @Test static func `a specimen that reads all zero returns zeros, each of them watched`() throws {
    let rig = MPU6050Rig { $0.readsAllZero = true }
    try rig.start()
    for _ in 0..<20 { try expect(rig.nextSample(), equals: .zero) }
    expect(all: rig.log.transactions.suffix(19)) { $0.written == [0x37] && $0.read.count == 10 }
  }

  @Test static func `an hour at 100 Hz is one transaction per sample, all but one in a hundred of six bytes`() throws {
    let rig = MPU6050Rig { $0.noiseMicrogPerRootHertz = 400 }
    try rig.start()
    let before = rig.log.transactionCount
    for _ in 0..<360_000 { _ = try rig.nextSample() }
    expect(rig.log.transactionCount, equals: before + 360_000)
    let lengths = rig.log.transactions.suffix(50_000).map(\.read.count)
    expect(lengths.count { $0 == 6 }, equals: 49_500)
    expect(lengths.count { $0 == 10 }, equals: 500)
  }
}

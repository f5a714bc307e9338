import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// A part that watches for movement and tests itself, with what its documents say of both.
struct WatchSpecimen: Sendable, CustomTestStringConvertible {
  var testDescription: String
  /// What a sample reads of the rig's own force.
  var sample: Vector3
  /// What the part takes for movement, in 1/65536 g.
  var threshold: Int32
  /// The largest change on an axis that it does not see, and the smallest that it sees, in 1/256 g, as far as tested.
  var changes: (unseen: Int32, seen: Int32)
  /// A little more than the time between two samples while it watches.
  var period: Microseconds
  /// For how long it is watched at rest.
  var seconds: Int
  /// Registers that hold 0 again when it is awake.
  var cleared: [UInt8] = []
  /// What another program writes after the supply was lost; nil for nothing.
  var revival: [UInt8]?
  /// The waits of its self-test that are interrupted, and the time after which its samples have settled again.
  var waits = 0..<0
  var settling = Microseconds.zero
  /// What a self-test finds on each axis; nil if it is tested elsewhere.
  var outcome: (force: SelfTestFindings.Outcome, rotation: SelfTestFindings.Outcome?)?
  /// A rig, with a motion other than its own, with noise of this seed if any.
  var make: @Sendable (_ motion: (any Motion)?, _ noise: UInt64?) -> any SensorRig

  func asleep(_ motion: (any Motion)? = nil, noise seed: UInt64? = nil) throws(SensorError) -> any SensorRig {
    let rig = make(motion, seed)
    try rig.start()
    try rig.fallAsleep()
    return rig
  }

  static let all: [WatchSpecimen] =
    [lis3dh, lsm9ds1, icm20948] + LSM6DSFacts.parts.map { lsm6ds($0) }
    + [EmulatedMPU6050.Part.mpu6050, .mpu6500].map { mpu6050($0) }

  /// Eight steps of 16 mg. 0.117 and 0.176 g; of the latter the filter passes 0.154 g at first.
  private static let lis3dh = WatchSpecimen(
    testDescription: "LIS3DH", sample: LIS3DHRig.force.vector, threshold: 8_389, changes: (30, 45),
    period: .milliseconds(110), seconds: 3_600, waits: 0..<13, settling: .milliseconds(80), outcome: (.passed, nil),
    make: { motion, seed in
      let specimen = seed == nil ? LIS3DHRig.quiet : EmulatedLIS3DH.Configuration()
      return LIS3DHRig(motion ?? LIS3DHRig.force, specimen: specimen, seed: seed ?? 1)
    })

  /// Sixteen steps of a 256th of 2 g.
  private static let lsm9ds1 = WatchSpecimen(
    testDescription: "LSM9DS1", sample: LSM9DS1Rig.force.vector, threshold: 8_192, changes: (30, 45),
    period: .milliseconds(25), seconds: 300, waits: 0..<25, settling: .milliseconds(140),
    outcome: (.plausible, .plausible),
    make: { motion, seed in
      let specimen = seed == nil ? LSM9DS1Rig.quiet : EmulatedLSM9DS1.Configuration()
      let configuration = LSM9DS1.Configuration(gyroscope: .dps2000)
      return LSM9DS1Rig(motion ?? LSM9DS1Rig.force, configuration, specimen: specimen, seed: seed ?? 1)
    })

  /// 32 steps of 4 mg.
  private static let icm20948 = WatchSpecimen(
    testDescription: "ICM-20948", sample: ICM20948Rig.force.vector, threshold: 8_389, changes: (32, 34),
    period: .milliseconds(101), seconds: 3_600, revival: [0x06, 0x01],
    make: { motion, seed in
      let configuration = ICM20948.Configuration(gyroscope: .dps500)
      return ICM20948Rig(motion ?? ICM20948Rig.force, configuration) { $0.specimen.isNoisy = seed != nil }
    })

  /// An eighth of a g. 0.117 and 0.137 g.
  private static func lsm6ds(_ part: EmulatedLSM6DS.Part) -> WatchSpecimen {
    WatchSpecimen(
      testDescription: "\(part)", sample: LSM6DSFacts.read(LSM6DSRig.force.vector), threshold: 8_192,
      changes: (30, 35), period: .milliseconds(110), seconds: 600, cleared: Array(0x56...0x59) + [0x5F], waits: 0..<25,
      settling: .milliseconds(200), outcome: (part == .lsm6ds33 ? .plausible : .passed, .passed),
      make: { motion, seed in
        let specimen = seed == nil ? LSM6DSFacts.quiet : Specimen()
        let configuration = LSM6DS.Configuration(gyroscope: .dps250)
        return LSM6DSRig(
          part, configuration, motion: motion ?? LSM6DSRig.force, seed: seed ?? 1, specimen: specimen)
      })
  }

  /// 128 mg; the 6050 class compares with the force at the beginning, later parts with the previous sample.
  private static func mpu6050(_ part: EmulatedMPU6050.Part) -> WatchSpecimen {
    WatchSpecimen(
      testDescription: "\(part)", sample: MPU6050Rig.force.vector, threshold: 8_389, changes: (32, 34),
      period: .milliseconds(60), seconds: 300,
      make: { motion, seed in
        MPU6050Rig(part, MPU6050.Configuration(gyroscope: .dps500), motion: motion ?? MPU6050Rig.force) {
          guard seed != nil else { return }
          let usual = EmulatedMPU6050.Configuration(part)
          $0.noiseMicrogPerRootHertz = usual.noiseMicrogPerRootHertz
        }
      })
  }
}

/// Watching for movement, and what all self-tests have in common.
struct WatchConformanceTests {
  @Test(arguments: WatchSpecimen.all)
  static func `a board at rest does not drive the pin, in any attitude and with noise`(_ specimen: WatchSpecimen) throws
  {
    for force in [Still(x: 0, y: 0, z: 256), Still(x: -181, y: 0, z: 181), Still(x: 10, y: -256, z: 3)] {
      let rig = try specimen.asleep(force, noise: 1)
      for _ in 0..<specimen.seconds {
        rig.clock.advance(by: .seconds(1))
        expect(that: !rig.isInterruptHigh)
      }
      try expect(rig.hasMoved(from: force.vector), equals: false)
    }
  }

  @Test(arguments: WatchSpecimen.all)
  static func `a change beyond the threshold on an axis drives the pin until it is read, a smaller one never`(
    _ specimen: WatchSpecimen
  ) throws {
    expect(specimen.make(nil, nil).movementThreshold.raw, equals: specimen.threshold)
    for (change, isSeen) in [(specimen.changes.unseen, false), (specimen.changes.seen, true)] {
      for step in [Still(x: change, y: 0, z: 0), Still(x: 0, y: change, z: 0), Still(x: 0, y: 0, z: change)] {
        for sign: Int32 in [1, -1] {
          let force = Still(x: 100, y: -100, z: 200)
          let other = Still(x: 100 + sign * step.x, y: -100 + sign * step.y, z: 200 + sign * step.z)
          let rig = try specimen.asleep(force)
          rig.play(other)
          rig.clock.advance(by: specimen.period)
          expect(rig.isInterruptHigh, equals: isSeen)
          rig.clock.advance(by: .seconds(5))
          expect(rig.isInterruptHigh, equals: isSeen, "it is latched")
          try expect(rig.hasMoved(from: nil), equals: isSeen)
          expect(that: !rig.isInterruptHigh)
          // The comparison of forces detects a movement from before the watch, and a slow one.
          try expect(rig.hasMoved(from: force.vector), equals: isSeen)
          try expect(rig.hasMoved(from: other.vector), equals: false)
        }
      }
    }
  }

  @Test(arguments: WatchSpecimen.all)
  static func `a supply lost while watching is detected, and the part wakes with its configuration`(
    _ specimen: WatchSpecimen
  ) throws {
    let rig = try specimen.asleep()
    expect(sensorError { () throws(SensorError) in _ = try rig.sample() }, equals: .configurationLost)
    rig.powerCycle()
    expect(sensorError { () throws(SensorError) in _ = try rig.hasMoved(from: nil) }, equals: .configurationLost)
    if let revival = specimen.revival { try rig.write(revival) }
    try rig.wake()
    try expect(rig.sample(), equals: specimen.sample)
    try expect(that: rig.adopt())
    for register in specimen.cleared { try expect(rig.registers(register, 1), equals: [0]) }
    expect(rig.reservedWrites, equals: 0)
  }

  @Test(arguments: WatchSpecimen.all)
  static func `an interrupted wait ends a self-test without findings, and restores the configuration`(
    _ specimen: WatchSpecimen
  ) throws {
    for number in specimen.waits {
      let rig = specimen.make(nil, nil)
      try rig.start()
      try expect(rig.testItself(impatientAt: number)?.force == nil, equals: true)
      rig.clock.advance(by: specimen.settling)
      while try rig.proceed() {}
      try expect(rig.sample(), equals: specimen.sample)
    }
  }

  @Test(arguments: WatchSpecimen.all)
  static func `noise does not change what a self-test finds, in any attitude`(_ specimen: WatchSpecimen) throws {
    guard let outcome = specimen.outcome else { return }
    for seed in 0..<20 as Range<UInt64> {
      let rig = specimen.make(Still(x: 148, y: -148, z: 148), seed)
      try rig.start()
      let findings = try rig.testItself(impatientAt: nil)
      for axis in 0..<3 {
        expect(findings?.force?[axis].outcome, equals: outcome.force)
        expect(findings?.rotation?[axis].outcome, equals: outcome.rotation)
      }
    }
  }
}

import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// Watching for movement, and the self-test.
struct LSM6DSWatchTests {
  private func asleep(
    _ part: EmulatedLSM6DS.Part, _ force: Still, specimen: Specimen = LSM6DSFacts.quiet
  ) throws -> LSM6DSRig {
    let rig = LSM6DSRig(part, motion: force, specimen: specimen)
    try rig.start()
    while let wait = try rig.driver.watchForMovement() { rig.clock.advance(by: wait) }
    return rig
  }

  @Test(arguments: LSM6DSFacts.parts)
  func `a board at rest does not drive INT2, in any attitude and with noise`(_ part: EmulatedLSM6DS.Part) throws {
    for force in [Still(x: 0, y: 0, z: 256), Still(x: -181, y: 0, z: 181), Still(x: 10, y: -256, z: 3)] {
      let rig = try asleep(part, force, specimen: Specimen())
      for _ in 0..<600 {
        rig.clock.advance(by: .seconds(1))
        expect(that: !rig.part.isInterruptHigh)
      }
      try expect(rig.driver.hasMoved(from: force.vector), equals: false)
    }
  }

  @Test(arguments: LSM6DSFacts.parts)
  func `a change beyond the threshold on an axis drives INT2 until it is read, a smaller one never`(
    _ part: EmulatedLSM6DS.Part
  ) throws {
    // 0.117 and 0.137 g.
    for (change, isSeen) in [(30, false), (35, true)] as [(Int32, Bool)] {
      for axis in 0..<3 {
        for sign in [1, -1] as [Int32] {
          let force = Still(x: 100, y: -100, z: 200)
          var other = force
          if axis == 0 { other.x += sign * change }
          if axis == 1 { other.y += sign * change }
          if axis == 2 { other.z += sign * change }
          let rig = try asleep(part, force)
          rig.part.play(other)
          rig.clock.advance(by: .milliseconds(110))
          expect(rig.part.isInterruptHigh, equals: isSeen)
          rig.clock.advance(by: .seconds(5))
          expect(rig.part.isInterruptHigh, equals: isSeen, "it is latched")
          try expect(rig.driver.hasMoved(from: nil), equals: isSeen)
          expect(that: !rig.part.isInterruptHigh)
          // The comparison of forces detects a movement from before the watch.
          try expect(rig.driver.hasMoved(from: force.vector), equals: isSeen)
          try expect(rig.driver.hasMoved(from: other.vector), equals: false)
        }
      }
    }
  }

  @Test(arguments: LSM6DSFacts.parts)
  func `a supply lost while watching is detected, and the part wakes with its configuration`(
    _ part: EmulatedLSM6DS.Part
  ) throws {
    let rig = try asleep(part, LSM6DSRig.force)
    expect(sensorError { () throws(SensorError) in _ = try rig.sample() }, equals: .configurationLost)
    rig.powerCycle()
    expect(sensorError { () throws(SensorError) in _ = try rig.driver.hasMoved(from: nil) }, equals: .configurationLost)
    rig.clock.advance(by: try rig.driver.wake())
    while try rig.proceed() {}
    try expect(rig.sample(), equals: LSM6DSFacts.read(LSM6DSRig.force.vector))
    try expect(rig.registers(0x56, 4) + rig.registers(0x5F), equals: [0, 0, 0, 0, 0])
    expect(rig.part.reservedWrites, equals: 0)
  }

  @Test func `the threshold is an eighth of a g`() {
    expect(LSM6DSRig().driver.movementThreshold, equals: Q16(1, over: 8))
  }

  /// The change that the self-test makes on X, in mg, and whether it is within 90 to 1700 mg, or 50 to 1700 mg.
  @Test(
    arguments: [
      (0, false, false), (45, false, false), (55, false, true), (-55, false, true), (85, false, true), (95, true, true),
      (-95, true, true), (1_690, true, true), (-1_690, true, true), (1_710, false, false), (-1_800, false, false),
    ] as [(Int32, Bool, Bool)])
  func `a self-test of the force is judged by the limits of the part, in both directions`(
    _ milliG: Int32, _ isPassed: Bool, _ isPassedByLSM6DSO: Bool
  ) throws {
    for part in LSM6DSFacts.parts {
      let rig = LSM6DSRig(part, motion: Still(x: 0, y: 0, z: 256)) { $0.selfTest.x = Q16(milliG, over: 1_000) }
      try rig.start()
      var clock = rig.clock
      let findings = try #require(try rig.driver.testItself(supply: 3_300, by: &clock))
      let force = try #require(findings.force)
      let isGood = part == .lsm6dso ? isPassedByLSM6DSO : isPassed
      let isOpinion = part == .lsm6ds33
      expect(force[0].outcome, equals: isOpinion ? (isGood ? .plausible : .doubtful) : isGood ? .passed : .failed)
      #expect(force[1].outcome == (isOpinion ? .plausible : .passed) && force[2].outcome == force[1].outcome)
      expect(abs(Double(force[0].change.raw) / 65.536 - Double(milliG)), isAtMost: 0.2)
      #expect(findings.rotation == nil)
      try expect(rig.sample(), equals: LSM6DSFacts.read(Still(x: 0, y: 0, z: 256).vector))
      #expect(try rig.adopt())
    }
  }

  @Test(
    arguments: [
      (0, false), (-140, false), (160, true), (-160, true), (690, true), (-690, true), (710, false),
    ] as [(Int32, Bool)], LSM6DSFacts.parts)
  func `a self-test of the gyroscope passes from 150 to 700 °/s, in both directions and while it turns`(
    _ row: (dps: Int32, isPassed: Bool), _ part: EmulatedLSM6DS.Part
  ) throws {
    var specimen = LSM6DSFacts.quiet
    specimen.turn = Vector3(x: Q16(whole: 20), y: .zero, z: Q16(whole: -10))
    let configuration = LSM6DS.Configuration(gyroscope: .dps250, usesFIFO: true)
    let rig = LSM6DSRig(part, configuration, specimen: specimen) { $0.rotationSelfTest.z = Q16(whole: row.dps) }
    try rig.start()
    var clock = rig.clock
    let begin = clock.now
    let rotation = try #require(try rig.driver.testItself(supply: 3_300, by: &clock)?.rotation)
    expect(rotation[2].outcome, equals: row.isPassed ? .passed : .failed)
    #expect(rotation[0].outcome == .passed && rotation[1].outcome == .passed)
    expect(abs(Double(rotation[2].change.raw) / 65_536 - Double(row.dps)), isAtMost: 0.1)
    expect(clock.now - begin, isBelow: .milliseconds(1_100))
    try expect(that: !rig.nextSamples().samples.isEmpty)
  }

  @Test func `an interrupted wait returns no findings and restores the configuration`() throws {
    for number in 0..<25 {
      let rig = LSM6DSRig(.lsm6dso, LSM6DS.Configuration(gyroscope: .dps250))
      try rig.start()
      var clock = ImpatientClock(clock: rig.clock, impatientAt: number)
      #expect(try rig.driver.testItself(supply: 3_300, by: &clock)?.force == nil)
      rig.clock.advance(by: .milliseconds(200))
      while try rig.proceed() {}
      try expect(rig.sample(), equals: LSM6DSFacts.read(LSM6DSRig.force.vector))
    }
  }
}

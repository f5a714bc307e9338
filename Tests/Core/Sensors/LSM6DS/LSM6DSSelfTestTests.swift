import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// The self-test's limits.
struct LSM6DSSelfTestTests {
  /// The change that the self-test makes on X, in mg, and whether it is within 90 to 1700 mg, or 50 to 1700 mg.
  @Test(
    arguments: [
      (0, false, false), (45, false, false), (55, false, true), (-55, false, true), (85, false, true), (95, true, true),
      (-95, true, true), (1_690, true, true), (-1_690, true, true), (1_710, false, false), (-1_800, false, false),
    ] as [(Int32, Bool, Bool)])
  static func `a self-test of the force is judged by the limits of the part, in both directions`(
    _ milliG: Int32, _ isPassed: Bool, _ isPassedByLSM6DSO: Bool
  ) throws {
    for part in LSM6DSFacts.parts {
      let rig = LSM6DSRig(part, motion: Still(x: 0, y: 0, z: 256)) { $0.selfTest.x = Q16(milliG, over: 1_000) }
      try rig.start()
      var clock = rig.clock
      let findings = try require(rig.driver.testItself(supply: 3_300, by: &clock))
      let force = try require(findings.force)
      let isGood = part == .lsm6dso ? isPassedByLSM6DSO : isPassed
      let isOpinion = part == .lsm6ds33
      expect(force[0].outcome, equals: isOpinion ? (isGood ? .plausible : .doubtful) : isGood ? .passed : .failed)
      #expect(force[1].outcome == (isOpinion ? .plausible : .passed) && force[2].outcome == force[1].outcome)
      expect(abs(Double(force[0].change.raw) / 65.536 - Double(milliG)), isAtMost: 0.2)
      expect(absent: findings.rotation)
      try expect(rig.sample(), equals: LSM6DSFacts.read(Still(x: 0, y: 0, z: 256).vector))
      try expect(that: rig.adopt())
    }
  }

  @Test(
    arguments: [
      (0, false), (-140, false), (160, true), (-160, true), (690, true), (-690, true), (710, false),
    ] as [(Int32, Bool)], LSM6DSFacts.parts)
  static func `a self-test of the gyroscope passes from 150 to 700 °/s, in both directions and while it turns`(
    _ row: (dps: Int32, isPassed: Bool), _ part: EmulatedLSM6DS.Part
  ) throws {
    var specimen = LSM6DSFacts.quiet
    specimen.turn = Vector3(x: Q16(whole: 20), y: .zero, z: Q16(whole: -10))
    let configuration = LSM6DS.Configuration(gyroscope: .dps250, usesFIFO: true)
    let rig = LSM6DSRig(part, configuration, specimen: specimen) { $0.rotationSelfTest.z = Q16(whole: row.dps) }
    try rig.start()
    var clock = rig.clock
    let begin = clock.now
    let rotation = try require(rig.driver.testItself(supply: 3_300, by: &clock)?.rotation)
    expect(rotation[2].outcome, equals: row.isPassed ? .passed : .failed)
    #expect(rotation[0].outcome == .passed && rotation[1].outcome == .passed)
    expect(abs(Double(rotation[2].change.raw) / 65_536 - Double(row.dps)), isAtMost: 0.1)
    expect(clock.now - begin, isBelow: .milliseconds(1_100))
    try expect(that: !rig.nextSamples().samples.isEmpty)
  }
}

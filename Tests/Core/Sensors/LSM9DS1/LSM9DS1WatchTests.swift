import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// Watching for movement, and the self-test.
struct LSM9DS1WatchTests {
  private static func asleep(
    _ force: Still, _ configuration: LSM9DS1.Configuration = LSM9DS1.Configuration(gyroscope: .dps2000),
    specimen: EmulatedLSM9DS1.Configuration = LSM9DS1Rig.quiet
  ) throws -> LSM9DS1Rig {
    let rig = LSM9DS1Rig(force, configuration, specimen: specimen)
    try rig.start()
    while let wait = try rig.driver.watchForMovement() { rig.clock.advance(by: wait) }
    return rig
  }

  @Test static func `the gyroscope is off while the part watches, and on again afterwards`() throws {
    let rig = try asleep(LSM9DS1Rig.force)
    try expect(rig.registers(0x10), equals: [0x00])
    try expect(rig.registers(0x20), equals: [0x47])
    expect(sensorError { () throws(SensorError) in _ = try rig.sample() }, equals: .configurationLost)
    rig.clock.advance(by: try rig.driver.wake())
    try expect(rig.registers(0x10), equals: [0x78])
    try expect(rig.driver.measure().rotation, equals: .zero)
  }

  @Test static func `a part that watches and is to watch again begins anew`() throws {
    let rig = try asleep(LSM9DS1Rig.force)
    try expect(rig.driver.watchForMovement(), equals: .milliseconds(1_000))
    try expect(rig.driver.watchForMovement(), equals: nil)
  }

  /// The change that the self-test makes on X, in mg or °/s, and whether it is within 70 to 1500 mg or 200 to 800 °/s.
  @Test(
    arguments: [
      (0, false), (66, false), (72, true), (-72, true), (400, true), (-1_400, true), (1_496, true), (1_504, false),
      (-1_600, false),
    ] as [(Int32, Bool)])
  static func `a self-test of the accelerometer is plausible within ST's limits, in both directions`(
    _ milliG: Int32, _ isPlausible: Bool
  ) throws {
    var specimen = LSM9DS1Rig.quiet
    specimen.selfTest.x = Q16(milliG, over: 1_000)
    let rig = LSM9DS1Rig(Still(x: 0, y: 0, z: 256), specimen: specimen)
    try rig.start()
    var clock = rig.clock
    let begin = clock.now
    let findings = try require(rig.driver.testItself(supply: 3_300, by: &clock))
    let force = try require(findings.force)
    expect(absent: findings.rotation)
    expect(force[0].outcome, equals: isPlausible ? .plausible : .doubtful)
    #expect(force[1].outcome == .plausible && force[2].outcome == .plausible)
    expect(abs(Double(force[0].change.raw) / 65.536 - Double(milliG)), isAtMost: 1)
    let limits = try require(force[0].limits)
    expect(abs(Double(abs(limits.weakest.raw)) / 65.536 - 70), isBelow: 0.02)
    expect(abs(Double(abs(limits.strongest.raw)) / 65.536 - 1_500), isBelow: 0.02)
    expect(clock.now - begin, isBelow: .milliseconds(1_000))
    expect(abs(try rig.sample().z.raw - 65_536), isAtMost: 4)
    try expect(that: rig.adopt())
  }

  @Test(
    arguments: [
      (0, false), (196, false), (204, true), (-204, true), (796, true), (-796, true), (804, false),
    ] as [(Int32, Bool)])
  static func `a self-test of the gyroscope is plausible within ST's limits, in both directions`(
    _ degrees: Int32, _ isPlausible: Bool
  ) throws {
    var specimen = LSM9DS1Rig.quiet
    specimen.rotationTest.y = Q16(whole: degrees)
    let rig = LSM9DS1Rig(
      LSM9DS1Rig.force, LSM9DS1.Configuration(range: .g8, gyroscope: .dps245), specimen: specimen)
    try rig.start()
    var clock = rig.clock
    let begin = clock.now
    let findings = try require(rig.driver.testItself(supply: 3_300, by: &clock))
    let (force, turn) = (try require(findings.force), try require(findings.rotation))
    for axis in 0..<3 { expect(force[axis].outcome, equals: .plausible) }
    #expect(turn[0].outcome == .plausible && turn[1].outcome == (isPlausible ? .plausible : .doubtful))
    expect(abs(Double(turn[1].change.raw) / 65_536 + Double(degrees)), isAtMost: 0.1, "Y is opposite to the part's")
    expect(clock.now - begin, isBelow: .milliseconds(3_000))
    try expect(rig.sample(), equals: LSM9DS1Rig.force.vector)
    try expect(that: rig.adopt())
  }
}

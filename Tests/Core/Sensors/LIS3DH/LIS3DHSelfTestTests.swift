import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// The self-test's limits.
struct LIS3DHSelfTestTests {
  /// The change that the self-test makes on X, in mg, and whether it is within 68 to 1440 mg.
  @Test(
    arguments: [
      (0, false), (60, false), (64, false), (70, true), (-70, true), (400, true), (-1_400, true), (1_400, true),
      (1_444, false), (-1_500, false),
    ] as [(Int32, Bool)])
  static func `a self-test passes within the limits of the data sheet, in both directions`(
    _ milliG: Int32, _ isPassed: Bool
  ) throws {
    var specimen = LIS3DHRig.quiet
    specimen.selfTest.x = Q16(milliG, over: 1_000)
    let rig = LIS3DHRig(Still(x: 0, y: 0, z: 256), specimen: specimen)
    try rig.start()
    var clock = rig.clock
    let begin = clock.now
    let force = try require(rig.driver.testItself(supply: 3_300, by: &clock)?.force)
    expect(force[0].outcome, equals: isPassed ? .passed : .failed)
    #expect(force[1].outcome == .passed && force[2].outcome == .passed)
    expect(abs(Double(force[0].change.raw) / 65.536 - Double(milliG)), isAtMost: 4)
    let limits = try require(force[0].limits)
    expect(abs(limits.weakest.raw), equals: 4_456)
    expect(abs(limits.strongest.raw), equals: 94_372)
    expect(clock.now - begin, isBelow: .milliseconds(600))
    try expect(rig.sample(), equals: Still(x: 0, y: 0, z: 256).vector)
    try expect(that: rig.adopt())
  }
}

import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// Watching for movement, and the self-test.
struct LIS3DHWatchTests {
  private func asleep(_ force: Still, specimen: EmulatedLIS3DH.Configuration = LIS3DHRig.quiet) throws -> LIS3DHRig {
    let rig = LIS3DHRig(force, specimen: specimen)
    try rig.start()
    while let wait = try rig.driver.watchForMovement() { rig.clock.advance(by: wait) }
    return rig
  }

  @Test func `a board at rest does not drive INT1, in any attitude and with noise`() throws {
    for force in [Still(x: 0, y: 0, z: 256), Still(x: -181, y: 0, z: 181), Still(x: 10, y: -256, z: 3)] {
      let rig = try asleep(force, specimen: EmulatedLIS3DH.Configuration())
      for _ in 0..<3_600 {
        rig.clock.advance(by: .seconds(1))
        expect(that: !rig.part.isInterruptHigh)
      }
      try expect(rig.driver.hasMoved(from: force.vector), equals: false)
    }
  }

  @Test func `a change beyond the threshold on an axis drives INT1 until it is read, a smaller one never`()
    throws
  {
    // 0.117 and 0.176 g; of the latter the filter passes 0.154 g at first.
    for (change, isSeen) in [(30, false), (45, true)] as [(Int32, Bool)] {
      for axis in 0..<3 {
        for sign in [1, -1] as [Int32] {
          let force = Still(x: 100, y: -100, z: 200)
          var other = force
          if axis == 0 { other.x += sign * change }
          if axis == 1 { other.y += sign * change }
          if axis == 2 { other.z += sign * change }
          let rig = try asleep(force)
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

  @Test func `a supply lost while watching is detected, and the part wakes with its configuration`() throws {
    let rig = try asleep(LIS3DHRig.force)
    expect(sensorError { () throws(SensorError) in _ = try rig.sample() }, equals: .configurationLost)
    rig.powerCycle()
    expect(sensorError { () throws(SensorError) in _ = try rig.driver.hasMoved(from: nil) }, equals: .configurationLost)
    rig.clock.advance(by: try rig.driver.wake())
    try expect(rig.sample(), equals: LIS3DHRig.force.vector)
    expect(rig.part.reservedWrites, equals: 0)
  }

  @Test func `the threshold is eight steps of 16 mg`() {
    expect(abs(Double(LIS3DHRig().driver.movementThreshold.raw) / 65_536 - 0.128), isBelow: 0.00001)
  }

  /// The change that the self-test makes on X, in mg, and whether it is within 68 to 1440 mg.
  @Test(
    arguments: [
      (0, false), (60, false), (64, false), (70, true), (-70, true), (400, true), (-1_400, true), (1_400, true),
      (1_444, false), (-1_500, false),
    ] as [(Int32, Bool)])
  func `a self-test passes within the limits of the data sheet, in both directions`(
    _ milliG: Int32, _ isPassed: Bool
  ) throws {
    var specimen = LIS3DHRig.quiet
    specimen.selfTest.x = Q16(milliG, over: 1_000)
    let rig = LIS3DHRig(Still(x: 0, y: 0, z: 256), specimen: specimen)
    try rig.start()
    var clock = rig.clock
    let begin = clock.now
    let force = try #require(try rig.driver.testItself(supply: 3_300, by: &clock)?.force)
    expect(force[0].outcome, equals: isPassed ? .passed : .failed)
    #expect(force[1].outcome == .passed && force[2].outcome == .passed)
    expect(abs(Double(force[0].change.raw) / 65.536 - Double(milliG)), isAtMost: 4)
    let limits = try #require(force[0].limits)
    expect(abs(limits.weakest.raw), equals: 4_456)
    expect(abs(limits.strongest.raw), equals: 94_372)
    expect(clock.now - begin, isBelow: .milliseconds(600))
    try expect(rig.sample(), equals: Still(x: 0, y: 0, z: 256).vector)
    #expect(try rig.adopt())
  }

  @Test func `noise does not fail a self-test, in any attitude`() throws {
    for seed in 0..<20 as Range<UInt64> {
      let rig = LIS3DHRig(
        Still(x: 148, y: -148, z: 148), specimen: EmulatedLIS3DH.Configuration(), seed: seed)
      try rig.start()
      var clock = rig.clock
      let force = try #require(try rig.driver.testItself(supply: 3_300, by: &clock)?.force)
      for axis in 0..<3 { expect(force[axis].outcome, equals: .passed) }
    }
  }

  @Test func `an interrupted wait returns no findings and restores the configuration`() throws {
    for number in 0..<13 {
      let rig = LIS3DHRig()
      try rig.start()
      var clock = ImpatientClock(clock: rig.clock, impatientAt: number)
      #expect(try rig.driver.testItself(supply: 3_300, by: &clock)?.force == nil)
      rig.clock.advance(by: .milliseconds(80))
      try expect(rig.sample(), equals: LIS3DHRig.force.vector)
    }
  }
}

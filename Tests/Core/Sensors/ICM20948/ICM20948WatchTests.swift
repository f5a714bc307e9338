import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// Watching for movement, and the self-test.
struct ICM20948WatchTests {
  private static func asleep(_ force: Still, isNoisy: Bool = false) throws -> ICM20948Rig {
    let rig = ICM20948Rig(force, ICM20948.Configuration(gyroscope: .dps500)) { $0.specimen.isNoisy = isNoisy }
    try rig.start()
    while let wait = try rig.driver.watchForMovement() { rig.clock.advance(by: wait) }
    return rig
  }

  @Test static func `a fault at any transaction of falling asleep leaves bank 0, and the part can be woken`() throws {
    let clean = try asleep(ICM20948Rig.force)
    let first = ICM20948Rig(ICM20948Rig.force, ICM20948.Configuration(gyroscope: .dps500))
    try first.start()
    for number in first.log.transactionCount..<clean.log.transactionCount {
      let configuration = ICM20948.Configuration(gyroscope: .dps500)
      let rig = ICM20948Rig(ICM20948Rig.force, configuration, plan: [.init(.timedOut, .transaction(number))])
      try rig.start()
      expect(sensorError { () throws(SensorError) in _ = try rig.driver.watchForMovement() }, equals: .bus(.timedOut))
      try expect(rig.registers(0x7F), equals: [0x00])
      rig.clock.advance(by: try rig.driver.wake())
      while try rig.proceed() {}
      try expect(rig.nextSample(), equals: ICM20948Rig.force.vector)
    }
  }

  /// The response of X, in parts of what its code stands for, and the outcome.
  @Test(
    arguments: [
      (0, .doubtful), (0.45, .doubtful), (0.55, .plausible), (1, .plausible), (1.45, .plausible), (1.55, .doubtful),
      (-1, .doubtful),
    ] as [(Double, SelfTestFindings.Outcome)])
  static func `a self-test is plausible from half to one and a half times the factory's response`(
    _ factor: Double, _ outcome: SelfTestFindings.Outcome
  ) throws {
    for gyroscope in [nil, ICM20948.GyroscopeRange.dps2000] {
      let rig = ICM20948Rig(Still(x: 0, y: 0, z: 256), ICM20948.Configuration(gyroscope: gyroscope, fifo: .init())) {
        $0.selfTest.x = Q16(raw: Int32(Double($0.selfTest.x.raw) * factor))
        $0.rotationSelfTest.y = Q16(raw: Int32(Double($0.rotationSelfTest.y.raw) * factor))
      }
      try rig.start()
      var clock = rig.clock
      let begin = clock.now
      let findings = try require(rig.driver.testItself(supply: 3_300, by: &clock))
      let force = try require(findings.force)
      #expect(force[0].outcome == outcome && force[1].outcome == .plausible && force[2].outcome == .plausible)
      // 2620 · 1.01^99 LSB at ±2 g.
      expect(abs((force[0].factory ?? .zero).raw - 28_066), isAtMost: 16)
      expect(abs(Double(force[0].change.raw) - 28_066 * factor), isAtMost: 20)
      expect(findings.rotation != nil, equals: gyroscope != nil)
      if let rotation = findings.rotation {
        #expect(rotation[1].outcome == outcome && rotation[0].outcome == .plausible)
        expect(abs((rotation[1].factory ?? .zero).raw - 4_731_155), isAtMost: 600)
      }
      expect(clock.now - begin, isBelow: .milliseconds(1_600))
      try expect(all: rig.nextSamples().samples) { $0 == Still(x: 0, y: 0, z: 256).vector }
      try expect(rig.registers(0x7F), equals: [0x00])
      expect(rig.part.reservedWrites, equals: 0)
    }
  }

  @Test static func `without factory codes a self-test is not judged`() throws {
    let rig = ICM20948Rig { $0.forceCodes = [0, 110, 0] }
    try rig.start()
    var clock = rig.clock
    let force = try require(rig.driver.testItself(supply: 0, by: &clock)?.force)
    #expect(force[0].outcome == .unjudged && force[1].outcome == .plausible && force[2].outcome == .unjudged)
  }

  @Test static func `a fault, a brown-out or an interrupted wait at any point of a self-test does no lasting harm`()
    throws
  {
    let clean = ICM20948Rig()
    try clean.start()
    let first = clean.log.transactionCount
    var time = clean.clock
    let right = try clean.driver.selfTest(clock: &time)
    // All of the set-up, and some of the 200 samples.
    let numbers = (first..<clean.log.transactionCount).filter {
      clean.log.transactions[$0].written != [0x2D] || $0 % 25 == 0
    }
    expect(numbers.count, isAbove: 50)
    for number in numbers {
      for effect in [.timedOut, .brownOut] as [FaultPlan.Effect] {
        let rig = ICM20948Rig(plan: [.init(effect, .transaction(number))])
        try rig.start()
        var clock = rig.clock
        var found: MPU6050.SelfTest?
        let error = sensorError { () throws(SensorError) in found = try rig.driver.selfTest(clock: &clock) }
        // Part of it configures the part from scratch, whatever state it is in.
        #expect(error != nil || effect == .brownOut && found == right, "\(effect) at \(number)")
        try expect(rig.registers(0x7F), equals: [0x00], "\(effect) at \(number)")
        try rig.start()
        try expect(rig.nextSample(), equals: ICM20948Rig.force.vector)
        try expect(rig.register(0x15, ofBank: 2).value, equals: 0)
      }
    }
    for number in [0, 1, 50, 100, 101, 102, 200, 202] {
      let rig = ICM20948Rig()
      try rig.start()
      var clock = ImpatientClock(clock: rig.clock, impatientAt: number)
      try expect(absent: rig.driver.testItself(supply: 0, by: &clock)?.force)
      rig.clock.advance(by: .milliseconds(80))
      while try rig.proceed() {}
      try expect(rig.sample(), equals: ICM20948Rig.force.vector)
      try expect(rig.register(0x15, ofBank: 2).value, equals: 0)
    }
  }
}

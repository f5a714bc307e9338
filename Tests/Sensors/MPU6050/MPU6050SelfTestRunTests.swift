import Emulation
import FixedPoint
import HAL
import Sensors
import Testing

/// The self-test of emulated parts, sound and defective ones.
@Suite struct MPU6050SelfTestRunTests {
  static let attitudes: [Still] = [
    Still(x: 0, y: 2_048, z: 0, unit: 32), Still(x: 0, y: 0, z: -2_048, unit: 32),
    Still(x: -1_182, y: 1_182, z: 1_182, unit: 32),
  ]

  private func run(_ rig: MPU6050Rig) throws(SensorError) -> MPU6050.SelfTest? {
    try rig.driver.selfTest(clock: &rig.clock)
  }

  @Test(arguments: attitudes)
  func `a sound MPU-6050 passes in any attitude, with its noise and tolerances`(_ force: Still) throws {
    for code in [1, 7, 16, 31] as [UInt8] {
      let rig = MPU6050Rig(.mpu6050, MPU6050.Configuration(), motion: force) {
        $0.noiseMicrogPerRootHertz = 400
        $0.zeroGOffset = Vector3(x: Q16(5, over: 100), y: Q16(-5, over: 100), z: Q16(8, over: 100))
        $0.sensitivityError = Vector3(x: Q16(3, over: 100), y: Q16(-3, over: 100), z: Q16(3, over: 100))
        $0.internalOscillatorPartsPerMillion = -50_000
        $0.selfTestCodes = EmulatedMPU6050.PerAxis(x: code, y: 32 - code, z: code)
      }
      try rig.start()
      let result = try #require(try run(rig))
      #expect(result.verdict == .passed)
      #expect(result.kind == .factoryTrim)
      // Noise of 16 LSB in means of a hundred, and 3 % of 3768.
      #expect(abs(result.x.response - result.x.trim) <= 130)
      #expect(abs(result.y.response - result.y.trim) <= 130)
    }
  }

  @Test func `an axis that moves too little, too much or the wrong way fails, each by itself`() throws {
    let exact = [2_291.0, 2_531, 1_941]  // codes 16, 19 and 11
    for axis in 0..<3 {
      for (factor, isWithin) in [(0.855, false), (0.865, true), (1.135, true), (1.145, false), (0, false), (-1, false)]
      {
        let rig = MPU6050Rig { specimen in
          let scaled = exact.enumerated().map {
            Q16(raw: Int32($0.element * ($0.offset == axis ? factor : 1) * 16))
          }
          specimen.selfTestDeflection = Vector3(x: scaled[0], y: scaled[1], z: scaled[2])
        }
        try rig.start()
        let result = try #require(try run(rig))
        let axes = [result.x, result.y, result.z]
        #expect(axes.map(\.trim) == [2_291, 2_531, 1_941])
        for index in 0..<3 { #expect(axes[index].isWithinLimits == (index == axis ? isWithin : true)) }
        #expect(result.verdict == (isWithin ? .passed : .failed))
      }
    }
  }

  @Test func `a clone without factory codes is judged not at all`() throws {
    let rig = MPU6050Rig {
      $0.selfTestCodes = EmulatedMPU6050.PerAxis(x: 0, y: 0, z: 0)
      $0.selfTestDeflection = Vector3(x: .one, y: .one, z: .one)
    }
    try rig.start()
    let result = try #require(try run(rig))
    #expect(result.verdict == .inconclusive)
    #expect([result.x.response, result.y.response, result.z.response] == [4_096, 4_096, 4_096])
    #expect(result.x.isWithinLimits == nil)
  }

  @Test(arguments: emulatedParts)
  func `a later part is only reported on, near its codes or far from them`(_ part: EmulatedMPU6050.Part) throws {
    guard part.layout == .mpu6500 else { return }
    for (deflection, isWithin) in [(nil, true), (.zero, false)] as [(Vector3?, Bool)] {
      let rig = MPU6050Rig(part, MPU6050.Configuration(acceptsUnverifiedParts: true)) {
        $0.selfTestDeflection = deflection
      }
      try rig.start()
      let result = try #require(try run(rig))
      #expect(result.kind == .informative)
      #expect(result.verdict == .inconclusive)
      #expect([result.x, result.y, result.z].map(\.isWithinLimits) == [isWithin, isWithin, isWithin])
      // 655 · 1.01^(code - 1) for the codes 102, 117 and 95.
      #expect([result.x.trim, result.y.trim, result.z.trim] == [1_789, 2_077, 1_669])
      #expect(try rig.nextSample() == MPU6050Rig.force.vector)
    }
  }

  static let setups: [(part: EmulatedMPU6050.Part, configuration: MPU6050.Configuration)] = [
    (.mpu6050, MPU6050.Configuration(rate: .hz200, range: .g16, filter: .hz10)),
    (.mpu6050, MPU6050.Configuration(rate: .hz1000, gyroscope: .dps1000, fifo: MPU6050.FIFO(includesRotation: true))),
    (.mpu6500, MPU6050.Configuration(cycleRate: .hz5)),
    (
      .mpu9250,
      MPU6050.Configuration(
        range: .g2, filter: .hz5, interrupts: MPU6050.Interrupts(signalsDataReady: true, isLatched: true))
    ),
  ]
  /// Every register that a configuration sets.
  static let registers: [UInt8] = [
    0x19, 0x1A, 0x1B, 0x1C, 0x1D, 0x1E, 0x23, 0x37, 0x38, 0x6A, 0x6B, 0x6C,
  ]

  private func contents(_ rig: MPU6050Rig) throws -> [UInt8] { try Self.registers.flatMap { try rig.registers($0) } }

  @Test(arguments: setups)
  func `after a self-test the part is as it was before, and goes on at once`(
    _ row: (part: EmulatedMPU6050.Part, configuration: MPU6050.Configuration)
  ) throws {
    let rig = MPU6050Rig(row.part, row.configuration)
    try rig.start()
    let before = try contents(rig)
    let begun = rig.clock.now
    #expect(try run(rig) != nil)
    #expect(rig.clock.now - begun < .seconds(2))
    #expect(try contents(rig) == before)
    #expect(try rig.driver.sample() == MPU6050Rig.force.vector)
    if row.configuration.fifo != nil {
      var batch = MPU6050.Batch<30>()
      rig.clock.advance(by: .milliseconds(20))
      try rig.driver.drain(into: &batch)
      #expect(batch.count == 20)
      #expect(!batch.followsGap)
    }
  }

  @Test(arguments: setups)
  func `a fault at any transaction of a self-test is reported, and a start puts everything right`(
    _ row: (part: EmulatedMPU6050.Part, configuration: MPU6050.Configuration)
  ) throws {
    let clean = MPU6050Rig(row.part, row.configuration)
    try clean.start()
    let first = clean.log.transactionCount
    _ = try run(clean)
    let transactions = first..<clean.log.transactionCount
    #expect(transactions.count > 220)
    for number in transactions {
      for effect in [.timedOut, .brownOut] as [FaultPlan.Effect] {
        let rig = MPU6050Rig(row.part, row.configuration, plan: [.init(effect, .transaction(number))])
        try rig.start()
        var result: MPU6050.SelfTest?
        let error = sensorError { () throws(SensorError) in result = try run(rig) }
        if effect == .timedOut { #expect(error == .bus(.timedOut)) }
        // A dip may pass unnoticed where it costs nothing: before the part is set up for the test, or after.
        if let result { #expect(result.verdict != .failed && result.x.isWithinLimits == true) }
        if error != nil { #expect(throws: SensorError.configurationLost) { try rig.driver.sample() } }
        try rig.start()
        #expect(try rig.nextSample() == MPU6050Rig.force.vector)
      }
    }
  }
}

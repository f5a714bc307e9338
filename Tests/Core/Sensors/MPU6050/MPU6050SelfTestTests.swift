import Emulation
import FixedPoint
import Foundation
import HAL
import Sensors
import TestSupport
import Testing

/// The verdict of a self-test, against the formulas, and its bytes on the wire.
struct MPU6050SelfTestTests {
  @Test static func `codes are assembled as the register map says`() {
    // By hand: E0 20 80 39 is 31, 6 and 17.
    let codes = MPU6050.selfTestCodes([0xE0, 0x20, 0x80, 0x39], .factoryTrim)
    expect([codes[0], codes[1], codes[2]], equals: [31, 6, 17])
    expect(MPU6050.factoryTrim(31, .factoryTrim), equals: 3_768)
    expect(MPU6050.factoryTrim(6, .factoryTrim), equals: 1_644)
    expect(MPU6050.factoryTrim(17, .factoryTrim), equals: 2_368)
    let later = MPU6050.selfTestCodes([0xE0, 0x20, 0x80, 0x39], .informative)
    expect([later[0], later[1], later[2]], equals: [0xE0, 0x20, 0x80])
  }

  @Test(arguments: UInt8.min...UInt8.max)
  static func `each axis uses its own bits`(_ byte: UInt8) {
    for axis in 0..<4 {
      var bytes: InlineArray<4, UInt8> = [0x1F, 0x1F, 0x1F, 0xC0]
      bytes[axis] = axis == 3 ? byte : byte | 0x1F
      let codes = MPU6050.selfTestCodes(bytes, .factoryTrim)
      let model = (0..<3).map { index -> UInt8 in
        let high = index == axis ? byte / 32 : 0
        let low = axis == 3 ? byte / [16, 4, 1][index] % 4 : 0
        return 4 * high + low
      }
      expect([codes[0], codes[1], codes[2]], equals: model)
    }
  }

  @Test static func `the trim of later parts is the formula's within 0.53`() {
    expect(MPU6050.factoryTrim(0, .informative), equals: 0)
    for code in 1...255 as ClosedRange<UInt8> {
      let model = 2_620 / 4 * pow(1.01, Double(code) - 1)
      expect(abs(Double(MPU6050.factoryTrim(code, .informative)) - model), isAtMost: 0.53)
    }
  }

  @Test static func `a gyroscope's trim on later parts is the formula's within 0.53`() {
    expect(MPU6050.rotationTrim(0, .informative), equals: 0)
    for code in 1...255 as ClosedRange<UInt8> {
      let model = 2_620 * pow(1.01, Double(code) - 1)
      expect(abs(Double(MPU6050.rotationTrim(code, .informative)) - model), isAtMost: 0.53)
      expect(MPU6050.rotationTrim(code, .informative, ofY: true), isAbove: 0)
    }
  }

  @Test static func `each code of the first class has the formula's trim, by its five low bits`() {
    // Both formulas of the register map, rounded to nearest.
    func model(_ first: Double, _ growth: Double, _ code: UInt8) -> Double {
      code % 32 == 0 ? 0 : (first * pow(growth, Double(code % 32) - 1)).rounded()
    }
    for code in UInt8.min...UInt8.max {
      let force = model(4_096 * 0.34, pow(0.92 / 0.34, 1 / 30), code)
      let rotation = model(25 * 131, 1.046, code)
      let trims = [
        MPU6050.factoryTrim(code, .factoryTrim), MPU6050.rotationTrim(code, .factoryTrim),
        MPU6050.rotationTrim(code, .factoryTrim, ofY: true),
      ]
      if trims.map({ Double($0) }) != [force, rotation, -rotation] { Issue.record("\(code): \(trims)") }
    }
  }

  @Test static func `a response is the mean of 100 differences, rounded to nearest, halves away from zero`() {
    for sum in Array(-1_000...1_000) + [-10_000_050, -10_000_049, 10_000_049, 10_000_050] as [Int32] {
      let mean = Int32((Double(sum) / 100).rounded(.toNearestOrAwayFromZero))
      for kind in [.factoryTrim, .informative] as [MPU6050.SelfTestKind] {
        if InvenSense.judge(sum, trim: 1, kind).response != mean { Issue.record("\(sum)") }
      }
    }
  }

  @Test static func `a negative trim requires a negative response, within the same limits`() {
    for sign in [-1 as Int32, 1] {
      let edge = -100 * 3_275 + sign * 14 * 3_275
      expect(InvenSense.judge(edge, trim: -3_275, .factoryTrim).isWithinLimits, equals: true)
      expect(InvenSense.judge(edge + sign, trim: -3_275, .factoryTrim).isWithinLimits, equals: false)
    }
    expect(InvenSense.judge(327_500, trim: -3_275, .factoryTrim).isWithinLimits, equals: false)
    expect(InvenSense.judge(-327_500, trim: -3_275, .factoryTrim).response, equals: -3_275)
  }

  @Test static func `the limits of an axis are exact to one count of a sum of 100 samples`() {
    for trim in (1...31).map({ MPU6050.factoryTrim($0, .factoryTrim) }) {
      // 14 % of 100 trims is 14 trims; 50 % is 50.
      for (kind, percent) in [(MPU6050.SelfTestKind.factoryTrim, 14 as Int32), (.informative, 50)] {
        for sign in [-1 as Int32, 1] {
          let edge = 100 * trim + sign * percent * trim
          expect(InvenSense.judge(edge, trim: trim, kind).isWithinLimits, equals: true)
          expect(InvenSense.judge(edge + sign, trim: trim, kind).isWithinLimits, equals: false)
        }
        expect(InvenSense.judge(-100 * trim, trim: trim, kind).isWithinLimits, equals: false)
      }
    }
    for sum in [-6_553_500, 0, 6_553_500] as [Int32] {
      expect(InvenSense.judge(sum, trim: 0, .factoryTrim).isWithinLimits, equals: nil)
      expect(InvenSense.judge(sum, trim: 8_200, .informative).isWithinLimits, equals: false)
    }
  }

  @Test(arguments: [(0 as Int32, 0 as Int32), (49, 0), (50, 1), (149, 1), (150, 2), (-49, 0), (-50, -1), (-150, -2)])
  static func `the response is rounded to nearest`(_ row: (sum: Int32, response: Int32)) {
    expect(InvenSense.judge(row.sum, trim: 1_393, .factoryTrim).response, equals: row.response)
  }

  /// The steps of a self-test whose data are `quiet`, then `moved`, and which ends in the state before it.
  static func steps(_ codes: [UInt8], quiet: [UInt8], moved: [UInt8]) -> [BusScript.Step] {
    func measured(_ data: [UInt8], _ accelerometer: UInt8) -> [BusScript.Step] {
      Array(repeating: MPU6050Script.read(0x3B, data), count: 100) + [
        MPU6050Script.read(0x37, [0x08]), MPU6050Script.read(0x1C, [accelerometer]),
      ]
    }
    let conditions: [BusScript.Step] = [
      MPU6050Script.write(0x6A, 0x00), MPU6050Script.write(0x23, 0x00),
      MPU6050Script.write(0x19, 0x04, 0x02, 0x00, 0x10), MPU6050Script.write(0x37, 0x08, 0x00),
      MPU6050Script.write(0x6C, 0x07), MPU6050Script.write(0x6B, 0x00),
      MPU6050Script.read(0x19, [0x04, 0x02, 0x00, 0x10]), MPU6050Script.read(0x23, [0x00]),
      MPU6050Script.read(0x37, [0x08, 0x00]), MPU6050Script.read(0x6A, [0x00, 0x00, 0x07]),
    ]
    return [MPU6050Script.read(0x0D, codes)] + conditions + measured(quiet, 0x10)
      + [MPU6050Script.write(0x1C, 0xF0)] + measured(moved, 0xF0) + MPU6050Script.configure
  }

  @Test static func `a self-test is these transactions, and the sample after it is as before`() throws {
    // X moves from 0 to 3768, Y from -100 to 1544, Z from 4096 to 4096 + 2000, all ±8 g counts.
    let steps = Self.steps(
      [0xE0, 0x20, 0x80, 0x39], quiet: [0, 0, 0xFF, 0x9C, 0x10, 0], moved: [0x0E, 0xB8, 0x06, 0x08, 0x17, 0xD0])
    var rig = MPU6050Script(MPU6050Script.start + steps + [MPU6050Script.read(0x3B, [0, 0, 0, 1, 0x20, 0])])
    try rig.driver.startWholly()
    var clock = VirtualClock()
    let result = try require(rig.driver.selfTest(clock: &clock))
    expect(result.kind, equals: .factoryTrim)
    expect([result.x.trim, result.y.trim, result.z.trim], equals: [3_768, 1_644, 2_368])
    expect([result.x.response, result.y.response, result.z.response], equals: [3_768, 1_644, 2_000])
    // 2000 is 15.5 % too small.
    expect([result.x.isWithinLimits, result.y.isWithinLimits, result.z.isWithinLimits], equals: [true, true, false])
    expect(result.verdict, equals: .failed)
    try expect(rig.driver.sample(), equals: Vector3(x: .zero, y: Q16(raw: 8), z: .one))
    expect(rig.script.complaints, equals: [])
    // Settling of 61 ms twice, 100 samples 5 ms apart twice, and 69.8 ms.
    expect(clock.now, equals: Instant(microseconds: 2 * 61_000 + 2 * 500_000 + 69_800))
  }

  @Test static func `with the gyroscope on both are tested in the same bursts, each by its own codes`() throws {
    func measured(_ data: [UInt8], _ gyroscope: UInt8, _ accelerometer: UInt8) -> [BusScript.Step] {
      Array(repeating: MPU6050Script.read(0x3B, data), count: 100) + [
        MPU6050Script.read(0x37, [0x08]), MPU6050Script.read(0x1B, [gyroscope, accelerometer]),
      ]
    }
    func configure(_ rates: UInt8...) -> [BusScript.Step] {
      [
        MPU6050Script.write(0x6A, 0x00), MPU6050Script.write(0x23, 0x00),
        .write([0x19] + rates, to: MPU6050.alternateAddress), MPU6050Script.write(0x37, 0x08, 0x00),
        MPU6050Script.write(0x6C, 0x00), MPU6050Script.write(0x6B, 0x01),
        MPU6050Script.read(0x19, rates), MPU6050Script.read(0x23, [0x00]),
        MPU6050Script.read(0x37, [0x08, 0x00]), MPU6050Script.read(0x6A, [0x00, 0x01, 0x00]),
      ]
    }
    // The codes of the gyroscope are 1, 2 and 31: 3275, -3426 and 12623 LSB at ±250 °/s. The temperature does not
    // count.
    let quiet: [UInt8] = [0, 0, 0, 0, 0x10, 0, 0x55, 0x55, 0, 0, 0, 0, 0x01, 0x00]
    let moved: [UInt8] = [0x05, 0x71, 0x05, 0x71, 0x15, 0x71, 0, 0, 0x0C, 0xCB, 0xF2, 0x9E, 0x20, 0x00]
    let steps =
      [MPU6050Script.read(0x0D, [0x01, 0x02, 0x1F, 0x15])] + configure(0x04, 0x02, 0x00, 0x10)
      + measured(quiet, 0x00, 0x10) + [MPU6050Script.write(0x1B, 0xE0, 0xF0)] + measured(moved, 0xE0, 0xF0)
      + configure(0x09, 0x03, 0x18, 0x10)
    var rig = MPU6050Script(MPU6050MeasurementTests.start + steps, MPU6050MeasurementTests.turning)
    try rig.driver.startWholly()
    var clock = VirtualClock()
    let result = try require(rig.driver.selfTest(clock: &clock))
    expect(rig.script.complaints, equals: [])
    expect([result.x.isWithinLimits, result.y.isWithinLimits, result.z.isWithinLimits], equals: [true, true, true])
    let rotation = try require(result.rotation)
    expect([rotation.x.trim, rotation.y.trim, rotation.z.trim], equals: [3_275, -3_426, 12_623])
    expect([rotation.x.response, rotation.y.response, rotation.z.response], equals: [3_275, -3_426, 7_936])
    expect(
      [rotation.x.isWithinLimits, rotation.y.isWithinLimits, rotation.z.isWithinLimits], equals: [true, true, false])
    expect(result.verdict, equals: .failed)
  }

  @Test static func `without codes there is no verdict, unless another axis fails`() throws {
    for (moved, verdict) in [
      ([0x05, 0x71, 0, 0, 0, 0], MPU6050.SelfTest.Verdict.inconclusive), ([0, 0, 0, 0, 0, 0], .failed),
    ] as [([UInt8], MPU6050.SelfTest.Verdict)] {
      let steps = Self.steps([0x00, 0x00, 0x00, 0x10], quiet: [0, 0, 0, 0, 0, 0], moved: moved)
      var rig = MPU6050Script(MPU6050Script.start + steps)
      try rig.driver.startWholly()
      var clock = VirtualClock()
      let result = try require(rig.driver.selfTest(clock: &clock))
      expect([result.x.trim, result.y.trim, result.z.trim], equals: [1_393, 0, 0])
      expect(result.y.isWithinLimits, equals: nil)
      expect(result.verdict, equals: verdict)
      expect(rig.script.complaints, equals: [])
    }
  }

  /// A clock whose n-th sleep is interrupted.
  struct Alarm: MonotonicClock {
    var now = Instant(microseconds: 0)
    var sleepsLeft: Int

    mutating func sleep(until deadline: Instant) -> Bool {
      now = max(now, deadline)
      sleepsLeft -= 1
      return sleepsLeft >= 0
    }
  }

  @Test(arguments: [0, 1, 57, 100, 101, 102, 201, 202])
  static func `an interrupted self-test leaves the part configured as before`(_ sleeps: Int) throws {
    let memory = MPU6050Memory(data: [0x12, 0x34, 0x12, 0x34, 0x12, 0x34])
    var driver = memory.driver()
    try driver.startWholly()
    let before = memory.bytes
    var clock = Alarm(sleepsLeft: sleeps)
    try expect(driver.selfTest(clock: &clock), equals: nil)
    expect(memory.bytes, equals: before)
    expect(throws: SensorError.configurationLost) { try driver.sample() }
    expect(sensorError { () throws(SensorError) in _ = try driver.proceed() }, equals: nil)
    try expect(driver.sample().x, equals: Q16(raw: 0x1234 * 8))
  }
}

/// The self-test of emulated parts, good and defective.
struct MPU6050SelfTestRunTests {
  static let attitudes: [Still] = [
    Still(x: 0, y: 2_048, z: 0, unit: 32), Still(x: 0, y: 0, z: -2_048, unit: 32),
    Still(x: -1_182, y: 1_182, z: 1_182, unit: 32),
  ]

  private static func run(_ rig: MPU6050Rig) throws(SensorError) -> MPU6050.SelfTest? {
    try rig.driver.selfTest(clock: &rig.clock)
  }

  @Test(arguments: attitudes)
  static func `a good MPU-6050 passes in any attitude, with its noise and tolerances`(_ force: Still) throws {
    for code in [1, 7, 16, 31] as [UInt8] {
      let rig = MPU6050Rig(.mpu6050, MPU6050.Configuration(), motion: force) {
        $0.noiseMicrogPerRootHertz = 400
        $0.zeroGOffset = Vector3(x: Q16(5, over: 100), y: Q16(-5, over: 100), z: Q16(8, over: 100))
        $0.sensitivityError = Vector3(x: Q16(3, over: 100), y: Q16(-3, over: 100), z: Q16(3, over: 100))
        $0.internalOscillatorPartsPerMillion = -50_000
        $0.selfTestCodes = EmulatedMPU6050.PerAxis(x: code, y: 32 - code, z: code)
      }
      try rig.start()
      let result = try require(run(rig))
      expect(result.verdict, equals: .passed)
      expect(result.kind, equals: .factoryTrim)
      // Noise of 16 LSB in means of a hundred samples, and 3 % of 3768.
      expect(abs(result.x.response - result.x.trim), isAtMost: 130)
      expect(abs(result.y.response - result.y.trim), isAtMost: 130)
    }
  }

  @Test static func `an axis that moves too little, too much or the wrong way fails, and the others do not`() throws {
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
        let result = try require(run(rig))
        let axes = [result.x, result.y, result.z]
        expect(axes.map(\.trim), equals: [2_291, 2_531, 1_941])
        for index in 0..<3 { expect(axes[index].isWithinLimits, equals: index == axis ? isWithin : true) }
        expect(result.verdict, equals: isWithin ? .passed : .failed)
      }
    }
  }

  @Test(arguments: emulatedParts)
  static func `a good gyroscope is within its limits, with bias and noise, and measures on as before`(
    _ part: EmulatedMPU6050.Part
  ) throws {
    let configuration = MPU6050.Configuration(range: .g8, gyroscope: .dps2000, acceptsUnverifiedParts: true)
    let rig = MPU6050Rig(part, configuration) { $0.gyroscopeNoiseMicrodegreesPerRootHertz = 10_000 }
    // A bias acts like a rotation that does not end.
    rig.part.angularRate = Vector3(x: Q16(whole: 20), y: Q16(whole: -20), z: Q16(whole: 20))
    try rig.start()
    let result = try require(run(rig))
    let rotation = try require(result.rotation)
    expect([rotation.x, rotation.y, rotation.z].map(\.isWithinLimits), equals: [true, true, true])
    expect(result.verdict, equals: part.layout == .mpu6050 ? .passed : .inconclusive)
    rig.clock.advance(by: .milliseconds(10))
    let measurement = try rig.driver.measure()
    let measured = try require(measurement.rotation)
    expect(abs(measured.x.raw - 20 * 65_536), isBelow: 65_536)
  }

  @Test static func `a gyroscope that moves too little, or the wrong way, fails, but only if it is in use`() throws {
    // Codes 13, 15 and 12: 42.9, -46.9 and 41.0 °/s.
    for (y, isWithin) in [(-47, true), (-41, true), (-40, false), (0, false), (47, false)] {
      for gyroscope in [MPU6050.GyroscopeRange.dps500, nil] {
        let rig = MPU6050Rig(.mpu6050, MPU6050.Configuration(gyroscope: gyroscope)) {
          $0.gyroscopeSelfTestDeflection = Vector3(x: Q16(whole: 43), y: Q16(whole: Int32(y)), z: Q16(whole: 41))
        }
        try rig.start()
        let result = try require(run(rig))
        expect(result.rotation?.y.isWithinLimits, equals: gyroscope == nil ? nil : isWithin)
        expect(result.verdict, equals: isWithin || gyroscope == nil ? .passed : .failed)
      }
    }
  }

  @Test static func `a clone without factory codes gets no verdict`() throws {
    let rig = MPU6050Rig {
      $0.selfTestCodes = EmulatedMPU6050.PerAxis(x: 0, y: 0, z: 0)
      $0.selfTestDeflection = Vector3(x: .one, y: .one, z: .one)
    }
    try rig.start()
    let result = try require(run(rig))
    expect(result.verdict, equals: .inconclusive)
    expect([result.x.response, result.y.response, result.z.response], equals: [4_096, 4_096, 4_096])
    expect(result.x.isWithinLimits, equals: nil)
  }

  @Test(arguments: emulatedParts)
  static func `a later part is only reported on, near its codes or far from them`(_ part: EmulatedMPU6050.Part) throws {
    guard part.layout == .mpu6500 else { return }
    for (deflection, isWithin) in [(nil, true), (.zero, false)] as [(Vector3?, Bool)] {
      let rig = MPU6050Rig(part, MPU6050.Configuration(acceptsUnverifiedParts: true)) {
        $0.selfTestDeflection = deflection
      }
      try rig.start()
      let result = try require(run(rig))
      expect(result.kind, equals: .informative)
      expect(result.verdict, equals: .inconclusive)
      expect([result.x, result.y, result.z].map(\.isWithinLimits), equals: [isWithin, isWithin, isWithin])
      // 655 · 1.01^(code - 1) for the codes 102, 117 and 95.
      expect([result.x.trim, result.y.trim, result.z.trim], equals: [1_789, 2_077, 1_669])
      try expect(rig.nextSample(), equals: MPU6050Rig.force.vector)
    }
  }

  static let setups: [(part: EmulatedMPU6050.Part, configuration: MPU6050.Configuration)] = [
    (.mpu6050, MPU6050.Configuration(rate: .hz200, range: .g16, filter: .hz10)),
    (.mpu6050, MPU6050.Configuration(rate: .hz1000, gyroscope: .dps1000, fifo: MPU6050.FIFO(includesRotation: true))),
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

  private static func contents(_ rig: MPU6050Rig) throws -> [UInt8] {
    try Self.registers.flatMap { try rig.registers($0) }
  }

  @Test(arguments: setups)
  static func `after a self-test the part is as before, and continues at once`(
    _ row: (part: EmulatedMPU6050.Part, configuration: MPU6050.Configuration)
  ) throws {
    let rig = MPU6050Rig(row.part, row.configuration)
    try rig.start()
    let before = try contents(rig)
    let begun = rig.clock.now
    try expect(run(rig), isNot: nil)
    expect(rig.clock.now - begun, isBelow: .seconds(2))
    try expect(contents(rig), equals: before)
    try expect(rig.driver.sample(), equals: MPU6050Rig.force.vector)
    if row.configuration.fifo != nil {
      rig.clock.advance(by: .milliseconds(20))
      try expect(rig.driver.waiting(), equals: WaitingSamples(count: 20, followsGap: true))
    }
  }

  @Test(arguments: setups)
  static func `a fault at any transaction of a self-test is reported, and a start restores everything`(
    _ row: (part: EmulatedMPU6050.Part, configuration: MPU6050.Configuration)
  ) throws {
    let clean = MPU6050Rig(row.part, row.configuration)
    try clean.start()
    let first = clean.log.transactionCount
    _ = try run(clean)
    let transactions = first..<clean.log.transactionCount
    expect(transactions.count, isAbove: 220)
    for number in transactions {
      for effect in [.timedOut, .brownOut] as [FaultPlan.Effect] {
        let rig = MPU6050Rig(row.part, row.configuration, plan: [.init(effect, .transaction(number))])
        try rig.start()
        var result: MPU6050.SelfTest?
        let error = sensorError { () throws(SensorError) in result = try run(rig) }
        if effect == .timedOut { expect(error, equals: .bus(.timedOut)) }
        // A brown-out may go unnoticed where it costs nothing: before the part is set up for the test, or after.
        if let result { #expect(result.verdict != .failed && result.x.isWithinLimits == true) }
        if error != nil { expect(throws: SensorError.configurationLost) { try rig.driver.sample() } }
        try rig.start()
        try expect(rig.nextSample(), equals: MPU6050Rig.force.vector)
      }
    }
  }
}

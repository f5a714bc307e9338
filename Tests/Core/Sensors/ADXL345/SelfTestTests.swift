import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// A clock whose wait with a given number, counted from 0, is interrupted.
struct ImpatientClock: MonotonicClock, ~Copyable {
  var clock: VirtualClock
  var waits = 0
  var impatientAt: Int?

  var now: Instant { clock.now }

  mutating func sleep(until deadline: Instant) -> Bool {
    waits += 1
    return waits - 1 == impatientAt ? false : clock.sleep(until: deadline)
  }
}

/// How far each axis moves under the electrostatic force, and the verdict.
struct SelfTestTests {
  typealias Row = (millivolts: Int32, inPlane: ClosedRange<Int32>, upright: ClosedRange<Int32>)

  /// Tables 14 and 15 of the data sheet, multiplied by hand: X (and -Y), then Z, in LSB of 1/256 g.
  static let limits: [Row] = [
    (2_000, 32...345, 60...700), (2_500, 50...540, 75...875), (3_300, 89...955, 111...1_286),
    (3_600, 106...1_139, 127...1_478),
  ]

  @Test(arguments: limits)
  static func `the limits are those of the data sheet, rounded inwards`(_ row: Row) throws {
    let supply = try require(ADXL345.SupplyVoltage(millivolts: row.millivolts))
    let test = ADXL345.SelfTest(change: .zero, supply: supply)
    expect(test.x.weakest, equals: Q16(raw: row.inPlane.lowerBound * 256))
    expect(test.x.strongest, equals: Q16(raw: row.inPlane.upperBound * 256))
    expect(test.y.weakest, equals: Q16(raw: row.inPlane.lowerBound * -256))
    expect(test.y.strongest, equals: Q16(raw: row.inPlane.upperBound * -256))
    expect(test.z.weakest, equals: Q16(raw: row.upright.lowerBound * 256))
    expect(test.z.strongest, equals: Q16(raw: row.upright.upperBound * 256))
  }

  @Test static func `between the table's voltages the limits are interpolated`() throws {
    let corners: [(Double, Double, Double)] = [
      (2_000, 0.64, 0.8), (2_500, 1, 1), (3_300, 1.77, 1.47), (3_600, 2.11, 1.69),
    ]
    for millivolts in 2_000...3_600 as ClosedRange<Int32> {
      let supply = try require(ADXL345.SupplyVoltage(millivolts: millivolts))
      let test = ADXL345.SelfTest(change: .zero, supply: supply)
      let upper = max(1, corners.firstIndex { $0.0 >= Double(millivolts) } ?? 3)
      let (a, b) = (corners[upper - 1], corners[upper])
      let way = (Double(millivolts) - a.0) / (b.0 - a.0)
      let (inPlane, upright) = (a.1 + way * (b.1 - a.1), a.2 + way * (b.2 - a.2))
      let found = [test.x.weakest, test.x.strongest, test.z.weakest, test.z.strongest].map { Double($0.raw) / 256 }
      // Rounded inwards, plus 1e-9 for the model's arithmetic.
      for (limit, exact) in zip(found, [50 * inPlane, 540 * inPlane, 75 * upright, 875 * upright]) {
        expect(abs(limit - exact), isBelow: 1 + 1e-9)
      }
      #expect(found[0] >= 50 * inPlane - 1e-9 && found[1] <= 540 * inPlane + 1e-9)
      #expect(found[2] >= 75 * upright - 1e-9 && found[3] <= 875 * upright + 1e-9)
    }
  }

  @Test static func `a supply voltage is one that the part works with, or nil`() {
    let numbers = [Int32.min, -1, 0, 1_999, 2_000, 2_001, 3_300, 3_600, 3_601, 5_000, Int32.max]
    expect(numbers.filter { ADXL345.SupplyVoltage(millivolts: $0) != nil }, equals: [2_000, 2_001, 3_300, 3_600])
    expect(ADXL345.SupplyVoltage.volts3_3.millivolts, equals: 3_300)
  }

  @Test static func `too small or reversed a change fails, and too large a one passes beyond the limit`() {
    let rows: [(counts: Int32, verdict: ADXL345.SelfTest.Verdict)] = [
      (-4_096, .failed), (-500, .failed), (0, .failed), (88, .failed), (89, .passed), (500, .passed), (955, .passed),
      (956, .passedBeyondLimit), (4_095, .passedBeyondLimit),
    ]
    for row in rows {
      let test = ADXL345.SelfTest(change: Still(x: row.counts, y: -row.counts, z: 500).vector)
      expect(test.x.verdict, equals: row.verdict)
      expect(test.y.verdict, equals: row.verdict)
      expect(test.z.verdict, equals: .passed)
      expect(test.hasPassed, equals: row.verdict != .failed)
    }
    for (counts, verdict) in [(110, .failed), (111, .passed), (1_286, .passed), (1_287, .passedBeyondLimit)]
      as [(Int32, ADXL345.SelfTest.Verdict)]
    {
      expect(ADXL345.SelfTest(change: Still(x: 500, y: -500, z: counts).vector).z.verdict, equals: verdict)
    }
  }

  @Test static func `the part is tested at 100 Hz, 16 g and normal power, then set up as before`() throws {
    let configuration = try WireFormatTests.everything()
    let part = PlainMemory()
    let log = BusLog()
    var driver = part.driver(configuration, log: log)
    var clock = VirtualClock()
    let test = try require(driver.selfTest(clock: &clock))
    // A memory does not move.
    expect(that: !test.hasPassed)
    expect(test.x.change, equals: .zero)
    let written = log.transactions.map(\.written).filter { $0.count == 2 }
    let on = try require(written.firstIndex(of: [0x31, 0x8B]))
    expect(
      Array(written[..<on]),
      equals: [
        [0x2D, 0x00], [0x2E, 0x00], [0x2C, 0x0A], [0x31, 0x0B], [0x38, 0x00], [0x2D, 0x08],
      ])
    expect(written[on + 1], equals: [0x31, 0x0B])
    expect(log.transactions.count { $0.written == [0x31] && $0.read.first == 0x0B }, equals: 16)
    expect(log.transactions.count { $0.written == [0x31] && $0.read.first == 0x8B }, equals: 16)
    expect(part.bytes[0x2C], equals: 0x08)
    expect(part.bytes[0x31], equals: 0x29)
    expect(part.bytes[0x38], equals: 0x90)
    expect(part.bytes[0x2D], equals: 0x08)
  }

  @Test static func `an interrupted wait ends the test, with the part set up as before`() throws {
    for impatientAt in 0..<40 {
      let part = PlainMemory()
      var driver = part.driver(ADXL345.Configuration(rate: .hz400, range: .g4))
      var clock = ImpatientClock(clock: VirtualClock(), impatientAt: impatientAt)
      let test = try driver.selfTest(clock: &clock)
      expect(test == nil, equals: impatientAt < clock.waits)
      expect(part.bytes[0x2C], equals: 0x0C)
      expect(part.bytes[0x31], equals: 0x09)
      expect(part.bytes[0x2D], equals: 0x08)
      _ = try driver.sample()
    }
  }
}

/// The self-test of emulated parts that are good, weak or reversed.
struct SelfTestRunTests {
  /// A part whose self-test moves it by these LSB of 1/256 g at 2.5 V.
  private static func specimen(_ x: Int32, _ y: Int32, _ z: Int32, millivolts: Int32 = 3_300)
    -> EmulatedADXL345.Configuration
  {
    var specimen = EmulatedADXL345.Configuration()
    specimen.selfTest = Still(x: x, y: y, z: z).vector
    specimen.supplyMillivolts = millivolts
    return specimen
  }

  private static func run(
    _ specimen: EmulatedADXL345.Configuration, motion: Still = Still(x: 0, y: 0, z: 256), millivolts: Int32 = 3_300,
    _ configuration: ADXL345.Configuration = ADXL345.Configuration(), seed: UInt64 = 1
  ) throws -> ADXL345.SelfTest {
    let rig = ADXL345Rig(motion, configuration, specimen: specimen, seed: seed)
    var clock = rig.clock
    let supply = try require(ADXL345.SupplyVoltage(millivolts: millivolts))
    let test = try require(rig.driver.selfTest(supply: supply, clock: &clock))
    expect(rig.driver.transactions, equals: UInt64(rig.log.transactionCount))
    return test
  }

  @Test(
    arguments: [(2_000, 64, 80), (2_500, 100, 100), (3_300, 177, 147), (3_600, 211, 169)] as [(Int32, Int32, Int32)])
  static func `the change is measured to a fraction of a count, and a good part passes at each voltage`(
    _ row: (millivolts: Int32, percentInPlane: Int32, percentUpright: Int32)
  ) throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      let test = try run(
        specimen(200, -200, 300, millivolts: row.millivolts), millivolts: row.millivolts, seed: seed)
      expect(that: test.hasPassed)
      // The mean of 16 samples with 0.75 and 1.1 LSB of noise, twice: 0.39 LSB at most; five times that.
      expect(abs(test.x.change.raw - 2 * row.percentInPlane * 256), isAtMost: 2 * 256)
      expect(abs(test.y.change.raw + 2 * row.percentInPlane * 256), isAtMost: 2 * 256)
      expect(abs(test.z.change.raw - 3 * row.percentUpright * 256), isAtMost: 2 * 256)
    }
  }

  @Test static func `an axis that does not move, or moves the wrong way, fails, and the others do not`() throws {
    let dead = try run(specimen(0, -200, 300))
    #expect((dead.x.verdict, dead.y.verdict, dead.z.verdict) == (.failed, .passed, .passed))
    expect(that: !dead.hasPassed)
    let mirrored = try run(specimen(200, 200, 300))
    #expect((mirrored.x.verdict, mirrored.y.verdict, mirrored.z.verdict) == (.passed, .failed, .passed))
    let weak = try run(specimen(200, -200, 70))
    #expect((weak.x.verdict, weak.y.verdict, weak.z.verdict) == (.passed, .passed, .failed))
    let strong = try run(specimen(560, -200, 300))
    #expect((strong.x.verdict, strong.y.verdict, strong.z.verdict) == (.passedBeyondLimit, .passed, .passed))
    expect(that: strong.hasPassed)
  }

  @Test(arguments: [-30_000, 30_000] as [Int32])
  static func `the board's attitude, its configuration and the error of the part's clock do not matter`(
    _ partsPerMillion: Int32
  ) throws {
    var part = specimen(200, -200, 300)
    part.noise = .zero
    part.ratePartsPerMillion = partsPerMillion
    part.zeroGOffset = Still(x: 38, y: -38, z: 64).vector
    let forces = [
      Still(x: 0, y: 0, z: -256), Still(x: 256, y: 0, z: 0), Still(x: 0, y: -256, z: 0), Still(x: 147, y: 148, z: -148),
    ]
    for force in forces {
      for configuration in [ADXL345.Configuration(), try WireFormatTests.everything()] {
        let test = try run(part, motion: force, configuration)
        expect(that: test.hasPassed)
        expect(abs(test.x.change.raw - 354 * 256), isAtMost: 256)
        expect(abs(test.y.change.raw + 354 * 256), isAtMost: 256)
        expect(abs(test.z.change.raw - 441 * 256), isAtMost: 256)
      }
    }
  }

  @Test static func `the first sample after a self-test is the board's again, as configured`() throws {
    for row in ranges {
      let rig = ADXL345Rig(ADXL345Rig.force, ADXL345.Configuration(rate: .hz400, range: row.range))
      var clock = rig.clock
      try expect(rig.driver.selfTest(clock: &clock)?.hasPassed, equals: true)
      try expect(rig.driver.sample(), equals: ADXL345Rig.force.vector)
      try expect(rig.registers(0x2C, 2), equals: [0x0C, 0x08])
    }
  }

  @Test static func `an interrupted self-test leaves no force in the first sample of the next start`() throws {
    let configuration = ADXL345.Configuration(rate: .hz50, range: .g16)
    let plain = ADXL345Rig(ADXL345Rig.force, configuration)
    var clock = plain.clock
    try expect(plain.driver.selfTest(clock: &clock)?.hasPassed, equals: true)
    for transaction in 0..<plain.log.transactionCount {
      let rig = ADXL345Rig(ADXL345Rig.force, configuration, plan: [.init(.timedOut, .transaction(transaction))])
      var clock = rig.clock
      expect(throws: SensorError.bus(.timedOut)) { try rig.driver.selfTest(clock: &clock) }
      expect(throws: SensorError.configurationLost) { try rig.driver.sample() }
      try expect(rig.startAndSample(), equals: ADXL345Rig.force.vector)
      // The longer wait is requested once.
      try expect(rig.driver.start(), equals: Microseconds(41_100))
    }
    for impatientAt in 0..<30 {
      let rig = ADXL345Rig(ADXL345Rig.force, configuration)
      var clock = ImpatientClock(clock: rig.clock, impatientAt: impatientAt)
      try expect(rig.driver.selfTest(clock: &clock), equals: nil)
      rig.clock.advance(by: Microseconds(6 * 20_000 + 1_100))
      try expect(rig.driver.sample(), equals: ADXL345Rig.force.vector)
    }
  }
  @Test static func `a part whose self-test was interrupted is not adopted while its force settles`() throws {
    func brokenOff(_ rig: ADXL345Rig) throws(SensorError) {
      try rig.start()
      var clock = ImpatientClock(clock: rig.clock, impatientAt: 34)
      _ = try rig.driver.selfTest(clock: &clock)
    }
    let clean = ADXL345Rig()
    try brokenOff(clean)
    // The force is off again; the start after it fails at once.
    let failing = try require(clean.log.transactions.lastIndex { $0.written == [0x00] })
    let rig = ADXL345Rig(plan: [.init(.noAcknowledge, .transaction(failing))])
    expect(throws: SensorError.bus(.noAcknowledge)) { try brokenOff(rig) }
    // It is configured as before, to the last register.
    try expect(rig.registers(0x31), equals: [0x0B])
    try expect(rig.registers(0x2C, 2), equals: [0x0A, 0x08])
    try expect(that: !rig.adopt())
    try expect(rig.startAndSample(), equals: ADXL345Rig.force.vector)
    try expect(that: rig.adopt())
  }
}

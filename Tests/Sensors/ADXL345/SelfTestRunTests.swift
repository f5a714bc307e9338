import Emulation
import FixedPoint
import HAL
import Sensors
import Testing

/// The self-test of emulated parts that are well, weak, or wired the wrong way round.
@Suite struct SelfTestRunTests {
  /// A part whose self-test moves it so many LSB of 1/256 g at 2.5 V.
  private func specimen(_ x: Int32, _ y: Int32, _ z: Int32, millivolts: Int32 = 3_300) -> EmulatedADXL345.Configuration
  {
    var specimen = EmulatedADXL345.Configuration()
    specimen.selfTest = Still(x: x, y: y, z: z).vector
    specimen.supplyMillivolts = millivolts
    return specimen
  }

  private func run(
    _ specimen: EmulatedADXL345.Configuration, motion: Still = Still(x: 0, y: 0, z: 256), millivolts: Int32 = 3_300,
    _ configuration: ADXL345.Configuration = ADXL345.Configuration(), seed: UInt64 = 1
  ) throws -> ADXL345.SelfTest {
    let rig = Rig(motion, configuration, specimen: specimen, seed: seed)
    var clock = rig.clock
    let supply = try #require(ADXL345.SupplyVoltage(millivolts: millivolts))
    let test = try #require(try rig.driver.selfTest(supply: supply, clock: &clock))
    #expect(rig.driver.transactions == UInt64(rig.log.transactionCount))
    return test
  }

  @Test(
    arguments: [(2_000, 64, 80), (2_500, 100, 100), (3_300, 177, 147), (3_600, 211, 169)] as [(Int32, Int32, Int32)])
  func `what the force adds is measured to a fraction of a count, and a part that is well passes, at each voltage`(
    _ row: (millivolts: Int32, percentInPlane: Int32, percentUpright: Int32)
  ) throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      let test = try run(
        specimen(200, -200, 300, millivolts: row.millivolts), millivolts: row.millivolts, seed: seed)
      #expect(test.hasPassed)
      // The mean of 16 samples with 0.75 and 1.1 LSB of noise, twice: 0.39 LSB at most; 5 times that.
      #expect(abs(test.x.change.raw - 2 * row.percentInPlane * 256) <= 2 * 256)
      #expect(abs(test.y.change.raw + 2 * row.percentInPlane * 256) <= 2 * 256)
      #expect(abs(test.z.change.raw - 3 * row.percentUpright * 256) <= 2 * 256)
    }
  }

  @Test func `an axis that does not move, or moves the wrong way, fails and the others do not`() throws {
    let dead = try run(specimen(0, -200, 300))
    #expect((dead.x.verdict, dead.y.verdict, dead.z.verdict) == (.failed, .passed, .passed))
    #expect(!dead.hasPassed)
    let mirrored = try run(specimen(200, 200, 300))
    #expect((mirrored.x.verdict, mirrored.y.verdict, mirrored.z.verdict) == (.passed, .failed, .passed))
    let weak = try run(specimen(200, -200, 70))
    #expect((weak.x.verdict, weak.y.verdict, weak.z.verdict) == (.passed, .passed, .failed))
    let strong = try run(specimen(560, -200, 300))
    #expect((strong.x.verdict, strong.y.verdict, strong.z.verdict) == (.passedBeyondLimit, .passed, .passed))
    #expect(strong.hasPassed)
  }

  @Test(arguments: [-30_000, 30_000] as [Int32])
  func `it makes no difference how the board lies, how it is configured and that the part's clock is off`(
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
        #expect(test.hasPassed)
        #expect(abs(test.x.change.raw - 354 * 256) <= 256)
        #expect(abs(test.y.change.raw + 354 * 256) <= 256)
        #expect(abs(test.z.change.raw - 441 * 256) <= 256)
      }
    }
  }

  @Test func `the first sample after a self-test is one of the board again, as it was configured`() throws {
    for row in ranges {
      let rig = Rig(Rig.force, ADXL345.Configuration(rate: .hz400, range: row.range, resolution: .tenBit))
      var clock = rig.clock
      #expect(try rig.driver.selfTest(clock: &clock)?.hasPassed == true)
      #expect(try rig.driver.sample() == Rig.force.vector)
      #expect(try rig.registers(0x2C, 2) == [0x0C, 0x08])
    }
  }

  @Test func `a self-test that was broken off leaves no force in the first sample of the next start`() throws {
    let configuration = ADXL345.Configuration(rate: .hz50, range: .g16)
    let plain = Rig(Rig.force, configuration)
    var clock = plain.clock
    #expect(try plain.driver.selfTest(clock: &clock)?.hasPassed == true)
    for transaction in 0..<plain.log.transactionCount {
      let rig = Rig(Rig.force, configuration, plan: [.init(.timedOut, .transaction(transaction))])
      var clock = rig.clock
      #expect(throws: SensorError.bus(.timedOut)) { try rig.driver.selfTest(clock: &clock) }
      #expect(throws: SensorError.configurationLost) { try rig.driver.sample() }
      #expect(try rig.startAndSample() == Rig.force.vector)
      // The longer wait is asked for once.
      #expect(try rig.driver.start() == Microseconds(41_100))
    }
    for impatientAt in 0..<30 {
      let rig = Rig(Rig.force, configuration)
      var clock = ImpatientClock(clock: rig.clock, impatientAt: impatientAt)
      #expect(try rig.driver.selfTest(clock: &clock) == nil)
      rig.clock.advance(by: Microseconds(6 * 20_000 + 1_100))
      #expect(try rig.driver.sample() == Rig.force.vector)
    }
  }
}

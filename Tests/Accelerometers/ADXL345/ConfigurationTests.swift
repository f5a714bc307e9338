import Accelerometers
import Emulation
import FixedPoint
import HAL
import Testing

/// What `start()` does to a part, seen from behind the driver.
@Suite struct ConfigurationTests {
  static let all: [ADXL345.Configuration] = rates.flatMap { rate in
    ranges.map { ADXL345.Configuration(rate: rate.rate, range: $0.range) }
  }

  @Test(arguments: all)
  func `every rate and range reaches the registers, whatever they held before`(
    _ configuration: ADXL345.Configuration
  ) throws {
    let rig = Rig(Rig.force, configuration)
    for register: UInt8 in [0x1E, 0x1F, 0x20, 0x2C, 0x2D, 0x2E, 0x2F, 0x31, 0x38] { try rig.write([register, 0xFF]) }
    _ = try rig.driver.start()
    #expect(try rig.registers(0x1E, 3) == [0, 0, 0])
    #expect(try rig.registers(0x2C, 3) == [configuration.rate.rawValue, 0x08, 0x00])
    #expect(try rig.registers(0x31) == [0x08 | configuration.range.rawValue])
    #expect(try rig.registers(0x38) == [0x00])
  }

  @Test(arguments: all)
  func `the first sample is there after the time that start gives`(_ configuration: ADXL345.Configuration) throws {
    let rig = Rig(Rig.force, configuration)
    let wait = try rig.driver.start()
    #expect(wait == configuration.rate.period * 2 + Microseconds(1_100))
    rig.clock.advance(by: wait)
    #expect(try rig.driver.sample() == Rig.force.vector)
    #expect(rig.part.sampleCount == 2)
  }

  @Test func `a driver touches nothing until it is started`() {
    let rig = Rig()
    #expect(rig.log.transactionCount == 0)
    #expect(rig.driver.transactions == 0)
  }

  @Test func `the default is 100 Hz and 16 g at the usual address`() {
    let rig = Rig()
    #expect(rig.driver.configuration == ADXL345.Configuration(rate: .hz100, range: .g16))
    #expect(rig.driver.address == EmulatedADXL345.address)
  }

  @Test func `a part at the other address is reached there and nowhere else`() throws {
    let rig = Rig(at: ADXL345.alternateAddress)
    #expect(try rig.startAndSample() == Rig.force.vector)
    #expect(rig.log.transactions.allSatisfy { $0.address == EmulatedADXL345.alternateAddress })
  }

  @Test func `every transaction is counted, those of start as those of samples`() throws {
    let rig = Rig()
    rig.clock.advance(by: try rig.driver.start())
    #expect(rig.driver.transactions == UInt64(rig.log.transactionCount))
    let before = rig.log.transactionCount
    for _ in 0..<100 {
      rig.clock.advance(by: .milliseconds(10))
      #expect(try rig.driver.sample() == Rig.force.vector)
    }
    #expect(rig.log.transactionCount == before + 100)
    #expect(rig.driver.transactions == UInt64(before) + 100)
    #expect(rig.log.transactions.dropFirst(before).allSatisfy { $0.written == [0x31] && $0.read.count == 7 })
  }

  @Test func `a started part can be started again with the same outcome`() throws {
    let rig = Rig()
    #expect(try rig.startAndSample() == Rig.force.vector)
    #expect(try rig.startAndSample() == Rig.force.vector)
  }

  @Test(arguments: ranges)
  func `full scale is one count short of the range`(
    _ row: (code: UInt8, range: ADXL345.Range, g: Int32, lowest: Int32, highest: Int32)
  ) {
    let rig = Rig(Rig.force, ADXL345.Configuration(range: row.range))
    #expect(rig.driver.fullScale == Q16(raw: row.g * 65_536 - 256))
  }
}

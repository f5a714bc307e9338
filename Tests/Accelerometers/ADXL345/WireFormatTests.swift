import Accelerometers
import Emulation
import FixedPoint
import HAL
import Testing

/// The bytes on the wire, pinned once; what they do is for the other suites.
@Suite struct WireFormatTests {
  @Test func `start configures the part with exactly these bytes`() throws {
    let address = ADXL345.address
    let script = BusScript([
      .writeRead([0x00], reply: [0xE5], at: address),
      .write([0x2D, 0x00], to: address),
      .write([0x1E, 0x00, 0x00, 0x00], to: address),
      .write([0x2C, 0x09], to: address),
      .write([0x2E, 0x00], to: address),
      .write([0x31, 0x0A], to: address),
      .write([0x38, 0x00], to: address),
      .writeRead([0x1E], reply: [0x00, 0x00, 0x00], at: address),
      .writeRead([0x2C], reply: [0x09, 0x00, 0x00, 0xFF, 0x83, 0x0A], at: address),
      .writeRead([0x38], reply: [0x00], at: address),
      .write([0x2D, 0x08], to: address),
      .writeRead([0x2D], reply: [0x08], at: address),
    ])
    var driver = ADXL345.Device(
      bus: ScriptedBus(script), configuration: ADXL345.Configuration(rate: .hz50, range: .g8))
    #expect(try driver.start() == Microseconds(41_100))
    #expect(script.mismatches == [])
    #expect(script.leftovers == [])
    #expect(driver.transactions == 12)
  }

  @Test func `a sample is one burst of seven bytes from DATA_FORMAT on`() throws {
    let script = BusScript([
      .writeRead([0x31], reply: [0x0B, 0x34, 0x02, 0xCC, 0xFD, 0x00, 0x01], at: ADXL345.alternateAddress)
    ])
    var driver = ADXL345.Device(bus: ScriptedBus(script), address: ADXL345.alternateAddress)
    // 0x0234 = 564, 0xFDCC = -564 and 0x0100 = 256 counts of 1/256 g.
    #expect(try driver.sample() == Still(x: 564, y: -564, z: 256).vector)
    #expect(script.mismatches == [])
    #expect(script.leftovers == [])
    #expect(driver.transactions == 1)
  }

  @Test func `the addresses are those of the data sheet`() {
    #expect(ADXL345.address.rawValue == 0x53)
    #expect(ADXL345.alternateAddress.rawValue == 0x1D)
    #expect(ADXL345.identity == 0xE5)
  }
}

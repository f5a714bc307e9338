import Accelerometers
import FixedPoint
import Testing

@Suite struct FieldTests {
  @Test(arguments: UInt8.min...UInt8.max)
  func `BW_RATE survives decoding and encoding, or is refused for a bit that must be 0`(_ byte: UInt8) {
    let field = ADXL345.RateField(decoding: byte)
    // D7, D6 and D5 are 0 in the data sheet.
    #expect((field == nil) == (byte > 0x1F))
    if let field {
      #expect(field.encoded == byte)
      #expect(field.rate == rates[Int(byte & 0x0F)].rate)
      #expect(field.isLowPower == (byte >= 0x10))
    }
  }

  @Test(arguments: UInt8.min...UInt8.max)
  func `DATA_FORMAT survives decoding and encoding, or is refused for a bit that must be 0`(_ byte: UInt8) {
    let field = ADXL345.DataFormatField(decoding: byte)
    #expect((field == nil) == (byte & 0b0001_0000 != 0))
    if let field {
      #expect(field.encoded == byte)
      #expect(field.range == ranges[Int(byte & 0b0000_0011)].range)
      #expect(field.isLeftJustified == (byte & 0b0000_0100 != 0))
      #expect(field.isFullResolution == (byte & 0b0000_1000 != 0))
      #expect(field.invertsInterrupts == (byte & 0b0010_0000 != 0))
      #expect(field.isThreeWireSPI == (byte & 0b0100_0000 != 0))
      #expect(field.selfTests == (byte & 0b1000_0000 != 0))
    }
  }

  @Test(arguments: rates)
  func `a rate has its code and its period, rounded up to a microsecond`(
    _ row: (code: UInt8, rate: ADXL345.OutputDataRate, hertz: Double)
  ) {
    #expect(row.rate.rawValue == row.code)
    #expect(ADXL345.RateField(rate: row.rate).encoded == row.code)
    #expect(row.rate.period == Microseconds(Int64((1_000_000 / row.hertz).rounded(.up))))
  }

  @Test func `a rate in hertz is one that a 400 kHz bus can follow, or none`() {
    let numbers = Array(-10...4_000) + [Int32.min, Int32.max]
    let found = numbers.filter { ADXL345.OutputDataRate(hertz: $0) != nil }
    #expect(found == [25, 50, 100, 200, 400, 800])
    for row in rates where found.contains(Int32(row.hertz)) {
      #expect(ADXL345.OutputDataRate(hertz: Int32(row.hertz)) == row.rate)
    }
  }

  @Test func `a range in g is one of four, or none`() {
    let numbers = Array(-10...100) + [Int32.min, Int32.max]
    #expect(numbers.filter { ADXL345.Range(g: $0) != nil } == [2, 4, 8, 16])
    for row in ranges {
      #expect(ADXL345.Range(g: row.g) == row.range)
      #expect(row.range.rawValue == row.code)
      #expect(Int32(row.range.maximum) == row.highest)
    }
  }
}

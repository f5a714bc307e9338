import FixedPoint
import Sensors
import TestSupport
import Testing

/// Register fields over all bytes, and data words over all values.
struct LSM6DSFieldTests {
  @Test static func `every byte of CTRL1_XL decodes to a field that encodes to it, or has no rate that I2C can follow`()
  {
    for byte: UInt8 in 0...255 {
      let field = LSM6DS.AccelerometerField(decoding: byte)
      expect(field?.encoded, equals: byte < 0x90 ? byte : nil)
      guard let field else { continue }
      expect(field.rate, equals: LSM6DSFacts.rates.first { $0.code == byte >> 4 }?.rate)
      expect(field.filter, equals: byte & 3)
      expect(field.range, equals: LSM6DSFacts.ranges.first { $0.code == byte >> 2 & 3 }?.range)
    }
  }

  @Test static func `every byte of CTRL2_G decodes to a field that encodes to it, or has no rate or one range`() {
    for byte: UInt8 in 0...255 {
      let range = LSM6DSFacts.gyroscopeRanges.first { $0.code == byte & 0x0F }?.range
      let field = LSM6DS.GyroscopeField(decoding: byte)
      expect(field?.encoded, equals: byte < 0x90 && range != nil ? byte : nil)
      if let field { #expect(field.range == range && field.rate?.rawValue ?? 0 == byte >> 4) }
    }
  }

  @Test static func `every byte of CTRL3_C decodes to a field that encodes to it, or has bits that are never set`() {
    for byte: UInt8 in 0...255 {
      let field = InterfaceField(decoding: byte)
      expect(field?.encoded, equals: byte & 0b1001_1010 == 0 ? byte : nil)
      guard let field else { continue }
      expect(field.updatesInBlocks, equals: byte & 0x40 != 0)
      expect(field.isActiveLow, equals: byte & 0x20 != 0)
      expect(field.increments, equals: byte & 0x04 != 0)
      expect(field.resets, equals: byte & 0x01 != 0)
    }
  }

  @Test static func `the status of the FIFO is decoded for each layout, over all pairs of bytes`() {
    for low: UInt8 in 0...255 {
      for high: UInt8 in 0...255 {
        let bytes: InlineArray<4, UInt8> = [low, high, 5, 0xFC | high & 3]
        let old = LSM6DS.FIFOStatus(bytes, of: .lsm6ds3)
        expect(old.words, equals: Int(high & 0x0F) << 8 | Int(low))
        expect(old.isFull, equals: high & 0x60 != 0)
        expect(old.position, equals: Int(high & 3) << 8 | 5)
        expect(LSM6DS.FIFOStatus(bytes, of: .lsm6dsl).words, equals: Int(high & 0x07) << 8 | Int(low))
        for part in [LSM6DS.Part.lsm6dso, .ism330dhcx] {
          let tagged = LSM6DS.FIFOStatus(bytes, of: part)
          expect(tagged.words, equals: Int(high & 0x03) << 8 | Int(low))
          expect(tagged.position, equals: 0)
          expect(tagged.isFull, equals: high & 0x68 != 0)
        }
      }
    }
  }

  @Test(arguments: LSM6DSFacts.ranges)
  static func `every word converts to the nearest force`(
    _ row: (code: UInt8, range: LSM6DS.Range, g: Int32, milliG: Double)
  ) {
    for word in Int16.min...Int16.max {
      let exact = Double(word) * row.milliG * 65.536
      expect(abs(Double(LSM6DS.force(word, range: row.range).raw) - exact), isAtMost: 0.51, "\(word)")
    }
    expect(LSM6DS.Range(g: row.g), equals: row.range)
    expect(LSM6DS.Range(g: row.g + 1), equals: nil)
  }

  @Test(arguments: LSM6DSFacts.gyroscopeRanges)
  static func `every word converts to the nearest rate of rotation`(
    _ row: (code: UInt8, range: LSM6DS.GyroscopeRange, dps: Int32, unit: Double)
  ) {
    for word in Int16.min...Int16.max {
      let exact = Double(word) * row.unit * 65.536
      expect(abs(Double(LSM6DS.rotation(word, range: row.range).raw) - exact), isAtMost: 0.54, "\(word)")
    }
    expect(row.range.degreesPerSecond, equals: row.dps)
    expect(LSM6DS.GyroscopeRange(degreesPerSecond: row.dps), equals: row.range)
    expect(LSM6DS.GyroscopeRange(degreesPerSecond: row.dps + 1), equals: nil)
  }

  @Test static func `a temperature word is 25 °C at 0, and 16 or 256 LSB per degree by part`() {
    for word in Int16.min...Int16.max {
      expect(LSM6DS.temperature(word, of: .lsm6ds3).raw, equals: 1_638_400 + Int32(word) * 4_096)
      for part in [LSM6DS.Part.lsm6dsl, .lsm6dso, .ism330dhcx] {
        expect(LSM6DS.temperature(word, of: part).raw, equals: 1_638_400 + Int32(word) * 256)
      }
    }
  }

  @Test static func `the lowest sufficient rate is chosen, for every wish`() {
    let millihertz: [Int32] = [12_500, 26_000, 52_000, 104_000, 208_000, 416_000, 833_000, 1_666_000]
    for wish in Array(stride(from: Int32(1), through: 1_700_000, by: 37)) + millihertz + millihertz.map({ $0 + 1 }) {
      let expected = zip(millihertz, LSM6DSFacts.rates).first { $0.0 >= wish }?.1.rate
      expect(LSM6DS.OutputDataRate(atLeastMillihertz: wish), equals: expected, "\(wish)")
    }
    expect(LSM6DS.OutputDataRate(atLeastMillihertz: 0), equals: nil)
    expect(LSM6DS.OutputDataRate(atLeastMillihertz: -1), equals: nil)
    for row in LSM6DSFacts.rates { #expect(row.rate.period.count == row.period && row.rate.rawValue == row.code) }
  }
}

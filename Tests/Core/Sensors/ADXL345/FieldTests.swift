import FixedPoint
import Sensors
import TestSupport
import Testing

struct FieldTests {
  @Test(arguments: UInt8.min...UInt8.max)
  static func `BW_RATE survives decoding and encoding, or is rejected for a bit that must be 0`(_ byte: UInt8) {
    let field = ADXL345.RateField(decoding: byte)
    // D7, D6 and D5 are 0 in the data sheet.
    expect(field == nil, equals: byte > 0x1F)
    if let field {
      expect(field.encoded, equals: byte)
      expect(field.rate, equals: rates[Int(byte & 0x0F)].rate)
      expect(field.isLowPower, equals: byte >= 0x10)
    }
  }

  @Test(arguments: UInt8.min...UInt8.max)
  static func `DATA_FORMAT survives decoding and encoding, or is rejected for a bit that must be 0`(_ byte: UInt8) {
    let field = ADXL345.DataFormatField(decoding: byte)
    expect(field == nil, equals: byte & 0b0001_0000 != 0)
    if let field {
      expect(field.encoded, equals: byte)
      expect(field.range, equals: ranges[Int(byte & 0b0000_0011)].range)
      expect(field.isLeftJustified, equals: byte & 0b0000_0100 != 0)
      expect(field.isFullResolution, equals: byte & 0b0000_1000 != 0)
      expect(field.invertsInterrupts, equals: byte & 0b0010_0000 != 0)
      expect(field.isThreeWireSPI, equals: byte & 0b0100_0000 != 0)
      expect(field.selfTests, equals: byte & 0b1000_0000 != 0)
    }
  }

  @Test(arguments: UInt8.min...UInt8.max)
  static func `FIFO_CTL survives decoding and encoding`(_ byte: UInt8) {
    let field = ADXL345.FIFOControlField(decoding: byte)
    expect(field.encoded, equals: byte)
    expect(field.mode, equals: [.bypass, .fifo, .stream, .trigger][Int(byte / 64)])
    expect(field.triggersOnInterrupt2, equals: byte & 0b0010_0000 != 0)
    expect(field.samples, equals: byte % 32)
  }

  @Test(arguments: UInt8.min...UInt8.max)
  static func `FIFO_STATUS survives decoding and encoding, or is rejected for too many entries`(_ byte: UInt8) {
    let field = ADXL345.FIFOStatusField(decoding: byte)
    let entries = byte % 128
    expect(field == nil, equals: entries > 32)
    if let field {
      expect(field.encoded, equals: byte)
      expect(field.entries, equals: entries)
      expect(field.hasTriggered, equals: byte >= 0x80)
    }
  }

  @Test(arguments: UInt8.min...UInt8.max)
  static func `ACT_INACT_CTL survives decoding and encoding`(_ byte: UInt8) {
    let field = ADXL345.ActivityField(decoding: byte)
    expect(field.encoded, equals: byte)
    expect(field.activity.isRelative, equals: byte & 0b1000_0000 != 0)
    expect(field.activity.axes, equals: axes(byte / 16))
    expect(field.inactivity.isRelative, equals: byte & 0b0000_1000 != 0)
    expect(field.inactivity.axes, equals: axes(byte))
  }

  @Test(arguments: UInt8.min...UInt8.max)
  static func `TAP_AXES survives decoding and encoding, or is rejected for a bit that must be 0`(_ byte: UInt8) {
    let field = ADXL345.TapAxesField(decoding: byte)
    expect(field == nil, equals: byte > 0x0F)
    if let field {
      expect(field.encoded, equals: byte)
      expect(field.isSuppressed, equals: byte & 0b0000_1000 != 0)
      expect(field.axes, equals: axes(byte))
    }
  }

  @Test(arguments: UInt8.min...UInt8.max)
  static func `ACT_TAP_STATUS survives decoding and encoding, or is rejected for a bit that must be 0`(_ byte: UInt8) {
    let field = ADXL345.TapStatusField(decoding: byte)
    expect(field == nil, equals: byte > 0x7F)
    if let field {
      expect(field.encoded, equals: byte)
      expect(field.activityAxes, equals: axes(byte / 16))
      expect(field.isAsleep, equals: byte & 0b0000_1000 != 0)
      expect(field.tapAxes, equals: axes(byte))
    }
  }

  @Test(arguments: UInt8.min...UInt8.max)
  static func `the events of INT_SOURCE are sets of eight`(_ byte: UInt8) {
    // D7 to D0 of the data sheet.
    let each: [ADXL345.Events] = [
      .dataReady, .singleTap, .doubleTap, .activity, .inactivity, .freeFall, .watermark, .overrun,
    ]
    let events = ADXL345.Events(rawValue: byte)
    for (index, event) in each.enumerated() {
      let isIn = byte & (0x80 >> UInt8(index)) != 0
      expect(events.contains(event), equals: isIn)
      expect(that: events.union(event).contains(event))
      expect(events.intersection(event), equals: isIn ? event : .none)
    }
    expect(events.isEmpty, equals: byte == 0)
    expect(events.intersection(.conditions).rawValue, equals: byte & 0b1000_0011)
  }

  @Test(arguments: rates)
  static func `a rate has its code and its period, rounded up to a microsecond`(
    _ row: (code: UInt8, rate: ADXL345.OutputDataRate, hertz: Double)
  ) {
    expect(row.rate.rawValue, equals: row.code)
    expect(ADXL345.RateField(rate: row.rate).encoded, equals: row.code)
    expect(row.rate.period, equals: Microseconds(Int64((1_000_000 / row.hertz).rounded(.up))))
  }

  @Test static func `a range in g is one of four, or nil`() {
    let numbers = Array(-10...100) + [Int32.min, Int32.max]
    expect(numbers.filter { ADXL345.Range(g: $0) != nil }, equals: [2, 4, 8, 16])
    for row in ranges {
      expect(ADXL345.Range(g: row.g), equals: row.range)
      expect(row.range.rawValue, equals: row.code)
      expect(Int32(row.range.maximum), equals: row.highest)
    }
  }

  @Test static func `a FIFO level is 1 to 31, or nil, or the nearest of these`() {
    let numbers = Array(-10...300) + [Int32.min, Int32.max]
    for number in numbers {
      let nearest = ADXL345.FIFO.Level(nearest: number)
      let isLevel = (1...31).contains(number)
      expect(ADXL345.FIFO.Level(number), equals: isLevel ? nearest : nil)
      expect(Int32(nearest.rawValue), equals: number < 1 ? 1 : number > 31 ? 31 : number)
    }
  }

  /// Bits 2, 1 and 0 are X, Y and Z.
  private static func axes(_ byte: UInt8) -> ADXL345.Axes {
    ADXL345.Axes(x: byte & 0b100 != 0, y: byte & 0b010 != 0, z: byte & 0b001 != 0)
  }
}

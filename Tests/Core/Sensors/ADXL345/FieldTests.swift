import FixedPoint
import Sensors
import Testing

@Suite struct FieldTests {
  @Test(arguments: UInt8.min...UInt8.max)
  func `BW_RATE survives decoding and encoding, or is rejected for a bit that must be 0`(_ byte: UInt8) {
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
  func `DATA_FORMAT survives decoding and encoding, or is rejected for a bit that must be 0`(_ byte: UInt8) {
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

  @Test(arguments: UInt8.min...UInt8.max)
  func `FIFO_CTL survives decoding and encoding`(_ byte: UInt8) {
    let field = ADXL345.FIFOControlField(decoding: byte)
    #expect(field.encoded == byte)
    #expect(field.mode == [.bypass, .fifo, .stream, .trigger][Int(byte / 64)])
    #expect(field.triggersOnInterrupt2 == (byte & 0b0010_0000 != 0))
    #expect(field.samples == byte % 32)
  }

  @Test(arguments: UInt8.min...UInt8.max)
  func `FIFO_STATUS survives decoding and encoding, or is rejected for too many entries`(_ byte: UInt8) {
    let field = ADXL345.FIFOStatusField(decoding: byte)
    let entries = byte % 128
    #expect((field == nil) == (entries > 32))
    if let field {
      #expect(field.encoded == byte)
      #expect(field.entries == entries)
      #expect(field.hasTriggered == (byte >= 0x80))
    }
  }

  @Test(arguments: UInt8.min...UInt8.max)
  func `ACT_INACT_CTL survives decoding and encoding`(_ byte: UInt8) {
    let field = ADXL345.ActivityField(decoding: byte)
    #expect(field.encoded == byte)
    #expect(field.activity.isRelative == (byte & 0b1000_0000 != 0))
    #expect(field.activity.axes == axes(byte / 16))
    #expect(field.inactivity.isRelative == (byte & 0b0000_1000 != 0))
    #expect(field.inactivity.axes == axes(byte))
  }

  @Test(arguments: UInt8.min...UInt8.max)
  func `TAP_AXES survives decoding and encoding, or is rejected for a bit that must be 0`(_ byte: UInt8) {
    let field = ADXL345.TapAxesField(decoding: byte)
    #expect((field == nil) == (byte > 0x0F))
    if let field {
      #expect(field.encoded == byte)
      #expect(field.isSuppressed == (byte & 0b0000_1000 != 0))
      #expect(field.axes == axes(byte))
    }
  }

  @Test(arguments: UInt8.min...UInt8.max)
  func `ACT_TAP_STATUS survives decoding and encoding, or is rejected for a bit that must be 0`(_ byte: UInt8) {
    let field = ADXL345.TapStatusField(decoding: byte)
    #expect((field == nil) == (byte > 0x7F))
    if let field {
      #expect(field.encoded == byte)
      #expect(field.activityAxes == axes(byte / 16))
      #expect(field.isAsleep == (byte & 0b0000_1000 != 0))
      #expect(field.tapAxes == axes(byte))
    }
  }

  @Test(arguments: UInt8.min...UInt8.max)
  func `the events of INT_SOURCE are sets of eight`(_ byte: UInt8) {
    // D7 to D0 of the data sheet.
    let each: [ADXL345.Events] = [
      .dataReady, .singleTap, .doubleTap, .activity, .inactivity, .freeFall, .watermark, .overrun,
    ]
    let events = ADXL345.Events(rawValue: byte)
    for (index, event) in each.enumerated() {
      let isIn = byte & (0x80 >> UInt8(index)) != 0
      #expect(events.contains(event) == isIn)
      #expect(events.union(event).contains(event))
      #expect(events.intersection(event) == (isIn ? event : .none))
    }
    #expect(events.isEmpty == (byte == 0))
    #expect(events.intersection(.conditions).rawValue == byte & 0b1000_0011)
  }

  @Test(arguments: rates)
  func `a rate has its code and its period, rounded up to a microsecond`(
    _ row: (code: UInt8, rate: ADXL345.OutputDataRate, hertz: Double)
  ) {
    #expect(row.rate.rawValue == row.code)
    #expect(ADXL345.RateField(rate: row.rate).encoded == row.code)
    #expect(row.rate.period == Microseconds(Int64((1_000_000 / row.hertz).rounded(.up))))
  }

  @Test func `a range in g is one of four, or nil`() {
    let numbers = Array(-10...100) + [Int32.min, Int32.max]
    #expect(numbers.filter { ADXL345.Range(g: $0) != nil } == [2, 4, 8, 16])
    for row in ranges {
      #expect(ADXL345.Range(g: row.g) == row.range)
      #expect(row.range.rawValue == row.code)
      #expect(Int32(row.range.maximum) == row.highest)
    }
  }

  @Test func `a FIFO level is 1 to 31, or nil, or the nearest of these`() {
    let numbers = Array(-10...300) + [Int32.min, Int32.max]
    for number in numbers {
      let nearest = ADXL345.FIFO.Level(nearest: number)
      let isLevel = (1...31).contains(number)
      #expect(ADXL345.FIFO.Level(number) == (isLevel ? nearest : nil))
      #expect(Int32(nearest.rawValue) == (number < 1 ? 1 : number > 31 ? 31 : number))
    }
  }

  /// Bits 2, 1 and 0 are X, Y and Z.
  private func axes(_ byte: UInt8) -> ADXL345.Axes {
    ADXL345.Axes(x: byte & 0b100 != 0, y: byte & 0b010 != 0, z: byte & 0b001 != 0)
  }
}

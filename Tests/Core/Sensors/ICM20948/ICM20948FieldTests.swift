import FixedPoint
import Sensors
import TestSupport
import Testing

/// Fields over all bytes, and the rates.
struct ICM20948FieldTests {
  @Test(arguments: UInt8.min...UInt8.max)
  static func `every byte is decoded to a field that encodes to the same byte, or refused`(_ byte: UInt8) {
    expect(ICM20948.Bank(decoding: byte)?.encoded, equals: ([0x00, 0x10, 0x20, 0x30].contains(byte) ? byte : nil))
    // 5:3 filter, never 0; 2:1 range; bit 0 set.
    let isScale = byte < 0x40 && byte % 2 == 1 && byte >= 0x08
    let scale = ICM20948.ScaleField(decoding: byte)
    expect(scale?.encoded, equals: isScale ? byte : nil)
    expect(scale.map { Int($0.filter.rawValue) * 8 + Int($0.range) * 2 + 1 }, equals: isScale ? Int(byte) : nil)
    let sources = ICM20948.SourcesField(decoding: byte)
    expect(sources?.encoded, equals: byte < 0x20 ? byte : nil)
    expect(that: sources.map { $0.accelerometer == (byte >= 0x10) && $0.temperature == (byte % 2 == 1) } ?? true)
  }

  @Test static func `the ranges are stored as four bits that tell all combinations apart`() {
    var bytes: Set<UInt8> = []
    for range in ICM20948Facts.ranges {
      for gyroscope in ICM20948Facts.gyroscopeRanges {
        for fifo in [false, true] {
          let field = ICM20948.OverflowField(fifo: fifo, range: range.range, gyroscope: gyroscope.range)
          expect(field.encoded, equals: gyroscope.code * 8 + range.code * 2 + (fifo ? 1 : 0))
          bytes.insert(field.encoded)
        }
        let off = ICM20948.OverflowField(fifo: false, range: range.range, gyroscope: nil)
        expect(off.encoded, equals: range.code * 2)
      }
    }
    expect(bytes.count, equals: 32)
  }

  @Test static func `a rate is the lowest of 1125/n Hz that is at least as high`() {
    for millihertz in (1...1_125).map({ $0 * 1_000 }) + [4_395, 4_394, 102_273, 102_272, 1_124_999] as [Int32] {
      let rates = (1...256).map { 1_125_000 / Double($0) }
      let expected = rates.lastIndex { $0 >= Double(millihertz) }.map { UInt8($0) }
      expect(ICM20948.SampleRate(atLeastMillihertz: millihertz)?.divider, equals: expected, "\(millihertz)")
    }
    for millihertz in [Int32.min, -1, 0, 1_125_001, .max] {
      expect(ICM20948.SampleRate(atLeastMillihertz: millihertz), equals: nil)
    }
  }

  @Test(arguments: UInt8.min...UInt8.max)
  static func `a period is rounded to the nearest microsecond`(_ divider: UInt8) {
    let exact = (Double(divider) + 1) * 1_000_000 / 1_125
    expect(abs(Double(ICM20948.SampleRate(divider: divider).period.count) - exact), isAtMost: 0.5)
  }

  /// Bits on the wire: a read of n bytes has 9 · (3 + n) + 3.
  @Test(arguments: [10_000, 50_000, 100_000, 400_000, 1_000_000] as [UInt32])
  static func `a rate is refused if the bus cannot carry it, and the highest is named`(_ busHertz: UInt32) {
    func bits(_ bytes: Double) -> Double { 9 * (3 + bytes) + 3 }
    let whole = ICM20948.FIFO(includesTemperature: true, includesRotation: true, longestBurst: 240)
    for (gyroscope, fifo, needed) in [
      (nil, nil, bits(6) + bits(3)), (.dps250, nil, bits(14) + bits(3)),
      (.dps250, whole, ((bits(238) + bits(2) + bits(13)) / 17).rounded(.up)),
      (nil, .init(), ((bits(30) + bits(2) + bits(13)) / 5).rounded(.up)),
    ] as [(ICM20948.GyroscopeRange?, ICM20948.FIFO?, Double)] {
      let part = (1...256).first { needed * 1_125 / Double($0) <= Double(busHertz) }
      let highest = part.map { 1_125 / $0 } ?? 0
      for divider in UInt8.min...UInt8.max {
        let configuration = ICM20948.Configuration(
          rate: .init(divider: divider), gyroscope: gyroscope, fifo: fifo)
        let error = sensorError { () throws(SensorError) in try configuration.check(against: busHertz) }
        let fits = Int(divider) + 1 >= part ?? 999
        expect(error, equals: (fits ? nil : .rateTooHigh(busHertz: busHertz, highestHertz: UInt32(highest))))
      }
      // What the error names is possible.
      if let rate = ICM20948.SampleRate(atLeastMillihertz: Int32(highest) * 1_000) {
        let configuration = ICM20948.Configuration(rate: rate, gyroscope: gyroscope, fifo: fifo)
        expect(sensorError { () throws(SensorError) in try configuration.check(against: busHertz) }, equals: nil)
      }
    }
    expect(sensorError { () throws(SensorError) in try ICM20948.Configuration().check(against: nil) }, equals: nil)
    expect(
      sensorError { () throws(SensorError) in try ICM20948.Configuration().check(against: 0) },
      equals: .rateTooHigh(busHertz: 0, highestHertz: 0))
  }
}

import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

struct SamplingTests {
  /// Turn-on times of the data sheet in microseconds, 1/ODR + 1.1 ms rounded down.
  static let turnOn: [(code: UInt8, microseconds: Int64)] = [
    (0xF, 1_412), (0xE, 1_725), (0xD, 2_350), (0xC, 3_600), (0xB, 6_100), (0xA, 11_100), (0x9, 21_100), (0x8, 41_100),
    (0x7, 81_100), (0x6, 161_100), (0x5, 321_100), (0x4, 641_100), (0x3, 1_281_100), (0x2, 2_561_100),
    (0x1, 5_121_100), (0x0, 10_241_100),
  ]

  @Test(arguments: turnOn)
  static func `the first sample comes one period and 1.1 ms after Measure and not before`(
    _ row: (code: UInt8, microseconds: Int64)
  ) throws {
    let bench = ADXL345Bench()
    bench.clock.advance(by: .seconds(3))
    try bench.write(0x2C, row.code)
    try bench.write(0x2D, 0x08)
    bench.clock.advance(by: Microseconds(row.microseconds - 1))
    try expect(bench.read(0x30), equals: [0x02])
    try expect(bench.counts(), equals: [0, 0, 0])
    bench.clock.advance(by: Microseconds(1))
    try expect(bench.read(0x30), equals: [0x82])
    try expect(bench.counts(), equals: [0, 0, 256])
  }

  @Test(arguments: 0...15)
  static func `the output data rate is 0.09765625 Hz times a power of two`(_ code: Int) throws {
    let bench = ADXL345Bench()
    try bench.write(0x2C, UInt8(code))
    try bench.write(0x2D, 0x08)
    bench.clock.advance(by: Microseconds(1_100 + 100 * 10_240_000))
    _ = try bench.read(0x00)
    expect(bench.device.sampleCount, equals: 100 << UInt64(code))
  }

  @Test static func `in standby the data stay zero, however long it lasts`() throws {
    let bench = ADXL345Bench()
    bench.clock.advance(by: .seconds(100))
    try expect(bench.read(0x30, 8), equals: [0x02, 0, 0, 0, 0, 0, 0, 0])
  }

  @Test static func `back in standby the last sample stays, and Measure starts again`() throws {
    let bench = ADXL345Bench(Ramp(microsecondsPerCount: 1_000))
    try bench.start()
    try expect(bench.counts()[0], equals: 11)
    try bench.write(0x2D, 0x00)
    bench.clock.advance(by: .seconds(1))
    try expect(bench.counts()[0], equals: 11)
    try bench.write(0x2D, 0x08)
    bench.clock.advance(by: Microseconds(11_099))
    try expect(bench.counts()[0], equals: 11)
    bench.clock.advance(by: Microseconds(1))
    try expect(bench.counts()[0], equals: 1_022)
  }

  @Test static func `a sample is the motion at its tick and is held until the next`() throws {
    let bench = ADXL345Bench(Ramp(microsecondsPerCount: 100))
    try bench.start()
    for step in 0..<300 {
      // Ticks at 11.1, 21.1, 31.1 … ms.
      try expect(bench.counts()[0], equals: 111 + step / 10 * 100)
      bench.clock.advance(by: .milliseconds(1))
    }
  }

  @Test static func `a read of data clears data ready, and a read of the status does not`() throws {
    let bench = ADXL345Bench()
    try bench.start()
    try expect(bench.read(0x30), equals: [0x82])
    try expect(bench.read(0x30), equals: [0x82])
    _ = try bench.read(0x32, 6)
    try expect(bench.read(0x30), equals: [0x02])
    bench.clock.advance(by: .milliseconds(10))
    try expect(bench.read(0x30), equals: [0x82])
  }

  @Test(arguments: 0x32...0x37)
  static func `reading any one byte of data clears data ready`(_ register: Int) throws {
    let bench = ADXL345Bench()
    try bench.start()
    _ = try bench.read(UInt8(register))
    try expect(bench.read(0x30), equals: [0x02])
  }

  @Test static func `overrun means that an unread sample was replaced`() throws {
    let bench = ADXL345Bench()
    try bench.start()
    _ = try bench.counts()
    bench.clock.advance(by: .milliseconds(10))
    try expect(bench.read(0x30), equals: [0x82])
    bench.clock.advance(by: .milliseconds(10))
    try expect(bench.read(0x30), equals: [0x83])
    try expect(bench.read(0x30), equals: [0x83])
    _ = try bench.counts()
    try expect(bench.read(0x30), equals: [0x02])
    bench.clock.advance(by: .milliseconds(20))
    try expect(bench.read(0x30), equals: [0x83])
  }

  @Test static func `a burst from the rate to the data shows the status of the sample that it reads`() throws {
    let bench = ADXL345Bench()
    try bench.start()
    try expect(bench.read(0x2C, 12), equals: [0x0A, 0x08, 0, 0, 0x82, 0x0B, 0, 0, 0, 0, 0, 1])
    try expect(bench.read(0x2C, 12), equals: [0x0A, 0x08, 0, 0, 0x02, 0x0B, 0, 0, 0, 0, 0, 1])
  }

  @Test static func `reading the status clears its event bits and no others`() throws {
    // Free fall after 5 ms, and nothing else.
    let bench = ADXL345Bench(Spans(spans: [(0, 30_000, Constant())]))
    try bench.write(0x28, 0x07, 0x01)
    try bench.write(0x2E, 0x04)
    try bench.start()
    bench.clock.advance(by: .milliseconds(25))
    try expect(bench.read(0x30), equals: [0x87])
    try expect(bench.read(0x30), equals: [0x83])
  }

  @Test static func `the watermark bit is set while the watermark is 0`() throws {
    let bench = ADXL345Bench()
    try bench.write(0x38, 0x10)
    try expect(bench.read(0x30), equals: [0x00])
    try bench.write(0x38, 0x00)
    try expect(bench.read(0x30), equals: [0x02])
  }

  @Test static func `another rate starts a new period, and the same rate does not`() throws {
    let bench = ADXL345Bench(Ramp(microsecondsPerCount: 100))
    try bench.start()
    bench.clock.advance(by: .milliseconds(5))
    try bench.write(0x2C, 0x0A)
    bench.clock.advance(by: .milliseconds(5))
    try expect(bench.counts()[0], equals: 211)
    bench.clock.advance(by: .milliseconds(5))
    try bench.write(0x2C, 0x09)
    bench.clock.advance(by: Microseconds(19_999))
    try expect(bench.counts()[0], equals: 211)
    bench.clock.advance(by: Microseconds(1))
    try expect(bench.counts()[0], equals: 461)
  }

  @Test static func `another rate does not shorten the turn-on time`() throws {
    let bench = ADXL345Bench()
    try bench.write(0x2D, 0x08)
    bench.clock.advance(by: Microseconds(500))
    try bench.write(0x2C, 0x0D)
    bench.clock.advance(by: Microseconds(1_849))
    try expect(bench.read(0x30), equals: [0x02])
    bench.clock.advance(by: Microseconds(1))
    try expect(bench.read(0x30), equals: [0x82])
  }

  @Test(arguments: [(0, 1_000), (30_000, 1_030), (-50_000, 950), (500_000, 1_500)])
  static func `a sample clock can run fast or slow`(_ partsPerMillion: Int32, _ samples: UInt64) throws {
    var configuration = EmulatedADXL345.Configuration.quiet
    configuration.ratePartsPerMillion = partsPerMillion
    let bench = ADXL345Bench(Constant(), configuration)
    try bench.write(0x2D, 0x08)
    bench.clock.advance(by: Microseconds(10_001_200))
    _ = try bench.read(0x00)
    expect(bench.device.sampleCount, equals: samples)
  }

  @Test static func `another motion can begin at any moment`() throws {
    let bench = ADXL345Bench(Constant(x: 65_536))
    try bench.start()
    try expect(bench.counts(), equals: [256, 0, 0])
    bench.device.play(Ramp(microsecondsPerCount: 1_000))
    bench.clock.advance(by: .milliseconds(10))
    try expect(bench.counts(), equals: [10, 0, 0])
  }
}

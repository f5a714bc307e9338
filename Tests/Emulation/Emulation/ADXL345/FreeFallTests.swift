import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

struct FreeFallTests {
  /// 0.4375 g (THRESH_FF 7), 100 ms (TIME_FF 0x14: 320 readings); 1 g on Z except during the falls.
  static func bench(
    _ falls: [(first: Int, count: Int)], force: Constant = Constant(), threshold: UInt8 = 0x07, time: UInt8 = 0x14
  ) throws -> ADXL345Bench {
    let bench = ADXL345Bench(Spans(spans: falls.map { Spans.steps($0.first, $0.count, force) }))
    try bench.write(0x28, threshold, time)
    try bench.write(0x2E, 0x04)
    try bench.write(0x2D, 0x08)
    return bench
  }

  static func events(_ bench: ADXL345Bench, _ readings: Int = 1_000) throws -> [Int] {
    try (1...readings).filter { number in
      bench.clock.advance(to: Instant(microseconds: Step.instant(number)))
      return try bench.byte(0x30) & 0x7C == 0x04
    }
  }

  @Test(arguments: [(320, []), (321, [420]), (640, [420]), (641, [420, 740])])
  static func `a fall is reported after TIME_FF, and every TIME_FF again`(_ count: Int, _ events: [Int]) throws {
    try expect(Self.events(Self.bench([(100, count)])), equals: events)
  }

  @Test(arguments: [(1, 16), (2, 32), (0x46, 1_120)])
  static func `TIME_FF counts 5 ms`(_ time: UInt8, _ readings: Int) throws {
    try expect(Self.events(Self.bench([(100, 1_200)], time: time), 1_300).first, equals: 100 + readings)
  }

  @Test(arguments: [(28_671, true), (-28_671, true), (28_672, false), (-28_672, false)] as [(Int32, Bool)])
  static func `all three axes must be below the threshold`(_ force: Int32, _ falls: Bool) throws {
    for force in [Constant(x: force), Constant(y: force), Constant(z: force)] {
      try expect(Self.events(Self.bench([(100, 400)], force: force)).isEmpty, equals: !falls)
    }
  }

  @Test static func `an interruption of one reading restarts the time`() throws {
    let bench = ADXL345Bench(
      Spans(spans: [Spans.steps(300, 1, Constant(y: 65_536)), Spans.steps(100, 600, Constant())]))
    try bench.write(0x28, 0x07, 0x14)
    try bench.write(0x2E, 0x04)
    try bench.write(0x2D, 0x08)
    try expect(Self.events(bench), equals: [621])
  }

  @Test static func `standby, another register and another INT_ENABLE restart the time`() throws {
    for writes: [[UInt8]] in [
      [[0x2D, 0x00], [0x2D, 0x08]], [[0x28, 0x07]], [[0x29, 0x14]], [[0x2E, 0x00], [0x2E, 0x04]],
    ] {
      let bench = try Self.bench([(100, 400)])
      try expect(Self.events(bench, 300), equals: [])
      for bytes in writes { try bench.write(bytes) }
      bench.clock.advance(by: .seconds(1))
      try expect(bench.byte(0x30) & 0x04, equals: 0, "\(writes)")
    }
  }

  @Test static func `it works at any output data rate, even between samples`() throws {
    // 1.28 s between samples, and a fall between two of them.
    let bench = try Self.bench([(100, 400)])
    try bench.write(0x2C, 0x03)
    try expect(Self.events(bench), equals: [420])
    expect(bench.device.sampleCount, equals: 0)
  }

  @Test static func `without its bit in INT_ENABLE nothing is found; a set bit stays until it is read`() throws {
    let bench = try Self.bench([(100, 400)])
    try bench.write(0x2E, 0x7B)
    bench.clock.advance(by: .milliseconds(300))
    try expect(bench.byte(0x30) & 0x04, equals: 0)
    let other = try Self.bench([(100, 400)])
    other.clock.advance(by: .milliseconds(200))
    try other.write(0x2E, 0x00)
    try expect(other.byte(0x30) & 0x04, equals: 0x04)
    try expect(other.byte(0x30) & 0x04, equals: 0)
  }

  @Test static func `undecimated readings have the noise of 3200 Hz`() throws {
    // 0.75 LSB · √32 on X: 16.6 mg. With the axis at the threshold, half of the readings are below it.
    for (enabled, expected) in [(true, 500...1_500), (false, 0...0)] {
      var configuration = EmulatedADXL345.Configuration()
      if !enabled { configuration.noise = .zero }
      let bench = ADXL345Bench(Constant(x: 28_672), configuration)
      try bench.write(0x28, 0x07, 0x00)
      try bench.write(0x2E, 0x04)
      try bench.write(0x2D, 0x08)
      try expect(expected, contains: Self.events(bench, 2_000).count)
    }
    // 50 mg above the threshold, three standard deviations, almost none is.
    let bench = ADXL345Bench(Constant(x: 28_672 + 3_277))
    try bench.write(0x28, 0x07, 0x00)
    try bench.write(0x2E, 0x04)
    try bench.write(0x2D, 0x08)
    try expect(empty: Self.events(bench, 2_000))
    var configuration = EmulatedADXL345.Configuration()
    configuration.noise.x = Q16(raw: 192)
    let noisy = ADXL345Bench(Constant(x: 28_672 + 2 * 1_086), configuration)
    try noisy.write(0x28, 0x07, 0x00)
    try noisy.write(0x2E, 0x04)
    try noisy.write(0x2D, 0x08)
    // Two standard deviations: 2.3 %, which is 91 ± 38 of 4000 readings.
    try expect(Self.events(noisy, 4_000).count, isIn: 53...129)
  }
}

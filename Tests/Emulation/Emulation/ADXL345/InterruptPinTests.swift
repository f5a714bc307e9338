import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

struct InterruptPinTests {
  /// The calls of a listener.
  final class Log {
    var lines: [String] = []
    func listen(to bench: ADXL345Bench) {
      bench.device.onPinChange = { [unowned self] pin, isHigh, instant in
        lines.append("\(pin == .int1 ? "INT1" : "INT2") \(isHigh ? "high" : "low") \(instant.microseconds)")
      }
    }
  }

  static func start(_ bench: ADXL345Bench, enable: UInt8, map: UInt8 = 0, format: UInt8 = 0x0B) throws {
    try bench.write(0x2F, map)
    try bench.write(0x31, format)
    try bench.write(0x2E, enable)
    try bench.write(0x2D, 0x08)
  }

  @Test static func `both pins are low after power-up, whatever INT_SOURCE says`() throws {
    let bench = ADXL345Bench()
    try expect(bench.byte(0x30), equals: 0x02)
    expect(that: !bench.device.isINT1High)
    expect(that: !bench.device.isINT2High)
  }

  @Test(
    arguments: [
      (0x80, 0x00, true, false), (0x80, 0x80, false, true), (0x00, 0x00, false, false), (0x80, 0x7F, true, false),
    ] as [(UInt8, UInt8, Bool, Bool)])
  static func `data ready drives the pin that INT_MAP selects, if enabled`(
    _ enable: UInt8, _ map: UInt8, _ int1: Bool, _ int2: Bool
  ) throws {
    let bench = ADXL345Bench()
    try Self.start(bench, enable: enable, map: map)
    bench.clock.advance(by: Microseconds(11_099))
    expect(that: !bench.device.isINT1High)
    expect(that: !bench.device.isINT2High)
    bench.clock.advance(by: Microseconds(1))
    expect(bench.device.isINT1High, equals: int1)
    expect(bench.device.isINT2High, equals: int2)
    _ = try bench.byte(0x30)
    expect(bench.device.isINT1High, equals: int1)
    expect(bench.device.isINT2High, equals: int2)
    _ = try bench.counts()
    expect(that: !bench.device.isINT1High)
    expect(that: !bench.device.isINT2High)
  }

  @Test static func `INT_INVERT inverts both pins`() throws {
    let bench = ADXL345Bench()
    try Self.start(bench, enable: 0x80, format: 0x2B)
    expect(that: bench.device.isINT1High)
    expect(that: bench.device.isINT2High)
    bench.clock.advance(by: .milliseconds(12))
    expect(that: !bench.device.isINT1High)
    expect(that: bench.device.isINT2High)
    try bench.write(0x31, 0x0B)
    expect(that: bench.device.isINT1High)
    expect(that: !bench.device.isINT2High)
  }

  @Test static func `a pin is the OR of the events mapped to it`() throws {
    // Watermark 3 and data ready: one remains when the other has gone.
    let bench = ADXL345Bench()
    try bench.write(0x38, 0x83)
    try Self.start(bench, enable: 0x83, map: 0x80)
    bench.clock.advance(by: .milliseconds(42))
    expect(that: bench.device.isINT1High)
    expect(that: bench.device.isINT2High)
    _ = try bench.counts()
    expect(that: !bench.device.isINT1High)
    expect(that: bench.device.isINT2High)
    for _ in 0..<3 { _ = try bench.counts() }
    expect(that: !bench.device.isINT1High)
    expect(that: !bench.device.isINT2High)
    bench.clock.advance(by: .milliseconds(330))
    expect(that: bench.device.isINT1High)
  }

  @Test static func `status bits are set whether or not they are mapped and enabled`() throws {
    let bench = ADXL345Bench()
    try Self.start(bench, enable: 0x00, map: 0xFF)
    bench.clock.advance(by: .milliseconds(22))
    try expect(bench.byte(0x30), equals: 0x83)
    expect(that: !bench.device.isINT1High)
    expect(that: !bench.device.isINT2High)
  }

  @Test static func `enabling an interrupt whose condition holds drives the pin at once`() throws {
    let bench = ADXL345Bench()
    let log = Log()
    log.listen(to: bench)
    try bench.start()
    try bench.write(0x2E, 0x80)
    try bench.write(0x2F, 0x80)
    try bench.write(0x2E, 0x00)
    expect(log.lines, equals: ["INT1 high 11100", "INT1 low 11100", "INT2 high 11100", "INT2 low 11100"])
  }

  @Test static func `an event stays on the pin until INT_SOURCE is read`() throws {
    let bench = ADXL345Bench(Spans(spans: [(0, 30_000, Constant())]))
    try bench.write(0x28, 0x07, 0x01)
    try Self.start(bench, enable: 0x04, map: 0x04)
    bench.clock.advance(by: .milliseconds(50))
    expect(that: bench.device.isINT2High)
    _ = try bench.counts()
    expect(that: bench.device.isINT2High)
    try expect(bench.byte(0x30) & 0x04, equals: 0x04)
    expect(that: !bench.device.isINT2High)
  }

  @Test static func `events can be set without a motion, as if they had been found`() throws {
    let bench = ADXL345Bench()
    try Self.start(bench, enable: 0x10, map: 0x10)
    bench.device.latchEvents(0xFF)
    expect(that: bench.device.isINT2High)
    expect(that: !bench.device.isINT1High)
    try expect(bench.byte(0x30), equals: 0x7E)
    try expect(bench.byte(0x30), equals: 0x02)
    expect(that: !bench.device.isINT2High)
  }

  @Test(arguments: [1, 7, 60])
  static func `a listener gets every change with its own instant, however rarely the part is read`(_ looks: Int) throws
  {
    let bench = ADXL345Bench()
    let log = Log()
    log.listen(to: bench)
    try bench.write(0x38, 0x84)
    try Self.start(bench, enable: 0x83, map: 0x01)
    for _ in 0..<(420 / looks) {
      bench.clock.advance(by: .milliseconds(1) * Int64(looks))
      bench.device.catchUp()
    }
    // Data ready with sample 1 on INT1, which the watermark then joins; Overrun with sample 33.
    expect(log.lines, equals: ["INT1 high 11100", "INT2 high 331100"])
    _ = try bench.counts()
    expect(log.lines.last, equals: "INT2 low 420000")
  }

  @Test static func `in bypass mode overrun has the instant of the second sample`() throws {
    let bench = ADXL345Bench()
    let log = Log()
    log.listen(to: bench)
    try Self.start(bench, enable: 0x81, map: 0x01)
    bench.clock.advance(by: .seconds(5))
    bench.device.catchUp()
    expect(log.lines, equals: ["INT1 high 11100", "INT2 high 21100"])
  }

  @Test static func `a listener can read the part, and be removed`() throws {
    let bench = ADXL345Bench()
    var seen: [UInt64] = []
    bench.device.onPinChange = { [unowned device = bench.device] _, isHigh, _ in
      if isHigh && device.isINT1High { seen.append(device.sampleCount) }
    }
    try Self.start(bench, enable: 0x80)
    bench.clock.advance(by: .milliseconds(12))
    _ = try bench.counts()
    expect(seen, equals: [1])
    bench.device.onPinChange = nil
    bench.clock.advance(by: .milliseconds(12))
    _ = try bench.counts()
    expect(seen, equals: [1])
  }

  @Test static func `a power cycle releases both pins`() throws {
    let bench = ADXL345Bench()
    let log = Log()
    try Self.start(bench, enable: 0x80, format: 0x2B)
    bench.clock.advance(by: .milliseconds(12))
    bench.device.catchUp()
    log.listen(to: bench)
    bench.device.powerCycle()
    expect(log.lines, equals: ["INT2 low 12000"])
    expect(that: !bench.device.isINT1High)
    expect(that: !bench.device.isINT2High)
  }

  @Test(arguments: 1...20)
  static func `pins always follow from the four registers`(_ seed: UInt64) throws {
    var dice = Dice(seed)
    let starts = (0..<50).map { (index) -> Int64 in index * 90_000 }
    let bench = ADXL345Bench(Spans(spans: starts.map { ($0, $0 + 30_000, Constant()) }))
    let log = Log()
    try bench.write(0x28, 0x07, 0x01)
    try bench.write(0x2D, 0x08)
    log.listen(to: bench)
    for _ in 0..<400 {
      switch dice.roll(8) {
      case 0: try bench.write(0x2E, UInt8(dice.roll(256)))
      case 1: try bench.write(0x2F, UInt8(dice.roll(256)))
      case 2: try bench.write(0x31, dice.roll(2) == 0 ? 0x0B : 0x2B)
      case 3: try bench.write(0x38, [0x00, 0x45, 0x85][dice.roll(3)])
      case 4: _ = try bench.counts()
      default: bench.clock.advance(by: .milliseconds(Int64(dice.roll(25))))
      }
      bench.device.catchUp()
      let levels = (bench.device.isINT1High, bench.device.isINT2High)
      let enable = try bench.byte(0x2E)
      let map = try bench.byte(0x2F)
      let isLow = try bench.byte(0x31) & 0x20 != 0
      let source = try bench.byte(0x30)
      let (first, second) = (source & enable & ~map, source & enable & map)
      expect(levels.0, equals: (first != 0) != isLow)
      expect(levels.1, equals: (second != 0) != isLow)
      for (name, level) in [("INT1", bench.device.isINT1High), ("INT2", bench.device.isINT2High)] {
        let last = log.lines.last { $0.hasPrefix(name) }
        expect(last?.contains("high") ?? false, equals: level, "the last change told")
      }
    }
  }
}

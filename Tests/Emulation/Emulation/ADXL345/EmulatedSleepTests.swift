import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

struct EmulatedSleepTests {
  /// X counts milliseconds.
  static let ramp = Ramp(microsecondsPerCount: 1_000)

  @Test(arguments: [(0, 125), (1, 250), (2, 500), (3, 1_000)] as [(UInt8, Int)])
  static func `asleep the data come at the wake-up rate, and are not ready`(_ code: UInt8, _ period: Int) throws {
    let bench = ADXL345Bench(Self.ramp)
    try bench.write(0x31, 0x0B)
    try bench.write(0x2E, 0x80)
    try bench.write(0x2D, 0x0C | code)
    for millisecond in 1...3_500 {
      bench.clock.advance(by: .milliseconds(1))
      try expect(bench.counts()[0], equals: millisecond / period * period)
      try expect(bench.byte(0x30), equals: 0x02)
    }
    expect(that: !bench.device.isINT1High)
    try expect(bench.byte(0x2B), equals: 0, "it did not put itself to sleep")
  }

  @Test(arguments: [0x00, 0x44, 0x84, 0xC4] as [UInt8])
  static func `asleep nothing goes into the FIFO`(_ control: UInt8) throws {
    let bench = ADXL345Bench(Self.ramp)
    try bench.write(0x38, control)
    try bench.start()
    bench.clock.advance(by: .milliseconds(20))
    let before = try bench.byte(0x39)
    try bench.write(0x2D, 0x0C)
    bench.clock.advance(by: .seconds(2))
    try expect(bench.byte(0x39), equals: before)
    // Waiting samples are read first; in bypass mode the data registers follow.
    try expect(bench.counts()[0], equals: control == 0 ? 2_031 : 11)
    if control != 0 {
      try expect(bench.counts()[0], equals: 21)
      try expect(bench.counts()[0], equals: 31)
      bench.clock.advance(by: .milliseconds(125))
      try expect(bench.counts()[0], equals: 2_156)
    }
    try expect(bench.byte(0x30) & 0x80, equals: 0)
  }

  @Test static func `awake again, samples come after the turn-on time`() throws {
    let bench = ADXL345Bench(Self.ramp)
    try bench.write(0x31, 0x0B)
    try bench.write(0x2D, 0x0F)
    bench.clock.advance(by: .milliseconds(500))
    try bench.write(0x2D, 0x0C)
    bench.clock.advance(by: .milliseconds(130))
    try expect(bench.counts()[0], equals: 625, "another wake-up rate begins anew")
    try bench.write(0x2D, 0x08)
    bench.clock.advance(by: Microseconds(11_099))
    try expect(bench.read(0x30), equals: [0x02])
    bench.clock.advance(by: Microseconds(1))
    try expect(bench.read(0x30), equals: [0x82])
    try expect(bench.counts()[0], equals: 641)
  }

  @Test static func `asleep activity is found at the wake-up rate, and nothing else is`() throws {
    let spans = Spans(spans: [
      (1_010_000, 1_100_000, Constant(x: 131_072)), (2_100_000, 2_300_000, Constant(x: 131_072)),
      (3_000_000, .max, Constant()),
    ])
    let bench = ADXL345Bench(spans)
    try bench.write(0x1D, 0x10)
    try bench.write(0x21, 0xFF, 0x00, 0x00, 0x18, 0x10, 0x01, 0x77, 0x07, 0x01, 0x07)
    try bench.write(0x2E, 0x7C)
    try bench.write(0x2D, 0x0C)
    // Between the readings at 1.000 and 1.125 s; longer than that at 2.125 s.
    try expect(ActivityTests.events(bench, 6_000), equals: ["16 2125", "16 2250"])
    try expect(bench.byte(0x2B), equals: 0x40)
  }

  @Test static func `asleep activity is found however rarely the part is read`() throws {
    let bench = ADXL345Bench(Spans(base: Constant(), spans: [(2_100_000, 2_150_000, Constant(x: 131_072))]))
    try bench.write(0x24, 0x18, 0x10, 0x01, 0x77)
    try bench.write(0x2E, 0x10)
    try bench.write(0x2D, 0x0C)
    bench.clock.advance(by: .seconds(6))
    try expect(bench.byte(0x30), equals: 0x12)
  }

  @Test static func `a ready sample stays ready, and is overrun by the first one asleep`() throws {
    let bench = ADXL345Bench(Self.ramp)
    try bench.start()
    try bench.write(0x2D, 0x0C)
    bench.clock.advance(by: .milliseconds(124))
    try expect(bench.byte(0x30), equals: 0x82)
    bench.clock.advance(by: .milliseconds(1))
    try expect(bench.byte(0x30), equals: 0x83)
    try expect(bench.counts()[0], equals: 136)
    try expect(bench.byte(0x30), equals: 0x02)
  }

  @Test static func `frozen data repeat the last sample, even one made asleep`() throws {
    let bench = ADXL345Bench(Self.ramp, plan: [.init(.frozenData, .during(.milliseconds(300) ..< .milliseconds(600)))])
    try bench.write(0x31, 0x0B)
    try bench.write(0x2D, 0x0C)
    bench.clock.advance(by: .milliseconds(250))
    try expect(bench.counts()[0], equals: 250)
    bench.clock.advance(by: .milliseconds(250))
    try expect(bench.counts()[0], equals: 250)
    bench.clock.advance(by: .milliseconds(250))
    try expect(bench.counts()[0], equals: 750)
  }

  /// Activity above 0.5 g, inactivity below 0.25 g for 1 s, dc, X only; knocks of 1 g with their start and end in
  /// milliseconds.
  static func bench(_ knocks: [(from: Int64, to: Int64)], power: UInt8 = 0x38, enable: UInt8 = 0x18) throws
    -> ADXL345Bench
  {
    let bench = ADXL345Bench(Spans(spans: knocks.map { ($0.from * 1_000, $0.to * 1_000, Constant(x: 65_536)) }))
    try bench.write(0x24, 8, 4, 1, 0x44)
    try bench.write(0x2E, enable)
    try bench.write(0x2D, power)
    return bench
  }

  /// The milliseconds at which the Asleep bit changed.
  static func changes(_ bench: ADXL345Bench, _ milliseconds: Int) throws -> [Int] {
    var isAsleep = false
    return try (1...milliseconds).filter { _ in
      bench.clock.advance(by: .milliseconds(1))
      _ = try bench.byte(0x30)
      defer { isAsleep = (try? bench.byte(0x2B) & 0x08 != 0) ?? isAsleep }
      return try (bench.byte(0x2B) & 0x08 != 0) != isAsleep
    }
  }

  @Test static func `with link and AUTO_SLEEP it sleeps from inactivity to activity`() throws {
    let bench = try Self.bench([(1_500, 1_700)])
    // Inactive at 1011.1 ms, with readings every 125 ms from then on: the one at 1511.1 ms sees the knock. Awake,
    // samples come after 11.1 ms; inactive again 1 s after the sample at 1702.2 ms.
    try expect(Self.changes(bench, 3_000), equals: [1_012, 1_512, 2_703])
  }

  @Test static func `asleep and awake it has the respective rate`() throws {
    let bench = try Self.bench([(1_500, 1_700)])
    bench.clock.advance(by: Microseconds(1_011_100))
    try expect(bench.byte(0x30) & 0x08, equals: 0x08)
    let before = bench.device.sampleCount
    expect(before, equals: 101)
    bench.clock.advance(by: .milliseconds(500))
    try expect(bench.byte(0x30) & 0x10, equals: 0x10)
    expect(bench.device.sampleCount, equals: before + 4)
    bench.clock.advance(by: Microseconds(101_100))
    _ = try bench.byte(0x30)
    expect(bench.device.sampleCount, equals: before + 14)
  }

  @Test(arguments: [(0x28, 0x18), (0x18, 0x18), (0x38, 0x10)] as [(UInt8, UInt8)])
  static func `without link, AUTO_SLEEP or inactivity it stays awake`(_ power: UInt8, _ enable: UInt8) throws {
    try expect(Self.changes(Self.bench([], power: power, enable: enable), 3_000), equals: [])
  }

  @Test static func `without activity it wakes only by a new POWER_CTL`() throws {
    let bench = try Self.bench([(1_500, 1_900)], enable: 0x08)
    try expect(Self.changes(bench, 3_000), equals: [1_012])
    try bench.write(0x2D, 0x28)
    try expect(bench.byte(0x2B) & 0x08, equals: 0)
    let before = bench.device.sampleCount
    bench.clock.advance(by: Microseconds(101_100))
    _ = try bench.byte(0x2B)
    expect(bench.device.sampleCount, equals: before + 10)
  }

  @Test static func `while an activity is unread it stays awake`() throws {
    let bench = try Self.bench([(1_200, 1_300)])
    bench.clock.advance(by: .milliseconds(1_100))
    try expect(bench.byte(0x2B) & 0x08, equals: 0x08)
    bench.clock.advance(by: .milliseconds(2_000))
    try expect(bench.byte(0x2B), equals: 0x40, "awake, and inactive again for long")
    try expect(bench.byte(0x30) & 0x18, equals: 0x18)
    try expect(bench.byte(0x2B), equals: 0x48)
  }

  @Test static func `ac-coupled, it wakes when its position differs from that when it fell asleep`() throws {
    // Turned at 1050 ms, between the sample at 1011.1 ms and the first reading asleep, 1136.1 ms.
    let bench = try Self.bench([(1_050, 100_000)])
    try bench.write(0x27, 0xCC)
    try expect(Self.changes(bench, 1_500), equals: [1_012, 1_137])
  }

  @Test static func `standby and a power cycle end the sleep`() throws {
    let bench = try Self.bench([])
    bench.clock.advance(by: .milliseconds(1_100))
    try expect(bench.byte(0x2B), equals: 0x08)
    try bench.write(0x2D, 0x30)
    try expect(bench.byte(0x2B), equals: 0)
    let before = bench.device.sampleCount
    bench.clock.advance(by: .seconds(10))
    _ = try bench.byte(0x2B)
    expect(bench.device.sampleCount, equals: before)
    try bench.write(0x2D, 0x38)
    bench.clock.advance(by: .milliseconds(1_000))
    try expect(bench.byte(0x2B), equals: 0)
    bench.clock.advance(by: .milliseconds(100))
    try expect(bench.byte(0x2B), equals: 0x08)
    bench.device.powerCycle()
    try expect(bench.byte(0x2B), equals: 0)
  }

  @Test static func `a jump of a day costs at most ten minutes of detection, and loses no samples`() throws {
    let bench = try Self.bench([(1_500, 1_700), (86_390_000, 86_390_500)], power: 0x28)
    var events: [Int64] = []
    bench.device.onPinChange = { _, isHigh, instant in if isHigh { events.append(instant.microseconds) } }
    try bench.write(0x2E, 0x10)
    bench.clock.advance(by: .seconds(86_400))
    bench.device.catchUp()
    expect(bench.device.sampleCount, equals: 8_639_999)
    expect(events.count, equals: 1)
    expect(all: events) { (86_390_000_000..<86_390_001_000).contains($0) }
  }
}

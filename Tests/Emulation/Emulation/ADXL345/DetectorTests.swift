import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

/// Interactions of several detectors, or of them with the rest of the part.
struct DetectorTests {
  @Test static func `the axes of activity and those of taps are independent`() throws {
    for knocks in [(100, 300), (300, 100)] {
      let bench = ADXL345Bench(
        Spans(
          base: Constant(),
          spans: [
            Spans.steps(knocks.0, 5, Constant(x: 400_000)), Spans.steps(knocks.1, 40, Constant(y: 100_000)),
          ]))
      // Taps above 3 g on X, activity above 1 g on Y alone.
      try bench.write(0x1D, 0x30)
      try bench.write(0x21, 0x10)
      try bench.write(0x24, 0x10, 0, 0, 0x20)
      try bench.write(0x2A, 0x07)
      try bench.write(0x2E, 0x50)
      try bench.write(0x2D, 0x08)
      bench.clock.advance(by: .milliseconds(200))
      try expect(bench.byte(0x2B), equals: 0x24)
      try expect(bench.byte(0x30) & 0x7C, equals: 0x50)
    }
  }

  @Test static func `another INT_ENABLE restarts activity and inactivity`() throws {
    // Turned at 500 ms; ac-coupled.
    let bench = try ActivityTests.bench(
      Spans(spans: [(500_000, .max, Constant(x: 65_536))]), enable: 0x10, control: 0xFF, time: 1)
    bench.clock.advance(by: .milliseconds(600))
    try expect(bench.byte(0x30) & 0x10, equals: 0x10)
    try bench.write(0x2E, 0x00)
    _ = try bench.byte(0x30)
    try bench.write(0x2E, 0x18)
    try expect(ActivityTests.events(bench, 1_100), equals: ["8 1002"])
    try expect(ActivityTests.events(bench, 900), equals: [])
    try bench.write(0x2E, 0x10)
    try bench.write(0x2E, 0x18)
    try expect(ActivityTests.events(bench, 1_100), equals: ["8 1002"])
  }

  @Test static func `inactivity also uses samples that a full FIFO drops`() throws {
    let spans = Spans(base: Constant(), spans: [(1_800_000, 1_900_000, Constant(x: 65_536))])
    for control: UInt8 in [0x00, 0x5F, 0x9F] {
      let bench = ADXL345Bench(spans)
      try bench.write(0x38, control)
      try bench.write(0x24, 8, 4, 1, 0x07)
      try bench.write(0x2E, 0x08)
      try bench.write(0x2D, 0x08)
      try expect(ActivityTests.events(bench, 3_000), equals: ["8 1012", "8 2902"])
    }
  }

  @Test static func `undecimated readings have their own noise`() throws {
    // At 3200 Hz each reading has a sample at the same instant: both are below the threshold on X only half of the
    // time.
    var configuration = EmulatedADXL345.Configuration()
    configuration.noise = Vector3(x: Q16(raw: 192), y: .zero, z: .zero)
    let bench = ADXL345Bench(Constant(x: 28_672), configuration)
    try bench.write(0x28, 0x07, 0x00)
    try bench.write(0x2C, 0x0F)
    try bench.write(0x31, 0x0B)
    try bench.write(0x2E, 0x04)
    try bench.write(0x2D, 0x08)
    let agreeing = try (1...2_000).filter { number in
      bench.clock.advance(to: Instant(microseconds: Step.instant(number)))
      return try (bench.byte(0x30) & 0x04 != 0) == (bench.counts()[0] < 112)
    }
    expect(agreeing.count, isIn: 880...1_120)
  }

  /// When INT1 went high, in microseconds, after checks at `first` and 700 s later.
  static func rises(_ bench: ADXL345Bench, first: Int64) throws -> [Int64] {
    var rises: [Int64] = []
    bench.device.onPinChange = { _, isHigh, instant in if isHigh { rises.append(instant.microseconds) } }
    bench.clock.advance(to: Instant(microseconds: first))
    bench.device.catchUp()
    bench.clock.advance(by: .seconds(700))
    bench.device.catchUp()
    return rises
  }

  @Test static func `after a jump of more than ten minutes detection restarts`() throws {
    // The jump ends at 100 s plus the state before it: in the latency of a tap, 60 ms into a fall, 50 s at rest.
    let first: Int64 = 50_000_000
    let landing = first + 100_000_000
    let tap = ADXL345Bench(
      Spans(base: Constant(), spans: [first - 20_000, landing + 10_000].map { ($0, $0 + 5_000, TapTests.knock) }))
    try tap.write(0x1D, 0x30)
    try tap.write(0x21, 0x10, 0x10, 0xFF)
    try tap.write(0x2A, 0x07)
    try tap.write(0x2E, 0x20)
    try tap.write(0x2D, 0x08)
    try expect(Self.rises(tap, first: first), equals: [])

    let fall = ADXL345Bench(Spans(spans: [first - 60_000, landing - 1_000].map { ($0, $0 + 61_000, Constant()) }))
    try fall.write(0x28, 0x07, 0x14)
    try fall.write(0x2E, 0x04)
    try fall.write(0x2D, 0x08)
    try expect(Self.rises(fall, first: first), equals: [])

    let rest = try ActivityTests.bench(Constant(), enable: 0x08, control: 0x07, time: 120)
    let rises = try Self.rises(rest, first: first)
    expect(rises.count, equals: 1)
    expect(all: rises) { (landing + 120_000_000...landing + 120_010_000).contains($0) }
  }

  @Test static func `after a power cycle the part is as new`() throws {
    let used = try EmulatedSleepTests.bench([], power: 0x38)
    try used.write(0x2C, 0x1F)
    try used.write(0x31, 0x2F)
    try used.write(0x38, 0xDF)
    used.clock.advance(by: .seconds(3))
    used.device.latchEvents(0x6C)
    try expect(used.byte(0x2B), equals: 0x08)
    try used.write(0x31, 0xAF)
    used.clock.advance(by: .seconds(3))
    _ = try used.byte(0x00)
    used.device.powerCycle()
    let new = ADXL345Bench()
    try expect(used.read(0x00, 0x40), equals: new.read(0x00, 0x40))
    for bench in [used, new] {
      try bench.write(0x2D, 0x08)
      bench.clock.advance(by: Microseconds(11_100))
    }
    try expect(used.read(0x00, 0x40), equals: new.read(0x00, 0x40))
  }

  @Test static func `a power cycle clears the axes of events and the noise of another rate`() throws {
    let bench = try ActivityTests.bench(Constant(x: 65_536), enable: 0x10, control: 0x70)
    bench.clock.advance(by: .milliseconds(20))
    try expect(bench.byte(0x2B), equals: 0x40)
    bench.device.powerCycle()
    try expect(bench.byte(0x2B), equals: 0)

    let noisy = ADXL345Bench(Constant(), EmulatedADXL345.Configuration())
    try noisy.write(0x2C, 0x0F)
    noisy.device.powerCycle()
    try noisy.start()
    let counts = try (0..<1_000).map { _ in
      noisy.clock.advance(by: .milliseconds(10))
      return try Double(noisy.counts()[0])
    }
    expect(moments(counts).deviation, isBelow: 1)
  }
}

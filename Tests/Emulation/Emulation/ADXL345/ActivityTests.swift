import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

struct ActivityTests {
  static let activity: UInt8 = 0x10
  static let inactivity: UInt8 = 0x08

  /// THRESH_ACT 8 (0.5 g), THRESH_INACT 4 (0.25 g), TIME_INACT 2 s; measuring at 100 Hz.
  static func bench(
    _ motion: any Motion, enable: UInt8, control: UInt8, power: UInt8 = 0x08, time: UInt8 = 2
  ) throws -> ADXL345Bench {
    let bench = ADXL345Bench(motion)
    try bench.write(0x24, 8, 4, time, control)
    try bench.write(0x2E, enable)
    try bench.write(0x2D, power)
    return bench
  }

  /// The event bits of INT_SOURCE after each of `milliseconds` milliseconds, if any, read each time.
  static func events(_ bench: ADXL345Bench, _ milliseconds: Int) throws -> [String] {
    try (1...milliseconds).compactMap { millisecond in
      bench.clock.advance(by: .milliseconds(1))
      let bits = try bench.byte(0x30) & 0x7C
      return bits == 0 ? nil : "\(bits) \(millisecond)"
    }
  }

  @Test(arguments: [(32_768, false), (32_769, true), (-32_768, false), (-32_769, true)] as [(Int32, Bool)])
  static func `dc-coupled activity is more than the threshold on any enabled axis`(_ force: Int32, _ isActive: Bool)
    throws
  {
    for control: UInt8 in [0x00, 0x10, 0x20, 0x40, 0x70] {
      for (bit, force) in [(0x40, Constant(x: force)), (0x20, Constant(y: force)), (0x10, Constant(z: force))]
        as [(UInt8, Constant)]
      {
        let bench = try Self.bench(force, enable: Self.activity, control: control)
        bench.clock.advance(by: .milliseconds(20))
        try expect(bench.byte(0x30) & 0x7C == 0x10, equals: isActive && control & bit != 0)
        try expect(bench.byte(0x2B), equals: isActive ? control & bit : 0)
      }
    }
  }

  @Test static func `activity is found within 312.5 µs, between two samples`() throws {
    // Reading 20 comes at 7.35 ms; the first sample at 11.1 ms.
    let bench = try Self.bench(
      Spans(base: Constant(), spans: [Spans.steps(20, 1, Constant(y: -65_536))]), enable: 0x10, control: 0x70)
    bench.clock.advance(by: Microseconds(7_349))
    try expect(bench.byte(0x30) & 0x10, equals: 0)
    bench.clock.advance(by: Microseconds(1))
    try expect(bench.byte(0x30) & 0x10, equals: 0x10)
    bench.clock.advance(by: .seconds(5))
    try expect(bench.byte(0x30) & 0x10, equals: 0)
  }

  @Test static func `continuing activity is reported again after each read`() throws {
    let bench = try Self.bench(Constant(z: 65_536), enable: 0x10, control: 0x10)
    try expect(Self.events(bench, 5).suffix(3), equals: ["16 3", "16 4", "16 5"])
  }

  @Test static func `the axes are the first ones, until the event is read`() throws {
    let bench = try Self.bench(
      Spans(base: Constant(), spans: [(10_000, 20_000, Constant(x: 65_536)), (20_000, 30_000, Constant(y: 65_536))]),
      enable: 0x10, control: 0x70)
    bench.clock.advance(by: .milliseconds(25))
    try expect(bench.byte(0x2B), equals: 0x40)
    try expect(bench.byte(0x30) & 0x10, equals: 0x10)
    bench.clock.advance(by: .milliseconds(1))
    try expect(bench.byte(0x2B), equals: 0x20)
  }

  @Test static func `ac-coupled activity is a change from the first reading, which remains the reference`() throws {
    let spans = Spans(spans: [
      (100_000, 200_000, Constant(z: 65_536 + 32_768)), (200_000, 300_000, Constant(z: 32_767)),
    ])
    let bench = try Self.bench(spans, enable: 0x10, control: 0xF0)
    try expect(Self.events(bench, 199), equals: [])
    let events = try Self.events(bench, 400)
    #expect(events.first == "16 1" || events.first == "16 2")
    expect(events.count, isAbove: 98, "all the time that it is away")
    expect(events.count, isBelow: 102, "all the time that it is away")
    // Restarted in the present position, it finds nothing.
    let other = try Self.bench(Spans(spans: [(0, 200_000, Constant(z: 200_000))]), enable: 0x10, control: 0xF0)
    try expect(Self.events(other, 210).count, isAbove: 8)
    try other.write(0x24, 8)
    try expect(Self.events(other, 100), equals: [])
  }

  @Test(arguments: [(16_383, true), (-16_383, true), (16_384, false), (-16_384, false)] as [(Int32, Bool)])
  static func `dc-coupled inactivity is less than the threshold on all enabled axes`(_ force: Int32, _ isStill: Bool)
    throws
  {
    for control: UInt8 in 0x00...0x07 {
      for (bit, force) in [(4, Constant(x: force)), (2, Constant(y: force)), (1, Constant(z: force))]
        as [(UInt8, Constant)]
      {
        let bench = try Self.bench(force, enable: Self.inactivity, control: control)
        bench.clock.advance(by: .milliseconds(2_500))
        let isFound = try bench.byte(0x30) & 0x7C == 0x08
        expect(isFound, equals: control != 0 && (isStill || control & bit == 0), "\(control) \(bit)")
        try expect(bench.byte(0x2B), equals: 0, "inactivity has no axes")
      }
    }
  }

  @Test(arguments: [(0, 12), (1, 1_012), (2, 2_012), (255, 255_012)])
  static func `inactivity comes after TIME_INACT of samples, and every TIME_INACT again`(_ time: UInt8, _ first: Int)
    throws
  {
    let bench = try Self.bench(Constant(), enable: 0x08, control: 0x07, time: time)
    bench.clock.advance(by: .milliseconds(Int64(first) - 2))
    let again = max(10, Int(time) * 1_000)
    try expect(Self.events(bench, 2), equals: ["8 2"])
    bench.clock.advance(by: .milliseconds(Int64(again) - 2))
    try expect(Self.events(bench, 2), equals: ["8 2"])
  }

  @Test static func `inactivity uses the output, including offsets`() throws {
    // 0.25 g, and offsets of -0.0156 g.
    let bench = try Self.bench(Constant(x: 16_384, y: 16_384, z: 16_384), enable: 0x08, control: 0x07)
    try expect(Self.events(bench, 2_500), equals: [])
    try bench.write(0x1E, 0xFF, 0xFF, 0xFF)
    try expect(Self.events(bench, 2_100).count, equals: 1)
    // A knock between two samples is missed.
    let knocked = try Self.bench(
      Spans(base: Constant(), spans: [(1_012_000, 1_020_000, Constant(x: 200_000))]), enable: 0x08, control: 0x07)
    try expect(Self.events(knocked, 2_500), equals: ["8 2012"])
    let seen = try Self.bench(
      Spans(base: Constant(), spans: [(1_012_000, 1_022_000, Constant(x: 200_000))]), enable: 0x08, control: 0x07)
    try expect(Self.events(seen, 4_000), equals: ["8 3032"])
  }

  @Test static func `the reference of ac-coupled inactivity follows anything above the threshold`() throws {
    // 1 g on Z; at 1 s a turn to 1 g on X.
    let spans = Spans(spans: [(1_000_000, .max, Constant(x: 65_536))])
    let ac = try Self.bench(spans, enable: 0x08, control: 0x0F)
    // The sample at 1001.1 ms is the new reference, and that at 1011.1 ms the first one below.
    try expect(Self.events(ac, 4_000), equals: ["8 3012"])
    let dc = try Self.bench(spans, enable: 0x08, control: 0x07)
    try expect(Self.events(dc, 4_000), equals: [])
    // Slow movement may go far: at 0.2 g a second no sample is 0.25 g away from the one 1 s before.
    let slow = try Self.bench(Drift(), enable: 0x08, control: 0x0F, time: 1)
    try expect(Self.events(slow, 2_100).count, equals: 1)
  }

  /// 0.2 g/s along X.
  struct Drift: Motion {
    var duration: Microseconds { .zero }
    func specificForce(at time: Microseconds) -> Vector3 {
      Vector3(x: Q16(raw: Int32(time.count * 13_107 / 1_000_000)), y: .zero, z: .zero)
    }
  }

  @Test(arguments: [-200_000, 200_000] as [Int32])
  static func `a second is one of the part's own clock`(_ partsPerMillion: Int32) throws {
    var configuration = EmulatedADXL345.Configuration.quiet
    configuration.ratePartsPerMillion = partsPerMillion
    let bench = ADXL345Bench(Constant(), configuration)
    try bench.write(0x24, 8, 4, 2, 0x07)
    try bench.write(0x2E, 0x08)
    try bench.write(0x2D, 0x08)
    let events = try Self.events(bench, 3_000)
    expect(events.first, equals: partsPerMillion > 0 ? "8 1677" : "8 2514")
  }

  @Test static func `without link, both are found side by side`() throws {
    // 1 g on Z, where only activity is enabled.
    let bench = try Self.bench(Constant(z: 65_536), enable: 0x18, control: 0x16, time: 1)
    let events = try Self.events(bench, 2_100)
    expect(events.count, isAbove: 2_000)
    expect(events.filter { $0.hasPrefix("24") }, equals: ["24 1012", "24 2012"])
  }

  @Test static func `with link they alternate, inactivity first`() throws {
    let spans = Spans(
      base: Constant(),
      spans: [
        (100_000, 400_000, Constant(x: 65_536)), (1_500_000, 1_900_000, Constant(x: 65_536)),
        (4_000_000, 4_000_400, Constant(x: 65_536)),
      ])
    let bench = try Self.bench(spans, enable: 0x18, control: 0x77, power: 0x28, time: 1)
    // At rest from the sample at 401.1 ms on, and again from that at 1901.1 ms on.
    try expect(Self.events(bench, 6_000), equals: ["8 1402", "16 1501", "8 2902", "16 4001", "8 5002"])
  }

  @Test(arguments: [0x08, 0x20, 0x38] as [UInt8])
  static func `another POWER_CTL restarts detection, with inactivity first`(_ between: UInt8) throws {
    let spans = Spans(base: Constant(), spans: [(1_100_000, 1_200_000, Constant(x: 65_536))])
    for (isInterrupted, events) in [(false, ["16 51"]), (true, [])] {
      let bench = try Self.bench(spans, enable: 0x18, control: 0x77, power: 0x28, time: 1)
      bench.clock.advance(by: .milliseconds(1_050))
      try expect(bench.byte(0x30) & 0x08, equals: 0x08)
      if isInterrupted {
        try bench.write(0x2D, between)
        try bench.write(0x2D, 0x28)
      }
      try expect(Self.events(bench, 200), equals: events)
    }
  }

  @Test static func `with link and a single function, that one runs alone`() throws {
    let active = try Self.bench(Constant(x: 65_536), enable: 0x10, control: 0x77, power: 0x28)
    try expect(Self.events(active, 10).isEmpty, equals: false)
    let still = try Self.bench(Constant(), enable: 0x08, control: 0x77, power: 0x28, time: 1)
    try expect(Self.events(still, 2_100), equals: ["8 1012", "8 2012"])
  }

  @Test static func `in link mode the reference of activity is the rest before it`() throws {
    let spans = Spans(spans: [(100_000, .max, Constant(x: 65_536))])
    let bench = try Self.bench(spans, enable: 0x18, control: 0xFF, power: 0x28, time: 1)
    // Turned at 100 ms and at rest since: no activity for the turn, which came before.
    try expect(Self.events(bench, 5_000), equals: ["8 1112"])
    bench.device.play(Constant(y: 65_536))
    try expect(Self.events(bench, 1_200), equals: ["16 1", "8 1002"])
  }
}

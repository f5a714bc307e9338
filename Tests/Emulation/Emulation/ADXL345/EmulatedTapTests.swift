import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

struct TapTests {
  static let knock = Constant(x: 5 * 65_536)
  static let single: UInt8 = 0x40
  static let double: UInt8 = 0x20

  /// 3 g, DUR 10 ms (32 readings), latent 20 ms (64), window 80 ms (256), all axes; knocks at readings from Measure on.
  static func bench(
    _ knocks: [(first: Int, count: Int)], enable: UInt8 = 0x60, axes: UInt8 = 0x07, force: Constant = knock,
    duration: UInt8 = 0x10, latency: UInt8 = 0x10, window: UInt8 = 0x40
  ) throws -> ADXL345Bench {
    let bench = ADXL345Bench(Spans(base: Constant(), spans: knocks.map { Spans.steps($0.first, $0.count, force) }))
    try bench.write(0x1D, 0x30)
    try bench.write(0x21, duration, latency, window)
    try bench.write(0x2A, axes)
    try bench.write(0x2E, enable)
    try bench.write(0x2D, 0x08)
    return bench
  }

  /// The events in the first `readings` undecimated readings, each with the number of its reading.
  static func events(_ bench: ADXL345Bench, _ readings: Int = 1_000) throws -> [String] {
    var events: [String] = []
    for number in 1...readings {
      bench.clock.advance(to: Instant(microseconds: Step.instant(number)))
      let bits = try bench.byte(0x30) & 0x7C
      if bits != 0 {
        events.append(
          "\(bits == 0x40 ? "single" : bits == 0x60 ? "both" : bits == 0x20 ? "double" : "\(bits)") \(number)")
      }
    }
    return events
  }

  @Test(arguments: [(1, true), (2, true), (31, true), (32, true), (33, false), (200, false)])
  static func `a tap is no longer than DUR, and is reported when it ends`(_ count: Int, _ isTap: Bool) throws {
    let bench = try Self.bench([(100, count)], enable: Self.single)
    try expect(Self.events(bench), equals: isTap ? ["single \(100 + count)"] : [])
  }

  @Test(arguments: [(0, -1, 0), (1, 2, 0), (1, 3, 1), (255, 510, 0), (255, 511, 1)])
  static func `DUR counts 625 µs, and 0 disables taps`(_ duration: UInt8, _ count: Int, _ excess: Int) throws {
    let bench = try Self.bench([(100, max(1, count))], enable: Self.single, duration: duration)
    try expect(Self.events(bench).count, equals: duration == 0 ? 0 : 1 - excess)
  }

  @Test(
    arguments: [
      (0x30, 196_608, 0), (0x30, 196_609, 1), (0x30, -196_609, 1), (0xFF, 1_044_480, 0), (0xFF, 1_044_481, 1),
    ] as [(UInt8, Int32, Int)])
  static func `the threshold counts 62.5 mg, in both directions, and must be exceeded`(
    _ threshold: UInt8, _ force: Int32, _ taps: Int
  ) throws {
    let bench = try Self.bench([(100, 5)], enable: Self.single, force: Constant(y: force))
    try bench.write(0x1D, threshold)
    try expect(Self.events(bench, 200).count, equals: taps)
  }

  @Test(arguments: 0...7 as ClosedRange<UInt8>)
  static func `axes are enabled by TAP_AXES, and the first to exceed are reported`(_ axes: UInt8) throws {
    for (bit, force) in [(4, Constant(x: 400_000)), (2, Constant(y: -400_000)), (1, Constant(z: 400_000))]
      as [(UInt8, Constant)]
    {
      let bench = try Self.bench([(100, 5)], enable: Self.single, axes: axes, force: force)
      try expect(Self.events(bench, 200).count, equals: axes & bit != 0 ? 1 : 0)
      try expect(bench.byte(0x2B), equals: axes & bit)
    }
    // X first, then all three: one tap, by X unless X is disabled.
    let mixed = ADXL345Bench(
      Spans(
        base: Constant(),
        spans: [
          Spans.steps(100, 1, Constant(x: 400_000)), Spans.steps(101, 3, Constant(x: 400_000, y: 400_000, z: 400_000)),
        ]))
    try mixed.write(0x1D, 0x30)
    try mixed.write(0x21, 0x10)
    try mixed.write(0x2A, axes)
    try mixed.write(0x2E, 0x40)
    try mixed.write(0x2D, 0x08)
    try expect(Self.events(mixed, 200), equals: axes == 0 ? [] : ["single 104"])
    try expect(mixed.byte(0x2B), equals: axes & 4 != 0 ? 4 : axes)
  }

  @Test static func `the reported axes survive a read of INT_SOURCE, until the next tap`() throws {
    let bench = ADXL345Bench(
      Spans(
        base: Constant(), spans: [Spans.steps(100, 5, Constant(x: 400_000)), Spans.steps(300, 5, Constant(z: 400_000))])
    )
    try bench.write(0x1D, 0x30)
    try bench.write(0x21, 0x10)
    try bench.write(0x2A, 0x07)
    try bench.write(0x2E, 0x40)
    try bench.write(0x2D, 0x08)
    try expect(Self.events(bench, 200), equals: ["single 105"])
    try expect(bench.byte(0x2B), equals: 0x04)
    try expect(Self.events(bench, 400), equals: ["single 305"])
    try expect(bench.byte(0x2B), equals: 0x01)
  }

  /// Knocks, whether Suppress is set, and the events with both functions in use.
  ///
  /// DUR is 32 readings, the latency 64, the window 256.
  static let doubles: [(knocks: [(first: Int, count: Int)], suppresses: Bool, events: [String])] = [
    // Alone: reported as a single tap at the end of the window.
    ([(100, 10)], false, ["single 430"]),
    // The second in the window: at its first and last reading, and one beyond on either side.
    ([(100, 10), (174, 10)], false, ["single 174"]),
    ([(100, 10), (175, 10)], false, ["both 185"]),
    ([(100, 10), (430, 10)], false, ["both 440"]),
    ([(100, 10), (431, 10)], false, ["single 430", "single 761"]),
    // It may last beyond the end of the window.
    ([(100, 10), (425, 30)], false, ["both 455"]),
    // In the latency: ignored, unless Suppress is set.
    ([(100, 10), (120, 10), (200, 10)], false, ["both 210"]),
    ([(100, 10), (120, 10), (200, 10)], true, ["single 120", "single 530"]),
    ([(100, 10), (173, 1), (200, 10)], true, ["single 173", "single 530"]),
    // From the latency into the window.
    ([(100, 10), (170, 10), (200, 10)], false, ["single 174", "single 530"]),
    // The second too long: reported when DUR has passed, and not a first one either.
    ([(100, 10), (200, 33), (300, 10)], false, ["single 233", "single 630"]),
    ([(100, 10), (200, 32), (300, 10)], false, ["both 232", "single 630"]),
    // The first too long: the next is the first.
    ([(100, 33), (200, 10), (300, 10)], false, ["both 310"]),
    // Two pairs.
    ([(100, 10), (200, 10), (300, 10), (400, 10)], true, ["both 210", "both 410"]),
  ]

  @Test(arguments: doubles.indices)
  static func `double taps are valid as in the figures of the data sheet`(_ index: Int) throws {
    let row = Self.doubles[index]
    let bench = try Self.bench(row.knocks, axes: row.suppresses ? 0x0F : 0x07)
    try expect(Self.events(bench), equals: row.events)
  }

  @Test static func `with only double taps enabled, single ones are not reported`() throws {
    let bench = try Self.bench([(100, 10), (200, 10), (600, 10)], enable: Self.double)
    try expect(Self.events(bench), equals: ["double 210"])
  }

  @Test(arguments: [(0, 0x40), (0x10, 0)] as [(UInt8, UInt8)])
  static func `without a latency or a window there are only single taps, reported at once`(
    _ latency: UInt8, _ window: UInt8
  ) throws {
    let bench = try Self.bench([(100, 10), (200, 10)], latency: latency, window: window)
    try expect(Self.events(bench), equals: ["single 110", "single 210"])
  }

  @Test static func `the offset registers and the output data rate do not matter`() throws {
    for (rate, offset) in [(0x06, 0x00), (0x0F, 0x00), (0x0A, 0x7F), (0x0A, 0x80)] as [(UInt8, UInt8)] {
      let bench = try Self.bench([(100, 10), (200, 10)], force: Constant(x: 196_610))
      try bench.write(0x2C, rate)
      try bench.write(0x1E, offset, offset, offset)
      try expect(Self.events(bench), equals: ["both 210"])
    }
  }

  @Test static func `a clock that runs fast shortens the times`() throws {
    var configuration = EmulatedADXL345.Configuration.quiet
    configuration.ratePartsPerMillion = 100_000
    let bench = ADXL345Bench(Spans(base: Constant(), spans: [(10_000, 19_500, Self.knock)]), configuration)
    try bench.write(0x1D, 0x30)
    try bench.write(0x21, 0x10)
    try bench.write(0x2A, 0x07)
    try bench.write(0x2E, 0x40)
    try bench.write(0x2D, 0x08)
    bench.clock.advance(by: .milliseconds(30))
    // 9.5 ms are 10.45 ms of its clock, and DUR is 10 ms.
    try expect(bench.byte(0x30) & 0x40, equals: 0)
  }

  @Test static func `a change of a tap register restarts detection`() throws {
    for register: UInt8 in [0x1D, 0x21, 0x22, 0x23, 0x2A] {
      let bench = try Self.bench([(100, 10), (200, 10)])
      bench.clock.advance(to: Instant(microseconds: Step.instant(150)))
      try bench.write(register, bench.byte(register))
      try expect(Self.events(bench), equals: ["single 530"])
    }
  }

  @Test static func `standby and another INT_ENABLE restart detection`() throws {
    for writes: [[UInt8]] in [[[0x2D, 0x00], [0x2D, 0x08]], [[0x2E, 0x00], [0x2E, 0x60]]] {
      let bench = try Self.bench([(100, 10), (200, 10)])
      bench.clock.advance(to: Instant(microseconds: Step.instant(150)))
      for bytes in writes { try bench.write(bytes) }
      bench.clock.advance(by: .milliseconds(200))
      try expect(bench.byte(0x30) & 0x7C, equals: 0x40)
    }
  }

  @Test static func `settings of another detector disturb neither a tap nor the readings`() throws {
    let bench = try Self.bench([(100, 10), (200, 10)])
    bench.clock.advance(to: Instant(microseconds: Step.instant(150) + 150))
    try bench.write(0x24, 0x10, 0x10, 0x10, 0x00, 0x05, 0x05)
    try bench.write(0x2E, 0x64)
    try bench.write(0x2E, 0x60)
    try expect(Self.events(bench), equals: ["both 210"])
  }

  @Test static func `the result does not depend on how often the part is read`() throws {
    let knocks = [(100, 10), (200, 10), (700, 10), (2_000, 40), (2_500, 10), (2_700, 3)]
    let often = try Self.bench(knocks)
    let seldom = try Self.bench(knocks)
    var seen: [String] = []
    seldom.device.onPinChange = { _, isHigh, instant in seen.append("\(isHigh) \(instant.microseconds)") }
    var told: [String] = []
    often.device.onPinChange = { _, isHigh, instant in told.append("\(isHigh) \(instant.microseconds)") }
    for _ in 0..<10_000 {
      often.clock.advance(by: Microseconds(100))
      often.device.catchUp()
    }
    seldom.clock.advance(by: .seconds(1))
    seldom.device.catchUp()
    expect(seen, equals: ["true \(Step.instant(210))"])
    expect(told, equals: seen)
    try expect(often.read(0x2B, 6), equals: seldom.read(0x2B, 6))
  }
}

/// Taps as worded in the data sheet, found in a list of all spans above the threshold, without a state machine.
private struct TapModel {
  /// The first reading above, and the first one below again.
  var runs: [(begin: Int, end: Int)]
  var duration: Int
  var latency: Int
  var window: Int
  var suppresses: Bool
  var findsDoubles: Bool

  private func isAbove(_ reading: Int) -> Bool { runs.contains { $0.begin <= reading && reading < $0.end } }
  private func end(of reading: Int) -> Int { runs.first { $0.begin <= reading && reading < $0.end }?.end ?? reading }

  /// Reading numbers with "single" or "both".
  func events() -> [String] {
    var events: [String] = []
    var from = 0
    while let first = runs.first(where: { $0.begin >= from }) {
      from = first.end
      if first.end - first.begin > duration { continue }
      guard findsDoubles else {
        events.append("single \(first.end)")
        continue
      }
      let opening = first.end + latency
      let closing = opening + window
      let spike = (first.end + 1..<opening).first { suppresses && isAbove($0) }
      if let spike {
        events.append("single \(spike)")
        from = end(of: spike)
      } else if isAbove(opening) {
        events.append("single \(opening)")
        from = end(of: opening)
      } else if let second = runs.first(where: { $0.begin > opening && $0.begin <= closing }) {
        let isValid = second.end - second.begin <= duration
        events.append(isValid ? "both \(second.end)" : "single \(second.begin + duration + 1)")
        from = second.end
      } else {
        events.append("single \(closing)")
        from = closing + 1
      }
    }
    return events
  }
}

struct TapModelTests {
  @Test(arguments: 1...150)
  static func `taps match a model based on whole spans, for any knocks`(_ seed: UInt64) throws {
    var dice = Dice(seed)
    var runs: [(begin: Int, end: Int)] = []
    var reading = 1 + dice.roll(20)
    while reading < 1_500 {
      let length = 1 + dice.roll(dice.roll(4) == 0 ? 20 : 6)
      runs.append((reading, reading + length))
      reading += length + 1 + dice.roll(dice.roll(3) == 0 ? 90 : 12)
    }
    let duration = 1 + dice.roll(4)
    let latency = dice.roll(6)
    let window = dice.roll(12)
    let suppresses = dice.roll(2) == 0
    let model = TapModel(
      runs: runs, duration: 2 * duration, latency: 4 * latency, window: 4 * window, suppresses: suppresses,
      findsDoubles: latency > 0 && window > 0)
    let bench = try TapTests.bench(
      runs.map { ($0.begin, $0.end - $0.begin) }, axes: suppresses ? 0x0F : 0x07, duration: UInt8(duration),
      latency: UInt8(latency), window: UInt8(window))
    let last = (runs.last?.end ?? 0) + 200
    try expect(TapTests.events(bench, last), equals: model.events())
  }
}

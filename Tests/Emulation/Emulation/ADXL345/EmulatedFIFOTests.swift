import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

struct EmulatedFIFOTests {
  /// At 100 Hz, sample k after Measure is k counts on X. It has just come when `tick` is k.
  static func bench(_ control: UInt8) throws -> ADXL345Bench {
    let bench = ADXL345Bench(Ramp(microsecondsPerCount: 10_000))
    try bench.write(0x38, control)
    try bench.write(0x31, 0x0B)
    try bench.write(0x2D, 0x08)
    bench.clock.advance(by: Microseconds(1_100))
    return bench
  }

  /// The available samples, oldest first, while DATA_READY is set.
  static func drain(_ bench: ADXL345Bench) throws -> [Int] {
    var samples: [Int] = []
    while try bench.byte(0x30) & 0x80 != 0, samples.count < 100 { samples.append(try bench.counts()[0]) }
    return samples
  }

  static let fifo: UInt8 = 0x40
  static let stream: UInt8 = 0x80
  static let trigger: UInt8 = 0xC0

  @Test(arguments: [fifo, stream, trigger])
  static func `entries count the samples behind the output register, up to 32`(_ mode: UInt8) throws {
    let bench = try Self.bench(mode | 0x1F)
    for tick in 0..<40 {
      try expect(bench.byte(0x39), equals: UInt8(min(32, max(0, tick - 1))), "after \(tick) samples")
      bench.clock.advance(by: .milliseconds(10))
    }
  }

  @Test(arguments: [fifo, stream, trigger])
  static func `thirty-three samples come out in order, each once`(_ mode: UInt8) throws {
    let bench = try Self.bench(mode | 0x1F)
    bench.clock.advance(by: .milliseconds(330))
    try expect(bench.byte(0x30) & 0x01, equals: 0x01)
    try expect(Self.drain(bench), equals: Array(1...33))
    try expect(bench.byte(0x39), equals: 0)
    // Without a new sample the last one is read again, without effect.
    try expect(bench.counts()[0], equals: 33)
    bench.clock.advance(by: .milliseconds(20))
    try expect(Self.drain(bench), equals: [34, 35])
  }

  @Test static func `a full stream discards its oldest entry, but not the output register`() throws {
    let bench = try Self.bench(Self.stream | 0x1F)
    bench.clock.advance(by: .milliseconds(340))
    try expect(Self.drain(bench), equals: [1] + Array(3...34))
    bench.clock.advance(by: .milliseconds(1_000))
    try expect(Self.drain(bench), equals: [35] + Array(103...134))
  }

  @Test static func `a full FIFO accepts nothing new until something is read`() throws {
    let bench = try Self.bench(Self.fifo | 0x1F)
    bench.clock.advance(by: .milliseconds(400))
    try expect(bench.counts()[0], equals: 1)
    bench.clock.advance(by: .milliseconds(100))
    try expect(Self.drain(bench), equals: Array(2...33) + [41])
    bench.clock.advance(by: .milliseconds(30))
    try expect(Self.drain(bench), equals: [51, 52, 53])
  }

  @Test static func `bypass mode has only the newest sample`() throws {
    let bench = try Self.bench(0x1F)
    bench.clock.advance(by: .milliseconds(340))
    try expect(bench.byte(0x39), equals: 0)
    try expect(Self.drain(bench), equals: [34])
  }

  @Test(arguments: 0x32...0x37, 1...6)
  static func `any read of data, even of one byte, takes out one sample`(_ register: Int, _ count: Int) throws {
    guard register + count <= 0x38 else { return }
    let bench = try Self.bench(Self.stream | 0x1F)
    bench.clock.advance(by: .milliseconds(100))
    _ = try bench.read(UInt8(register), count)
    try expect(bench.byte(0x39), equals: 8)
    try expect(Self.drain(bench), equals: Array(2...10))
  }

  @Test static func `a read of other registers takes nothing out`() throws {
    let bench = try Self.bench(Self.stream | 0x1F)
    bench.clock.advance(by: .milliseconds(100))
    for register in [0x00, 0x1D, 0x2C, 0x30, 0x31, 0x38, 0x39] { _ = try bench.read(UInt8(register)) }
    _ = try bench.read(0x1D, 0x15)
    _ = try bench.read(0x38, 8)
    try expect(Self.drain(bench), equals: Array(1...10))
  }

  @Test static func `a burst past the data shows the entries that are left`() throws {
    let bench = try Self.bench(Self.stream | 0x1F)
    bench.clock.advance(by: .milliseconds(100))
    try expect(bench.read(0x32, 8), equals: [1, 0, 0, 0, 0, 0, 0x9F, 8])
    try expect(bench.read(0x30, 10), equals: [0x80, 0x0B, 2, 0, 0, 0, 0, 0, 0x9F, 7])
  }

  @Test(arguments: [fifo, stream, trigger], [1, 2, 16, 31])
  static func `the watermark bit is set at that many entries and more`(_ mode: UInt8, _ samples: UInt8) throws {
    let bench = try Self.bench(mode | samples)
    for tick in 0..<40 {
      try expect(bench.byte(0x30) & 0x02 != 0, equals: tick - 1 >= Int(samples), "after \(tick) samples")
      bench.clock.advance(by: .milliseconds(10))
    }
    for left in (0..<32).reversed() {
      _ = try bench.counts()
      try expect(bench.byte(0x30) & 0x02 != 0, equals: left >= Int(samples), "\(left) left")
    }
  }

  @Test(arguments: [fifo, stream, trigger])
  static func `the overrun bit is set while the FIFO is full`(_ mode: UInt8) throws {
    let bench = try Self.bench(mode | 0x1F)
    for tick in 0..<40 {
      try expect(bench.byte(0x30) & 0x01 != 0, equals: tick >= 33, "after \(tick) samples")
      bench.clock.advance(by: .milliseconds(10))
    }
    _ = try bench.byte(0x32)
    try expect(bench.byte(0x30) & 0x01, equals: 0)
  }

  @Test(arguments: [fifo, stream, trigger])
  static func `bypass mode empties the FIFO`(_ mode: UInt8) throws {
    let bench = try Self.bench(mode | 0x1F)
    bench.clock.advance(by: .milliseconds(400))
    try bench.write(0x38, 0x1F)
    try expect(bench.byte(0x39), equals: 0)
    try expect(bench.byte(0x30), equals: 0x80)
    try bench.write(0x38, mode | 0x1F)
    try expect(Self.drain(bench), equals: [1])
    bench.clock.advance(by: .milliseconds(20))
    try expect(Self.drain(bench), equals: [41, 42])
  }

  @Test(arguments: [fifo, stream, trigger])
  static func `standby keeps the content and adds nothing`(_ mode: UInt8) throws {
    let bench = try Self.bench(mode | 0x1F)
    bench.clock.advance(by: .milliseconds(50))
    try bench.write(0x2D, 0x00)
    bench.clock.advance(by: .milliseconds(500))
    try expect(bench.byte(0x39), equals: 4)
    try expect(Self.drain(bench), equals: Array(1...5))
  }

  @Test static func `a power cycle empties everything`() throws {
    let bench = try Self.bench(Self.stream | 0x1F)
    bench.clock.advance(by: .milliseconds(400))
    bench.device.powerCycle()
    try expect(bench.read(0x30, 10), equals: [0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    try bench.write(0x38, 0x9F)
    try expect(Self.drain(bench), equals: [])
  }

  @Test static func `entries keep the format of their instant`() throws {
    let bench = ADXL345Bench(Constant(x: 65_536))
    try bench.write(0x38, 0x9F)
    try bench.start()
    try bench.write(0x31, 0x03)
    try bench.write(0x1E, 0x04)
    bench.clock.advance(by: .milliseconds(10))
    try expect(bench.counts()[0], equals: 256)
    try expect(bench.counts()[0], equals: 34)
  }

  @Test(arguments: [fifo, stream])
  static func `the content does not depend on how often the part is read`(_ mode: UInt8) throws {
    for span in [33, 34, 63, 64, 65, 100, 119, 120, 121, 122, 200, 1_000, 4_000] {
      let often = try Self.bench(mode | 0x1F)
      let once = try Self.bench(mode | 0x1F)
      for _ in 0..<span {
        often.clock.advance(by: .milliseconds(10))
        _ = try often.byte(0x00)
      }
      once.clock.advance(by: .milliseconds(10) * Int64(span))
      try expect(once.read(0x38, 2), equals: often.read(0x38, 2))
      try expect(Self.drain(once), equals: Self.drain(often))
      expect(once.device.sampleCount, equals: UInt64(span))
      expect(often.device.sampleCount, equals: UInt64(span))
    }
  }

  @Test static func `frozen and full-scale data go through the FIFO too`() throws {
    for (effect, expected) in [(FaultPlan.Effect.frozenData, 1), (.fullScaleData, 4_095)] {
      let bench = ADXL345Bench(
        Ramp(microsecondsPerCount: 10_000), plan: [.init(effect, .during(.milliseconds(15) ..< .milliseconds(45)))])
      try bench.write(0x38, 0x9F)
      try bench.write(0x31, 0x0B)
      try bench.write(0x2D, 0x08)
      bench.clock.advance(by: Microseconds(1_100))
      for _ in 0..<6 {
        bench.clock.advance(by: Microseconds(10_200))
        _ = try bench.byte(0x00)
      }
      try expect(Self.drain(bench), equals: [1, expected, expected, expected, 5, 6])
    }
  }
}

/// The FIFO as the data sheet describes it, as a plain array: samples are the numbers of their ticks.
private struct Model {
  enum Mode: UInt8 { case bypass, fifo, stream, trigger }
  var mode = Mode.bypass
  var samples = 0
  var shown = 0
  var isNew = false
  var waiting: [Int] = []
  var wasReplaced = false

  mutating func sample(_ number: Int) {
    if mode == .bypass {
      if isNew { wasReplaced = true }
      (shown, isNew) = (number, true)
      return
    }
    if !isNew {
      (shown, isNew) = (number, true)
      return
    }
    if mode == .fifo && waiting.count == 32 { return }
    waiting = (waiting + [number]).suffix(32)
  }

  mutating func read() -> Int {
    let value = shown
    wasReplaced = false
    isNew = !waiting.isEmpty
    if isNew { shown = waiting.removeFirst() }
    return value
  }

  mutating func control(_ byte: UInt8) {
    let next = Mode(rawValue: byte / 64) ?? .bypass
    if next != mode { wasReplaced = false }
    mode = next
    samples = Int(byte % 32)
    if mode == .bypass { waiting = [] }
  }

  var source: UInt8 {
    (isNew ? 0x80 : 0) + (waiting.count >= samples ? 2 : 0)
      + ((mode == .bypass ? wasReplaced : waiting.count == 32) ? 1 : 0)
  }
}

struct FIFOModelTests {
  @Test(arguments: 1...40)
  static func `the FIFO behaves like a plain model under any operations`(_ seed: UInt64) throws {
    var random = Dice(seed)
    var model = Model()
    let bench = ADXL345Bench(Ramp(microsecondsPerCount: 10_000))
    try bench.write(0x31, 0x0B)
    try bench.write(0x2D, 0x08)
    bench.clock.advance(by: Microseconds(1_100))
    var tick = 0
    while tick < 3_500 {
      switch random.roll(8) {
      case 0:
        let control = UInt8(random.roll(256)) & (random.roll(4) == 0 ? 0xFF : 0xBF)
        try bench.write(0x38, control & 0xC0 == 0xC0 ? control & 0xBF : control)
        model.control(control & 0xC0 == 0xC0 ? control & 0xBF : control)
      case 1...3:
        let span = random.roll(6) == 0 ? random.roll(200) : random.roll(5)
        bench.clock.advance(by: .milliseconds(10) * Int64(span))
        for _ in 0..<span {
          tick += 1
          model.sample(tick)
        }
      case 4:
        // Part of the sample, from anywhere in it.
        let register = random.roll(6)
        let bytes = try bench.read(UInt8(0x32 + register), 1 + random.roll(6 - register))
        let value = model.read()
        if register == 0 { expect(Int(bytes[0]), equals: value & 0xFF) }
      case 5:
        try expect(bench.read(0x38, 2)[1], equals: UInt8(model.waiting.count))
      default:
        for _ in 0..<random.roll(12) { try expect(bench.counts()[0], equals: model.read()) }
      }
      try expect(bench.byte(0x30), equals: model.source, "at tick \(tick)")
    }
  }
}

/// A small generator, for the tests alone.
struct Dice {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  /// 0 to `sides` - 1.
  mutating func roll(_ sides: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int((state >> 33) % UInt64(sides))
  }
}

import Emulation
import FixedPoint
import HAL
import Testing

/// The FIFO as the data sheet tells it, with nothing but an array: samples are the numbers of their ticks.
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

@Suite struct FIFOModelTests {
  @Test(arguments: 1...40)
  func `the FIFO does what a plain model does, whatever is done to it`(_ seed: UInt64) throws {
    var random = Dice(seed)
    var model = Model()
    let bench = Bench(Ramp(microsecondsPerCount: 10_000))
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
        // A part of the sample, from anywhere in it.
        let register = random.roll(6)
        let bytes = try bench.read(UInt8(0x32 + register), 1 + random.roll(6 - register))
        let value = model.read()
        if register == 0 { #expect(Int(bytes[0]) == value & 0xFF) }
      case 5:
        #expect(try bench.read(0x38, 2)[1] == UInt8(model.waiting.count))
      default:
        for _ in 0..<random.roll(12) { #expect(try bench.counts()[0] == model.read()) }
      }
      #expect(try bench.byte(0x30) == model.source, "at tick \(tick)")
    }
  }
}

/// A small generator of the tests' own.
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

import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

struct TriggerTests {
  /// Samples 1, 2, 3 … on X at 100 Hz as in `EmulatedFIFOTests`, and a free fall after `fall` microseconds, reported
  /// 5 ms later.
  static func bench(_ control: UInt8, map: UInt8 = 0, fall: Int64) throws -> ADXL345Bench {
    let bench = ADXL345Bench(Falling(at: fall))
    try bench.write(0x28, 0x02, 0x01)
    try bench.write(0x2F, map)
    try bench.write(0x2E, 0x04)
    try bench.write(0x38, control)
    try bench.write(0x31, 0x0B)
    try bench.write(0x2D, 0x08)
    return bench
  }

  /// X counts samples up from 1 g, until it falls for 10 ms: at most one sample is near 0 g.
  struct Falling: Motion {
    var at: Int64
    var duration: Microseconds { .zero }
    func specificForce(at time: Microseconds) -> Vector3 {
      let isFalling = time.count >= at && time.count < at + 9_000
      return Vector3(x: Q16(raw: isFalling ? 0 : Int32(256 + time.count / 10_000) * 256), y: .zero, z: .zero)
    }
  }

  static func drain(_ bench: ADXL345Bench) throws -> [Int] { try EmulatedFIFOTests.drain(bench).map { $0 - 256 } }

  @Test(arguments: [1, 2, 10, 31])
  static func `at the trigger that many entries are kept, then the FIFO fills up and stops`(_ kept: Int) throws {
    // Falls between sample 50 (501.1 ms) and 51; the event is 5 ms later.
    let bench = try Self.bench(0xC0 | UInt8(kept), fall: 501_500)
    bench.clock.advance(by: Microseconds(506_000))
    try expect(bench.read(0x39), equals: [32])
    expect(that: !bench.device.isINT1High)
    bench.clock.advance(by: Microseconds(1_000))
    expect(that: bench.device.isINT1High)
    try expect(bench.read(0x39), equals: [0x80 | UInt8(kept)])
    bench.clock.advance(by: .seconds(2))
    try expect(bench.read(0x39), equals: [0x80 | 32])
    // The output register is not part of the FIFO: it still holds the very oldest sample.
    try expect(Self.drain(bench), equals: [1] + Array((51 - kept)...50) + Array(51...(82 - kept)))
    try expect(bench.read(0x39), equals: [0x80])
  }

  @Test static func `with fewer entries than should be kept, all stay`() throws {
    let bench = try Self.bench(0xC0 | 20, fall: 51_500)
    bench.clock.advance(by: Microseconds(57_000))
    try expect(bench.read(0x39), equals: [0x80 | 4])
    try expect(Self.drain(bench), equals: Array(1...5))
  }

  @Test(
    arguments: [(0xC0, 0x00, true), (0xC0, 0x04, false), (0xE0, 0x00, false), (0xE0, 0x04, true)]
      as [(UInt8, UInt8, Bool)])
  static func `the trigger is the pin that FIFO_CTL selects`(_ mode: UInt8, _ map: UInt8, _ triggers: Bool) throws {
    let bench = try Self.bench(mode | 5, map: map, fall: 501_500)
    bench.clock.advance(by: Microseconds(507_000))
    try expect(bench.read(0x39), equals: [triggers ? 0x85 : 0x20])
  }

  @Test static func `an event on no pin triggers nothing`() throws {
    let bench = try Self.bench(0xC5, fall: 501_500)
    try bench.write(0x2E, 0x00)
    bench.clock.advance(by: Microseconds(507_000))
    try expect(bench.read(0x39), equals: [32])
  }

  @Test(arguments: [0x45, 0x85] as [UInt8])
  static func `in the other modes nothing triggers`(_ control: UInt8) throws {
    let bench = try Self.bench(control, fall: 501_500)
    bench.clock.advance(by: Microseconds(507_000))
    expect(that: bench.device.isINT1High)
    try expect(bench.read(0x39), equals: [32])
  }

  @Test static func `a second event triggers only after bypass mode`() throws {
    let bench = try Self.bench(0xC5, fall: 501_500)
    bench.clock.advance(by: .seconds(1))
    try expect(bench.byte(0x30) & 0x04, equals: 0x04)
    try expect(Self.drain(bench).count, equals: 33)
    // Samples come again, and another fall.
    bench.clock.advance(by: .milliseconds(100))
    bench.device.play(Falling(at: 20_000))
    bench.clock.advance(by: .milliseconds(40))
    try expect(bench.byte(0x30) & 0x04, equals: 0x04)
    try expect(bench.read(0x39), equals: [0x80 | 13])
    try bench.write(0x38, 0x05)
    try expect(bench.read(0x39), equals: [0])
    try bench.write(0x38, 0xC5)
    bench.device.play(Falling(at: 300_000))
    bench.clock.advance(by: .milliseconds(290))
    try expect(bench.read(0x39), equals: [29])
    bench.clock.advance(by: .milliseconds(20))
    try expect(bench.read(0x39)[0] & 0xBF, equals: 0x85)
  }

  @Test static func `the FIFO's own interrupts trigger too`() throws {
    // Watermark at 7 entries, which is at sample 8: mapped to INT1, all else off.
    let bench = ADXL345Bench(Ramp(microsecondsPerCount: 10_000))
    try bench.write(0x38, 0xC7)
    try bench.write(0x2E, 0x02)
    try bench.write(0x31, 0x0B)
    try bench.write(0x2D, 0x08)
    bench.clock.advance(by: Microseconds(81_100 - 1))
    try expect(bench.read(0x39), equals: [6])
    bench.clock.advance(by: Microseconds(1))
    try expect(bench.read(0x39), equals: [0x87])
    bench.clock.advance(by: .seconds(30))
    try expect(EmulatedFIFOTests.drain(bench), equals: Array(1...33))
  }

  @Test static func `a trigger is the same whether or not the part is read`() throws {
    for control: UInt8 in [0xC1, 0xC5, 0xDF] {
      // Overrun triggers, at sample 33.
      let benches = try (0..<2).map { _ in
        let bench = ADXL345Bench(Ramp(microsecondsPerCount: 10_000))
        try bench.write(0x38, control)
        try bench.write(0x2E, 0x01)
        try bench.write(0x31, 0x0B)
        try bench.write(0x2D, 0x08)
        return bench
      }
      for _ in 0..<300 {
        benches[0].clock.advance(by: .milliseconds(10))
        _ = try benches[0].byte(0x00)
      }
      benches[1].clock.advance(by: .milliseconds(3_000))
      let kept = Int(control & 0x1F)
      let expected = [1] + Array((34 - kept)...33) + Array(34...(65 - kept))
      for bench in benches { try expect(EmulatedFIFOTests.drain(bench), equals: expected) }
    }
  }

  @Test static func `a sample at the trigger's own instant comes before it`() throws {
    // The 16 readings of 5 ms end with sample 50, at 501.1 ms.
    let bench = try Self.bench(0xC5, fall: 496_050)
    bench.clock.advance(by: Microseconds(501_099))
    try expect(bench.read(0x39), equals: [32])
    bench.clock.advance(by: Microseconds(1))
    try expect(bench.read(0x39), equals: [0x85])
    // Sample 50 was made during the fall.
    try expect(Self.drain(bench), equals: [1, 46, 47, 48, 49, -256])
  }

  @Test(arguments: [0xC5, 0xE5] as [UInt8])
  static func `a pin that is already active triggers nothing`(_ control: UInt8) throws {
    let bench = try Self.bench(0x00, map: control == 0xC5 ? 0x00 : 0x04, fall: 101_500)
    bench.clock.advance(by: .milliseconds(200))
    try bench.write(0x38, control)
    bench.clock.advance(by: .milliseconds(200))
    try expect(bench.read(0x39)[0] & 0x80, equals: 0)
    // Read, and active again: that is an event.
    _ = try bench.byte(0x30)
    bench.device.latchEvents(0x04)
    try expect(bench.read(0x39)[0] & 0x80, equals: 0x80)
  }

  @Test static func `an Overrun that triggers ends at once`() throws {
    let bench = ADXL345Bench(Ramp(microsecondsPerCount: 10_000))
    let log = InterruptPinTests.Log()
    log.listen(to: bench)
    try bench.write(0x38, 0xC5)
    try bench.write(0x2E, 0x01)
    try bench.write(0x2D, 0x08)
    bench.clock.advance(by: .seconds(1))
    bench.device.catchUp()
    // 27 more fill the FIFO again.
    expect(log.lines, equals: ["INT1 high 331100", "INT1 low 331100", "INT1 high 601100"])
  }
}

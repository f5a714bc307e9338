import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

/// A force that steps on X at an instant, and then grows at a constant rate.
struct StepMotion: Motion {
  var at: Microseconds
  var milliG: Int64
  var milliGPerSecond: Int64 = 0
  var duration: Microseconds { .zero }

  func specificForce(at time: Microseconds) -> Vector3 {
    let since = (time - at).count
    let x = since < 0 ? 0 : milliG * 65_536 / 1_000 + since * milliGPerSecond * 65_536 / 1_000_000_000
    return Vector3(x: Q16(raw: Int32(x)), y: .zero, z: Q16(raw: 65_536))
  }
}

struct MPU6050MotionTests {
  typealias Part = EmulatedMPU6050.Part

  /// A part of the 6050 class that holds its first force, samples 20 times a second, and latches its pin.
  static func holding(_ motion: any Motion, threshold: UInt8 = 4, duration: UInt8 = 1, range: UInt8 = 0x08) throws
    -> MPUBench
  {
    let bench = MPUBench(part: .mpu6050, motion)
    try bench.write(0x6B, 0x00)
    try bench.write(0x6C, 0x07)
    try bench.write(0x1C, range)
    bench.pass(40_000)
    try bench.write(0x1F, threshold, duration)
    try bench.write(0x37, 0x20, 0x40)
    try bench.write(0x1C, range | 0x07)
    try bench.write(0x6B, 0x28, 0x87)
    return bench
  }

  /// A part of the 6500 class that compares each sample with the one before, 31 times a second.
  static func comparing(_ motion: any Motion, threshold: UInt8 = 32, control: UInt8 = 0xC0) throws -> MPUBench {
    let bench = MPUBench(part: .mpu6500, motion)
    bench.pass(40_000)
    try bench.write(0x6C, 0x07)
    try bench.write(0x1C, 0x08)
    try bench.write(0x1D, 0x01, 0x07, threshold)
    try bench.write(0x69, control)
    try bench.write(0x37, 0x20, 0x40)
    try bench.write(0x6B, 0x21)
    return bench
  }

  @Test static func `a force above the threshold drives the pin with its sample, and one below does not`() throws {
    // 4 steps of 32 mg are 128 mg: anything above that, to one count, is motion.
    for range: UInt8 in [0x00, 0x08, 0x10, 0x18] {
      for (milliG, moves) in [(126, false), (130, true), (-126, false), (-130, true), (500, true)] as [(Int64, Bool)] {
        let bench = try Self.holding(StepMotion(at: .seconds(1), milliG: milliG), range: range)
        bench.pass(900_000)
        expect(bench.device.interruptPin, equals: .low)
        bench.pass(170_000)
        expect(bench.device.interruptPin, equals: moves ? .high : .low, "\(milliG) \(range)")
        try expect(bench.read(0x3A), equals: [moves ? 0x40 : 0x00])
      }
    }
  }

  @Test static func `a slow turn is motion once it is far enough from the held force`() throws {
    // 20 mg/s reach 128 mg after 6.4 s.
    let bench = try Self.holding(StepMotion(at: .seconds(1), milliG: 0, milliGPerSecond: 20))
    bench.pass(7_200_000)
    expect(bench.device.interruptPin, equals: .low)
    bench.pass(400_000)
    expect(bench.device.interruptPin, equals: .high)
  }

  @Test static func `the pin stays up until the status is read, and rises again while the force is away`() throws {
    let bench = try Self.holding(StepMotion(at: .seconds(1), milliG: 300))
    bench.pass(1_100_000)
    expect(bench.device.interruptPin, equals: .high)
    bench.pass(5_000)
    expect(bench.device.interruptPin, equals: .high)
    try expect(bench.read(0x3A), equals: [0x40])
    expect(bench.device.interruptPin, equals: .low)
    bench.pass(50_000)
    expect(bench.device.interruptPin, equals: .high)
  }

  @Test static func `the duration counts consecutive samples`() throws {
    // Six samples of 50 ms; a force of 180 ms shows in three or four of them.
    struct Bump: Motion {
      var duration: Microseconds { .zero }
      func specificForce(at time: Microseconds) -> Vector3 {
        let isUp = time.count >= 1_000_000 && time.count < 1_180_000
        return Vector3(x: Q16(raw: isUp ? 32_768 : 0), y: .zero, z: Q16(raw: 65_536))
      }
    }
    for (duration, moves) in [(1, true), (3, true), (5, false), (0, true)] as [(UInt8, Bool)] {
      let bench = try Self.holding(Bump(), duration: duration)
      bench.pass(3_000_000)
      expect(bench.device.interruptPin, equals: moves ? .high : .low, "\(duration)")
    }
  }

  @Test static func `nothing is motion without INT_ENABLE, with the high-pass in reset, or after power loss`()
    throws
  {
    let motion = StepMotion(at: .seconds(1), milliG: 1_000)
    let disabled = try Self.holding(motion)
    try disabled.write(0x38, 0x00)
    disabled.pass(2_000_000)
    try expect(disabled.read(0x3A), equals: [0x00])
    let reset = try Self.holding(motion)
    try reset.write(0x1C, 0x08)
    reset.pass(2_000_000)
    try expect(reset.read(0x3A), equals: [0x00])
    let dipped = try Self.holding(motion)
    dipped.device.powerCycle()
    dipped.pass(2_000_000)
    expect(dipped.device.interruptPin, equals: .low)
    try expect(dipped.read(0x3A), equals: [0x00])
  }

  @Test static func `a high-pass passes a step and forgets it`() throws {
    let bench = try Self.holding(StepMotion(at: .seconds(2), milliG: 400))
    try bench.write(0x1C, 0x08 | 0x03)
    bench.pass(1_900_000)
    expect(bench.device.interruptPin, equals: .low)
    bench.pass(200_000)
    expect(bench.device.interruptPin, equals: .high)
    bench.pass(2_000_000)
    _ = try bench.read(0x3A)
    bench.pass(1_000_000)
    expect(bench.device.interruptPin, equals: .low, "1.25 Hz: after 2 s the step is gone")
  }

  @Test static func `the 6500 class compares each sample with the one before`() throws {
    for (milliG, moves) in [(126, false), (132, true), (-132, true)] as [(Int64, Bool)] {
      let bench = try Self.comparing(StepMotion(at: .seconds(1), milliG: milliG))
      bench.pass(1_200_000)
      expect(bench.device.interruptPin, equals: moves ? .high : .low, "\(milliG)")
      _ = try bench.read(0x3A)
      bench.pass(1_000_000)
      expect(bench.device.interruptPin, equals: .low, "once a step")
    }
    let slow = try Self.comparing(StepMotion(at: .seconds(1), milliG: 0, milliGPerSecond: 500))
    slow.pass(3_000_000)
    expect(slow.device.interruptPin, equals: .low, "16 mg a sample")
    for control: UInt8 in [0x00, 0x40, 0x80] {
      let off = try Self.comparing(StepMotion(at: .seconds(1), milliG: 500), control: control)
      off.pass(2_000_000)
      expect(off.device.interruptPin, equals: .low)
    }
  }

  @Test static func `findings do not depend on how often the part is read`() throws {
    let often = try Self.holding(StepMotion(at: .seconds(3), milliG: 200))
    for _ in 0..<4_000 {
      often.pass(1_000)
      _ = often.device.interruptPin
    }
    let once = try Self.holding(StepMotion(at: .seconds(3), milliG: 200))
    once.pass(4_000_000)
    try expect(often.read(0x3A), equals: [0x40])
    try expect(once.read(0x3A), equals: [0x40])
  }
}

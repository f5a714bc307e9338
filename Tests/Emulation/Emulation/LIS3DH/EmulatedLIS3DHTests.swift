import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

/// The emulated part, tested through its registers alone, as the data sheet describes them (Rev. 2).
struct EmulatedLIS3DHTests {
  typealias Bench = PartBench<EmulatedLIS3DH>

  /// A force in 1/1000 g that is constant, or rises by 10 mg every 10 ms.
  private struct Force: Motion {
    var x: Int32 = 250
    var y: Int32 = -500
    var z: Int32 = 1_000
    var rises = false
    var duration: Microseconds { .zero }
    func specificForce(at time: Microseconds) -> Vector3 {
      let more = rises ? Int32(time.count / 10_000) * 10 : 0
      func g(_ milliG: Int32) -> Q16 { Q16(raw: Int32((Double(milliG + more) * 65.536).rounded())) }
      return Vector3(x: g(x), y: g(y), z: g(z))
    }
  }

  private static func bench(
    _ motion: any Motion = Force(), seed: UInt64 = 1,
    _ change: (inout EmulatedLIS3DH.Configuration) -> Void = { $0.specimen.isNoisy = false }
  ) -> Bench {
    let clock = VirtualClock()
    var configuration = EmulatedLIS3DH.Configuration()
    change(&configuration)
    let part = EmulatedLIS3DH(motion: motion, configuration: configuration, seed: seed) { clock.now }
    return PartBench(part, at: EmulatedLIS3DH.address, clock, plan: .none)
  }

  /// The three words, left-aligned.
  private static func words(_ bench: Bench) throws -> [Int16] {
    let bytes = try bench.read(0xA8, 6)
    return [0, 2, 4].map { Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8) }
  }

  /// Register, writable bits.
  static let writable: [(UInt8, UInt8)] = [
    (0x1E, 0x80), (0x1F, 0xC0), (0x20, 0xFF), (0x21, 0xFF), (0x22, 0xFE), (0x23, 0xFF), (0x24, 0x4F), (0x25, 0xFA),
    (0x26, 0xFF), (0x2E, 0xFF), (0x30, 0xFF), (0x32, 0x7F), (0x33, 0x7F), (0x34, 0xFF), (0x36, 0x7F), (0x37, 0x7F),
    (0x38, 0x3F), (0x3A, 0xFF), (0x3B, 0x7F), (0x3C, 0xFF), (0x3D, 0xFF), (0x3E, 0x7F), (0x3F, 0xFF),
  ]

  @Test static func `registers have their reset values and keep the writable bits`() throws {
    let bench = bench()
    let reset: [UInt8: UInt8] = [0x0F: 0x33, 0x1E: 0x10, 0x20: 0x07, 0x2F: 0x20]
    func expectReset() throws {
      for register: UInt8 in 0...0x7F {
        try expect(bench.byte(register), equals: reset[register] ?? 0, "\(register)")
      }
    }
    try expectReset()
    for (register, mask) in Self.writable {
      let fixed: UInt8 = register == 0x1E ? 0x10 : 0
      for value: UInt8 in [0xFF, 0x55, 0xAA, 0x00] {
        try bench.write(register, value)
        try expect(bench.byte(register), equals: value & mask | fixed, "\(register)")
      }
      if register == 0x3E { bench.device.powerCycle() }
    }
    bench.device.powerCycle()
    for register: UInt8 in 0...0x7F where !Self.writable.contains(where: { $0.0 == register }) {
      let before = bench.device.reservedWrites
      try bench.write(register, 0xFF)
      expect(bench.device.reservedWrites, equals: before + 1)
    }
    try expectReset()
  }

  @Test static func `the pointer advances only if bit 7 of the address was set, in reads and writes`() throws {
    let bench = bench()
    try bench.write(0x32, 1, 2)
    try expect(bench.read(0x32, 3), equals: [2, 2, 2])
    try bench.write(0xB2, 3, 4)
    try expect(bench.read(0xB2, 2), equals: [3, 4])
    try expect(bench.read(0x0F, 2), equals: [0x33, 0x33])
  }

  /// Code, low power, microseconds for 16 samples.
  @Test(
    arguments: [
      (1, false, 16_000_000), (2, false, 1_600_000), (3, false, 640_000), (4, false, 320_000), (5, false, 160_000),
      (6, false, 80_000), (7, false, 40_000), (9, false, 11_904), (8, true, 9_876), (9, true, 2_976),
    ] as [(UInt8, Bool, Int64)])
  static func `samples are taken at the output data rate`(_ code: UInt8, _ isLowPower: Bool, _ span: Int64) throws {
    let bench = bench()
    try bench.write(0x20, code << 4 | 0x07 | (isLowPower ? 0x08 : 0))
    for (wait, count) in [(span - 2, 15), (3, 16), (span - 3, 31), (4, 32)] as [(Int64, UInt64)] {
      bench.pass(wait)
      _ = try bench.byte(0x27)
      expect(bench.device.sampleCount, equals: count)
    }
  }

  @Test(arguments: [(0, 1.0), (1, 2), (2, 4), (3, 12)] as [(UInt8, Double)])
  static func `words of 12, 10 and 8 bits are left-aligned, with the same scale`(
    _ code: UInt8, _ milliG: Double
  ) throws {
    for (control1, control4, bits) in [(0x57, 0x88, 12), (0x57, 0x80, 10), (0x5F, 0x80, 8)] as [(UInt8, UInt8, Int)] {
      let bench = bench()
      try bench.write(0x23, control4 | code << 4)
      try bench.write(0x20, control1)
      bench.pass(100_000)
      for (word, force) in zip(try words(bench), [250.0, -500, 1_000]) {
        let step = milliG * Double(1 << (12 - bits))
        expect(abs(Double(word) / 16 * milliG - force), isAtMost: step / 2 + 0.1)
        expect(word & (1 << (16 - bits) - 1), equals: 0)
      }
    }
  }

  @Test static func `high resolution settles after seven samples, and after power-down REFERENCE must be read`() throws
  {
    let bench = bench()
    try bench.write(0x23, 0x88)
    try bench.write(0x20, 0x57)
    var seen: [Int16] = []
    for _ in 0..<9 {
      bench.pass(10_000)
      seen.append(try words(bench)[2])
    }
    #expect(seen[6] < 16_000 && seen[7] == 16_000 && seen[8] == 16_000)
    try bench.write(0x20, 0x07)
    try bench.write(0x20, 0x57)
    bench.pass(200_000)
    try expect(words(bench), equals: [8_000, -4_000, 20_000])
    _ = try bench.byte(0x26)
    bench.pass(10_000)
    try expect(words(bench), equals: [4_000, -8_000, 16_000])
  }

  @Test static func `STATUS shows unread and lost data for each axis, and INT1 is high until all are read`() throws {
    let bench = bench()
    try bench.write(0x22, 0x10)
    try bench.write(0x20, 0x57)
    try expect(bench.byte(0x27), equals: 0)
    expect(that: !bench.device.isInterruptHigh)
    bench.pass(10_000)
    try expect(bench.byte(0x27), equals: 0x0F)
    expect(that: bench.device.isInterruptHigh)
    _ = try bench.read(0xA8, 2)
    try expect(bench.byte(0x27), equals: 0x0E)
    expect(that: bench.device.isInterruptHigh)
    bench.pass(10_000)
    try expect(bench.byte(0x27), equals: 0xEF)
    _ = try bench.read(0xA8, 6)
    try expect(bench.byte(0x27), equals: 0)
    expect(that: !bench.device.isInterruptHigh)
    try bench.write(0x25, 0x02)
    expect(that: bench.device.isInterruptHigh)
  }

  @Test static func `with BDU both bytes of an axis are from one sample, without it each is the newest`() throws {
    for (control, isWhole) in [(0x80, true), (0x00, false)] as [(UInt8, Bool)] {
      // From 250 to 260 mg the low byte changes, and at 256 mg the high byte too.
      let bench = bench(Force(x: 250, rises: true))
      try bench.write(0x23, control)
      try bench.write(0x20, 0x57)
      bench.pass(10_000)
      let low = try bench.byte(0x28)
      bench.pass(10_000)
      let high = try bench.byte(0x29)
      let word = Int16(bitPattern: UInt16(low) | UInt16(high) << 8)
      expect(word == 260 / 4 * 64, equals: isWhole, "\(word)")
      try expect(bench.byte(0x27) & 1, equals: isWhole ? 1 : 0)
    }
  }

  @Test(arguments: 0...70)
  static func `the FIFO keeps the newest 32 sets in stream mode, the oldest in FIFO mode; FSS has five bits`(
    _ count: Int
  ) throws {
    for (mode, oldest) in [(0x80, max(0, count - 32)), (0x40, 0)] as [(UInt8, Int)] {
      let bench = bench(Force(x: 0, rises: true))
      try bench.write(0x24, 0x40)
      try bench.write(0x2E, mode | 20)
      try bench.write(0x20, 0x57)
      bench.pass(Int64(count) * 10_000)
      let kept = min(32, count)
      let source = try bench.byte(0x2F)
      #expect(source & 0x1F == min(31, kept) && (source & 0x40 != 0) == (kept == 32))
      expect(source & 0x20 != 0, equals: kept == 0)
      expect(source & 0x80 != 0, equals: kept >= 20)
      let bytes = try bench.read(0xA8, kept * 6)
      for set in 0..<kept {
        let x = Int16(bitPattern: UInt16(bytes[set * 6]) | UInt16(bytes[set * 6 + 1]) << 8)
        // 10 mg a sample, in steps of 4 mg.
        expect(abs(Int(x) / 16 - (oldest + set + 1) * 10), isAtMost: 2, "\(set)")
      }
      try expect(bench.byte(0x2F), equals: 0x20)
      bench.pass(30_000)
      try expect(bench.byte(0x2F), equals: 0x03)
      try bench.write(0x2E, 0)
      try bench.write(0x2E, mode)
      try expect(bench.byte(0x2F) & 0x3F, equals: 0x20)
    }
  }

  @Test static func `both self-tests change each axis, in opposite directions`() throws {
    for (bits, sign) in [(0x02, 1), (0x04, -1)] as [(UInt8, Int32)] {
      let bench = bench(Force(x: 0, y: 0, z: 0))
      try bench.write(0x23, 0x80 | bits)
      try bench.write(0x20, 0x57)
      bench.pass(50_000)
      try expect(words(bench).map { Int32($0) / 16 }, equals: [400 * sign, -400 * sign, 500 * sign])
    }
  }

  @Test static func `noise has the standard deviation for its mode and rate`() throws {
    for (control1, control4, milliG) in [
      (0x57, 0x88, 0.9), (0x77, 0x88, 1.8), (0x37, 0x88, 0.45), (0x57, 0x80, 1.9),
    ] as [(UInt8, UInt8, Double)] {
      let bench = bench(Force(x: 0, y: 0, z: 0)) { _ in }
      try bench.write(0x23, control4)
      try bench.write(0x20, control1)
      bench.pass(400_000)
      var sum = 0.0
      for _ in 0..<4_000 {
        bench.pass(40_000)
        sum += try words(bench).reduce(0.0) { $0 + (Double($1) / 16) * (Double($1) / 16) }
      }
      let step = control4 & 8 != 0 ? 1.0 : 4.0
      let expected = (milliG * milliG + step * step / 12).squareRoot()
      expect(abs((sum / 12_000).squareRoot() / expected - 1), isBelow: 0.12, "\(control1), \(control4)")
    }
  }

  @Test static func `wake-up is detected through the filter and latched, and INT1_SRC names the axis`() throws {
    let bench = bench()
    try bench.write(0xA1, 0x01, 0x40, 0x80, 0x08)
    try bench.write(0xB2, 8, 0)
    try bench.write(0x20, 0x57)
    bench.pass(50_000)
    _ = try bench.byte(0x26)
    try bench.write(0x30, 0x2A)
    bench.pass(1_000_000)
    expect(that: !bench.device.isInterruptHigh)
    bench.device.play(Force(y: -250))
    bench.pass(20_000)
    expect(that: bench.device.isInterruptHigh)
    bench.pass(10_000_000)
    expect(that: bench.device.isInterruptHigh)
    try expect(bench.byte(0x31), equals: 0x48)
    expect(that: !bench.device.isInterruptHigh)
    try expect(bench.byte(0x31), equals: 0)
  }

  @Test static func `with ACT_THS set the rate is 10 Hz, and the thermometer shows a difference`() throws {
    let bench = bench {
      $0.specimen.isNoisy = false
      $0.specimen.temperature = Q16(63, over: 2)
    }
    try bench.write(0x3E, 1)
    try bench.write(0x20, 0x57)
    bench.pass(1_000_000)
    _ = try bench.byte(0x27)
    expect(bench.device.sampleCount, equals: 10)
    try expect(bench.read(0x8C, 2), equals: [0, 0])
    try bench.write(0x1F, 0xC0)
    try expect(bench.read(0x8C, 2), equals: [0x80, 0x06])
  }
}

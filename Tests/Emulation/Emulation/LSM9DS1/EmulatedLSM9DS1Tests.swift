import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

/// The emulated part, tested through its registers alone, as the data sheet describes them (Rev. 2).
struct EmulatedLSM9DS1Tests {
  typealias Bench = PartBench<EmulatedLSM9DS1>

  /// A force in 1/1000 g and a rotation in °/s of the board; X rises by 10 mg a sample at 119 Hz.
  private struct Moving: Motion {
    var x: Int32 = 250
    var rises = false
    var duration: Microseconds { .zero }
    func specificForce(at time: Microseconds) -> Vector3 {
      func g(_ milliG: Int32) -> Q16 { Q16(raw: Int32((Double(milliG) * 65.536).rounded())) }
      return Vector3(x: g(x + (rises ? Int32(time.count / 8_403) * 10 : 0)), y: g(-500), z: g(1_000))
    }
    func rotationRate(at time: Microseconds) -> Vector3 {
      Vector3(x: Q16(whole: 70), y: Q16(whole: -140), z: Q16(whole: 210))
    }
  }

  private static func bench(
    _ motion: any Motion = Moving(),
    _ change: (inout EmulatedLSM9DS1.Configuration) -> Void = { $0.specimen.isNoisy = false }
  ) -> Bench {
    let clock = VirtualClock()
    var configuration = EmulatedLSM9DS1.Configuration()
    change(&configuration)
    let part = EmulatedLSM9DS1(motion: motion, configuration: configuration) { clock.now }
    return PartBench(part, at: EmulatedLSM9DS1.address, clock, plan: .none)
  }

  private static func words(_ bytes: [UInt8]) -> [Int] {
    stride(from: 0, to: bytes.count - 1, by: 2).map {
      Int(Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8))
    }
  }

  @Test static func `registers have their reset values, keep the writable bits, and a software reset restores them`()
    throws
  {
    let writable: [UInt8: UInt8] = [
      0x0D: 0xBF, 0x10: 0xFB, 0x11: 0x0F, 0x12: 0xCF, 0x13: 0x3F, 0x1E: 0x3B, 0x1F: 0xF8, 0x20: 0xFF, 0x21: 0xE5,
      0x22: 0x7E, 0x23: 0x5F, 0x24: 0x05, 0x2E: 0xFF,
    ].merging((Array(0x04...0x0C) + Array(0x30...0x37)).map { ($0, 0xFF) }) { a, _ in a }
    let reset: [UInt8: UInt8] = [0x0F: 0x68, 0x1E: 0x38, 0x1F: 0x38, 0x22: 0x04]
    let bench = bench()
    func expectReset() throws {
      for register: UInt8 in 0...0x7F { try expect(bench.byte(register), equals: reset[register] ?? 0, "\(register)") }
    }
    try expectReset()
    for (register, mask) in writable {
      for value: UInt8 in [0xFE, 0x54, 0xAA, 0x00] {
        try bench.write(register, value)
        try expect(bench.byte(register), equals: value & mask, "\(register)")
      }
    }
    try bench.write(0x22, 0x05)
    try expectReset()
    for register: UInt8 in 0...0x7F where writable[register] == nil {
      let before = bench.device.reservedWrites
      try bench.write(register, 0xFF)
      expect(bench.device.reservedWrites, equals: before + 1)
    }
    try expectReset()
  }

  @Test static func `the pointer advances while IF_ADD_INC is set, whatever bit 7 of the address is`() throws {
    let bench = bench()
    for bit7: UInt8 in [0x00, 0x80] {
      try bench.write(0x07 | bit7, 1, 2, 3)
      try expect(bench.read(0x07 | bit7, 3), equals: [1, 2, 3])
    }
    try bench.write(0x22, 0x80)
    try expect(bench.read(0x0F, 3), equals: [0x68, 0x68, 0x68])
    try bench.write(0x07, 4, 5)
    try expect(bench.read(0x07, 2), equals: [5, 5])
  }

  @Test static func `a burst goes from the gyroscope to the accelerometer and back, or stays in the latter`() throws {
    let bench = bench()
    try bench.write(0x20, 0x60)
    bench.pass(200_000)
    let force = [4_098, 8_197, 16_393]
    expect(words(try bench.read(0x28, 12)), equals: force + force)
    try bench.write(0x10, 0x60)
    bench.pass(200_000)
    // In the part's left-handed frame Y points down, for force and rotation.
    let turn = [8_000, 16_000, 24_000]
    expect(words(try bench.read(0x15, 26)), equals: [0] + turn + force + turn + force)
    expect(words(try bench.read(0x16, 25).dropFirst().map { $0 }), equals: turn + force + turn + force)
  }

  @Test(
    arguments: [
      (1, 1_600_000, 1_075_632), (2, 320_000, 268_908), (3, 134_454, 134_454), (4, 67_227, 67_227), (5, 33_613, 33_613),
      (6, 16_806, 16_806),
    ] as [(UInt8, Int64, Int64)])
  static func `samples are taken at the rate of the accelerometer alone, or at that of the gyroscope`(
    _ code: UInt8, _ alone: Int64, _ both: Int64
  ) throws {
    for (control, span) in [([code << 5, 0], alone), ([0x20, code << 5], both)] as [([UInt8], Int64)] {
      let bench = bench()
      try bench.write(0x20, control[0])
      if control[1] != 0 { try bench.write(0x10, control[1]) }
      for (wait, count) in [(span - 2, 15), (4, 16), (span - 4, 31), (4, 32)] as [(Int64, UInt64)] {
        bench.pass(wait)
        _ = try bench.byte(0x27)
        expect(bench.device.sampleCount, equals: count)
      }
    }
  }

  @Test(
    arguments: [(0, 0.061), (1, 0.732), (2, 0.122), (3, 0.244)] as [(UInt8, Double)],
    [(0, 8.75), (1, 17.5), (3, 70)] as [(Int, Double)])
  static func `counts have the sensitivities of the data sheet`(
    _ force: (code: UInt8, milliG: Double), _ turn: (code: Int, milliDegrees: Double)
  ) throws {
    let bench = bench()
    try bench.write(0x20, 0x60 | force.code << 3)
    try bench.write(0x10, 0x60 | UInt8(turn.code) << 3)
    bench.pass(200_000)
    let found = words(try bench.read(0x18, 12))
    let units = [turn.milliDegrees / 1_000, force.milliG]
    for (word, (expected, unit)) in zip(
      found, zip([70.0, 140, 210, 250, 500, 1_000], [units[0], units[0], units[0], units[1], units[1], units[1]]))
    {
      expect(abs(Double(word) * unit - expected), isAtMost: unit / 2 + 0.01)
    }
  }

  @Test static func `the first samples have not settled, and a read of any high byte clears the flag in STATUS`() throws
  {
    let bench = bench()
    try bench.write(0x0C, 0x01)
    try bench.write(0x20, 0x60)
    var seen: [Int] = []
    for _ in 0..<16 {
      bench.pass(8_404)
      try expect(bench.byte(0x27) & 0x01, equals: 1)
      expect(that: bench.device.isInterruptHigh)
      seen.append(words(try bench.read(0x2C, 2))[0])
      try expect(bench.byte(0x27) & 0x01, equals: 0)
      expect(that: !bench.device.isInterruptHigh)
    }
    #expect(seen[13] < 16_393 && seen[14] == 16_393 && seen[15] == 16_393)
    try bench.write(0x22, 0x24)
    expect(that: bench.device.isInterruptHigh)
  }

  @Test static func `with BDU both bytes of an axis are from one sample, without it each is the newest`() throws {
    for (control, isWhole) in [(0x44, true), (0x04, false)] as [(UInt8, Bool)] {
      let bench = bench(Moving(x: 0, rises: true))
      try bench.write(0x22, control)
      try bench.write(0x20, 0x60)
      bench.pass(300_000)
      let whole = words(try bench.read(0x28, 2))[0]
      let low = try bench.byte(0x28)
      bench.pass(84_034)
      let high = try bench.byte(0x29)
      expect((words([low, high])[0] == whole), equals: isWhole)
    }
  }

  @Test(arguments: 0...70, [false, true])
  static func `the FIFO keeps the newest 32 sets in continuous mode, the oldest in FIFO mode; FSS has six bits`(
    _ count: Int, _ turns: Bool
  ) throws {
    for (mode, isNewest) in [(0xC0, true), (0x20, false)] as [(UInt8, Bool)] {
      let bench = bench(Moving(x: 0, rises: true))
      try bench.write(0x20, 0x60)
      if turns { try bench.write(0x10, 0x60) }
      bench.pass(300_000)
      try bench.write(0x23, 0x02)
      try bench.write(0x2E, mode | 20)
      bench.pass(Int64(count) * 8_404)
      let (kept, size) = (min(32, count), turns ? 12 : 6)
      let source = try bench.byte(0x2F)
      expect(Int(source & 0x3F), equals: kept)
      expect(source & 0x80 != 0, equals: kept >= 20)
      expect(source & 0x40 != 0, equals: count > 32)
      let bytes = try bench.read(turns ? 0x18 : 0x28, kept * size)
      let x = (0..<kept).map { words(Array(bytes[($0 * size + size - 6)..<($0 * size + size)]))[0] }
      // The first after the change of mode is not valid.
      if kept > 0, !isNewest || count <= 32 { expect(x[0], equals: 0x5555) }
      for (a, b) in zip(x.dropFirst(), x.dropFirst(2)) { expect(abs(b - a - 164), isAtMost: 1) }
      try expect(bench.byte(0x2F) & 0x3F, equals: 0)
      try bench.write(0x2E, 0)
      try expect(bench.byte(0x2F), equals: 0)
    }
  }

  @Test static func `the self-tests add to each axis of their sensor`() throws {
    let bench = bench()
    try bench.write(0x20, 0x70)
    try bench.write(0x10, 0x78)
    bench.pass(300_000)
    let before = words(try bench.read(0x18, 12))
    try bench.write(0x24, 0x05)
    bench.pass(20_000)
    let change = zip(words(try bench.read(0x18, 12)), before).map { $0 - $1 }
    let expected: [Double] = [400 / 0.07, -400 / 0.07, 500 / 0.07, 400 / 0.122, -400 / 0.122, 500 / 0.122]
    for (found, wanted) in zip(change, expected) { expect(abs(Double(found) - wanted), isAtMost: 1) }
  }

  @Test static func `the thermometer has 16 counts per degree from 25 °C on`() throws {
    for (celsius, word) in [(25, 0), (31, 96), (-10, -560)] as [(Int32, Int)] {
      let bench = bench {
        $0.specimen.isNoisy = false
        $0.specimen.temperature = Q16(whole: celsius)
      }
      expect(words(try bench.read(0x15, 2)), equals: [0])
      try bench.write(0x20, 0x60)
      bench.pass(10_000)
      try expect(words(bench.read(0x15, 2)), equals: [word])
      try expect(bench.byte(0x27) & 0x04, equals: 0)
    }
  }
}

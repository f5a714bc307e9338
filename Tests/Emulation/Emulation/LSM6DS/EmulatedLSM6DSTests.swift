import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

/// The emulated parts, tested through their registers alone, as the data sheets describe them.
struct EmulatedLSM6DSTests {
  typealias Bench = PartBench<EmulatedLSM6DS>

  /// Part, identity, CTRL9_XL and CTRL10_C after a reset, whether the FIFO has tags, and LSB per °C.
  static let parts: [(part: EmulatedLSM6DS.Part, identity: UInt8, reset: [UInt8], hasTags: Bool, perDegree: Int)] = [
    (.lsm6ds33, 0x69, [0x38, 0x38], false, 16), (.lsm6ds3trC, 0x6A, [0, 0], false, 256),
    (.lsm6dso, 0x6C, [0xE0, 0], true, 256), (.ism330dhcx, 0x6B, [0xE0, 0], true, 256),
  ]

  /// 0.25, -0.5 and 1 g, at rest.
  private struct Force: Motion {
    var duration: Microseconds { .zero }
    func specificForce(at time: Microseconds) -> Vector3 {
      Vector3(x: Q16(raw: 16_384), y: Q16(raw: -32_768), z: Q16(raw: 65_536))
    }
  }

  private static func bench(
    _ part: EmulatedLSM6DS.Part, _ change: (inout EmulatedLSM6DS.Configuration) -> Void = { _ in }
  ) -> Bench {
    let clock = VirtualClock()
    var specimen = Specimen()
    specimen.isNoisy = false
    specimen.turn = Vector3(x: Q16(whole: 35), y: Q16(whole: -70), z: Q16(whole: 7))
    specimen.temperature = Q16(whole: 35)
    var configuration = EmulatedLSM6DS.Configuration()
    change(&configuration)
    let device = EmulatedLSM6DS(specimen, of: part, motion: Force(), configuration: configuration) { clock.now }
    return PartBench(device, at: EmulatedLSM6DS.address, clock, plan: .none)
  }

  private static func words(_ bytes: [UInt8]) -> [Int16] {
    stride(from: 0, to: bytes.count - 1, by: 2).map {
      Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
    }
  }

  @Test(arguments: parts)
  static func `registers have their reset values, again after SW_RESET and a lost supply`(
    _ row: (part: EmulatedLSM6DS.Part, identity: UInt8, reset: [UInt8], hasTags: Bool, perDegree: Int)
  ) throws {
    let bench = bench(row.part)
    for turn in 0..<3 {
      try expect(
        bench.read(0x0F, 12), equals: [row.identity, 0, 0, 0x04, 0, 0, 0, 0, 0, row.reset[0], row.reset[1], 0])
      try expect(bench.read(0x1E, 16), equals: Array(repeating: 0, count: 16))
      try expect(bench.byte(0x02), equals: row.hasTags ? 0x3F : 0)
      try bench.write(0x10, 0x40, 0x40)
      try bench.write(0x58, 0x81)
      bench.pass(1_000_000)
      try expect(bench.byte(0x1E), equals: 0x07)
      if turn == 0 { bench.device.powerCycle() } else { try bench.write(0x12, 0x05) }
      bench.pass(100)
    }
  }

  @Test(arguments: parts)
  static func `SW_RESET reads 1 for 50 µs, in which writes are ignored, and BOOT does nothing`(
    _ row: (part: EmulatedLSM6DS.Part, identity: UInt8, reset: [UInt8], hasTags: Bool, perDegree: Int)
  ) throws {
    let bench = bench(row.part)
    try bench.write(0x12, 0xC4)
    try expect(bench.byte(0x12), equals: 0x44)
    try bench.write(0x12, 0x05)
    try bench.write(0x10, 0x40)
    try expect(bench.byte(0x12), equals: 0x05)
    bench.pass(50)
    try expect(bench.read(0x10, 3), equals: [0, 0, 0x04])
  }

  @Test(arguments: parts)
  static func `words have the scale of the data sheet, and the first ones have not settled`(
    _ row: (part: EmulatedLSM6DS.Part, identity: UInt8, reset: [UInt8], hasTags: Bool, perDegree: Int)
  ) throws {
    let bench = bench(row.part)
    // 104 Hz, ±4 g, ±250 °/s; BDU.
    try bench.write(0x12, 0x44)
    try bench.write(0x10, 0x48, 0x40)
    bench.pass(10_000)
    let first = words(try bench.read(0x20, 14))
    expect(first[0], equals: Int16(10 * row.perDegree))
    #expect(first[4] == 4_098 && first[1] > 4_000, "0.5 g, and more than 35 °/s")
    bench.pass(100_000)
    expect(words(try bench.read(0x22, 12)), equals: [4_000, -8_000, 800, 2_049, -4_098, 8_197])
    // ±8 g, ±2000 °/s.
    try bench.write(0x10, 0x4C, 0x4C)
    bench.pass(10_000)
    expect(words(try bench.read(0x22, 12)), equals: [500, -1_000, 100, 1_025, -2_049, 4_098])
    // ±125 °/s.
    try bench.write(0x11, 0x42)
    bench.pass(10_000)
    expect(words(try bench.read(0x22, 6)), equals: [8_000, -16_000, 1_600])
  }

  @Test static func `without its axis enables an LSM6DS33 measures nothing, and the others do not have them`() throws {
    for row in Self.parts {
      let bench = bench(row.part)
      try bench.write(0x10, 0x40, 0x40)
      try bench.write(0x18, 0x02, 0)
      bench.pass(200_000)
      expect((words(try bench.read(0x22, 12)) == [0, 0, 0, 0, 0, 0]), equals: row.part == .lsm6ds33)
    }
  }

  @Test(arguments: parts)
  static func `a selected page hides the registers until it is left`(
    _ row: (part: EmulatedLSM6DS.Part, identity: UInt8, reset: [UInt8], hasTags: Bool, perDegree: Int)
  ) throws {
    let bench = bench(row.part)
    try bench.write(0x01, 0x80)
    try expect(bench.byte(0x0F), equals: 0)
    try bench.write(0x10, 0x40)
    try bench.write(0x01, 0)
    try expect(bench.read(0x0F, 2), equals: [row.identity, 0])
  }

  @Test(arguments: parts)
  static func `the FIFO keeps its layout: words in a pattern, or words with tags`(
    _ row: (part: EmulatedLSM6DS.Part, identity: UInt8, reset: [UInt8], hasTags: Bool, perDegree: Int)
  ) throws {
    let bench = bench(row.part)
    try bench.write(0x12, 0x44)
    try bench.write(0x10, 0x48, 0x40)
    bench.pass(200_000)
    if row.hasTags { try bench.write(0x09, 0x44, 0x06) } else { try bench.write(0x08, 0x09, 0, 0x26) }
    // Two sets.
    bench.pass(20_000)
    let status = try bench.read(0x3A, 4)
    expect(status, equals: (row.hasTags ? [4, 0, 0, 0] : [12, 0, 0, 0]))
    let expected: [Int16] = [4_000, -8_000, 800, 2_049, -4_098, 8_197]
    if row.hasTags {
      let bytes = try bench.read(0x78, 28)
      // Sensor, counter, parity.
      expect([0, 7, 14, 21].map { bytes[$0] >> 3 }, equals: [1, 2, 1, 2])
      expect([0, 7, 14, 21].map { bytes[$0] >> 1 & 3 }, equals: [0, 0, 1, 1])
      expect(all: [0, 7, 14, 21]) { bytes[$0].nonzeroBitCount % 2 == 0 }
      expect(words(Array(bytes[1...6])) + words(Array(bytes[8...13])), equals: expected)
    } else {
      expect(words(try bench.read(0x3E, 2)), equals: [4_000])
      try expect(bench.read(0x3A, 4), equals: [11, 0, 1, 0])
      expect(words(try bench.read(0x3E, 22)), equals: expected.dropFirst() + expected)
    }
    try expect(bench.read(0x3A, 2), equals: (row.hasTags ? [0, 0] : [0, 0x10]))
    // An overrun.
    bench.pass(20_000_000)
    let flags = try bench.read(0x3A, 2)
    #expect(flags[1] & 0x60 == 0x60 && (row.hasTags || flags[0] == 0 && flags[1] & 0x0F == 0))
    try bench.write(0x0A, 0)
    try expect(bench.read(0x3A, 2), equals: (row.hasTags ? [0, 0] : [0, 0x10]))
  }

  @Test(arguments: parts)
  static func `INT1 high at a reset without I3C_DISABLE makes a later part deaf, until its supply is off`(
    _ row: (part: EmulatedLSM6DS.Part, identity: UInt8, reset: [UInt8], hasTags: Bool, perDegree: Int)
  ) throws {
    for isDisabled in [true, false] {
      let bench = bench(row.part) { $0.isINT1High = true }
      if isDisabled { try bench.write(0x18, 0xE2) }
      try bench.write(0x12, 0x05)
      bench.pass(1_000)
      try expect(bench.byte(0x0F), equals: row.hasTags && !isDisabled ? 0xFF : row.identity)
      bench.device.powerCycle()
      try expect(bench.byte(0x0F), equals: row.identity)
    }
  }

  @Test(arguments: parts)
  static func `the self-test bits add and subtract`(
    _ row: (part: EmulatedLSM6DS.Part, identity: UInt8, reset: [UInt8], hasTags: Bool, perDegree: Int)
  ) throws {
    let bench = bench(row.part)
    try bench.write(0x10, 0x48, 0x4C)
    bench.pass(200_000)
    let rest = words(try bench.read(0x22, 12)).map(Int.init)
    for (code, sign) in [(UInt8(0x05), 1), (0x0E, -1)] {
      try bench.write(0x14, code)
      bench.pass(20_000)
      let change = zip(words(try bench.read(0x22, 12)), rest).map { Int($0) - $1 }
      // 400, -300 and 500 °/s at 70 mdps; 0.3, -0.3 and 0.6 g at 0.122 mg.
      for (found, wanted) in zip(change, [5_714, -4_286, 7_143, 2_459, -2_459, 4_918]) {
        expect(abs(found - sign * wanted), isAtMost: 1)
      }
    }
  }
}

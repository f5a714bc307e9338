import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

/// The emulated part, tested through its registers alone, as the data sheet describes them (rev. 1.6).
struct EmulatedICM20948Tests {
  typealias Bench = PartBench<EmulatedICM20948>

  /// A force in 1/1000 g, and a rotation of 10, -20 and 30 °/s.
  private struct Turning: Motion {
    var x: Int32 = 250
    var y: Int32 = -500
    var z: Int32 = 1_000
    var duration: Microseconds { .zero }
    func specificForce(at time: Microseconds) -> Vector3 {
      func g(_ milliG: Int32) -> Q16 { Q16(raw: Int32((Double(milliG) * 65.536).rounded())) }
      return Vector3(x: g(x), y: g(y), z: g(z))
    }
    func rotationRate(at time: Microseconds) -> Vector3 {
      Vector3(x: Q16(whole: 10), y: Q16(whole: -20), z: Q16(whole: 30))
    }
  }

  private static func bench(
    _ motion: any Motion = Turning(), _ change: (inout EmulatedICM20948.Configuration) -> Void = { _ in }
  ) -> Bench {
    let clock = VirtualClock()
    var configuration = EmulatedICM20948.Configuration()
    configuration.specimen.isNoisy = false
    change(&configuration)
    let part = EmulatedICM20948(motion: motion, configuration: configuration) { clock.now }
    return PartBench(part, at: EmulatedICM20948.address, clock, plan: .none)
  }

  /// A part that is awake and has settled.
  private static func awake(_ change: (inout EmulatedICM20948.Configuration) -> Void = { _ in }) throws -> Bench {
    let bench = bench(Turning(), change)
    try bench.write(0x06, 0x01)
    bench.pass(50_000)
    return bench
  }

  private static func write(_ bench: Bench, bank: UInt8, _ bytes: UInt8...) throws {
    try bench.write(0x7F, bank << 4)
    try bench.write(bytes)
    try bench.write(0x7F, 0x00)
  }

  private static func words(_ bench: Bench, _ register: UInt8, _ count: Int) throws -> [Int16] {
    let bytes = try bench.read(register, 2 * count)
    return (0..<count).map { Int16(bitPattern: UInt16(bytes[2 * $0]) << 8 | UInt16(bytes[2 * $0 + 1])) }
  }

  /// Bank, register, reset value, writable bits.
  static let registers: [(bank: UInt8, register: UInt8, reset: UInt8, writable: UInt8)] = [
    (0, 0x00, 0xEA, 0), (0, 0x05, 0x40, 0x70), (0, 0x07, 0, 0x3F), (0, 0x0F, 0, 0xFE), (0, 0x10, 0, 0x8F),
    (0, 0x12, 0, 0x1F), (0, 0x13, 0, 0x1F), (0, 0x66, 0, 0x0F), (0, 0x67, 0, 0x1F), (0, 0x68, 0, 0x1F),
    (0, 0x69, 0, 0x1F), (1, 0x02, 120, 0), (1, 0x10, 90, 0), (2, 0x00, 0, 0xFF), (2, 0x01, 0x01, 0x3F),
    (2, 0x02, 0, 0x3F), (2, 0x09, 0, 0x01), (2, 0x10, 0, 0x0F), (2, 0x11, 0, 0xFF), (2, 0x12, 0, 0x03),
    (2, 0x13, 0, 0xFF), (2, 0x14, 0x01, 0x3F), (2, 0x15, 0, 0x1F), (3, 0x01, 0, 0xFF), (3, 0x13, 0, 0xFF),
  ]

  @Test static func `registers have their reset values, keep the writable bits, and differ from bank to bank`() throws {
    let bench = bench()
    try expect(bench.byte(0x06), equals: 0x41)
    try expect(bench.byte(0x03), equals: 0)
    try bench.write(0x06, 0x01)
    for (bank, register, reset, writable) in Self.registers {
      try bench.write(0x7F, bank << 4)
      try expect(bench.byte(register), equals: reset, "\(bank), \(register)")
      for value: UInt8 in [0xFF, 0x55, 0xAA, reset] {
        try bench.write(register, value)
        try expect(bench.byte(register), equals: value & writable | reset & ~writable, "\(bank), \(register)")
      }
      try expect(bench.byte(0x7F), equals: bank << 4)
      try bench.write(0x7F, 0x00)
    }
    try expect(bench.byte(0x00), equals: 0xEA)
  }

  @Test static func `the bank survives a host, and is 0 after a reset or a loss of supply`() throws {
    let bench = try awake()
    for isReset in [true, false] {
      try bench.write(0x7F, 0x20)
      try bench.write(0x00, 0x33)
      try expect(bench.read(0x00, 2), equals: [0x33, 0x01])
      try bench.write(0x7F, 0x00)
      try bench.write(0x7F, 0x30)
      if isReset {
        try bench.write(0x7F, 0x00)
        try bench.write(0x06, 0x80)
      } else {
        bench.device.powerCycle()
      }
      bench.pass(20_000)
      try expect(bench.byte(0x7F), equals: 0x00)
      try expect(bench.byte(0x00), equals: 0xEA)
      try expect(bench.byte(0x06), equals: 0x41)
      try bench.write(0x06, 0x01)
    }
  }

  @Test static func `a reset takes 20 ms, in which nothing can be written`() throws {
    let bench = try awake()
    try bench.write(0x06, 0x80)
    try expect(bench.byte(0x06), equals: 0xC1)
    try bench.write(0x06, 0x01)
    bench.pass(19_999)
    try expect(bench.byte(0x06), equals: 0xC1)
    bench.pass(1)
    try expect(bench.byte(0x06), equals: 0x41)
    try expect(words(bench, 0x2D, 7), equals: [0, 0, 0, 0, 0, 0, 0])
  }

  @Test static func `asleep, banks 1 to 3 ignore writes`() throws {
    let bench = bench()
    try write(bench, bank: 2, 0x00, 0x33)
    try bench.write(0x7F, 0x20)
    try expect(bench.byte(0x00), equals: 0)
  }

  @Test(arguments: 0..<4 as Range<UInt8>)
  static func `data are high byte first, at the scale of each range`(_ code: UInt8) throws {
    let bench = try awake()
    try write(bench, bank: 2, 0x14, code << 1 | 1)
    try write(bench, bank: 2, 0x01, code << 1 | 1)
    bench.pass(2_000)
    let perG = 16_384 >> Int16(code)
    let perDegree = [131, 65.5, 32.8, 16.4][Int(code)]
    let expected = [
      Double(perG) * 0.25, Double(perG) * -0.5, Double(perG), perDegree * 10, perDegree * -20, perDegree * 30,
      // 25 °C.
      4 * 333.87,
    ]
    for (found, expected) in zip(try words(bench, 0x2D, 7), expected) {
      expect(abs(Double(found) - expected), isAtMost: 0.6)
    }
  }

  @Test static func `the accelerometer settles in 20 ms and the gyroscope in 35 ms`() throws {
    let bench = bench()
    try bench.write(0x06, 0x01)
    bench.pass(19_000)
    try expect(words(bench, 0x2D, 3), equals: [0, 0, 0])
    bench.pass(2_000)
    try expect(words(bench, 0x2D, 6)[0...2], equals: [4_096, -8_192, 16_384])
    try expect(words(bench, 0x33, 3), equals: [0, 0, 0])
    bench.pass(16_000)
    try expect(words(bench, 0x33, 3), equals: [1_310, -2_620, 3_930])
  }

  @Test static func `standby of one sensor leaves the other running, and clock 0 stops the gyroscope`() throws {
    let bench = try awake()
    for (power, standby, count) in [(0x01, 0x07, 1_125), (0x01, 0x38, 1_125), (0x01, 0x3F, 0), (0x07, 0, 0)]
      as [(UInt8, UInt8, Int)]
    {
      try bench.write(0x06, power, standby)
      let before = bench.device.sampleCount
      bench.pass(1_000_000)
      _ = try bench.byte(0x00)
      expect(abs(Int(bench.device.sampleCount - before) - count), isAtMost: 1, "\(power), \(standby)")
    }
  }

  @Test static func `the FIFO stores what is selected in register order, and overflows byte by byte`() throws {
    let bench = try awake()
    try write(bench, bank: 2, 0x00, 44)
    try write(bench, bank: 2, 0x10, 0, 44)
    try bench.write(0x67, 0x1F)
    try bench.write(0x03, 0x40)
    bench.pass(41_000)
    try expect(bench.read(0x70, 2), equals: [0, 14])
    let data = try bench.read(0x2D, 14)
    try expect(bench.read(0x72, 14), equals: data)
    try expect(bench.read(0x70, 2), equals: [0, 0])
    try expect(bench.byte(0x1B), equals: 0)
    bench.pass(36 * 40_000)
    try expect(bench.read(0x70, 2), equals: [1, 248])
    try expect(bench.byte(0x1B), equals: 0)
    bench.pass(40_000)
    // 37 records are 518 bytes: six are lost, and the rest begins within a record.
    try expect(bench.read(0x70, 2), equals: [2, 0])
    try expect(bench.byte(0x1B), equals: 1)
    try expect(bench.byte(0x1B), equals: 0)
    try expect(bench.read(0x72, 8), equals: Array(data[6...13]))
    try bench.write(0x68, 0x1F)
    try expect(bench.read(0x70, 2), equals: [0, 0])
    bench.pass(100_000)
    try expect(bench.read(0x70, 2), equals: [0, 0], "held in reset")
    try bench.write(0x68, 0x00)
    bench.pass(40_000)
    try expect(bench.read(0x70, 2), equals: [0, 14])
  }

  @Test static func `in snapshot mode the oldest bytes stay`() throws {
    let bench = try awake()
    try bench.write(0x67, 0x10, 0x00, 0x01)
    try bench.write(0x03, 0x40)
    bench.pass(1_000_000)
    try expect(bench.read(0x70, 2), equals: [2, 0])
    try expect(bench.read(0x72, 6), equals: bench.read(0x2D, 6))
  }

  @Test static func `wake on motion compares with the previous sample, and shows until it is read`() throws {
    let bench = try awake()
    try write(bench, bank: 2, 0x12, 0x03, 25)
    try bench.write(0x0F, 0x20, 0x08)
    for (x, isSeen) in [(250, false), (345, false), (450, true), (345, true), (345, false)] as [(Int32, Bool)] {
      bench.device.play(Turning(x: x))
      bench.pass(10_000)
      expect(bench.device.isInterruptHigh, equals: isSeen, "\(x)")
      try expect(bench.byte(0x19), equals: isSeen ? 0x08 : 0)
      expect(that: !bench.device.isInterruptHigh)
    }
  }

  @Test static func `self-test adds its deflection on the selected axes`() throws {
    let bench = try awake()
    let quiet = try words(bench, 0x2D, 6)
    try write(bench, bank: 2, 0x15, 0x10)
    try write(bench, bank: 2, 0x02, 0x08)
    bench.pass(2_000)
    let found = try words(bench, 0x2D, 6)
    // 2620 · 1.01^99 and 2620 · 1.01^109.
    #expect(abs(Int(found[0] - quiet[0]) - 7_016) <= 1 && abs(Int(found[5] - quiet[5]) - 7_751) <= 1)
    expect(found[1...4], equals: quiet[1...4])
  }

  @Test static func `the I2C master finds the magnetometer's identity and nothing else`() throws {
    let bench = try awake()
    for (address, register, expected) in [(0x8C, 0x01, 0x09), (0x8C, 0x00, 0), (0x0C, 0x01, 0)]
      as [(UInt8, UInt8, UInt8)]
    {
      try write(bench, bank: 3, 0x13, address, register, 0x80)
      try expect(bench.byte(0x17), equals: 0x40)
      try expect(bench.byte(0x17), equals: 0)
      try bench.write(0x7F, 0x30)
      try expect(bench.read(0x15, 3), equals: [0x00, 0x00, expected])
      try bench.write(0x7F, 0x00)
    }
  }
}

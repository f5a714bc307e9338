import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

struct MPU6050InterruptTests {
  typealias Pin = EmulatedMPU6050.InterruptPin

  /// Samples every 10 ms, the last one just now, with its status read.
  static func bench(pin: UInt8 = 0x00, enable: UInt8 = 0x01) throws -> MPUBench {
    let bench = MPUBench()
    try bench.write(0x37, pin, enable)
    try bench.start()
    _ = try bench.read(0x3A)
    return bench
  }

  @Test static func `a sample sets DATA_RDY if enabled, and reading the status clears it`() throws {
    let bench = try Self.bench()
    try expect(bench.read(0x3A), equals: [0x00])
    bench.pass(9_999)
    try expect(bench.read(0x3A), equals: [0x00])
    bench.pass(1)
    try expect(bench.read(0x3A), equals: [0x01])
    try expect(bench.read(0x3A), equals: [0x00])
    let silent = try Self.bench(enable: 0x00)
    silent.pass(10_000)
    try expect(silent.read(0x3A), equals: [0x00])
  }

  @Test static func `reading the data does not clear the status unless INT_RD_CLEAR is set`() throws {
    let bench = try Self.bench()
    bench.pass(10_000)
    _ = try bench.force()
    try expect(bench.read(0x3A), equals: [0x01])
    for register: UInt8 in [0x3B, 0x75, 0x74] {
      let clearing = try Self.bench(pin: 0x10)
      clearing.pass(10_000)
      _ = try clearing.read(register)
      try expect(clearing.read(0x3A), equals: [0x00])
    }
    let clearing = try Self.bench(pin: 0x10)
    clearing.pass(10_000)
    try expect(clearing.read(0x39, 4)[1], equals: 0x01)
  }

  @Test static func `a write and a bare register number clear nothing`() throws {
    let bench = try Self.bench(pin: 0x10)
    bench.pass(10_000)
    try bench.write(0x3A)
    try bench.write(0x3A, 0x00)
    try expect(bench.readOn(1), equals: [0x00])
    try expect(bench.read(0x3A), equals: [0x00], "the register after the status was read, which cleared it")
    bench.pass(10_000)
    try bench.write(0x3A, 0x00)
    try expect(bench.read(0x3A), equals: [0x01])
  }

  @Test static func `the status comes in one burst with its sample`() throws {
    let bench = try Self.bench()
    bench.pass(10_000)
    try expect(bench.read(0x3A, 7), equals: [0x01, 0, 0, 0, 0, 0x40, 0x00])
    try expect(bench.read(0x3A, 7), equals: [0x00, 0, 0, 0, 0, 0x40, 0x00])
  }

  /// INT_LEVEL and INT_OPEN, and the state of the pin when active and idle.
  static let levels: [(bits: UInt8, active: Pin, idle: Pin)] = [
    (0x00, .high, .low), (0x80, .low, .high), (0x40, .released, .low), (0xC0, .low, .released),
  ]

  @Test static func `unlatched, the pin pulses for 50 µs at every sample, with each level and driver`() throws {
    for row in Self.levels {
      let bench = try Self.bench(pin: row.bits)
      for _ in 0..<5 {
        expect(bench.device.interruptPin, equals: row.active)
        bench.pass(49)
        expect(bench.device.interruptPin, equals: row.active)
        bench.pass(1)
        expect(bench.device.interruptPin, equals: row.idle)
        bench.pass(9_949)
        expect(bench.device.interruptPin, equals: row.idle)
        bench.pass(1)
      }
    }
  }

  @Test static func `latched, the pin stays until the status is read`() throws {
    for row in Self.levels {
      let bench = try Self.bench(pin: row.bits | 0x20)
      expect(bench.device.interruptPin, equals: row.idle)
      bench.pass(10_000)
      expect(bench.device.interruptPin, equals: row.active)
      bench.pass(5_000)
      _ = try bench.force()
      expect(bench.device.interruptPin, equals: row.active)
      _ = try bench.read(0x3A)
      expect(bench.device.interruptPin, equals: row.idle)
    }
  }

  @Test static func `latched with INT_RD_CLEAR, the pin stays until anything is read`() throws {
    let bench = try Self.bench(pin: 0x30)
    bench.pass(10_000)
    expect(bench.device.interruptPin, equals: .high)
    _ = try bench.force()
    expect(bench.device.interruptPin, equals: .low)
    bench.pass(10_000)
    expect(bench.device.interruptPin, equals: .high)
  }

  @Test static func `a disabled event does not move the pin`() throws {
    for pin: UInt8 in [0x00, 0x20] {
      let bench = try Self.bench(pin: pin, enable: 0x18)
      bench.pass(10_000)
      expect(bench.device.interruptPin, equals: .low)
    }
    let asleep = MPUBench()
    try asleep.write(0x38, 0x01)
    asleep.pass(1_000_000)
    expect(asleep.device.interruptPin, equals: .low)
  }

  @Test static func `an overflow of the FIFO moves the pin if enabled`() throws {
    for (enable, expected) in [(UInt8(0x10), Pin.high), (0x00, .low)] {
      let bench = try Self.bench(pin: 0x20, enable: enable)
      try bench.write(0x23, 0x08)
      try bench.write(0x6A, 0x40)
      bench.pass(1_700_000)
      expect(bench.device.interruptPin, equals: .low)
      bench.pass(10_000)
      expect(bench.device.interruptPin, equals: expected)
      // The status shows it in any case.
      try expect(bench.read(0x3A), equals: [0x10])
      expect(bench.device.interruptPin, equals: .low)
    }
    let pulsing = try Self.bench(pin: 0x00, enable: 0x10)
    try pulsing.write(0x23, 0x08)
    try pulsing.write(0x6A, 0x40)
    pulsing.pass(1_710_000)
    expect(pulsing.device.interruptPin, equals: .high)
    pulsing.pass(50)
    expect(pulsing.device.interruptPin, equals: .low)
  }

  @Test static func `a reset clears a latched event`() throws {
    let bench = try Self.bench(pin: 0x20)
    bench.pass(10_000)
    try bench.write(0x6B, 0x80)
    expect(bench.device.interruptPin, equals: .low)
    try expect(bench.read(0x3A), equals: [0x00])
  }
}

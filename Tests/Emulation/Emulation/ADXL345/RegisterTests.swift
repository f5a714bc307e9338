import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

struct RegisterTests {
  /// Every register of the data sheet: number, reset value, and writable bits.
  static let map: [(register: UInt8, reset: UInt8, writable: UInt8)] = [
    (0x00, 0xE5, 0x00), (0x1D, 0x00, 0xFF), (0x1E, 0x00, 0xFF), (0x1F, 0x00, 0xFF), (0x20, 0x00, 0xFF),
    (0x21, 0x00, 0xFF), (0x22, 0x00, 0xFF), (0x23, 0x00, 0xFF), (0x24, 0x00, 0xFF), (0x25, 0x00, 0xFF),
    (0x26, 0x00, 0xFF), (0x27, 0x00, 0xFF), (0x28, 0x00, 0xFF), (0x29, 0x00, 0xFF), (0x2A, 0x00, 0x0F),
    (0x2B, 0x00, 0x00), (0x2C, 0x0A, 0x1F), (0x2D, 0x00, 0x3F), (0x2E, 0x00, 0xFF), (0x2F, 0x00, 0xFF),
    (0x30, 0x02, 0x00), (0x31, 0x00, 0xEF), (0x32, 0x00, 0x00), (0x33, 0x00, 0x00), (0x34, 0x00, 0x00),
    (0x35, 0x00, 0x00), (0x36, 0x00, 0x00), (0x37, 0x00, 0x00), (0x38, 0x00, 0xFF), (0x39, 0x00, 0x00),
  ]

  @Test(arguments: map)
  static func `a register has its reset value, before and after a power cycle`(
    _ row: (register: UInt8, reset: UInt8, writable: UInt8)
  ) throws {
    let bench = ADXL345Bench()
    try expect(bench.read(row.register), equals: [row.reset])
    try bench.write(row.register, 0xFF)
    bench.clock.advance(by: .seconds(1))
    bench.device.powerCycle()
    try expect(bench.read(row.register), equals: [row.reset])
  }

  @Test(arguments: map)
  static func `a register stores its existing bits and ignores the others`(
    _ row: (register: UInt8, reset: UInt8, writable: UInt8)
  ) throws {
    for value: UInt8 in [0xFF, 0x00, 0xA5, 0x5A] {
      let bench = ADXL345Bench()
      try bench.write(row.register, value)
      let expected = row.writable == 0 ? row.reset : value & row.writable
      try expect(bench.read(row.register), equals: [expected])
    }
  }

  @Test static func `reserved registers read zero and ignore writes`() throws {
    let bench = ADXL345Bench()
    for register in Array(0x01...0x1C) + Array(0x3A...0x3F) {
      try bench.write(UInt8(register), 0xFF)
      try expect(bench.read(UInt8(register)), equals: [0])
    }
  }

  @Test static func `the pointer advances with every byte written`() throws {
    let bench = ADXL345Bench()
    try bench.write(0x1E, 0xFD, 0x03, 0xFE)
    try expect(bench.read(0x1D, 5), equals: [0x00, 0xFD, 0x03, 0xFE, 0x00])
  }

  @Test static func `the pointer passes over read-only registers in a write`() throws {
    let bench = ADXL345Bench()
    try bench.write(0x2A, 0x0F, 0xFF, 0x0B)
    try expect(bench.read(0x2A, 3), equals: [0x0F, 0x00, 0x0B])
  }

  @Test static func `the pointer wraps from 3F to 00`() throws {
    try expect(ADXL345Bench().read(0x3F, 2), equals: [0x00, 0xE5])
  }

  @Test static func `a read without a register number continues where the last one stopped`() throws {
    let bench = ADXL345Bench()
    try expect(bench.read(0x2B), equals: [0x00])
    var buffer: [UInt8] = [0]
    var span = buffer.mutableSpan
    try bench.bus.writeRead([UInt8]().span, into: &span, at: EmulatedADXL345.address)
    expect(buffer, equals: [0x0A])
  }

  @Test static func `a write of only the pointer sets it for the next read`() throws {
    let bench = ADXL345Bench()
    try bench.write(0x2C)
    var buffer: [UInt8] = [0]
    var span = buffer.mutableSpan
    try bench.bus.writeRead([UInt8]().span, into: &span, at: EmulatedADXL345.address)
    expect(buffer, equals: [0x0A])
  }

  @Test static func `the bring-up of the reference page reads back as described`() throws {
    let bench = ADXL345Bench()
    try bench.write(0x2D, 0x00)
    try expect(bench.read(0x00), equals: [0xE5])
    try bench.write(0x2C, 0x0A)
    try bench.write(0x31, 0x0B)
    try bench.write(0x1E, 0x00, 0x00, 0x00)
    try bench.write(0x2E, 0x00)
    try bench.write(0x38, 0x00)
    try expect(bench.read(0x2C), equals: [0x0A])
    try expect(bench.read(0x31), equals: [0x0B])
    try bench.write(0x2D, 0x08)
    bench.clock.advance(by: .milliseconds(12))
    try expect(bench.read(0x32, 6), equals: [0, 0, 0, 0, 0x00, 0x01])
  }

  @Test(arguments: [UInt8(0xE6), 0x00, 0xFF, 0x68])
  static func `a specimen can have another identity`(_ identity: UInt8) throws {
    var configuration = EmulatedADXL345.Configuration.quiet
    configuration.identity = identity
    try expect(ADXL345Bench(Constant(), configuration).read(0x00), equals: [identity])
  }

  @Test static func `the addresses are those of the data sheet`() {
    expect(EmulatedADXL345.address.rawValue, equals: 0x53)
    expect(EmulatedADXL345.alternateAddress.rawValue, equals: 0x1D)
  }
}

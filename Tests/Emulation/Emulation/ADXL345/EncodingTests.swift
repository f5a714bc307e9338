import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

struct EncodingTests {
  @Test(
    arguments: [
      (256, [0x00, 0x01]), (-256, [0x00, 0xFF]), (4_095, [0xFF, 0x0F]), (-4_096, [0x00, 0xF0]), (18, [0x12, 0x00]),
      (-1, [0xFF, 0xFF]),
    ] as [(Int32, [UInt8])])
  static func `a full-resolution reading has the bytes of the reference page`(_ counts: Int32, _ bytes: [UInt8]) throws
  {
    let bench = ADXL345Bench(Constant(x: counts * 256, y: counts * 256, z: counts * 256))
    try bench.start()
    try expect(bench.read(0x32, 6), equals: bytes + bytes + bytes)
  }

  /// Format, LSB per g, smallest and largest count.
  static let formats: [(format: UInt8, perG: Double, span: ClosedRange<Int>)] = [
    (0x00, 256, -512...511), (0x01, 128, -512...511), (0x02, 64, -512...511), (0x03, 32, -512...511),
    (0x08, 256, -512...511), (0x09, 256, -1_024...1_023), (0x0A, 256, -2_048...2_047), (0x0B, 256, -4_096...4_095),
  ]

  @Test(arguments: formats)
  static func `each format has its sensitivity, rounds to nearest and clips to its range`(
    _ row: (format: UInt8, perG: Double, span: ClosedRange<Int>)
  ) throws {
    for g in [0, 0.001, -0.001, 0.5, -0.5, 1, -1, 1.234, -1.9, 2.1, -2.1, 3.99, 7.3, -7.9, 15.99, -16, 20, -20] {
      let raw = Int32((g * 65_536).rounded())
      let bench = ADXL345Bench(Constant(x: raw, y: -raw, z: 0))
      try bench.start(format: row.format)
      let counts = try bench.counts()
      for (axis, force) in [raw, -raw, 0].enumerated() {
        let ideal = Double(force) / 65_536 * row.perG
        let clipped = min(max(ideal, Double(row.span.lowerBound)), Double(row.span.upperBound))
        expect(abs(Double(counts[axis]) - clipped), isAtMost: 0.5, "\(g) g on axis \(axis)")
        expect(row.span, contains: counts[axis])
      }
    }
  }

  @Test(arguments: zip(formats, [6, 6, 6, 6, 6, 5, 4, 3]))
  static func `left-justified readings are the right-justified ones shifted up`(
    _ row: (format: UInt8, perG: Double, span: ClosedRange<Int>), _ lowestBit: Int
  ) throws {
    for raw: Int32 in [65_536, -65_536, 12_345, -54_321, 1 << 22, -1 << 22] {
      let right = ADXL345Bench(Constant(x: raw))
      try right.start(format: row.format)
      let left = ADXL345Bench(Constant(x: raw))
      try left.start(format: row.format | 0x04)
      try expect(left.counts()[0], equals: right.counts()[0] * (1 << lowestBit))
    }
  }

  @Test(arguments: [0x0B, 0x00, 0x01, 0x02, 0x03] as [UInt8])
  static func `one step of an offset register is four full-resolution counts in every range`(_ format: UInt8) throws {
    for step: Int8 in [-128, -13, -1, 1, 4, 127] {
      let bench = ADXL345Bench(Constant())
      try bench.write(0x1F, UInt8(bitPattern: step))
      try bench.start(format: format)
      let perG = format == 0x0B ? 256.0 : 256.0 / Double(1 << format)
      let ideal = min(Double(step) * 0.015625 * perG, 511)
      try expect(abs(Double(bench.counts()[1]) - ideal), isAtMost: 0.5)
      try expect(bench.counts()[0], equals: 0)
    }
  }

  @Test static func `the offsets of the reference page cancel the errors they are for`() throws {
    let bench = ADXL345Bench(Constant(x: 10 * 256, y: -13 * 256, z: 9 * 256))
    try bench.write(0x1E, 0xFD, 0x03, 0xFE)
    try bench.start()
    try expect(bench.counts(), equals: [-2, -1, 1])
  }

  @Test(arguments: [(0x0E, 0x0B), (0x0F, 0x0B), (0x0E, 0x00), (0x0F, 0x08)] as [(UInt8, UInt8)])
  static func `the lowest bit is zero at the two fastest rates`(_ rate: UInt8, _ format: UInt8) throws {
    let bench = ADXL345Bench(Constant(x: 101 * 256, y: -101 * 256, z: 102 * 256))
    try bench.write(0x2C, rate)
    try bench.start(format: format)
    try expect(bench.counts(), equals: [100, -102, 102])
  }

  @Test static func `a specimen shows its zero-g offset and sensitivity error`() throws {
    var configuration = EmulatedADXL345.Configuration.quiet
    configuration.zeroGOffset = Vector3(x: Q16(15, over: 100), y: .zero, z: Q16(-25, over: 100))
    configuration.sensitivityError = Vector3(x: .zero, y: Q16(10, over: 100), z: .zero)
    let bench = ADXL345Bench(Constant(x: 0, y: -65_536, z: 65_536), configuration)
    try bench.start()
    try expect(bench.counts(), equals: [38, -282, 192])
  }

  @Test static func `a new format takes effect with the next sample`() throws {
    let bench = ADXL345Bench(Constant(z: 65_536))
    try bench.start()
    try bench.write(0x31, 0x03)
    try expect(bench.counts(), equals: [0, 0, 256])
    bench.clock.advance(by: .milliseconds(10))
    try expect(bench.counts(), equals: [0, 0, 32])
  }
}

import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

struct EmulatedMPU6050FIFOTests {
  typealias Part = EmulatedMPU6050.Part

  /// A part that samples every 10 ms, last just now, with its FIFO running from now on.
  static func bench(
    _ part: Part = .mpu6050, _ motion: any Motion = TellingForce(), sources: UInt8 = 0x08, configuration: UInt8 = 0x01
  ) throws -> MPUBench {
    let bench = MPUBench(motion, .quiet(part))
    bench.device.angularRate = Vector3(x: .one, y: Q16(whole: 2), z: Q16(whole: 3))
    try bench.write(0x38, 0x10)
    try bench.start(filter: configuration)
    try bench.write(0x23, sources)
    try bench.write(0x6A, 0x40)
    return bench
  }

  /// FIFO_EN, and the registers that it puts into the FIFO, in order.
  static let layouts: [(sources: UInt8, registers: [ClosedRange<Int>])] = [
    (0x08, [0x3B...0x40]), (0x88, [0x3B...0x42]), (0xF8, [0x3B...0x48]), (0x80, [0x41...0x42]), (0x70, [0x43...0x48]),
    (0x40, [0x43...0x44]), (0x20, [0x45...0x46]), (0x10, [0x47...0x48]),
    (0x58, [0x3B...0x40, 0x43...0x44, 0x47...0x48]),
    (0x07, []), (0x00, []),
  ]

  @Test static func `each sample puts in the selected registers, in ascending order`() throws {
    for row in Self.layouts {
      let bench = try Self.bench(sources: row.sources)
      var expected: [UInt8] = []
      for _ in 0..<5 {
        bench.pass(10_000)
        let all = try bench.read(0x3B, 14)
        for range in row.registers { expected += range.map { all[$0 - 0x3B] } }
      }
      try expect(bench.fifoCount(), equals: expected.count)
      try expect(bench.read(0x74, expected.count), equals: expected)
      try expect(bench.fifoCount(), equals: 0)
    }
  }

  @Test static func `samples wait in the FIFO however late the reader is, and none is lost or doubled`() throws {
    let bench = try Self.bench()
    var next = 48
    for lateness: Int64 in [1, 170, 3, 85, 170, 1, 100] {
      bench.pass(lateness * 10_000)
      let count = try bench.fifoCount()
      expect(count, equals: Int(lateness) * 6)
      let bytes = try bench.read(0x74, count)
      for sample in stride(from: 0, to: count, by: 6) {
        expect(Int(bytes[sample]) << 8 | Int(bytes[sample + 1]), equals: next)
        next += 10
      }
    }
    try expect(bench.read(0x3A), equals: [0x00])
  }

  @Test static func `the FIFO fills to its size without an overflow, and one more byte overflows it`() throws {
    for (part, size) in [
      (Part.mpu6050, 1_024), (.mpu6500, 512), (.mpu9250, 512), (.mpu6880, 4_096), (.icm20600, 1_008),
      (.icm20602, 1_008),
      (.icm20608, 512), (.icm20609, 4_096), (.icm20690, 1_024), (.iam20680, 512), (.clone98, 512), (.icm20689, 512),
    ] {
      let bench = try Self.bench(part, sources: 0x80)
      bench.pass(Int64(size / 2) * 10_000)
      try expect(bench.fifoCount(), equals: size)
      try expect(bench.read(0x3A), equals: [0x00])
      bench.pass(10_000)
      try expect(bench.fifoCount(), equals: size)
      try expect(bench.read(0x3A), equals: [0x10])
    }
  }

  /// An independent FIFO: every byte ever put in, of which the last ones are left.
  static func survivors(_ bench: MPUBench, samples: Int, size: Int) throws -> [UInt8] {
    var stream: [UInt8] = []
    for _ in 0..<samples {
      bench.pass(10_000)
      stream += try bench.read(0x3B, 6)
    }
    return Array(stream.suffix(size))
  }

  @Test(arguments: [171, 172, 173, 200, 341, 342, 500])
  static func `an overflow drops the oldest bytes, so the stream loses its alignment`(_ samples: Int) throws {
    let bench = try Self.bench()
    let expected = try Self.survivors(bench, samples: samples, size: 1_024)
    try expect(bench.fifoCount(), equals: 1_024)
    try expect(bench.read(0x3A), equals: [0x10])
    try expect(bench.read(0x74, 1_024), equals: expected)
    // The same in a single read.
    let late = try Self.bench()
    late.pass(Int64(samples) * 10_000)
    try expect(late.read(0x74, 1_024), equals: expected)
    try expect(late.fifoCount(), equals: 0)
    // The first byte is not the first of a sample: 1024 is 4 more than 170 samples.
    expect(samples * 6 - 1_024, isAbove: 0)
    expect((samples * 6 - 1_024) % 6, equals: 2)
  }

  @Test static func `with a record that divides its size the FIFO keeps its alignment`() throws {
    let bench = try Self.bench(sources: 0x88)
    bench.pass(1_000 * 10_000)
    let bytes = try bench.read(0x74, 1_024)
    // Samples 872 to 999 of those from 50 ms on, 2 ms late.
    for sample in 0..<128 {
      expect(Int(bytes[sample * 8]) << 8 | Int(bytes[sample * 8 + 1]), equals: 48 + (872 + sample) * 10)
    }
  }

  @Test static func `the 6500 class can stop instead, in the middle of a sample`() throws {
    let bench = try Self.bench(.mpu6500, configuration: 0x41)
    var stream: [UInt8] = []
    for _ in 0..<100 {
      bench.pass(10_000)
      stream += try bench.read(0x3B, 6)
    }
    let late = try Self.bench(.mpu6500, configuration: 0x41)
    late.pass(1_000_000)
    for one in [bench, late] {
      try expect(one.fifoCount(), equals: 512)
      try expect(one.read(0x3A), equals: [0x10])
      try expect(one.read(0x3B, 6), equals: Array(stream.suffix(6)))
      try expect(one.read(0x74, 512), equals: Array(stream.prefix(512)))
    }
    // The 6050 does not have that bit.
    let old = try Self.bench(.mpu6050, configuration: 0x41)
    old.pass(2_000_000)
    let newest = try old.read(0x3B, 6)
    try expect(Array(old.read(0x74, 1_024).suffix(6)), equals: newest)
    try expect(old.read(0x1A), equals: [0x01])
  }

  @Test static func `while motion is looked for, a late reader finds what each sample found`() throws {
    let (often, late) = (MPUBench(), MPUBench())
    for bench in [often, late] {
      bench.device.angularRate = Vector3(x: .one, y: .zero, z: .zero)
      try bench.write(0x38, 0x40)
      try bench.write(0x1A, 0x01)
      try bench.write(0x23, 0x40)
      try bench.write(0x6A, 0x40)
      try bench.write(0x6B, 0x01)
    }
    for _ in 0..<40 {
      often.pass(1_000)
      _ = often.device.interruptPin
    }
    late.pass(40_000)
    // Samples from 20 ms on, of which the gyroscope holds those before 30 ms.
    let expected = [UInt8](repeating: 0, count: 20) + (0..<22).map { $0 % 2 == 0 ? 0 : 131 }
    for bench in [often, late] {
      try expect(bench.fifoCount(), equals: expected.count)
      try expect(bench.read(0x74, expected.count), equals: expected)
    }
  }

  @Test static func `an empty FIFO returns its last byte again`() throws {
    let bench = try Self.bench(.mpu6050, Constant(x: 4 * 0x0102, y: 4 * 0x0304, z: 4 * 0x0506))
    bench.pass(10_000)
    try expect(bench.read(0x74, 9), equals: [1, 2, 3, 4, 5, 6, 6, 6, 6])
    try expect(bench.fifoCount(), equals: 0)
    try expect(bench.read(0x74, 2), equals: [6, 6])
    bench.pass(10_000)
    try expect(bench.read(0x74, 2), equals: [1, 2])
    try expect(bench.fifoCount(), equals: 4)
  }

  @Test static func `reading the count's high byte latches both, and its low byte alone shows the latch`() throws {
    let bench = try Self.bench()
    bench.pass(500_000)
    try expect(bench.read(0x73), equals: [0])
    try expect(bench.read(0x72), equals: [1])
    bench.pass(10_000)
    try expect(bench.read(0x73), equals: [0x2C])
    try expect(bench.read(0x72, 2), equals: [1, 0x32])
    _ = try bench.read(0x74, 6)
    try expect(bench.read(0x73), equals: [0x32])
    try expect(bench.fifoCount(), equals: 0x12C)
  }

  @Test static func `while FIFO_EN is clear the FIFO neither fills nor drains, and keeps its content`() throws {
    let bench = try Self.bench(.mpu6050, Constant(x: 4 * 0x0102, y: 4 * 0x0304, z: 4 * 0x0506))
    bench.pass(20_000)
    try expect(bench.read(0x74), equals: [1])
    try bench.write(0x6A, 0x00)
    bench.pass(50_000)
    try expect(bench.fifoCount(), equals: 11)
    try expect(bench.read(0x74, 3), equals: [1, 1, 1])
    try expect(bench.fifoCount(), equals: 11)
    try bench.write(0x6A, 0x40)
    try expect(bench.read(0x74, 11), equals: [2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6])
  }

  /// USER_CTRL before, the value written, and whether that empties the FIFO.
  static let resets: [(before: UInt8, written: UInt8, empties: Bool)] = [
    (0x00, 0x04, true), (0x00, 0x44, false), (0x40, 0x04, false), (0x40, 0x44, false), (0x00, 0x00, false),
    (0x20, 0x24, true),
  ]

  @Test static func `FIFO_RESET empties the FIFO only while FIFO_EN is and stays 0, and clears itself`() throws {
    for row in Self.resets {
      let bench = try Self.bench()
      bench.pass(100_000)
      try bench.write(0x23, 0x00)
      try bench.write(0x6A, row.before)
      try expect(bench.fifoCount(), equals: 60)
      try bench.write(0x6A, row.written)
      try expect(bench.fifoCount(), equals: row.empties ? 0 : 60, "\(row)")
      try expect(bench.read(0x6A), equals: [row.written & 0x60])
    }
  }

  @Test static func `the sequence of the reference page realigns an overflowed stream`() throws {
    let bench = try Self.bench()
    bench.pass(3_000_000)
    try bench.write(0x6A, 0x00)
    try bench.write(0x23, 0x00)
    try bench.write(0x6A, 0x04)
    try bench.write(0x23, 0x08)
    try bench.write(0x6A, 0x40)
    try expect(bench.fifoCount(), equals: 0)
    bench.pass(10_000)
    try expect(bench.read(0x74, 6), equals: bench.read(0x3B, 6))
  }

  @Test static func `ACCEL_CONFIG2 selects the size of an ICM-20689's FIFO and empties it`() throws {
    for (bits, size) in [(UInt8(0x00), 512), (0x40, 1_024), (0x80, 2_048), (0xC0, 4_096)] {
      let bench = try Self.bench(.icm20689)
      bench.pass(100_000)
      try bench.write(0x1D, bits)
      try expect(bench.fifoCount(), equals: bits == 0 ? 60 : 0)
      bench.pass(20_000_000)
      try expect(bench.fifoCount(), equals: size)
    }
    let other = try Self.bench(.icm20608)
    try other.write(0x1D, 0xC0)
    other.pass(20_000_000)
    try expect(other.fifoCount(), equals: 512)
  }
}

import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

struct MPU6050EncodingTests {
  /// Register value, LSB per g.
  static let ranges: [(register: UInt8, perG: Double)] = [(0x00, 16_384), (0x08, 8_192), (0x10, 4_096), (0x18, 2_048)]

  @Test(arguments: ranges)
  static func `each range has its sensitivity, rounds to nearest and clips`(_ row: (register: UInt8, perG: Double))
    throws
  {
    for g in [0, 0.001, -0.001, 0.5, -0.5, 1, -1, 1.99997, -2, 2.3, -2.3, 7.7, -7.9, 15.999, -16, 16, 20, -20] {
      let raw = Int32((g * 65_536).rounded())
      let bench = MPUBench(Constant(x: raw, y: -raw, z: 3))
      try bench.write(0x1C, row.register)
      try bench.start()
      let counts = try bench.force()
      for (axis, force) in [raw, -raw, 3].enumerated() {
        let ideal = min(max(Double(force) / 65_536 * row.perG, -32_768), 32_767)
        expect(abs(Double(counts[axis]) - ideal), isAtMost: 0.5, "\(g) g on axis \(axis)")
      }
    }
  }

  @Test static func `data are big-endian, and a new range takes effect with the next sample`() throws {
    let bench = MPUBench(Constant(x: 65_536, y: -65_536, z: 0x1234 * 4))
    try bench.start()
    try expect(bench.read(0x3B, 6), equals: [0x40, 0x00, 0xC0, 0x00, 0x12, 0x34])
    try bench.write(0x1C, 0x18)
    try expect(bench.read(0x3B, 2), equals: [0x40, 0x00])
    bench.pass(10_000)
    try expect(bench.read(0x3B, 2), equals: [0x08, 0x00])
  }

  /// Register value, LSB per °/s, full scale.
  static let rates: [(register: UInt8, perDegree: Double)] = [(0x00, 131), (0x08, 65.5), (0x10, 32.8), (0x18, 16.4)]

  @Test(arguments: rates)
  static func `each gyroscope range has its sensitivity and clips`(_ row: (register: UInt8, perDegree: Double)) throws {
    for degrees in [0, 0.01, -0.01, 1, -1, 123.4, -245.6, 249, 1_000, -1_000, 1_999, 2_100, -2_100] {
      let bench = MPUBench()
      try bench.write(0x1B, row.register)
      try bench.start()
      let raw = Int32((degrees * 65_536).rounded())
      bench.device.angularRate = Vector3(x: Q16(raw: raw), y: Q16(raw: -raw), z: .one)
      bench.pass(10_000)
      let counts = try bench.rate()
      for (axis, rate) in [raw, -raw, 65_536].enumerated() {
        let ideal = min(max(Double(rate) / 65_536 * row.perDegree, -32_768), 32_767)
        expect(abs(Double(counts[axis]) - ideal), isAtMost: 0.5 + 1e-9, "\(degrees) °/s on axis \(axis)")
      }
    }
  }

  /// Part, counts per degree, temperature of count 0.
  static let thermometers: [(part: EmulatedMPU6050.Part, perDegree: Double, zero: Double)] = [
    (.mpu6050, 340, 36.53), (.mpu6500, 333.87, 21), (.mpu9250, 333.87, 21), (.icm20689, 326.8, 25),
    (.clone98, 326.8, 25),
  ]

  @Test static func `each part has its own temperature scale`() throws {
    for row in Self.thermometers {
      for degrees in [-40.0, 0, 20.25, 35, 36.5, 85] {
        let bench = MPUBench(part: row.part)
        bench.device.dieTemperature = Q16(raw: Int32(degrees * 65_536))
        try bench.start()
        expect(abs(Double(try bench.temperature()) - (degrees - row.zero) * row.perDegree), isAtMost: 0.5)
      }
    }
  }

  @Test static func `at 35 degrees an MPU-6050 reads the -521 of its data sheet, to a count`() throws {
    let bench = MPUBench()
    try bench.start()
    expect(bench.device.dieTemperature, equals: Q16(whole: 35))
    try expect(bench.temperature(), isIn: -521 ... -520)
  }

  @Test static func `a specimen shows its zero-g offset and sensitivity error`() throws {
    var configuration = EmulatedMPU6050.Configuration.quiet()
    configuration.zeroGOffset = Vector3(x: Q16(5, over: 100), y: .zero, z: Q16(-8, over: 100))
    configuration.sensitivityError = Vector3(x: .zero, y: Q16(3, over: 100), z: Q16(-3, over: 100))
    let bench = MPUBench(Constant(x: 0, y: -65_536, z: 65_536), configuration)
    try bench.start()
    for (count, g) in zip(try bench.force(), [0.05, -1.03, 0.97 - 0.08]) {
      expect(abs(Double(count) - g * 16_384), isAtMost: 1)
    }
  }

  @Test(arguments: [
    (EmulatedMPU6050.Part.mpu6050, [0x06, 0x08, 0x0A]), (.mpu6500, [0x77, 0x7A, 0x7D]),
    (.icm20689, [0x77, 0x7A, 0x7D]),
  ])
  static func `offset registers count 1/2048 g from the factory value at every range`(
    _ part: EmulatedMPU6050.Part, _ registers: [UInt8]
  ) throws {
    var configuration = EmulatedMPU6050.Configuration.quiet(part)
    configuration.factoryOffsets = EmulatedMPU6050.PerAxis(x: -2_305, y: 1_000, z: 0x1235)
    for (range, perOffset) in [(UInt8(0x00), 8), (0x08, 4), (0x10, 2), (0x18, 1)] {
      let bench = MPUBench(Constant(), configuration)
      let factory = try registers.map { register throws(I2CFault) in try bench.words(register, 1)[0] }
      expect(factory, equals: [-2_305, 1_000, 0x1235])
      try bench.write(0x1C, range)
      try bench.start()
      try expect(bench.force(), equals: [0, 0, 0])
      for (axis, shift) in [(0, 500), (1, -700), (2, 2)] {
        let value = UInt16(bitPattern: Int16(factory[axis] + shift))
        try bench.write(registers[axis], UInt8(value >> 8), UInt8(value & 0xFF))
      }
      bench.pass(10_000)
      try expect(bench.force(), equals: [500 * perOffset, -700 * perOffset, 2 * perOffset])
    }
  }

  @Test static func `bit 0 of an offset has no effect`() throws {
    let bench = MPUBench(Constant())
    try bench.write(0x06, 0x00, 0x01)
    try bench.start()
    try expect(bench.force(), equals: [0, 0, 0])
  }

  @Test(arguments: [EmulatedMPU6050.Part.mpu6050, .mpu6500])
  static func `the gyroscope's offset registers count 1/32.8 degree a second`(_ part: EmulatedMPU6050.Part) throws {
    for (range, counts) in [(UInt8(0x00), [4_000.0, -400, 40]), (0x10, [1_000, -100, 10]), (0x18, [500, -50, 5])] {
      let bench = MPUBench(part: part)
      try bench.write(0x13, 0x03, 0xE8, 0xFF, 0x9C, 0x00, 0x0A)
      try bench.write(0x1B, range)
      try bench.start()
      for (axis, ideal) in counts.enumerated() {
        // 131 is not quite four times 32.8.
        try expect(abs(Double(bench.rate()[axis]) - ideal), isAtMost: 0.5 + abs(ideal) * 0.0016)
      }
    }
  }

  @Test static func `a clone without data reads zero, and everything else works`() throws {
    var configuration = EmulatedMPU6050.Configuration.quiet()
    configuration.readsAllZero = true
    let bench = MPUBench(Constant(x: 9_999, z: 65_536), configuration)
    bench.device.angularRate = Vector3(x: .one, y: .one, z: .one)
    try bench.write(0x38, 0x01)
    try bench.start()
    try expect(bench.read(0x3A), equals: [0x01])
    try expect(bench.read(0x3B, 14), equals: [UInt8](repeating: 0, count: 14))
    try expect(bench.read(0x75), equals: [0x68])
  }
}

import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

/// Cycle mode, standby and signal path.
struct MPU6050ModeTests {
  typealias Part = EmulatedMPU6050.Part

  @Test static func `the 6050 class cycles at the rates of LP_WAKE_CTRL`() throws {
    for (code, samples) in [(UInt8(0), UInt64(125)), (1, 500), (2, 2_000), (3, 4_000)] {
      let bench = MPUBench()
      try bench.write(0x6B, 0x28, 0x07 | code << 6)
      bench.pass(20_000)
      try expect(MPU6050SamplingTests.samples(bench, inSeconds: 100), equals: samples)
    }
  }

  @Test static func `the 6500 class cycles at the rates of LP_ACCEL_ODR, whatever LP_WAKE_CTRL says`() throws {
    for code: UInt8 in 0...15 {
      let bench = MPUBench(part: .mpu6500)
      try bench.write(0x1E, code)
      try bench.write(0x6B, 0x28, 0xC7)
      bench.pass(5_000_000)
      let hertz = 500.0 / Double(1 << (11 - min(11, Int(code))))
      let samples = try Double(MPU6050SamplingTests.samples(bench, inSeconds: 1_000))
      expect(abs(samples - hertz * 1_000), isAtMost: 1)
    }
  }

  @Test static func `cycle mode runs on the internal oscillator, whatever CLKSEL says`() throws {
    var configuration = EmulatedMPU6050.Configuration.quiet()
    configuration.internalOscillatorPartsPerMillion = 50_000
    let bench = MPUBench(Constant(), configuration)
    try bench.write(0x6B, 0x29, 0xC0)
    bench.pass(50_000)
    try expect(MPU6050SamplingTests.samples(bench, inSeconds: 100), equals: 4_200)
  }

  @Test(arguments: [(Part.mpu6050, 0), (.mpu6500, 750), (.mpu9250, 503)] as [(Part, Int64)])
  static func `cycle mode samples only the accelerometer, unfiltered`(_ part: Part, _ delay: Int64) throws {
    let bench = MPUBench(part: part, TellingForce(microsecondsPerCount: 10))
    try bench.write(0x1A, 0x06)
    try bench.write(0x1E, 0x07)
    bench.pass(40_000)
    try bench.write(0x6B, 0x40)
    let before = try bench.read(0x41, 8)
    bench.device.dieTemperature = .zero
    bench.device.angularRate = Vector3(x: .one, y: .one, z: .one)
    try bench.write(0x6C, 0xC0)
    try bench.write(0x6B, 0x20)
    bench.pass(20_000)
    try expect(bench.force()[0], equals: Int((60_000 - delay) / 10))
    bench.pass(100_000)
    try expect(bench.read(0x41, 8), equals: before)
    // After it, the gyroscope needs its start-up time again.
    try bench.write(0x6B, 0x00)
    bench.pass(29_999)
    try expect(bench.read(0x43, 6), equals: Array(before[2...]))
    bench.pass(10_000)
    try expect(bench.rate(), equals: [131, 131, 131])
    try expect(bench.temperature(), isNot: 0)
  }

  @Test static func `SLEEP overrides CYCLE`() throws {
    let bench = MPUBench()
    try bench.write(0x6B, 0x68, 0xC7)
    try expect(MPU6050SamplingTests.samples(bench), equals: 0)
  }

  @Test static func `an axis in standby holds its value, and restarts when it leaves standby`() throws {
    for (axis, bit) in [UInt8(0x20), 0x10, 0x08].enumerated() {
      let bench = MPUBench(Constant(x: 4, y: 8, z: 12))
      try bench.start()
      try bench.write(0x6C, bit)
      bench.device.play(Constant(x: 400, y: 800, z: 1_200))
      bench.pass(50_000)
      var expected = [100, 200, 300]
      expected[axis] = axis + 1
      try expect(bench.force(), equals: expected)
      bench.device.play(Constant(x: 40, y: 80, z: 120))
      try bench.write(0x6C, 0x00)
      bench.pass(19_999)
      try expect(bench.force(), equals: expected)
      bench.pass(1)
      try expect(bench.force(), equals: [10, 20, 30])
    }
  }

  @Test static func `a gyroscope axis in standby holds its value, and restarts when it leaves standby`() throws {
    for (axis, bit) in [UInt8(0x04), 0x02, 0x01].enumerated() {
      let bench = MPUBench()
      bench.device.angularRate = Vector3(x: .one, y: .one, z: .one)
      try bench.start()
      try bench.write(0x6B, 0x00, bit)
      bench.device.angularRate = .zero
      bench.pass(50_000)
      try expect(bench.rate(), equals: (0..<3).map { $0 == axis ? 131 : 0 })
      try bench.write(0x6C, 0x00)
      bench.pass(29_999)
      try expect(bench.rate(), equals: (0..<3).map { $0 == axis ? 131 : 0 })
      bench.pass(1)
      try expect(bench.rate(), equals: [0, 0, 0])
    }
  }

  @Test static func `GYRO_STANDBY holds the gyroscope of the 6500 class; the 6050 class has no such bit`() throws {
    for (part, expected) in [(Part.mpu6500, 0), (.mpu6050, 131)] {
      let bench = MPUBench(part: part)
      try bench.start()
      try bench.write(0x6B, 0x11)
      bench.device.angularRate = Vector3(x: .one, y: .one, z: .one)
      bench.pass(50_000)
      try expect(bench.rate(), equals: [expected, expected, expected])
      try expect(bench.force(), equals: [0, 0, 16_384])
      try bench.write(0x6B, 0x01)
      bench.pass(20_000)
      try expect(bench.rate(), equals: [expected, expected, expected])
      bench.pass(10_000)
      try expect(bench.rate(), equals: [131, 131, 131])
    }
  }

  @Test static func `TEMP_DIS holds the temperature`() throws {
    let bench = MPUBench()
    try bench.start()
    let before = try bench.temperature()
    try bench.write(0x6B, 0x09)
    bench.device.dieTemperature = .zero
    bench.pass(50_000)
    try expect(bench.temperature(), equals: before)
    try bench.write(0x6B, 0x01)
    bench.pass(10_000)
    try expect(bench.temperature(), equals: -12_420)
  }

  /// What SIGNAL_PATH_RESET resets, and for how many milliseconds force and angular rate then hold.
  static let resets: [(register: UInt8, value: UInt8, force: Int, rate: Int)] = [
    (0x68, 0x01, 0, 0), (0x68, 0x02, 20, 0), (0x68, 0x04, 0, 30), (0x68, 0x07, 20, 30), (0x6A, 0x01, 20, 30),
  ]

  @Test(arguments: resets)
  static func `a reset of the signal path makes its sensors hold while they start, and reads 0`(
    _ row: (register: UInt8, value: UInt8, force: Int, rate: Int)
  ) throws {
    let bench = MPUBench(Constant(x: 4))
    try bench.write(0x38, 0x01)
    try bench.start()
    bench.device.angularRate = Vector3(x: .one, y: .zero, z: .zero)
    bench.pass(10_000)
    try bench.write(row.register, row.value)
    try expect(bench.read(row.register), equals: [0])
    // SIG_COND_RESET clears the data, and SIGNAL_PATH_RESET does not.
    try expect(bench.force()[0], equals: row.register == 0x6A ? 0 : 1)
    try expect(bench.rate()[0], equals: row.register == 0x6A ? 0 : 131)
    try expect(bench.temperature() == 0, equals: row.register == 0x6A)
    let held = try (force: bench.force()[0], rate: bench.rate()[0])
    bench.device.play(Constant(x: 8))
    bench.device.angularRate = Vector3(x: Q16(whole: 2), y: .zero, z: .zero)
    _ = try bench.read(0x3A)
    for milliseconds in stride(from: 10, through: 40, by: 10) {
      bench.pass(10_000)
      try expect(bench.read(0x3A), equals: [0x01])
      try expect(bench.force()[0], equals: milliseconds < row.force ? held.force : 2)
      try expect(bench.rate()[0], equals: milliseconds < row.rate ? held.rate : 262)
      try expect(bench.temperature(), isNot: 0)
    }
  }
}

import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

struct EmulatedMPU6050SelfTestTests {
  typealias Codes = EmulatedMPU6050.PerAxis<UInt8>

  /// The factory trim of codes 0 to 31 in LSB at ±8 g, from §2.11 of the hardware reference.
  static let trims = [
    0, 1_393, 1_440, 1_488, 1_538, 1_590, 1_644, 1_699, 1_757, 1_816, 1_877, 1_941, 2_006, 2_074, 2_144, 2_216,
    2_291, 2_368, 2_448, 2_531, 2_616, 2_704, 2_795, 2_890, 2_987, 3_088, 3_192, 3_300, 3_411, 3_526, 3_645, 3_768,
  ]

  /// On minus off, for force and angular rate.
  static func deflection(
    _ configuration: EmulatedMPU6050.Configuration, force: UInt8, rate: UInt8, range: UInt8 = 0x10
  ) throws -> (force: [Int], rate: [Int]) {
    let bench = MPUBench(Constant(x: 3_000, y: -2_000, z: 65_536), configuration)
    try bench.write(0x1B, 0x00, range)
    try bench.start()
    let (forceOff, rateOff) = try (bench.force(), bench.rate())
    try bench.write(0x1B, rate, range | force)
    bench.pass(10_000)
    let (forceOn, rateOn) = try (bench.force(), bench.rate())
    try bench.write(0x1B, 0x00, range)
    bench.pass(10_000)
    try expect(bench.force(), equals: forceOff)
    try expect(bench.rate(), equals: rateOff)
    return (zip(forceOn, forceOff).map { $0 - $1 }, zip(rateOn, rateOff).map { $0 - $1 })
  }

  @Test static func `every code of the 6050 class adds its factory trim`() throws {
    for code: UInt8 in 0...31 {
      var configuration = EmulatedMPU6050.Configuration.quiet()
      configuration.selfTestCodes = Codes(x: code, y: 31 - code, z: (code + 7) % 32)
      let measured = try Self.deflection(configuration, force: 0xE0, rate: 0).force
      let ideal = [Int(code), 31 - Int(code), (Int(code) + 7) % 32].map { Self.trims[$0] }
      expect(measured, equals: ideal)
    }
  }

  @Test static func `the codes are in the registers as the map says, and cannot be overwritten`() throws {
    for code: UInt8 in 0...31 {
      var configuration = EmulatedMPU6050.Configuration.quiet()
      configuration.selfTestCodes = Codes(x: code, y: 31 - code, z: (code + 7) % 32)
      configuration.gyroscopeSelfTestCodes = Codes(x: 31 - code, y: code, z: (code + 3) % 32)
      let bench = MPUBench(Constant(), configuration)
      try bench.write(0x0D, 0xFF, 0xFF, 0xFF, 0xFF)
      let r = try bench.read(0x0D, 4)
      expect((r[0] >> 3) & 0x1C | (r[3] >> 4) & 3, equals: code)
      expect((r[1] >> 3) & 0x1C | (r[3] >> 2) & 3, equals: 31 - code)
      expect((r[2] >> 3) & 0x1C | r[3] & 3, equals: (code + 7) % 32)
      expect(r[3] & 0xC0, equals: 0)
      #expect(r[0] & 0x1F == 31 - code && r[1] & 0x1F == code && r[2] & 0x1F == (code + 3) % 32)
    }
  }

  @Test(arguments: [EmulatedMPU6050.Part.mpu6050, .mpu6500])
  static func `each self-test bit moves its own axis and no other`(_ part: EmulatedMPU6050.Part) throws {
    for (axis, bit) in [UInt8(0x80), 0x40, 0x20].enumerated() {
      let force = try Self.deflection(.quiet(part), force: bit, rate: 0)
      expect(force.force.map { $0 != 0 }, equals: (0..<3).map { $0 == axis })
      expect(force.rate, equals: [0, 0, 0])
      let rate = try Self.deflection(.quiet(part), force: 0, rate: bit)
      expect(rate.rate.map { $0 != 0 }, equals: (0..<3).map { $0 == axis })
      expect(rate.force, equals: [0, 0, 0])
    }
  }

  @Test static func `the gyroscope's trim in the 6050 class is the map's, negative on Y`() throws {
    for code: UInt8 in 0...31 {
      var configuration = EmulatedMPU6050.Configuration.quiet()
      configuration.gyroscopeSelfTestCodes = Codes(x: code, y: code, z: 31 - code)
      let measured = try Self.deflection(configuration, force: 0, rate: 0xE0).rate
      func trim(_ code: UInt8) -> Double {
        code == 0 ? 0 : (1..<code).reduce(25.0 * 131) { value, _ in value * 1.046 }
      }
      for (axis, ideal) in [trim(code), -trim(code), trim(31 - code)].enumerated() {
        expect(abs(Double(measured[axis]) - ideal), isAtMost: 0.6, "code \(code) axis \(axis)")
      }
    }
  }

  @Test static func `codes of the 6500 class add 2620 counts at ±2 g, and one percent more per code`() throws {
    var trim = 2_620.0
    for code: UInt8 in 1...255 {
      var configuration = EmulatedMPU6050.Configuration.quiet(.mpu6500)
      configuration.selfTestCodes = Codes(x: code, y: code, z: 0)
      configuration.gyroscopeSelfTestCodes = Codes(x: code, y: 0, z: code)
      // ±4 g, where half as many counts are the same force.
      let measured = try Self.deflection(configuration, force: 0xE0, rate: 0xE0, range: 0x08)
      expect(abs(Double(measured.force[0]) - trim / 2), isAtMost: 1)
      #expect(measured.force[1] - measured.force[0] == 0 || abs(measured.force[1] - measured.force[0]) == 1)
      expect(measured.force[2], equals: 0)
      expect(abs(Double(measured.rate[0]) - min(trim, 32_767)), isAtMost: 1)
      #expect(measured.rate[1] == 0 && measured.rate[2] == measured.rate[0])
      trim *= 1.01
    }
  }

  @Test static func `the codes of the 6500 class are separate bytes and cannot be written`() throws {
    let bench = MPUBench(part: .mpu6500)
    try bench.write(0x00, 0x00, 0x00, 0x00)
    try bench.write(0x0D, 0x00, 0x00, 0x00)
    try expect(bench.read(0x00, 3), equals: [214, 201, 222])
    try expect(bench.read(0x0D, 4), equals: [102, 117, 95, 0])
  }

  @Test static func `a specimen can fail its self-test`() throws {
    var configuration = EmulatedMPU6050.Configuration.quiet()
    configuration.selfTestDeflection = Vector3(x: Q16(1, over: 4), y: .zero, z: Q16(-1, over: 2))
    configuration.gyroscopeSelfTestDeflection = Vector3(x: .zero, y: Q16(whole: 10), z: .zero)
    let measured = try Self.deflection(configuration, force: 0xE0, rate: 0xE0)
    expect(measured.force, equals: [1_024, 0, -2_048])
    expect(measured.rate, equals: [0, 1_310, 0])
  }

  @Test static func `at ±2 g the self-test can clip`() throws {
    var configuration = EmulatedMPU6050.Configuration.quiet()
    configuration.selfTestDeflection = Vector3(x: .zero, y: .zero, z: Q16(3, over: 2))
    try expect(Self.deflection(configuration, force: 0xE0, rate: 0, range: 0x00).force, equals: [0, 0, 16_383])
  }
}

import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// Everything that one burst reads with the gyroscope on.
struct MPU6050MeasurementTests {
  static let data: [UInt8] = [0x20, 0x00, 0xE0, 0x01, 0x00, 0x10, 0x0B, 0xA4, 0x03, 0x34, 0xFF, 0x5C, 0x00, 0x00]
  static let turning = MPU6050.Configuration(range: .g8, gyroscope: .dps2000)
  /// The data at ±8 g and ±2000 °/s: 8192, -8191 and 16 LSB of 1/4096 g, 820, -164 and 0 LSB of 1/16.4 °/s, and 2980
  /// LSB of 1/340 °C above 36.53 °C.
  static let force = Vector3(x: Q16(whole: 2), y: Q16(raw: -131_056), z: Q16(raw: 256))
  static let rotation = Vector3(x: Q16(whole: 50), y: Q16(whole: -10), z: .zero)
  static let watched: [UInt8] = [0x08, 0x00, 0x00, 0x01]

  /// The steps of a start with the gyroscope on at ±2000 °/s and ±8 g: its clock, and its axes awake.
  static let start: [BusScript.Step] =
    MPU6050Script.wakeUp(0x68, power: 0x01) + [
      MPU6050Script.write(0x6A, 0x00), MPU6050Script.write(0x23, 0x00),
      MPU6050Script.write(0x19, 0x09, 0x03, 0x18, 0x10), MPU6050Script.write(0x37, 0x08, 0x00),
      MPU6050Script.write(0x6C, 0x00), MPU6050Script.write(0x6B, 0x01),
      MPU6050Script.read(0x19, [0x09, 0x03, 0x18, 0x10]), MPU6050Script.read(0x23, [0x00]),
      MPU6050Script.read(0x37, [0x08, 0x00]), MPU6050Script.read(0x6A, [0x00, 0x01, 0x00]),
    ]

  private static func started(_ steps: [BusScript.Step]) throws(SensorError) -> MPU6050Script {
    var rig = MPU6050Script(Self.start + steps, Self.turning)
    try rig.driver.startWholly()
    return rig
  }

  @Test static func `a measurement is one burst of fourteen bytes, and every hundredth of eighteen`() throws {
    let plain = MPU6050Script.read(0x3B, Self.data)
    let longer = MPU6050Script.read(0x37, Self.watched + Self.data)
    var rig = try started(Array(repeating: plain, count: 99) + [longer, plain])
    for _ in 0..<101 {
      let measurement = try rig.driver.measure()
      expect(measurement.force, equals: Self.force)
      expect(measurement.rotation, equals: Self.rotation)
      let celsius = Double(try require(measurement.temperature).raw) / 65_536
      expect(abs(celsius - (2_980.0 / 340 + 36.53)), isBelow: 1e-5)
    }
    expect(rig.script.complaints, equals: [])
    expect(rig.driver.transactions, equals: 15 + 101)
  }

  @Test static func `sample and measure share the watch, and return the same force`() throws {
    let force = Array(Self.data[..<6])
    let steps = (0..<99).map { MPU6050Script.read(0x3B, $0 % 2 == 0 ? Self.data : force) }
    var rig = try started(steps + [MPU6050Script.read(0x37, Self.watched + force)])
    for index in 0..<100 {
      try expect(index % 2 == 0 ? rig.driver.measure().force : rig.driver.sample(), equals: Self.force)
    }
    expect(rig.script.complaints, equals: [])
  }

  @Test static func `a burst of zeros has the next one watched; a rotation of zero alone does not`() throws {
    let zeros = [UInt8](repeating: 0, count: 14)
    let still = Array(Self.data[..<8]) + [UInt8](repeating: 0, count: 6)
    var rig = try started([
      MPU6050Script.read(0x3B, still), MPU6050Script.read(0x3B, zeros),
      MPU6050Script.read(0x37, Self.watched + Self.data), MPU6050Script.read(0x3B, zeros),
      MPU6050Script.read(0x37, [0, 0, 0, 0] + zeros),
    ])
    try expect(rig.driver.measure().rotation, equals: .zero)
    try expect(rig.driver.measure().force, equals: .zero)
    try expect(rig.driver.measure().rotation, equals: Self.rotation)
    try expect(rig.driver.measure().force, equals: .zero)
    expect(throws: SensorError.configurationLost) { try rig.driver.measure() }
    expect(rig.script.complaints, equals: [])
  }

  @Test static func `with the gyroscope off a measurement is the force and six bytes`() throws {
    let rig = MPU6050Rig(.mpu6050, MPU6050.Configuration())
    try rig.start()
    rig.clock.advance(by: .milliseconds(10))
    try expect(rig.driver.measure(), equals: Measurement(force: MPU6050Rig.force.vector))
    expect(rig.log.transactions.last?.read.count, equals: 6)
    let end = rig.driver.rotationFullScale
    expect(end, equals: nil)
  }

  @Test static func `before the start is done nothing is measured, without a transaction`() throws {
    let rig = MPU6050Rig(.mpu6050, Self.turning)
    expect(throws: SensorError.configurationLost) { try rig.driver.measure() }
    expect(rig.log.transactionCount, equals: 0)
  }

  @Test static func `no measurement is returned before the gyroscope has settled`() throws {
    let rig = MPU6050Rig(.mpu6050, Self.turning)
    rig.part.angularRate = Vector3(x: Q16(whole: 100), y: .zero, z: Q16(whole: -100))
    try rig.start()
    // The very first one, without another period.
    try expect(rig.driver.measure().rotation, equals: rig.part.angularRate)
  }

  @Test(arguments: emulatedParts)
  static func `every part measures its rotation in every range, clipped at its end`(_ part: EmulatedMPU6050.Part) throws
  {
    let ranges: [(range: MPU6050.GyroscopeRange, greatest: Double, lsb: Double)] = [
      (.dps250, 250, 131), (.dps500, 500, 65.5), (.dps1000, 1_000, 32.8), (.dps2000, 2_000, 16.4),
    ]
    for (range, greatest, lsb) in ranges {
      let configuration = MPU6050.Configuration(range: .g8, gyroscope: range, acceptsUnverifiedParts: true)
      let rig = MPU6050Rig(part, configuration)
      try rig.start()
      rig.part.angularRate = Vector3(x: Q16(whole: 240), y: Q16(whole: 3_000), z: Q16(whole: -3_000))
      rig.clock.advance(by: .milliseconds(20))
      let measured = try rig.driver.measure()
      let rotation = try require(measured.rotation)
      let end = rig.driver.rotationFullScale
      let full = try require(end)
      expect(abs(Double(rotation.x.raw) / 65_536 - 240), isAtMost: 0.5 / lsb + 1e-4)
      expect(rotation.y, equals: full)
      expect(abs(Double(full.raw) / 65_536 - 32_767 / lsb), isBelow: 1e-4)
      expect(Double(full.raw) / 65_536, isAtLeast: greatest * 0.998)
      expect(rotation.z.raw, isAtMost: -full.raw)
    }
  }
}

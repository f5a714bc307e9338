import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// The bytes on the wire for each operation.
struct ICM20948WireTests {
  private static let address = ICM20948.address

  private static func write(_ bytes: UInt8...) -> BusScript.Step { .write(bytes, to: address) }
  private static func read(_ register: UInt8, _ reply: UInt8...) -> BusScript.Step {
    .writeRead([register], reply: reply, at: address)
  }

  private static let reset = [
    read(0x7F, 0x00), read(0x00, 0xEA), write(0x06, 0x80), read(0x06, 0xC1), read(0x06, 0x41), write(0x06, 0x01),
  ]

  /// The configuration at 102 Hz, ±4 g, 50 Hz, in which PWR_MGMT_2 is `standby`.
  private static func configure(
    standby: UInt8 = 7, gyroscope: UInt8 = 0x19, pin: UInt8 = 0x08, dataReady: UInt8 = 0, ranges: UInt8 = 2
  ) -> [BusScript.Step] {
    [
      write(0x03, 0x00), write(0x05, 0x00, 0x01, standby), write(0x66, 0, 0, 0, 0),
      write(0x0F, pin, 0, dataReady, ranges, 0), write(0x7F, 0x20), write(0x00, 10, gyroscope, 0), write(0x09, 1),
      write(0x10, 0, 10, 0, 0, 0x1B, 0), read(0x00, 10, gyroscope, 0), read(0x09, 1), read(0x10, 0, 10, 0, 0, 0x1B, 0),
      write(0x7F, 0x00), read(0x0F, pin, 0, dataReady, ranges, 0), read(0x66, 0, 0, 0, 0),
      read(0x03, 0, 0x55, 0, 0x01, standby),
    ]
  }

  private static func run(
    _ steps: [BusScript.Step], _ configuration: ICM20948.Configuration = ICM20948.Configuration(),
    _ body: (inout ICM20948.Device<ScriptedBus>) throws(SensorError) -> Void
  ) {
    let script = BusScript(steps)
    var driver = ICM20948.Device(bus: ScriptedBus(script), configuration: configuration)
    expect(sensorError { () throws(SensorError) in try body(&driver) }, equals: nil)
    expect(script.mismatches, equals: [])
    expect(script.leftovers, equals: [])
    expect(driver.transactions, equals: UInt64(steps.count))
  }

  private static func waits(_ driver: inout ICM20948.Device<ScriptedBus>) throws(SensorError) -> [Int64] {
    var waits = [try driver.start().count]
    while let wait = try driver.proceed() { waits.append(wait.count) }
    return waits
  }

  @Test static func `a start writes exactly these bytes and waits this long`() {
    run(Self.reset + Self.configure()) { driver throws(SensorError) in
      // 40 ms, twice 11.8 ms, and 9778 µs.
      try expect(waits(&driver), equals: [100_000, 10_000, 20_000, 73_378])
    }
    let configuration = ICM20948.Configuration(
      gyroscope: .dps2000, interrupts: .init(signalsDataReady: true, isActiveLow: true))
    run(
      Self.reset + Self.configure(standby: 0, gyroscope: 0x1F, pin: 0x88, dataReady: 1, ranges: 2 | 0x18),
      configuration
    ) { driver throws(SensorError) in try expect(waits(&driver), equals: [100_000, 10_000, 20_000, 103_378]) }
  }

  @Test(arguments: [0x10, 0x20, 0x30] as [UInt8])
  static func `a bank left selected is the only reason for a write before the identity`(_ bank: UInt8) {
    var reset = Self.reset
    reset[0] = Self.read(0x7F, bank)
    reset.insert(Self.write(0x7F, 0x00), at: 1)
    run(reset + Self.configure()) { driver throws(SensorError) in _ = try waits(&driver) }
  }

  @Test(arguments: [0x00, 0x40, 0x5A, 0x21, 0xA0, 0xFF] as [UInt8])
  static func `any other byte in its place causes no write`(_ byte: UInt8) {
    run([Self.read(0x7F, byte), Self.read(0x00, 0x12), Self.read(0x75, 0x55)]) { driver throws(SensorError) in
      let error = sensorError { () throws(SensorError) in _ = try driver.start() }
      expect(error, equals: .unexpectedIdentity(found: 0x12, expected: 0xEA))
    }
    run([Self.read(0x7F, byte), Self.read(0x00, 0x12), Self.read(0x75, 0x71)]) { driver throws(SensorError) in
      let error = sensorError { () throws(SensorError) in _ = try driver.start() }
      expect(error, equals: .unexpectedIdentity(found: 0x71, expected: 0xEA), "an MPU-9250")
    }
  }

  @Test static func `a sample is one burst, and a check is a read of the power registers behind it`() {
    let sample = Self.read(0x2D, 0x20, 0x00, 0xE0, 0x00, 0x00, 0x01)
    let power = Self.read(0x05, 0x00, 0x01, 0x07)
    let expected = Vector3(x: Q16(whole: 1), y: Q16(whole: -1), z: Q16(raw: 8))
    run(
      Self.reset + Self.configure() + [sample, sample, sample, power, sample],
      ICM20948.Configuration(samplesPerWatch: 3)
    ) { driver throws(SensorError) in
      _ = try waits(&driver)
      for _ in 0..<4 { try expect(driver.sample(), equals: expected) }
    }
    // Zero bytes are what a sleeping part returns.
    run(Self.reset + Self.configure() + [Self.read(0x2D, 0, 0, 0, 0, 0, 0), power, sample]) {
      driver throws(SensorError) in
      _ = try waits(&driver)
      try expect(driver.sample(), equals: .zero)
      try expect(driver.sample(), equals: expected)
    }
  }

  @Test static func `with the gyroscope a sample has rotation and temperature`() {
    let configuration = ICM20948.Configuration(gyroscope: .dps250)
    let data = Self.read(0x2D, 0x20, 0x00, 0xE0, 0, 0, 1, 0, 131, 0xFF, 0x7D, 5, 0x1E, 0x01, 0x4E)
    run(Self.reset + Self.configure(standby: 0) + [data], configuration) { driver throws(SensorError) in
      _ = try waits(&driver)
      let found = try driver.measure()
      expect(found.force, equals: Vector3(x: Q16(whole: 1), y: Q16(whole: -1), z: Q16(raw: 8)))
      expect(found.rotation, equals: Vector3(x: Q16(whole: 1), y: Q16(whole: -1), z: Q16(whole: 10)))
      // 334 / 333.87 + 21.
      expect(abs((found.temperature ?? .zero).raw - 1_441_818), isAtMost: 1)
    }
  }

  @Test(arguments: [(0, 0x40, 0x41), (0, 0x00, 0x41), (0x20, 0x00, 0x01), (0, 0, 0)] as [(UInt8, UInt8, UInt8)])
  static func `a sample whose power registers differ is rejected, and checked again`(
    _ low: UInt8, _ first: UInt8, _ second: UInt8
  ) {
    let (zero, found) = (Self.read(0x2D, 0, 0, 0, 0, 0, 0), Self.read(0x05, low | first, second, 0x00))
    run(Self.reset + Self.configure() + [zero, found, Self.read(0x2D, 1, 0, 0, 0, 0, 0), found]) {
      driver throws(SensorError) in
      _ = try waits(&driver)
      for _ in 0..<2 {
        expect(sensorError { () throws(SensorError) in _ = try driver.sample() }, equals: .configurationLost)
      }
    }
  }

  @Test static func `the FIFO is started and read with these bytes`() {
    let configuration = ICM20948.Configuration(fifo: .init())
    let state = Self.read(0x0F, 0x08, 0, 0, 0x03, 0, 9, 9, 9, 9, 9, 9, 9, 0x00)
    let start = [
      Self.write(0x03, 0x00), Self.write(0x66, 0, 0), Self.write(0x68, 0x1F), Self.write(0x68, 0, 0),
      Self.read(0x0F, 0x08, 0, 0, 0x03, 0, 9, 9, 9, 9, 9, 9, 9, 0x1F), Self.write(0x66, 0, 0x10),
      Self.write(0x03, 0x40), Self.read(0x66, 0, 0x10), Self.read(0x03, 0x40),
    ]
    run(
      Self.reset + Self.configure(ranges: 3) + start + [
        Self.read(0x70, 0xE0, 0), state, Self.read(0x70, 0, 13),
        Self.read(0x72, 0x20, 0x00, 0, 0, 0, 0, 0, 0, 0xE0, 0x00, 0, 0), state,
      ], configuration
    ) { driver throws(SensorError) in
      _ = try waits(&driver)
      try expect(driver.waiting(), equals: WaitingSamples(count: 0, followsGap: true))
      try expect(driver.waiting(), equals: WaitingSamples(count: 2, followsGap: true))
      var batch = SampleBatch()
      try driver.take(2, into: &batch)
      expect(batch[0]?.force, equals: Vector3(x: Q16(whole: 1), y: .zero, z: .zero))
      expect(batch[1]?.force, equals: Vector3(x: .zero, y: Q16(whole: -1), z: .zero))
    }
  }

  @Test static func `watching is set up with exactly these bytes`() {
    let watch = [
      Self.write(0x03, 0x00), Self.write(0x66, 0, 0), Self.write(0x10, 0), Self.write(0x05, 0x20, 0x01, 0x07),
      Self.write(0x7F, 0x20), Self.write(0x00, 10, 0x19, 0), Self.write(0x09, 1),
      Self.write(0x10, 0, 111, 3, 32, 0x1B, 0), Self.read(0x00, 10, 0x19, 0), Self.read(0x09, 1),
      Self.read(0x10, 0, 111, 3, 32, 0x1B, 0), Self.write(0x7F, 0x00), Self.write(0x0F, 0x28, 8, 0, 2, 0),
      Self.read(0x0F, 0x28, 8, 0, 2, 0), Self.read(0x05, 0x20, 0x01, 0x07),
    ]
    let quiet = Self.read(0x0F, 0x28, 8, 0, 2, 0, 9, 9, 9, 9, 9, 0xF7)
    run(
      Self.reset + Self.configure() + watch + [
        quiet, Self.read(0x2D, 0x20, 0, 0, 0, 0, 0), Self.read(0x0F, 0x28, 8, 0, 2, 0, 9, 9, 9, 9, 9, 8),
      ] + Self.configure()
    ) { driver throws(SensorError) in
      _ = try waits(&driver)
      try expect(driver.watchForMovement(), equals: .milliseconds(220))
      try expect(driver.watchForMovement(), equals: nil)
      try expect(that: !driver.hasMoved(from: Vector3(x: Q16(whole: 1), y: .zero, z: .zero)))
      try expect(that: driver.hasMoved(from: nil))
      try expect(driver.wake(), equals: Microseconds(73_378))
      try expect(driver.proceed(), equals: nil)
    }
  }
}

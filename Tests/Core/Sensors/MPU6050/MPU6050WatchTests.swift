import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// How a part is put to sleep and woken, on the wire and in its registers.
struct MPU6050WatchTests {
  /// The bytes that start the cycle mode of a part whose gyroscope is off.
  static let first: [BusScript.Step] = [
    MPU6050Script.write(0x38, 0x00), MPU6050Script.write(0x6A, 0x00), MPU6050Script.write(0x23, 0x00),
    MPU6050Script.write(0x6B, 0x00), MPU6050Script.write(0x6C, 0x07), MPU6050Script.write(0x1A, 0x00),
    MPU6050Script.write(0x1C, 0x08),
  ]
  static let second: [BusScript.Step] = [
    MPU6050Script.write(0x1F, 0x04, 0x01), MPU6050Script.write(0x37, 0x28, 0x40), MPU6050Script.write(0x1C, 0x0F),
    MPU6050Script.write(0x6B, 0x28, 0x87),
    MPU6050Script.read(0x1F, [0x04, 0x01]), MPU6050Script.read(0x37, [0x28, 0x40]), MPU6050Script.read(0x1C, [0x0F]),
    MPU6050Script.read(0x6B, [0x28, 0x87]),
  ]

  @Test static func `an MPU-6050 is put to sleep and woken with exactly these bytes and waits`() throws {
    var rig = MPU6050Script(MPU6050Script.start + Self.first + Self.second + MPU6050Script.configure)
    try rig.driver.startWholly { _ in }
    try expect(rig.driver.watchForMovement(), equals: .milliseconds(5))
    try expect(rig.driver.watchForMovement(), equals: .milliseconds(120))
    try expect(rig.driver.watchForMovement(), equals: nil)
    try expect(rig.driver.wake(), equals: Microseconds(69_800))
    try expect(rig.driver.proceed(), equals: nil)
    expect(rig.script.complaints, equals: [])
    expect(rig.driver.transactions, equals: 15 + 7 + 8 + 10)
  }

  @Test static func `an MPU-6500 is put to sleep in one step, gyroscope in standby, and woken with these bytes`()
    throws
  {
    let configure: [BusScript.Step] = [
      MPU6050Script.write(0x6A, 0x00), MPU6050Script.write(0x23, 0x00),
      MPU6050Script.write(0x19, 0x09, 0x03, 0x18, 0x08), MPU6050Script.write(0x1D, 0x03),
      MPU6050Script.write(0x37, 0x08, 0x00), MPU6050Script.write(0x6C, 0x00), MPU6050Script.write(0x6B, 0x01),
      MPU6050Script.read(0x19, [0x09, 0x03, 0x18, 0x08]), MPU6050Script.read(0x1D, [0x03]),
      MPU6050Script.read(0x23, [0x00]), MPU6050Script.read(0x37, [0x08, 0x00]),
      MPU6050Script.read(0x6A, [0x00, 0x01, 0x00]),
    ]
    let watch: [BusScript.Step] = [
      MPU6050Script.write(0x38, 0x00), MPU6050Script.write(0x6A, 0x00), MPU6050Script.write(0x23, 0x00),
      MPU6050Script.write(0x6B, 0x01), MPU6050Script.write(0x6C, 0x07),
      MPU6050Script.write(0x1D, 0x01, 0x07, 0x20), MPU6050Script.write(0x69, 0xC0),
      MPU6050Script.write(0x37, 0x28, 0x40), MPU6050Script.write(0x6B, 0x21),
      MPU6050Script.read(0x1D, [0x01, 0x07, 0x20]), MPU6050Script.read(0x69, [0xC0]),
      MPU6050Script.read(0x37, [0x28, 0x40]), MPU6050Script.read(0x6B, [0x21]),
    ]
    var rig = MPU6050Script(
      MPU6050Script.wakeUp(0x70, power: 0x01) + configure + watch + [MPU6050Script.write(0x69, 0x00)] + configure,
      MPU6050.Configuration(gyroscope: .dps2000))
    var waits: [Microseconds] = []
    try rig.driver.startWholly { waits.append($0) }
    try expect(rig.driver.watchForMovement(), equals: .milliseconds(120))
    try expect(rig.driver.watchForMovement(), equals: nil)
    try expect(rig.driver.wake(), equals: waits.last)
    try expect(rig.driver.proceed(), equals: nil)
    expect(rig.script.complaints, equals: [])
  }

  @Test(arguments: emulatedParts)
  static func `a part that was woken is configured as before, and can sleep again`(_ part: EmulatedMPU6050.Part) throws
  {
    let rig = MPU6050Rig(part, MPU6050.Configuration(gyroscope: .dps500))
    do throws(SensorError) { try rig.start() } catch { return }
    guard rig.driver.canWatchForMovement else { return }
    // The registers that the driver sets, without the status and samples in between.
    func settings() throws -> [UInt8] {
      try rig.registers(0x19, 8) + rig.registers(0x23, 1) + rig.registers(0x37, 2) + rig.registers(0x69, 4)
    }
    let before = try settings()
    for _ in 0..<2 {
      var steps = 0
      while let wait = try rig.driver.watchForMovement() {
        rig.clock.advance(by: wait)
        steps += 1
      }
      expect(steps, isAtLeast: 1)
      try expect(rig.driver.hasMoved(from: nil), equals: false)
      try expect(rig.registers(0x6C, 1)[0] & 0x07, equals: 0x07, "the gyroscope is in standby")
      rig.clock.advance(by: try rig.driver.wake())
      while let wait = try rig.driver.proceed() { rig.clock.advance(by: wait) }
      let after = try settings()
      // 1D and 1E, or 1F and 20, are thresholds of a detector that is off.
      #expect(after[0...3] == before[0...3] && after[8...] == before[8...], "\(part): \(after), \(before)")
    }
  }

  @Test static func `a check that finds a record costs as much as the count`() throws {
    let rig = MPU6050Rig(.mpu6050, MPU6050.Configuration(fifo: MPU6050.FIFO()))
    try rig.start()
    _ = try rig.driver.waiting()
    rig.clock.advance(by: rig.driver.configuration.period)
    let before = rig.driver.transactions
    try expect(rig.driver.waiting().count, equals: 1)
    expect(rig.driver.transactions, equals: before + 1)
  }
}

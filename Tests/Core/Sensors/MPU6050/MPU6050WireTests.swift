import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// The bytes of a start on the wire, pinned once; other suites test what they do.
struct MPU6050WireTests {
  @Test static func `start and proceed configure an MPU-6050 with exactly these bytes and waits`() throws {
    var rig = MPU6050Script(MPU6050Script.start)
    try expect(rig.driver.start(), equals: .milliseconds(100))
    expect(rig.driver.transactions, equals: 2)
    try expect(rig.driver.proceed(), equals: .milliseconds(100))
    expect(rig.driver.transactions, equals: 5)
    // 50 ms, two delays of 4.9 ms and a period of 10 ms.
    try expect(rig.driver.proceed(), equals: Microseconds(69_800))
    expect(rig.driver.transactions, equals: 15)
    try expect(rig.driver.proceed(), equals: nil)
    try expect(rig.driver.proceed(), equals: nil)
    expect(rig.script.complaints, equals: [])
    expect(rig.driver.transactions, equals: 15)
    expect(rig.driver.part, equals: .mpu6050)
    expect(rig.driver.notice, equals: nil)
  }

  @Test static func `a 6500 gets ACCEL_CONFIG2, a gyroscope its range and clock, and the pin its settings`() throws {
    let configuration = MPU6050.Configuration(
      rate: .hz500, range: .g16, filter: .hz184, gyroscope: .dps2000,
      interrupts: MPU6050.Interrupts(
        signalsDataReady: true, isActiveLow: true, isOpenDrain: true, isLatched: true, isClearedByAnyRead: true))
    var rig = MPU6050Script(
      MPU6050Script.wakeUp(0x70, power: 0x01) + [
        MPU6050Script.write(0x6A, 0x00), MPU6050Script.write(0x23, 0x00),
        MPU6050Script.write(0x19, 0x01, 0x01, 0x18, 0x18), MPU6050Script.write(0x1D, 0x01),
        MPU6050Script.write(0x37, 0xF8, 0x01), MPU6050Script.write(0x6C, 0x00), MPU6050Script.write(0x6B, 0x01),
        MPU6050Script.read(0x19, [0x01, 0x01, 0x18, 0x18]), MPU6050Script.read(0x1D, [0x01]),
        MPU6050Script.read(0x23, [0x00]), MPU6050Script.read(0x37, [0xF8, 0x01]),
        MPU6050Script.read(0x6A, [0x00, 0x01, 0x00]),
      ], configuration)
    _ = try rig.driver.start()
    _ = try rig.driver.proceed()
    // 100 ms with the gyroscope, two delays of 5.8 ms and a period of 2 ms.
    try expect(rig.driver.proceed(), equals: Microseconds(113_600))
    try expect(rig.driver.proceed(), equals: nil)
    expect(rig.script.complaints, equals: [])
  }

  @Test static func `a reset is polled every 10 ms, 11 times at most`() throws {
    let busy = MPU6050Script.read(0x6B, [0xC0])
    var steps = [MPU6050Script.read(0x75, [0x68]), MPU6050Script.write(0x6B, 0x80)]
    steps += Array(repeating: busy, count: 11)
    var rig = MPU6050Script(steps)
    try expect(rig.driver.start(), equals: .milliseconds(100))
    for _ in 0..<10 { try expect(rig.driver.proceed(), equals: .milliseconds(10)) }
    let error = sensorErrorOfProceed(&rig.driver)
    expect(error, equals: .resetTimedOut)
    expect(rig.script.complaints, equals: [])
    // The start begins again, instead of another poll.
    expect(sensorErrorOfProceed(&rig.driver), equals: .bus(.unsupported))
    expect(rig.script.mismatches.first?.hasPrefix("expected no more transactions, found write [75]"), equals: true)
  }

  @Test static func `a reset that takes a while is waited for`() throws {
    var steps = [MPU6050Script.read(0x75, [0x68]), MPU6050Script.write(0x6B, 0x80)]
    steps += Array(repeating: MPU6050Script.read(0x6B, [0x80]), count: 10)
    steps += MPU6050Script.start.dropFirst(2)
    var rig = MPU6050Script(steps)
    var waits: [Int64] = []
    waits.append(try rig.driver.start().count)
    while waits.count < 100, let wait = try rig.driver.proceed() { waits.append(wait.count) }
    expect(waits, equals: [100_000] + Array(repeating: 10_000, count: 10) + [100_000, 69_800])
    expect(rig.script.complaints, equals: [])
  }

  @Test static func `the addresses are those of the data sheet`() {
    expect(MPU6050.address.rawValue, equals: 0x68)
    expect(MPU6050.alternateAddress.rawValue, equals: 0x69)
    expect(MPU6050.identity, equals: 0x68)
  }

  private static func sensorErrorOfProceed(_ driver: inout MPU6050.Device<ScriptedBus>) -> SensorError? {
    do throws(SensorError) {
      _ = try driver.proceed()
      return nil
    } catch { return error }
  }
}

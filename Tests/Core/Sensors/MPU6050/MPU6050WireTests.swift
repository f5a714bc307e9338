import Emulation
import FixedPoint
import HAL
import Sensors
import Testing

/// The bytes on the wire of a start, pinned once; what they do is for the other suites.
@Suite struct MPU6050WireTests {
  @Test func `start and proceed configure an MPU-6050 with exactly these bytes and waits`() throws {
    var rig = MPU6050Script(MPU6050Script.start)
    #expect(try rig.driver.start() == .milliseconds(100))
    #expect(rig.driver.transactions == 2)
    #expect(try rig.driver.proceed() == .milliseconds(100))
    #expect(rig.driver.transactions == 5)
    // 50 ms, two delays of 4.9 ms and a period of 10 ms.
    #expect(try rig.driver.proceed() == Microseconds(69_800))
    #expect(rig.driver.transactions == 15)
    #expect(try rig.driver.proceed() == nil)
    #expect(try rig.driver.proceed() == nil)
    #expect(rig.script.complaints == [])
    #expect(rig.driver.transactions == 15)
    #expect(rig.driver.part == .mpu6050)
    #expect(rig.driver.notice == nil)
  }

  @Test func `a 6500 gets ACCEL_CONFIG2, a gyroscope its range and clock, and the pin what was asked for`() throws {
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
    #expect(try rig.driver.proceed() == Microseconds(113_600))
    #expect(try rig.driver.proceed() == nil)
    #expect(rig.script.complaints == [])
  }

  /// Cycle mode of the first class, and of the later parts with their own register.
  static let cycles: [(identity: UInt8, rate: MPU6050.CycleRate, standby: UInt8, code: UInt8?, period: Int64)] = [
    (0x68, .hz1_25, 0x07, nil, 800_000), (0x68, .hz5, 0x47, nil, 200_000), (0x68, .hz20, 0x87, nil, 50_000),
    (0x68, .hz40, 0xC7, nil, 25_000),
    (0x71, .hz1_25, 0x07, 3, 800_000), (0x71, .hz5, 0x07, 5, 200_000), (0x71, .hz20, 0x07, 7, 50_000),
    (0x71, .hz40, 0x07, 8, 25_000),
  ]

  @Test(arguments: cycles)
  func `cycle mode is set up where each class has it`(
    _ row: (identity: UInt8, rate: MPU6050.CycleRate, standby: UInt8, code: UInt8?, period: Int64)
  ) throws {
    // Gyroscope and FIFO are asked for, but not in cycle mode.
    let configuration = MPU6050.Configuration(gyroscope: .dps500, cycleRate: row.rate, fifo: MPU6050.FIFO())
    var steps = MPU6050Script.wakeUp(row.identity, power: 0x28)
    steps += [
      MPU6050Script.write(0x6A, 0x00), MPU6050Script.write(0x23, 0x00),
      MPU6050Script.write(0x19, 0x09, 0x03, 0x00, 0x08),
    ]
    if let code = row.code { steps += [MPU6050Script.write(0x1D, 0x07), MPU6050Script.write(0x1E, code)] }
    steps += [
      MPU6050Script.write(0x37, 0x08, 0x00), MPU6050Script.write(0x6C, row.standby), MPU6050Script.write(0x6B, 0x28),
      MPU6050Script.read(0x19, [0x09, 0x03, 0x00, 0x08]),
    ]
    if let code = row.code { steps += [MPU6050Script.read(0x1D, [0x07, code])] }
    steps += [
      MPU6050Script.read(0x23, [0x00]), MPU6050Script.read(0x37, [0x08, 0x00]),
      MPU6050Script.read(0x6A, [0x00, 0x28, row.standby]),
      MPU6050Script.read(0x3B, [0x20, 0x00, 0xE0, 0x00, 0x00, 0x01]),
    ]
    var rig = MPU6050Script(steps, configuration)
    _ = try rig.driver.start()
    _ = try rig.driver.proceed()
    #expect(try rig.driver.proceed() == Microseconds(50_000 + 2 * row.period))
    #expect(try rig.driver.proceed() == nil)
    #expect(configuration.period == Microseconds(row.period))
    if row.rate != .hz1_25 {
      #expect(
        try rig.driver.sample() == Vector3(x: Q16(whole: 1), y: Q16(whole: -1), z: Q16(raw: 8)))
    }
    #expect(rig.script.mismatches == [])
    #expect(rig.script.leftovers.count == (row.rate == .hz1_25 ? 1 : 0))
  }

  @Test func `a reset is asked about every 10 ms, 11 times at most`() throws {
    let busy = MPU6050Script.read(0x6B, [0xC0])
    var steps = [MPU6050Script.read(0x75, [0x68]), MPU6050Script.write(0x6B, 0x80)]
    steps += Array(repeating: busy, count: 11)
    var rig = MPU6050Script(steps)
    #expect(try rig.driver.start() == .milliseconds(100))
    for _ in 0..<10 { #expect(try rig.driver.proceed() == .milliseconds(10)) }
    let error = sensorErrorOfProceed(&rig.driver)
    #expect(error == .resetTimedOut)
    #expect(rig.script.complaints == [])
    // Begun anew, not asked again.
    #expect(sensorErrorOfProceed(&rig.driver) == .bus(.unsupported))
    #expect(rig.script.mismatches.first?.hasPrefix("expected no more transactions, found write [75]") == true)
  }

  @Test func `a reset that takes a while is waited for`() throws {
    var steps = [MPU6050Script.read(0x75, [0x68]), MPU6050Script.write(0x6B, 0x80)]
    steps += Array(repeating: MPU6050Script.read(0x6B, [0x80]), count: 10)
    steps += MPU6050Script.start.dropFirst(2)
    var rig = MPU6050Script(steps)
    var waits: [Int64] = []
    waits.append(try rig.driver.start().count)
    while waits.count < 100, let wait = try rig.driver.proceed() { waits.append(wait.count) }
    #expect(waits == [100_000] + Array(repeating: 10_000, count: 10) + [100_000, 69_800])
    #expect(rig.script.complaints == [])
  }

  @Test func `the addresses are those of the data sheet`() {
    #expect(MPU6050.address.rawValue == 0x68)
    #expect(MPU6050.alternateAddress.rawValue == 0x69)
    #expect(MPU6050.identity == 0x68)
  }

  private func sensorErrorOfProceed(_ driver: inout MPU6050.Device<ScriptedBus>) -> SensorError? {
    do throws(SensorError) {
      _ = try driver.proceed()
      return nil
    } catch { return error }
  }
}

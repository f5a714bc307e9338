import Emulation
import FixedPoint
import HAL
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing

/// Another program, which does not know of the loop, reconfigures its sensor.
struct ForeignConfigurationTests {
  /// The effects of the other program's write.
  private struct Outcome {
    var events: [Occurrence] = []
    var state = PoseState.unknown(.notYetSampled)
    var written = Instant(microseconds: 0)

    var troubles: [SensorError?] {
      events.compactMap { if case .trouble(.fault, let cause) = $0.event { cause } else { nil } }
    }
    var recoveries: [SensorError?] {
      events.compactMap { if case .recovered(let cause, _) = $0.event { cause } else { nil } }
    }
  }

  /// Runs a loop over `sensor` for ten seconds; after `writing`, calls `write` on the part once, by way of `foreign`.
  private func run<Sensor: Accelerometer & ~Copyable>(
    _ sensor: consuming Sensor, period: Microseconds, clock: VirtualClock, after writing: Microseconds,
    foreign: (inout Sensor) throws -> Void
  ) throws -> Outcome {
    var outcome = Outcome()
    var loop = Loop(sensor: sensor, bank: NoLines(), clock: clock, period: period)
    var isWritten = false
    while clock.now.microseconds < 10_000_000, let seen = try loop.turn() {
      seen.forEachEvent { outcome.events.append($0) }
      guard !isWritten, clock.now.microseconds >= writing.count, !loop.hasSamples else { continue }
      try foreign(&loop.sensor)
      (isWritten, outcome.written) = (true, clock.now)
    }
    outcome.state = loop.monitor.state
    return outcome
  }

  /// Compares `outcome` with `expected`; a part that `stops` at once may be found frozen first.
  private func check(_ outcome: Outcome, _ expected: SensorError, stops: Bool = false, _ words: String) throws {
    let isFrozen = stops && outcome.troubles == [.frozen]
    #expect(isFrozen || outcome.troubles == [expected], "\(words)")
    expect(outcome.recoveries, equals: outcome.troubles, "\(words)")
    let noticed = try require(outcome.events.first { $0.event.kind == .trouble }?.at, "\(words)")
    expect(noticed - outcome.written, isAtMost: .seconds(1), "\(words): \((noticed - outcome.written).count)")
    expect(outcome.state, equals: .known(.portrait), "\(words)")
  }

  /// Configuration registers of an ADXL345, their contents, and what another program writes.
  private static let adxl345: [(register: UInt8, is: UInt8, becomes: UInt8)] = [
    (0x2C, 0x0A, 0x0C), (0x2D, 0x08, 0x00), (0x31, 0x0B, 0x09), (0x38, 0x00, 0x99), (0x1E, 0, 5), (0x1F, 0, 0xFF),
    (0x20, 0, 1), (0x2E, 0, 0x80),
  ]

  @Test(arguments: adxl345) func `a changed ADXL345 is reported with its cause within a second, and set up again`(
    change: (register: UInt8, is: UInt8, becomes: UInt8)
  ) throws {
    for written in [1_500_000, 1_905_000, 2_200_000, 3_000_000] as [Int64] {
      let clock = VirtualClock()
      let part = EmulatedADXL345(motion: AttitudePath.hold(.portrait, for: .seconds(20)), now: { clock.now })
      let bus = EmulatedBus(part, at: EmulatedADXL345.address) { clock.now }
      let outcome = try run(
        ADXL345.Device(bus: bus), period: .milliseconds(10), clock: clock, after: Microseconds(written)
      ) {
        try $0.wire.write(change.register, change.becomes)
      }
      let error = SensorError.configurationChanged(register: change.register, wrote: change.is, read: change.becomes)
      try check(outcome, error, stops: change.register == 0x2D, "\(change), \(written)")
    }
  }

  @Test(arguments: [(UInt8(0x2C), UInt8(0x0A), UInt8(0x0C)), (0x31, 0x0B, 0x00), (0x38, 0x99, 0x8F)])
  func `the same in batches, which lose their samples up to then`(register: UInt8, is: UInt8, becomes: UInt8) throws {
    let clock = VirtualClock()
    let part = EmulatedADXL345(motion: AttitudePath.hold(.portrait, for: .seconds(20)), now: { clock.now })
    let bus = EmulatedBus(part, at: EmulatedADXL345.address) { clock.now }
    let configuration = ADXL345.Configuration(fifo: .stream(watermark: .init(nearest: 25)))
    let sensor = Batched(ADXL345.Device(bus: bus, configuration: configuration), size: 25)
    let outcome = try run(sensor, period: .milliseconds(250), clock: clock, after: .milliseconds(2_300)) {
      try $0.base.wire.write(register, becomes)
    }
    let error = SensorError.configurationChanged(register: register, wrote: `is`, read: becomes)
    try check(outcome, error, "\(register)")
  }

  /// The same for an MPU-6050 at 100 Hz.
  @Test(arguments: [
    (UInt8(0x19), UInt8(0x04)), (0x1A, 0x00), (0x1B, 0x08), (0x1C, 0x00), (0x23, 0x78), (0x37, 0x80), (0x38, 0x01),
    (0x6A, 0x20), (0x6B, 0x40), (0x6C, 0x38),
  ]) func `a changed MPU-6050 is reported with its cause within a second, and set up again`(
    register: UInt8, becomes: UInt8
  ) throws {
    let clock = VirtualClock()
    let part = EmulatedMPU6050(motion: AttitudePath.hold(.portrait, for: .seconds(20)), now: { clock.now })
    let bus = EmulatedBus(part, at: EmulatedMPU6050.address) { clock.now }
    let sensor = MPU6050.Device(bus: bus, configuration: MPU6050.Configuration(range: .g8, gyroscope: .dps2000))
    var wrote: UInt8 = 0
    let outcome = try run(sensor, period: .milliseconds(10), clock: clock, after: .milliseconds(2_500)) {
      wrote = try $0.wire.read(register)
      try #require(wrote != becomes)
      try $0.wire.write(register, becomes)
    }
    let error = SensorError.configurationChanged(register: register, wrote: wrote, read: becomes)
    try check(outcome, error, stops: register >= 0x6B, "\(register)")
  }

  @Test func `a part without supply has lost its configuration, and does not count as changed`() throws {
    for kind in [Rig.Part.adxl345, .mpu6050(EmulatedMPU6050.Configuration())] {
      let outcome = Rig(plan: [.init(.brownOut, .transaction(200))], part: kind).run(for: .seconds(6))
      expect(outcome.counters.faultKinds[.configurationChanged], equals: 0)
      expect(outcome.counters.faultKinds[.configurationLost], equals: 1)
    }
  }

  @Test func `at a low sample rate each sample checks it`() throws {
    let clock = VirtualClock()
    let part = EmulatedADXL345(motion: AttitudePath.hold(.portrait, for: .seconds(20)), now: { clock.now })
    let bus = EmulatedBus(part, at: EmulatedADXL345.address) { clock.now }
    let outcome = try run(
      ADXL345.Device(bus: bus), period: .seconds(1), clock: clock, after: .milliseconds(3_100)
    ) {
      try $0.wire.write(0x2C, 0x0C)
    }
    let error = SensorError.configurationChanged(register: 0x2C, wrote: 0x0A, read: 0x0C)
    try check(outcome, error, "at 1 Hz")
  }
}

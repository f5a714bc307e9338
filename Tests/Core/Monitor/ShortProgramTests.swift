import Emulation
import FixedPoint
import HAL
import Monitor
import Sensors
import TestSupport
import Testing

/// What keeps a program short: a bus with a sensor, a loop with the sensor's own period, and events as a sequence.
struct ShortProgramTests {
  /// The events of twelve seconds, taken from each report by `watch`.
  private static func events<Sensor: Accelerometer & ~Copyable>(
    _ loop: consuming Loop<Sensor, NoLines, VirtualClock>, _ watch: (Observation) -> [Occurrence]
  ) throws -> [Occurrence] {
    var result: [Occurrence] = []
    while loop.clock.now < Instant(microseconds: 12_000_000), let report = try loop.turn() { result += watch(report) }
    return result
  }

  /// The events of a report, by index.
  private static func byIndex(_ report: Observation) -> [Occurrence] {
    (0..<report.events.count).compactMap { report.events[$0] }
  }

  @Test static func `a loop takes each sample of the sensor, and its events form a sequence`() throws {
    let clock = VirtualClock()
    let short = Loop(
      sensor: ADXL345.Device(bus: EmulatedBus.adxl345(moving: AttitudePath.tumble, by: clock)), bank: NoLines(),
      clock: clock)
    let long = VirtualClock()
    let part = EmulatedADXL345(motion: AttitudePath.tumble) { long.now }
    let explicit = Loop(
      sensor: ADXL345.Device(bus: EmulatedBus(part, at: ADXL345.address) { long.now }), bank: NoLines(), clock: long,
      period: .milliseconds(10))
    let seen = try events(short) { Array($0.events) }
    let expected = try events(explicit, byIndex)
    expect(seen, equals: expected)
    expect(seen.count, isAbove: 5)
  }

  @Test static func `a program for an MPU-6050 is as short`() throws {
    let clock = VirtualClock()
    let loop = Loop(
      sensor: MPU6050.Device(bus: EmulatedBus.mpu6050(moving: AttitudePath.tumble, by: clock)), bank: NoLines(),
      clock: clock)
    let poses = try events(loop) { Array($0.events) }.filter { if case .pose = $0.event { true } else { false } }
    expect(poses.count, isAbove: 4)
  }

  @Test static func `a step without events yields none`() {
    expect(empty: Array(Events()))
  }
}

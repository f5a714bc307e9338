import Emulation
import FixedPoint
import HAL
import Monitor
import Sensors
import Testing

/// What makes a program short: a bus with a sensor on it, a loop with the sensor's own period, events one after another.
@Suite struct ShortProgramTests {
  /// What happens in twelve seconds, by `watch` of each report.
  private func events<Sensor: Accelerometer & ~Copyable>(
    _ loop: consuming Loop<Sensor, NoLines, VirtualClock>, _ watch: (Observation) -> [Occurrence]
  ) throws -> [Occurrence] {
    var result: [Occurrence] = []
    while loop.clock.now < Instant(microseconds: 12_000_000), let report = try loop.turn() { result += watch(report) }
    return result
  }

  /// All that a report has, by index.
  private func byIndex(_ report: Observation) -> [Occurrence] {
    (0..<report.events.count).compactMap { report.events[$0] }
  }

  @Test func `a loop takes each sample that the sensor makes, and its events come one after another`() throws {
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
    #expect(seen == expected)
    #expect(seen.count > 5)
  }

  @Test func `an MPU-6050 is as short`() throws {
    let clock = VirtualClock()
    let loop = Loop(
      sensor: MPU6050.Device(bus: EmulatedBus.mpu6050(moving: AttitudePath.tumble, by: clock)), bank: NoLines(),
      clock: clock)
    let poses = try events(loop) { Array($0.events) }.filter { if case .pose = $0.event { true } else { false } }
    #expect(poses.count > 4)
  }

  @Test func `a step without events gives none`() {
    #expect(Array(Events()).isEmpty)
  }
}

import Emulation
import FixedPoint
import HAL
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing

/// The start of a sensor, in one part or in several.
struct StartTests {
  static let mpu6050 = Rig(part: .mpu6050(EmulatedMPU6050.Configuration()))

  /// The driver's work on the bus, called by hand: start, wait, sample each period.
  static func byHand(_ rate: ADXL345.OutputDataRate, for duration: Microseconds) throws -> [BusLog.Transaction] {
    let clock = VirtualClock()
    let log = BusLog()
    let part = EmulatedADXL345(motion: Rig().motion, seed: 1) { clock.now }
    let bus = EmulatedBus(part, at: EmulatedADXL345.address, log: log) { clock.now }
    var device = ADXL345.Device(bus: bus, configuration: ADXL345.Configuration(rate: rate))
    let end = clock.now + duration
    clock.advance(by: try device.start())
    while clock.now <= end {
      _ = try device.sample()
      clock.advance(by: rate.period)
    }
    return log.transactions
  }

  @Test(arguments: [ADXL345.OutputDataRate.hz25, .hz100, .hz800])
  static func `a sensor started in one part is sampled once settled, with no other transaction`(
    rate: ADXL345.OutputDataRate
  ) throws {
    // Before the configuration is checked for the first time.
    let expected = try Self.byHand(rate, for: .milliseconds(850))
    expect(Rig(rate: rate).run(for: .milliseconds(850)).bus.transactions, equals: expected)
    expect(expected.count, isAbove: 30)
  }

  @Test static func `a sensor started in parts is left alone between them, then sampled in the last turn`() {
    let outcome = Self.mpu6050.run(for: .seconds(2))
    let instants = outcome.bus.transactions.map(\.instant.microseconds)
    // Reset at once, woken after 100 ms, configured after 200 ms, then settled; then the grid of samples.
    let first = outcome.bus.transactions.firstIndex { $0.read.count >= 6 && $0.instant > at(250) } ?? 0
    expect(Set(instants.prefix(first)), equals: [0, 100_000, 200_000])
    let samples = outcome.busInstants.drop { $0 < instants[first] }
    expect(all: samples.enumerated()) { $1 == instants[first] + Int64($0) * 10_000 }
    expect(outcome.counters.samples, equals: UInt64(samples.count))
    expect(outcome.poses, equals: [.portrait])
    expect(empty: outcome.troubles)
    expect(outcome.counters.lateSamples, equals: 0)
    expect(outcome.events.first?.at, equals: at(instants[first] / 1_000) + Microseconds(instants[first] % 1_000))
  }

  @Test(arguments: FaultTests.busFaults)
  static func `a bus fault anywhere in a start of several parts costs one retry and nothing else`(
    effect: FaultPlan.Effect
  ) {
    for number in 0..<Self.mpu6050.run(for: .seconds(1)).startCount + 40 {
      var rig = Self.mpu6050
      rig.plan = [.init(effect, .transaction(number))]
      let outcome = rig.run(for: .seconds(1))
      expect(outcome.poses, equals: [.portrait], "transaction \(number)")
      expect(empty: outcome.troubles)
      expect(outcome.counters.restarts, equals: 0)
      expect(outcome.counters.faults, equals: UInt64(outcome.bus.faultCount))
      expect(outcome.bus.faultCount, isAtMost: 1)
    }
  }

  @Test(arguments: [0, 50, 100, 150, 200, 230, 270, 1_000, 1_003] as [Int64])
  static func `a lasting fault in any part of a start is reported once, and the start begins again`(_ begin: Int64) {
    for length in [100, 777, 3_000] as [Int64] {
      var rig = Self.mpu6050
      rig.plan = [
        .init(.noAcknowledge, .during(.milliseconds(begin)..<Microseconds.milliseconds(begin + length)))
      ]
      let outcome = rig.run(for: .seconds(8))
      let isHit = outcome.bus.faultCount > 0
      expect(outcome.troubles.map(\.cause), equals: isHit ? [.bus(.noAcknowledge)] : [], "\(begin), \(length)")
      expect(outcome.recoveries.count, equals: isHit ? 1 : 0)
      expect(Set(outcome.poses), equals: [.portrait])
      expect(outcome.finalState, equals: .known(.portrait))
      expect(outcome.counters.restarts, equals: UInt64(outcome.bus.reopenCount))
      // Each attempt resets the part: 6B 80.
      let resets = outcome.bus.transactions.count { $0.written == [0x6B, 0x80] && $0.fault == nil }
      expect(resets, isAtLeast: 1)
      expect(resets, isAtMost: 1 + outcome.bus.reopenCount)
    }
  }

  @Test static func `a reset that never ends is reported once, retried with back-off, and never becomes a pose`() {
    var specimen = EmulatedMPU6050.Configuration()
    specimen.resetTime = nil
    let outcome = Rig(part: .mpu6050(specimen)).run(for: .seconds(60))
    expect(outcome.troubles.map(\.cause), equals: [.resetTimedOut])
    expect(empty: outcome.poses)
    expect(outcome.finalState, equals: .unknown(.fault))
    expect(outcome.counters.faults, equals: outcome.counters.faultKinds[.resetTimedOut])
    // Each attempt takes 200 ms, followed by 400 ms of back-off.
    expect(outcome.counters.faultKinds[.resetTimedOut], isIn: 95...105)
    expect(empty: outcome.giveUps)
  }

  @Test static func `a part with a brown-out during its start, or soon after, is started again`() {
    for number in 1..<Self.mpu6050.run(for: .seconds(1)).startCount + 20 {
      var rig = Self.mpu6050
      rig.plan = [.init(.brownOut, .transaction(number))]
      let outcome = rig.run(for: .seconds(4))
      expect(Set(outcome.poses), equals: [.portrait], "transaction \(number)")
      expect(outcome.finalState, equals: .known(.portrait))
      expect(outcome.counters.recoveries, equals: UInt64(outcome.recoveries.count))
    }
  }
}

/// The instant `milliseconds` after the origin.
func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1_000) }

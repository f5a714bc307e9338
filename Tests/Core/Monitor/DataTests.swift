import Emulation
import FixedPoint
import HAL
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing

/// A clock with the data-ready signal of a sensor whose own clock differs from this computer's. Samples whose number
/// is in `deaf` are not signalled: there, and `patience` after they are due, it wakes by time.
private struct ListeningClock: MonotonicClock {
  let clock: VirtualClock
  let period: Int64
  var deaf = 0..<0
  var count = 0

  var now: Instant { clock.now }

  mutating func sleep(until deadline: Instant) -> Bool { clock.sleep(until: deadline) }

  mutating func awaitSample(due: Instant) -> Awakening {
    count += 1
    guard !deaf.contains(count) else { return sleep(until: due) ? .time : .interrupted }
    // The sensor has produced samples since 0.
    let next = Instant(microseconds: (now.microseconds / period + 1) * period)
    return sleep(until: next) ? .data : .interrupted
  }
}

/// Samples taken when the sensor signals them.
struct DataTests {
  @Test(arguments: [9_300, 9_990, 10_000, 10_010, 10_700, 14_000] as [Int64])
  static func `every sample is taken once and none is late, however much the sensor's clock differs`(period: Int64) {
    let clock = VirtualClock()
    let outcome = Rig().run(for: .seconds(60), on: ListeningClock(clock: clock, period: period)) { clock.now }
    let expected = 60_000_000 / period
    expect(abs(Int64(outcome.counters.samples) - expected), isAtMost: 10)
    expect(outcome.counters.lateSamples, equals: 0)
    expect(outcome.poses, equals: [.portrait])
    let instants = outcome.busInstants.suffix(3_000)
    expect(all: instants) { $0 % period == 0 }
    expect(all: zip(instants, instants.dropFirst())) { $1 - $0 == period }
  }

  @Test
  static func `a timer alone does not follow such a sensor, so the test can fail`() {
    let clock = VirtualClock()
    let deaf = ListeningClock(clock: clock, period: 14_000, deaf: 0..<Int.max)
    let outcome = Rig().run(for: .seconds(60), on: deaf) { clock.now }
    expect(abs(Int(outcome.counters.samples) - 6_000), isAtMost: 3)
  }

  @Test
  static func `without signals samples come at exact periods, and the signals are followed again later`() {
    let clock = VirtualClock()
    let listening = ListeningClock(clock: clock, period: 10_700, deaf: 101..<201)
    let outcome = Rig().run(for: .seconds(10), on: listening) { clock.now }
    let instants = outcome.busInstants
    let steps = zip(instants, instants.dropFirst()).map { $1 - $0 }
    expect(steps.filter { $0 == 10_000 }.count, equals: 100)
    expect(all: steps.suffix(100)) { $0 == 10_700 }
    expect(outcome.poses, equals: [.portrait])
    expect(outcome.counters.lateSamples, equals: 0)
  }

  @Test
  static func `following changes nothing when the next task is not a sample`() {
    var monitor = Monitor(.recording, at: Instant(microseconds: 5))
    expect(monitor.next, equals: (Instant(microseconds: 5), .start))
    monitor.follow(at: Instant(microseconds: 77))
    expect(monitor.next, equals: (Instant(microseconds: 5), .start))
  }

  @Test
  static func `a clock without a signal sleeps, and reports an interrupted sleep`() {
    struct Impatient: MonotonicClock {
      var now: Instant { Instant(microseconds: 0) }
      func sleep(until deadline: Instant) -> Bool { deadline.microseconds < 100 }
    }
    var clock = Impatient()
    expect(clock.awaitSample(due: Instant(microseconds: 99)), equals: .time)
    expect(clock.awaitSample(due: Instant(microseconds: 100)), equals: .interrupted)
  }
}

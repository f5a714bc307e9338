import Emulation
import FixedPoint
import HAL
import Indication
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing

struct SteadyStateTests {
  @Test(arguments: [
    ADXL345.OutputDataRate.hz25, .hz50, .hz100, .hz200, .hz800,
  ])
  static func `a sample takes one transaction, and the check once a second three more, at every rate`(
    rate: ADXL345.OutputDataRate
  ) {
    let startUp = Rig(rate: rate).run(for: Microseconds(1)).bus.transactionCount
    for seconds in [1, 7] as [Int64] {
      let outcome = Rig(rate: rate).run(for: .seconds(seconds))
      let steady = outcome.bus.transactions.dropFirst(startUp)
      let checks = steady.filter { $0.written != [0x31] || $0.read.count != 7 }
      expect(outcome.bus.transactionCount, equals: startUp + Int(outcome.counters.samples) + checks.count)
      // 0.9 s apart, and at the next sample.
      #expect(checks.count == 3 * Int(seconds * 10 / 9) || checks.count == 3 * Int(seconds), "\(checks.count)")
      expect(
        checks.map(\.written),
        equals: Array(repeating: [[0x1D], [0x31], [0x38]], count: checks.count / 3).flatMap { $0 })
      expect(outcome.transactions, equals: UInt64(outcome.bus.transactionCount))
      let expected = Int64(1_000_000) * seconds / rate.period.count
      expect(abs(Int64(outcome.counters.samples) - expected), isAtMost: 3)
      expect(outcome.counters.lateSamples, equals: 0)
    }
  }

  @Test
  static func `the output bank is written only when levels change`() {
    let held = Rig().run(for: .seconds(60))
    expect(held.outputs.writes.map(\.levels), equals: [.oneHot(.portrait)])
    expect(held.outputWrites, equals: 1)
    let tumbled = Rig(motion: NamedMotion.tumble.motion).run(for: .seconds(12))
    expect(tumbled.outputs.writes.map(\.levels), equals: tumbled.poses.map { .oneHot($0) })
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  static func `a tumbling board goes through all six poses in order, for any noise`(seed: UInt64) {
    let outcome = Rig(motion: NamedMotion.tumble.motion, seed: seed).run(for: .seconds(12))
    expect(
      outcome.poses,
      equals: [
        .portrait, .landscapeLeft, .portraitUpsideDown, .landscapeRight, .faceUp, .portrait, .faceDown,
      ])
    expect(outcome.counters.poseChanges, equals: 7)
    expect(outcome.counters.faults, equals: 0)
  }

  @Test
  static func `samples are due at exact periods, without drift`() {
    let outcome = Rig(rate: .hz50).run(for: .seconds(100))
    let samples = outcome.bus.transactions.filter { $0.written == [0x31] && $0.read.count == 7 }
    let instants = samples.suffix(4_000).map(\.instant.microseconds)
    expect(all: zip(instants, instants.dropFirst())) { $1 - $0 == 20_000 }
  }

  @Test
  static func `a mounting is undone before any decision`() throws {
    // The sensor's +Y points to the left of the board and its +X to the top.
    let mounting = try Mounting(x: .minusY, y: .plusX, z: .plusZ)
    for (held, expected) in [(Attitude.landscapeLeft, Pose.portrait), (.portrait, .landscapeRight)] {
      let outcome = Rig(motion: AttitudePath.hold(held), mounting: mounting).run(for: .seconds(1))
      expect(outcome.poses, equals: [expected])
    }
  }

  @Test
  static func `a shaken board keeps its pose; one in free fall loses it after a second and finds it again`() {
    expect(Rig(motion: NamedMotion.shake.motion).run(for: .seconds(6)).poses, equals: [.portrait])
    let fallen = Rig(motion: NamedMotion.freeFall.motion).run(for: .seconds(6))
    expect(fallen.troubles.first?.reason, equals: .freeFall)
    expect(fallen.poses, equals: [.portrait, .portrait])
  }

  @Test
  static func `equal seeds give equal runs, and other seeds other samples`() {
    let rig = Rig(motion: NamedMotion.tumble.motion)
    let first = rig.run(for: .seconds(12))
    expect(first.bus.transactions, equals: rig.run(for: .seconds(12)).bus.transactions)
    expect(first.bus.transactions, isNot: Rig(motion: rig.motion, seed: 2).run(for: .seconds(12)).bus.transactions)
  }

  @Test
  static func `an interrupted sleep stops the loop, and an output fault is thrown`() {
    let stopped = Rig().run(for: .seconds(1), on: ImpatientClock(sleeps: 20)) { Instant(microseconds: 0) }
    expect(that: stopped.wasStopped)
    let failed = Rig(failingWrites: 0..<1).run(for: .seconds(1))
    expect(failed.fault, equals: OutputFault(code: 5))
  }

  @Test
  static func `missed deadlines are counted and skipped, and the time stamps stay true`() {
    // Each sleep ends 25 ms late: with a period of 10 ms, two deadlines are missed each time.
    let time = VirtualClock()
    let outcome = Rig().run(for: .seconds(2), on: OversleepingClock(time: time)) { time.now }
    expect(outcome.counters.lateSamples, equals: outcome.counters.samples)
    let instants = outcome.busInstants.suffix(50)
    let gaps = zip(instants, instants.dropFirst()).map { (earlier: Int64, later: Int64) in later - earlier }
    expect(all: gaps) { (25_000...35_000).contains($0) }
    expect(outcome.poses, equals: [.portrait])
  }
}

/// Signals after some sleeps that the program should stop.
private struct ImpatientClock: MonotonicClock {
  var sleeps: Int
  var now: Instant { Instant(microseconds: 0) }

  mutating func sleep(until deadline: Instant) -> Bool {
    sleeps -= 1
    return sleeps >= 0
  }
}

/// Sleeps 25 ms too long.
private struct OversleepingClock: MonotonicClock {
  let time: VirtualClock
  var now: Instant { time.now }

  func sleep(until deadline: Instant) -> Bool { time.sleep(until: deadline + .milliseconds(25)) }
}

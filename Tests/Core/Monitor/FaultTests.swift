import Emulation
import FixedPoint
import HAL
import Indication
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing

struct FaultTests {
  static let busFaults: [FaultPlan.Effect] = [
    .noAcknowledge, .timedOut, .arbitrationLost, .fault(.other(code: 5)), .shortRead(received: 3),
  ]

  @Test(arguments: busFaults)
  static func `a fault at any transaction, start-up included, costs one retry and nothing else`(
    effect: FaultPlan.Effect
  ) {
    let clean = Rig().run(for: .seconds(1))
    for number in 0..<clean.startCount + 40 {
      let outcome = Rig(plan: [.init(effect, .transaction(number))]).run(for: .seconds(1))
      expect(outcome.poses, equals: clean.poses, "transaction \(number)")
      expect(empty: outcome.troubles)
      // A short read cannot happen in a transaction that only writes.
      expect(outcome.counters.faults, equals: UInt64(outcome.bus.faultCount))
      expect(outcome.bus.faultCount, isAtMost: 1)
      expect(outcome.finalState, equals: .known(.portrait))
    }
  }

  @Test(arguments: busFaults)
  static func `a lasting fault gives up the pose once, and the sensor is configured again when it is back`(
    effect: FaultPlan.Effect
  ) {
    for start in [0, 1, 15, 500, 3_217] as [Int64] {
      for length in [100, 777, 5_000] as [Int64] {
        let span = Microseconds.milliseconds(start)..<Microseconds.milliseconds(start + length)
        let outcome = Rig(plan: [.init(effect, .during(span))]).run(for: .seconds(10))
        expect(outcome.troubles.map(\.reason), equals: [.fault], "from \(start) ms for \(length) ms")
        expect(outcome.recoveries.count, equals: 1)
        let back = outcome.recoveries.first.map { ($0.at - Instant(microseconds: 0)).seconds } ?? .infinity
        expect(back - Double(start + length) / 1_000, isAtMost: 0.5, "back off is bounded")
        expect(outcome.poses.last, equals: .portrait)
        expect(outcome.finalState, equals: .known(.portrait))
        expect(outcome.bus.faultCount, isAtMost: 4 + Int(length) / 50, "no bus is hammered")
        expect(outcome.bus.reopenCount, isAtLeast: 1)
      }
    }
  }

  @Test static func `without a back-off, an attempt is made each millisecond, and no more often`() {
    var rig = Rig(plan: [.init(.noAcknowledge, .during(.milliseconds(1_000)..<Microseconds.milliseconds(1_200)))])
    (rig.policy.firstBackOff, rig.policy.longestBackOff) = (.zero, .zero)
    let outcome = rig.run(for: .seconds(2))
    expect(outcome.bus.faultCount, isIn: 190...210, "\(outcome.bus.faultCount)")
    expect(outcome.finalState, equals: .known(.portrait))
  }

  @Test
  static func `a hanging bus makes the lines show an unknown pose from the first time-out on`() {
    let span = Microseconds.seconds(2)..<Microseconds.seconds(30)
    let outcome = Rig(plan: [.init(.hang(.milliseconds(1_100)), .during(span))]).run(for: .seconds(40))
    expect(outcome.troubles.map(\.reason), equals: [.stale, .fault])
    expect(outcome.troubles.first.map { $0.at <= Instant(microseconds: 3_200_000) }, equals: true)
    expect(outcome.outputs.writes.filter { $0.instant > Instant(microseconds: 2_000_000) }.first?.levels, equals: .all)
    expect(outcome.finalState, equals: .known(.portrait))
    expect(outcome.recoveries.count, equals: 1)
  }

  @Test
  static func `samples lost to a hang that a retry ends are late, and the deadlines stay on their grid`() {
    let span = Microseconds.milliseconds(2_000)..<Microseconds.milliseconds(2_015)
    let outcome = Rig(plan: [.init(.hang(.milliseconds(333)), .during(span))]).run(for: .seconds(4))
    expect(empty: outcome.troubles)
    expect(outcome.counters.lateSamples, equals: 1)
    let first = outcome.bus.transactions.first { $0.written == [0x31] }?.instant ?? Instant(microseconds: 0)
    let last = outcome.bus.transactions.last?.instant ?? Instant(microseconds: 0)
    expect((last - first).count % 10_000, equals: 0)
  }

  @Test
  static func `alternating causes within one outage are reported once each`() {
    var plan = FaultPlan.none
    let start = Rig().run(for: .seconds(1)).firstSettled
    for number in start..<start + 2_000 {
      plan.rules.append(.init(number.isMultiple(of: 2) ? .noAcknowledge : .timedOut, .transaction(number)))
    }
    let outcome = Rig(plan: plan).run(for: .seconds(60))
    expect(outcome.troubles.count, isAtMost: 2)
    expect(outcome.counters.faults, isAbove: 100)
  }

  @Test
  static func `during a fault the lines blink together and never show a pose`() {
    let span = Microseconds.seconds(1)..<Microseconds.seconds(3)
    let outcome = Rig(plan: [.init(.noAcknowledge, .during(span))]).run(for: .seconds(4))
    let begin = outcome.troubles.first?.at ?? Instant(microseconds: 0)
    let end = outcome.recoveries.first?.at ?? Instant(microseconds: 0)
    let during = outcome.outputs.writes.filter { $0.instant >= begin && $0.instant < end }
    expect(during.count, isAtLeast: 14)
    for (index, write) in during.enumerated() {
      expect(write.levels, equals: index.isMultiple(of: 2) ? .all : .off)
      expect(write.instant, equals: begin + Microseconds.milliseconds(125) * Int64(index))
    }
  }

  @Test static func `a pose that grows too old while the part is configured again is given up right after`() {
    var monitor = CountTests.monitor()
    _ = monitor.started(settling: .zero, at: at(0))
    for sample in 1...10 as ClosedRange<Int64> {
      _ = monitor.sampled(Vector3(x: Q16(raw: Int32(sample)), y: .one, z: .zero), at: at(sample * 10))
    }
    _ = monitor.failed(.configurationLost, at: at(110))
    expect(monitor.state, equals: .known(.portrait))
    expect(monitor.next.task, equals: .restart)
    _ = monitor.started(settling: .milliseconds(20), at: at(1_000))
    expect(monitor.state, equals: .known(.portrait))
    let report = monitor.started(settling: .milliseconds(20), at: at(1_200))
    expect(monitor.state, equals: .unknown(.stale))
    expect(report.events[0]?.event, equals: .trouble(.stale, cause: nil))
  }

  @Test
  static func `a part that lost its configuration is configured again at once and keeps its pose`() {
    let start = Rig().run(for: .seconds(1)).firstSettled
    for transaction in start..<start + 20 {
      let outcome = Rig(plan: [.init(.brownOut, .transaction(transaction))]).run(for: .seconds(2))
      expect(empty: outcome.troubles)
      expect(outcome.recoveries.map(\.from), equals: [.configurationLost], "at \(transaction)")
      expect(all: outcome.recoveries) { $0.outage <= .milliseconds(40) }
      expect(outcome.poses, equals: [.portrait])
      expect(outcome.counters.recoveries, equals: 1)
    }
  }

  @Test
  static func `a wrong identity is reported with its value, and ends when the right part responds`() {
    let span = Microseconds.zero..<Microseconds.seconds(2)
    let outcome = Rig(plan: [.init(.identity(0xE6), .during(span))]).run(for: .seconds(4))
    expect(outcome.troubles.map(\.cause), equals: [.unexpectedIdentity(found: 0xE6, expected: 0xE5)])
    expect(outcome.poses, equals: [.portrait])
    expect(outcome.finalState, equals: .known(.portrait))
  }

  @Test
  static func `another cause during the same fault is reported too`() {
    let plan: FaultPlan = [
      .init(.noAcknowledge, .during(.seconds(1)..<Microseconds.seconds(2))),
      .init(.identity(0x00), .during(.seconds(2)..<Microseconds.seconds(4))),
    ]
    let outcome = Rig(plan: plan).run(for: .seconds(6))
    expect(
      outcome.troubles.map(\.cause), equals: [.bus(.noAcknowledge), .unexpectedIdentity(found: 0x00, expected: 0xE5)])
    expect(outcome.recoveries.count, equals: 1)
  }

  @Test(arguments: [
    (FaultPlan.Effect.frozenData, SensorError.frozen), (.fullScaleData, .stuckAtFullScale),
  ])
  static func `data that are frozen or stuck at full scale are a fault until they change`(
    effect: FaultPlan.Effect, error: SensorError
  ) {
    let span = Microseconds.seconds(1)..<Microseconds.seconds(4)
    let outcome = Rig(plan: [.init(effect, .during(span))]).run(for: .seconds(6))
    expect(outcome.troubles.filter { $0.reason == .fault }.map(\.cause), equals: [error])
    let begin = outcome.troubles.first { $0.reason == .fault }?.at ?? Instant(microseconds: 0)
    expect(begin, isAtMost: Instant(microseconds: 1_400_000))
    let trusted = outcome.states.filter { $0.at > begin && $0.at < Instant(microseconds: 4_000_000) }
    expect(all: trusted) { $0.state == .unknown(.fault) }
    expect(outcome.recoveries.count, equals: 1)
    expect(outcome.finalState, equals: .known(.portrait))
  }

  @Test
  static func `a bus that cannot be reopened is retried until it can`() {
    let plan: FaultPlan = [
      .init(.noAcknowledge, .during(.seconds(1)..<Microseconds.milliseconds(1_200))),
      .init(.reopenFault(.unavailable), .during(.seconds(1)..<Microseconds.seconds(3))),
    ]
    let outcome = Rig(plan: plan).run(for: .seconds(5))
    expect(outcome.troubles.map(\.cause), equals: [.bus(.noAcknowledge), .bus(.unavailable)])
    expect(outcome.finalState, equals: .known(.portrait))
    expect(outcome.recoveries.count, equals: 1)
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  static func `random faults of all kinds end in the right pose, with consistent events and counts`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var plan = FaultPlan.none
    let effects = Self.busFaults + [.brownOut, .identity(0x68), .frozenData, .reopenFault(.unavailable)]
    for _ in 0..<12 {
      let begin = Microseconds.milliseconds(Int64.random(in: 0..<20_000, using: &generator))
      let length = Microseconds.milliseconds(Int64.random(in: 1..<900, using: &generator))
      let effect = effects[Int.random(in: 0..<effects.count, using: &generator)]
      plan.rules.append(.init(effect, .during(begin..<begin + length)))
    }
    let outcome = Rig(plan: plan, seed: seed).run(for: .seconds(25))
    expect(outcome.finalState, equals: .known(.portrait))
    expect(Set(outcome.poses), equals: [.portrait])
    expect(outcome.recoveries.count, equals: Int(outcome.counters.recoveries))
    expect(outcome.poses.count, equals: Int(outcome.counters.poseChanges))
    expect(outcome.outputs.levels, equals: .oneHot(.portrait))
    // Every bus fault belongs to a transaction or to an attempt to reopen the bus.
    let counts = outcome.counters
    expect(counts.faultKinds.bus - counts.faultKinds[.unavailable], equals: UInt64(outcome.bus.faultCount))
    expect(counts.restarts, equals: UInt64(outcome.bus.reopenCount))
    expect(counts.unknown.stale, equals: UInt64(outcome.troubles.count { $0.reason == .stale }))
    expect(counts.unknown.fault, isAtMost: UInt64(outcome.troubles.count { $0.reason == .fault }))
    expect(counts.giveUps, equals: 0)
  }
}

/// When the attempts end, and the state after that.
struct GiveUpTests {
  /// A board whose sensor fails for good after one second, and the cause.
  struct Row {
    var name: String
    var rig: Rig
    var cause: SensorError
  }

  static var hopeless: [Row] {
    let forEver = FaultPlan.When.during(.seconds(2)..<Microseconds.seconds(100_000))
    var unreset = EmulatedMPU6050.Configuration()
    unreset.resetTime = nil
    return [
      Row(name: "gone", rig: Rig(plan: [.init(.noAcknowledge, forEver)]), cause: .bus(.noAcknowledge)),
      Row(
        name: "gone", rig: Rig(plan: [.init(.noAcknowledge, forEver)], part: .mpu6050(EmulatedMPU6050.Configuration())),
        cause: .bus(.noAcknowledge)),
      Row(
        name: "another part", rig: Rig(plan: [.init(.identity(0xE6), .always)]),
        cause: .unexpectedIdentity(found: 0xE6, expected: 0xE5)),
      Row(name: "frozen", rig: Rig(plan: [.init(.frozenData, forEver)]), cause: .frozen),
      Row(name: "at full scale", rig: Rig(plan: [.init(.fullScaleData, forEver)]), cause: .stuckAtFullScale),
      Row(name: "without weight", rig: Rig(motion: Weight.constant(Q16(8, over: 100))), cause: .weightless),
      Row(name: "in reset", rig: Rig(part: .mpu6050(unreset)), cause: .resetTimedOut),
      Row(
        name: "cannot be opened",
        rig: Rig(plan: [.init(.noAcknowledge, forEver), .init(.reopenFault(.unavailable), forEver)]),
        cause: .bus(.unavailable)),
    ]
  }

  @Test(arguments: hopeless)
  static func `by default retries never end, ever slower, but at least every 0.4 s plus their own time`(
    row: Row
  ) {
    let outcome = row.rig.run(for: .seconds(600))
    expect(empty: outcome.giveUps)
    expect(that: !outcome.hasGivenUp)
    expect(outcome.counters.giveUps, equals: 0)
    expect(outcome.finalState, equals: .unknown(.fault))
    expect(outcome.counters.restarts, isIn: 590...2_000, "\(row.name): \(outcome.counters.restarts)")
  }

  @Test(arguments: hopeless)
  static func `after the limit of failed restarts: reported once with its cause, all lit, bus left alone`(
    row: Row
  ) throws {
    for limit: UInt32 in [1, 2, 7] {
      var rig = row.rig
      rig.policy.restartLimit = limit
      let outcome = rig.run(for: .seconds(100))
      expect(outcome.giveUps.map(\.cause), equals: [row.cause], "\(row.name), \(limit)")
      let end = try require(outcome.giveUps.first)
      expect(outcome.counters.giveUps, equals: 1)
      expect(outcome.counters.restarts, equals: UInt64(limit))
      expect(outcome.bus.reopenCount, equals: Int(limit))
      let began = try require(outcome.troubles.first { $0.reason == .fault })
      expect(end.outage, isAtLeast: end.at - began.at)
      expect(outcome.events.last?.at, equals: end.at)
      expect(all: outcome.bus.trace.entries) { $0.instant <= end.at }
      expect(outcome.finalState, equals: .unknown(.fault))
      expect(outcome.outputs.levels, equals: .all)
      expect(all: outcome.outputs.writes) { $0.instant <= end.at }
    }
  }

  @Test(arguments: hopeless)
  static func `after the limit of an outage it is given up at the next failed restart, not before`(row: Row) throws {
    for limit in [1, 500, 5_000, 30_000] as [Int64] {
      var rig = row.rig
      rig.policy.outageLimit = .milliseconds(limit)
      let outcome = rig.run(for: .seconds(100))
      let end = try require(outcome.giveUps.first)
      expect(outcome.giveUps.count, equals: 1)
      expect(end.outage, isAtLeast: .milliseconds(limit))
      expect(end.outage, isAtMost: .milliseconds(limit + 1_000), "\(row.name): the longest attempt and back-off")
      expect(outcome.counters.restarts, isAtLeast: 1)
      expect(all: outcome.bus.trace.entries) { $0.instant <= end.at }
    }
  }

  @Test static func `a sensor that returns after it was given up stays unused`() {
    var rig = Rig(plan: [.init(.noAcknowledge, .during(.seconds(1)..<Microseconds.seconds(3)))])
    rig.policy.restartLimit = 2
    let outcome = rig.run(for: .seconds(20_000))
    expect(that: outcome.hasGivenUp)
    expect(outcome.poses, equals: [.portrait])
    expect(empty: outcome.recoveries)
    expect(outcome.finalState, equals: .unknown(.fault))
    expect(outcome.states.count, isBelow: 400, "at rest it takes a turn an hour")
  }

  @Test static func `every recovery resets the count`() {
    var plan = FaultPlan.none
    for begin in stride(from: Int64(1), to: 60, by: 2) {
      let start = Microseconds.seconds(begin)
      plan.rules.append(.init(.noAcknowledge, .during(start..<start + .milliseconds(300))))
    }
    var rig = Rig(plan: plan)
    rig.policy.restartLimit = 4
    rig.policy.outageLimit = .seconds(1)
    let outcome = rig.run(for: .seconds(62))
    expect(empty: outcome.giveUps)
    expect(outcome.recoveries.count, equals: 30)
    expect(outcome.counters.restarts, isAbove: 60)
  }

  @Test static func `nothing is given up before a restart has failed, however long the retries take`() {
    var monitor = CountTests.monitor(FaultPolicy(outageLimit: .milliseconds(5)))
    for time in [0, 10, 20] as [Int64] { _ = monitor.failed(.bus(.timedOut), at: at(time)) }
    expect(that: !monitor.hasGivenUp)
    while monitor.next.task != .restart { _ = monitor.rested(at: monitor.next.at) }
    _ = monitor.failed(.bus(.timedOut), at: monitor.next.at)
    expect(that: monitor.hasGivenUp)
    expect(monitor.counters.giveUps, equals: 1)
  }

  @Test static func `an outage of exactly the limit is given up, and one of a microsecond less is not`() {
    for (limit, isEnough) in [(Int64(50_000), true), (50_001, false)] {
      var monitor = CountTests.monitor(FaultPolicy(outageLimit: Microseconds(limit)))
      _ = monitor.failed(.resetTimedOut, at: at(0))
      while monitor.next.task != .restart { _ = monitor.rested(at: monitor.next.at) }
      expect(monitor.next.at, equals: at(50))
      _ = monitor.failed(.resetTimedOut, at: at(50))
      expect(monitor.hasGivenUp, equals: isEnough)
    }
  }

  @Test static func `a sensor that never responded is given up too, without any pose before`() {
    var rig = Rig(plan: [.init(.noAcknowledge, .always)])
    rig.policy.restartLimit = 3
    let outcome = rig.run(for: .seconds(10))
    expect(outcome.events.map(\.event.isTrouble), equals: [true, false])
    expect(outcome.giveUps.map(\.cause), equals: [.bus(.noAcknowledge)])
    expect(empty: outcome.poses)
  }
}

extension Event {
  fileprivate var isTrouble: Bool { if case .trouble = self { true } else { false } }
}

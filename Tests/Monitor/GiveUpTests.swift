import Emulation
import FixedPoint
import HAL
import Indication
import Monitor
import Orientation
import Sensors
import Testing

/// When trying ends, and what is left then.
@Suite struct GiveUpTests {
  /// A board whose sensor is hopeless from the second second on, and the reason.
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
  func `by default the sensor is tried for ever, ever more slowly but never less than every 0.4 s and its own time`(
    row: Row
  ) {
    let outcome = row.rig.run(for: .seconds(600))
    #expect(outcome.giveUps.isEmpty)
    #expect(!outcome.hasGivenUp)
    #expect(outcome.counters.giveUps == 0)
    #expect(outcome.finalState == .unknown(.fault))
    #expect((590...2_000).contains(outcome.counters.restarts), "\(row.name): \(outcome.counters.restarts)")
  }

  @Test(arguments: hopeless)
  func `after so many failed restarts it is given up: told once with the cause, all lit, and the bus left alone`(
    row: Row
  ) throws {
    for limit: UInt32 in [1, 2, 7] {
      var rig = row.rig
      rig.policy.restartLimit = limit
      let outcome = rig.run(for: .seconds(100))
      #expect(outcome.giveUps.map(\.cause) == [row.cause], "\(row.name), \(limit)")
      let end = try #require(outcome.giveUps.first)
      #expect(outcome.counters.giveUps == 1)
      #expect(outcome.counters.restarts == UInt64(limit))
      #expect(outcome.bus.reopenCount == Int(limit))
      let began = try #require(outcome.troubles.first { $0.reason == .fault })
      #expect(end.outage >= end.at - began.at)
      #expect(outcome.events.last?.at == end.at)
      #expect(outcome.bus.trace.entries.allSatisfy { $0.instant <= end.at })
      #expect(outcome.finalState == .unknown(.fault))
      #expect(outcome.outputs.levels == .all)
      #expect(outcome.outputs.writes.allSatisfy { $0.instant <= end.at })
    }
  }

  @Test(arguments: hopeless)
  func `after so long an outage it is given up at the next failed restart, not before`(row: Row) throws {
    for limit in [1, 500, 5_000, 30_000] as [Int64] {
      var rig = row.rig
      rig.policy.outageLimit = .milliseconds(limit)
      let outcome = rig.run(for: .seconds(100))
      let end = try #require(outcome.giveUps.first)
      #expect(outcome.giveUps.count == 1)
      #expect(end.outage >= .milliseconds(limit))
      #expect(end.outage <= .milliseconds(limit + 1_000), "\(row.name): the longest attempt and back-off")
      #expect(outcome.counters.restarts >= 1)
      #expect(outcome.bus.trace.entries.allSatisfy { $0.instant <= end.at })
    }
  }

  @Test func `a sensor that is back after it was given up is not asked`() {
    var rig = Rig(plan: [.init(.noAcknowledge, .during(.seconds(1)..<Microseconds.seconds(3)))])
    rig.policy.restartLimit = 2
    let outcome = rig.run(for: .seconds(20_000))
    #expect(outcome.hasGivenUp)
    #expect(outcome.poses == [.portrait])
    #expect(outcome.recoveries.isEmpty)
    #expect(outcome.finalState == .unknown(.fault))
    #expect(outcome.states.count < 400, "at rest it takes a turn an hour")
  }

  @Test func `every recovery begins the count anew`() {
    var plan = FaultPlan.none
    for begin in stride(from: Int64(1), to: 60, by: 2) {
      let start = Microseconds.seconds(begin)
      plan.rules.append(.init(.noAcknowledge, .during(start..<start + .milliseconds(300))))
    }
    var rig = Rig(plan: plan)
    rig.policy.restartLimit = 4
    rig.policy.outageLimit = .seconds(1)
    let outcome = rig.run(for: .seconds(62))
    #expect(outcome.giveUps.isEmpty)
    #expect(outcome.recoveries.count == 30)
    #expect(outcome.counters.restarts > 60)
  }

  @Test func `however long the retries take, nothing is given up before a restart has failed`() {
    var monitor = CountTests.monitor(FaultPolicy(outageLimit: .milliseconds(5)))
    for time in [0, 10, 20] as [Int64] { _ = monitor.failed(.bus(.timedOut), at: at(time)) }
    #expect(!monitor.hasGivenUp)
    while monitor.next.task != .restart { _ = monitor.rested(at: monitor.next.at) }
    _ = monitor.failed(.bus(.timedOut), at: monitor.next.at)
    #expect(monitor.hasGivenUp)
    #expect(monitor.counters.giveUps == 1)
  }

  @Test func `a sensor that never once answered is given up as well, and no pose was ever known`() {
    var rig = Rig(plan: [.init(.noAcknowledge, .always)])
    rig.policy.restartLimit = 3
    let outcome = rig.run(for: .seconds(10))
    #expect(outcome.events.map(\.event.isTrouble) == [true, false])
    #expect(outcome.giveUps.map(\.cause) == [.bus(.noAcknowledge)])
    #expect(outcome.poses.isEmpty)
  }
}

extension Event {
  fileprivate var isTrouble: Bool { if case .trouble = self { true } else { false } }
}

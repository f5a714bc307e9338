import FixedPoint
import Gestures
import HAL
import Indication
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing

/// Times and counts of a monitor, exactly at their limits and one unit beyond.
struct MonitorLimitTests {
  private static func monitor(_ change: (inout Monitor.Configuration) -> Void = { _ in }) -> Monitor {
    var configuration = Monitor.Configuration(period: .milliseconds(10), fullScale: Q16(whole: 16))
    // Lines that never blink, so that every turn is the sensor's.
    configuration.indicator = Indicator.Configuration(slowHalfPeriod: .zero, fastHalfPeriod: .zero)
    change(&configuration)
    return Monitor(configuration, at: at(0))
  }

  /// Upright, with a wobble of 1.5 mg.
  private static func upright(_ number: Int64) -> Vector3 {
    Vector3(x: Q16(raw: Int32(number % 2) * 100), y: .one, z: .zero)
  }

  @Test(
    arguments: [
      (0, 0), (0, 400_000), (999, 5_000), (1_000, 1_000), (1_001, 7_000), (50_000, 400_000), (300, 900), (2_000, 1_999),
    ] as [(Int64, Int64)])
  static func `restarts are paused for the first back-off, doubled up to the longest, and at least a millisecond`(
    _ first: Int64, _ longest: Int64
  ) {
    var monitor = Self.monitor {
      $0.faults = FaultPolicy(firstBackOff: Microseconds(first), longestBackOff: Microseconds(longest))
    }
    var (now, expected) = (at(0), first)
    for _ in 0..<12 {
      _ = monitor.failed(.resetTimedOut, at: now)
      expect(monitor.next.task, equals: .restart)
      expect(monitor.next.at - now, equals: Microseconds(max(1_000, expected)))
      expected = min(2 * expected, longest)
      now = monitor.next.at
    }
  }

  @Test(arguments: [0, 1, 2, 5] as [UInt8])
  static func `a bus fault is retried at once as often as the policy says, and a lost configuration restarts at once`(
    _ retries: UInt8
  ) {
    var monitor = Self.monitor { $0.faults = FaultPolicy(retries: retries) }
    _ = monitor.started(settling: .milliseconds(7), at: at(0))
    expect(monitor.next, equals: (at(7), .proceed))
    for retry in 0..<Int64(retries) {
      _ = monitor.failed(.bus(.timedOut), at: at(10 + retry))
      expect(monitor.next, equals: (at(10 + retry), .proceed))
      expect(monitor.state, equals: .unknown(.notYetSampled))
    }
    _ = monitor.failed(.bus(.timedOut), at: at(100))
    expect(monitor.next, equals: (at(150), .restart))
    expect(monitor.state, equals: .unknown(.fault))
    var other = Self.monitor { $0.faults = FaultPolicy(retries: retries) }
    let lost = other.failed(.configurationLost, at: at(5))
    expect(other.next, equals: (at(5), .restart))
    expect(lost.events.count, equals: 0)
    let again = other.failed(.configurationLost, at: at(6))
    expect(other.next, equals: (at(56), .restart))
    expect(again.events.count, equals: 1)
  }

  @Test static func `an outage lasts from the last sample of a batch, or else from the first failure`() {
    for isBatched in [false, true] {
      var monitor = Self.monitor { $0.faults = FaultPolicy(retries: 1, restartLimit: 1) }
      if isBatched {
        _ = monitor.sampled(Measurement(force: Self.upright(1)), at: at(20), readAt: at(31))
      } else {
        _ = monitor.sampled(Self.upright(1), at: at(20))
      }
      _ = monitor.failed(.bus(.timedOut), at: at(40))
      _ = monitor.failed(.bus(.timedOut), at: at(45))
      let end = monitor.failed(.bus(.busy), at: at(90))
      let outage = Microseconds.milliseconds(isBatched ? 70 : 50)
      expect(end.events[end.events.count - 1]?.event, equals: .gaveUp(cause: .bus(.busy), outage: outage))
      expect(that: monitor.hasGivenUp)
      expect(monitor.next, equals: (at(90 + 3_600_000), .rest))
      _ = monitor.rested(at: at(3_600_090))
      expect(monitor.next, equals: (at(7_200_090), .rest))
      expect(monitor.counters.giveUps, equals: 1)
    }
  }

  @Test static func `deadlines stay on their grid, and samples that miss them are counted, for random delays`() {
    for period in [1, 3, 10_000, 999_999] as [Int64] {
      var dice = SplitMix64(seed: UInt64(period))
      var monitor = Self.monitor { $0.period = Microseconds(period) }
      var (deadline, late, now) = (Int64(0), UInt64(0), Int64(0))
      for number in 0..<400 as Range<Int64> {
        _ = monitor.sampled(Self.upright(number), at: Instant(microseconds: now))
        let due = deadline + period
        deadline = due > now ? due : due + ((now - due) / period + 1) * period
        late += due > now ? 0 : 1
        expect(monitor.next, equals: (Instant(microseconds: deadline), .sample))
        expect(monitor.counters.lateSamples, equals: late)
        now = deadline + ([0, 0, period - 1, period, period + 1, 5 * period].randomElement(using: &dice) ?? 0)
      }
      expect(late, isAbove: 50)
      expect(late, isBelow: 350)
    }
  }

  @Test static func `a sample that was ready early moves the deadlines, but no other task`() {
    var monitor = Self.monitor()
    monitor.follow(at: at(3))
    expect(monitor.next, equals: (at(0), .start))
    _ = monitor.sampled(Self.upright(0), at: at(10))
    expect(monitor.next, equals: (at(20), .sample))
    monitor.follow(at: at(13))
    expect(monitor.next, equals: (at(13), .sample))
    _ = monitor.sampled(Self.upright(1), at: at(13))
    expect(monitor.next, equals: (at(23), .sample))
    monitor.awaitBatch(due: at(77))
    expect(monitor.next, equals: (at(77), .sample))
  }
}

/// Falling asleep and waking, to the sample.
struct SleepLimitTests {
  private static func monitor(_ sleep: Sleep?) -> Monitor {
    var configuration = Monitor.Configuration(period: .milliseconds(10), fullScale: Q16(whole: 16))
    (configuration.sleep, configuration.detectsRest) = (sleep, true)
    return Monitor(configuration, at: at(0))
  }

  private static func wobbling(_ number: Int64) -> Vector3 {
    Vector3(x: Q16(raw: Int32(number % 2) * 100), y: .one, z: .zero)
  }

  /// Samples until the sensor is to watch; when the board became still, and when that was.
  private static func rest(_ monitor: inout Monitor, from begin: Int64 = 0) -> (still: Int64?, watch: Int64?) {
    var still: Int64?
    for time in stride(from: begin + 10, to: begin + 20_000, by: 10) {
      let seen = monitor.sampled(wobbling(time / 10), at: at(time))
      seen.forEachEvent { if $0.event == .still { still = time } }
      if monitor.next.task == .watch { return (still, time) }
    }
    return (still, nil)
  }

  @Test(arguments: [(0, 0), (1, 10), (10_000, 10), (10_001, 20), (2_000_000, 2_000)] as [(Int64, Int64)])
  static func `a board is to watch at the first sample after it has been still for the time`(
    _ after: Int64, _ wait: Int64
  )
    throws
  {
    var monitor = Self.monitor(Sleep(after: Microseconds(after)))
    let times = Self.rest(&monitor)
    try expect(require(times.watch) - require(times.still), equals: wait)
    expect(monitor.next, equals: (at(try #require(times.watch)), .watch))
    expect(that: !monitor.isAsleep)
  }

  @Test(arguments: [0, 999, 1_000, 1_001, 2_000, 60_000_000] as [Int64])
  static func `it is checked as often as the configuration says, but at most every millisecond`(_ period: Int64) throws
  {
    var monitor = Self.monitor(Sleep(after: .zero, checkPeriod: Microseconds(period)))
    let time = try require(Self.rest(&monitor).watch)
    _ = monitor.preparedToWatch(for: .milliseconds(120), at: at(time))
    expect(monitor.next, equals: (at(time + 120), .watch))
    expect(that: !monitor.isAsleep)
    let asleep = monitor.watched(at: at(time + 120))
    #expect(asleep.events.count == 1 && asleep.events[0]?.event == .asleep && monitor.isAsleep)
    expect(monitor.next, equals: (at(time + 120) + Microseconds(max(1_000, period)), .sleep))
    // A later check is no news.
    expect(monitor.watched(at: at(time + 500)).events.count, equals: 0)
    expect(monitor.next, equals: (at(time + 500) + Microseconds(max(1_000, period)), .sleep))
  }

  @Test static func `it is checked once a minute by default, with or without a configuration`() {
    expect(Sleep(after: .seconds(5)), equals: Sleep(after: .seconds(5), darkens: false, checkPeriod: .seconds(60)))
    for sleep in [nil, Sleep(after: .seconds(5))] {
      var monitor = Self.monitor(sleep)
      _ = monitor.watched(at: at(100))
      expect(monitor.next, equals: (at(60_100), .sleep))
    }
  }

  @Test static func `a request wakes a sleeping board at once, and leaves another alone`() throws {
    var monitor = Self.monitor(Sleep(after: .zero))
    let time = try require(Self.rest(&monitor).watch)
    monitor.wakeUp(at: at(time + 5))
    expect(monitor.next, equals: (at(time), .watch))
    _ = monitor.watched(at: at(time + 10))
    monitor.wakeUp(at: at(time + 20))
    expect(monitor.next, equals: (at(time + 20), .wake))
    expect(that: monitor.isAsleep)
    let woken = monitor.started(settling: .milliseconds(3), at: at(time + 30))
    #expect(woken.events.count == 1 && woken.events[0]?.event == .awake && !monitor.isAsleep)
    expect(monitor.next, equals: (at(time + 33), .proceed))
    // At rest it is judged anew, and takes as long as the first time.
    var fresh = Self.monitor(Sleep(after: .zero))
    let first = try require(Self.rest(&fresh).watch)
    let second = try require(Self.rest(&monitor, from: time + 40).watch)
    expect(second - (time + 40), equals: first)
  }

  @Test static func `movement wakes it at once, with an event for the end of rest`() throws {
    var monitor = Self.monitor(Sleep(after: .zero, darkens: true))
    let time = try require(Self.rest(&monitor).watch)
    let asleep = monitor.watched(at: at(time + 10))
    expect(asleep.levels, equals: .off)
    expect(monitor.levels, equals: .off)
    let moved = monitor.moved(at: at(time + 50))
    expect((0..<2).map { moved.events[$0]?.event }, equals: [.awake, .moving])
    expect(moved.events.count, equals: 2)
    expect(monitor.next, equals: (at(time + 50), .wake))
    expect(monitor.isStill, equals: nil)
    // The lines stay dark until a sample shows how the board lies.
    expect(monitor.started(settling: .zero, at: at(time + 60)).levels, equals: nil)
    expect(monitor.sampled(Self.wobbling(0), at: at(time + 70)).levels, equals: .oneHot(.portrait))
  }

  @Test static func `a board that cannot watch is told so once, and samples again at once`() throws {
    var monitor = Self.monitor(Sleep(after: .zero))
    let time = try require(Self.rest(&monitor).watch)
    let seen = monitor.cannotWatch(at: at(time + 4))
    #expect(seen.events.count == 1 && seen.events[0]?.event == .notice(.staysAwake))
    expect(monitor.next, equals: (at(time + 4), .sample))
    expect(Self.rest(&monitor, from: time + 10).watch, equals: nil)
  }

  @Test static func `a fault ends a sleep, and the board is woken at once`() throws {
    var monitor = Self.monitor(Sleep(after: .zero))
    let time = try require(Self.rest(&monitor).watch)
    _ = monitor.watched(at: at(time + 10))
    let seen = monitor.failed(.bus(.timedOut), at: at(time + 20))
    expect(seen.events[0]?.event, equals: .awake)
    expect(that: !monitor.isAsleep)
    expect(monitor.next, equals: (at(time + 20), .wake))
  }
}

/// What a monitor says after an event, and before any.
struct SnapshotTableTests {
  @Test static func `before anything is known, a snapshot knows nothing and counts nothing`() {
    let unknown = Snapshot.unknown
    expect(unknown.state, equals: .unknown(.notYetSampled))
    expect(unknown.since, equals: Instant(microseconds: 0))
    expect(unknown.cause, equals: nil)
    expect(unknown.force, equals: nil)
    expect(unknown.temperature, equals: nil)
    expect(unknown.attitude, equals: nil)
    expect(unknown.isStill, equals: nil)
    expect(unknown.isBusy, equals: nil)
    expect(that: !unknown.isAsleep)
    expect(unknown.levels, equals: .off)
    expect(unknown.steering, equals: .zero)
    expect(unknown.position, equals: .start)
    expect(unknown.tare, equals: .none)
    expect(unknown.events, equals: 0)
    expect(unknown.clippedSamples, equals: 0)
    expect(unknown.counters, equals: Counters())
    expect(unknown.transactions, equals: nil)
    expect(unknown.outputWrites, equals: nil)
    expect(unknown.silence, equals: nil)
    expect(Observation().snapshot, equals: unknown)
    expect(Observation().events.count, equals: 0)
    expect(Monitor(.recording, at: at(3)).snapshot.since, equals: at(3))
    let counters = Counters()
    let counts = [
      counters.samples, counters.poseChanges, counters.faults, counters.restarts, counters.recoveries,
      counters.giveUps, counters.notices, counters.shakes, counters.lateSamples, counters.lostSamples,
    ]
    expect(that: counts.allSatisfy { $0 == 0 })
    expect(counters.unknown, equals: UnknownCounts())
  }

  @Test static func `each event changes what it says, and nothing else`() {
    var start = Snapshot.unknown
    (start.force, start.isStill, start.isBusy) = (Vector3(x: .one, y: .zero, z: .zero), true, nil)
    func expectChange(after event: Event, _ change: (inout Snapshot) -> Void) {
      for isOn in [false, true] {
        var before = start
        (before.isStill, before.isBusy, before.isAsleep) = (isOn, isOn, isOn)
        var (found, expected) = (before, before)
        found.take(Occurrence(at: at(9), event))
        expected.events = 1
        change(&expected)
        expect(found, equals: expected, "\(event.kind.name), \(isOn)")
      }
    }
    var changes: [(event: Event, change: (inout Snapshot) -> Void)] = [
      (.pose(from: nil, to: .faceUp, force: nil), { ($0.state, $0.since, $0.cause) = (.known(.faceUp), at(9), nil) }),
      (.still, { $0.isStill = true }), (.moving, { $0.isStill = false }),
      (.busy(since: at(1)), { $0.isBusy = true }), (.quiet(since: at(1)), { $0.isBusy = false }),
      (.asleep, { $0.isAsleep = true }), (.awake, { $0.isAsleep = false }),
    ]
    for reason in [UnknownReason.ambiguous, .accelerating, .freeFall] {
      changes.append((.trouble(reason, cause: nil), { ($0.state, $0.since) = (.unknown(reason), at(9)) }))
    }
    for reason in [UnknownReason.stale, .fault] {
      changes.append(
        (
          .trouble(reason, cause: .frozen),
          {
            ($0.state, $0.since, $0.cause) = (.unknown(reason), at(9), .frozen)
            ($0.force, $0.isStill) = (nil, nil)
          }
        ))
    }
    for (event, change) in changes { expectChange(after: event, change) }
    // An event without a row changes nothing. It needs one if others of its group change something.
    let others: [Event] =
      [
        .recovered(from: nil, outage: .zero), .gaveUp(cause: nil, outage: .zero), .notice(nil), .rotation(.firstHalf),
        .tap(Tap(.x, sign: 1)), .doubleTap(Tap(.x, sign: 1)), .freeFall(.zero),
      ] + Event.Kind.allCases.compactMap(\.plain).filter { plain in !changes.contains { $0.event == plain } }
    for event in others { expectChange(after: event) { _ in } }
    let kinds = changes.map(\.event.kind)
    let groups = Set(kinds.map(\.group)).subtracting([.sensor])
    for kind in Event.Kind.allCases where !kinds.contains(kind) {
      expect(that: !groups.contains(kind.group), "\(kind.name) has no row, as others of its group have")
      expect(that: others.contains { $0.kind == kind }, "\(kind.name) has no example")
    }
  }

  @Test static func `only silence of the sensor is silence`() {
    for reason in [UnknownReason.notYetSampled, .ambiguous, .accelerating, .freeFall, .stale, .fault] {
      var snapshot = Snapshot.unknown
      snapshot.state = .unknown(reason)
      expect(snapshot.silence, equals: reason == .stale || reason == .fault ? reason : nil)
    }
  }

  @Test static func `a kind of event is plain, and gives its event, where nothing comes with that`() {
    for event: Event in [.shake, .still, .moving, .asleep, .awake] { expect(event.kind.plain, equals: event) }
    for event: Event in [.notice(nil), .rotation(.firstHalf), .tap(Tap(.x, sign: 1)), .freeFall(.zero)] {
      expect(event.kind.plain, equals: nil)
    }
    for kind in Event.Kind.allCases { expect(kind.plain?.kind ?? kind, equals: kind) }
  }

  @Test static func `a number that no kind has counts as the first one`() {
    let kinds = Event.Kind.allCases
    expect(kinds.indices, equals: 0..<kinds.count)
    expect([kinds[-1], kinds[kinds.count]], equals: [.pose, .pose])
  }

  @Test static func `an observation holds as many events as a step can have, and no more`() {
    var seen = Observation()
    for number in 0..<Int64(Events.capacity + 2) { seen.add(Occurrence(at: at(number), .shake)) }
    expect(seen.events.count, equals: Events.capacity)
    expect(seen.events.underestimatedCount, equals: Events.capacity)
    expect(Array(seen.events).map(\.at), equals: (0..<Events.capacity).map { at(Int64($0)) })
  }

  @Test static func `unknown counts are listed by reason, and only the positive ones on request`() {
    var counts = UnknownCounts()
    var number: UInt64 = 0
    var reasons: [UnknownReason] = []
    counts.update { reason, count in
      expect(count, equals: 0)
      count = number
      reasons.append(reason)
      number += 1
    }
    expect(reasons, equals: [.ambiguous, .accelerating, .freeFall, .stale, .fault])
    for (index, reason) in reasons.enumerated() { expect(counts[reason], equals: UInt64(index)) }
    expect(counts[.notYetSampled], equals: 0)
    var (all, positive): ([String], [String]) = ([], [])
    counts.forEach { all.append("\($0) \($1)") }
    counts.forEachPositive { positive.append("\($0) \($1)") }
    expect(all, equals: ["ambiguous 0", "accelerating 1", "freeFall 2", "stale 3", "fault 4"])
    expect(positive, equals: Array(all.dropFirst()))
    var (a, b) = (FaultCounts(), FaultCounts())
    a[.weightless] = 2
    expect(a, isNot: b)
    expect(a.total, equals: 2)
    b[.weightless] = 2
    expect(a, equals: b)
    b.others = 3
    expect(a, isNot: b)
    expect(b.total, equals: 5)
  }
}

/// Movement as the monitor steps it, against its parts.
struct MovementPartTests {
  private static let left = Vector3(x: .one, y: Q16(raw: 900), z: Q16(raw: -300))

  @Test static func `the first force that can be a rest pose becomes it, if so configured`() throws {
    for captures in [false, true] {
      var movement = Movement(Movement.Configuration(capturesRest: captures))
      var scroll = TiltScroll(.standard)
      let half = TiltScroll.Position(x: Q16(1, over: 2), y: Q16(1, over: 2))
      movement.scroll(to: half)
      scroll.jump(to: half)
      var isAwaited = captures
      for number in 0..<80 as Range<Int64> {
        // Lifted too fast at first: no force to rest at.
        let gravity = number < 5 ? Vector3(x: Q16(whole: 2), y: .zero, z: .zero) : Self.left
        let tilt = number < 20 ? Self.left : Vector3(x: Q16(raw: 60_000), y: Q16(raw: 20_000), z: Q16(raw: 9_000))
        if isAwaited, number >= 5 {
          try scroll.captureRest(Self.left)
          isAwaited = false
        }
        scroll.step(tilt, at: at(number * 10))
        _ = movement.take(tilt, gravity: gravity, motion: .zero, tilt: tilt, at: at(number * 10))
        expect(movement.position, equals: scroll.position, "\(captures), sample \(number)")
      }
      expect(movement.position, isNot: half)
      // On request, at the gravity of the last sample.
      try movement.captureRest()
      try scroll.captureRest(Self.left)
      for number in 80..<120 as Range<Int64> {
        let tilt = Vector3(x: Q16(raw: 61_000), y: Q16(raw: -20_000), z: Q16(raw: 9_000))
        scroll.step(tilt, at: at(number * 10))
        _ = movement.take(tilt, gravity: Self.left, motion: .zero, tilt: tilt, at: at(number * 10))
        expect(movement.position, equals: scroll.position)
      }
      movement.scroll(to: half)
      scroll.jump(to: half)
      scroll.settle()
      for number in 120..<160 as Range<Int64> {
        let tilt = Vector3(x: Q16(raw: 61_000), y: Q16(raw: 20_000), z: Q16(raw: 9_000))
        scroll.step(tilt, at: at(number * 10))
        _ = movement.take(tilt, gravity: Self.left, motion: .zero, tilt: tilt, at: at(number * 10))
        expect(movement.position, equals: scroll.position)
      }
    }
  }

  @Test static func `a given rest pose is kept, although the first force was to become it`() throws {
    var movement = Movement(Movement.Configuration(capturesRest: true))
    movement.rest(at: .published)
    var scroll = TiltScroll(.standard)
    let half = TiltScroll.Position(x: Q16(1, over: 2), y: Q16(1, over: 2))
    movement.scroll(to: half)
    scroll.jump(to: half)
    for number in 0..<60 as Range<Int64> {
      scroll.step(Self.left, at: at(number * 10))
      _ = movement.take(Self.left, gravity: Self.left, motion: .zero, tilt: Self.left, at: at(number * 10))
      expect(movement.position, equals: scroll.position)
    }
    expect(movement.position, isNot: half)
  }

  @Test static func `a monitor's configuration looks for rest only when something needs it`() {
    func detects(_ movement: Movement.Configuration?, _ sleep: Sleep?, _ isAsked: Bool?) -> Bool {
      Monitor.Configuration(
        period: .milliseconds(10), fullScale: .one, movement: movement, detectsRest: isAsked, sleep: sleep
      ).detectsRest
    }
    expect(that: !detects(nil, nil, nil))
    expect(that: detects(Movement.Configuration(), nil, nil))
    expect(that: detects(nil, Sleep(after: .zero), nil))
    for isAsked in [false, true] {
      expect(detects(Movement.Configuration(), Sleep(after: .zero), isAsked), equals: isAsked)
    }
    let recording = Monitor.Configuration.recording
    expect(recording.period, equals: .zero)
    expect(recording.fullScale.raw, equals: Int32.max)
    expect(recording.rotationFullScale, equals: nil)
    expect(recording.faults, equals: FaultPolicy(retries: 0, implausibleLimit: 0, weightlessLimit: .zero))
    expect(recording.movement, equals: nil)
    expect(recording.knocks, equals: nil)
    expect(recording.sleep, equals: nil)
    expect(Knocks.Configuration(taps: nil, fall: nil, areFoundBySensor: false), equals: nil)
    expect(Pipeline.Configuration(gravity: .fusion(Fusion.Configuration())).tracker, equals: .fused)
    expect(Pipeline.Configuration().tracker, equals: .standard)
  }

  @Test static func `the defaults of a fault policy are those documented`() {
    let policy = FaultPolicy()
    expect(policy.retries, equals: 2)
    expect(policy.firstBackOff.count, equals: 50_000)
    expect(policy.longestBackOff.count, equals: 400_000)
    expect(policy.implausibleLimit, equals: 32)
    expect(policy.quietLimit.count, equals: 5_000_000)
    expect(policy.weightlessLimit.count, equals: 2_000_000)
    expect(policy.weightlessForce.raw, equals: 13_107)
    expect(policy.restartLimit, equals: 0)
    expect(policy.outageLimit, equals: .zero)
    let movement = Movement.Configuration()
    expect(movement.rotation, equals: .standard)
    expect(movement.shake, equals: .standard)
    expect(movement.scroll, equals: .standard)
    expect(that: !movement.crossFades)
    expect(that: !movement.capturesRest)
  }
}

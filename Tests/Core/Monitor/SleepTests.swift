import Emulation
import FixedPoint
import HAL
import Indication
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing

/// A board that sleeps until it is moved, in virtual time, with its interrupt pin connected to the clock.
struct SleepRig {
  /// The sensor.
  enum Kind: CaseIterable {
    case adxl345, mpu6050, mpu6500
    /// With the gyroscope on.
    case turningMPU6050
    /// A part whose wake-on-motion is not known.
    case icm20689
  }

  var kind: Kind
  var motion: any Motion = SleepRig.turned
  var plan: FaultPlan = .none
  var sleep = Sleep(after: .seconds(2))
  var batch = 1
  /// Whether edges of the pin arrive.
  var hearsPin = true
  var seed: UInt64 = 1
  /// Whether a run ends as soon as the board, turned, is asleep again.
  var endsTurned = false

  /// Ten seconds upright, then a turn to the left within 0.3 s.
  static let turned = AttitudePath([
    .init(.portrait, held: .seconds(10), turning: .milliseconds(300)), .init(.landscapeLeft, held: .seconds(90)),
  ])

  /// The results of a run.
  struct Outcome {
    var events: [Occurrence] = []
    var readings: [(at: Instant, state: PoseState)] = []
    /// Every state of the pose, turn by turn.
    var states: [(at: Instant, state: PoseState)] = []
    var isAsleep = false
    var counters = Counters()
    var bus = BusLog()
    var outputs = OutputLog()
    var levels = Levels.off
    var turns = 0

    func instants(of event: Event) -> [Instant] { events.filter { $0.event == event }.map(\.at) }
    var asleep: [Instant] { instants(of: .asleep) }
    var awake: [Instant] { instants(of: .awake) }
    var poses: [Pose] { events.compactMap { if case .pose(_, let pose, _) = $0.event { pose } else { nil } } }
    var hasTrouble: Bool { events.contains { if case .trouble = $0.event { true } else { false } } }
    /// Transactions in a span of time.
    func transactions(_ span: Range<Int64>) -> Int {
      bus.transactions.count { span.contains($0.instant.microseconds) }
    }
  }

  func run(for duration: Microseconds, query: ((FreshReading, UInt64) -> Void)? = nil) throws -> Outcome {
    let clock = VirtualClock()
    let now = { clock.now }
    let log = BusLog(capacity: 100_000)
    let pass: (Microseconds) -> Void = { clock.advance(by: $0) }
    switch kind {
    case .adxl345:
      let part = EmulatedADXL345(motion: motion, seed: seed, now: now)
      let bus = EmulatedBus(part, at: EmulatedADXL345.address, plan: plan, log: log, pass: pass, now: now)
      let fifo = batch > 1 ? ADXL345.FIFO.stream(watermark: .init(nearest: Int32(batch))) : .bypass
      let device = ADXL345.Device(bus: bus, configuration: ADXL345.Configuration(fifo: fifo))
      return try drive(Batched(device, size: batch), part, .standard, for: duration, clock, log, query)
    default:
      let specimen: EmulatedMPU6050.Part =
        switch kind {
        case .mpu6500: .mpu6500
        case .icm20689: .icm20689
        default: .mpu6050
        }
      let part = EmulatedMPU6050(motion: motion, configuration: .init(specimen), seed: seed, now: now)
      let bus = EmulatedBus(part, at: EmulatedMPU6050.address, plan: plan, log: log, pass: pass, now: now)
      let isTurning = kind == .turningMPU6050
      var setup = MPU6050.Configuration(range: .g8, gyroscope: isTurning ? .dps2000 : nil)
      if batch > 1 {
        setup.fifo = MPU6050.FIFO(includesTemperature: isTurning, includesRotation: isTurning, longestBurst: 240)
      }
      let device = MPU6050.Device(bus: bus, configuration: setup)
      return try drive(
        Batched(device, size: batch), part, isTurning ? .fusion(Fusion.Configuration()) : .standard, for: duration,
        clock, log, query)
    }
  }

  private func drive<Sensor: Accelerometer & ~Copyable>(
    _ sensor: consuming Sensor, _ part: any EmulatedTarget, _ gravity: GravityFilter.Configuration,
    for duration: Microseconds, _ base: VirtualClock, _ log: BusLog, _ query: ((FreshReading, UInt64) -> Void)?
  ) throws -> Outcome {
    var outcome = Outcome(bus: log)
    let clock = WiredClock(base) { [hearsPin] in hearsPin && part.isInterruptHigh }
    let configuration = Monitor.Configuration(
      period: .milliseconds(10) * Int64(batch), fullScale: sensor.fullScale,
      pipeline: Pipeline.Configuration(gravity: gravity), rotationFullScale: sensor.rotationFullScale, sleep: sleep)
    let bank = RecordingOutputBank(log: outcome.outputs) { base.now }
    let end = base.now + duration
    var loop = Loop(sensor: sensor, bank: bank, clock: clock, configuration: configuration)
    loop.horizon = end
    while loop.hasSamples || (base.now < end && (loop.monitor.isAsleep || loop.monitor.next.at <= end)) {
      guard let report = try loop.turn() else { break }
      outcome.turns += 1
      for index in 0..<report.events.count {
        if let event = report.events[index] { outcome.events.append(event) }
      }
      if let reading = report.reading { outcome.readings.append((reading.instant, reading.state)) }
      outcome.states.append((base.now, loop.monitor.state))
      if endsTurned, loop.monitor.isAsleep, let pose = loop.monitor.state.pose, pose != .portrait { break }
      if loop.monitor.isAsleep, let query {
        let before = loop.sensor.transactions
        query(try loop.read(), loop.sensor.transactions - before)
      }
    }
    outcome.isAsleep = loop.monitor.isAsleep
    outcome.counters = loop.monitor.counters
    outcome.levels = loop.monitor.levels
    return outcome
  }
}

struct SleepTests {
  typealias Kind = SleepRig.Kind

  /// A sensor that can watch, and the samples per batch.
  static let boards: [(kind: Kind, batch: Int)] = [Kind.adxl345, .mpu6050, .mpu6500, .turningMPU6050].flatMap {
    [($0, 1), ($0, 25)]
  }

  @Test(arguments: boards)
  static func `a board at rest falls asleep, wakes when moved, and has the new pose within 0.3 s`(
    _ kind: Kind, _ batch: Int
  ) throws {
    let outcome = try SleepRig(kind: kind, batch: batch).run(for: .seconds(16))
    let asleep = try require(outcome.asleep.first)
    let awake = try require(outcome.awake.first)
    // At rest from the start: 2 s, plus the rest detector's time, plus a batch.
    expect(asleep.microseconds, isIn: 2_000_000...6_500_000, "\(asleep)")
    // The turn lasts from 10 to 10.3 s; the part samples at least every 125 ms.
    expect(awake.microseconds, isIn: 10_000_000...10_300_000, "\(awake)")
    let first = try require(outcome.readings.first { $0.at > awake })
    // A batch of a quarter of a second has to fill first.
    expect((first.at - awake).count, isBelow: 300_000)
    expect(outcome.poses, equals: [.portrait, .landscapeLeft])
    let turned = try require(outcome.events.last { if case .pose = $0.event { true } else { false } }).at
    expect(turned.microseconds, isBelow: 10_650_000 + (batch > 1 ? 250_000 : 0), "\(turned)")
    expect(that: !outcome.hasTrouble)
    expect(outcome.counters.faults, equals: 0)
    expect(that: outcome.isAsleep, "and again: \(outcome.events)")
    expect(outcome.asleep.count, equals: 2, "and again: \(outcome.events)")
    // After the first pose, a pose is known at all times.
    let known = outcome.states.drop { $0.state.pose == nil }
    expect(all: known) { $0.state.pose != nil }
  }

  @Test(arguments: boards)
  static func `asleep there is one transaction a minute, and no other turn of the loop`(_ kind: Kind, _ batch: Int)
    throws
  {
    let motion = AttitudePath([.init(.portrait, held: .seconds(7_200))])
    let outcome = try SleepRig(kind: kind, motion: motion, batch: batch).run(for: .seconds(610))
    let asleep = try require(outcome.asleep.first).microseconds
    expect(that: outcome.awake.isEmpty)
    expect(outcome.poses, equals: [.portrait])
    expect(that: !outcome.hasTrouble)
    expect(outcome.transactions((asleep + 1)..<610_000_000), equals: 10)
  }

  @Test(arguments: boards)
  static func `an edge that was missed costs a minute at most`(_ kind: Kind, _ batch: Int) throws {
    let outcome = try SleepRig(kind: kind, batch: batch, hearsPin: false).run(for: .seconds(90))
    let asleep = try require(outcome.asleep.first)
    let awake = try require(outcome.awake.first)
    expect((awake - asleep).count, isAtMost: 60_100_000)
    expect(outcome.poses, equals: [.portrait, .landscapeLeft])
  }

  @Test(arguments: boards)
  static func `a movement at any moment of falling asleep is not lost`(
    _ kind: Kind, _ batch: Int
  ) throws {
    let usual = try require(SleepRig(kind: kind, batch: batch).run(for: .seconds(8)).asleep.first).microseconds
    for offset in stride(from: Int64(-120_000), through: 180_000, by: 13_000) {
      let motion = AttitudePath([
        .init(.portrait, held: Microseconds(usual + offset), turning: .milliseconds(60)),
        .init(.faceUp, held: .seconds(90)),
      ])
      let rig = SleepRig(kind: kind, motion: motion, batch: batch, endsTurned: true)
      let outcome = try rig.run(for: .seconds(20))
      expect(outcome.poses, equals: [.portrait, .faceUp], "\(offset): \(outcome.events)")
      let last = try require(outcome.events.last { if case .pose = $0.event { true } else { false } }).at
      expect(last.microseconds - usual - offset, isBelow: 1_200_000, "\(offset) \(last)")
    }
  }

  @Test(arguments: boards)
  static func `a part that loses its configuration asleep is found at the next check, and watches again`(
    _ kind: Kind, _ batch: Int
  ) throws {
    let motion = AttitudePath([.init(.portrait, held: .seconds(600))])
    let rig = SleepRig(
      kind: kind, motion: motion, plan: [.init(.brownOut, .during(.seconds(30) ..< .milliseconds(30_001)))],
      batch: batch)
    let outcome = try rig.run(for: .seconds(100))
    let awake = try require(outcome.awake.first)
    expect(awake.microseconds, isIn: 60_000_000...68_000_000)
    expect(outcome.counters.faultKinds[.configurationLost], equals: 1)
    expect(outcome.poses, equals: [.portrait], "\(outcome.events)")
    expect(that: !outcome.hasTrouble, "\(outcome.events)")
    expect(that: outcome.isAsleep)
    expect(outcome.asleep.count, equals: 2)
  }

  /// Single samples, and batches with either FIFO.
  @Test(arguments: boards.filter { $0.batch == 1 || $0.kind == .adxl345 || $0.kind == .turningMPU6050 })
  static func `a fault at any transaction of falling asleep, a check or waking ends with the right pose`(
    _ kind: Kind, _ batch: Int
  ) throws {
    let clean = try SleepRig(kind: kind, batch: batch).run(for: .seconds(16))
    let asleep = try require(clean.asleep.first).microseconds
    let awake = try require(clean.awake.first).microseconds
    let numbers = clean.bus.transactions.indices.filter {
      let instant = clean.bus.transactions[$0].instant.microseconds
      return (asleep - 40_000...asleep).contains(instant) || (awake...(awake + 250_000)).contains(instant)
    }
    expect(numbers.count, isAtLeast: 15)
    let effects: [FaultPlan.Effect] = [
      .noAcknowledge, .shortRead(received: 0), .brownOut, .unplugged, .hang(.milliseconds(20)),
      .corruptByte(index: 0, mask: 0x10), .corruptByte(index: 3, mask: 0xFF),
    ]
    var failures: [String] = []
    for number in numbers {
      for effect in effects {
        let plan: FaultPlan = [.init(effect, .transaction(number))]
        let outcome = try SleepRig(kind: kind, plan: plan, batch: batch, endsTurned: true).run(for: .seconds(85))
        let last = outcome.states.last?.state
        if last != .known(.landscapeLeft) {
          failures.append("\(effect) at \(number): ends \(String(describing: last))")
        }
        // An intermediate pose of the turn may be reported first, but never one that the board did not have.
        if Set(outcome.poses) != [.portrait, .landscapeLeft] {
          failures.append("\(effect) at \(number): \(outcome.poses)")
        }
        if !outcome.isAsleep { failures.append("\(effect) at \(number): stays awake, \(outcome.events.suffix(4))") }
      }
    }
    expect(empty: failures, "\(failures.count): \(failures.prefix(8).joined(separator: "\n"))")
  }

  @Test(arguments: boards.filter { $0.batch == 1 })
  static func `faults while the board sleeps are reported only if they last, and end with a pose`(
    _ kind: Kind, _ batch: Int
  ) throws {
    for effect in [FaultPlan.Effect.unplugged, .timedOut, .noAcknowledge, .brownOut] {
      // From before the turn until after it: no response when the edge comes.
      let plan: FaultPlan = [.init(effect, .during(.seconds(9) ..< .seconds(14)))]
      let outcome = try SleepRig(kind: kind, plan: plan).run(for: .seconds(90))
      expect(outcome.states.last?.state, equals: .known(.landscapeLeft), "\(effect)")
      expect(outcome.poses.last, equals: .landscapeLeft)
      // A failed check ends the sleep, before the first sample.
      let awake = try require(outcome.awake.first).microseconds
      if effect != .brownOut { expect(awake, isIn: 10_000_000...10_400_000, "\(effect): \(awake)") }
    }
  }

  @Test(arguments: [Kind.adxl345, .turningMPU6050])
  static func `lines are off during sleep only if configured so`(_ kind: Kind) throws {
    for darkens in [false, true] {
      let rig = SleepRig(kind: kind, sleep: Sleep(after: .seconds(2), darkens: darkens))
      let outcome = try rig.run(for: .seconds(16))
      let asleep = try require(outcome.asleep.first)
      let awake = try require(outcome.awake.first)
      let levels = outcome.outputs.writes.last { $0.instant <= asleep }?.levels
      expect(levels, equals: darkens ? .off : .oneHot(.portrait))
      // The old pose is not shown again before a sample shows how the board lies now.
      let sample = try require(outcome.readings.first { $0.at > awake })
      expect(none: outcome.outputs.writes) { $0.instant > asleep && $0.instant < sample.at }
      expect(any: outcome.outputs.writes) { $0.levels == .oneHot(.landscapeLeft) }
      expect(outcome.levels, equals: darkens ? .off : .oneHot(.landscapeLeft))
    }
  }

  @Test(arguments: boards)
  static func `a query during sleep returns the last sample, without a transaction`(_ kind: Kind, _ batch: Int) throws {
    var answers = 0
    _ = try SleepRig(kind: kind, batch: batch).run(for: .seconds(9)) { snapshot, transactions in
      answers += 1
      expect(transactions, equals: 0)
      expect(snapshot.state, equals: .known(.portrait))
      expect(abs(snapshot.force.y.raw - 65_536), isBelow: 6_000)
    }
    expect(answers, isAbove: 0)
  }

  @Test static func `a part that cannot watch reports that once, and continues to sample`() throws {
    let outcome = try SleepRig(kind: .icm20689).run(for: .seconds(12))
    expect(outcome.instants(of: .notice(.staysAwake)).count, equals: 1)
    expect(that: outcome.asleep.isEmpty)
    expect(that: outcome.awake.isEmpty)
    expect(outcome.counters.faults, equals: 0)
    expect(outcome.poses, equals: [.portrait, .landscapeLeft])
    expect(outcome.readings.count, isAbove: 1_100)
  }

  @Test static func `a board that moves all the time does not sleep`() throws {
    let outcome = try SleepRig(kind: .turningMPU6050, motion: FullTurns()).run(for: .seconds(20))
    expect(empty: outcome.asleep)
  }
}

import Emulation
import FixedPoint
import HAL
import Indication
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing

/// What a snapshot says after events.
struct SnapshotEventTests {
  @Test static func `each pair of opposite events changes its property back and forth, and nothing else`() {
    let now = Instant(microseconds: 5)
    var snapshot = Snapshot.unknown
    expect(snapshot.since, equals: Instant(microseconds: 0))
    expect(snapshot.events, equals: 0)
    expect(snapshot.isBusy, equals: nil)
    for round in 0..<3 {
      snapshot.take(Occurrence(at: now, .still))
      expect(snapshot.isStill, equals: true)
      snapshot.take(Occurrence(at: now, .busy(since: now)))
      expect(snapshot.isBusy, equals: true)
      expect(snapshot.isStill, equals: true)
      snapshot.take(Occurrence(at: now, .asleep))
      expect(that: snapshot.isAsleep)
      expect(snapshot.isBusy, equals: true)
      expect(snapshot.isStill, equals: true)
      snapshot.take(Occurrence(at: now, .moving))
      expect(snapshot.isStill, equals: false)
      expect(that: snapshot.isAsleep)
      expect(snapshot.isBusy, equals: true)
      snapshot.take(Occurrence(at: now, .quiet(since: now)))
      expect(snapshot.isBusy, equals: false)
      expect(that: snapshot.isAsleep)
      expect(snapshot.isStill, equals: false)
      snapshot.take(Occurrence(at: now, .awake))
      expect(that: !snapshot.isAsleep)
      expect(snapshot.isBusy, equals: false)
      expect(snapshot.events, equals: UInt64(6 * (round + 1)))
      expect(snapshot.since, equals: Instant(microseconds: 0))
    }
  }
}

/// The results of one turn of a loop, and the state of the monitor after it.
private struct Turn: Equatable {
  var at: Instant
  var events: [Occurrence]
  var reading: Reading?
  var levels: Levels?
  var state: PoseState
  var shown: Levels
  var counters: Counters
  var next: Instant
  var task: Monitor.Task
  var writes: UInt64
}

/// A loop over an emulated board, with queries at given times between its turns.
private final class QueriedBoard {
  var motion: any Motion
  var plan: FaultPlan
  var queries: [Instant]
  private(set) var turns: [Turn] = []
  private(set) var answers: [(query: Instant, snapshot: FreshReading)] = []
  private(set) var errors: [(query: Instant, error: SensorError)] = []
  private(set) var transactions: UInt64 = 0
  private(set) var refusals = 0
  let clock = VirtualClock()
  let log = BusLog()

  init(_ motion: any Motion, _ plan: FaultPlan = .none, asking queries: [Instant] = []) {
    self.motion = motion
    self.plan = plan
    self.queries = queries
  }

  func run(_ part: Rig.Part, for duration: Microseconds) {
    let clock = clock
    let pass: (Microseconds) -> Void = { clock.advance(by: $0) }
    switch part {
    case .adxl345:
      let part = EmulatedADXL345(motion: motion, seed: 3) { clock.now }
      let bus = EmulatedBus(part, at: EmulatedADXL345.address, plan: plan, log: log, pass: pass) { clock.now }
      turn(ADXL345.Device(bus: bus), for: duration)
    case .mpu6050(let specimen):
      let part = EmulatedMPU6050(motion: motion, configuration: specimen, seed: 3) { clock.now }
      let bus = EmulatedBus(part, at: EmulatedMPU6050.address, plan: plan, log: log, pass: pass) { clock.now }
      turn(MPU6050.Device(bus: bus), for: duration)
    }
  }

  func turn<Sensor: Accelerometer & ~Copyable>(
    _ sensor: consuming Sensor, for duration: Microseconds, _ faults: FaultPolicy = FaultPolicy()
  ) {
    let configuration = Monitor.Configuration(period: .milliseconds(10), fullScale: sensor.fullScale, faults: faults)
    let bank = RecordingOutputBank(log: OutputLog(capacity: 0)) { [clock] in clock.now }
    var loop = Loop(sensor: sensor, bank: bank, clock: clock, configuration: configuration)
    var rest = queries[...]
    let end = clock.now + duration
    while loop.monitor.next.at <= end {
      while let query = rest.first, query < loop.monitor.next.at {
        clock.advance(to: query)
        ask(&loop, query)
        rest = rest.dropFirst()
      }
      do throws(OutputFault) {
        guard let report = try loop.turn() else { return }
        turns.append(
          Turn(
            at: clock.now, events: (0..<report.events.count).compactMap { report.events[$0] }, reading: report.reading,
            levels: report.levels, state: loop.monitor.state, shown: loop.monitor.levels,
            counters: loop.monitor.counters, next: loop.monitor.next.at, task: loop.monitor.next.task,
            writes: loop.outputWrites))
      } catch { return }
    }
    transactions = loop.sensor.transactions
  }

  private func ask<Sensor: Accelerometer & ~Copyable>(
    _ loop: inout Loop<Sensor, RecordingOutputBank, VirtualClock>, _ query: Instant
  ) {
    let before = loop.sensor.transactions
    do throws(SensorError) {
      answers.append((query, try loop.read()))
      expect(loop.sensor.transactions, equals: before + 1)
    } catch {
      errors.append((query, error))
      if loop.sensor.transactions == before {
        expect(error, equals: .configurationLost)
        refusals += 1
      } else {
        expect(loop.sensor.transactions, equals: before + 1)
      }
    }
  }
}

struct SnapshotTests {
  private static let noisy: [Rig.Part] = [
    .adxl345, .mpu6050(EmulatedMPU6050.Configuration(.mpu6050)), .mpu6050(EmulatedMPU6050.Configuration(.mpu6500)),
  ]

  /// Times that belong to no turn: turns are at whole tenths of a millisecond.
  private static func times(_ count: Int, within span: Int64, seed: UInt64) -> [Instant] {
    var generator = SplitMix64(seed: seed)
    return (0..<count).map { _ in Int64.random(in: 0..<span / 100, using: &generator) * 100 + 37 }.sorted()
      .map { Instant(microseconds: $0) }
  }

  /// Bus faults that outlast the retries, now and then, and one that costs time.
  private static let troubles: FaultPlan = [
    .init(.noAcknowledge, .during(.milliseconds(1_500)..<Microseconds.milliseconds(1_520))),
    .init(.timedOut, .during(.milliseconds(2_500)..<Microseconds.milliseconds(3_100))),
    .init(.fault(.other(code: 5)), .during(.milliseconds(5_000)..<Microseconds.milliseconds(5_004))),
    .init(.slow(.milliseconds(25)), .during(.milliseconds(6_000)..<Microseconds.milliseconds(6_100))),
    .init(.unplugged, .during(.milliseconds(8_000)..<Microseconds.milliseconds(9_400))),
  ]

  /// Faults that only queries meet.
  private static func troubles(of queries: [Instant], seed: UInt64) -> FaultPlan {
    let effects: [FaultPlan.Effect] = [
      .noAcknowledge, .timedOut, .arbitrationLost, .fault(.unavailable), .hang(Microseconds(40)),
      .shortRead(received: 2), .corruptByte(index: 0, mask: 0x40), .corruptByte(index: 1, mask: 0x81),
      .corruptByte(index: 5, mask: 0x10),
    ]
    var generator = SplitMix64(seed: seed)
    return FaultPlan(
      queries.filter { _ in Bool.random(using: &generator) }.map { query in
        let begin = Microseconds(query.microseconds)
        return .init(
          effects[Int.random(in: 0..<effects.count, using: &generator)], .during(begin..<(begin + Microseconds(1))))
      })
  }

  @Test(arguments: Array(1...8) as [UInt64])
  static func `queries at random times, failing or not, change nothing in a monitor's results`(
    _ seed: UInt64
  ) {
    let motion = NamedMotion.tumble.motion
    for part in Self.noisy {
      for plan in [FaultPlan.none, Self.troubles] {
        let alone = QueriedBoard(motion, plan)
        alone.run(part, for: .seconds(12))
        // No queries while the bus is slow, when a query takes time as anything would, nor while the supply is off:
        // an emulated part without power restarts its noise with each transaction that it misses.
        let queries = times(900, within: 12_000_000, seed: seed).filter {
          !(5_900_000...6_200_000).contains($0.microseconds) && !(7_990_000...8_020_000).contains($0.microseconds)
        }
        let asked = QueriedBoard(motion, troubles(of: queries, seed: seed) + plan, asking: queries)
        asked.run(part, for: .seconds(12))
        expect(alone.turns.count, isAbove: 500)
        expect(asked.turns.count, equals: alone.turns.count)
        expect(asked.turns, equals: alone.turns)
        expect(asked.answers.count, isAbove: 250, "\(asked.answers.count), \(asked.errors.count)")
        expect(asked.errors.count, isAbove: 200, "\(asked.answers.count), \(asked.errors.count)")
        // Each query was one transaction, or none while the sensor did not deliver.
        let queried = UInt64(asked.answers.count + asked.errors.count - asked.refusals)
        expect(asked.transactions, equals: alone.transactions + queried)
        #expect(plan == .none ? asked.refusals < 60 : asked.refusals > 100, "\(asked.refusals)")
      }
    }
  }

  @Test static func `a query returns the current pose and all angles`() throws {
    let motion = NamedMotion.tumble.motion
    for part in Self.noisy {
      let board = QueriedBoard(motion, asking: times(400, within: 12_000_000, seed: 9))
      board.run(part, for: .seconds(12))
      var agreed = 0
      for (query, snapshot) in board.answers {
        expect(snapshot.instant, equals: query)
        let told = try require(board.turns.last { $0.at < query })
        if snapshot.state == told.state { agreed += 1 }
        let force = snapshot.force
        expect(snapshot.deviceAngle, equals: force.deviceAngle)
        expect(snapshot.levelAngle, equals: force.levelAngle)
        expect(snapshot.pitch, equals: force.pitch)
        expect(snapshot.roll, equals: force.roll)
        expect(snapshot.inclination, equals: force.inclination)
        expect(snapshot.steeringAngle, equals: force.steeringAngle)
        for pose in [Pose.portrait, .portraitUpsideDown, .landscapeLeft, .landscapeRight, .faceUp, .faceDown] {
          expect(snapshot.relativeAngle(to: pose), equals: force.relativeAngle(to: pose))
        }
      }
      // Except at the turns, when the sample is ahead of the dwell.
      expect(agreed * 100, isAbove: board.answers.count * 95, "\(agreed) of \(board.answers.count)")
    }
  }

  @Test static func `a query applies calibration and mounting, and leaves the pipeline unchanged`() throws {
    let mounting = try Mounting(x: .minusY, y: .plusX, z: .plusZ)
    var pipeline = Pipeline(Pipeline.Configuration(alignment: Alignment(.none, mounting)))
    let measured = Vector3(x: .one, y: .zero, z: .zero)
    let before = pipeline
    let first = pipeline.reading(of: measured, at: Instant(microseconds: 5))
    expect(first.state, equals: .known(.portrait))
    expect(first.force, equals: Vector3(x: .zero, y: .one, z: .zero))
    expect(pipeline, equals: before)
    // Equal to the result of the very first step.
    let reading = pipeline.step(measured, at: Instant(microseconds: 5))
    expect(FreshReading(reading), equals: first)
    expect(first.relativeAngle(to: .landscapeRight), equals: -.quarterTurn)
  }

  @Test static func `a sensor that does not deliver is not queried`() {
    // Queries before the start, while the sensor settles (an MPU-6050 takes a quarter of a second), and after it is
    // given up.
    let early = (0..<20).map { Instant(microseconds: Int64($0) * 10_000 + 37) }
    let board = QueriedBoard(NamedMotion.hold.motion, asking: early)
    board.run(.mpu6050(EmulatedMPU6050.Configuration(.mpu6050)), for: .seconds(1))
    expect(that: board.answers.isEmpty)
    expect(board.refusals, equals: 20)
    let late = (300..<310).map { Instant(microseconds: Int64($0) * 10_000 + 37) }
    let dead = QueriedBoard(NamedMotion.hold.motion, [.init(.noAcknowledge, .always)], asking: late)
    let bus = EmulatedBus(plan: dead.plan, log: dead.log) { [clock = dead.clock] in clock.now }
    dead.turn(ADXL345.Device(bus: bus), for: .seconds(4_000), FaultPolicy(restartLimit: 3))
    expect(that: dead.answers.isEmpty)
    expect(dead.refusals, equals: 10)
  }

  @Test static func `while the monitor does not trust the sensor, a query knows no pose`() {
    // The samples after the frozen ones differ, but are at the end of the range: not yet to be trusted.
    let plan: FaultPlan = [
      .init(.frozenData, .during(.seconds(1)..<Microseconds.seconds(3))),
      .init(.fullScaleData, .during(.seconds(3)..<Microseconds.seconds(4))),
    ]
    let board = QueriedBoard(NamedMotion.hold.motion, plan, asking: times(500, within: 5_000_000, seed: 4))
    board.run(.adxl345, for: .seconds(5))
    expect(any: board.turns) { $0.state == .unknown(.fault) }
    var distrusted = 0
    for (query, snapshot) in board.answers {
      guard let told = board.turns.last(where: { $0.at < query }), told.state == .unknown(.fault) else {
        expect(snapshot.state, equals: .known(.portrait))
        continue
      }
      expect(snapshot.state, equals: .unknown(.fault))
      distrusted += 1
    }
    expect(distrusted, isAbove: 5, "\(distrusted)")
  }
}

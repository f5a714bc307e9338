import Emulation
import FixedPoint
import Gestures
import HAL
import Indication
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing

/// A loop that takes samples in batches, compared with one that takes each sample alone.
struct BatchTests {
  private static let motions: [(name: String, motion: any Motion, seconds: Int64)] = [
    ("tumble", tumble, 26), ("full turns", FullTurns(), 30), ("shake", Shake(), 5), ("shaken", ShakenMotion(), 16),
    ("swung", SwungMotion(), 20), ("carried", CarriedMotion(), 30), ("dropped", DroppedMotion(), 12),
    ("fall", FreeFall(), 6), ("driven", DrivenMotion(), 66),
  ]

  /// Through all six poses, with turns of half a second and instant ones.
  private static let tumble: AttitudePath = {
    func attitude(_ turns: Int32, _ tilt: Int32) -> Attitude {
      Attitude(deviceAngle: BinaryAngle(degrees: turns), tilt: BinaryAngle(degrees: tilt))
    }
    let places = [(0, 10), (90, 15), (180, 0), (-90, 20), (0, 90), (0, 0), (0, -90), (90, 0)] as [(Int32, Int32)]
    return AttitudePath(
      places.enumerated().map { number, place in
        AttitudePath.Stop(
          attitude(place.0, place.1), held: .seconds(3), turning: number % 2 == 0 ? .milliseconds(500) : .zero)
      })
  }()

  /// The events of a run, without their times, and without rest, which is judged in windows that begin with the first
  /// sample.
  private static func words(_ outcome: Rig.Outcome) -> [String] {
    outcome.events.compactMap { occurrence in
      switch occurrence.event {
      case .pose(let from, let to, _): "\(from, default: "none") -> \(to)"
      case .trouble(let reason, let cause): "\(reason) \(String(describing: cause))"
      case .shake: "shake"
      default: nil
      }
    }
  }

  private static func times(_ outcome: Rig.Outcome) -> [Int64] {
    outcome.events.compactMap { occurrence in
      switch occurrence.event {
      case .pose, .trouble, .shake: occurrence.at.microseconds
      default: nil
      }
    }
  }

  private static func compare(_ rig: Rig, _ name: String, _ seconds: Int64, batches: [Int]) {
    let alone = rig.run(for: .seconds(seconds))
    expect(alone.counters.faults, equals: 0)
    for batch in batches {
      var batching = rig
      (batching.batch, batching.readsPerTransaction) = (batch, 21)
      let together = batching.run(for: .seconds(seconds))
      expect(words(together), equals: words(alone), "\(name), \(batch)")
      expect(together.counters.lostSamples, equals: 0, "\(name), \(batch)")
      expect(together.counters.faults, equals: 0, "\(name), \(batch)")
      expect(together.counters.shakes, equals: alone.counters.shakes)
      // An event has the time of its sample, which a timer may read one period late.
      let late = zip(times(together), times(alone)).map { abs($0 - $1) }.max() ?? 0
      expect(late, isAtMost: 2 * rig.rate.period.count, "\(name), \(batch): \(late)")
      // All but the last batch have been read.
      let difference = Int(alone.counters.samples) - Int(together.counters.samples)
      expect(difference, isIn: -2...batch + 3, "\(name), \(batch): \(difference)")
    }
  }

  @Test static func `an ADXL345 gives the same poses, unknown reasons and shakes for any batch size`() {
    for (name, motion, seconds) in Self.motions {
      compare(Rig(motion: motion, movement: Movement.Configuration()), name, seconds, batches: [2, 10, 25])
    }
  }

  @Test static func `an MPU-6050 does so too, with force alone and with fusion`() {
    let part = Rig.Part.mpu6050(EmulatedMPU6050.Configuration())
    for (name, motion, seconds) in Self.motions {
      compare(Rig(motion: motion, part: part, movement: Movement.Configuration()), name, seconds, batches: [25])
      let turning = MPU6050.Configuration(range: .g8, gyroscope: .dps2000)
      compare(
        Rig(motion: motion, part: part, movement: Movement.Configuration(), mpu6050: turning), name + ", turning",
        seconds, batches: [10, 40])
    }
  }

  @Test
  static func `25 samples a batch at 100 Hz take at most five waits a second and 18 transactions per 100 samples`() {
    var rig = Rig(motion: Self.tumble, batch: 25, readsPerTransaction: 21)
    let adxl345 = rig.run(for: .seconds(24))
    rig.part = .mpu6050(EmulatedMPU6050.Configuration())
    let mpu6050 = rig.run(for: .seconds(24))
    for outcome in [adxl345, mpu6050] {
      let instants = Set(outcome.bus.transactions.map(\.instant.microseconds).filter { $0 > 1_000_000 })
      expect(instants.count, isAtMost: 23 * 5, "\(instants.count)")
      let recent = outcome.bus.transactions.filter { $0.instant.microseconds > 4_000_000 }
      expect(recent.count, isAtMost: 20 * 18, "\(recent.count)")
      expect(outcome.transactions, equals: UInt64(outcome.bus.transactionCount))
    }
  }

  @Test static func `lines are written at the end of a batch, and only if they change`() {
    let outcome = Rig(motion: Self.tumble, batch: 25).run(for: .seconds(24))
    let writes = outcome.outputs.writes.map(\.levels)
    expect(writes.count, isAtLeast: 7)
    expect(that: zip(writes, writes.dropFirst()).allSatisfy { $0 != $1 })
    expect(outcome.outputWrites, equals: UInt64(writes.count))
  }

  @Test(arguments: [Rig.Part.adxl345, .mpu6050(EmulatedMPU6050.Configuration())])
  static func `lost samples are reported once, with their number, and the pose is kept`(_ part: Rig.Part) {
    // The bus is blocked for 3.5 seconds.
    let plan: FaultPlan = [.init(.slow(.milliseconds(3_500)), .transaction(400))]
    let outcome = Rig(plan: plan, part: part, batch: 25).run(for: .seconds(60))
    let lost = outcome.notices.compactMap { if case .samplesLost(let count) = $0.notice { Int(count) } else { nil } }
    expect(lost.count, equals: 1)
    expect(UInt64(lost.reduce(0, +)), equals: outcome.counters.lostSamples)
    expect(outcome.counters.notices, equals: 1)
    let all = Int(outcome.counters.samples + outcome.counters.lostSamples)
    // 60 s at 100 Hz, less the start and the last, unread batch.
    expect(all, isIn: 5_930...5_996, "\(all)")
    expect(lost.first ?? 0, isIn: 300...380, "\(lost)")
  }

  @Test static func `a sensor that freezes in the middle of a batch is one fault, not one per sample`() {
    let plan: FaultPlan = [.init(.frozenData, .during(.milliseconds(3_000)..<Microseconds.milliseconds(4_000)))]
    for batch in [1, 25] {
      let outcome = Rig(plan: plan, batch: batch).run(for: .seconds(8))
      expect(outcome.counters.faultKinds[.frozen], isAtMost: 6, "\(batch): \(outcome.counters.faultKinds[.frozen])")
      expect(outcome.finalState, equals: .known(.portrait))
      expect(outcome.recoveries.count, equals: 1)
    }
  }

  @Test static func `a query between two batches gets a fresh sample, and changes no event`() throws {
    let clock = VirtualClock()
    let part = EmulatedADXL345(motion: Self.tumble) { clock.now }
    let bus = EmulatedBus(part, at: EmulatedADXL345.address) { clock.now }
    let configuration = ADXL345.Configuration(fifo: .stream(watermark: .init(nearest: 25)))
    let sensor = Batched(ADXL345.Device(bus: bus, configuration: configuration), size: 25)
    let bank = RecordingOutputBank(log: OutputLog(capacity: 0)) { clock.now }
    var loop = Loop(sensor: sensor, bank: bank, clock: clock, period: .milliseconds(250))
    var instants: [Instant] = []
    var poses: [Pose] = []
    while clock.now < Instant(microseconds: 24_000_000), let report = try loop.turn() {
      if let reading = report.reading { instants.append(reading.instant) }
      for index in 0..<report.events.count {
        if case .pose(_, let pose, _) = report.events[index]?.event { poses.append(pose) }
      }
      guard !loop.hasSamples, loop.monitor.next.task == .sample, poses.count > 0 else { continue }
      clock.advance(by: .milliseconds(110))
      let snapshot = try loop.read()
      expect(clock.now - snapshot.instant, isAtMost: .milliseconds(25))
      expect(snapshot.state.pose, isNot: nil)
    }
    let gaps = zip(instants, instants.dropFirst()).map { (earlier: Instant, later: Instant) in later - earlier }
    expect(all: gaps) { $0 > .zero && $0 < .milliseconds(20) }
    expect(poses, equals: Rig(motion: Self.tumble).run(for: .seconds(24)).poses)
  }
}

import BoardFile
import Emulation
import FixedPoint
import HAL
import Monitor
import Sensors

/// How a board is asked once: opens its bus, real or emulated, and takes the first sample that can be trusted.
struct ReadPlan {
  var motion: NamedMotion
  /// The seed of the emulated sensor; nil for the board's.
  var seed: UInt64?
  /// How many samples are averaged; 1 for the first as it is.
  var samples: Int

  /// As often as this it is tried to start a sensor that does not deliver, after the first time.
  private static let restarts: UInt32 = 3

  func answer(of board: BoardDescription) throws(Failure) -> ReadAnswer {
    var use = Use(plan: self, board: board)
    return try use.run(on: board, isFast: true) { now in
      board.emulatedBus(motion: motion.motion, seed: seed, plan: .none, now: now)
    }
  }

  private struct Use: SensorUse {
    let plan: ReadPlan
    let board: BoardDescription

    func use<Sensor: SelfTesting & ~Copyable>(
      _ sensor: consuming Sensor, _ clock: some MonotonicClock
    ) throws(Failure) -> ReadAnswer {
      try plan.answer(of: board, sensor, clock)
    }
  }

  /// Has the loop of `plumb run`, with lines that are none, deal with faults as it does there, until it has one sample.
  private func answer<Sensor: Accelerometer & ~Copyable>(
    of board: BoardDescription, _ sensor: consuming Sensor, _ clock: some MonotonicClock
  ) throws(Failure) -> ReadAnswer {
    let configuration = Monitor.Configuration(
      period: board.sensor.period, fullScale: sensor.fullScale,
      pipeline: Pipeline.Configuration(alignment: board.sensor.alignment),
      // There are too few samples to be suspicious of them.
      faults: FaultPolicy(implausibleLimit: 0, weightlessLimit: .zero, restartLimit: Self.restarts))
    let bank = RecordingOutputBank(log: OutputLog(capacity: 0)) { clock.now }
    var loop = Loop(sensor: AdoptingSensor(sensor), bank: bank, clock: clock, configuration: configuration)
    var notice: SensorNotice?
    var mean = MeanForce()
    while let report = try Self.turn(&loop) {
      for index in 0..<report.events.count {
        switch report.events[index]?.event {
        case .notice(let told): notice = told
        case .trouble(_, let cause?):
          if case .rateTooHigh = cause { throw Failure(cause, of: board.sensor) }
        case .gaveUp(let cause, _): throw Failure(cause, of: board.sensor)
        default: break
        }
      }
      guard let reading = report.reading else { continue }
      mean.add(reading.force)
      guard mean.count >= samples else { continue }
      return ReadAnswer(
        snapshot: samples == 1 ? Snapshot(reading) : mean.snapshot(at: reading.instant),
        isAdopted: loop.sensor.isAdopted, notice: notice, board: board, motion: motion)
    }
    throw Failure(.unavailable, "stopped before there was a sample")
  }

  private static func turn<Sensor: Accelerometer & ~Copyable, Clock: MonotonicClock>(
    _ loop: inout Loop<Sensor, RecordingOutputBank, Clock>
  ) throws(Failure) -> Monitor.Report? {
    do { return try loop.turn() } catch { throw Failure(.internal, "lines that are none failed") }
  }
}

extension Failure {
  /// What it means that a sensor gives nothing for this reason: in the words of `plumb run`.
  fileprivate init(_ error: SensorError, of sensor: BoardDescription.Sensor) {
    let code: Code =
      switch error {
      case .rateTooHigh: .configuration
      case .bus(.notPermitted): .noPermission
      default: .unavailable
      }
    self.init(code, error.text(of: sensor))
  }
}

/// The average of forces, rounded to nearest.
private struct MeanForce {
  private(set) var count = 0
  private var sum: (x: Int64, y: Int64, z: Int64) = (0, 0, 0)

  mutating func add(_ force: Vector3) {
    count += 1
    sum = (sum.x + Int64(force.x.raw), sum.y + Int64(force.y.raw), sum.z + Int64(force.z.raw))
  }

  /// The average, and the pose that it tells by itself.
  func snapshot(at instant: Instant) -> Snapshot {
    func mean(_ sum: Int64) -> Q16 {
      let half = Int64(count) / 2
      return Q16(raw: Int32(truncatingIfNeeded: (sum < 0 ? sum - half : sum + half) / Int64(max(1, count))))
    }
    return Pipeline().snapshot(of: Vector3(x: mean(sum.x), y: mean(sum.y), z: mean(sum.z)), at: instant)
  }
}

public import FixedPoint
public import HAL
internal import Orientation
public import Sensors

/// The shell around a `Monitor`: waits, reads, steps and writes, and nothing else.
///
/// In steady state one turn is one wait and one bus transaction; the output bank is written only when levels change. Where
/// the clock hears of the sensor's samples, they are taken as they come, else at exact periods.
public struct Loop<Sensor: Accelerometer & ~Copyable, Bank: OutputBank & ~Copyable, Clock: MonotonicClock & ~Copyable>:
  ~Copyable
{
  /// The sensor that is read.
  public var sensor: Sensor
  /// The lines that are set.
  public var bank: Bank
  /// The clock that is waited by.
  public var clock: Clock
  /// What decides.
  public var monitor: Monitor
  /// What the sensor measured for the last sample, in its own frame and not calibrated; nil before the first. It may be older than
  /// the last turn, which may have brought a fault.
  public private(set) var lastMeasurement: Measurement?
  /// How often the output bank was written.
  public private(set) var outputWrites: UInt64 = 0

  /// A loop that has not begun; the lines are taken to be off.
  public init(
    sensor: consuming Sensor, bank: consuming Bank, clock: consuming Clock, configuration: Monitor.Configuration
  ) {
    monitor = Monitor(configuration, at: clock.now)
    self.sensor = sensor
    self.bank = bank
    self.clock = clock
  }

  /// A loop that takes a sample every `period`, with the default of every other figure.
  public init(sensor: consuming Sensor, bank: consuming Bank, clock: consuming Clock, period: Microseconds) {
    let configuration = Monitor.Configuration(
      period: period, fullScale: sensor.fullScale, rotationFullScale: sensor.rotationFullScale)
    monitor = Monitor(configuration, at: clock.now)
    self.sensor = sensor
    self.bank = bank
    self.clock = clock
  }

  /// Waits for the next task, does it, and returns what it brought; nil when the wait was ended from outside.
  ///
  /// - Throws: the output bank's fault. A fault of the sensor is no error but an event.
  public mutating func turn() throws(OutputFault) -> Monitor.Report? {
    let (due, task) = monitor.next
    var isData = false
    if task == .sample {
      let awakening = clock.awaitSample(due: due)
      guard awakening != .interrupted else { return nil }
      isData = awakening == .data
    } else {
      guard clock.sleep(until: due) else { return nil }
    }
    let report = perform(task, isData: isData)
    if let levels = report.levels {
      try bank.write(levels)
      outputWrites &+= 1
    }
    return report
  }

  private mutating func perform(_ task: Monitor.Task, isData: Bool) -> Monitor.Report {
    do {
      switch task {
      case .rest: return monitor.rested(at: clock.now)
      case .sample: return try sample(isData: isData)
      case .start: return started(settling: try sensor.start())
      case .proceed:
        if let pause = try sensor.proceed() { return started(settling: pause) }
        return try sample()
      case .restart:
        try sensor.reopen()
        return started(settling: try sensor.start())
      }
    } catch {
      return monitor.failed(error, at: clock.now)
    }
  }

  private mutating func started(settling: Microseconds) -> Monitor.Report {
    monitor.started(settling: settling, notice: sensor.notice, at: clock.now)
  }

  private mutating func sample(isData: Bool = false) throws(SensorError) -> Monitor.Report {
    let now = clock.now
    if isData { monitor.follow(at: now) }
    let measured = try sensor.measure()
    lastMeasurement = measured
    return monitor.sampled(measured, at: now)
  }
}

extension Monitor {
  /// What `measured`, in g and in the sensor's own frame, shows at `now`, without being taken in: nothing changes.
  ///
  /// The pose is unknown for `fault` as long as the monitor does not trust the sensor; else it is as
  /// `PoseTracker.state(seeing:at:)` says.
  public func snapshot(of measured: Vector3, at now: Instant) -> Snapshot {
    trusted(pipeline.snapshot(of: measured, at: now))
  }

  /// The same of what a sensor with a gyroscope measured; see `Pipeline.snapshot(of:at:)`.
  public func snapshot(of measured: Measurement, at now: Instant) -> Snapshot {
    trusted(pipeline.snapshot(of: measured, at: now))
  }

  private func trusted(_ fresh: Snapshot) -> Snapshot {
    guard state == .unknown(.fault) else { return fresh }
    return Snapshot(instant: fresh.instant, force: fresh.force, state: state)
  }

  /// Whether the sensor is set up and settled, as far as is known, so that it can be asked for a sample out of turn.
  var canBeQueried: Bool { schedule.task == .sample }
}

extension Loop where Sensor: ~Copyable, Bank: ~Copyable, Clock: ~Copyable {
  /// Asks the sensor for a sample between two turns, and returns the pose and all angles that it shows.
  ///
  /// One bus transaction. The monitor does not notice: its schedule, counters, filters and pose, and the lines, are as if
  /// there had been no query. The sensor's driver does: it counts the transaction, and a sample that it watches the part's
  /// configuration by.
  ///
  /// - Throws: `configurationLost`, without a transaction, while the sensor is not delivering (not started, settling,
  ///   waiting for the next attempt, given up); else what the sensor throws. It is for the caller alone: the monitor does
  ///   not hear of it and nothing is tried again.
  public mutating func snapshot() throws(SensorError) -> Snapshot {
    guard monitor.canBeQueried else { throw .configurationLost }
    let now = clock.now
    return monitor.snapshot(of: try sensor.measure(), at: now)
  }
}

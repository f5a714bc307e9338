public import FixedPoint
public import HAL
public import Orientation
public import Sensors

/// The shell around a `Monitor`: waits, reads, steps and writes, and nothing else.
///
/// In steady state one turn is one wait and one bus transaction; the output bank is written only when levels change. Where
/// the clock hears of the sensor's samples, they are taken as they come, else at exact periods.
///
/// Over a `Batched` sensor a turn is a sample too, but only the first of a batch waits and uses the bus: the others follow at
/// once, each with its own time, and the bank is written at the end of the batch.
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
  /// The attitude in which angles are zero, for those who show them: neither the monitor nor the lines go by it.
  public private(set) var tare = Tare.none
  /// How often the output bank was written.
  public private(set) var outputWrites: UInt64 = 0
  /// While the sensor watches for movement, no turn waits longer than until then; nil for no such bound.
  public var horizon: Instant?
  /// The levels of the bank.
  private var written = Levels.off
  /// When the batch was taken whose samples are given out.
  private var batchTaken = Instant(microseconds: 0)
  /// What the sensor had found when it was asked out of turn, which goes with the next sample.
  private var unreported = Findings.none

  /// A loop that has not begun; the lines are taken to be off.
  @inline(never)
  public init(
    sensor: consuming Sensor, bank: consuming Bank, clock: consuming Clock, configuration: Monitor.Configuration
  ) {
    monitor = Monitor(configuration, at: clock.now)
    self.sensor = sensor
    self.bank = bank
    self.clock = clock
  }

  /// A loop that takes a sample every `period`, with the default of every other figure.
  @inline(never)
  public init(sensor: consuming Sensor, bank: consuming Bank, clock: consuming Clock, period: Microseconds) {
    let configuration = Monitor.Configuration(
      period: period, fullScale: sensor.fullScale, rotationFullScale: sensor.rotationFullScale)
    monitor = Monitor(configuration, at: clock.now)
    self.sensor = sensor
    self.bank = bank
    self.clock = clock
  }

  /// A loop that takes each sample that the sensor makes, with the default of every other figure.
  @inline(never)
  public init(sensor: consuming Sensor, bank: consuming Bank, clock: consuming Clock)
  where Sensor: BatchingAccelerometer {
    let period = sensor.samplePeriod
    self.init(sensor: sensor, bank: bank, clock: clock, period: period)
  }

  /// Makes the attitude of `tare` the one in which angles are zero and nothing scrolls.
  public mutating func apply(_ tare: Tare) {
    self.tare = tare
    monitor.rest(by: tare)
  }

  /// Waits for the next task, does it, and returns what it brought; nil when the wait was ended from outside.
  ///
  /// - Throws: the output bank's fault. A fault of the sensor is no error but an event.
  public mutating func turn() throws(OutputFault) -> Monitor.Report? {
    let report: Monitor.Report
    if followsUp() {
      report = followUp()
    } else {
      let (due, planned) = monitor.next
      guard let (task, isData) = wait(for: planned, until: due) else { return nil }
      report = perform(task, isData: isData)
    }
    try show()
    return report
  }

  /// Waits until `task` is due. What is to be done then, and whether the sensor's line has said so; nil when the wait was ended
  /// from outside.
  private mutating func wait(for task: Monitor.Task, until due: Instant) -> (task: Monitor.Task, isData: Bool)? {
    switch task {
    case .sample where !sensor.isBatching:
      let awakening = clock.awaitSample(due: due)
      return awakening == .interrupted ? nil : (task, awakening == .data)
    case .sleep:
      let end = horizon.map { min($0, due) } ?? due
      switch clock.awaitMovement(until: end) {
      case .interrupted: return nil
      case .time where end < due: return (.rest, false)
      default: return (task, false)
      }
    default: return clock.sleep(until: due) ? (task, false) : nil
    }
  }

  /// Whether the next turn goes on with samples that were taken already, without a wait. Not once the sensor is to be started
  /// anew: that forgets them.
  public var hasSamples: Bool { sensor.hasNext && (monitor.canBeQueried || monitor.schedule.task == .watch) }

  /// ``hasSamples`` for this type itself: a getter would copy the whole loop to the stack.
  @inline(__always)
  private mutating func followsUp() -> Bool {
    sensor.hasNext && (monitor.schedule.task == .sample || monitor.schedule.task == .watch)
  }

  /// Sets the levels, unless more samples follow at once.
  private mutating func show() throws(OutputFault) {
    let levels = monitor.levels
    guard levels != written, !followsUp() else { return }
    try bank.write(levels)
    written = levels
    outputWrites &+= 1
  }

  /// Each kind of report is made in one place, as its copies take stack.
  private mutating func perform(_ task: Monitor.Task, isData: Bool) -> Monitor.Report {
    guard task != .rest else { return monitor.rested(at: clock.now) }
    do {
      if task == .watch { return try watch() }
      if task == .sleep { return try look() }
      if let settling = try prepare(task) {
        return monitor.started(settling: settling, notice: sensor.notice, at: clock.now)
      }
      return try sample(isData: isData)
    } catch {
      return monitor.failed(error, at: clock.now)
    }
  }

  /// Starts the sensor or goes on with that. Returns how long it is to be left alone; nil where it is ready for a sample.
  private mutating func prepare(_ task: Monitor.Task) throws(SensorError) -> Microseconds? {
    switch task {
    case .start: return try sensor.start()
    case .restart:
      try sensor.reopen()
      return try sensor.start()
    case .proceed: return try sensor.proceed()
    case .wake: return try sensor.wake()
    case .sample, .rest, .watch, .sleep: return nil
    }
  }

  /// Has the sensor watch for movement. By itself, as the copies of its reports take stack.
  @inline(never)
  private mutating func watch() throws(SensorError) -> Monitor.Report {
    guard sensor.canWatchForMovement else { return monitor.cannotWatch(at: clock.now) }
    if let pause = try sensor.watchForMovement() { return monitor.preparedToWatch(for: pause, at: clock.now) }
    // What has moved before this shows in the look, what moves after it in an edge.
    clock.forgetEdges()
    return try look()
  }

  /// Asks the sensor that watches whether it has moved.
  private mutating func look() throws(SensorError) -> Monitor.Report {
    let hasMoved = try sensor.hasMoved(from: lastMeasurement?.force)
    return hasMoved ? monitor.moved(at: clock.now) : monitor.watched(at: clock.now)
  }

  /// Takes the next batch in, and returns what its first sample brought.
  private mutating func collect() throws(SensorError) -> Monitor.Report {
    let due = try sensor.collect(by: clock)
    batchTaken = clock.now
    monitor.awaitBatch(due: due)
    return followUp()
  }

  /// The next sample that was taken already.
  private mutating func followUp() -> Monitor.Report {
    switch sensor.next() {
    case .sample(let measured, let instant):
      lastMeasurement = measured
      return monitor.sampled(measured, at: instant, readAt: batchTaken)
    case .lost(let count, let instant): return monitor.lost(count, at: instant, readAt: batchTaken)
    case nil: return monitor.rested(at: batchTaken)
    }
  }

  private mutating func sample(isData: Bool) throws(SensorError) -> Monitor.Report {
    if sensor.isBatching { return try collect() }
    let now = clock.now
    if isData { monitor.follow(at: now) }
    var measured = try sensor.measure()
    measured.findings = unreported.followed(by: measured.findings)
    unreported = .none
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
  /// One bus transaction; over a `Batched` sensor, where none of its samples is at hand, a batch is taken early, and the answer
  /// is its newest. While the sensor watches for movement, it is not disturbed: the answer is the last sample, because
  /// the board has not moved since. The monitor does not notice: its schedule, counters, filters and pose, and the lines, are as if
  /// there had been no query. The sensor's driver does: it counts the transaction, and a sample that it watches the part's
  /// configuration by.
  ///
  /// - Throws: `configurationLost`, without a transaction, while the sensor is not delivering (not started, settling,
  ///   waiting for the next attempt, given up); else what the sensor throws. It is for the caller alone: the monitor does
  ///   not hear of it and nothing is tried again.
  public mutating func snapshot() throws(SensorError) -> Snapshot {
    if monitor.isAsleep, let lastMeasurement { return monitor.snapshot(of: lastMeasurement, at: clock.now) }
    guard monitor.canBeQueried else { throw .configurationLost }
    if sensor.isBatching {
      guard let (measured, instant) = try sensor.newest(by: clock) else { throw .configurationLost }
      batchTaken = clock.now
      return monitor.snapshot(of: measured, at: instant)
    }
    let now = clock.now
    let measured = try sensor.measure()
    unreported = unreported.followed(by: measured.findings)
    return monitor.snapshot(of: measured, at: now)
  }
}

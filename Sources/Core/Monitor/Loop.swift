public import FixedPoint
public import HAL
public import Orientation
public import Sensors
public import Vibration

/// The shell around a `Monitor`: it waits, reads, steps and writes, and does nothing else.
///
/// In steady state one turn is one wait and one bus transaction; the output bank is written only when levels change.
/// Once a second, a turn also checks that the sensor's configuration is unchanged, because another program may be
/// unaware of this one. If the clock detects the sensor's samples, they are read as they come, otherwise at exact
/// periods.
///
/// Over a `Batched` sensor a turn is also one sample, but only the first of a batch waits and uses the bus: the others
/// follow at once, each with its own time, and the bank is written at the end of the batch.
public struct Loop<Sensor: Accelerometer & ~Copyable, Bank: OutputBank & ~Copyable, Clock: MonotonicClock & ~Copyable>:
  ~Copyable
{
  /// The sensor to read.
  public var sensor: Sensor
  /// The lines to set.
  public var bank: Bank
  /// The clock for waiting.
  public var clock: Clock
  /// Makes the decisions.
  public var monitor: Monitor
  /// Watches the vibration of the board; nil if nothing does.
  private var vibration: VibrationDetector?
  /// The sensor's last measurement, in its own frame and uncalibrated; nil before the first. It may be older than the
  /// last turn, which may have brought a fault.
  public private(set) var lastMeasurement: Measurement?
  /// The attitude in which angles are zero, for display: poses and lines ignore it.
  public var tare: Tare { monitor.snapshot.tare }
  /// How often the output bank was written.
  public private(set) var outputWrites: UInt64 = 0
  /// While the sensor watches for movement, no turn waits beyond this; nil for no limit.
  public var horizon: Instant?
  /// The levels of the bank.
  private var written = Levels.off
  /// When the present batch was read.
  private var batchTaken = Instant(microseconds: 0)
  /// When the sensor's configuration was last read or written.
  private var verified = Instant(microseconds: 0)
  /// Findings of a sample taken out of turn; they go with the next sample.
  private var unreported = Findings.none

  /// A loop that has not started; the lines are assumed to be off. `vibration` watches the vibration of the board.
  @inline(never)
  public init(
    sensor: consuming Sensor, bank: consuming Bank, clock: consuming Clock, configuration: Monitor.Configuration,
    vibration: consuming VibrationDetector? = nil
  ) {
    self.vibration = vibration
    monitor = Monitor(configuration, at: clock.now)
    self.sensor = sensor
    self.bank = bank
    self.clock = clock
  }

  /// A loop that takes a sample every `period`, with defaults for everything else.
  @inline(never)
  public init(sensor: consuming Sensor, bank: consuming Bank, clock: consuming Clock, period: Microseconds) {
    let configuration = Monitor.Configuration(
      period: period, fullScale: sensor.fullScale, rotationFullScale: sensor.rotationFullScale)
    monitor = Monitor(configuration, at: clock.now)
    self.sensor = sensor
    self.bank = bank
    self.clock = clock
  }

  /// A loop that takes every sample that the sensor makes, with defaults for everything else.
  @inline(never)
  public init(sensor: consuming Sensor, bank: consuming Bank, clock: consuming Clock)
  where Sensor: BatchingAccelerometer {
    let period = sensor.samplePeriod
    self.init(sensor: sensor, bank: bank, clock: clock, period: period)
  }

  /// Makes `tare` the attitude in which angles are zero and nothing scrolls.
  public mutating func apply(_ tare: Tare) { monitor.rest(by: tare) }

  /// Waits for the next task, does it, and returns the result; nil if the wait was interrupted.
  ///
  /// - Throws: the output bank's fault. A sensor fault is not an error but an event.
  public mutating func turn() throws(OutputFault) -> Observation? {
    var seen = Observation()
    return try turn(into: &seen) ? seen : nil
  }

  /// The same for programs with little stack, which keep a single observation: writes the result of the turn into
  /// `seen`. Returns false, and leaves `seen` unchanged, if the wait was interrupted.
  ///
  /// - Throws: the output bank's fault. A sensor fault is not an error but an event.
  @inline(never)
  public mutating func turn(into seen: inout Observation) throws(OutputFault) -> Bool {
    let (outcome, now): (Monitor.Outcome, Instant)
    if followsUp() {
      (outcome, now) = (followUp(), batchTaken)
    } else {
      let (due, planned) = monitor.next
      guard let (task, isData) = wait(for: planned, until: due) else { return false }
      (outcome, now) = perform(task, isData: isData)
    }
    monitor.step(outcome, at: now, watching: &vibration, &seen)
    try show()
    seen.snapshot.transactions = sensor.transactions
    seen.snapshot.outputWrites = outputWrites
    return true
  }

  /// Waits until `task` is due. Returns the task to do then, and whether the sensor's line ended the wait; nil if it
  /// was interrupted.
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

  /// Whether the next turn continues with samples already read, without a wait. False once the sensor is to be
  /// restarted, which discards them.
  public var hasSamples: Bool { sensor.hasNext && (monitor.canBeQueried || monitor.schedule.task == .watch) }

  /// ``hasSamples`` for this type's own use: a getter would copy the whole loop onto the stack.
  @inline(__always)
  private mutating func followsUp() -> Bool {
    sensor.hasNext && (monitor.schedule.task == .sample || monitor.schedule.task == .watch)
  }

  /// Whether nothing is to be done until `end`. The next task of a sleeping board may be long after it, and is waited
  /// for until then. Mutating for the same reason as `followsUp`.
  package mutating func isIdle(until end: Instant) -> Bool {
    if followsUp() { return false }
    return monitor.isAsleep ? clock.now >= end : monitor.next.at > end
  }

  /// Sets the levels, unless more samples follow at once.
  private mutating func show() throws(OutputFault) {
    let levels = monitor.snapshot.levels
    guard levels != written, !followsUp() else { return }
    try bank.write(levels)
    written = levels
    outputWrites &+= 1
  }

  /// The outcome of `task`, and its time. Not inlined, so that its stack is free when the monitor takes its step.
  @inline(never)
  private mutating func perform(_ task: Monitor.Task, isData: Bool) -> (Monitor.Outcome, at: Instant) {
    do throws(SensorError) {
      switch task {
      case .rest: return (.rested, clock.now)
      case .watch:
        let outcome = try watch()
        return (outcome, clock.now)
      case .sleep:
        let outcome = try look()
        return (outcome, clock.now)
      case .start, .restart, .proceed, .wake:
        guard let settling = try prepare(task) else { return try sample(isData: isData) }
        return (.started(settling: settling, notice: sensor.notice), clock.now)
      case .sample: return try sample(isData: isData)
      }
    } catch {
      return (.failed(explained(error)), clock.now)
    }
  }

  /// `error`, or its cause: a sample shows that the configuration has changed, but not why.
  private mutating func explained(_ error: SensorError) -> SensorError {
    guard error == .configurationLost else { return error }
    do throws(SensorError) {
      try sensor.verifyConfiguration()
    } catch {
      if case .configurationChanged = error { return error }
    }
    return error
  }

  /// Reads the sensor's configuration if, by the next sample, a second will have passed since the last time.
  private mutating func verify(at now: Instant) throws(SensorError) {
    guard now - verified > .milliseconds(900) - monitor.configuration.period else { return }
    verified = now
    try sensor.verifyConfiguration()
  }

  /// Starts the sensor or continues doing so. Returns how long to leave it alone; nil if it is ready for a sample.
  private mutating func prepare(_ task: Monitor.Task) throws(SensorError) -> Microseconds? {
    verified = clock.now
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

  /// Makes the sensor watch for movement.
  private mutating func watch() throws(SensorError) -> Monitor.Outcome {
    guard sensor.canWatchForMovement else { return .cannotWatch }
    if let pause = try sensor.watchForMovement() { return .preparedToWatch(pause) }
    // Earlier movement shows when the sensor is asked, later movement causes an edge.
    clock.forgetEdges()
    return try look()
  }

  /// Asks the watching sensor whether it has moved.
  private mutating func look() throws(SensorError) -> Monitor.Outcome {
    try sensor.hasMoved(from: lastMeasurement?.force) ? .moved : .watched
  }

  /// Reads the next batch, and returns its first sample.
  private mutating func collect() throws(SensorError) -> Monitor.Outcome {
    let due = try sensor.collect(by: clock)
    batchTaken = clock.now
    try verify(at: batchTaken)
    monitor.awaitBatch(due: due)
    return followUp()
  }

  /// The next sample already read.
  private mutating func followUp() -> Monitor.Outcome {
    switch sensor.next() {
    case .sample(let measured, let instant):
      lastMeasurement = measured
      return .collected(measured, at: instant)
    case .lost(let count, let instant): return .lost(count, at: instant)
    case nil: return .rested
    }
  }

  private mutating func sample(isData: Bool) throws(SensorError) -> (Monitor.Outcome, at: Instant) {
    if sensor.isBatching {
      let outcome = try collect()
      return (outcome, batchTaken)
    }
    let now = clock.now
    if isData { monitor.follow(at: now) }
    var measured = try sensor.measure()
    measured.findings = unreported.followed(by: measured.findings)
    unreported = .none
    try verify(at: now)
    lastMeasurement = measured
    return (.sampled(measured), now)
  }
}

extension Monitor {
  /// What `measured`, in g and in the sensor's own frame, indicates at `now`, without taking it in: nothing changes.
  ///
  /// The pose is unknown because of `fault` as long as the monitor does not trust the sensor; otherwise it is that of
  /// `PoseTracker.state(seeing:at:)`.
  public func reading(of measured: Vector3, at now: Instant) -> FreshReading {
    trusted(pipeline.reading(of: measured, at: now))
  }

  /// The same for a measurement of a sensor with a gyroscope; see `Pipeline.reading(of:at:)`.
  public func reading(of measured: Measurement, at now: Instant) -> FreshReading {
    trusted(pipeline.reading(of: measured, at: now))
  }

  private func trusted(_ fresh: FreshReading) -> FreshReading {
    guard state == .unknown(.fault) else { return fresh }
    return FreshReading(instant: fresh.instant, force: fresh.force, state: state)
  }

  /// Whether the sensor is known to be configured and settled, so that it can be asked for a sample out of turn.
  var canBeQueried: Bool { schedule.task == .sample }
}

extension Loop where Sensor: ~Copyable, Bank: ~Copyable, Clock: ~Copyable {
  /// Asks the sensor for a sample between two turns, and returns the pose and all angles that it indicates.
  ///
  /// One bus transaction. Over a `Batched` sensor without samples at hand, a batch is read early, and the result is its
  /// newest sample. While the sensor watches for movement, it is not disturbed: the result is the last sample, because
  /// the board has not moved since. The monitor does not notice: its schedule, counters, filters and pose, and the
  /// lines, are as if there had been no query. The sensor's driver does notice: it counts the transaction, and any
  /// sample by which it checks the part's configuration.
  ///
  /// - Throws: `configurationLost`, without a transaction, while the sensor is not delivering (not started, settling,
  ///   waiting for the next attempt, given up); otherwise what the sensor throws. The error goes only to the caller:
  ///   the monitor does not learn of it, and nothing is retried.
  public mutating func read() throws(SensorError) -> FreshReading {
    if monitor.isAsleep, let lastMeasurement { return monitor.reading(of: lastMeasurement, at: clock.now) }
    guard monitor.canBeQueried else { throw .configurationLost }
    if sensor.isBatching {
      guard let (measured, instant) = try sensor.newest(by: clock) else { throw .configurationLost }
      batchTaken = clock.now
      return monitor.reading(of: measured, at: instant)
    }
    let now = clock.now
    let measured = try sensor.measure()
    unreported = unreported.followed(by: measured.findings)
    return monitor.reading(of: measured, at: now)
  }
}

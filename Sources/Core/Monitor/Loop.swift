public import FixedPoint
public import HAL
public import Orientation
public import Sensors
public import Vibration

/// The shell around a `Monitor`: waits, reads, steps and writes, and nothing else.
///
/// In steady state one turn is one wait and one bus transaction; the output bank is written only when levels change.
/// Once a second a turn also reads whether the sensor is still set up as it was: another program may not know of this
/// one.
/// Where the clock hears of the sensor's samples, they are taken as they come, else at exact periods.
///
/// Over a `Batched` sensor a turn is a sample too, but only the first of a batch waits and uses the bus: the others
/// follow at once, each with its own time, and the bank is written at the end of the batch.
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
  /// What watches the vibration of the board; nil where nothing does.
  private var vibration: VibrationDetector?
  /// What the sensor measured for the last sample, in its own frame and not calibrated; nil before the first. It may be
  /// older than the last turn, which may have brought a fault.
  public private(set) var lastMeasurement: Measurement?
  /// The attitude in which angles are zero, for those who show them: neither poses nor the lines go by it.
  public var tare: Tare { monitor.snapshot.tare }
  /// How often the output bank was written.
  public private(set) var outputWrites: UInt64 = 0
  /// While the sensor watches for movement, no turn waits longer than until then; nil for no such bound.
  public var horizon: Instant?
  /// The levels of the bank.
  private var written = Levels.off
  /// When the batch was taken whose samples are given out.
  private var batchTaken = Instant(microseconds: 0)
  /// When it was last read, or written, how the sensor is set up.
  private var verified = Instant(microseconds: 0)
  /// What the sensor had found when it was asked out of turn, which goes with the next sample.
  private var unreported = Findings.none

  /// A loop that has not begun; the lines are taken to be off. `vibration` watches the vibration of the board.
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
  public mutating func apply(_ tare: Tare) { monitor.rest(by: tare) }

  /// Waits for the next task, does it, and returns what it brought; nil when the wait was ended from outside.
  ///
  /// - Throws: the output bank's fault. A fault of the sensor is no error but an event.
  public mutating func turn() throws(OutputFault) -> Observation? {
    var seen = Observation()
    return try turn(into: &seen) ? seen : nil
  }

  /// The same, for programs with little stack, which keep one observation: writes what the turn brought into `seen`.
  /// False, and `seen` as it was, when the wait was ended from outside.
  ///
  /// - Throws: the output bank's fault. A fault of the sensor is no error but an event.
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

  /// Waits until `task` is due. What is to be done then, and whether the sensor's line has said so; nil when the wait
  /// was ended from outside.
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

  /// Whether the next turn goes on with samples that were taken already, without a wait. Not once the sensor is to be
  /// started anew: that forgets them.
  public var hasSamples: Bool { sensor.hasNext && (monitor.canBeQueried || monitor.schedule.task == .watch) }

  /// ``hasSamples`` for this type itself: a getter would copy the whole loop to the stack.
  @inline(__always)
  private mutating func followsUp() -> Bool {
    sensor.hasNext && (monitor.schedule.task == .sample || monitor.schedule.task == .watch)
  }

  /// Sets the levels, unless more samples follow at once.
  private mutating func show() throws(OutputFault) {
    let levels = monitor.snapshot.levels
    guard levels != written, !followsUp() else { return }
    try bank.write(levels)
    written = levels
    outputWrites &+= 1
  }

  /// What came of `task`, and when. Not inlined: what it needs on the stack is gone when the monitor takes its step.
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

  /// `error`, or what lies behind it: a sample shows that the configuration is not what it was, but not why.
  private mutating func explained(_ error: SensorError) -> SensorError {
    guard error == .configurationLost else { return error }
    do throws(SensorError) {
      try sensor.verifyConfiguration()
    } catch {
      if case .configurationChanged = error { return error }
    }
    return error
  }

  /// Reads how the sensor is set up where, by the next sample, that will have been read a second ago.
  private mutating func verify(at now: Instant) throws(SensorError) {
    guard now - verified > .milliseconds(900) - monitor.configuration.period else { return }
    verified = now
    try sensor.verifyConfiguration()
  }

  /// Starts the sensor or goes on with that. Returns how long it is to be left alone; nil where it is ready for a
  /// sample.
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

  /// Has the sensor watch for movement.
  private mutating func watch() throws(SensorError) -> Monitor.Outcome {
    guard sensor.canWatchForMovement else { return .cannotWatch }
    if let pause = try sensor.watchForMovement() { return .preparedToWatch(pause) }
    // What has moved before this shows in the look, what moves after it in an edge.
    clock.forgetEdges()
    return try look()
  }

  /// Asks the sensor that watches whether it has moved.
  private mutating func look() throws(SensorError) -> Monitor.Outcome {
    try sensor.hasMoved(from: lastMeasurement?.force) ? .moved : .watched
  }

  /// Takes the next batch in, and returns its first sample.
  private mutating func collect() throws(SensorError) -> Monitor.Outcome {
    let due = try sensor.collect(by: clock)
    batchTaken = clock.now
    try verify(at: batchTaken)
    monitor.awaitBatch(due: due)
    return followUp()
  }

  /// The next sample that was taken already.
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
  /// What `measured`, in g and in the sensor's own frame, shows at `now`, without being taken in: nothing changes.
  ///
  /// The pose is unknown for `fault` as long as the monitor does not trust the sensor; else it is as
  /// `PoseTracker.state(seeing:at:)` says.
  public func reading(of measured: Vector3, at now: Instant) -> FreshReading {
    trusted(pipeline.reading(of: measured, at: now))
  }

  /// The same of what a sensor with a gyroscope measured; see `Pipeline.reading(of:at:)`.
  public func reading(of measured: Measurement, at now: Instant) -> FreshReading {
    trusted(pipeline.reading(of: measured, at: now))
  }

  private func trusted(_ fresh: FreshReading) -> FreshReading {
    guard state == .unknown(.fault) else { return fresh }
    return FreshReading(instant: fresh.instant, force: fresh.force, state: state)
  }

  /// Whether the sensor is set up and settled, as far as is known, so that it can be asked for a sample out of turn.
  var canBeQueried: Bool { schedule.task == .sample }
}

extension Loop where Sensor: ~Copyable, Bank: ~Copyable, Clock: ~Copyable {
  /// Asks the sensor for a sample between two turns, and returns the pose and all angles that it shows.
  ///
  /// One bus transaction; over a `Batched` sensor, where none of its samples is at hand, a batch is taken early, and
  /// the answer is its newest. While the sensor watches for movement, it is not disturbed: the answer is the last
  /// sample, because the board has not moved since. The monitor does not notice: its schedule, counters, filters and
  /// pose, and the lines, are as if there had been no query. The sensor's driver does: it counts the transaction, and a
  /// sample that it watches the part's configuration by.
  ///
  /// - Throws: `configurationLost`, without a transaction, while the sensor is not delivering (not started, settling,
  ///   waiting for the next attempt, given up); else what the sensor throws. It is for the caller alone: the monitor
  ///   does not hear of it and nothing is tried again.
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

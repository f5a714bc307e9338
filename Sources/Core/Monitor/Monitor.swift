public import FixedPoint
public import Gestures
public import HAL
public import Indication
public import Orientation
public import Sensors
public import Vibration

/// The loop's step: takes one sample or fault at a time, and produces events and levels.
///
/// Pure: it owns no bus, line or clock. `next` says what the shell must do and when; the shell does it and reports the
/// outcome through `started` (also after `proceed`), `sampled` or `failed`, or through `rested` if it only had to wait.
public struct Monitor: Sendable {
  /// What the shell must do next.
  public enum Task: Equatable, Sendable {
    /// Configure the sensor for the first time.
    case start
    /// Reopen the bus and configure the sensor from scratch.
    case restart
    /// Continue the start. If there is nothing to wait for (`proceed()` returns nil), read one sample as well.
    case proceed
    /// Read one sample.
    case sample
    /// Only show the levels.
    case rest
    /// Make the sensor watch for movement by itself, or continue doing so.
    case watch
    /// Wait for the sensor's interrupt, until the time of the task at most; then ask the sensor whether it has moved.
    case sleep
    /// Make the watching sensor take samples again.
    case wake
  }

  /// What is known after the last step.
  public internal(set) var snapshot: Snapshot
  /// The counts since the start.
  public var counters: Counters { snapshot.counters }
  /// What is known of the pose.
  public var state: PoseState { pipeline.state }
  /// The result of the fusion after the last sample; nil without fusion.
  public var attitude: Fusion.Attitude? { snapshot.attitude }
  /// The number of samples so far with an axis of force or rate at the end of its range; 0 without fusion.
  public var clippedSamples: UInt32 { snapshot.clippedSamples }
  /// The temperature of the sensor's die at the last sample, °C; nil if not measured.
  public var temperature: Q16? { snapshot.temperature }
  /// Whether the board is still: with fusion as the fusion sees it, otherwise by its force alone, as `RestDetector`
  /// does. Nil while unknown (at the start, without samples, during a sensor fault), and if the configuration does not
  /// ask for it.
  public var isStill: Bool? { snapshot.isStill }
  /// The steering angle after the last sample, finer than that of the sample's `Reading`.
  public var steeringAngle: BinaryAngle { pipeline.steeringAngle }
  /// Whether the sensor is given up permanently. The only task is then rest: the pose stays unknown, and no bus is
  /// used.
  public private(set) var hasGivenUp = false
  /// The required levels of all lines.
  public var levels: Levels { snapshot.levels }
  /// The board's behaviour beside its pose; nil if the configuration asks for none of it.
  public internal(set) var movement: Movement?
  /// The time of the last trusted sample that came in a batch; nil if samples come one at a time, and after a pause
  /// that is not an outage.
  private var lastCollected: Instant?
  /// When the last event happened.
  private var lastEvent = Instant(microseconds: Int64.min)
  /// Whether the sensor watches for movement by itself, or is about to.
  var sleeping = Sleeping()

  let configuration: Configuration
  var pipeline: Pipeline
  /// Whether the board is still, from its force alone; nil if the configuration does not ask for it.
  private var rest: RestDetector?
  private var indicator = Indicator()
  /// Taps and falls; nil if the configuration asks for neither.
  private var knocks: Knocks?
  var plausibility = Plausibility()
  var schedule: Schedule
  var outage: Outage?
  /// The notice of the last start.
  private var notice: SensorNotice?

  /// A monitor whose first task is to start the sensor at `now`.
  ///
  /// Constructed in place: returned from a function, a monitor would occupy the stack a second time.
  @inline(__always)
  public init(_ configuration: Configuration, at now: Instant) {
    let configuration = configuration.allowingForPeriod()
    self.configuration = configuration
    pipeline = Pipeline(configuration.pipeline)
    movement = configuration.movement.map { Movement($0) }
    if configuration.detectsRest { rest = RestDetector() }
    knocks = configuration.knocks.map {
      Knocks($0, pause: configuration.pause, flashes: configuration.indicator.code == .leds)
    }
    schedule = Schedule(startingAt: now)
    snapshot = Snapshot(at: now)
  }

  /// What the shell must do next, and when.
  public var next: (at: Instant, task: Task) {
    let due = schedule.due
    let change =
      isDark ? nil : earlier(earlier(indicator.nextChange, movement?.nextChange), knocks?.flash.nextChange)
    guard let change, change < due else { return (due, schedule.task) }
    return (change, .rest)
  }

  /// Reports that the sensor, or a further part of it, is started; it must be left alone for `settling`. `notice` is
  /// anything the sensor found that should be mentioned.
  public mutating func started(settling: Microseconds, notice: SensorNotice? = nil, at now: Instant) -> Observation {
    observe(.started(settling: settling, notice: notice), at: now)
  }

  /// Reports a measurement of `force` alone (g, in the sensor's own frame) at `now`.
  public mutating func sampled(_ force: Vector3, at now: Instant) -> Observation {
    sampled(Measurement(force: force), at: now)
  }

  /// Reports `measurement` (in the sensor's own frame) at `now`.
  public mutating func sampled(_ measurement: Measurement, at now: Instant) -> Observation {
    observe(.sampled(measurement), at: now)
  }

  /// The same, also watching the vibration of the board.
  public mutating func sampled(
    _ measurement: Measurement, at now: Instant, watching vibration: inout VibrationDetector?
  ) -> Observation {
    var seen = Observation(snapshot)
    step(.sampled(measurement), at: now, watching: &vibration, &seen)
    return seen
  }

  /// Reports `measurement`, which the sensor took at `instant` and which was read in a batch at `now`. Samples must
  /// come in order of time. ``awaitBatch(due:)`` sets when the next ones come.
  ///
  /// Poses and everything else in the samples go by their own time, but never by one before that of an event already
  /// reported; lines and the rotation of the interface go by `now`.
  public mutating func sampled(_ measurement: Measurement, at instant: Instant, readAt now: Instant) -> Observation {
    observe(.collected(measurement, at: instant), at: now)
  }

  /// Reports at `now` that at least this many samples were lost, which the sensor had taken before the next one
  /// reported; the last of them at `instant`.
  public mutating func lost(_ samples: UInt32, at instant: Instant, readAt now: Instant) -> Observation {
    observe(.lost(samples, at: instant), at: now)
  }

  /// Announces that the next batch is due at `due`.
  public mutating func awaitBatch(due: Instant) { schedule.set(.sample, at: due) }

  /// Reports that the sensor gave no sample, or could not be configured.
  public mutating func failed(_ error: SensorError, at now: Instant) -> Observation {
    observe(.failed(error), at: now)
  }

  /// Reports that there was nothing to do but wait until `now`.
  public mutating func rested(at now: Instant) -> Observation { observe(.rested, at: now) }
}

extension Monitor {
  /// What the shell has done, and the result.
  enum Outcome {
    case started(settling: Microseconds, notice: SensorNotice?)
    /// A sample taken now.
    case sampled(Measurement)
    /// A sample taken at an instant and kept with others.
    case collected(Measurement, at: Instant)
    case lost(UInt32, at: Instant)
    case failed(SensorError)
    case rested
    /// The sensor must be left alone for this long before it can watch.
    case preparedToWatch(Microseconds)
    case cannotWatch
    case watched
    case moved
  }

  /// The observation of one step.
  mutating func observe(_ outcome: Outcome, at now: Instant) -> Observation {
    var seen = Observation()
    var vibration: VibrationDetector?
    step(outcome, at: now, watching: &vibration, &seen)
    return seen
  }

  /// One step. Its result is written in place: an observation is large, and should be on the stack only once. Not
  /// inlined, so that its stack is free while the shell waits and reads.
  @inline(never)
  mutating func step(
    _ outcome: Outcome, at now: Instant, watching vibration: inout VibrationDetector?, _ seen: inout Observation
  ) {
    seen.begin()
    switch outcome {
    case .started(let settling, let notice): start(settling, notice, at: now, &seen)
    case .sampled(let measurement):
      if let error = doubt(of: measurement, at: now) {
        fail(error, at: now, &seen)
      } else {
        snapshot.counters.lateSamples &+= schedule.advance(past: now, period: configuration.period) ? 1 : 0
        take(measurement, at: now, readAt: now, &seen)
      }
    case .collected(let measurement, let instant):
      if let error = doubt(of: measurement, at: instant) {
        fail(error, at: now, &seen)
      } else {
        take(measurement, at: instant, readAt: now, &seen)
        if seen.reading.isPresent { lastCollected = instant }
      }
    case .lost(let samples, let instant):
      snapshot.counters.lostSamples &+= widened(samples)
      snapshot.counters.notices &+= 1
      seen.events.append(.notice(.samplesLost(samples)), at: instant)
    case .failed(let error): fail(error, at: now, &seen)
    case .rested:
      if hasGivenUp { rest(from: now) }
      expire(at: now, &seen)
    case .preparedToWatch(let pause): schedule.set(.watch, at: now + pause)
    case .cannotWatch: stayAwake(at: now, &seen)
    case .watched:
      lastCollected = nil
      watch(at: now, &seen)
    case .moved:
      awake(hasMoved: true, at: now, &seen)
      schedule.set(.wake, at: now)
    }
    finish(&seen, at: now)
    if vibration != nil { watch(&vibration, &seen) }
    seen.snapshot = snapshot
  }

  /// Takes in the vibration of a sample: last, because a machine is busy or quiet after everything else that happened.
  @inline(never)
  private mutating func watch(_ vibration: inout VibrationDetector?, _ seen: inout Observation) {
    snapshot.isBusy = snapshot.isBusy ?? false
    guard let reading = seen.reading, let finding = vibration?.take(reading.force, at: reading.instant) else { return }
    seen.vibration = finding.second
    let event: Event
    switch finding.change {
    case .busy(let since): event = .busy(since: since)
    case .quiet(let since): event = .quiet(since: since)
    case nil: return
    }
    let occurrence = Occurrence(at: finding.second.instant, event)
    seen.add(occurrence)
    lastEvent = occurrence.at
    snapshot.take(occurrence)
  }

  private mutating func start(
    _ settling: Microseconds, _ notice: SensorNotice?, at now: Instant, _ seen: inout Observation
  ) {
    countRestart()
    schedule.set(.proceed, at: now + settling)
    wokenUp(at: now, &seen)
    if let notice, notice != self.notice {
      snapshot.counters.notices &+= 1
      seen.events.append(.notice(notice), at: now)
    }
    self.notice = notice
    expire(at: now, &seen)
  }

  /// The error of a sample; nil if there is none.
  private mutating func doubt(of measurement: Measurement, at instant: Instant) -> SensorError? {
    plausibility.check(
      measurement, at: instant, fullScale: configuration.fullScale, rotationFullScale: configuration.rotationFullScale,
      configuration.faults)
  }

  private mutating func take(
    _ measurement: Measurement, at instant: Instant, readAt now: Instant, _ seen: inout Observation
  ) {
    snapshot.counters.samples &+= 1
    if distrusts { return }
    snapshot.temperature = measurement.temperature
    let wasAtRest = pipeline.isStill
    let reading = pipeline.step(measurement, at: instant)
    if !reading.isFused {
      judgeRest(reading.force, at: instant, &seen)
    } else if pipeline.isStill != wasAtRest {
      seen.events.append(wasAtRest ? .moving : .still, at: instant)
    }
    if let expired = reading.expired { note(expired, reading.held, at: instant, &seen) }
    recover(at: instant, &seen)
    if let change = reading.change { note(change, reading.held, at: instant, &seen) }
    knocks?.step(reading, pipeline.alignment.applied(to: measurement.findings), shownAt: now, &seen.events)
    seen.reading = reading
    // Not `isStill`: a getter would copy the whole monitor onto the stack.
    let isAtRest = reading.isFused ? pipeline.isStill : rest?.isStill == true
    considerSleep(isStill: isAtRest, since: instant, at: now)
  }

  private mutating func fail(_ error: SensorError, at now: Instant, _ seen: inout Observation) {
    snapshot.counters.faultKinds[error.kind] &+= 1
    countRestart()
    rouse(after: error, at: now, &seen)
    var current = outage ?? Outage(since: now, after: lastCollected, error, configuration.faults)
    current.add(error)
    if current.takesRetry(configuration.faults) {
      schedule.repeatTask(at: now)
      expire(at: now, &seen)
    } else {
      restart(&current, at: now, &seen)
    }
    outage = current
  }
}

extension Monitor {
  /// Whether the sensor's samples were at fault and have not improved since.
  private var distrusts: Bool { outage?.isImplausible == true && plausibility.remainsDoubtful }

  /// Plans to reconfigure the sensor, or gives it up.
  private mutating func restart(_ current: inout Outage, at now: Instant, _ seen: inout Observation) {
    if !current.cause.kind.isOfSamples { plausibility.interrupt() }
    let isFirst = !current.isRestarting
    current.restart()
    if isFirst && current.cause == .configurationLost {
      // The part responds: reconfiguring it at once costs less than losing the pose.
      schedule.set(.restart, at: now)
      return expire(at: now, &seen)
    }
    blame(&current, at: now, &seen)
    guard current.isHopeless(at: now, configuration.faults) else {
      return schedule.set(.restart, at: now + current.pause(configuration.faults))
    }
    hasGivenUp = true
    snapshot.counters.giveUps &+= 1
    seen.events.append(.gaveUp(cause: current.cause, outage: now - current.start), at: now)
    rest(from: now)
  }

  /// Makes the pose unknown and reports the cause, once for each cause.
  private mutating func blame(_ current: inout Outage, at now: Instant, _ seen: inout Observation) {
    let change = pipeline.fail()
    rest?.interrupt()
    if change != nil { snapshot.counters.unknown.count(.fault) }
    guard current.isUnreported() || change != nil else { return }
    seen.events.append(.trouble(.fault, cause: current.cause), at: now)
  }

  /// An hour at a time, which is not too long for any clock.
  private mutating func rest(from now: Instant) { schedule.set(.rest, at: now + .seconds(3_600)) }

  private mutating func countRestart() { snapshot.counters.restarts &+= schedule.task == .restart ? 1 : 0 }

  private mutating func recover(at now: Instant, _ seen: inout Observation) {
    guard let ended = outage else { return }
    outage = nil
    guard ended.isRestarting else { return }
    snapshot.counters.recoveries &+= 1
    seen.events.append(.recovered(from: ended.cause, outage: now - ended.start), at: now)
  }

  /// Takes in a force, if no fusion determines whether the board is still.
  private mutating func judgeRest(_ force: Vector3, at now: Instant, _ seen: inout Observation) {
    let before = rest?.isStill
    rest?.step(force, at: now)
    if let isStill = rest?.isStill, isStill != before { seen.events.append(isStill ? .still : .moving, at: now) }
  }

  /// The board may have moved unseen, or has moved if `hasMoved`; with fusion, the next sample shows it.
  mutating func loseRest(hasMoved: Bool, at now: Instant, _ seen: inout Observation) {
    if hasMoved, !pipeline.isStill, rest?.isStill == true { seen.events.append(.moving, at: now) }
    rest?.interrupt()
  }

  /// Makes the pose unknown if the last sample is too old.
  private mutating func expire(at now: Instant, _ seen: inout Observation) {
    if let change = pipeline.expire(at: now) { note(change, .zero, at: now, &seen) }
  }

  private mutating func note(_ change: PoseChange, _ force: Vector3, at now: Instant, _ seen: inout Observation) {
    switch change.to {
    case .known(let pose):
      snapshot.counters.poseChanges &+= 1
      seen.events.append(.pose(from: change.from.pose, to: pose, force: force), at: now)
    case .unknown(let reason):
      if reason == .stale { rest?.interrupt() }
      snapshot.counters.unknown.count(reason)
      seen.events.append(.trouble(reason, cause: nil), at: now)
    }
  }

  mutating func finish(_ seen: inout Observation, at now: Instant) {
    _ = indicator.show(pipeline.state, hasGivenUp: hasGivenUp, at: now, configuration.indicator)
    movement?.step(seen.reading, pipeline.state, at: now, &seen.events)
    var levels = movement?.faded(indicator.levels, of: pipeline.state) ?? indicator.levels
    levels = knocks?.flash.shown(over: levels, at: now) ?? levels
    if seen.reading.isPresent || pipeline.state.pose == nil { sleeping.isWaking = false }
    if isDark { levels = .off }
    if levels != snapshot.levels {
      snapshot.levels = levels
      seen.levels = levels
    }
    for index in 0..<seen.events.count { enter(index, of: &seen.events, at: now) }
    note(seen.reading)
  }

  /// Records what is known after this step beyond its events.
  private mutating func note(_ reading: Reading?) {
    snapshot.state = pipeline.state
    snapshot.attitude = pipeline.attitude
    switch snapshot.state {
    case .unknown(.fault), .unknown(.stale), .unknown(.notYetSampled): snapshot.isStill = nil
    default: snapshot.isStill = snapshot.attitude?.isStill ?? rest?.isStill
    }
    snapshot.clippedSamples = pipeline.clippedSamples
    if let movement { snapshot.position = movement.position }
    guard let reading else { return }
    snapshot.force = reading.force
    snapshot.steering =
      snapshot.tare.up == nil ? pipeline.steeringAngle : snapshot.tare.applied(to: reading.gravity).steeringAngle
  }

  /// Enters event `index` in the counters. A separate function, so that its copies of events are not on the stack in
  /// every step.
  @inline(never)
  private mutating func enter(_ index: Int, of events: inout Events, at now: Instant) {
    guard var occurrence = events[index] else { return }
    if occurrence.at < now && occurrence.at < lastEvent {
      // From a sample that had waited: events reported before it was read, such as a fault or a turn of the interface,
      // are newer.
      occurrence = Occurrence(at: min(lastEvent, now), occurrence.event)
      events.move(index, to: occurrence.at)
    }
    lastEvent = occurrence.at
    snapshot.take(occurrence)
    snapshot.counters.shakes &+= occurrence.event == .shake ? 1 : 0
  }
}

private func earlier(_ a: Instant?, _ b: Instant?) -> Instant? {
  guard let a, let b else { return a ?? b }
  return min(a, b)
}

extension Monitor {
  /// The sensor signals at `now` that it has a sample: deadlines count from here, so they follow a sensor whose clock
  /// differs from this computer's. Report the sample, or the error, afterwards. Does nothing if no sample is next.
  public mutating func follow(at now: Instant) {
    guard schedule.task == .sample else { return }
    schedule.set(.sample, at: now)
  }
}

// Scrolling.
extension Monitor {
  /// Makes `tare` the attitude in which nothing scrolls; without a tare, the published rest is used. An attitude that
  /// cannot be a rest (`restOpposite`) changes nothing.
  public mutating func rest(by tare: Tare) {
    snapshot.tare = tare
    guard let up = tare.up else { return movement?.rest(at: .published) ?? () }
    do throws(TiltScrollError) { movement?.rest(at: try TiltScroll.Rest(up.vector)) } catch {}
  }

  /// Scrolls to `position` and stops there, until the tilt continues.
  public mutating func scroll(to position: TiltScroll.Position) { movement?.scroll(to: position) }
}

extension Monitor {
  /// How samples are turned into poses and how faults are handled.
  public struct Configuration: Equatable, Sendable {
    /// The time from one sample to the next, or from one batch to the next. 0 if samples come unrequested, as from a
    /// recording. With long periods, the pauses between samples are not gaps: two and a half periods are always
    /// allowed, whatever the longest gap and the patience of the parts below.
    public var period: Microseconds
    /// The limit of the sensor's range, in g.
    public var fullScale: Q16
    /// The limit of the gyroscope's range, in °/s; nil if there is none, or it is unknown.
    public var rotationFullScale: Q16?
    /// How a sample is processed.
    public var pipeline: Pipeline.Configuration
    /// What the lines show, including trouble.
    public var indicator: Indicator.Configuration
    /// How faults are handled.
    public var faults: FaultPolicy
    /// How shakes, scrolling and rotation are detected; nil, the default, if not needed.
    public var movement: Movement.Configuration?
    /// Whether a board without fusion is checked for being still or moving: `Event.still`, `Event.moving` and
    /// `Monitor.isStill`. Default: if there is `movement` or `sleep`. With fusion they are always available.
    public var detectsRest: Bool
    /// How taps and falls are found; nil, the default, if not needed.
    public var knocks: Knocks.Configuration?
    /// When the sensor is left to watch for movement by itself; nil, the default, for never.
    public var sleep: Sleep?

    /// A configuration for a sensor that is read every `period`.
    public init(
      period: Microseconds, fullScale: Q16, pipeline: Pipeline.Configuration = Pipeline.Configuration(),
      indicator: Indicator.Configuration = Indicator.Configuration(), faults: FaultPolicy = FaultPolicy(),
      movement: Movement.Configuration? = nil, rotationFullScale: Q16? = nil, detectsRest: Bool? = nil,
      knocks: Knocks.Configuration? = nil, sleep: Sleep? = nil
    ) {
      self.period = period
      self.fullScale = fullScale
      self.rotationFullScale = rotationFullScale
      self.pipeline = pipeline
      self.indicator = indicator
      self.faults = faults
      self.movement = movement
      self.detectsRest = detectsRest ?? (movement.isPresent || sleep != nil)
      self.knocks = knocks
      self.sleep = sleep
    }

    /// A configuration for recorded samples: no schedule and no plausibility checks.
    public static var recording: Configuration {
      Configuration(period: .zero, fullScale: Q16(raw: Int32.max), faults: .trusting)
    }
  }
}

extension Monitor.Configuration {
  /// The longest pause between samples that are not late: two and a half periods, at most an hour.
  var pause: Microseconds { min(Microseconds((period.count &* 5) &>> 1), .seconds(3_600)) }

  /// The same configuration, with the pauses between samples not counting as gaps, and without fading of coded lines:
  /// two alternating codes would mislead their reader.
  func allowingForPeriod() -> Monitor.Configuration {
    let pause = pause
    var result = self
    result.pipeline.gravity = pipeline.gravity.allowing(pause: pause)
    result.pipeline.tracker = pipeline.tracker.allowing(pause: pause)
    if let movement {
      result.movement?.shake = movement.shake.allowing(pause: pause)
      result.movement?.scroll = movement.scroll.allowing(pause: pause)
      result.movement?.crossFades = movement.crossFades && indicator.code == .leds
    }
    return result
  }
}

/// When the next task is due. Deadlines follow each other at the exact period, however late each sample is.
struct Schedule: Equatable, Sendable {
  /// The time of the next task.
  private(set) var due: Instant
  private(set) var task: Monitor.Task = .start
  /// The point of the grid that `due` belongs to; a retry is due later than that.
  private var deadline: Instant

  init(startingAt now: Instant) { (due, deadline) = (now, now) }

  /// Starts a new grid at `instant`.
  mutating func set(_ task: Monitor.Task, at instant: Instant) {
    self.task = task
    (due, deadline) = (instant, instant)
  }

  /// Repeats the same task at once; the grid stays.
  mutating func repeatTask(at now: Instant) { due = now }

  /// Advances to the first deadline after `now`; returns whether the sample was late by a whole period or more.
  ///
  /// Missed deadlines are skipped, not made up for in a burst.
  mutating func advance(past now: Instant, period: Microseconds) -> Bool {
    task = .sample
    guard period > .zero else { return false }
    deadline = deadline + period
    defer { due = deadline }
    guard deadline <= now else { return false }
    let missed = (now - deadline).count / period.count &+ 1
    deadline = deadline + period * missed
    return true
  }
}

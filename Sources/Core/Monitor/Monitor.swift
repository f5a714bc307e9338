public import FixedPoint
public import Gestures
public import HAL
public import Indication
public import Orientation
public import Sensors
public import Vibration

/// The loop's step: one sample or fault at a time in, events and levels out.
///
/// Pure: it owns no bus, line or clock. `next` says what the shell is to do and when; the shell does it and reports the
/// outcome by `started` (also after `proceed`), `sampled` or `failed`; `rested` where there was nothing to do but wait.
public struct Monitor: Sendable {
  /// What the shell is to do next.
  public enum Task: Equatable, Sendable {
    /// Configure the sensor for the first time.
    case start
    /// Open the bus again and configure the sensor from scratch.
    case restart
    /// Go on with what was started. Where that brings nothing to wait for (`proceed()` gives nil) read one sample as
    /// well.
    case proceed
    /// Read one sample.
    case sample
    /// Nothing but show the levels.
    case rest
    /// Have the sensor watch for movement by itself, or go on with that.
    case watch
    /// Wait for the sensor's interrupt, until the time of the task at most; then ask it whether it has moved.
    case sleep
    /// Have the sensor that watches make samples again.
    case wake
  }

  /// What is known after the last step.
  public internal(set) var snapshot: Snapshot
  /// What has been counted since the start.
  public var counters: Counters { snapshot.counters }
  /// What is known of the pose.
  public var state: PoseState { pipeline.state }
  /// What the fusion says of the board after the last sample; nil without fusion.
  public var attitude: Fusion.Attitude? { snapshot.attitude }
  /// Samples so far of which an axis of force or rate was at the end of its range; 0 without fusion.
  public var clippedSamples: UInt32 { snapshot.clippedSamples }
  /// The temperature of the sensor's die at the last sample, °C; nil where it was not measured.
  public var temperature: Q16? { snapshot.temperature }
  /// Whether the board is still: with fusion as that sees it, else by its force alone, as `RestDetector` does. Nil
  /// while that is not known (at the start, without samples, while the sensor is at fault), and where the configuration
  /// does not ask for it.
  public var isStill: Bool? { snapshot.isStill }
  /// The steering angle after the last sample, finer than that of the sample's `Reading`.
  public var steeringAngle: BinaryAngle { pipeline.steeringAngle }
  /// Whether the sensor is given up for good. Nothing is then done but rest: the pose stays unknown, and no bus is
  /// used.
  public private(set) var hasGivenUp = false
  /// What all lines are to be.
  public var levels: Levels { snapshot.levels }
  /// What the board does beside its pose; nil where the configuration asks for nothing of it.
  public internal(set) var movement: Movement?
  /// When the last sample was made that can be trusted and came with others; nil where they come one at a time, and
  /// after a pause that is no outage.
  private var lastCollected: Instant?
  /// When the last event happened.
  private var lastEvent = Instant(microseconds: Int64.min)
  /// Whether the sensor watches for movement by itself, and whether it will.
  var sleeping = Sleeping()

  let configuration: Configuration
  var pipeline: Pipeline
  /// Whether the board is still, by its force alone; nil where the configuration does not ask for it.
  private var rest: RestDetector?
  private var indicator = Indicator()
  /// Taps and falls; nil where the configuration asks for neither.
  private var knocks: Knocks?
  var plausibility = Plausibility()
  var schedule: Schedule
  var outage: Outage?
  /// What was found at the last start that deserves a word.
  private var notice: SensorNotice?

  /// A monitor whose first task is to start the sensor at `now`.
  ///
  /// Made in place: a monitor made by a function of its own is on the stack once more.
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

  /// What the shell is to do next, and when.
  public var next: (at: Instant, task: Task) {
    let due = schedule.due
    let change =
      isDark ? nil : earlier(earlier(indicator.nextChange, movement?.nextChange), knocks?.flash.nextChange)
    guard let change, change < due else { return (due, schedule.task) }
    return (change, .rest)
  }

  /// The sensor is started, or a further part of that is done; it is to be left alone for `settling`. `notice` is what
  /// the sensor found that deserves a word.
  public mutating func started(settling: Microseconds, notice: SensorNotice? = nil, at now: Instant) -> Observation {
    observe(.started(settling: settling, notice: notice), at: now)
  }

  /// The sensor gave `force` alone (g, in its own frame) at `now`.
  public mutating func sampled(_ force: Vector3, at now: Instant) -> Observation {
    sampled(Measurement(force: force), at: now)
  }

  /// The sensor gave `measurement` (in its own frame) at `now`.
  public mutating func sampled(_ measurement: Measurement, at now: Instant) -> Observation {
    observe(.sampled(measurement), at: now)
  }

  /// The same, where the vibration of the board is watched as well.
  public mutating func sampled(
    _ measurement: Measurement, at now: Instant, watching vibration: inout VibrationDetector?
  ) -> Observation {
    var seen = Observation(snapshot)
    step(.sampled(measurement), at: now, watching: &vibration, &seen)
    return seen
  }

  /// The sensor gave `measurement`, which it had made at `instant`, along with others at `now`. Samples come in the
  /// order of time. When the next ones come, ``awaitBatch(due:)`` says.
  ///
  /// Poses and all else that samples show go by their own time, but never by one before that of an event that was
  /// reported already; lines and the interface that turns go by `now`.
  public mutating func sampled(_ measurement: Measurement, at instant: Instant, readAt now: Instant) -> Observation {
    observe(.collected(measurement, at: instant), at: now)
  }

  /// Samples were lost, so many at least, which the sensor had made before the next one that comes: the last of them at
  /// `instant`. That was found at `now`.
  public mutating func lost(_ samples: UInt32, at instant: Instant, readAt now: Instant) -> Observation {
    observe(.lost(samples, at: instant), at: now)
  }

  /// The next samples come together, at `due`.
  public mutating func awaitBatch(due: Instant) { schedule.set(.sample, at: due) }

  /// The sensor gave no sample, or could not be configured.
  public mutating func failed(_ error: SensorError, at now: Instant) -> Observation {
    observe(.failed(error), at: now)
  }

  /// Nothing was to be done but wait until `now`.
  public mutating func rested(at now: Instant) -> Observation { observe(.rested, at: now) }
}

extension Monitor {
  /// What the shell has done, and what came of it.
  enum Outcome {
    case started(settling: Microseconds, notice: SensorNotice?)
    /// A sample of this moment.
    case sampled(Measurement)
    /// A sample that was made at an instant, and waited with others.
    case collected(Measurement, at: Instant)
    case lost(UInt32, at: Instant)
    case failed(SensorError)
    case rested
    /// The sensor is to be left alone for so long before it can watch.
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

  /// One step. What it brings is written in place: an observation is large, and lies on the stack once. Not inlined, so
  /// that what it needs is not there while the shell waits and reads.
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
        if seen.reading != nil { lastCollected = instant }
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

  /// Takes the sample into the vibration of the board: at the end, because a machine is busy or quiet after all else
  /// that happened.
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

  /// What is wrong with a sample; nil for nothing.
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
    // Not `isStill`: a getter would copy the whole monitor to the stack.
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
  /// Whether the sensor was at fault for its samples and has not shown better ones since.
  private var distrusts: Bool { outage?.isImplausible == true && plausibility.remainsDoubtful }

  /// Plans to configure the sensor anew, or gives it up.
  private mutating func restart(_ current: inout Outage, at now: Instant, _ seen: inout Observation) {
    if !current.cause.kind.isOfSamples { plausibility.interrupt() }
    let isFirst = !current.isRestarting
    current.restart()
    if isFirst && current.cause == .configurationLost {
      // The part answers: configuring it again at once costs less than giving the pose up.
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

  /// Gives the pose up and reports the cause, once for each cause.
  private mutating func blame(_ current: inout Outage, at now: Instant, _ seen: inout Observation) {
    let change = pipeline.fail()
    rest?.interrupt()
    if change != nil { snapshot.counters.unknown.count(.fault) }
    guard current.isUnreported() || change != nil else { return }
    seen.events.append(.trouble(.fault, cause: current.cause), at: now)
  }

  /// An hour at a time, which no clock finds too long.
  private mutating func rest(from now: Instant) { schedule.set(.rest, at: now + .seconds(3_600)) }

  private mutating func countRestart() { snapshot.counters.restarts &+= schedule.task == .restart ? 1 : 0 }

  private mutating func recover(at now: Instant, _ seen: inout Observation) {
    guard let ended = outage else { return }
    outage = nil
    guard ended.isRestarting else { return }
    snapshot.counters.recoveries &+= 1
    seen.events.append(.recovered(from: ended.cause, outage: now - ended.start), at: now)
  }

  /// Takes in a force, where no fusion says whether the board is still.
  private mutating func judgeRest(_ force: Vector3, at now: Instant, _ seen: inout Observation) {
    let before = rest?.isStill
    rest?.step(force, at: now)
    if let isStill = rest?.isStill, isStill != before { seen.events.append(isStill ? .still : .moving, at: now) }
  }

  /// The board may have moved unseen, or has, where it `hasMoved`; with fusion the next sample shows it.
  mutating func loseRest(hasMoved: Bool, at now: Instant, _ seen: inout Observation) {
    if hasMoved, !pipeline.isStill, rest?.isStill == true { seen.events.append(.moving, at: now) }
    rest?.interrupt()
  }

  /// Gives the pose up where the last sample is too old.
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
    if seen.reading != nil || pipeline.state.pose == nil { sleeping.isWaking = false }
    if isDark { levels = .off }
    if levels != snapshot.levels {
      snapshot.levels = levels
      seen.levels = levels
    }
    for index in 0..<seen.events.count { enter(index, of: &seen.events, at: now) }
    note(seen.reading)
  }

  /// Notes what is known after this step, beside what its events say.
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

  /// Enters event `index` in the snapshot.counters. By itself, so that its copies of events are not on the stack in
  /// every step.
  @inline(never)
  private mutating func enter(_ index: Int, of events: inout Events, at now: Instant) {
    guard var occurrence = events[index] else { return }
    if occurrence.at < now && occurrence.at < lastEvent {
      // Of a sample that had waited: what was reported before it came, as a fault or a turn of the interface, is newer.
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
  /// The sensor says at `now` that it has a sample: deadlines count from here on, so that they stay with a sensor whose
  /// clock is not that of this computer. Hand in the sample, or the error, after that. Nothing where no sample is next.
  public mutating func follow(at now: Instant) {
    guard schedule.task == .sample else { return }
    schedule.set(.sample, at: now)
  }
}

// Scrolling.
extension Monitor {
  /// Makes the attitude of `tare` the one in which nothing scrolls; without one that is the published rest. An attitude
  /// that is no rest (`restOpposite`) changes nothing.
  public mutating func rest(by tare: Tare) {
    snapshot.tare = tare
    guard let up = tare.up else { return movement?.rest(at: .published) ?? () }
    do throws(TiltScrollError) { movement?.rest(at: try TiltScroll.Rest(up.vector)) } catch {}
  }

  /// Scrolls to `position` and stops there, until tilt goes on.
  public mutating func scroll(to position: TiltScroll.Position) { movement?.scroll(to: position) }
}

extension Monitor {
  /// How samples are turned into poses and what is done about faults.
  public struct Configuration: Equatable, Sendable {
    /// The time from one sample to the next; where several come together, from one batch to the next. 0 where samples
    /// come by themselves, as from a recording. Of long periods the pauses that samples make are no gaps: two and a
    /// half of them are always allowed, whatever the longest gap and the patience of the parts below.
    public var period: Microseconds
    /// The end of the sensor's range, in g.
    public var fullScale: Q16
    /// The end of the gyroscope's range, in °/s; nil where there is none, or its end is not known.
    public var rotationFullScale: Q16?
    /// What becomes of a sample.
    public var pipeline: Pipeline.Configuration
    /// What the lines say, and how trouble is shown.
    public var indicator: Indicator.Configuration
    /// What is done about faults.
    public var faults: FaultPolicy
    /// How shakes, scrolling and rotation are understood; nil, the default, where nothing asks for them.
    public var movement: Movement.Configuration?
    /// Whether a board without fusion is watched for being still or moving: `Event.still`, `Event.moving` and
    /// `Monitor.isStill`. Default: where there is movement. With fusion they are there in any case.
    public var detectsRest: Bool
    /// How taps and falls are found; nil, the default, where nothing asks for them.
    public var knocks: Knocks.Configuration?
    /// When the sensor is left to watch for movement by itself; nil, the default, for never.
    public var sleep: Sleep?

    /// A configuration for a sensor that is asked every `period`.
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
      self.detectsRest = detectsRest ?? (movement != nil || sleep != nil)
      self.knocks = knocks
      self.sleep = sleep
    }

    /// A configuration for recorded samples: no schedule, and no suspicion of samples.
    public static var recording: Configuration {
      Configuration(period: .zero, fullScale: Q16(raw: Int32.max), faults: .trusting)
    }
  }
}

extension Monitor.Configuration {
  /// The longest pause that samples make where none is late: two and a half periods, an hour at most.
  var pause: Microseconds { min(Microseconds((period.count &* 5) &>> 1), .seconds(3_600)) }

  /// The same, where no pause of the samples themselves counts as a gap, and coded lines do not fade: two codes that
  /// alternate would mislead their reader.
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

/// When the next task is due. Deadlines follow each other at the exact period, whatever the lateness of each sample.
struct Schedule: Equatable, Sendable {
  /// When the next task is to be done.
  private(set) var due: Instant
  private(set) var task: Monitor.Task = .start
  /// The point of the grid that `due` belongs to; a repetition is due later than that.
  private var deadline: Instant

  init(startingAt now: Instant) { (due, deadline) = (now, now) }

  /// Begins a new grid at `instant`.
  mutating func set(_ task: Monitor.Task, at instant: Instant) {
    self.task = task
    (due, deadline) = (instant, instant)
  }

  /// The same task again, at once; the grid stays.
  mutating func repeatTask(at now: Instant) { due = now }

  /// Moves on to the first deadline after `now`; returns whether the sample was late by a whole period or more.
  ///
  /// Deadlines that have passed are skipped, not made up for in a burst.
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

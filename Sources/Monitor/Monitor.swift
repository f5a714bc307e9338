public import FixedPoint
public import HAL
internal import Indication
public import Orientation
public import Sensors

/// The loop's step: one sample or fault at a time in, events and levels out.
///
/// Pure: it owns no bus, line or clock. `next` says what the shell is to do and when; the shell does it and tells the
/// outcome by `started` (also after `proceed`), `sampled` or `failed`; `rested` where there was nothing to do but wait.
public struct Monitor: Sendable {
  /// What the shell is to do next.
  public enum Task: Equatable, Sendable {
    /// Configure the sensor for the first time.
    case start
    /// Open the bus again and configure the sensor from scratch.
    case restart
    /// Go on with what was started. Where that brings nothing to wait for (`proceed()` gives nil) read one sample as well.
    case proceed
    /// Read one sample.
    case sample
    /// Nothing but show the levels.
    case rest
  }

  /// What one step brought.
  public struct Report: Sendable {
    /// What happened, in order.
    public internal(set) var events = Events()
    /// The levels, where they differ from the ones before.
    public internal(set) var levels: Levels?
    /// The sample, where one was taken in.
    public internal(set) var reading: Reading?
  }

  /// What has been counted since the start.
  public private(set) var counters = Counters()
  /// What is known of the pose.
  public var state: PoseState { pipeline.state }
  /// The steering angle after the last sample, finer than that of the sample's `Reading`.
  public var steeringAngle: BinaryAngle { pipeline.steeringAngle }
  /// Whether the sensor is given up for good. Nothing is then done but rest: the pose stays unknown, and no bus is used.
  public private(set) var hasGivenUp = false
  /// What all lines are to be.
  public private(set) var levels: Levels = .off
  /// What the board does beside its pose; nil where the configuration asks for nothing of it.
  public internal(set) var movement: Movement?
  /// The latest events, for observers.
  var log = Log()

  private let configuration: Configuration
  private(set) var pipeline: Pipeline
  private var indicator = Indicator()
  private var plausibility = Plausibility()
  var schedule: Schedule
  private var outage: Outage?
  /// What was found at the last start that deserves a word.
  private var notice: SensorNotice?

  /// A monitor whose first task is to start the sensor at `now`.
  public init(_ configuration: Configuration, at now: Instant) {
    let configuration = configuration.allowingForPeriod()
    self.configuration = configuration
    pipeline = Pipeline(configuration.pipeline)
    movement = configuration.movement.map { Movement($0) }
    schedule = Schedule(startingAt: now)
  }

  /// What the shell is to do next, and when.
  public var next: (at: Instant, task: Task) {
    let due = schedule.due
    let change = earlier(indicator.nextChange, movement?.nextChange)
    guard let change, change < due else { return (due, schedule.task) }
    return (change, .rest)
  }

  /// The sensor is started, or a further part of that is done; it is to be left alone for `settling`. `notice` is what the
  /// sensor found that deserves a word.
  public mutating func started(settling: Microseconds, notice: SensorNotice? = nil, at now: Instant) -> Report {
    countRestart()
    schedule.set(.proceed, at: now + settling)
    var report = Report()
    if let notice, notice != self.notice {
      counters.notices &+= 1
      report.events.append(.notice(notice), at: now)
    }
    self.notice = notice
    expire(at: now, &report)
    return finish(&report, at: now)
  }

  /// The sensor gave `force` (in its own frame) at `now`.
  public mutating func sampled(_ force: Vector3, at now: Instant) -> Report {
    if let error = plausibility.check(force, at: now, fullScale: configuration.fullScale, configuration.faults) {
      return failed(error, at: now)
    }
    counters.samples &+= 1
    counters.lateSamples &+= schedule.advance(past: now, period: configuration.period) ? 1 : 0
    var report = Report()
    if distrusts { return finish(&report, at: now) }
    let reading = pipeline.step(force, at: now)
    if let expired = reading.expired { note(expired, reading.force, at: now, &report) }
    recover(at: now, &report)
    if let change = reading.change { note(change, reading.force, at: now, &report) }
    report.reading = reading
    return finish(&report, at: now)
  }

  /// The sensor gave no sample, or could not be configured.
  public mutating func failed(_ error: SensorError, at now: Instant) -> Report {
    counters.faultKinds.count(error)
    countRestart()
    var report = Report()
    var current = outage ?? Outage(since: now, error, configuration.faults)
    current.add(error)
    if current.takesRetry(configuration.faults) {
      schedule.repeatTask(at: now)
      expire(at: now, &report)
    } else {
      restart(&current, at: now, &report)
    }
    outage = current
    return finish(&report, at: now)
  }

  /// Nothing was to be done but wait until `now`.
  public mutating func rested(at now: Instant) -> Report {
    if hasGivenUp { rest(from: now) }
    var report = Report()
    expire(at: now, &report)
    return finish(&report, at: now)
  }
}

extension Monitor {
  /// Whether the sensor was at fault for its samples and has not shown better ones since.
  private var distrusts: Bool { outage?.isImplausible == true && plausibility.remainsDoubtful }

  /// Plans to configure the sensor anew, or gives it up.
  private mutating func restart(_ current: inout Outage, at now: Instant, _ report: inout Report) {
    if !current.cause.isOfSamples { plausibility.interrupt() }
    let isFirst = !current.isRestarting
    current.restart()
    if isFirst && current.cause == .configurationLost {
      // The part answers: configuring it again at once costs less than giving the pose up.
      schedule.set(.restart, at: now)
      return expire(at: now, &report)
    }
    blame(&current, at: now, &report)
    guard current.isHopeless(at: now, configuration.faults) else {
      return schedule.set(.restart, at: now + current.pause(configuration.faults))
    }
    hasGivenUp = true
    counters.giveUps &+= 1
    report.events.append(.gaveUp(cause: current.cause, outage: now - current.since), at: now)
    rest(from: now)
  }

  /// Gives the pose up and tells the cause, once for each cause.
  private mutating func blame(_ current: inout Outage, at now: Instant, _ report: inout Report) {
    let change = pipeline.fail()
    if change != nil { counters.unknown.count(.fault) }
    guard current.tells() || change != nil else { return }
    report.events.append(.trouble(.fault, cause: current.cause), at: now)
  }

  /// An hour at a time, which no clock finds too long.
  private mutating func rest(from now: Instant) { schedule.set(.rest, at: now + .seconds(3_600)) }

  private mutating func countRestart() { counters.restarts &+= schedule.task == .restart ? 1 : 0 }

  private mutating func recover(at now: Instant, _ report: inout Report) {
    guard let ended = outage else { return }
    outage = nil
    guard ended.isRestarting else { return }
    counters.recoveries &+= 1
    report.events.append(.recovered(from: ended.cause, outage: now - ended.since), at: now)
  }

  /// Gives the pose up where the last sample is too old.
  private mutating func expire(at now: Instant, _ report: inout Report) {
    if let change = pipeline.expire(at: now) { note(change, .zero, at: now, &report) }
  }

  private mutating func note(_ change: PoseChange, _ force: Vector3, at now: Instant, _ report: inout Report) {
    switch change.to {
    case .known(let pose):
      counters.poseChanges &+= 1
      report.events.append(.pose(from: change.from, to: pose, force: force), at: now)
    case .unknown(let reason):
      counters.unknown.count(reason)
      report.events.append(.trouble(reason, cause: nil), at: now)
    }
  }

  private mutating func finish(_ report: inout Report, at now: Instant) -> Report {
    _ = indicator.show(pipeline.state, hasGivenUp: hasGivenUp, at: now, configuration.indicator)
    movement?.step(report.reading, pipeline.state, at: now, &report.events)
    let levels = movement?.faded(indicator.levels, of: pipeline.state) ?? indicator.levels
    if levels != self.levels {
      self.levels = levels
      report.levels = levels
    }
    for index in 0..<report.events.count {
      guard let occurrence = report.events[index] else { break }
      counters.shakes &+= occurrence.event == .shake ? 1 : 0
      log.append(occurrence)
    }
    return report
  }
}

private func earlier(_ a: Instant?, _ b: Instant?) -> Instant? {
  guard let a, let b else { return a ?? b }
  return min(a, b)
}

public import Accelerometers
public import FixedPoint
public import HAL
internal import Indication
public import Orientation

/// The loop's step: one sample or fault at a time in, events and levels out.
///
/// Pure: it owns no bus, line or clock. `next` says what the shell is to do and when; the shell does it and tells the
/// outcome by `started`, `sampled` or `failed`; `rested` where there was nothing to do but wait.
public struct Monitor: Sendable {
  /// What the shell is to do next.
  public enum Task: Equatable, Sendable {
    /// Configure the sensor for the first time.
    case start
    /// Open the bus again and configure the sensor from scratch.
    case restart
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
  /// What all lines are to be.
  public var levels: Levels { indicator.levels }

  private let configuration: Configuration
  private var pipeline: Pipeline
  private var indicator = Indicator()
  private var plausibility = Plausibility()
  private var schedule: Schedule
  private var outage: Outage?

  /// The time since which the sensor has not delivered, and why.
  private struct Outage: Sendable {
    var since: Instant
    var cause: SensorError
    /// The kinds of error that have been told, one bit each.
    var told: UInt32 = 0
    var attempts: UInt8 = 0
    var isRestarting = false
    var isImplausible = false
    var backOff: Microseconds
  }

  /// A monitor whose first task is to start the sensor at `now`.
  public init(_ configuration: Configuration, at now: Instant) {
    self.configuration = configuration
    pipeline = Pipeline(configuration.pipeline)
    schedule = Schedule(startingAt: now)
  }

  /// What the shell is to do next, and when.
  public var next: (at: Instant, task: Task) {
    guard let blink = indicator.nextChange, blink < schedule.due else { return (schedule.due, schedule.task) }
    return (blink, .rest)
  }

  /// The sensor is configured; its first sample is valid after `settling`.
  public mutating func started(settling: Microseconds, at now: Instant) -> Report {
    schedule.set(.sample, at: now + settling)
    return report(at: now)
  }

  /// The sensor gave `force` (in its own frame) at `now`.
  public mutating func sampled(_ force: Vector3, at now: Instant) -> Report {
    if let error = plausibility.check(
      force, fullScale: configuration.fullScale, limit: configuration.faults.implausibleLimit)
    {
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
    counters.faults &+= 1
    var report = Report()
    var current =
      outage ?? Outage(since: now, cause: error, backOff: configuration.faults.firstBackOff)
    current.cause = error
    if error == .frozen || error == .stuckAtFullScale { current.isImplausible = true }
    if case .bus = error, current.attempts < configuration.faults.retries {
      current.attempts &+= 1
      outage = current
      schedule.repeatTask(at: now)
      expire(at: now, &report)
      return finish(&report, at: now)
    }
    if error == .configurationLost && !current.isRestarting {
      // The part answers: configuring it again at once costs less than giving the pose up.
      schedule.set(.restart, at: now)
      expire(at: now, &report)
    } else {
      giveUp(&current, at: now, &report)
      schedule.set(.restart, at: now + max(current.backOff, .milliseconds(1)))
      current.backOff = min(current.backOff * 2, configuration.faults.longestBackOff)
    }
    current.isRestarting = true
    outage = current
    return finish(&report, at: now)
  }

  /// Nothing was to be done but wait until `now`.
  public mutating func rested(at now: Instant) -> Report { report(at: now) }
}

extension Monitor {
  /// Whether the sensor was at fault for its samples and has not shown better ones since.
  private var distrusts: Bool { outage?.isImplausible == true && plausibility.remainsDoubtful }

  /// Gives the pose up and tells the cause, once for each cause.
  private mutating func giveUp(_ current: inout Outage, at now: Instant, _ report: inout Report) {
    let change = pipeline.fail()
    guard change != nil || current.told & current.cause.kind == 0 else { return }
    current.told |= current.cause.kind
    report.events.append(.trouble(.fault, cause: current.cause), at: now)
  }

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
      report.events.append(.trouble(reason, cause: nil), at: now)
    }
  }

  private mutating func report(at now: Instant) -> Report {
    var report = Report()
    expire(at: now, &report)
    return finish(&report, at: now)
  }

  private mutating func finish(_ report: inout Report, at now: Instant) -> Report {
    if indicator.show(pipeline.state, at: now, configuration.indicator) { report.levels = indicator.levels }
    return report
  }
}

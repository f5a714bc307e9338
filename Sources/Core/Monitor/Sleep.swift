public import FixedPoint
internal import HAL
internal import Indication
internal import Orientation
internal import Sensors

/// When to leave a capable sensor to watch for movement by itself.
///
/// Meanwhile the sensor is only asked, at long intervals, whether it still watches; the known pose is kept. Any error
/// wakes it.
public struct Sleep: Equatable, Sendable {
  /// How long the board must be at rest.
  public var still: Microseconds
  /// Whether all lines are off during sleep, and until the first sample after it.
  public var darkens: Bool
  /// How often the sensor is asked whether it still watches. Default a minute: for that long, a lost configuration or a
  /// loose wire can go unnoticed.
  public var checkPeriod: Microseconds

  /// Sleep after `still` at rest.
  public init(after still: Microseconds, darkens: Bool = false, checkPeriod: Microseconds = .seconds(60)) {
    self.still = still
    self.darkens = darkens
    self.checkPeriod = checkPeriod
  }
}

/// A monitor's progress towards sleep.
struct Sleeping: Sendable {
  /// Since when the board has been at rest; nil while it moves.
  var stillSince: Instant?
  /// Whether the sensor watched until now, and no sample has come since.
  var isWaking = false
  /// Whether the sensor cannot watch.
  var isImpossible = false
}

// What the shell reports for `Task.watch` and `.sleep`; for `.wake`, it reports `started` and `failed`.
extension Monitor {
  /// Whether the sensor watches for movement by itself, so that no samples come.
  public var isAsleep: Bool { snapshot.isAsleep }

  /// Reports that the sensor is prepared to watch; it must be left alone for `pause` before that continues.
  public mutating func preparedToWatch(for pause: Microseconds, at now: Instant) -> Observation {
    observe(.preparedToWatch(pause), at: now)
  }

  /// Reports that the sensor cannot watch: it continues to take samples, and is not asked again.
  public mutating func cannotWatch(at now: Instant) -> Observation { observe(.cannotWatch, at: now) }

  /// Reports that the sensor watches and has not moved, when it has just started watching or was asked again.
  public mutating func watched(at now: Instant) -> Observation { observe(.watched, at: now) }

  /// Reports that the sensor has moved since it began to watch.
  public mutating func moved(at now: Instant) -> Observation { observe(.moved, at: now) }
}

extension Monitor {
  mutating func stayAwake(at now: Instant, _ seen: inout Observation) {
    sleeping.isImpossible = true
    seen.events.append(.notice(.staysAwake), at: now)
    schedule.set(.sample, at: now)
  }

  mutating func watch(at now: Instant, _ seen: inout Observation) {
    if outage?.isRestarting == false { outage = nil }
    if !snapshot.isAsleep {
      snapshot.isAsleep = true
      pipeline.suspend(at: now)
      seen.events.append(.asleep, at: now)
    }
    schedule.set(.sleep, at: now + max(.milliseconds(1), configuration.sleep?.checkPeriod ?? .seconds(60)))
  }
}

extension Monitor {
  /// Makes a watching sensor take samples again although the board has not moved, because they are needed.
  public mutating func wakeUp(at now: Instant) {
    if isAsleep { schedule.set(.wake, at: now) }
  }

  /// A sensor is about to take samples again without a movement.
  mutating func wokenUp(at now: Instant, _ seen: inout Observation) {
    if isAsleep { awake(hasMoved: false, at: now, &seen) }
  }

  /// Whether all lines must be off: until a sample shows the present position of the board, which may differ from the
  /// old pose.
  var isDark: Bool { (isAsleep || sleeping.isWaking) && configuration.sleep?.darkens == true }

  /// Takes in whether the board was at rest at `instant`: after long enough, the sensor is to watch.
  mutating func considerSleep(isStill: Bool, since instant: Instant, at now: Instant) {
    guard let sleep = configuration.sleep, !sleeping.isImpossible else { return }
    guard isStill else { return sleeping.stillSince = nil }
    let since = sleeping.stillSince ?? instant
    sleeping.stillSince = since
    if instant - since >= sleep.still { schedule.set(.watch, at: now) }
  }

  /// An error ends sleep, or the transition to it: the task to retry is then to wake.
  mutating func rouse(after error: SensorError, at now: Instant, _ seen: inout Observation) {
    sleeping.stillSince = nil
    if schedule.task == .watch, case .configurationRejected = error {
      sleeping.isImpossible = true
      seen.events.append(.notice(.staysAwake), at: now)
    }
    guard isAsleep else { return }
    awake(hasMoved: false, at: now, &seen)
    schedule.set(.wake, at: now)
  }

  mutating func awake(hasMoved: Bool, at now: Instant, _ seen: inout Observation) {
    sleeping.stillSince = nil
    plausibility.interrupt()
    pipeline.suspend(at: now)
    if isAsleep { seen.events.append(.awake, at: now) }
    sleeping.isWaking = sleeping.isWaking || isAsleep
    snapshot.isAsleep = false
    loseRest(hasMoved: hasMoved, at: now, &seen)
  }
}

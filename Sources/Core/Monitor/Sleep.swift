public import FixedPoint
internal import HAL
internal import Indication
internal import Orientation
internal import Sensors

/// When a sensor that can is left to watch for movement by itself.
///
/// Nothing is asked of it then but, at long intervals, whether it still watches; what is known of the pose stays.
/// Whatever goes wrong meanwhile wakes it.
public struct Sleep: Equatable, Sendable {
  /// After how long at rest.
  public var still: Microseconds
  /// Whether all lines are off meanwhile, and until the first sample after it.
  public var darkens: Bool
  /// How often the sensor is asked whether it still watches. Default a minute: so long a sensor that has lost its
  /// configuration, or a wire that has come off, can go unnoticed.
  public var checkPeriod: Microseconds

  /// Sleep after `still` at rest.
  public init(after still: Microseconds, darkens: Bool = false, checkPeriod: Microseconds = .seconds(60)) {
    self.still = still
    self.darkens = darkens
    self.checkPeriod = checkPeriod
  }
}

/// How near to sleep a monitor is.
struct Sleeping: Sendable {
  /// Since when the board is at rest; nil while it moves.
  var stillSince: Instant?
  /// Whether the sensor watched until now, and no sample has come since.
  var isWaking = false
  /// Whether the sensor cannot watch.
  var isImpossible = false
}

// What the shell reports of `Task.watch` and `.sleep`; of `.wake`, `started` and `failed`.
extension Monitor {
  /// Whether the sensor watches for movement by itself, so that no samples come.
  public var isAsleep: Bool { snapshot.isAsleep }

  /// The sensor has been prepared to watch; it is to be left alone for `pause` before that goes on.
  public mutating func preparedToWatch(for pause: Microseconds, at now: Instant) -> Observation {
    observe(.preparedToWatch(pause), at: now)
  }

  /// The sensor cannot watch: it goes on making samples, and is not asked again.
  public mutating func cannotWatch(at now: Instant) -> Observation { observe(.cannotWatch, at: now) }

  /// The sensor watches and has not moved, be it that it has begun to or that it was asked again.
  public mutating func watched(at now: Instant) -> Observation { observe(.watched, at: now) }

  /// The sensor has moved since it began to watch.
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
  /// Has a sensor that watches make samples again although the board has not moved, because they are needed.
  public mutating func wakeUp(at now: Instant) {
    if isAsleep { schedule.set(.wake, at: now) }
  }

  /// A sensor that was to make samples again, without a movement, is about to.
  mutating func wokenUp(at now: Instant, _ seen: inout Observation) {
    if isAsleep { awake(hasMoved: false, at: now, &seen) }
  }

  /// Whether all lines are to be off: until a sample shows how the board lies now, which the old pose may contradict.
  var isDark: Bool { (isAsleep || sleeping.isWaking) && configuration.sleep?.darkens == true }

  /// Takes in whether the board was at rest at `instant`: after long enough the sensor is to watch.
  mutating func considerSleep(isStill: Bool, since instant: Instant, at now: Instant) {
    guard let sleep = configuration.sleep, !sleeping.isImpossible else { return }
    guard isStill else { return sleeping.stillSince = nil }
    let since = sleeping.stillSince ?? instant
    sleeping.stillSince = since
    if instant - since >= sleep.still { schedule.set(.watch, at: now) }
  }

  /// An error ends sleep, and the way there: what was to be tried again is to wake.
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

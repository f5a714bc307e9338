internal import FixedPoint
internal import Sensors

/// The time since which the sensor has not delivered, and why.
struct Outage: Sendable {
  /// When the first fault came.
  let since: Instant
  /// The latest error.
  private(set) var cause: SensorError
  /// Whether the sensor was at fault for its samples, so that the next one is not trusted for having come.
  private(set) var isImplausible = false
  /// How many retries have been spent.
  private(set) var retries: UInt8 = 0
  /// Whether the sensor has been, or is about to be, configured anew.
  private(set) var isRestarting = false
  /// How many attempts at that have failed.
  private(set) var failedRestarts: UInt32 = 0

  /// The kinds of error that have been told, one bit each.
  private var told: UInt32 = 0
  private var backOff: Microseconds

  init(since now: Instant, _ error: SensorError, _ policy: FaultPolicy) {
    since = now
    cause = error
    backOff = policy.firstBackOff
  }

  /// Takes another error in.
  mutating func add(_ error: SensorError) {
    cause = error
    if error.isOfSamples { isImplausible = true }
  }

  /// Whether the same is to be tried again at once.
  mutating func takesRetry(_ policy: FaultPolicy) -> Bool {
    guard case .bus = cause, retries < policy.retries else { return false }
    retries &+= 1
    return true
  }

  /// The attempt is lost, and the next one begins from scratch.
  mutating func restart() {
    if isRestarting { failedRestarts &+= 1 }
    isRestarting = true
  }

  /// Whether the cause has not been told yet; from now on it has.
  mutating func tells() -> Bool {
    defer { told |= cause.kind }
    return told & cause.kind == 0
  }

  /// The pause before the next attempt.
  mutating func pause(_ policy: FaultPolicy) -> Microseconds {
    defer { backOff = min(backOff * 2, policy.longestBackOff) }
    return max(backOff, .milliseconds(1))
  }

  /// Whether enough has been tried.
  func isHopeless(at now: Instant, _ policy: FaultPolicy) -> Bool {
    guard failedRestarts > 0 else { return false }
    return (policy.restartLimit > 0 && failedRestarts >= policy.restartLimit)
      || (policy.outageLimit > .zero && now - since >= policy.outageLimit)
  }
}

public import FixedPoint
internal import Sensors

/// How sensor faults are handled.
///
/// A bus fault is retried at once, up to `retries` times. If it persists, or on any other error, the pose becomes
/// unknown because of `fault`. Then the bus is reopened and the sensor reconfigured from scratch, after a pause that
/// doubles each time, until the sensor delivers or is given up. The only exception is `configurationLost` from a sensor
/// that has just delivered: it is reconfigured at once, and the pose is kept unless that fails.
public struct FaultPolicy: Equatable, Sendable {
  /// How often a failed sample is retried at once before the pose becomes unknown. Default 2.
  public var retries: UInt8
  /// The pause before the first attempt to reconfigure the sensor; each further one is twice as long. Never less than 1
  /// ms, to spare the bus. Default 50 ms.
  public var firstBackOff: Microseconds
  /// The longest such pause. Default 400 ms.
  public var longestBackOff: Microseconds
  /// This many implausible samples in a row (all equal, or at the end of the range) are a fault; 0 for never. Default
  /// 32.
  public var implausibleLimit: UInt32
  /// If samples have shown no noise before, equal samples are a fault only after this time as well. Default 5 s: a part
  /// in a coarse range, or a register file that stands in for a sensor, is quiet without being broken.
  public var quietLimit: Microseconds
  /// Samples below `weightlessForce` for this long, longer than a board can fall, are a fault; 0 for never. Default 2
  /// s, a fall of 20 m.
  public var weightlessLimit: Microseconds
  /// The force, in g, that every axis must stay below for samples to count as weightless. Default 0.2 g; an ADXL375
  /// read as an ADXL345 shows 0.08 g at rest.
  public var weightlessForce: Q16
  /// After this many failed attempts to reconfigure the sensor, without a trusted sample in between, it is given up
  /// permanently; 0 for never. Default 0.
  public var restartLimit: UInt32
  /// The first attempt to reconfigure the sensor that fails this long after the first fault gives it up permanently; 0
  /// for never. Default 0.
  public var outageLimit: Microseconds

  /// The defaults above.
  public init(
    retries: UInt8 = 2, firstBackOff: Microseconds = .milliseconds(50),
    longestBackOff: Microseconds = .milliseconds(400), implausibleLimit: UInt32 = 32,
    quietLimit: Microseconds = .seconds(5), weightlessLimit: Microseconds = .seconds(2),
    weightlessForce: Q16 = Q16(1, over: 5), restartLimit: UInt32 = 0,
    outageLimit: Microseconds = .zero
  ) {
    self.retries = retries
    self.firstBackOff = firstBackOff
    self.longestBackOff = longestBackOff
    self.implausibleLimit = implausibleLimit
    self.quietLimit = quietLimit
    self.weightlessLimit = weightlessLimit
    self.weightlessForce = weightlessForce
    self.restartLimit = restartLimit
    self.outageLimit = outageLimit
  }

  /// No retries and no plausibility checks, for recorded samples.
  static var trusting: FaultPolicy { FaultPolicy(retries: 0, implausibleLimit: 0, weightlessLimit: .zero) }
}

/// A period in which the sensor does not deliver, and its cause.
struct Outage: Sendable {
  /// The time of the first fault.
  let since: Instant
  /// Since when samples have been missing: since the last good one if samples arrive in batches, otherwise since the
  /// first fault.
  let start: Instant
  /// The latest error.
  private(set) var cause: SensorError
  /// Whether the sensor's samples were at fault; receiving the next one is then not enough to trust it.
  private(set) var isImplausible = false
  /// The number of retries used.
  private(set) var retries: UInt8 = 0
  /// Whether the sensor has been, or is about to be, reconfigured.
  private(set) var isRestarting = false
  /// The number of failed attempts to reconfigure it.
  private(set) var failedRestarts: UInt32 = 0

  /// The kinds of error that have been reported, one bit each.
  private var reported: UInt32 = 0
  private var backOff: Microseconds

  /// The outage that begins with `error`; if samples arrive in batches, `last` is the time of the last good one.
  init(since now: Instant, after last: Instant?, _ error: SensorError, _ policy: FaultPolicy) {
    since = now
    start = last ?? now
    cause = error
    backOff = policy.firstBackOff
  }

  /// Records another error.
  mutating func add(_ error: SensorError) {
    cause = error
    if error.kind.isOfSamples { isImplausible = true }
  }

  /// Whether the same task should be retried at once.
  mutating func takesRetry(_ policy: FaultPolicy) -> Bool {
    guard case .bus = cause, retries < policy.retries else { return false }
    retries &+= 1
    return true
  }

  /// Records that the attempt has failed; the next one starts from scratch.
  mutating func restart() {
    if isRestarting { failedRestarts &+= 1 }
    isRestarting = true
  }

  /// Whether the cause is still unreported; marks it as reported.
  mutating func isUnreported() -> Bool {
    let bit: UInt32 = 1 &<< UInt32(cause.kind.rawValue)
    defer { reported |= bit }
    return reported & bit == 0
  }

  /// The pause before the next attempt.
  mutating func pause(_ policy: FaultPolicy) -> Microseconds {
    defer { backOff = min(backOff * 2, policy.longestBackOff) }
    return max(backOff, .milliseconds(1))
  }

  /// Whether the policy's limits are exhausted.
  func isHopeless(at now: Instant, _ policy: FaultPolicy) -> Bool {
    guard failedRestarts > 0 else { return false }
    return (policy.restartLimit > 0 && failedRestarts >= policy.restartLimit)
      || (policy.outageLimit > .zero && now - since >= policy.outageLimit)
  }
}

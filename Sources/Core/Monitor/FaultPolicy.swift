public import FixedPoint
internal import Sensors

/// What is done about faults of the sensor.
///
/// A fault of the bus is answered by `retries` at once. What outlasts them, and any other error, makes the pose unknown
/// for `fault`; then the bus is opened again and the sensor configured from scratch after a pause that doubles each
/// time, until it delivers or is given up. Only `configurationLost` of a sensor that has just delivered is spared all
/// that: it is configured anew at once, and the pose is kept unless that fails.
public struct FaultPolicy: Equatable, Sendable {
  /// How often a failed sample is asked for again at once, before the pose is given up. Default 2.
  public var retries: UInt8
  /// The pause before the first attempt to configure the sensor anew; each further one is twice as long. At least 1 ms
  /// is kept to, so that no bus is hammered. Default 50 ms.
  public var firstBackOff: Microseconds
  /// The longest such pause. Default 400 ms.
  public var longestBackOff: Microseconds
  /// So many implausible samples in a row (all the same, or at the end of the range) are a fault; 0 for never.
  /// Default 32.
  public var implausibleLimit: UInt32
  /// Where samples have shown no noise before, all the same are a fault only after so long, too. Default 5 s: a part in
  /// a coarse range, and a register file that stands for a sensor, are quiet without being broken.
  public var quietLimit: Microseconds
  /// Longer than a board can fall: for so long under `weightlessForce`, and the samples are a fault; 0 for never.
  /// Default 2 s, a fall of 20 m.
  public var weightlessLimit: Microseconds
  /// What no axis reaches where nothing seems to weigh, in g. Default 0.2 g; an ADXL375 read as an ADXL345 shows 0.08 g
  /// at rest.
  public var weightlessForce: Q16
  /// So many failed attempts to configure the sensor anew, without a sample that can be trusted in between, and it is
  /// given up for good; 0 for never. Default 0.
  public var restartLimit: UInt32
  /// The first attempt to configure the sensor anew that fails so long after the first fault gives it up for good; 0
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

  /// No retries and no suspicion, for recorded samples.
  static var trusting: FaultPolicy { FaultPolicy(retries: 0, implausibleLimit: 0, weightlessLimit: .zero) }
}

/// The time since which the sensor has not delivered, and why.
struct Outage: Sendable {
  /// When the first fault came.
  let since: Instant
  /// Since when there are no samples: the last good one, of samples that come together; else the first fault.
  let start: Instant
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

  /// The kinds of error that have been reported, one bit each.
  private var reported: UInt32 = 0
  private var backOff: Microseconds

  /// The outage that begins with `error`, where samples that come together ended with that of `last`.
  init(since now: Instant, after last: Instant?, _ error: SensorError, _ policy: FaultPolicy) {
    since = now
    start = last ?? now
    cause = error
    backOff = policy.firstBackOff
  }

  /// Takes another error in.
  mutating func add(_ error: SensorError) {
    cause = error
    if error.kind.isOfSamples { isImplausible = true }
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

  /// Whether the cause has not been reported yet; from now on it has.
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

  /// Whether enough has been tried.
  func isHopeless(at now: Instant, _ policy: FaultPolicy) -> Bool {
    guard failedRestarts > 0 else { return false }
    return (policy.restartLimit > 0 && failedRestarts >= policy.restartLimit)
      || (policy.outageLimit > .zero && now - since >= policy.outageLimit)
  }
}

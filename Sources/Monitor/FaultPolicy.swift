public import FixedPoint

/// What is done about faults of the sensor.
///
/// A fault of the bus is answered by `retries` at once. What outlasts them, and any other error, makes the pose unknown
/// for `fault`; then the bus is opened again and the sensor configured from scratch after a pause that doubles each time,
/// until it delivers or is given up. Only `configurationLost` of a sensor that has just delivered is spared all that: it
/// is configured anew at once, and the pose is kept unless that fails.
public struct FaultPolicy: Equatable, Sendable {
  /// How often a failed sample is asked for again at once, before the pose is given up. Default 2.
  public var retries: UInt8
  /// The pause before the first attempt to configure the sensor anew; each further one is twice as long. At least 1 ms is
  /// kept to, so that no bus is hammered. Default 50 ms.
  public var firstBackOff: Microseconds
  /// The longest such pause. Default 400 ms.
  public var longestBackOff: Microseconds
  /// So many implausible samples in a row (all the same, or at the end of the range) are a fault; 0 for never.
  /// Default 32.
  public var implausibleLimit: UInt32
  /// Where samples have shown no noise before, all the same are a fault only after so long, too. Default 5 s: a part in a
  /// coarse range, and a register file that stands for a sensor, are quiet without being broken.
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
  /// The first attempt to configure the sensor anew that fails so long after the first fault gives it up for good; 0 for
  /// never. Default 0.
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

public import FixedPoint
public import Indication

/// What is done about faults of the sensor.
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

  /// The defaults above.
  public init(
    retries: UInt8 = 2, firstBackOff: Microseconds = .milliseconds(50),
    longestBackOff: Microseconds = .milliseconds(400), implausibleLimit: UInt32 = 32
  ) {
    self.retries = retries
    self.firstBackOff = firstBackOff
    self.longestBackOff = longestBackOff
    self.implausibleLimit = implausibleLimit
  }
}

extension Monitor {
  /// How samples are turned into poses and what is done about faults.
  public struct Configuration: Equatable, Sendable {
    /// The time from one sample to the next. 0 where samples come by themselves, as from a recording. A period longer
    /// than the tracker's longest gap makes every sample stale before the next one comes.
    public var period: Microseconds
    /// The greatest force the sensor can tell from more, in g.
    public var fullScale: Q16
    /// What becomes of a sample.
    public var pipeline: Pipeline.Configuration
    /// How trouble is shown.
    public var indicator: Indicator.Configuration
    /// What is done about faults.
    public var faults: FaultPolicy

    /// A configuration for a sensor that is asked every `period`.
    public init(
      period: Microseconds, fullScale: Q16, pipeline: Pipeline.Configuration = Pipeline.Configuration(),
      indicator: Indicator.Configuration = Indicator.Configuration(), faults: FaultPolicy = FaultPolicy()
    ) {
      self.period = period
      self.fullScale = fullScale
      self.pipeline = pipeline
      self.indicator = indicator
      self.faults = faults
    }

    /// A configuration for recorded samples: no schedule, and no suspicion of samples that repeat.
    public static var recording: Configuration {
      Configuration(
        period: .zero, fullScale: Q16(raw: Int32.max), faults: FaultPolicy(retries: 0, implausibleLimit: 0))
    }
  }
}

/// What has been counted since the start.
public struct Counters: Equatable, Sendable {
  /// Samples that came.
  public var samples: UInt64 = 0
  /// Changes to another pose, the first one included.
  public var poseChanges: UInt64 = 0
  /// Faults of the bus or the sensor, each attempt by itself.
  public var faults: UInt64 = 0
  /// Times the sensor delivered again after it had been configured anew.
  public var recoveries: UInt64 = 0
  /// Samples that were a whole period late or more, so that at least one was missed.
  public var lateSamples: UInt64 = 0

  /// All zero.
  public init() {}
}

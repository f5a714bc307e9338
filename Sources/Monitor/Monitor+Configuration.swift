public import FixedPoint
public import Indication

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

    /// A configuration for recorded samples: no schedule, and no suspicion of samples.
    public static var recording: Configuration {
      Configuration(period: .zero, fullScale: Q16(raw: Int32.max), faults: .trusting)
    }
  }
}

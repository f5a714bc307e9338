public import FixedPoint
internal import Gestures
public import Indication
internal import Orientation

extension Monitor {
  /// How samples are turned into poses and what is done about faults.
  public struct Configuration: Equatable, Sendable {
    /// The time from one sample to the next. 0 where samples come by themselves, as from a recording. Of long periods the
    /// pauses that samples make are no gaps: two and a half of them are always allowed, whatever the longest gap and the
    /// patience of the parts below.
    public var period: Microseconds
    /// The greatest force the sensor can tell from more, in g.
    public var fullScale: Q16
    /// What becomes of a sample.
    public var pipeline: Pipeline.Configuration
    /// What the lines say, and how trouble is shown.
    public var indicator: Indicator.Configuration
    /// What is done about faults.
    public var faults: FaultPolicy
    /// How shakes, scrolling and rotation are understood; nil, the default, where nobody asks for them.
    public var movement: Movement.Configuration?

    /// A configuration for a sensor that is asked every `period`.
    public init(
      period: Microseconds, fullScale: Q16, pipeline: Pipeline.Configuration = Pipeline.Configuration(),
      indicator: Indicator.Configuration = Indicator.Configuration(), faults: FaultPolicy = FaultPolicy(),
      movement: Movement.Configuration? = nil
    ) {
      self.period = period
      self.fullScale = fullScale
      self.pipeline = pipeline
      self.indicator = indicator
      self.faults = faults
      self.movement = movement
    }

    /// A configuration for recorded samples: no schedule, and no suspicion of samples.
    public static var recording: Configuration {
      Configuration(period: .zero, fullScale: Q16(raw: Int32.max), faults: .trusting)
    }
  }
}

extension Monitor.Configuration {
  /// The same, where no pause of the samples themselves counts as a gap, and coded lines do not fade: two codes that
  /// alternate are a lie to whoever reads them.
  func allowingForPeriod() -> Monitor.Configuration {
    let pause = min(Microseconds((period.count &* 5) &>> 1), .seconds(3_600))
    var result = self
    result.pipeline.gravity.longestGap = max(pipeline.gravity.longestGap, pause)
    result.pipeline.tracker = pipeline.tracker.allowing(pause: pause)
    if let movement {
      result.movement?.shake = movement.shake.allowing(pause: pause)
      result.movement?.scroll = movement.scroll.allowing(pause: pause)
      result.movement?.crossFades = movement.crossFades && indicator.code == .leds
    }
    return result
  }
}

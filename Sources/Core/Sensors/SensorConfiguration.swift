public import FixedPoint

/// How a sensor of any model is to be set up, in terms that all have in common. Its driver makes its own configuration
/// of it.
public struct SensorConfiguration: Equatable, Sendable {
  /// The model.
  public let model: SensorModel
  /// How many samples are wanted in a second, 1/1000 Hz: 1000 to what the model can do.
  public var millihertz: Int32 = 100_000
  /// The end of the range of the force, g.
  public private(set) var rangeInG: Int32
  /// The end of the range of the gyroscope, °/s; nil where it is off.
  public private(set) var rangeInDegreesPerSecond: Int32?
  /// Whether each sample drives the interrupt pin.
  public var signalsDataReady = false
  /// How many samples wait in the sensor, to be taken together; 1 for none.
  public var batch: Int32 = 1
  /// Whether to use parts about which too little is known for `SensorPart.Admission.accepted`.
  public var acceptsUnverifiedParts = false
  /// The taps that a sensor looks for that can.
  public var taps: Taps?
  /// The falls that a sensor looks for that can.
  public var fall: Fall?

  /// Taps, as a sensor looks for them.
  public struct Taps: Equatable, Sendable {
    /// What a tap exceeds, g.
    public var threshold: Q16
    /// How long a tap lasts at most; how long after it a second one counts at the earliest, and for how long from then.
    public var duration, latency, window: Microseconds
    /// The axes that count, in the sensor's own frame: X is bit 0, Y bit 1, Z bit 2.
    public var axes: UInt8
    /// Whether two taps in a row are looked for.
    public var findsDoubleTaps: Bool

    /// Taps.
    public init(
      threshold: Q16, duration: Microseconds, latency: Microseconds, window: Microseconds, axes: UInt8,
      findsDoubleTaps: Bool
    ) {
      (self.threshold, self.duration, self.latency, self.window) = (threshold, duration, latency, window)
      (self.axes, self.findsDoubleTaps) = (axes, findsDoubleTaps)
    }
  }

  /// Falls, as a sensor looks for them.
  public struct Fall: Equatable, Sendable {
    /// What no axis exceeds, g.
    public var threshold: Q16
    /// For how long.
    public var time: Microseconds

    /// Falls.
    public init(threshold: Q16, time: Microseconds) { (self.threshold, self.time) = (threshold, time) }
  }

  /// 100 Hz in the usual range, and nothing else.
  public init(_ model: SensorModel) {
    self.model = model
    rangeInG = model.traits.usualRange
  }

  /// Sets the range of the force; false, and nothing set, where the model has none of ±`g` g.
  public mutating func setRange(_ g: Int32) -> Bool {
    guard model.traits.hasRange(g) else { return false }
    rangeInG = g
    return true
  }

  /// Turns the gyroscope on, in a range of °/s, or off; false, and nothing set, where the model has none such.
  public mutating func setGyroscope(_ degreesPerSecond: Int32?) -> Bool {
    guard degreesPerSecond.map({ model.traits.hasGyroscopeRange($0) }) ?? true else { return false }
    rangeInDegreesPerSecond = degreesPerSecond
    return true
  }

  /// Whether the sensor measures its rotation, which fusion needs.
  public var usesGyroscope: Bool { rangeInDegreesPerSecond != nil }

  /// The output data rate that is wanted, 1/1000 Hz: at least 25 Hz.
  ///
  /// A lower one would make samples no better, but older: an ADXL345 has the same noise from 100 Hz down, and drifts
  /// below 6.25 Hz; a sample is up to 40 ms old at 25 Hz, and up to 640 ms at 1.56 Hz.
  package var outputMillihertz: Int32 { max(millihertz, 25_000) }

  /// The time between two samples of the sensor itself.
  public var outputPeriod: Microseconds { model.ask(PeriodQuestion(configuration: self)) }

  /// Throws if a bus of `busHertz` is too slow for the output data rate; nil is a bus of unknown speed.
  public func check(against busHertz: UInt32?) throws(SensorError) {
    if let error = model.ask(BusQuestion(configuration: self, busHertz: busHertz)) { throw error }
  }
}

/// The configuration of one driver.
public protocol DriverConfiguration {
  /// What `wanted`, of this driver's model, comes to.
  init(_ wanted: SensorConfiguration)
  /// The nominal time from one sample to the next.
  var period: Microseconds { get }
  /// Throws `rateTooHigh` if a bus of `frequency` is too slow for the output data rate; nil is a bus of unknown speed.
  func check(against frequency: UInt32?) throws(SensorError)
}

private struct PeriodQuestion: DriverQuestion {
  var configuration: SensorConfiguration

  func answer<Driver: SensorDriver>(of driver: Driver.Type) -> Microseconds {
    Driver.Configuration(configuration).period
  }
}

private struct BusQuestion: DriverQuestion {
  var configuration: SensorConfiguration
  var busHertz: UInt32?

  func answer<Driver: SensorDriver>(of driver: Driver.Type) -> SensorError? {
    do throws(SensorError) {
      try Driver.Configuration(configuration).check(against: busHertz)
      return nil
    } catch {
      return error
    }
  }
}

public import FixedPoint

/// The configuration of a sensor of any model, in terms common to all. Its driver derives its own configuration from
/// it.
public struct SensorConfiguration: Equatable, Sendable {
  /// The model.
  public let model: SensorModel
  /// The wanted number of samples per second, in 1/1000 Hz: from 1000 to the model's limit.
  public var millihertz: Int32 = 100_000
  /// The limit of the force range, g.
  public private(set) var rangeInG: Int32
  /// The limit of the gyroscope's range, °/s; nil if it is off.
  public private(set) var rangeInDegreesPerSecond: Int32?
  /// Whether each sample drives the interrupt pin.
  public var signalsDataReady = false
  /// How many samples wait in the sensor, to be read together; 1 for none.
  public var batch: Int32 = 1
  /// Whether to use parts about which too little is known for `SensorPart.Admission.accepted`.
  public var acceptsUnverifiedParts = false
  /// The taps to detect, for sensors that can.
  public var taps: Taps?
  /// The falls to detect, for sensors that can.
  public var fall: Fall?

  /// The settings of a sensor's tap detection.
  public struct Taps: Equatable, Sendable {
    /// The force that a tap exceeds, g.
    public var threshold: Q16
    /// The longest tap; how long after it a second one starts to count, and for how long from then.
    public var duration, latency, window: Microseconds
    /// The axes to use, in the sensor's own frame: X is bit 0, Y bit 1, Z bit 2.
    public var axes: UInt8
    /// Whether to detect double taps.
    public var findsDoubleTaps: Bool

    /// Settings for taps.
    public init(
      threshold: Q16, duration: Microseconds, latency: Microseconds, window: Microseconds, axes: UInt8,
      findsDoubleTaps: Bool
    ) {
      (self.threshold, self.duration, self.latency, self.window) = (threshold, duration, latency, window)
      (self.axes, self.findsDoubleTaps) = (axes, findsDoubleTaps)
    }
  }

  /// The settings of a sensor's free-fall detection.
  public struct Fall: Equatable, Sendable {
    /// The force that no axis exceeds, g.
    public var threshold: Q16
    /// The minimum duration.
    public var time: Microseconds

    /// Settings for falls.
    public init(threshold: Q16, time: Microseconds) { (self.threshold, self.time) = (threshold, time) }
  }

  /// 100 Hz in the usual range, and everything else off.
  public init(_ model: SensorModel) {
    self.model = model
    rangeInG = model.traits.usualRange
  }

  /// Sets the force range to ±`g` g; false, with nothing set, if the model has no such range.
  public mutating func setRange(_ g: Int32) -> Bool {
    guard model.traits.hasRange(g) else { return false }
    rangeInG = g
    return true
  }

  /// Turns the gyroscope on, in a range of °/s, or off; false, with nothing set, if the model has no such range.
  public mutating func setGyroscope(_ degreesPerSecond: Int32?) -> Bool {
    guard degreesPerSecond.map({ model.traits.hasGyroscopeRange($0) }) ?? true else { return false }
    rangeInDegreesPerSecond = degreesPerSecond
    return true
  }

  /// Whether the sensor measures its rotation, as fusion requires.
  public var usesGyroscope: Bool { rangeInDegreesPerSecond != nil }

  /// The wanted output data rate, 1/1000 Hz: at least 25 Hz.
  ///
  /// A lower rate would make samples older, but not better: an ADXL345 has the same noise from 100 Hz down, and drifts
  /// below 6.25 Hz; a sample is up to 40 ms old at 25 Hz, and up to 640 ms at 1.56 Hz.
  package var outputMillihertz: Int32 { max(millihertz, 25_000) }

  /// The time between two samples of the sensor itself. Not inlined, because it is long: it has the rates of all
  /// models.
  @inline(never)
  public var outputPeriod: Microseconds { model.ask(PeriodQuestion(configuration: self)) }

  /// Throws if a bus of `busHertz` is too slow for the output data rate; nil means an unknown speed.
  public func check(against busHertz: UInt32?) throws(SensorError) {
    if let error = model.ask(BusQuestion(configuration: self, busHertz: busHertz)) { throw error }
  }
}

extension SensorConfiguration {
  /// Whether the part with this identity, of the model, can do what is configured: of the LSM6DS family not every part
  /// has every range of the gyroscope, of the MPU-6050 family not every part batches.
  public func isSupported(by identity: UInt8) -> Bool {
    model.ask(SupportQuestion(configuration: self, identity: identity))
  }
}

/// The configuration of one driver.
public protocol DriverConfiguration {
  /// The part's output data rates.
  associatedtype Rate
  /// How often the part takes a sample.
  var rate: Rate { get }
  /// Derives the configuration from `wanted`, which is for this driver's model.
  init(_ wanted: SensorConfiguration)
  /// The nominal time from one sample to the next.
  var period: Microseconds { get }
  /// Whether samples are stored in the part's FIFO, to be read several at a time.
  var usesFIFO: Bool { get }
  /// Throws `rateTooHigh` if a bus of `frequency` is too slow for the output data rate; nil means an unknown speed.
  func check(against frequency: UInt32?) throws(SensorError)
  /// Whether the part with this identity can do what is configured; true for an unknown one.
  func isSupported(by identity: UInt8) -> Bool
}

extension DriverConfiguration {
  /// True: all parts are alike.
  public func isSupported(by identity: UInt8) -> Bool { true }
}

private struct SupportQuestion: DriverQuestion {
  var configuration: SensorConfiguration
  var identity: UInt8

  func answer<Driver: SensorDriver>(of driver: Driver.Type) -> Bool {
    Driver.Configuration(configuration).isSupported(by: identity)
  }
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

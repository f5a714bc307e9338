public import FixedPoint

/// A driver whose configuration says how often the part takes a sample, and whether samples wait in it.
public protocol ConfiguredDriver: BatchingAccelerometer, ~Copyable {
  /// How such a part is set up.
  associatedtype Configuration: DriverConfiguration
  /// How the driver sets its part up.
  var configuration: Configuration { get }
}

extension ConfiguredDriver where Self: ~Copyable {
  /// The period of the sensor's own rate.
  public var samplePeriod: Microseconds { configuration.period }

  /// Whether samples are stored in the FIFO.
  public var keepsSamples: Bool { configuration.usesFIFO }
}

public import FixedPoint

/// Something that a user should know of a sensor that works.
public enum SensorNotice: Equatable, Sendable {
  /// Another part than was asked for gave `identity`; it works alike.
  case compatiblePart(identity: UInt8)
}

/// A three-axis accelerometer, whatever its make.
///
/// Call `start()`, wait as long as it says, then call `sample()` no faster than the output data rate.
public protocol Accelerometer: ~Copyable {
  /// The greatest specific force on one axis that can still be told from more, in g.
  var fullScale: Q16 { get }

  /// How many bus transactions were begun so far.
  var transactions: UInt64 { get }

  /// What the last `start()` found that deserves a word, or nil.
  var notice: SensorNotice? { get }

  /// Checks the part's identity and configures it from scratch, whatever its state.
  ///
  /// Returns how long to wait until the first sample is valid.
  mutating func start() throws(SensorError) -> Microseconds

  /// The latest specific force in g, in the sensor's own frame. One bus transaction.
  mutating func sample() throws(SensorError) -> Vector3

  /// Closes and opens the bus again, before a `start()` after faults.
  mutating func reopen() throws(SensorError)
}

extension Accelerometer where Self: ~Copyable {
  /// Nothing to say.
  public var notice: SensorNotice? { nil }
}

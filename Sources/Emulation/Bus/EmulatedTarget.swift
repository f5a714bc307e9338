/// What a fault plan does to a target besides the faults on the bus.
public struct TargetConditions: Equatable, Sendable {
  /// How a sensor's data registers behave.
  public enum Measurement: Equatable, Sendable {
    /// As they should.
    case live
    /// New samples repeat the last one; status bits go on as if they were new.
    case frozen
    /// New samples read the greatest positive number of the format on every axis.
    case fullScale
  }

  /// What the identity register reads instead of its own value; nil leaves it alone.
  public var identity: UInt8?
  /// How the data registers behave.
  public var measurement: Measurement

  /// Conditions; by default none.
  public init(identity: UInt8? = nil, measurement: Measurement = .live) {
    self.identity = identity
    self.measurement = measurement
  }
}

/// An emulated part on an ``EmulatedBus``: what a chip does between START and STOP, below any driver.
///
/// Conform your own parts to it. One transaction is one `prepare`, then `receive`, then (for a `writeRead`) `transmit`.
/// A transaction that the plan makes fail reaches none of the three.
public protocol EmulatedTarget: AnyObject {
  /// The conditions of the transaction that follows; they hold until the next call. By default ignored.
  func prepare(under conditions: TargetConditions)

  /// Takes the bytes that the controller wrote after the address.
  ///
  ///     S | addr+W | b0 … bn
  func receive(_ bytes: Span<UInt8>)

  /// Fills all of `buffer` with the bytes that the controller reads.
  ///
  ///     Sr | addr+R | r0 … rm | P
  func transmit(into buffer: inout MutableSpan<UInt8>)

  /// Loses its supply and gets it back: every register is at its reset value.
  func powerCycle()
}

extension EmulatedTarget {
  /// Ignores the conditions: for parts that a plan does not disturb.
  public func prepare(under conditions: TargetConditions) {}
}

public import FixedPoint

/// A sample rate that divides a base rate by a whole number, 1 to 256.
public protocol DividedRate: Equatable, Sendable {
  /// The base rate, in hertz.
  static var baseHertz: UInt16 { get }
  /// The divisor, less 1.
  var divider: UInt8 { get }
  /// The rate for a divider.
  init(divider: UInt8)
}

extension DividedRate {
  /// The lowest rate of at least `millihertz` / 1000 Hz; nil above the base rate, and for any number that is not positive.
  public init?(atLeastMillihertz millihertz: Int32) {
    let base = Int32(Self.baseHertz) &* 1_000
    guard millihertz > 0, millihertz <= base else { return nil }
    self.init(divider: UInt8(truncatingIfNeeded: min(255, base / millihertz &- 1)))
  }

  /// The nominal time from one sample to the next: (1 + divider) / base rate, rounded to nearest.
  public var period: Microseconds {
    let base = Int32(Self.baseHertz)
    return Microseconds(widened(((Int32(divider) &+ 1) &* 1_000_000 &+ base / 2) / base))
  }

  /// Whole samples per second, at least 1.
  var samplesPerSecond: UInt16 { Self.baseHertz / (UInt16(divider) &+ 1) }

  /// Rejects a rate at which a bus of `frequency` hertz cannot carry samples of `bits` bits. With an unknown frequency
  /// every rate passes.
  ///
  /// - Throws: `rateTooHigh` with the highest possible rate in whole hertz, 0 for none.
  func check(bits: UInt32, against frequency: UInt32?) throws(SensorError) {
    guard let frequency else { return }
    // bits / frequency ≤ (1 + divider) / base, without a division.
    let needed = bits &* UInt32(Self.baseHertz)
    guard widened(needed) > widened(UInt32(divider) &+ 1) &* widened(frequency) else { return }
    let parts = frequency > 0 ? (needed &- 1) / frequency &+ 1 : 257
    throw .rateTooHigh(busHertz: frequency, highestHertz: parts > 256 ? 0 : UInt32(Self.baseHertz) / parts)
  }
}

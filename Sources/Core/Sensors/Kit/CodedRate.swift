public import FixedPoint

/// An output data rate that a part has a code for, the raw value: the higher the code, the higher the rate.
public protocol CodedRate: RawRepresentable<UInt8>, Equatable, Sendable {
  /// The nominal rate, in thousandths of a hertz.
  var millihertz: Int32 { get }
}

extension CodedRate {
  /// The rate in hertz, rounded up.
  public var hertz: UInt32 { UInt32(bitPattern: millihertz &+ 999) / 1_000 }

  /// The nominal sample period, rounded down to a microsecond.
  public var period: Microseconds { Microseconds(widened(1_000_000_000 / millihertz)) }

  /// The next slower one; nil below the lowest.
  var slower: Self? {
    var code = rawValue
    while code > 0 {
      code &-= 1
      if let rate = Self(rawValue: code) { return rate }
    }
    return nil
  }

  /// The lowest rate of at least `millihertz` / 1000 Hz; nil if there is none or `millihertz` is not positive.
  public init?(atLeastMillihertz millihertz: Int32) {
    guard millihertz > 0, let rate = Self.first(where: { $0.millihertz >= millihertz }) else { return nil }
    self = rate
  }

  /// Whether a bus at `frequency` hertz, but 400 kHz at most, can carry samples of `bits` clock periods at this rate.
  private func fits(_ bits: UInt32, _ frequency: UInt32) -> Bool { hertz &* bits <= min(frequency, 400_000) }

  /// Rejects a rate at which a bus at `frequency` hertz cannot carry samples of `bits` clock periods. With an unknown
  /// frequency every rate passes.
  ///
  /// - Throws: `rateTooHigh` with the highest of the part's rates that the bus can follow, or 0.
  public func check(bits: UInt32, against frequency: UInt32?) throws(SensorError) {
    guard let frequency, !fits(bits, frequency) else { return }
    var highest = slower
    while let one = highest, !one.fits(bits, frequency) { highest = one.slower }
    throw .rateTooHigh(busHertz: frequency, highestHertz: highest?.hertz ?? 0)
  }
}

extension DriverConfiguration where Rate: CodedRate {
  /// The period of the output data rate.
  public var period: Microseconds { rate.period }
}

/// A control register with the code of a rate from `rateBit` up, that of a range from `rangeBit` up, and filters below.
package struct RateRangeField<
  Rate: RawRepresentable<UInt8> & Equatable, Range: RawRepresentable<UInt8> & Equatable,
  let rateBit: Int, let rangeBit: Int
>: Equatable {
  /// Nil for power-down.
  package var rate: Rate?
  package var range: Range
  /// The bits below the range.
  package var filter: UInt8 = 0

  package var encoded: UInt8 {
    (rate?.rawValue ?? 0) &<< Self.rate | range.rawValue &<< Self.range | filter & ~(0xFF &<< Self.range)
  }

  /// Nil for codes that are undefined or not used.
  package init?(decoding byte: UInt8) {
    let rate = Rate(rawValue: byte &>> Self.rate)
    let code = (byte & ~(0xFF &<< Self.rate)) &>> Self.range
    guard byte &>> Self.rate == 0 || rate != nil, let range = Range(rawValue: code) else { return nil }
    self.init(rate: rate, range: range)
    filter = byte & ~(0xFF &<< Self.range)
  }

  package init(rate: Rate?, range: Range) { (self.rate, self.range) = (rate, range) }

  private static var rate: UInt8 { UInt8(truncatingIfNeeded: rateBit) }
  private static var range: UInt8 { UInt8(truncatingIfNeeded: rangeBit) }
}

package import FixedPoint

extension TL3.Range {
  /// One LSB in raw Q16.16: 4, 8 or 16, which is 1/16384, 1/8192 or 1/4096 g. Exact.
  var unit: Int32 { 4 &<< Int32(rawValue) }

  /// The greatest specific force on one axis that can still be told from more, in g: one LSB short of the range.
  package var fullScale: Q16 { Q16(raw: 32_767 &* unit) }

  /// The component of two data bytes. Exact.
  package func component(_ high: UInt8, _ low: UInt8) -> Q16 {
    Q16(raw: Int32(Int16(bitPattern: UInt16(high) &<< 8 | UInt16(low))) &* unit)
  }
}

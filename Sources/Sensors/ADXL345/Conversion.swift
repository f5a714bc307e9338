internal import FixedPoint

extension ADXL345.DataFormatField {
  /// One LSB in raw Q16.16: 256 (1/256 g) in full resolution, else 256, 512, 1024 or 2048. Exact.
  ///
  /// - Datasheet: Rev. E, table 1, "Sensitivity".
  var unit: Int32 { isFullResolution ? 256 : 256 &<< Int32(range.rawValue) }

  /// The greatest count; the smallest is -1 less that.
  var maximum: Int32 { isFullResolution ? Int32(range.maximum) : 511 }

  /// The greatest specific force on one axis that this format can tell from more, in g: one LSB short of the range.
  var fullScale: Q16 { Q16(raw: maximum &* unit) }

  /// The specific force of six data bytes (X, Y, Z, low byte first), right-justified.
  ///
  /// Clipped to the range, as the data sheet asks of the reader. Exact otherwise.
  ///
  /// - Datasheet: Rev. E, registers 0x32 to 0x37, and "DATA_FORMAT": all but ±16 g must be clipped.
  func specificForce(_ x: (UInt8, UInt8), _ y: (UInt8, UInt8), _ z: (UInt8, UInt8)) -> Vector3 {
    Vector3(x: component(x), y: component(y), z: component(z))
  }

  private func component(_ bytes: (low: UInt8, high: UInt8)) -> Q16 {
    let counts = Int32(Int16(bitPattern: UInt16(bytes.low) | UInt16(bytes.high) &<< 8))
    return Q16(raw: max(-1 &- maximum, min(maximum, counts)) &* unit)
  }
}

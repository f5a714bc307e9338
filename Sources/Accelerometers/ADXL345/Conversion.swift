internal import FixedPoint

extension ADXL345 {
  /// Full resolution is 256 LSB/g in every range, so one LSB is 256 of Q16.16: exact.
  static var rawUnit: Int32 { 256 }

  /// The specific force of six data bytes (X, Y, Z, low byte first), full resolution, right-justified.
  ///
  /// Clipped to the range, as the data sheet asks of the reader. Exact otherwise.
  ///
  /// - Datasheet: Rev. E, registers 0x32 to 0x37; table 1 for the sensitivity.
  static func specificForce(_ x: (UInt8, UInt8), _ y: (UInt8, UInt8), _ z: (UInt8, UInt8), range: Range) -> Vector3 {
    Vector3(x: component(x, range: range), y: component(y, range: range), z: component(z, range: range))
  }

  private static func component(_ bytes: (low: UInt8, high: UInt8), range: Range) -> Q16 {
    let raw = Int16(bitPattern: UInt16(bytes.low) | UInt16(bytes.high) &<< 8)
    let clipped = max(-range.maximum &- 1, min(range.maximum, raw))
    return Q16(raw: Int32(clipped) &* rawUnit)
  }
}

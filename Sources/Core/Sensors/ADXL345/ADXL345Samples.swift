public import FixedPoint

extension ADXL345.Device where Bus: ~Copyable {
  /// The latest sample, in g, in the sensor's own frame; with a FIFO, the oldest that waits.
  ///
  ///     S | addr+W | 31 | Sr | addr+R | DATA_FORMAT X0 X1 Y0 Y1 Z0 Z1 | P
  ///
  /// A single burst, so the six data bytes belong to one instant. DATA_FORMAT comes first in the same burst: its
  /// written value is never the reset value, so a part that has lost its configuration is detected at no extra cost.
  ///
  /// - Throws: `configurationLost` (after a failed ``start()`` or self-test without a transaction) or `bus`.
  /// - Datasheet: Rev. E, "Register map": multiple-byte read of the data registers.
  public mutating func sample() throws(SensorError) -> Vector3 {
    guard !isUnsettled else { throw .configurationLost }
    return try sample(in: configuration.dataFormat)
  }

  /// A sample, if the part is set to `format`.
  mutating func sample(in format: ADXL345.DataFormatField) throws(SensorError) -> Vector3 {
    var bytes = InlineArray<7, UInt8>(repeating: 0)
    try wire.read(from: ADXL345.Register.dataFormat, into: &bytes)
    guard bytes[0] == format.encoded else { throw .configurationLost }
    return format.specificForce((bytes[1], bytes[2]), (bytes[3], bytes[4]), (bytes[5], bytes[6]))
  }
}

extension ADXL345.DataFormatField {
  /// One LSB in raw Q16.16: 256 (1/256 g) in full resolution, otherwise 256, 512, 1024 or 2048. Exact.
  ///
  /// - Datasheet: Rev. E, table 1, "Sensitivity".
  var unit: Int32 { isFullResolution ? 256 : 256 &<< Int32(range.rawValue) }

  /// The largest count; the smallest is its negative minus 1.
  var maximum: Int32 { isFullResolution ? Int32(range.maximum) : 511 }

  /// The largest specific force on one axis that this format does not clip, in g: one LSB below the range.
  var fullScale: Q16 { Q16(raw: maximum &* unit) }

  /// The specific force in six data bytes (X, Y, Z, low byte first), right-justified.
  ///
  /// Clipped to the range, as the data sheet requires of the reader. Exact otherwise.
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

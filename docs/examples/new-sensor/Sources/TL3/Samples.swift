public import Plumb

extension TL3.Device where Bus: ~Copyable {
  /// The latest sample, in g, in the sensor's own frame.
  ///
  ///     S | addr+W | 01 | Sr | addr+R | SETUP X1 X0 Y1 Y0 Z1 Z0 | P
  ///
  /// In one burst the six data bytes are of one instant, and SETUP shows whether the part is still configured.
  ///
  /// - Throws: `configurationLost` (without a transaction if `start()` did not succeed) or `bus`.
  public mutating func sample() throws(SensorError) -> Vector3 {
    guard isStarted else { throw .configurationLost }
    var bytes = InlineArray<7, UInt8>(repeating: 0)
    try wire.read(from: TL3.Register.setup, into: &bytes)
    guard bytes[0] == configuration.setup.encoded else { throw .configurationLost }
    let range = configuration.range
    return Vector3(
      x: range.component(bytes[1], bytes[2]), y: range.component(bytes[3], bytes[4]),
      z: range.component(bytes[5], bytes[6]))
  }
}

extension TL3.Range {
  /// One LSB in raw Q16.16: 4, 8 or 16, which is 1/16384, 1/8192 or 1/4096 g. Exact.
  var unit: Int32 { 4 &<< Int32(rawValue) }

  /// The largest specific force on one axis that is not clipped, in g: one LSB less than the range.
  package var fullScale: Q16 { Q16(raw: 32_767 &* unit) }

  /// The component of two data bytes. Exact.
  package func component(_ high: UInt8, _ low: UInt8) -> Q16 {
    Q16(raw: Int32(Int16(bitPattern: UInt16(high) &<< 8 | UInt16(low))) &* unit)
  }
}

public import FixedPoint

extension LIS3DH.Device where Bus: ~Copyable {
  /// The latest sample, in g, in the sensor's own frame.
  ///
  ///     S | addr+W | A0 | Sr | addr+R | CTRL_REG1 … CTRL_REG6 REFERENCE STATUS X0 X1 Y0 Y1 Z0 Z1 | P
  ///     S | addr+W | 27 | Sr | addr+R | STATUS | P
  ///
  /// The burst includes CTRL_REG1 and CTRL_REG4, which ``start()`` never leaves at their reset values, so a lost
  /// configuration shows. BDU keeps the two bytes of an axis together, but not the three axes: a sample that arrives
  /// during the burst may appear in the later axes only. STATUS shows whether one arrived after X was read; if so, the
  /// burst is repeated, within a sample period. Reading REFERENCE on the way is harmless, because no filter is on.
  ///
  /// At ±8 and ±16 g, every other new sample reads 1/65536 g more on X, to distinguish equal samples.
  ///
  /// - Throws: `configurationLost` (without a transaction if a ``start()`` or self-test failed before) or `bus`.
  /// - Datasheet: Rev. 2, 8.11 (BDU) and 8.16 (STATUS).
  public mutating func sample() throws(SensorError) -> Vector3 {
    guard !isUnsettled else { throw .configurationLost }
    if keepsSamples, unsettledSets > 0 { _ = try settledSets() }
    return try sample(at: configuration.rateField, in: configuration.format)
  }

  /// A sample from a part that must be set to this rate and format; with a FIFO, the oldest one waiting.
  mutating func sample(
    at rate: LIS3DH.RateField, in format: LIS3DH.FormatField
  ) throws(SensorError) -> Vector3 {
    let first = try burst(at: rate, in: format)
    // A set in the FIFO is never torn, and another burst would take the next one.
    guard !keepsSamples, try wire.read(LIS3DH.Register.status) & 0x0F != 0 else { return first }
    return try burst(at: rate, in: format)
  }

  private mutating func burst(at rate: LIS3DH.RateField, in format: LIS3DH.FormatField) throws(SensorError) -> Vector3 {
    var bytes = InlineArray<14, UInt8>(repeating: 0)
    try readBurst(14, at: rate, in: format, &bytes)
    return marked(format.specificForce(bytes, from: 8), in: format, isNew: bytes[7] & 0x08 != 0)
  }

  /// Reads `length` bytes from CTRL_REG1 on, if the part is set to this rate and format.
  mutating func readBurst<let count: Int>(
    _ length: Int, at rate: LIS3DH.RateField, in format: LIS3DH.FormatField, _ bytes: inout InlineArray<count, UInt8>
  ) throws(SensorError) {
    try wire.read(length, from: LIS3DH.Register.control1 | LIS3DH.Register.increment, into: &bytes)
    guard bytes[0] == rate.encoded, bytes[3] == format.encoded else { throw .configurationLost }
  }

  /// `force`, in a coarse range with every other new sample marked on X.
  mutating func marked(_ force: Vector3, in format: LIS3DH.FormatField, isNew: Bool) -> Vector3 {
    guard format.isCoarse else { return force }
    if isNew { isMarked.toggle() }
    return Vector3(x: Q16(raw: force.x.raw &+ (isMarked ? 1 : 0)), y: force.y, z: force.z)
  }
}

extension LIS3DH.FormatField {
  /// 1 LSB of the 12-bit word, in mg. In normal mode the two lowest bits are 0.
  ///
  /// - Datasheet: Rev. 2, table 4, "Sensitivity".
  private var unit: Int32 {
    switch range {
    case .g2: 1
    case .g4: 2
    case .g8: 4
    case .g16: 12
    }
  }

  /// Whether a step is so much larger than the noise that a board at rest gives equal samples, as a frozen part would:
  /// at ±8 and ±16 g. In these ranges every other new sample reads 1/65536 g more on X.
  var isCoarse: Bool { range.rawValue >= LIS3DH.Range.g8.rawValue }

  /// The step between two values, in mg: 1, 2, 4 and 12, or four times that in normal mode.
  private var step: Int32 { isHighResolution ? unit : 4 &* unit }

  /// The largest value, in mg: one step below the range.
  private var limit: Int32 { ((2_000 as Int32) &<< Int32(range.rawValue)) / step &* step &- step }

  /// The largest specific force on one axis that is not clipped, in g: one LSB below the range.
  package var fullScale: Q16 { Self.inG(limit) }

  /// The specific force in the six data bytes from `start` on (X, Y, Z, low byte first, left-aligned).
  ///
  /// The word can exceed the range slightly, or at ±16 g reach 24 g, but the part cannot: values are clipped to the
  /// range. Otherwise rounded to the nearest Q16.16.
  func specificForce<let count: Int>(_ bytes: InlineArray<count, UInt8>, from start: Int) -> Vector3 {
    Vector3(
      x: component(bytes[start], bytes[start &+ 1]), y: component(bytes[start &+ 2], bytes[start &+ 3]),
      z: component(bytes[start &+ 4], bytes[start &+ 5]))
  }

  /// The specific force on one axis, in g, from its two data bytes.
  package func component(_ low: UInt8, _ high: UInt8) -> Q16 {
    let counts = Int32(Int16(bitPattern: UInt16(low) | UInt16(high) &<< 8)) &>> 4
    return Self.inG(max(-step &- limit, min(limit, counts &* unit)))
  }

  /// Converts mg to g: times 65.536, rounded to nearest, halves away from zero. The product is at most 17 000 times
  /// 8192.
  private static func inG(_ milliG: Int32) -> Q16 {
    Q16(raw: (milliG &* 8_192 &+ (milliG < 0 ? -62 : 62)) / 125)
  }
}

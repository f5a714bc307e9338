public import FixedPoint

extension LIS3DH.Device where Bus: ~Copyable {
  /// The latest sample, in g, in the sensor's own frame.
  ///
  ///     S | addr+W | A0 | Sr | addr+R | CTRL_REG1 … CTRL_REG6 REFERENCE STATUS X0 X1 Y0 Y1 Z0 Z1 | P
  ///     S | addr+W | 27 | Sr | addr+R | STATUS | P
  ///
  /// The burst begins with CTRL_REG1 and CTRL_REG4, which as written are never their reset values, so that a part that
  /// has lost its configuration is noticed. BDU keeps the two bytes of an axis together, but not the three axes: a
  /// sample that comes during the burst may show in the last of them alone. STATUS shows whether one came since X was
  /// read; then the burst is read once more, within a period of it. REFERENCE lies in between and does no harm, because
  /// no filter is on.
  /// At ±8 and ±16 g every other new sample has 1/65536 g more on X, so that equal ones can be told apart.
  ///
  /// - Throws: `configurationLost` (without a transaction after a ``start()`` or a self-test that failed) or `bus`.
  /// - Datasheet: Rev. 2, 8.11 (BDU) and 8.16 (STATUS).
  public mutating func sample() throws(SensorError) -> Vector3 {
    guard !isUnsettled else { throw .configurationLost }
    if keepsSamples, unsettledSets > 0 { _ = try settledSets() }
    return try sample(at: configuration.rateField, in: configuration.format)
  }

  /// A sample of a part that must be set to this rate and format; with a FIFO, the oldest that waits.
  mutating func sample(
    at rate: LIS3DH.RateField, in format: LIS3DH.FormatField
  ) throws(SensorError) -> Vector3 {
    let first = try burst(at: rate, in: format)
    // What waits in a FIFO is never torn, and another burst would give the next.
    guard !keepsSamples, try wire.read(LIS3DH.Register.status) & 0x0F != 0 else { return first }
    return try burst(at: rate, in: format)
  }

  private mutating func burst(at rate: LIS3DH.RateField, in format: LIS3DH.FormatField) throws(SensorError) -> Vector3 {
    var bytes = InlineArray<14, UInt8>(repeating: 0)
    try wire.read(from: LIS3DH.Register.control1 | LIS3DH.Register.increment, into: &bytes)
    guard bytes[0] == rate.encoded, bytes[3] == format.encoded else { throw .configurationLost }
    return told(format.specificForce(bytes, from: 8), in: format, isNew: bytes[7] & 0x08 != 0)
  }

  /// `force`, told from the sample before it where the range is coarse and STATUS says that it is a new one.
  mutating func told(_ force: Vector3, in format: LIS3DH.FormatField, isNew: Bool) -> Vector3 {
    guard format.isCoarse else { return force }
    if isNew { isMarked.toggle() }
    return Vector3(x: Q16(raw: force.x.raw &+ (isMarked ? 1 : 0)), y: force.y, z: force.z)
  }
}

extension LIS3DH.FormatField {
  /// One of 4096 parts of the word, in mg. In normal mode two bits of these are 0.
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

  /// Whether a step is so much larger than the noise that a board at rest gives equal samples, as a part does that has
  /// stopped: at ±8 and ±16 g. There every other new sample reads 1/65536 g more on X.
  var isCoarse: Bool { range.rawValue >= LIS3DH.Range.g8.rawValue }

  /// The step between two values, in mg: 1, 2, 4 and 12, or four times that in normal mode.
  private var step: Int32 { isHighResolution ? unit : 4 &* unit }

  /// The greatest value, in mg: one step short of the range.
  private var limit: Int32 { ((2_000 as Int32) &<< Int32(range.rawValue)) / step &* step &- step }

  /// The greatest specific force on one axis that this format can tell from more, in g: one LSB short of the range.
  package var fullScale: Q16 { Self.inG(limit) }

  /// The specific force of six data bytes (X, Y, Z, low byte first, left-aligned) from `start` on.
  ///
  /// The word reaches a little beyond the range, at ±16 g to 24 g, which the part does not; it is clipped to the range.
  /// Rounded to the nearest Q16.16 otherwise.
  func specificForce<let count: Int>(_ bytes: InlineArray<count, UInt8>, from start: Int) -> Vector3 {
    Vector3(
      x: component(bytes[start], bytes[start &+ 1]), y: component(bytes[start &+ 2], bytes[start &+ 3]),
      z: component(bytes[start &+ 4], bytes[start &+ 5]))
  }

  /// The component of two data bytes.
  package func component(_ low: UInt8, _ high: UInt8) -> Q16 {
    let counts = Int32(Int16(bitPattern: UInt16(low) | UInt16(high) &<< 8)) &>> 4
    return Self.inG(max(-step &- limit, min(limit, counts &* unit)))
  }

  /// Milli-g in g: times 65.536, rounded to nearest, halves away from zero. At most 17 000 times 8192.
  private static func inG(_ milliG: Int32) -> Q16 {
    Q16(raw: (milliG &* 8_192 &+ (milliG < 0 ? -62 : 62)) / 125)
  }
}

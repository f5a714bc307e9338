public import FixedPoint
internal import HAL

extension LSM6DS.Device where Bus: ~Copyable {
  /// The latest specific force in g, in the sensor's own frame.
  ///
  ///     S | addr+W | 1E | Sr | addr+R | STATUS_REG 1F T0 T1 P0 P1 Q0 Q1 R0 R1 X0 X1 Y0 Y1 Z0 Z1 | P
  ///     S | addr+W | 28 | Sr | addr+R | X0 X1 Y0 Y1 Z0 Z1 | P
  ///
  /// BDU keeps the two bytes of an axis together, but not the axes: a sample that arrives during the burst may appear in
  /// the later axes only. STATUS_REG cannot show it, because reading any axis clears its bits. So the data are read
  /// again, until two reads agree: the first then was of one instant, since any sample that arrives changes an axis that
  /// is read before those it could have torn.
  ///
  /// If STATUS_REG reports no new sample, or all axes are zero as in power-down, CTRL1_XL to CTRL3_C are read to see
  /// whether the part is still configured:
  ///
  ///     S | addr+W | 10 | Sr | addr+R | CTRL1_XL CTRL2_G CTRL3_C | P
  ///
  /// - Throws: `configurationLost` (also before ``proceed()`` has returned nil) or `bus`: `timedOut` if five reads in
  ///   turn differ.
  /// - Datasheet: AN5130 Rev. 1, block data update and STATUS_REG.
  public mutating func sample() throws(SensorError) -> Vector3 {
    guard phase == .measuring, let part else { throw .configurationLost }
    return try measurement(of: part, configuration).force
  }

  /// The latest specific force in g, temperature in °C and, with the gyroscope on, rate of rotation in °/s, in the
  /// sensor's own frame.
  ///
  /// The same reads as for ``sample()``; with the gyroscope on, the second covers its data too, from 22 on.
  ///
  /// - Throws: as ``sample()``.
  public mutating func measure() throws(SensorError) -> Measurement {
    guard phase == .measuring, let part else { throw .configurationLost }
    return try measurement(of: part, configuration)
  }

  /// A measurement of a part that must be set up like this.
  mutating func measurement(
    of part: LSM6DS.Part, _ configuration: LSM6DS.Configuration
  ) throws(SensorError) -> Measurement {
    var bytes = InlineArray<16, UInt8>(repeating: 0)
    try wire.read(from: LSM6DS.Register.status, into: &bytes)
    let hasRotation = configuration.usesGyroscope
    let first = hasRotation ? 4 : 10
    var triesLeft = 4
    while try !isConfirmed(&bytes, from: first) {
      triesLeft &-= 1
      guard triesLeft > 0 else { throw .bus(.timedOut) }
    }
    if !bytes[0].has(bit: 0) || isZero(bytes) { try check(configuration.controlBytes(of: part)) }
    return Measurement(
      force: LSM6DS.force(bytes.span, at: 10, configuration.range),
      rotation: configuration.gyroscope.map { LSM6DS.rotation(bytes.span, at: 4, $0) },
      temperature: LSM6DS.temperature(LSM6DS.word(bytes.span, at: 2), of: part))
  }

  /// Reads the data again; if any differ, replaces those in `bytes`, from `first` on, and returns false.
  private mutating func isConfirmed(
    _ bytes: inout InlineArray<16, UInt8>, from first: Int
  ) throws(SensorError) -> Bool {
    var again = InlineArray<12, UInt8>(repeating: 0)
    let length = 16 &- first
    try wire.read(length, from: LSM6DS.Register.status &+ UInt8(truncatingIfNeeded: first), into: &again)
    var isSame = true
    for index in 0..<length where bytes[first &+ index] != again[index] {
      isSame = false
      bytes[first &+ index] = again[index]
    }
    return isSame
  }

  /// Whether the six bytes of the force are zero.
  private func isZero(_ bytes: InlineArray<16, UInt8>) -> Bool {
    for index in 10..<16 where bytes[index] != 0 { return false }
    return true
  }

  /// Throws `configurationLost` if CTRL1_XL, CTRL2_G and CTRL3_C differ from `control`.
  mutating func check(_ control: InlineArray<10, UInt8>) throws(SensorError) {
    var found = InlineArray<3, UInt8>(repeating: 0)
    try wire.read(from: LSM6DS.Register.control1, into: &found)
    for index in 0..<3 where found[index] != control[index] { throw .configurationLost }
  }
}

extension LSM6DS {
  /// The word in two bytes, low byte first.
  static func word(_ bytes: Span<UInt8>, at index: Int) -> Int16 {
    Int16(bitPattern: UInt16(bytes[index]) | UInt16(bytes[index &+ 1]) &<< 8)
  }

  /// The specific force in the six bytes from `start` on.
  static func force(_ bytes: Span<UInt8>, at start: Int, _ range: Range) -> Vector3 {
    func component(_ offset: Int) -> Q16 { force(word(bytes, at: start &+ offset), range: range) }
    return Vector3(x: component(0), y: component(2), z: component(4))
  }

  /// The rate of rotation in the six bytes from `start` on.
  static func rotation(_ bytes: Span<UInt8>, at start: Int, _ range: GyroscopeRange) -> Vector3 {
    func component(_ offset: Int) -> Q16 { rotation(word(bytes, at: start &+ offset), range: range) }
    return Vector3(x: component(0), y: component(2), z: component(4))
  }

  /// The specific force along one axis, in g. Rounded to nearest (ties up); error at most 0.51 of 1/65536 g.
  ///
  /// - Datasheet: LSM6DS3TR-C Rev. 3, mechanical characteristics: 0.061 mg/LSB at ±2 g, twice that in each next range.
  package static func force(_ raw: Int16, range: Range) -> Q16 {
    // 0.000061, times 2^40.
    scaled(raw, by: 67_070_209 &<< range.step)
  }

  /// The rate of rotation about one axis, in °/s. Rounded to nearest (ties up); error at most 0.54 of 1/65536 °/s.
  ///
  /// - Datasheet: LSM6DS3TR-C Rev. 3, mechanical characteristics: 4.375 mdps/LSB at ±125 °/s, twice that in each next
  ///   range.
  package static func rotation(_ raw: Int16, range: GyroscopeRange) -> Q16 {
    // 0.004375, times 2^40.
    scaled(raw, by: 4_810_363_371 &<< range.step)
  }

  /// The temperature of the die in °C. Exact.
  ///
  /// - Datasheet: LSM6DS33 Rev. 4 and LSM6DS3TR-C Rev. 3, temperature sensor characteristics: 0 at 25 °C.
  package static func temperature(_ raw: Int16, of part: Part) -> Q16 {
    Q16(raw: 25 &* 65_536 &+ Int32(raw) &* part.temperatureUnit)
  }

  /// `raw · unit` of 2^-40, in Q16.16, rounded to nearest (ties up), saturating.
  private static func scaled(_ raw: Int16, by unit: Int64) -> Q16 {
    Q16(raw: saturated((widened(Int32(raw)) &* unit &+ 0x80_0000) &>> 24))
  }
}

public import FixedPoint
internal import HAL

extension LSM6DS.Device where Bus: ~Copyable {
  /// The latest specific force in g, in the sensor's own frame: see ``measure()``.
  public mutating func sample() throws(SensorError) -> Vector3 { try measure().force }

  /// The latest specific force in g, temperature in °C and, with the gyroscope on, rate of rotation in °/s, in the
  /// sensor's own frame.
  ///
  ///     S | addr+W | 1E | Sr | addr+R | STATUS_REG 1F T0 T1 P0 P1 Q0 Q1 R0 R1 X0 X1 Y0 Y1 Z0 Z1 | P
  ///     S | addr+W | 28, or with the gyroscope on 22 | Sr | addr+R | [P0 … R1] X0 X1 Y0 Y1 Z0 Z1 | P
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
  public mutating func measure() throws(SensorError) -> Measurement {
    guard phase == .measuring else { throw .configurationLost }
    return try measure(as: configuration)
  }

  /// A measurement of a part that must be set up as `settings`.
  mutating func measure(as settings: LSM6DS.Configuration) throws(SensorError) -> Measurement {
    var bytes = InlineArray<16, UInt8>(repeating: 0)
    try wire.read(from: LSM6DS.Register.status, into: &bytes)
    let first = settings.usesGyroscope ? 4 : 10
    let data = LSM6DS.Register.status &+ UInt8(truncatingIfNeeded: first)
    var triesLeft = 4
    while try !wire.confirm(16 &- first, from: data, in: &bytes, at: first) {
      triesLeft &-= 1
      guard triesLeft > 0 else { throw .bus(.timedOut) }
    }
    if !bytes[0].has(bit: 0) || bytes.span.isZero(6, from: 10) { try check(settings.image(of: variant)) }
    return settings.measurement(
      bytes.span, at: (rotation: 4, force: 10), temperature: LSM6DS.temperature(bytes.span.word(at: 2), of: variant))
  }

  /// Throws `configurationLost` if CTRL1_XL, CTRL2_G and CTRL3_C differ from those of `image`.
  mutating func check(_ image: RegisterImage) throws(SensorError) {
    if try wire.difference(3, from: image, at: LSM6DS.Register.control1) != nil { throw .configurationLost }
  }
}

extension LSM6DS.Configuration {
  /// The measurement whose six bytes of force, and with the gyroscope on six of rotation, begin at these places.
  func measurement(_ bytes: Span<UInt8>, at places: (rotation: Int, force: Int), temperature: Q16) -> Measurement {
    Measurement(
      force: bytes.vector(at: places.force) { LSM6DS.force($0, range: range) },
      rotation: gyroscope.map { range in bytes.vector(at: places.rotation) { LSM6DS.rotation($0, range: range) } },
      temperature: temperature)
  }
}

extension LSM6DS {
  /// The specific force along one axis, in g. Rounded to nearest (ties up); error at most 0.51 of 1/65536 g.
  ///
  /// - Datasheet: LSM6DS3TR-C Rev. 3, mechanical characteristics: 0.061 mg/LSB at ±2 g, twice that in each next range.
  package static func force(_ raw: Int16, range: Range) -> Q16 {
    // 0.000061, times 2^40.
    Q16(Int32(raw), by: 67_070_209 &* widened(range.g / 2))
  }

  /// The rate of rotation about one axis, in °/s. Rounded to nearest (ties up); error at most 0.54 of 1/65536 °/s.
  ///
  /// - Datasheet: LSM6DS3TR-C Rev. 3, mechanical characteristics: 4.375 mdps/LSB at ±125 °/s, twice that in each next
  ///   range.
  package static func rotation(_ raw: Int16, range: GyroscopeRange) -> Q16 {
    // 0.004375, times 2^40.
    Q16(Int32(raw), by: 4_810_363_371 &* widened(range.degreesPerSecond / 125))
  }

  /// The temperature of the die in °C. Exact.
  ///
  /// - Datasheet: LSM6DS33 Rev. 4 and LSM6DS3TR-C Rev. 3, temperature sensor characteristics: 0 at 25 °C.
  package static func temperature(_ raw: Int16, of part: Part) -> Q16 {
    Q16(raw: 25 &* 65_536 &+ Int32(raw) &* part.temperatureUnit)
  }
}

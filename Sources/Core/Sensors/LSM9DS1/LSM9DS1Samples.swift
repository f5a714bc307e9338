public import FixedPoint
internal import HAL

extension LSM9DS1.Device where Bus: ~Copyable {
  /// The latest specific force in g, in a right-handed frame: see ``measure()``.
  public mutating func sample() throws(SensorError) -> Vector3 { try measure().force }

  /// The latest specific force in g, and with the gyroscope on the rate of rotation in °/s and the temperature in °C, in
  /// a right-handed frame: Y is opposite to the printed axis.
  ///
  ///     S | addr+W | 20 | Sr | addr+R | CTRL_REG6_XL … CTRL_REG10 25 INT_GEN_SRC_XL STATUS X0 X1 Y0 Y1 Z0 Z1 | P
  ///     S | addr+W | 28 | Sr | addr+R | X0 X1 Y0 Y1 | P
  ///
  /// With the gyroscope on, P, Q and R are the rotation about X, Y and Z:
  ///
  ///     S | addr+W | 10 | Sr | addr+R | CTRL_REG1_G … ORIENT_CFG_G INT_GEN_SRC_G T0 T1 P0 … R1 X0 … Z1 | P
  ///     S | addr+W | 18 | Sr | addr+R | P0 P1 Q0 Q1 R0 R1 X0 X1 Y0 Y1 | P
  ///
  /// The first burst begins with registers that ``start()`` never leaves at their reset values, so a lost configuration
  /// shows, as does a pointer that no longer advances: it repeats the first byte.
  ///
  /// BDU keeps the two bytes of an axis together, but not the axes: a sample that arrives during the burst may appear
  /// in the later axes only. STATUS does not show it, because reading a later axis clears the flag again. So all axes
  /// but the last are read a second time, and both are repeated until they agree: then no sample arrived during the
  /// burst, or it changed nothing. With samples no faster than ``LSM9DS1/Configuration/check(against:)`` allows, that
  /// is the case in the third round at the latest, unless the program is interrupted.
  ///
  /// - Throws: `configurationLost` (without a transaction if a ``start()`` or self-test failed before) or `bus`, with
  ///   `timedOut` if a sample arrived in each of eight rounds.
  /// - Datasheet: Rev. 2, figures 6 and 7, 7.25 (BDU) and 7.20 (STATUS). That a read of any axis clears the flag is an
  ///   assumption, for the worst case, from later parts of the family.
  public mutating func measure() throws(SensorError) -> Measurement {
    guard !isUnsettled else { throw .configurationLost }
    if keepsSamples, unsettledSets > 0 { _ = try settledSets() }
    return try measure(as: configuration)
  }

  /// A sample from a part that must be set up as `settings`; with a FIFO, the oldest one waiting.
  mutating func measure(as settings: LSM9DS1.Configuration) throws(SensorError) -> Measurement {
    let form = LSM9DS1.BurstForm(settings)
    var bytes = InlineArray<19, UInt8>(repeating: 0)
    for _ in 0..<8 {
      try read(1, as: settings, into: &bytes)
      // A set in the FIFO is never torn, and another burst would take the next one.
      if settings.usesFIFO { return form.measurement(bytes, 0, settings) }
      if try wire.confirm(form.setSize &- 2, from: form.dataRegister, in: &bytes, at: form.start) {
        return form.measurement(bytes, 0, settings)
      }
    }
    throw .bus(.timedOut)
  }

  /// Reads `sets` samples in one burst, after registers that show whether the part is set up as `settings`.
  mutating func read<let size: Int>(
    _ sets: Int, as settings: LSM9DS1.Configuration, into bytes: inout InlineArray<size, UInt8>
  ) throws(SensorError) {
    let form = LSM9DS1.BurstForm(settings)
    try wire.read(form.start &+ sets &* form.setSize, from: form.register, into: &bytes)
    guard bytes[0] == form.rateByte, bytes[form.proof.index] == form.proof.byte else { throw .configurationLost }
  }
}

extension LSM9DS1 {
  /// The form of a burst that reads samples.
  struct BurstForm {
    /// The register of the first byte, and its value.
    var register, rateByte: UInt8
    /// Another byte, whose value differs from that of the first.
    var proof: (index: Int, byte: UInt8)
    /// The first register with data, its position, and the number of bytes of a sample.
    var dataRegister: UInt8
    var start, setSize: Int

    init(_ settings: Configuration) {
      if settings.turns {
        (register, rateByte) = (Register.gyroscopeRate, settings.gyroscopeByte)
        // CTRL_REG2_G.
        proof = (1, 0)
        (dataRegister, start, setSize) = (Register.gyroscopeData, 7, 12)
      } else {
        (register, rateByte) = (Register.accelerometerRate, settings.accelerometerByte)
        // CTRL_REG8.
        proof = (2, settings.interfaceByte)
        (dataRegister, start, setSize) = (Register.accelerometerData, 8, 6)
      }
    }

    /// Sample `set` in a burst.
    func measurement<let size: Int>(
      _ bytes: InlineArray<size, UInt8>, _ set: Int, _ settings: Configuration
    ) -> Measurement {
      let first = start &+ set &* setSize
      // Right-handed: Y is opposite to the part's.
      func vector(_ position: Int, _ component: (UInt8, UInt8) -> Q16) -> Vector3 {
        let y = component(bytes[position &+ 2], bytes[position &+ 3])
        return Vector3(
          x: component(bytes[position], bytes[position &+ 1]), y: Q16(raw: 0 &- y.raw),
          z: component(bytes[position &+ 4], bytes[position &+ 5]))
      }
      guard let gyroscope = settings.gyroscope else {
        return Measurement(force: vector(first) { LSM9DS1.force($0, $1, range: settings.range) })
      }
      return Measurement(
        force: vector(first &+ 6) { LSM9DS1.force($0, $1, range: settings.range) },
        rotation: vector(first) { gyroscope.component($0, $1) },
        temperature: LSM9DS1.temperature(bytes[start &- 2], bytes[start &- 1]))
    }
  }

  /// The temperature of the die in °C, from the lower 12 bits of its register. Exact.
  ///
  /// - Datasheet: Rev. 2, table 5: 16 LSB/°C, 0 at 25 °C.
  package static func temperature(_ low: UInt8, _ high: UInt8) -> Q16 {
    let raw = Int16(bitPattern: (UInt16(low) | UInt16(high) &<< 8) &<< 4) &>> 4
    return Q16(raw: 25 &* 65_536 &+ Int32(raw) &* 4_096)
  }

  /// `counts` of `unit` · 2^-40, clipped to ±`limit` and one more below, in Q16.16, rounded to nearest (ties up).
  fileprivate static func scaled(_ low: UInt8, _ high: UInt8, limit: Int32, by unit: Int64) -> Q16 {
    let word = Int32(Int16(bitPattern: UInt16(low) | UInt16(high) &<< 8))
    return Q16(max(-limit &- 1, min(limit, word)), by: unit)
  }

  /// 0.061, 0.122, 0.244 and 0.732 mg, each times 2^40.
  ///
  /// - Datasheet: Rev. 2, table 3. At ±16 g it is not twice that of ±8 g.
  private static func unit(of range: Range) -> Int64 {
    switch range {
    case .g2: 67_070_209
    case .g4: 134_140_419
    case .g8: 268_280_837
    case .g16: 804_842_512
    }
  }

  /// The largest count in the range: at ±16 g the word could express 24 g.
  private static func limit(of range: Range) -> Int32 { range == .g16 ? 21_857 : 32_767 }

  /// The specific force on one axis of the part, in g, from its two data bytes; at most 0.51 of 1/65536 g off.
  package static func force(_ low: UInt8, _ high: UInt8, range: Range) -> Q16 {
    scaled(low, high, limit: limit(of: range), by: unit(of: range))
  }

  /// The largest specific force on one axis that is not clipped, in g.
  package static func fullScale(of range: Range) -> Q16 { Q16(limit(of: range), by: unit(of: range)) }
}

extension LSM9DS1.GyroscopeRange {
  /// 8.75, 17.5 and 70 m°/s, each times 2^40.
  ///
  /// - Datasheet: Rev. 2, table 3.
  private var unit: Int64 {
    switch self {
    case .dps245: 9_620_726_743
    case .dps500: 19_241_453_486
    case .dps2000: 76_965_813_944
    }
  }

  /// The largest count in the range: the words could express 287, 573 and 2294 °/s.
  private var limit: Int32 { self == .dps245 ? 27_999 : 28_571 }

  /// The rate of rotation about one axis of the part, in °/s, from its two data bytes; at most 0.51 of 1/65536 °/s off.
  package func component(_ low: UInt8, _ high: UInt8) -> Q16 { LSM9DS1.scaled(low, high, limit: limit, by: unit) }

  /// The largest rate of rotation about one axis that is not clipped, in °/s.
  package var fullScale: Q16 { Q16(limit, by: unit) }
}

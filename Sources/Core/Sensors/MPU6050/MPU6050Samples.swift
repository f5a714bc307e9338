public import FixedPoint

extension MPU6050.Device where Bus: ~Copyable {
  /// The latest specific force in g, in the sensor's own frame.
  ///
  ///     S | addr+W | 3B | Sr | addr+R | X1 X0 Y1 Y0 Z1 Z0 | P
  ///
  /// A single burst, so the six bytes belong to one instant. Every few samples (`Configuration.samplesPerWatch`), and
  /// after a sample of six zero bytes, which a sleeping part returns, the burst starts four registers earlier, which
  /// shows whether the part is still configured:
  ///
  ///     S | addr+W | 37 | Sr | addr+R | INT_PIN_CFG INT_ENABLE 39 INT_STATUS X1 X0 Y1 Y0 Z1 Z0 | P
  ///
  /// That clears INT_STATUS, as any read of it does; an overflow of the FIFO is remembered.
  ///
  /// - Throws: `configurationLost` (also before ``proceed()`` has returned nil) or `bus`.
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 55 to 64.
  public mutating func sample() throws(SensorError) -> Vector3 {
    var bytes = InlineArray<10, UInt8>(repeating: 0)
    let start = try readData(6, into: &bytes)
    return MPU6050.force(bytes.span, at: start, configuration.range)
  }

  /// The latest specific force in g, rate of rotation in °/s and temperature in °C, in the sensor's own frame; with the
  /// gyroscope off only the force, as ``sample()``.
  ///
  ///     S | addr+W | 3B | Sr | addr+R | X1 X0 Y1 Y0 Z1 Z0 T1 T0 P1 P0 Q1 Q0 R1 R0 | P
  ///
  /// A single burst, so the fourteen bytes belong to one instant. P, Q and R are the rotation about X, Y and Z. The
  /// registers before them are checked as often, and in the same cases, as by ``sample()``:
  ///
  ///     S | addr+W | 37 | Sr | addr+R | INT_PIN_CFG INT_ENABLE 39 INT_STATUS X1 … R0 | P
  ///
  /// An axis beyond its range reads the limit: 32767 or -32768 LSB.
  ///
  /// - Throws: `configurationLost` (also before ``proceed()`` has returned nil) or `bus`.
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 55 to 72.
  public mutating func measure() throws(SensorError) -> Measurement {
    guard let part, configuration.usesGyroscope else { return Measurement(force: try sample()) }
    var bytes = InlineArray<18, UInt8>(repeating: 0)
    let start = try readData(14, into: &bytes)
    return measurement(bytes.span, at: start, .whole, part)
  }

  /// The measurement in the bytes from `start` on.
  func measurement(
    _ bytes: Span<UInt8>, at start: Int, _ layout: MPU6050.RecordLayout, _ part: MPU6050.Part
  ) -> Measurement {
    MPU6050.measurement(bytes, at: start, layout, configuration.range, configuration.gyroscope, part.temperatureScale)
  }

  /// Reads `length` bytes of data, and four more if the configuration is checked; returns where the data begin.
  private mutating func readData<let count: Int>(
    _ length: Int, into bytes: inout InlineArray<count, UInt8>
  ) throws(SensorError) -> Int {
    guard phase == .measuring else { throw .configurationLost }
    let isWatched = isSuspicious || samplesUntilWatch == 0
    if isWatched {
      try wire.read(length &+ 4, from: MPU6050.Register.interruptPin, into: &bytes)
      try watch(bytes[0], bytes[1], bytes[3])
      samplesUntilWatch = configuration.samplesBetweenWatches
    } else {
      try wire.read(length, from: MPU6050.Register.data, into: &bytes)
      samplesUntilWatch &-= 1
    }
    let start = isWatched ? 4 : 0
    // As in a sleeping part.
    isSuspicious = bytes.span.isZero(6, from: start)
    return start
  }

  /// Reads only the checked registers.
  mutating func watch() throws(SensorError) {
    var bytes = InlineArray<4, UInt8>(repeating: 0)
    try wire.read(from: MPU6050.Register.interruptPin, into: &bytes)
    try watch(bytes[0], bytes[1], bytes[3])
  }

  /// Compares INT_PIN_CFG and INT_ENABLE with what was written; remembers an overflow that reading INT_STATUS has
  /// cleared.
  private mutating func watch(_ pin: UInt8, _ enable: UInt8, _ status: UInt8) throws(SensorError) {
    guard pin == configuration.interruptPinByte, enable == configuration.interruptEnableByte else {
      isSuspicious = true
      throw .configurationLost
    }
    if status.has(bit: 4), configuration.usesFIFO { fifoIsBroken = true }
  }
}

extension MPU6050 {
  /// The bytes of a measurement: always the specific force, then any others.
  package struct RecordLayout: Equatable {
    package var hasTemperature: Bool
    package var hasRotation: Bool

    package init(hasTemperature: Bool, hasRotation: Bool) {
      self.hasTemperature = hasTemperature
      self.hasRotation = hasRotation
    }

    /// Everything, as in the data registers.
    static var whole: RecordLayout { RecordLayout(hasTemperature: true, hasRotation: true) }

    /// Bytes: 6, 8, 12 or 14.
    package var size: Int { 6 &+ (hasTemperature ? 2 : 0) &+ (hasRotation ? 6 : 0) }
  }

  /// The specific force in the six bytes from `start` on.
  static func force(_ bytes: Span<UInt8>, at start: Int, _ range: Range) -> Vector3 {
    func component(_ offset: Int) -> Q16 {
      force(word(bytes[start &+ offset], bytes[start &+ offset &+ 1]), range: range)
    }
    return Vector3(x: component(0), y: component(2), z: component(4))
  }

  /// The measurement in the bytes from `start` on; the temperature lies before or after the rotation.
  static func measurement(
    _ bytes: Span<UInt8>, at start: Int, _ layout: RecordLayout, _ range: Range, _ gyroscope: GyroscopeRange?,
    _ scale: TemperatureScale, temperatureIsLast: Bool = false
  ) -> Measurement {
    func word(_ offset: Int) -> Int16 { MPU6050.word(bytes[start &+ offset], bytes[start &+ offset &+ 1]) }
    var measurement = Measurement(force: force(bytes, at: start, range))
    let isLast = temperatureIsLast && layout.hasRotation
    if layout.hasTemperature { measurement.temperature = temperature(word(isLast ? 12 : 6), scale) }
    if layout.hasRotation, let range = gyroscope {
      let first = layout.hasTemperature && !isLast ? 8 : 6
      measurement.rotation = Vector3(
        x: rotation(word(first), range: range), y: rotation(word(first &+ 2), range: range),
        z: rotation(word(first &+ 4), range: range))
    }
    return measurement
  }

  /// A 16-bit register pair, high byte first.
  package static func word(_ high: UInt8, _ low: UInt8) -> Int16 {
    Int16(bitPattern: UInt16(high) &<< 8 | UInt16(low))
  }

  /// The specific force along one axis, in g. Exact.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 59 to 64: 16384 LSB/g at ±2 g, half of that for each range beyond.
  package static func force(_ raw: Int16, range: Range) -> Q16 { Q16(raw: Int32(raw) &* range.unit) }

  /// The rate of rotation about one axis, in °/s. Rounded to nearest (ties up); error at most 0.51 of 1/65536 °/s.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 67 to 72: 131, 65.5, 32.8 and 16.4 LSB per °/s.
  package static func rotation(_ raw: Int16, range: GyroscopeRange) -> Q16 {
    switch range {
    // 1 / 131, 1 / 65.5, 1 / 32.8 and 1 / 16.4, each times 2^40.
    case .dps250: Q16(Int32(raw), by: 8_393_218_533)
    case .dps500: Q16(Int32(raw), by: 16_786_437_065)
    case .dps1000: Q16(Int32(raw), by: 33_521_695_969)
    case .dps2000: Q16(Int32(raw), by: 67_043_391_938)
    }
  }

  /// The temperature of the die in °C. Rounded to nearest (ties up); error at most 0.51 of 1/65536 °C.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 65 and 66; RM-MPU-6500A rev. 2.1, the same.
  package static func temperature(_ raw: Int16, _ scale: TemperatureScale) -> Q16 {
    switch scale {
    // 1 / 340 and 36.53, 1 / 333.87 and 21, 1 / 326.8 and 25, each times 2^40.
    case .mpu6050: Q16(Int32(raw), by: 3_233_857_729, plus: 40_165_159_762_657)
    case .mpu6500: Q16(Int32(raw), by: 3_293_232_779, plus: 23_089_744_183_296)
    case .icm206xx: Q16(Int32(raw), by: 3_364_478_665, plus: 27_487_790_694_400)
    }
  }
}

extension MPU6050.Range {
  /// One LSB in Q16.16.
  var unit: Int32 { 4 &<< Int32(rawValue) }
}

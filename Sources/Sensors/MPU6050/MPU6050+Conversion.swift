public import FixedPoint

extension MPU6050 {
  /// What the part measured at one instant.
  public struct Motion: Equatable, Sendable {
    /// The specific force in g, in the sensor's own frame. Exact.
    public var force: Vector3
    /// The temperature of the die in °C; nil where it was not measured or not asked for.
    public var temperature: Q16?
    /// The rate of rotation in °/s about each axis; nil where the gyroscope is off or was not asked for.
    public var rotation: Vector3?

    /// A measurement of these.
    public init(force: Vector3, temperature: Q16? = nil, rotation: Vector3? = nil) {
      self.force = force
      self.temperature = temperature
      self.rotation = rotation
    }
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
    case .dps250: scaled(raw, by: 8_393_218_533)
    case .dps500: scaled(raw, by: 16_786_437_065)
    case .dps1000: scaled(raw, by: 33_521_695_969)
    case .dps2000: scaled(raw, by: 67_043_391_938)
    }
  }

  /// The temperature of the die in °C. Rounded to nearest (ties up); error at most 0.51 of 1/65536 °C.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 65 and 66; RM-MPU-6500A rev. 2.1, the same.
  package static func temperature(_ raw: Int16, _ scale: TemperatureScale) -> Q16 {
    switch scale {
    // 1 / 340 and 36.53, 1 / 333.87 and 21, 1 / 326.8 and 25, each times 2^40.
    case .mpu6050: scaled(raw, by: 3_233_857_729, plus: 40_165_159_762_657)
    case .mpu6500: scaled(raw, by: 3_293_232_779, plus: 23_089_744_183_296)
    case .icm206xx: scaled(raw, by: 3_364_478_665, plus: 27_487_790_694_400)
    }
  }

  /// `raw · unit + offset` of 2^-40, in Q16.16, rounded to nearest (ties up), saturating.
  private static func scaled(_ raw: Int16, by unit: Int64, plus offset: Int64 = 0) -> Q16 {
    Q16(raw: saturated((widened(Int32(raw)) &* unit &+ offset &+ 0x80_0000) &>> 24))
  }
}

extension MPU6050.Range {
  /// One LSB in Q16.16.
  var unit: Int32 { 4 &<< Int32(rawValue) }
}

package import FixedPoint

extension InvenSense {
  /// The scale of the temperature.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, register 65; RM-MPU-6500A rev. 2.1, register 65; DS-000189 rev. 1.6,
  ///   TEMP_OUT_H.
  /// - Source: Linux's inv_mpu6050 driver for the ICM parts.
  public enum TemperatureScale: Equatable, Sendable {
    /// raw / 340 + 36.53 °C.
    case mpu6050
    /// raw / 333.87 + 21 °C; also of the ICM-20948.
    case mpu6500
    /// raw / 326.8 + 25 °C.
    case icm206xx
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
    func word(_ offset: Int) -> Int16 { InvenSense.word(bytes[start &+ offset], bytes[start &+ offset &+ 1]) }
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

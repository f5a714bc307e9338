import FixedPoint

/// What self-test codes stand for, as a force or a rate.
///
/// Computed once for a specimen; each formula is that of the register map, not a table of its results.
enum FactoryTrim {
  /// The accelerometer's trim of the 6050 class in 1/65536 g, rounded to the 1/4096 g in which it is given.
  ///
  ///     FT = 4096 × 0.34 × (0.92 / 0.34)^((code - 1) / 30)   LSB at ±8 g
  ///
  /// - Datasheet: MPU-6000/MPU-6050 Register Map Rev. 4.2, 4.1.
  static func accelerometer5(_ code: UInt8) -> Int64 {
    // The thirtieth root of 0.92 / 0.34.
    counts(4_096 * 0.34, growing: 1.033_737_561_710_892_6, code & 0x1F) * 16
  }

  /// The gyroscope's trim of the 6050 class in 1/65536 °/s; the map gives that of Y a minus.
  ///
  ///     FT = 25 × 131 × 1.046^(code - 1)   LSB at ±250 °/s
  ///
  /// - Datasheet: MPU-6000/MPU-6050 Register Map Rev. 4.2, 4.1.
  static func gyroscope5(_ code: UInt8) -> Int64 { counts(25 * 65_536, growing: 1.046, code & 0x1F) }

  /// The accelerometer's trim of the 6500 class in 1/65536 g.
  ///
  ///     FT = 2620 / 2^FS × 1.01^(code - 1)   LSB
  ///
  /// - Source: published drivers that cite an application note of InvenSense; not in the register map.
  static func accelerometer8(_ code: UInt8) -> Int64 { counts(2_620, growing: 1.01, code) * 4 }

  /// The gyroscope's trim of the 6500 class in 1/65536 °/s: the same formula, with 131 LSB per °/s at FS 0.
  static func gyroscope8(_ code: UInt8) -> Int64 { counts(2_620.0 / 131 * 65_536, growing: 1.01, code) }

  /// `first × growth^(code - 1)` to the nearest whole number; 0 for code 0.
  private static func counts(_ first: Double, growing growth: Double, _ code: UInt8) -> Int64 {
    guard code > 0 else { return 0 }
    var value = first
    for _ in 1..<code { value *= growth }
    return Int64(value + 0.5)
  }
}

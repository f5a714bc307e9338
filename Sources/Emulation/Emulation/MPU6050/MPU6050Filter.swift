import FixedPoint

/// The two properties of a digital filter that are emulated.
struct MPU6050Filter {
  /// The bandwidth in tenths of a hertz.
  let bandwidthTenths: Int32
  /// The group delay.
  let delay: Microseconds

  private init(_ row: (bandwidthTenths: Int32, microseconds: Int64)) {
    (bandwidthTenths, delay) = (row.bandwidthTenths, Microseconds(row.microseconds))
  }

  /// The accelerometer's filter for DLPF_CFG in CONFIG of the 6050 class, and for ACCEL_CONFIG2 of the others.
  static func accelerometer(_ code: UInt8, _ part: EmulatedMPU6050.Part) -> MPU6050Filter {
    guard part.layout == .mpu6500 else { return MPU6050Filter(force6050[Int(code & 0x07)]) }
    let row = code & 0x08 != 0 ? 8 : Int(code & 0x07)
    return MPU6050Filter(part.accelerometerFilter == .mpu6500 ? force6500[row] : force9250[row])
  }

  /// The gyroscope's filter for DLPF_CFG in CONFIG.
  static func gyroscope(_ code: UInt8, _ part: EmulatedMPU6050.Part) -> MPU6050Filter {
    MPU6050Filter(part.layout == .mpu6050 ? rotation6050[Int(code & 0x07)] : rotation6500[Int(code & 0x07)])
  }

  /// By DLPF_CFG, of which the reserved 7 is treated as 0.
  ///
  /// - Datasheet: MPU-6000/MPU-6050 Register Map Rev. 4.2, CONFIG.
  private static let force6050: [(Int32, Int64)] = [
    (2_600, 0), (1_840, 2_000), (940, 3_000), (440, 4_900), (210, 8_500), (100, 13_800), (50, 19_000), (2_600, 0),
  ]

  /// By A_DLPF_CFG, and for ACCEL_FCHOICE_B.
  ///
  /// - Datasheet: MPU-6500 Register Map Rev. 2.1, ACCEL_CONFIG2.
  private static let force6500: [(Int32, Int64)] = [
    (4_600, 1_940), (1_840, 5_800), (920, 7_800), (410, 11_800), (200, 19_800), (100, 35_700), (50, 66_960),
    (4_600, 1_940), (11_300, 750),
  ]

  /// By A_DLPF_CFG, and for ACCEL_FCHOICE_B.
  ///
  /// - Datasheet: MPU-9250 Register Map Rev. 1.6, ACCEL_CONFIG2.
  private static let force9250: [(Int32, Int64)] = [
    (2_181, 1_880), (2_181, 1_880), (990, 2_880), (448, 4_880), (212, 8_870), (102, 16_830), (50, 32_480),
    (4_200, 1_380), (10_460, 503),
  ]

  /// By DLPF_CFG, of which the reserved 7 is treated as 0.
  ///
  /// - Datasheet: MPU-6000/MPU-6050 Register Map Rev. 4.2, CONFIG.
  private static let rotation6050: [(Int32, Int64)] = [
    (2_560, 980), (1_880, 1_900), (980, 2_800), (420, 4_800), (200, 8_300), (100, 13_400), (50, 18_600), (2_560, 980),
  ]

  /// By DLPF_CFG, with the bandwidths of the 6050.
  ///
  /// - Datasheet: MPU-6500 Register Map Rev. 2.1, CONFIG.
  private static let rotation6500: [(Int32, Int64)] = [
    (2_560, 970), (1_880, 2_900), (980, 3_900), (420, 5_900), (200, 9_900), (100, 17_850), (50, 33_480), (2_560, 170),
  ]
}

import FixedPoint

/// The two properties of a digital filter that are emulated.
struct MPU6050Filter {
  /// The bandwidth in tenths of a hertz.
  var bandwidthTenths: Int32
  /// The group delay.
  var delay: Microseconds

  private init(_ bandwidthTenths: Int32, delay microseconds: Int64) {
    self.bandwidthTenths = bandwidthTenths
    delay = Microseconds(microseconds)
  }

  /// The accelerometer's filter of the 6050 class for DLPF_CFG; the reserved 7 is treated as 0.
  ///
  /// - Datasheet: MPU-6000/MPU-6050 Register Map Rev. 4.2, CONFIG.
  static func accelerometer6050(_ code: UInt8) -> MPU6050Filter {
    switch code & 0x07 {
    case 1: MPU6050Filter(1_840, delay: 2_000)
    case 2: MPU6050Filter(940, delay: 3_000)
    case 3: MPU6050Filter(440, delay: 4_900)
    case 4: MPU6050Filter(210, delay: 8_500)
    case 5: MPU6050Filter(100, delay: 13_800)
    case 6: MPU6050Filter(50, delay: 19_000)
    default: MPU6050Filter(2_600, delay: 0)
    }
  }

  /// The accelerometer's filter for ACCEL_CONFIG2 of an MPU-6500.
  ///
  /// - Datasheet: MPU-6500 Register Map Rev. 2.1, ACCEL_CONFIG2.
  static func accelerometer6500(_ register: UInt8) -> MPU6050Filter {
    if register & 0x08 != 0 { return MPU6050Filter(11_300, delay: 750) }
    return switch register & 0x07 {
    case 1: MPU6050Filter(1_840, delay: 5_800)
    case 2: MPU6050Filter(920, delay: 7_800)
    case 3: MPU6050Filter(410, delay: 11_800)
    case 4: MPU6050Filter(200, delay: 19_800)
    case 5: MPU6050Filter(100, delay: 35_700)
    case 6: MPU6050Filter(50, delay: 66_960)
    default: MPU6050Filter(4_600, delay: 1_940)
    }
  }

  /// The accelerometer's filter for ACCEL_CONFIG2 of an MPU-9250.
  ///
  /// - Datasheet: MPU-9250 Register Map Rev. 1.6, ACCEL_CONFIG2.
  static func accelerometer9250(_ register: UInt8) -> MPU6050Filter {
    if register & 0x08 != 0 { return MPU6050Filter(10_460, delay: 503) }
    return switch register & 0x07 {
    case 2: MPU6050Filter(990, delay: 2_880)
    case 3: MPU6050Filter(448, delay: 4_880)
    case 4: MPU6050Filter(212, delay: 8_870)
    case 5: MPU6050Filter(102, delay: 16_830)
    case 6: MPU6050Filter(50, delay: 32_480)
    case 7: MPU6050Filter(4_200, delay: 1_380)
    default: MPU6050Filter(2_181, delay: 1_880)
    }
  }

  /// The bandwidth of the gyroscope's filter for DLPF_CFG, in tenths of a hertz; the 6050's figures for every part.
  ///
  /// - Datasheet: MPU-6000/MPU-6050 Register Map Rev. 4.2, CONFIG.
  static func gyroscopeBandwidthTenths(_ code: UInt8) -> Int32 {
    switch code & 0x07 {
    case 1: 1_880
    case 2: 980
    case 3: 420
    case 4: 200
    case 5: 100
    case 6: 50
    default: 2_560
    }
  }

  /// The group delay of the gyroscope's filter for DLPF_CFG; the reserved 7 of the 6050 class is treated as 0.
  ///
  /// - Datasheet: MPU-6000/MPU-6050 Register Map Rev. 4.2, CONFIG; MPU-6500 Register Map Rev. 2.1, CONFIG.
  static func gyroscopeDelay(_ code: UInt8, _ layout: EmulatedMPU6050.Part.Layout) -> Microseconds {
    let delays: InlineArray<8, Int64> =
      switch layout {
      case .mpu6050: [980, 1_900, 2_800, 4_800, 8_300, 13_400, 18_600, 980]
      case .mpu6500: [970, 2_900, 3_900, 5_900, 9_900, 17_850, 33_480, 170]
      }
    return Microseconds(delays[Int(code & 0x07)])
  }
}

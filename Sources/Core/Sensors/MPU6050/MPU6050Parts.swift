extension MPU6050 {
  /// A part of the family, identified by its WHO_AM_I. Identities that are not listed here are refused.
  ///
  /// Data registers, ACCEL_CONFIG and PWR_MGMT_1 are the same in all of them; the members describe the differences.
  ///
  /// - Source: the register maps of InvenSense, and Linux's inv_mpu6050 driver for the parts that only it lists.
  public enum Part: UInt8, Equatable, Sendable {
    /// MPU-6000, MPU-6050 and MPU-9150, and many of their clones.
    case mpu6050 = 0x68
    /// MPU-6500.
    case mpu6500 = 0x70
    /// MPU-9250.
    case mpu9250 = 0x71
    /// Seen on clones; reported to behave like an MPU-6500.
    case clone72 = 0x72
    /// MPU-9255.
    case mpu9255 = 0x73
    /// MPU-6515.
    case mpu6515 = 0x74
    /// MPU-6880.
    case mpu6880 = 0x78
    /// ICM-20600.
    case icm20600 = 0x11
    /// ICM-20602.
    case icm20602 = 0x12
    /// ICM-20690.
    case icm20690 = 0x20
    /// ICM-20689, and common on boards sold as MPU-6050.
    case icm20689 = 0x98
    /// ICM-20609.
    case icm20609 = 0xA6
    /// IAM-20680.
    case iam20680 = 0xA9
    /// ICM-20608D.
    case icm20608D = 0xAE
    /// ICM-20608.
    case icm20608 = 0xAF
  }

  /// How a part that responds is treated.
  public typealias Admission = SensorPart.Admission

  /// The scale of the temperature.
  public typealias TemperatureScale = InvenSense.TemperatureScale
  /// The criterion of a self-test.
  public typealias SelfTestKind = InvenSense.SelfTestKind
}

extension MPU6050.Part {
  /// How this part is treated.
  public var admission: MPU6050.Admission {
    switch self {
    case .mpu6050, .mpu6500, .mpu9250, .mpu9255, .mpu6515: .accepted
    case .mpu6880, .icm20600, .icm20602, .icm20690, .icm20689, .icm20609, .iam20680, .icm20608D, .icm20608:
      .acceptedWithNotice
    case .clone72: .onlyIfAsked
    }
  }

  /// Whether this is a part of the first class: MPU-6000, MPU-6050 and MPU-9150.
  var isFirstClass: Bool { self == .mpu6050 }

  /// Whether this is one of the ICM and IAM parts.
  var isICM: Bool { temperatureScale == .icm206xx }

  /// Whether it has ACCEL_CONFIG2 (0x1D): a separate filter for the accelerometer.
  ///
  /// - Datasheet: RM-MPU-6500A rev. 2.1, register 29.
  public var hasAccelerometerFilter: Bool { !isFirstClass }

  /// The minimum size of the FIFO in bytes.
  ///
  /// The ICM-20689 and the ICM-20690 take their size from two bits of ACCEL_CONFIG2, which the driver leaves at 0, the
  /// smallest: 512. A clone with the identity of an ICM-20689 has at least as much.
  ///
  /// - Source: Linux's inv_mpu6050 driver, `fifo_size` and `INV_ICM20689_BITS_FIFO_SIZE_MAX`.
  public var fifoSize: UInt16 {
    switch self {
    case .mpu6050: 1_024
    case .mpu6880, .icm20609: 4_096
    case .icm20600, .icm20602: 1_008
    default: 512
    }
  }

  /// The scale of the temperature.
  public var temperatureScale: MPU6050.TemperatureScale {
    switch self {
    case .mpu6050: .mpu6050
    case .mpu6500, .mpu9250, .mpu9255, .mpu6515, .mpu6880, .clone72: .mpu6500
    default: .icm206xx
    }
  }

  /// The criterion of a self-test.
  public var selfTestKind: MPU6050.SelfTestKind { isFirstClass ? .factoryTrim : .informative }

  /// The part with this identity; nil if it is unknown, must be explicitly allowed, or does not support the
  /// configuration.
  init?(identity: UInt8, for configuration: MPU6050.Configuration) {
    guard let part = MPU6050.Part(rawValue: identity), part.supports(configuration),
      part.admission != .onlyIfAsked || configuration.acceptsUnverifiedParts
    else { return nil }
    self = part
  }

  /// Whether it supports the configuration, as far as is known.
  ///
  /// The FIFO of the ICM-20600 and ICM-20602 always stores the temperature.
  ///
  /// - Source: Linux's inv_mpu6050 driver, `inv_icm20602_scan_masks`.
  func supports(_ configuration: MPU6050.Configuration) -> Bool {
    switch self {
    case .icm20600, .icm20602: return configuration.fifo == nil
    default: return true
    }
  }
}

public import FixedPoint

extension EmulatedMPU6050 {
  /// Which member of the family a specimen is: all that its type, not the single piece, determines.
  ///
  /// Identity and layout are independent, as they are on boards that one can buy:
  ///
  /// ```swift
  /// var part = EmulatedMPU6050.Part.mpu6500
  /// part.identity = 0x68
  /// ```
  public struct Part: Equatable, Sendable {
    /// The set of registers.
    public enum Layout: Equatable, Sendable {
      /// 0x06 to 0x0B are the accelerometer's offsets; one filter, in CONFIG, for both sensors.
      case mpu6050
      /// ACCEL_CONFIG2 and LP_ACCEL_ODR exist, the offsets are at 0x77, self-test codes have 8 bits.
      case mpu6500
    }

    /// The filters of the accelerometer if ACCEL_CONFIG2 selects one; without effect in the 6050 layout.
    public enum AccelerometerFilter: Equatable, Sendable {
      /// 460 Hz with A_DLPF_CFG 0 and 7; slow to show a change.
      ///
      /// - Datasheet: MPU-6500 Register Map Rev. 2.1, ACCEL_CONFIG2.
      case mpu6500
      /// 218.1 Hz with A_DLPF_CFG 0 and 420 Hz with 7, as in the ICM parts.
      ///
      /// - Datasheet: MPU-9250 Register Map Rev. 1.6, ACCEL_CONFIG2.
      case mpu9250
    }

    /// The scale of TEMP_OUT: `count = (degrees Celsius - offset) × sensitivity`.
    public struct Thermometer: Equatable, Sendable {
      /// Counts per degree, times 100; 1…100000.
      public var hundredthsPerDegree: Int32
      /// The temperature of count 0 in hundredths of a degree Celsius.
      public var offsetHundredths: Int32

      /// A scale.
      public init(hundredthsPerDegree: Int32, offsetHundredths: Int32) {
        self.hundredthsPerDegree = hundredthsPerDegree
        self.offsetHundredths = offsetHundredths
      }

      /// 340 per degree, 0 at 36.53 °C: MPU-6000, 6050, 9150.
      public static let mpu6050 = Thermometer(hundredthsPerDegree: 34_000, offsetHundredths: 3_653)
      /// 333.87 per degree, 0 at 21 °C: MPU-6500, 9250 and the like.
      public static let mpu6500 = Thermometer(hundredthsPerDegree: 33_387, offsetHundredths: 2_100)
      /// 326.8 per degree, 0 at 25 °C: ICM-206xx.
      public static let icm206xx = Thermometer(hundredthsPerDegree: 32_680, offsetHundredths: 2_500)
    }

    /// The value of WHO_AM_I.
    public var identity: UInt8
    /// The set of registers.
    public var layout: Layout
    /// The size of the FIFO in bytes, 1…4096; the greatest one if ACCEL_CONFIG2 selects it.
    public var fifoSize: Int
    /// Whether bits 7:6 of ACCEL_CONFIG2 select 512, 1024, 2048 or 4096 bytes, up to `fifoSize`; they are 0 at reset.
    public var selectsFIFOSize = false
    /// Whether there is an auxiliary bus with its registers.
    public var hasAuxiliaryBus = true
    /// The position of the gyroscope's range in GYRO_CONFIG, in bits: 3, and 2 in the ICM-20690.
    public var gyroscopeRangeShift = 3
    /// The scale of TEMP_OUT.
    public var thermometer: Thermometer
    /// The accelerometer's filters.
    public var accelerometerFilter = AccelerometerFilter.mpu6500
    /// The reset value of PWR_MGMT_1: 0x40 is asleep, 0x01 awake.
    public var powerManagementReset: UInt8
    /// The time from the end of sleep to the first sample. Default 20 ms.
    public var startUp = Microseconds.milliseconds(20)
    /// The time from power-on, or from the end of a reset, to the first sample of a part that starts awake.
    public var coldStartUp: Microseconds
    /// The time from the end of sleep, or of standby, to the gyroscope's first value. Default 30 ms.
    public var gyroscopeStartUp = Microseconds.milliseconds(30)

    /// A part of the 6050 class: asleep at reset, 1024 bytes of FIFO.
    public init(mpu6050Identity identity: UInt8) {
      self.identity = identity
      layout = .mpu6050
      fifoSize = 1_024
      thermometer = .mpu6050
      powerManagementReset = 0x40
      coldStartUp = .milliseconds(20)
    }

    /// A part of the 6500 class: awake at reset, 512 bytes of FIFO.
    public init(mpu6500Identity identity: UInt8) {
      self.identity = identity
      layout = .mpu6500
      fifoSize = 512
      thermometer = .mpu6500
      powerManagementReset = 0x01
      coldStartUp = .milliseconds(30)
    }

    /// An ICM part: 6500 layout, its own thermometer, no auxiliary bus.
    ///
    /// The state at reset is not known for all of them; asleep is the one that a driver has to handle.
    public init(icmIdentity identity: UInt8, fifoSize: Int) {
      self.init(mpu6500Identity: identity)
      self.fifoSize = fifoSize
      hasAuxiliaryBus = false
      thermometer = .icm206xx
      accelerometerFilter = .mpu9250
      powerManagementReset = 0x40
    }
  }
}

extension EmulatedMPU6050.Part {
  /// The MPU-6050; to a driver of the accelerometer, 6000 and 9150 are the same.
  public static let mpu6050 = Self(mpu6050Identity: 0x68)
  /// The MPU-6500.
  public static let mpu6500 = Self(mpu6500Identity: 0x70)
  /// The MPU-6515.
  public static let mpu6515 = Self(mpu6500Identity: 0x74)
  /// The MPU-9250, without its magnetometer.
  public static let mpu9250 = Self(mpu6500Identity: 0x71).with { $0.accelerometerFilter = .mpu9250 }
  /// The MPU-9255, without its magnetometer.
  public static let mpu9255 = Self(mpu6500Identity: 0x73).with { $0.accelerometerFilter = .mpu9250 }
  /// The MPU-6880: a 6500 with 4096 bytes of FIFO.
  public static let mpu6880 = Self(mpu6500Identity: 0x78).with { $0.fifoSize = 4_096 }
  /// The ICM-20600.
  public static let icm20600 = Self(icmIdentity: 0x11, fifoSize: 1_008)
  /// The ICM-20602.
  public static let icm20602 = Self(icmIdentity: 0x12, fifoSize: 1_008)
  /// The ICM-20608.
  public static let icm20608 = Self(icmIdentity: 0xAF, fifoSize: 512)
  /// The ICM-20608D.
  public static let icm20608D = Self(icmIdentity: 0xAE, fifoSize: 512)
  /// The ICM-20609.
  public static let icm20609 = Self(icmIdentity: 0xA6, fifoSize: 4_096)
  /// The ICM-20689, whose FIFO has 512 bytes until ACCEL_CONFIG2 selects more.
  public static let icm20689 = Self(icmIdentity: 0x98, fifoSize: 4_096).with { $0.selectsFIFOSize = true }
  /// The ICM-20690.
  public static let icm20690 = Self(icmIdentity: 0x20, fifoSize: 1_024).with { $0.gyroscopeRangeShift = 2 }
  /// The IAM-20680.
  public static let iam20680 = Self(icmIdentity: 0xA9, fifoSize: 512)
  /// A part sold as an MPU-6050 whose WHO_AM_I is 0x98: an ICM with 512 bytes of FIFO, which is a guess.
  public static let clone98 = Self(icmIdentity: 0x98, fifoSize: 512)
  /// A part sold as an MPU-6050 whose WHO_AM_I is 0x72: reportedly like an MPU-6500.
  public static let clone72 = Self(mpu6500Identity: 0x72)

  /// This part after a change.
  private func with(_ change: (inout Self) -> Void) -> Self {
    var part = self
    change(&part)
    return part
  }
}

/// What self-test codes stand for, as a force or a rate.
///
/// Computed once per specimen; each formula is that of the register map, not a table of its results.
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

  /// The gyroscope's trim of the 6050 class in 1/65536 °/s; in the map that of Y is negative.
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

  /// `first × growth^(code - 1)`, rounded to the nearest whole number; 0 for code 0.
  private static func counts(_ first: Double, growing growth: Double, _ code: UInt8) -> Int64 {
    guard code > 0 else { return 0 }
    var value = first
    for _ in 1..<code { value *= growth }
    return Int64(value + 0.5)
  }
}

extension EmulatedMPU6050.PerAxis {
  /// The values, X first.
  var array: [Value] { [x, y, z] }

  /// What `value` makes of each.
  fileprivate func values(_ value: (Value) -> Int64) -> AxisValues {
    AxisValues(x: value(x), y: value(y), z: value(z))
  }
}

extension EmulatedMPU6050.Configuration {
  /// What the self-test bits add to the accelerometer, in 1/65536 g.
  var accelerometerTrim: AxisValues {
    if let own = selfTestDeflection { return AxisValues(own) }
    return selfTestCodes.values(part.layout == .mpu6050 ? FactoryTrim.accelerometer5 : FactoryTrim.accelerometer8)
  }

  /// What the self-test bits add to the gyroscope, in 1/65536 °/s.
  var gyroscopeTrim: AxisValues {
    if let own = gyroscopeSelfTestDeflection { return AxisValues(own) }
    guard part.layout == .mpu6050 else { return gyroscopeSelfTestCodes.values(FactoryTrim.gyroscope8) }
    var trim = gyroscopeSelfTestCodes.values(FactoryTrim.gyroscope5)
    trim.y = -trim.y
    return trim
  }

  /// The registers; those of the factory's codes are read-only.
  var registers: RegisterMap {
    let isNew = part.layout == .mpu6500
    var rows: [RegisterMap.Row] = [
      .registers(0x13...0x19, writable: 0xFF), .registers(0x1A, writable: isNew ? 0x7F : 0x3F),
      .registers(0x1B, writable: part.gyroscopeRangeShift == 2 ? 0xFC : 0xF8),
      .registers(0x1C, writable: isNew ? 0xF8 : 0xFF), .registers(0x23, writable: 0xFF),
      .registers(0x37, writable: 0xFE), .registers(0x38, writable: 0x59),
      .registers(0x68, writable: 0x07, selfClearing: 0x07), .registers(0x6A, writable: 0x77, selfClearing: 0x07),
      .registers(
        0x6B, writable: isNew ? 0xFF : 0xEF, reset: part.powerManagementReset, selfClearing: 0x80),
      .registers(0x6C, writable: 0xFF), .registers(0x75, reset: part.identity),
    ]
    if part.hasAuxiliaryBus {
      rows += [.registers(0x24...0x34, writable: 0xFF), .registers(0x63...0x67, writable: 0xFF)]
    }
    if isNew {
      rows += [
        .registers(0x1D, writable: part.selectsFIFOSize ? 0xCF : 0x0F), .registers(0x1E, writable: 0x0F),
        .registers(0x1F, writable: 0xFF), .registers(0x69, writable: 0xC0),
      ]
    } else {
      rows += [.registers(0x1F, 0x20, writable: 0xFF), .registers(0x69, writable: 0x3F)]
    }
    let (codes, gyroscopeCodes) = (selfTestCodes, gyroscopeSelfTestCodes)
    for (axis, (code, gyroscopeCode)) in zip(codes.array, gyroscopeCodes.array).enumerated() {
      // 6050 class: three high bits next to the gyroscope's code, two low bits in the fourth register, X uppermost.
      rows.append(.registers(0x0D + axis, reset: isNew ? code : (code & 0x1C) << 3 | gyroscopeCode & 0x1F))
      if isNew { rows.append(.registers(axis, reset: gyroscopeCode)) }
    }
    if !isNew { rows.append(.registers(0x10, reset: codes.x << 4 & 0x30 | codes.y << 2 & 0x0C | codes.z & 0x03)) }
    for (axis, offset) in factoryOffsets.array.enumerated() {
      let register = part.forceOffset(axis)
      rows.append(.registers(register, writable: 0xFF, reset: UInt8(truncatingIfNeeded: offset >> 8)))
      rows.append(.registers(register + 1, writable: 0xFF, reset: UInt8(truncatingIfNeeded: offset)))
    }
    return RegisterMap(identity: 0x75, steps: [.init(at: 0x74, to: 0x74)], rows: rows)
  }
}

extension EmulatedMPU6050.Part {
  /// The high byte of the accelerometer's offset on `axis`; the low one follows.
  func forceOffset(_ axis: Int) -> Int { layout == .mpu6050 ? 0x06 + 2 * axis : 0x77 + 3 * axis }
}

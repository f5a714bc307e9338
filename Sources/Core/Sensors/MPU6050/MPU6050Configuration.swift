public import FixedPoint
public import HAL

/// The MPU-6050 of InvenSense (TDK) and its family, over I2C: MPU-6000, 6050, 9150, 6500, 6515, 9250, 9255 and
/// relatives.
///
/// Make a `Configuration`, then a `Device` over any `I2CBus`; `start()` and `proceed()` configure the part, `sample()`
/// reads its accelerometer; `Batched` takes what its FIFO collects.
///
/// - Datasheet: RM-MPU-6000A rev. 4.2 and PS-MPU-6000A rev. 3.4; RM-MPU-6500A rev. 2.1.
public enum MPU6050 {
  /// The address with AD0 low, as most breakout boards wire it: 0x68.
  public static var address: I2CAddress { I2CAddress(fromDatasheet: 0x68) }

  /// The address with AD0 high: 0x69. WHO_AM_I does not reflect it.
  public static var alternateAddress: I2CAddress { I2CAddress(fromDatasheet: 0x69) }

  /// The value of WHO_AM_I of the MPU-6050 itself; see ``Part`` for related parts.
  public static var identity: UInt8 { Part.mpu6050.rawValue }

  /// The configuration of the part.
  public typealias Configuration = InvenSense.Configuration<MPU6050>
  /// The largest specific force that is measured.
  public typealias Range = InvenSense.Range
  /// The largest rate of rotation that is measured.
  public typealias GyroscopeRange = InvenSense.GyroscopeRange
  /// How the interrupt pin behaves.
  public typealias Interrupts = InvenSense.Interrupts
  /// What is stored in the FIFO, in addition to the specific force, and how it is read.
  public typealias FIFO = InvenSense.FIFO
}

extension MPU6050 {
  /// The sample rate: 1 kHz / (1 + divider), 3.9 to 1000 Hz.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, register 25.
  public struct SampleRate: DividedRate {
    /// 1 kHz.
    public static var baseHertz: UInt16 { 1_000 }

    /// SMPLRT_DIV.
    public var divider: UInt8

    /// The rate for a divider.
    public init(divider: UInt8) { self.divider = divider }

    /// 50 Hz.
    public static var hz50: SampleRate { SampleRate(divider: 19) }
    /// 100 Hz.
    public static var hz100: SampleRate { SampleRate(divider: 9) }
    /// 200 Hz.
    public static var hz200: SampleRate { SampleRate(divider: 4) }
    /// 500 Hz.
    public static var hz500: SampleRate { SampleRate(divider: 1) }
    /// 1000 Hz: the maximum of the accelerometer.
    public static var hz1000: SampleRate { SampleRate(divider: 0) }
  }

  /// The low-pass filter, named after the bandwidth of the accelerometer in the MPU-6050; related parts differ by a few
  /// hertz.
  ///
  /// Only filters that keep the base rate at 1 kHz.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, register 26.
  public enum Filter: UInt8, Equatable, Sendable {
    /// The widest: 184 Hz.
    case hz184 = 1
    /// 94, 44, 21, 10 and 5 Hz.
    case hz94, hz44, hz21, hz10, hz5

    /// The delay of samples.
    ///
    /// Where the two register maps for the parts after the MPU-6050 differ, the longer delay.
    ///
    /// - Datasheet: RM-MPU-6000A rev. 4.2, register 26; RM-MPU-6500A rev. 2.1, register 29.
    public func delay(of part: Part) -> Microseconds {
      switch self {
      case .hz184: Microseconds(part.isFirstClass ? 2_000 : 5_800)
      case .hz94: Microseconds(part.isFirstClass ? 3_000 : 7_800)
      case .hz44: Microseconds(part.isFirstClass ? 4_900 : 11_800)
      case .hz21: Microseconds(part.isFirstClass ? 8_500 : 19_800)
      case .hz10: Microseconds(part.isFirstClass ? 13_800 : 35_700)
      case .hz5: Microseconds(part.isFirstClass ? 19_000 : 66_960)
      }
    }
  }
}

extension MPU6050: InvenSense.Model {
  /// 100 Hz.
  public static var usualRate: SampleRate { .hz100 }

  /// 44 Hz.
  public static var usualFilter: Filter { .hz44 }

  /// The widest filter that passes nothing above half of the rate; the narrowest, 5 Hz, if none is narrow enough.
  public static func filter(atMillihertz millihertz: Int32) -> Filter {
    switch millihertz / 2 {
    case 184_000...: .hz184
    case 94_000...: .hz94
    case 44_000...: .hz44
    case 21_000...: .hz21
    case 10_000...: .hz10
    default: .hz5
    }
  }

  /// Without the FIFO it is one burst with a check.
  public static func bitsPerSample(_ configuration: Configuration) -> UInt32 {
    configuration.usesFIFO
      ? configuration.bitsPerRecord(checked: 4) : busBits(reading: configuration.usesGyroscope ? 18 : 10)
  }

  /// Some parts of the family cannot use the FIFO.
  public static func supports(_ configuration: Configuration, identity: UInt8) -> Bool {
    Part(rawValue: identity)?.supports(configuration) ?? true
  }
}

extension MPU6050.Configuration {
  /// INT_ENABLE. It also enables the overflow of the FIFO, because the register map guarantees the status bit only if
  /// enabled.
  var enableByte: UInt8 {
    MPU6050.InterruptField(fifoOverflow: usesFIFO, dataReady: interrupts.signalsDataReady).encoded
  }

  /// SMPLRT_DIV, CONFIG (the filter; frame synchronisation off, the FIFO drops its oldest bytes when full),
  /// GYRO_CONFIG, ACCEL_CONFIG, and ACCEL_CONFIG2, which the 6050 class does not have.
  func rateBytes(of part: MPU6050.Part) -> InlineArray<5, UInt8> {
    let scales = scaleBytes(of: part)
    return [
      rate.divider, filter.rawValue, scales[0], scales[1], MPU6050.AccelerometerFilterField(filter: filter).encoded,
    ]
  }

  /// GYRO_CONFIG, which has its reset value with the gyroscope off, and ACCEL_CONFIG.
  func scaleBytes(of part: MPU6050.Part, selfTests: Bool = false) -> InlineArray<2, UInt8> {
    [
      gyroscope.map { MPU6050.GyroscopeField(range: $0, selfTests: selfTests).encoded(of: part) } ?? 0,
      MPU6050.AccelerometerField(range: range, selfTests: selfTests).encoded,
    ]
  }

  /// PWR_MGMT_1, awake.
  ///
  /// In the 6050 class, the best clock comes from the gyroscope and so needs it on; later parts choose automatically.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, register 107.
  func powerByte(of part: MPU6050.Part) -> UInt8 {
    InvenSense.PowerField(clock: part.isFirstClass && !usesGyroscope ? 0 : 1).encoded
  }
}

public import FixedPoint
public import HAL

/// The ICM-20948 of InvenSense (TDK), over I2C: accelerometer, gyroscope and thermometer. Its magnetometer is not used.
///
/// Make a `Configuration`, then a `Device` over any `I2CBus`; `start()` and `proceed()` configure the part, `sample()`
/// reads its accelerometer; `Batched` takes what its FIFO collects.
///
/// Registers are in four banks. Rates, ranges and filters are in bank 2, samples in bank 0, which stays selected except
/// while the driver configures the part. What it has in common with the MPU-6500, such as ranges, is in `InvenSense`.
///
/// - Datasheet: DS-000189 rev. 1.6.
public enum ICM20948 {
  /// The address with AD0 low: 0x68.
  public static var address: I2CAddress { I2CAddress(fromDatasheet: 0x68) }

  /// The address with AD0 high: 0x69. Most breakout boards pull AD0 high.
  public static var alternateAddress: I2CAddress { I2CAddress(fromDatasheet: 0x69) }

  /// The value of WHO_AM_I.
  public static var identity: UInt8 { 0xEA }

  /// The configuration of the part.
  public typealias Configuration = InvenSense.Configuration<ICM20948>
  /// The largest specific force that is measured.
  public typealias Range = InvenSense.Range
  /// The largest rate of rotation that is measured.
  public typealias GyroscopeRange = InvenSense.GyroscopeRange
  /// How the interrupt pin behaves.
  public typealias Interrupts = InvenSense.Interrupts
  /// What is stored in the FIFO, in addition to the specific force, and how it is read.
  public typealias FIFO = InvenSense.FIFO

  /// The sample rate: 1125 Hz / (1 + divider), 4.4 to 1125 Hz.
  ///
  /// The accelerometer alone has a divider of 12 bits; lower rates would only make samples older.
  ///
  /// - Datasheet: DS-000189 rev. 1.6, GYRO_SMPLRT_DIV and ACCEL_SMPLRT_DIV_1.
  public struct SampleRate: DividedRate {
    /// 1125 Hz.
    public static var baseHertz: UInt16 { 1_125 }

    /// The divider of both sensors.
    public var divider: UInt8

    /// The rate for a divider.
    public init(divider: UInt8) { self.divider = divider }

    /// 102.3 Hz.
    public static var hz102: SampleRate { SampleRate(divider: 10) }
    /// 225 Hz.
    public static var hz225: SampleRate { SampleRate(divider: 4) }
    /// 1125 Hz: the maximum of the accelerometer with its filter.
    public static var hz1125: SampleRate { SampleRate(divider: 0) }
  }

  /// The low-pass filter, named after the bandwidth of the accelerometer: 246, 111.4, 50.4, 23.9, 11.5, 5.7 and 473 Hz.
  /// That of the gyroscope is 151.8, 119.5, 51.2, 23.9, 11.6, 5.7 and 361.4 Hz.
  ///
  /// - Datasheet: DS-000189 rev. 1.6, tables 16 and 18.
  public enum Filter: UInt8, Equatable, Sendable {
    /// 246 Hz.
    case hz246 = 1
    /// 111.4 Hz.
    case hz111
    /// 50.4 Hz.
    case hz50
    /// 23.9 Hz.
    case hz24
    /// 11.5 Hz.
    case hz12
    /// 5.7 Hz.
    case hz6
    /// The widest: 473 Hz.
    case hz473

    /// The delay of samples: at most that of the MPU-6500's filter with the same code, whose bandwidth is smaller. The
    /// data sheet has none, so this is inferred.
    public var delay: Microseconds { (MPU6050.Filter(rawValue: rawValue) ?? .hz184).delay(of: .mpu6500) }
  }
}

extension ICM20948: InvenSense.Model {
  /// 102.3 Hz.
  public static var usualRate: SampleRate { .hz102 }

  /// 50 Hz.
  public static var usualFilter: Filter { .hz50 }

  /// The widest filter whose bandwidth is about half of the rate at most; the narrowest, 5.7 Hz, if there is none.
  public static func filter(atMillihertz millihertz: Int32) -> Filter {
    switch millihertz {
    case 946_000...: .hz473
    case 492_000...: .hz246
    case 222_000...: .hz111
    case 100_000...: .hz50
    case 47_000...: .hz24
    case 23_000...: .hz12
    default: .hz6
    }
  }

  /// Without the FIFO it is one burst and a check.
  public static func bitsPerSample(_ configuration: Configuration) -> UInt32 {
    configuration.usesFIFO
      ? configuration.bitsPerRecord(checked: 13)
      : busBits(reading: configuration.usesGyroscope ? 14 : 6) &+ busBits(reading: 3)
  }

  /// There is one part.
  public static func supports(_ configuration: Configuration, identity: UInt8) -> Bool { true }
}

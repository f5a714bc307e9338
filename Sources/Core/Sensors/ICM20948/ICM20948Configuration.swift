public import FixedPoint
public import HAL

/// The ICM-20948 of InvenSense (TDK), over I2C: accelerometer, gyroscope and thermometer. Its magnetometer is not used.
///
/// Make a `Configuration`, then a `Device` over any `I2CBus`; `start()` and `proceed()` configure the part, `sample()`
/// reads its accelerometer; `Batched` takes what its FIFO collects.
///
/// Registers are in four banks. Rates, ranges and filters are in bank 2, samples in bank 0, which stays selected except
/// while the driver configures the part. What it has in common with the MPU-6500, such as ranges, uses the same types.
///
/// - Datasheet: DS-000189 rev. 1.6.
public enum ICM20948 {
  /// The address with AD0 low: 0x68.
  public static var address: I2CAddress { I2CAddress(fromDatasheet: 0x68) }

  /// The address with AD0 high: 0x69. Most breakout boards pull AD0 high.
  public static var alternateAddress: I2CAddress { I2CAddress(fromDatasheet: 0x69) }

  /// The value of WHO_AM_I.
  public static var identity: UInt8 { 0xEA }

  /// The largest specific force that is measured: 16384, 8192, 4096 or 2048 LSB/g.
  ///
  /// - Datasheet: DS-000189 rev. 1.6, table 2.
  public typealias Range = MPU6050.Range

  /// The largest rate of rotation that is measured: 131, 65.5, 32.8 or 16.4 LSB per °/s.
  ///
  /// - Datasheet: DS-000189 rev. 1.6, table 1.
  public typealias GyroscopeRange = MPU6050.GyroscopeRange

  /// How the interrupt pin behaves.
  ///
  /// - Datasheet: DS-000189 rev. 1.6, INT_PIN_CFG.
  public typealias Interrupts = MPU6050.Interrupts

  /// What is stored in the FIFO, in addition to the specific force, and how it is read.
  public typealias FIFO = MPU6050.FIFO

  /// The configuration of the part.
  public struct Configuration: Equatable, Sendable {
    /// The sample rate. Default 102.3 Hz.
    public var rate: SampleRate
    /// The largest specific force it measures. Default ±4 g.
    public var range: Range
    /// The low-pass filter for accelerometer and gyroscope. Default 50 Hz.
    public var filter: Filter
    /// The range of the gyroscope; nil for off. Default nil.
    public var gyroscope: GyroscopeRange?
    /// What drives the interrupt pin, and how. Default: nothing.
    public var interrupts: Interrupts
    /// What is stored in the FIFO; nil for no FIFO. Default nil.
    public var fifo: FIFO?
    /// How many samples to take per check of the configuration, a second read; nil for one check per second at the
    /// nominal rate. Default nil; 0 counts as 1.
    public var samplesPerWatch: UInt16?

    /// A configuration; the defaults are 102.3 Hz, ±4 g, 50 Hz, and everything else off.
    public init(
      rate: SampleRate = .hz102, range: Range = .g4, filter: Filter = .hz50, gyroscope: GyroscopeRange? = nil,
      interrupts: Interrupts = Interrupts(), fifo: FIFO? = nil, samplesPerWatch: UInt16? = nil
    ) {
      (self.rate, self.range, self.filter, self.gyroscope) = (rate, range, filter, gyroscope)
      (self.interrupts, self.fifo, self.samplesPerWatch) = (interrupts, fifo, samplesPerWatch)
    }

    /// The nominal time from one sample to the next, rounded to 1 µs.
    ///
    /// The part's clock is off by at most 5 % with the gyroscope off, and 9 % with it on.
    ///
    /// - Datasheet: DS-000189 rev. 1.6, table 4.
    public var period: Microseconds { rate.period }
  }

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

    /// The nominal time from one sample to the next: (1 + divider) · 8000/9 µs, rounded to nearest.
    public var period: Microseconds { Microseconds((widened(Int32(divider) &+ 1) &* 8_000 &+ 4) / 9) }
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

extension ICM20948.Configuration: RecordConfiguration {
  /// Refuses a sample rate that a bus of `frequency` hertz cannot follow; with an unknown frequency, none.
  ///
  /// - Throws: `rateTooHigh` if samples come faster than the bus can carry them.
  public func check(against frequency: UInt32?) throws(SensorError) {
    try rate.check(bits: bitsPerSample, against: frequency)
  }

  /// The largest number of bits on the bus per sample.
  ///
  /// Without the FIFO it is one burst and a check.
  var bitsPerSample: UInt32 {
    usesFIFO
      ? bitsPerRecord(checked: 13) : MPU6050.bits(reading: usesGyroscope ? 14 : 6) &+ MPU6050.bits(reading: 3)
  }
}

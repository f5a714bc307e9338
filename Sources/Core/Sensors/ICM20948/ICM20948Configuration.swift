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
  public struct SampleRate: Equatable, Sendable {
    /// The divider of both sensors.
    public var divider: UInt8

    /// The rate for a divider.
    public init(divider: UInt8) { self.divider = divider }

    /// The lowest rate of at least `millihertz` / 1000 Hz; nil above 1125 Hz, and for any number that is not positive.
    public init?(atLeastMillihertz millihertz: Int32) {
      guard millihertz > 0, millihertz <= 1_125_000 else { return nil }
      self.init(divider: UInt8(truncatingIfNeeded: min(255, 1_125_000 / millihertz &- 1)))
    }

    /// 102.3 Hz.
    public static var hz102: SampleRate { SampleRate(divider: 10) }
    /// 225 Hz.
    public static var hz225: SampleRate { SampleRate(divider: 4) }
    /// 1125 Hz: the maximum of the accelerometer with its filter.
    public static var hz1125: SampleRate { SampleRate(divider: 0) }

    /// The nominal time from one sample to the next: (1 + divider) · 8000/9 µs, rounded to nearest.
    public var period: Microseconds { Microseconds((widened(Int32(divider) &+ 1) &* 8_000 &+ 4) / 9) }

    /// Whole samples per second, at least 4.
    var samplesPerSecond: UInt16 { 1_125 / (UInt16(divider) &+ 1) }
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

extension ICM20948.Configuration {
  var usesFIFO: Bool { fifo != nil }
  var usesGyroscope: Bool { gyroscope != nil }

  /// The content of a record in the FIFO.
  var fifoLayout: MPU6050.RecordLayout {
    MPU6050.RecordLayout(
      hasTemperature: fifo?.includesTemperature == true, hasRotation: fifo?.includesRotation == true && usesGyroscope)
  }

  /// The number of samples between two checks of the configuration.
  var samplesBetweenWatches: UInt16 { max(1, samplesPerWatch ?? rate.samplesPerSecond) &- 1 }

  /// Refuses a sample rate that a bus of `frequency` hertz cannot follow; with an unknown frequency, none.
  ///
  /// - Throws: `rateTooHigh` if samples come faster than the bus can carry them.
  public func check(against frequency: UInt32?) throws(SensorError) {
    guard let busHertz = frequency else { return }
    let bits = bitsPerSample
    // bits / busHertz ≤ (1 + divider) / 1125.
    let needed = widened(bits) &* 1_125
    guard needed > widened(UInt32(rate.divider) &+ 1) &* widened(busHertz) else { return }
    throw .rateTooHigh(
      busHertz: busHertz, highestHertz: ICM20948.highestHertz(bits: needed, busHertz: widened(busHertz)))
  }

  /// The largest number of bits on the bus per sample.
  ///
  /// Without the FIFO it is one burst and a check. With it, it is a share of a full burst, of the count and of the
  /// check, which go with each batch: in the worst case, there is one batch per burst.
  var bitsPerSample: UInt32 {
    guard usesFIFO, let fifo else {
      return MPU6050.bits(reading: usesGyroscope ? 14 : 6) &+ MPU6050.bits(reading: 3)
    }
    let size = UInt32(truncatingIfNeeded: fifoLayout.size)
    let records = UInt32(truncatingIfNeeded: fifo.recordsPerBurst(fifoLayout))
    let bits = MPU6050.bits(reading: size &* records) &+ MPU6050.bits(reading: 2) &+ MPU6050.bits(reading: 13)
    return (bits &+ records &- 1) / records
  }
}

extension ICM20948 {
  /// The highest sample rate, in whole hertz, if `bits` are needed a second at 1125 Hz; 0 for none.
  static func highestHertz(bits: UInt64, busHertz: UInt64) -> UInt32 {
    guard busHertz > 0 else { return 0 }
    let parts = (bits &- 1) / busHertz &+ 1
    return parts > 256 ? 0 : UInt32(truncatingIfNeeded: 1_125 / parts)
  }
}

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
  public struct Configuration: Equatable, Sendable {
    /// The sample rate. Default 100 Hz.
    public var rate: SampleRate
    /// The largest specific force it measures. Default ±4 g.
    public var range: Range
    /// The low-pass filter for accelerometer and gyroscope. Default 44 Hz.
    public var filter: Filter
    /// The range of the gyroscope; nil for off, which saves 3 mA. Default nil.
    public var gyroscope: GyroscopeRange?
    /// What drives the interrupt pin, and how. Default: nothing.
    public var interrupts: Interrupts
    /// What is stored in the FIFO; nil for no FIFO. Default nil.
    public var fifo: FIFO?
    /// How many samples to take per check of the configuration, which is read along with a sample; nil for one check
    /// per second at the nominal rate. Default nil; 0 counts as 1.
    public var samplesPerWatch: UInt16?
    /// Whether to use a part of which only hearsay is known (`Admission.onlyIfAsked`). Default false.
    public var acceptsUnverifiedParts: Bool

    /// A configuration; the defaults are 100 Hz, ±4 g, 44 Hz, and everything else off.
    public init(
      rate: SampleRate = .hz100, range: Range = .g4, filter: Filter = .hz44, gyroscope: GyroscopeRange? = nil,
      interrupts: Interrupts = Interrupts(), fifo: FIFO? = nil,
      samplesPerWatch: UInt16? = nil, acceptsUnverifiedParts: Bool = false
    ) {
      self.rate = rate
      self.range = range
      self.filter = filter
      self.gyroscope = gyroscope
      self.interrupts = interrupts
      self.fifo = fifo
      self.samplesPerWatch = samplesPerWatch
      self.acceptsUnverifiedParts = acceptsUnverifiedParts
    }

    /// The nominal time from one sample to the next.
    ///
    /// The part's own clock is off by at most 1 % with the gyroscope on, and at most 5 % at room temperature without.
    public var period: Microseconds { rate.period }
  }
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

    /// The nominal time from one sample to the next: exact.
    public var period: Microseconds { Microseconds.milliseconds(1) * widened(Int32(divider) &+ 1) }
  }

  /// How often the part wakes to measure in cycle mode, in which it watches for movement: LP_WAKE_CTRL.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, register 108.
  package enum CycleRate: UInt8, Equatable, Sendable {
    /// 1.25, 5, 20 and 40 Hz.
    case hz1_25, hz5, hz20, hz40
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

  /// The largest specific force that is measured.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, register 28.
  public enum Range: UInt8, ForceRange {
    /// ±2, ±4, ±8 and ±16 g: 16384, 8192, 4096 and 2048 LSB/g.
    case g2, g4, g8, g16

    /// The limit of the range, in g: 2, 4, 8 or 16.
    public var g: Int32 { 2 &<< Int32(rawValue) }
  }

  /// The largest rate of rotation that is measured.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, register 27.
  public enum GyroscopeRange: UInt8, RotationRange {
    /// ±250, ±500, ±1000 and ±2000 °/s: 131, 65.5, 32.8 and 16.4 LSB per °/s.
    case dps250, dps500, dps1000, dps2000

    /// The limit of the range, in °/s: 250, 500, 1000 or 2000.
    public var degreesPerSecond: Int32 { 250 &<< Int32(rawValue) }
  }

  /// How the interrupt pin behaves.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 55 and 56.
  public struct Interrupts: Equatable, Sendable {
    /// Whether each new sample drives the pin.
    public var signalsDataReady: Bool
    /// Whether the pin is low while driven.
    public var isActiveLow: Bool
    /// Whether the pin is open drain, not push-pull.
    public var isOpenDrain: Bool
    /// Whether the pin stays driven until cleared, instead of for 50 µs.
    public var isLatched: Bool
    /// Whether any read clears it, not only a read of INT_STATUS. Not with the FIFO: its overflow would go unnoticed.
    public var isClearedByAnyRead: Bool

    /// A pin; by default nothing drives it.
    public init(
      signalsDataReady: Bool = false, isActiveLow: Bool = false, isOpenDrain: Bool = false, isLatched: Bool = false,
      isClearedByAnyRead: Bool = false
    ) {
      self.signalsDataReady = signalsDataReady
      self.isActiveLow = isActiveLow
      self.isOpenDrain = isOpenDrain
      self.isLatched = isLatched
      self.isClearedByAnyRead = isClearedByAnyRead
    }
  }
}

extension MPU6050.Configuration: RecordConfiguration {
  var interruptPinByte: UInt8 { MPU6050.InterruptPinField(interrupts, withFIFO: usesFIFO).encoded }

  /// INT_ENABLE. It also enables the overflow of the FIFO, because the register map guarantees the status bit only if
  /// enabled.
  var interruptEnableByte: UInt8 {
    MPU6050.InterruptField(fifoOverflow: usesFIFO, dataReady: interrupts.signalsDataReady).encoded
  }

  /// GYRO_CONFIG; its reset value with the gyroscope off.
  func gyroscopeByte(of part: MPU6050.Part, selfTests: Bool = false) -> UInt8 {
    guard usesGyroscope, let gyroscope else { return 0 }
    return MPU6050.GyroscopeField(range: gyroscope, selfTests: selfTests).encoded(of: part)
  }

  /// ACCEL_CONFIG2.
  var accelerometerFilterByte: UInt8 { MPU6050.AccelerometerFilterField(filter: filter).encoded }

  /// PWR_MGMT_1, awake.
  ///
  /// In the 6050 class, the best clock comes from the gyroscope and so needs it on; later parts choose automatically.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, register 107.
  func powerByte(of part: MPU6050.Part) -> UInt8 {
    MPU6050.PowerField(clock: part.hasAccelerometerFilter || usesGyroscope ? 1 : 0).encoded
  }

  /// PWR_MGMT_2.
  var standbyByte: UInt8 { MPU6050.StandbyField(gyroscopeIsOn: usesGyroscope).encoded }

  /// Rejects a sample rate that a bus of `frequency` hertz cannot follow; with an unknown frequency, no rate is
  /// rejected.
  ///
  /// - Throws: `rateTooHigh` if samples come faster than the bus can carry them.
  public func check(against frequency: UInt32?) throws(SensorError) {
    try rate.check(bits: bitsPerSample, against: frequency)
  }

  /// The largest number of bits on the bus per sample.
  ///
  /// Without the FIFO it is one burst with a check.
  var bitsPerSample: UInt32 {
    usesFIFO ? bitsPerRecord(checked: 4) : MPU6050.bits(reading: usesGyroscope ? 18 : 10)
  }
}

extension MPU6050 {
  /// The bits of a burst read of `bytes` bytes: start, address, register, start, address, bytes and stop.
  ///
  /// - Source: UM10204 (I2C-bus specification) rev. 7, 3.1: nine bits per byte.
  static func bits(reading bytes: UInt32) -> UInt32 { 9 &* (3 &+ bytes) &+ 3 }
}

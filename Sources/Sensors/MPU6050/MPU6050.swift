public import FixedPoint
public import HAL

/// The MPU-6050 of InvenSense (TDK) and its family, over I2C: MPU-6000, 6050, 9150, 6500, 6515, 9250, 9255 and
/// relatives.
///
/// Make a `Configuration`, then a `Device` over any `I2CBus`; `start()` and `proceed()` configure the part, `sample()`
/// reads its accelerometer, `motion()` all it measures.
///
/// - Datasheet: RM-MPU-6000A rev. 4.2 and PS-MPU-6000A rev. 3.4; RM-MPU-6500A rev. 2.1.
public enum MPU6050 {
  /// The address with AD0 low, as most breakout boards wire it: 0x68.
  public static var address: I2CAddress { I2CAddress(fromDatasheet: 0x68) }

  /// The address with AD0 high: 0x69. WHO_AM_I does not follow it.
  public static var alternateAddress: I2CAddress { I2CAddress(fromDatasheet: 0x69) }

  /// What WHO_AM_I of the MPU-6050 itself reads; see ``Part`` for its relatives.
  public static var identity: UInt8 { Part.mpu6050.rawValue }

  /// How the part is set up.
  public struct Configuration: Equatable, Sendable {
    /// How often the part makes a sample. Default 100 Hz. Not in cycle mode.
    public var rate: SampleRate
    /// The largest specific force it measures. Default ±4 g.
    public var range: Range
    /// The low-pass filter of accelerometer and gyroscope. Default 44 Hz. Not in cycle mode.
    public var filter: Filter
    /// The range of the gyroscope; nil for off, which saves 3 mA. Default nil. Not in cycle mode.
    public var gyroscope: GyroscopeRange?
    /// How often the part wakes up to measure in cycle mode, which saves most of its current; nil for no cycle mode.
    ///
    /// Default nil. Without filter, gyroscope, temperature or FIFO, whatever the others say.
    public var cycleRate: CycleRate?
    /// How the interrupt pin behaves. Default: nothing drives it.
    public var interrupt: InterruptPin
    /// What goes into the FIFO; nil for none. Default nil. Not in cycle mode.
    public var fifo: FIFO?
    /// Every so many samples the configuration is watched along with the sample; nil for once a second of the nominal
    /// rate. Default nil; 0 counts as 1.
    public var samplesPerWatch: UInt16?
    /// Whether a part of which only hearsay is known is used (`Admission.onlyIfAsked`). Default false.
    public var acceptsUnverifiedParts: Bool

    /// A configuration; the defaults are 100 Hz, ±4 g, 44 Hz, and all else off.
    public init(
      rate: SampleRate = .hz100, range: Range = .g4, filter: Filter = .hz44, gyroscope: GyroscopeRange? = nil,
      cycleRate: CycleRate? = nil, interrupt: InterruptPin = InterruptPin(), fifo: FIFO? = nil,
      samplesPerWatch: UInt16? = nil, acceptsUnverifiedParts: Bool = false
    ) {
      self.rate = rate
      self.range = range
      self.filter = filter
      self.gyroscope = gyroscope
      self.cycleRate = cycleRate
      self.interrupt = interrupt
      self.fifo = fifo
      self.samplesPerWatch = samplesPerWatch
      self.acceptsUnverifiedParts = acceptsUnverifiedParts
    }

    /// The nominal time from one sample to the next.
    ///
    /// The part's own clock is 1 % off at most with the gyroscope on, 5 % at room temperature without.
    public var period: Microseconds { cycleRate?.period ?? rate.period }
  }
}

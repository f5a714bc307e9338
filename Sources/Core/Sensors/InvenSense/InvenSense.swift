/// What the MPU-6050 family and the ICM-20948, all of InvenSense (TDK), have in common: the younger part has other
/// register addresses, but the ranges, scales and fields of the older ones.
///
/// ``MPU6050`` and ``ICM20948`` have these types under their own names.
///
/// - Datasheet: those of the two.
public enum InvenSense {
  /// A model, as far as its configuration depends on it.
  public protocol Model {
    /// Its sample rate.
    associatedtype SampleRate: DividedRate
    /// Its low-pass filter, for accelerometer and gyroscope.
    associatedtype Filter: Equatable, Sendable

    /// The rate unless another is given.
    static var usualRate: SampleRate { get }
    /// The filter unless another is given.
    static var usualFilter: Filter { get }
    /// The filter for this many samples in 1000 seconds.
    static func filter(atMillihertz millihertz: Int32) -> Filter
    /// The largest number of bits on the bus per sample.
    static func bitsPerSample(_ configuration: Configuration<Self>) -> UInt32
    /// Whether the part with `identity` can do what is configured; true for an unknown one.
    static func supports(_ configuration: Configuration<Self>, identity: UInt8) -> Bool
  }

  /// The largest specific force that is measured.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, register 28; DS-000189 rev. 1.6, table 2.
  public enum Range: UInt8, ForceRange {
    /// ±2, ±4, ±8 and ±16 g: 16384, 8192, 4096 and 2048 LSB/g.
    case g2, g4, g8, g16

    /// The limit of the range, in g: 2, 4, 8 or 16.
    public var g: Int32 { 2 &<< Int32(rawValue) }

    /// One LSB in Q16.16.
    var unit: Int32 { 4 &<< Int32(rawValue) }
  }

  /// The largest rate of rotation that is measured.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, register 27; DS-000189 rev. 1.6, table 1.
  public enum GyroscopeRange: UInt8, RotationRange {
    /// ±250, ±500, ±1000 and ±2000 °/s: 131, 65.5, 32.8 and 16.4 LSB per °/s.
    case dps250, dps500, dps1000, dps2000

    /// The limit of the range, in °/s: 250, 500, 1000 or 2000.
    public var degreesPerSecond: Int32 { 250 &<< Int32(rawValue) }
  }

  /// How the interrupt pin behaves.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 55 and 56; DS-000189 rev. 1.6, INT_PIN_CFG.
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

  /// What is stored in the FIFO, in addition to the specific force, and how it is read.
  public struct FIFO: Equatable, Sendable {
    /// Whether to store the temperature.
    public var includesTemperature: Bool
    /// Whether to store the rate of rotation; only with the gyroscope on.
    public var includesRotation: Bool
    /// The longest burst for reading it, in bytes; whole records are read, at least one and at most 240 bytes.
    ///
    /// Default 30, because an adapter with SMBus only reads at most 32; one with plain I2C can read 240, which saves
    /// bus time.
    public var longestBurst: UInt8

    /// A FIFO; by default for the specific force alone, 6 bytes per record, in bursts of 30 bytes.
    public init(includesTemperature: Bool = false, includesRotation: Bool = false, longestBurst: UInt8 = 30) {
      self.includesTemperature = includesTemperature
      self.includesRotation = includesRotation
      self.longestBurst = longestBurst
    }

    /// The number of records of a layout in one burst.
    func recordsPerBurst(_ layout: RecordLayout) -> Int { max(1, min(240, Int(longestBurst)) / layout.size) }
  }

  /// The bytes of a measurement: always the specific force, then any others.
  package struct RecordLayout: Equatable {
    package var hasTemperature: Bool
    package var hasRotation: Bool

    package init(hasTemperature: Bool, hasRotation: Bool) {
      self.hasTemperature = hasTemperature
      self.hasRotation = hasRotation
    }

    /// Everything, as in the data registers.
    static var whole: RecordLayout { RecordLayout(hasTemperature: true, hasRotation: true) }

    /// Bytes: 6, 8, 12 or 14.
    package var size: Int { 6 &+ (hasTemperature ? 2 : 0) &+ (hasRotation ? 6 : 0) }
  }
}

public import FixedPoint

extension MPU6050 {
  /// How often the part makes a sample: 1 kHz / (1 + divider), 3.9 to 1000 Hz.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, register 25.
  public struct SampleRate: Equatable, Sendable {
    /// SMPLRT_DIV.
    public var divider: UInt8

    /// The rate of a divider.
    public init(divider: UInt8) { self.divider = divider }

    /// The rate of `hertz`, or nil where 1000 Hz is no whole multiple of it: 4, 5, 8, 10, 20, 25, 40, 50, 100, 125,
    /// 200, 250, 500 and 1000 there are.
    public init?(hertz: Int32) {
      guard hertz >= 4, hertz <= 1_000, 1_000 % hertz == 0 else { return nil }
      divider = UInt8(truncatingIfNeeded: 1_000 / hertz &- 1)
    }

    /// 50, 100, 200, 500 and 1000 Hz.
    public static var hz50: SampleRate { SampleRate(divider: 19) }
    /// 100 Hz.
    public static var hz100: SampleRate { SampleRate(divider: 9) }
    /// 200 Hz.
    public static var hz200: SampleRate { SampleRate(divider: 4) }
    /// 500 Hz.
    public static var hz500: SampleRate { SampleRate(divider: 1) }
    /// 1000 Hz: the most that the accelerometer makes.
    public static var hz1000: SampleRate { SampleRate(divider: 0) }

    /// The nominal time from one sample to the next: exact.
    public var period: Microseconds { Microseconds.milliseconds(1) * widened(Int32(divider) &+ 1) }

    /// Whole samples in a second, at least 1.
    var samplesPerSecond: UInt16 { 1_000 / (UInt16(divider) &+ 1) }
  }

  /// How often cycle mode wakes up to measure.
  ///
  /// The parts from the MPU-6500 on have other rates; there the next faster one is set: 1.95, 7.81, 31.25 and 62.5 Hz.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, register 108; RM-MPU-6500A rev. 2.1, register 30.
  public enum CycleRate: UInt8, Equatable, Sendable {
    /// 1.25, 5, 20 and 40 Hz.
    case hz1_25, hz5, hz20, hz40

    /// The nominal time from one sample to the next.
    public var period: Microseconds {
      switch self {
      case .hz1_25: .milliseconds(800)
      case .hz5: .milliseconds(200)
      case .hz20: .milliseconds(50)
      case .hz40: .milliseconds(25)
      }
    }

    /// Whole samples in a second.
    var samplesPerSecond: UInt16 {
      switch self {
      case .hz1_25: 1
      case .hz5: 5
      case .hz20: 20
      case .hz40: 40
      }
    }

    /// LP_ACCEL_ODR of the parts that have it: 0.24 Hz · 2^code.
    var lowPowerCode: UInt8 {
      switch self {
      case .hz1_25: 3
      case .hz5: 5
      case .hz20: 7
      case .hz40: 8
      }
    }
  }

  /// The low-pass filter, by the bandwidth of the accelerometer in the MPU-6050; its relatives differ by a few hertz.
  ///
  /// Only the filters that leave the base rate at 1 kHz.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, register 26.
  public enum Filter: UInt8, Equatable, Sendable {
    /// The widest: 184 Hz.
    case hz184 = 1
    /// 94, 44, 21, 10 and 5 Hz.
    case hz94, hz44, hz21, hz10, hz5

    /// By how much samples lag behind.
    ///
    /// Of the two register maps that speak of the parts after the MPU-6050, the slower figures.
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
  public enum Range: UInt8, Equatable, Sendable {
    /// ±2, ±4, ±8 and ±16 g: 16384, 8192, 4096 and 2048 LSB/g.
    case g2, g4, g8, g16

    /// The range that reaches to ±`g` g, or nil where the part has none such.
    public init?(g: Int32) {
      switch g {
      case 2: self = .g2
      case 4: self = .g4
      case 8: self = .g8
      case 16: self = .g16
      default: return nil
      }
    }
  }

  /// The greatest rate of rotation that is measured.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, register 27.
  public enum GyroscopeRange: UInt8, Equatable, Sendable {
    /// ±250, ±500, ±1000 and ±2000 °/s: 131, 65.5, 32.8 and 16.4 LSB per °/s.
    case dps250, dps500, dps1000, dps2000
  }

  /// How the interrupt pin behaves.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 55 and 56.
  public struct InterruptPin: Equatable, Sendable {
    /// Whether each new sample drives the pin.
    public var signalsDataReady: Bool
    /// Whether the pin is low while driven.
    public var isActiveLow: Bool
    /// Whether the pin is open drain, not push-pull.
    public var isOpenDrain: Bool
    /// Whether the pin stays driven until it is cleared, instead of for 50 µs.
    public var isLatched: Bool
    /// Whether any read clears it, not only that of INT_STATUS. Not with the FIFO: its overflow would go unseen.
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

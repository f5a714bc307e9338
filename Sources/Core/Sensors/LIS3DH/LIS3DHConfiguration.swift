public import FixedPoint
public import HAL

/// The LIS3DH three-axis accelerometer from STMicroelectronics over I2C, and parts with the same register map, such as
/// the LIS2DH12.
///
/// Make a `Configuration`, then a `Device` on any `I2CBus`; `start()` configures the part, `sample()` reads it.
///
/// - Datasheet: LIS3DH Rev. 2 (December 2016).
public enum LIS3DH {
  /// The address with SDO (SA0) low, as on breakout boards: 0x18.
  public static var address: I2CAddress { I2CAddress(fromDatasheet: 0x18) }

  /// The address with SDO (SA0) high, or open on a bare part, which pulls the pin up: 0x19.
  public static var alternateAddress: I2CAddress { I2CAddress(fromDatasheet: 0x19) }

  /// The value of WHO_AM_I, the same as in the LIS2DH, LIS2DH12 and LSM303AGR.
  ///
  /// - Datasheet: Rev. 2, 8.6.
  public static var identity: UInt8 { 0x33 }

  /// How the part is set up.
  public struct Configuration: Equatable, Sendable {
    /// How often the part takes a sample.
    public var rate: OutputDataRate
    /// The largest specific force that it measures.
    public var range: Range
    /// The number of bits, and with it the bandwidth.
    public var resolution: Resolution
    /// Whether and how the part buffers samples.
    public var fifo: FIFO
    /// What drives INT1.
    public var interrupts: Interrupts

    /// A configuration. The defaults are 100 Hz, ±4 g and 12 bits, with neither FIFO nor interrupts.
    public init(
      rate: OutputDataRate = .hz100, range: Range = .g4, resolution: Resolution = .high, fifo: FIFO = .bypass,
      interrupts: Interrupts = Interrupts()
    ) {
      (self.rate, self.range, self.resolution) = (rate, range, resolution)
      (self.fifo, self.interrupts) = (fifo, interrupts)
    }
  }
}

extension LIS3DH {
  /// An output data rate; the raw value is its code.
  ///
  /// - Datasheet: Rev. 2, table 31.
  public enum OutputDataRate: UInt8, Equatable, Sendable {
    /// 1 Hz to 400 Hz.
    case hz1 = 1, hz10, hz25, hz50, hz100, hz200, hz400
    /// 1344 Hz.
    case hz1344 = 9

    /// The rate in hertz.
    var hertz: UInt32 {
      switch self {
      case .hz1: 1
      case .hz10: 10
      case .hz25: 25
      case .hz50: 50
      case .hz100: 100
      case .hz200: 200
      case .hz400: 400
      case .hz1344: 1_344
      }
    }

    /// The sample period in whole microseconds: exact, except at 1344 Hz, where the true period is 0.05 µs longer.
    public var period: Microseconds { Microseconds(widened(Int32(truncatingIfNeeded: 1_000_000 / hertz))) }

    /// The next slower one; nil below 1 Hz.
    fileprivate var slower: OutputDataRate? {
      self == .hz1344 ? .hz400 : OutputDataRate(rawValue: rawValue &- 1)
    }

    /// The lowest rate of at least `millihertz` / 1000 Hz; nil if there is none or `millihertz` is not positive.
    public init?(atLeastMillihertz millihertz: Int32) {
      guard millihertz > 0, millihertz <= 1_344_000 else { return nil }
      var rate = OutputDataRate.hz1344
      while let slower = rate.slower, slower.hertz &* 1_000 >= UInt32(bitPattern: millihertz) { rate = slower }
      self = rate
    }
  }

  /// The measuring range.
  ///
  /// - Datasheet: Rev. 2, table 4.
  public enum Range: UInt8, Equatable, Sendable {
    /// ±2, ±4, ±8 and ±16 g.
    case g2, g4, g8, g16

    /// The range ±`g` g, or nil if the part does not have it.
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

  /// The number of bits in a sample, which also sets the bandwidth. Low-power mode (8 bits, the lowest current) is used
  /// only to watch for movement.
  ///
  /// - Datasheet: Rev. 2, table 10.
  public enum Resolution: Equatable, Sendable {
    /// 10 bits, and a bandwidth of half the rate. Samples are correct from 1.6 ms after the start.
    case normal
    /// 12 bits, and a bandwidth of a ninth of the rate, with the least noise. The first correct sample is the eighth.
    case high
  }

  /// What drives INT1, which is push-pull.
  ///
  /// - Datasheet: Rev. 2, 8.10 and 8.13.
  public struct Interrupts: Equatable, Sendable {
    /// Whether a new sample drives INT1 until it is read.
    public var signalsDataReady: Bool
    /// Whether INT1 is low while an interrupt is active.
    public var isActiveLow: Bool

    /// Interrupts. The defaults are none, and active high.
    public init(signalsDataReady: Bool = false, isActiveLow: Bool = false) {
      (self.signalsDataReady, self.isActiveLow) = (signalsDataReady, isActiveLow)
    }
  }
}

extension LIS3DH.Configuration {
  /// CTRL_REG1. It never equals its reset value 0x07, so a lost configuration shows.
  var rateField: LIS3DH.RateField { LIS3DH.RateField(rate: rate) }

  /// CTRL_REG4. It never equals its reset value 0x00, because BDU is set.
  var format: LIS3DH.FormatField { LIS3DH.FormatField(range: range, isHighResolution: resolution == .high) }

  /// CTRL_REG1 to CTRL_REG6, without filter, self-test, click or INT2.
  var controlBytes: InlineArray<6, UInt8> {
    [
      rateField.encoded, 0, interrupts.signalsDataReady ? 0x10 : 0, format.encoded, fifo == .bypass ? 0 : 0x40,
      interrupts.isActiveLow ? 0x02 : 0,
    ]
  }

  /// The number of samples after a start that have not settled, from the turn-on time.
  ///
  /// - Datasheet: Rev. 2, table 11: 7/ODR, or 1.6 ms.
  var unsettled: Int32 { resolution == .high ? 7 : rate == .hz1344 ? 3 : 1 }

  /// Rejects a rate that a bus at `frequency` hertz cannot follow: 400 Hz or more at 100 kHz, none at 400 kHz.
  ///
  /// A sample takes 195 clock periods; the check allows half as many again for the gaps between transactions. With an
  /// unknown frequency every rate passes. The error contains the highest of the part's rates that the bus can follow,
  /// or 0 if there is none.
  public func check(against frequency: UInt32?) throws(SensorError) {
    guard let frequency, !rate.fits(frequency) else { return }
    var highest: LIS3DH.OutputDataRate? = rate
    while let one = highest, !one.fits(frequency) { highest = one.slower }
    throw .rateTooHigh(busHertz: frequency, highestHertz: highest?.hertz ?? 0)
  }
}

extension LIS3DH.OutputDataRate {
  /// Whether a bus at `frequency` hertz can follow this rate.
  fileprivate func fits(_ frequency: UInt32) -> Bool { hertz &* 292 <= min(frequency, 400_000) }
}

public import FixedPoint
public import HAL

/// The LIS3DH three-axis accelerometer of STMicroelectronics, over I2C; the LIS2DH12 and others with its register map
/// alike.
///
/// Make a `Configuration`, then a `Device` over any `I2CBus`; `start()` configures the part, `sample()` reads it.
///
/// - Datasheet: LIS3DH Rev. 2 (December 2016).
public enum LIS3DH {
  /// The address with SDO (SA0) low, as breakout boards wire it: 0x18.
  public static var address: I2CAddress { I2CAddress(fromDatasheet: 0x18) }

  /// The address with SDO (SA0) high, or open on a bare part, which pulls it up: 0x19.
  public static var alternateAddress: I2CAddress { I2CAddress(fromDatasheet: 0x19) }

  /// What WHO_AM_I reads; that of LIS2DH, LIS2DH12 and LSM303AGR is the same.
  ///
  /// - Datasheet: Rev. 2, 8.6.
  public static var identity: UInt8 { 0x33 }

  /// How the part is set up.
  public struct Configuration: Equatable, Sendable {
    /// How often the part makes a sample.
    public var rate: OutputDataRate
    /// The largest specific force it measures.
    public var range: Range
    /// How fine, and of which bandwidth.
    public var resolution: Resolution
    /// Whether and how samples wait in the part.
    public var fifo: FIFO
    /// What drives INT1.
    public var interrupts: Interrupts

    /// A configuration; the defaults are 100 Hz, ±4 g and 12 bits, and nothing else.
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
  /// The output data rate, by its code.
  ///
  /// - Datasheet: Rev. 2, table 31.
  public enum OutputDataRate: UInt8, Equatable, Sendable {
    /// 1 Hz up to 400 Hz.
    case hz1 = 1, hz10, hz25, hz50, hz100, hz200, hz400
    /// 1344 Hz.
    case hz1344 = 9

    /// In hertz.
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

    /// The time from one sample to the next in whole microseconds: exact, but for 1344 Hz, where it is 0.05 µs more.
    public var period: Microseconds { Microseconds(widened(Int32(truncatingIfNeeded: 1_000_000 / hertz))) }

    /// The next slower one; nil below 1 Hz.
    fileprivate var slower: OutputDataRate? {
      self == .hz1344 ? .hz400 : OutputDataRate(rawValue: rawValue &- 1)
    }

    /// The lowest rate of at least `millihertz` / 1000 Hz; nil where there is none, and for anything but a positive
    /// number.
    public init?(atLeastMillihertz millihertz: Int32) {
      guard millihertz > 0, millihertz <= 1_344_000 else { return nil }
      var rate = OutputDataRate.hz1344
      while let slower = rate.slower, slower.hertz &* 1_000 >= UInt32(bitPattern: millihertz) { rate = slower }
      self = rate
    }
  }

  /// The largest specific force that is measured.
  ///
  /// - Datasheet: Rev. 2, table 4.
  public enum Range: UInt8, Equatable, Sendable {
    /// ±2, ±4, ±8 and ±16 g.
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

  /// How many bits a sample has, which goes with its bandwidth. The mode of 8 bits, which uses least current, is for
  /// watching only.
  ///
  /// - Datasheet: Rev. 2, table 10.
  public enum Resolution: Equatable, Sendable {
    /// 10 bits, and up to half the rate; the first sample is right after 1.6 ms.
    case normal
    /// 12 bits, and up to a ninth of the rate, which is the least noise; the first right sample is the eighth.
    case high
  }

  /// What drives INT1, which is push-pull.
  ///
  /// - Datasheet: Rev. 2, 8.10 and 8.13.
  public struct Interrupts: Equatable, Sendable {
    /// Whether a sample drives it until it is read.
    public var signalsDataReady: Bool
    /// Whether it is low while something has happened.
    public var isActiveLow: Bool

    /// Interrupts; by default none, and active high.
    public init(signalsDataReady: Bool = false, isActiveLow: Bool = false) {
      (self.signalsDataReady, self.isActiveLow) = (signalsDataReady, isActiveLow)
    }
  }
}

extension LIS3DH.Configuration {
  /// CTRL_REG1: never its reset value 0x07, so that a part which has lost its configuration shows it.
  var rateField: LIS3DH.RateField { LIS3DH.RateField(rate: rate) }

  /// CTRL_REG4: never its reset value 0x00, because of BDU.
  var format: LIS3DH.FormatField { LIS3DH.FormatField(range: range, isHighResolution: resolution == .high) }

  /// CTRL_REG1 to CTRL_REG6: no filter, no self-test, no click, no INT2.
  var controlBytes: InlineArray<6, UInt8> {
    [
      rateField.encoded, 0, interrupts.signalsDataReady ? 0x10 : 0, format.encoded, fifo == .bypass ? 0 : 0x40,
      interrupts.isActiveLow ? 0x02 : 0,
    ]
  }

  /// How many of the samples after a start are not right yet, by the turn-on time.
  ///
  /// - Datasheet: Rev. 2, table 11: 7/ODR, or 1.6 ms.
  var unsettled: Int32 { resolution == .high ? 7 : rate == .hz1344 ? 3 : 1 }

  /// Refuses a rate that a bus of `frequency` hertz cannot follow: 200 Hz at most at 100 kHz, 1344 Hz at 400 kHz.
  ///
  /// A sample takes 195 clock periods; half as many are left for what is between them. A bus of unknown frequency
  /// refuses nothing. The error names the highest of the part's rates that the bus can follow; 0 for none.
  public func check(against frequency: UInt32?) throws(SensorError) {
    guard let frequency, !rate.fits(frequency) else { return }
    var highest: LIS3DH.OutputDataRate? = rate
    while let one = highest, !one.fits(frequency) { highest = one.slower }
    throw .rateTooHigh(busHertz: frequency, highestHertz: highest?.hertz ?? 0)
  }
}

extension LIS3DH.OutputDataRate {
  /// Whether a bus of `frequency` hertz can follow.
  fileprivate func fits(_ frequency: UInt32) -> Bool { hertz &* 292 <= min(frequency, 400_000) }
}

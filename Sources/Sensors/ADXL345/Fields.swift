public import FixedPoint

extension ADXL345 {
  /// The output data rate: 0.09765625 Hz · 2^code.
  ///
  /// - Datasheet: Rev. E, table 7.
  public enum OutputDataRate: UInt8, Equatable, Sendable {
    /// 0.1 Hz up to 12.5 Hz; each is twice the one before.
    case hz0_10, hz0_20, hz0_39, hz0_78, hz1_56, hz3_13, hz6_25, hz12_5
    /// 25 Hz up to 3200 Hz, likewise. A bus of 400 kHz follows up to 800 Hz.
    case hz25, hz50, hz100, hz200, hz400, hz800, hz1600, hz3200

    /// The time from one sample to the next in whole microseconds: exact, but for 3200 Hz, where it is rounded up.
    public var period: Microseconds {
      let code = Int32(rawValue)
      return Microseconds(widened((10_240_000 &+ (1 &<< code) &- 1) &>> code))
    }

    /// The rates from 25 Hz on that a 400 kHz bus can follow, in hertz; nil for any other number.
    ///
    /// - Datasheet: Rev. E, "I2C": 800 Hz at 400 kHz, in proportion below.
    public init?(hertz: Int32) {
      switch hertz {
      case 25: self = .hz25
      case 50: self = .hz50
      case 100: self = .hz100
      case 200: self = .hz200
      case 400: self = .hz400
      case 800: self = .hz800
      default: return nil
      }
    }

    /// Whether low power saves any current: from 12.5 to 400 Hz.
    ///
    /// - Datasheet: Rev. E, table 8.
    public var savesCurrentInLowPower: Bool { rawValue >= OutputDataRate.hz12_5.rawValue && rawValue <= 0x0C }
  }

  /// The largest specific force that is measured.
  ///
  /// - Datasheet: Rev. E, table 21.
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

    /// The greatest raw value in full resolution: 511, 1023, 2047 or 4095; the smallest is -1 less that.
    public var maximum: Int16 { (512 &<< Int16(rawValue)) &- 1 }
  }

  /// How finely the range is divided.
  ///
  /// - Datasheet: Rev. E, table 1.
  public enum Resolution: Equatable, Sendable {
    /// 1/256 g in every range: 10 to 13 bits.
    case full
    /// 10 bits in every range: 1/256, 1/128, 1/64 or 1/32 g. At ±2 g the same as `full`.
    case tenBit
  }

  /// BW_RATE.
  package struct RateField: Equatable {
    package var rate: OutputDataRate
    package var isLowPower: Bool

    package var encoded: UInt8 { rate.rawValue | (isLowPower ? 0x10 : 0) }

    /// Nil where a bit is set that the data sheet wants to be 0.
    package init?(decoding byte: UInt8) {
      guard byte & 0xE0 == 0, let rate = OutputDataRate(rawValue: byte & 0x0F) else { return nil }
      self.init(rate: rate, isLowPower: byte & 0x10 != 0)
    }

    package init(rate: OutputDataRate, isLowPower: Bool = false) {
      self.rate = rate
      self.isLowPower = isLowPower
    }
  }

  /// DATA_FORMAT.
  package struct DataFormatField: Equatable {
    package var range: Range
    package var isFullResolution: Bool
    package var isLeftJustified = false
    package var invertsInterrupts = false
    package var isThreeWireSPI = false
    package var selfTests = false

    package var encoded: UInt8 {
      range.rawValue | (isLeftJustified ? 0x04 : 0) | (isFullResolution ? 0x08 : 0) | (invertsInterrupts ? 0x20 : 0)
        | (isThreeWireSPI ? 0x40 : 0) | (selfTests ? 0x80 : 0)
    }

    /// Nil where bit 4 is set, which the data sheet wants to be 0.
    package init?(decoding byte: UInt8) {
      guard byte & 0x10 == 0, let range = Range(rawValue: byte & 0x03) else { return nil }
      self.init(range: range, isFullResolution: byte & 0x08 != 0)
      isLeftJustified = byte & 0x04 != 0
      invertsInterrupts = byte & 0x20 != 0
      isThreeWireSPI = byte & 0x40 != 0
      selfTests = byte & 0x80 != 0
    }

    package init(range: Range, isFullResolution: Bool) {
      self.range = range
      self.isFullResolution = isFullResolution
    }
  }

  /// POWER_CTL, the values this driver writes. It uses neither sleep nor link: asleep, the part makes no samples to rely on.
  enum Power {
    static var standby: UInt8 { 0x00 }
    static var measure: UInt8 { 0x08 }
  }
}

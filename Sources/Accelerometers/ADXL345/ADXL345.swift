public import HAL

/// The ADXL345 three-axis accelerometer of Analog Devices, over I2C.
///
/// Make a `Configuration`, then a `Device` over any `I2CBus`; `start()` configures the part, `sample()` reads it.
///
/// - Datasheet: ADXL345 Rev. E.
public enum ADXL345 {
  /// The address with ALT ADDRESS (SDO) low, as most breakout boards wire it: 0x53.
  public static var address: I2CAddress { I2CAddress(fromDatasheet: 0x53) }

  /// The address with ALT ADDRESS (SDO) high: 0x1D.
  public static var alternateAddress: I2CAddress { I2CAddress(fromDatasheet: 0x1D) }

  /// What DEVID reads. - Datasheet: Rev. E, register 0x00.
  public static var identity: UInt8 { 0xE5 }

  /// How the part is set up.
  public struct Configuration: Equatable, Sendable {
    /// How often the part makes a sample.
    public var rate: OutputDataRate
    /// The largest specific force it measures; the resolution is 1/256 g in every range.
    public var range: Range

    /// A configuration; the defaults are 100 Hz and ±16 g.
    public init(rate: OutputDataRate = .hz100, range: Range = .g16) {
      self.rate = rate
      self.range = range
    }
  }
}

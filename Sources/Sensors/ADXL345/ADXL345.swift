public import HAL

/// The ADXL345 three-axis accelerometer of Analog Devices, over I2C; its twin ADXL343 alike.
///
/// Make a `Configuration`, then a `Device` over any `I2CBus`; `start()` configures the part, `sample()` reads it.
///
/// - Datasheet: ADXL345 Rev. E.
public enum ADXL345 {
  /// The address with ALT ADDRESS (SDO) low, as most breakout boards wire it: 0x53.
  public static var address: I2CAddress { I2CAddress(fromDatasheet: 0x53) }

  /// The address with ALT ADDRESS (SDO) high: 0x1D.
  public static var alternateAddress: I2CAddress { I2CAddress(fromDatasheet: 0x1D) }

  /// What DEVID reads; ADXL343 and ADXL375 give the same: see ``likeness(atRest:)``.
  ///
  /// - Datasheet: Rev. E, register 0x00.
  public static var identity: UInt8 { 0xE5 }
}

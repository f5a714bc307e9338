extension LSM9DS1 {
  /// The registers this driver uses. The pointer advances if IF_ADD_INC in CTRL_REG8 is set, as it is at reset.
  ///
  /// In a burst the pointer skips STATUS at 0x17 and goes from the last byte of the gyroscope (0x1D) to the first of the
  /// accelerometer (0x28). From the last of the accelerometer (0x2D) it goes back to 0x18, or with the gyroscope off to
  /// 0x28.
  ///
  /// - Datasheet: LSM9DS1 Rev. 2, table 21, figures 6 and 7.
  enum Register {
    /// ACT_THS; ACT_DUR and INT_GEN_CFG_XL follow: when the part puts itself to sleep, and what raises the interrupt of
    /// the accelerometer. Reset 0x00 each (never, nothing).
    static var activity: UInt8 { 0x04 }
    /// INT_GEN_CFG_XL; the thresholds of X, Y and Z and a duration follow, each reset 0x00.
    static var interruptConfiguration: UInt8 { 0x06 }
    /// INT1_CTRL: what drives INT1; INT2_CTRL follows. Reset 0x00.
    static var interrupt1: UInt8 { 0x0C }
    /// WHO_AM_I: identity. Read-only, 0x68.
    static var identity: UInt8 { 0x0F }
    /// CTRL_REG1_G: rate and range of the gyroscope. Reset 0x00 (power-down). CTRL_REG2_G, CTRL_REG3_G and ORIENT_CFG_G
    /// follow, each reset 0x00; then INT_GEN_SRC_G and the two bytes of the temperature.
    static var gyroscopeRate: UInt8 { 0x10 }
    /// OUT_X_L_G: the six data bytes of the gyroscope. Read-only.
    static var gyroscopeData: UInt8 { 0x18 }
    /// CTRL_REG4: axes of the gyroscope, latched interrupts; CTRL_REG5_XL, the axes of the accelerometer, follows. Reset
    /// 0x38 each.
    static var axes: UInt8 { 0x1E }
    /// CTRL_REG6_XL: rate and range of the accelerometer. Reset 0x00 (power-down). CTRL_REG7_XL to CTRL_REG10 follow,
    /// then INT_GEN_SRC_XL, STATUS and the data of the accelerometer.
    static var accelerometerRate: UInt8 { 0x20 }
    /// CTRL_REG8: bursts, block update, pins. Reset 0x04.
    static var interface: UInt8 { 0x22 }
    /// CTRL_REG9: bit 1 turns the FIFO on. Reset 0x00.
    static var fifoSwitch: UInt8 { 0x23 }
    /// CTRL_REG10: self-test. Reset 0x00.
    static var selfTest: UInt8 { 0x24 }
    /// OUT_X_L_XL: the six data bytes of the accelerometer. Read-only.
    static var accelerometerData: UInt8 { 0x28 }
    /// FIFO_CTRL: mode and threshold; FIFO_SRC follows. Reset 0x00 (bypass).
    static var fifoControl: UInt8 { 0x2E }
  }

  /// CTRL_REG1_G.
  package struct GyroscopeField: Equatable {
    /// Nil for power-down.
    package var rate: OutputDataRate?
    package var range: GyroscopeRange

    package var encoded: UInt8 { (rate?.rawValue ?? 0) &<< 5 | range.rawValue &<< 3 }

    /// Nil for undefined codes, if the bit that must be 0 is set, and with BW_G, whose filter is not used.
    package init?(decoding byte: UInt8) {
      let rate = OutputDataRate(rawValue: byte &>> 5)
      guard byte & 0x07 == 0, rate != nil || byte < 0x20, let range = GyroscopeRange(rawValue: byte &>> 3 & 3) else {
        return nil
      }
      self.init(rate: rate, range: range)
    }

    package init(rate: OutputDataRate?, range: GyroscopeRange) { (self.rate, self.range) = (rate, range) }
  }

  /// CTRL_REG6_XL.
  package struct AccelerometerField: Equatable {
    /// Nil for power-down.
    package var rate: OutputDataRate?
    package var range: Range
    /// BW_SCAL_ODR and BW_XL: 408, 211, 105 or 50 Hz; nil if it follows from the rate.
    package var bandwidth: UInt8?

    package var encoded: UInt8 {
      (rate?.rawValue ?? 0) &<< 5 | range.rawValue &<< 3 | (bandwidth.map { 4 | $0 & 3 } ?? 0)
    }

    /// Nil for undefined codes, and for a bandwidth without BW_SCAL_ODR.
    package init?(decoding byte: UInt8) {
      let rate = OutputDataRate(rawValue: byte &>> 5)
      guard rate != nil || byte < 0x20, byte & 4 != 0 || byte & 3 == 0, let range = Range(rawValue: byte &>> 3 & 3)
      else { return nil }
      self.init(rate: rate, range: range, bandwidth: byte & 4 != 0 ? byte & 3 : nil)
    }

    package init(rate: OutputDataRate?, range: Range, bandwidth: UInt8?) {
      (self.rate, self.range, self.bandwidth) = (rate, range, bandwidth)
    }
  }
}

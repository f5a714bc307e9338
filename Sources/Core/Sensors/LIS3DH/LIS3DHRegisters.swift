extension LIS3DH {
  /// The registers this driver uses. The pointer advances only where bit 7 of the register address is set.
  ///
  /// - Datasheet: LIS3DH Rev. 2, table 21 (register map) and 6.1.1.
  enum Register {
    /// Set in a register address: the pointer advances with every byte read or written.
    static var increment: UInt8 { 0x80 }
    /// WHO_AM_I: identity. Read-only, 0x33.
    static var identity: UInt8 { 0x0F }
    /// CTRL_REG1: rate, low power, axes. Reset 0x07 (power-down). CTRL_REG2 to CTRL_REG6 follow, each reset 0x00; then
    /// REFERENCE, whose reading resets the high-pass filter, STATUS, and the six data bytes, low bytes first.
    static var control1: UInt8 { 0x20 }
    /// CTRL_REG2: high-pass filter.
    static var control2: UInt8 { 0x21 }
    /// CTRL_REG3: what drives INT1.
    static var control3: UInt8 { 0x22 }
    /// CTRL_REG4: block update, range, high resolution, self-test.
    static var control4: UInt8 { 0x23 }
    /// CTRL_REG5: the FIFO on, interrupt 1 latched.
    static var control5: UInt8 { 0x24 }
    /// CTRL_REG6: the polarity of the pins.
    static var control6: UInt8 { 0x25 }
    /// REFERENCE.
    static var reference: UInt8 { 0x26 }
    /// STATUS: which axes have unread data. Read-only.
    static var status: UInt8 { 0x27 }
    /// OUT_X_L: the six data bytes. With the FIFO on, the pointer goes from the last back to the first. Read-only.
    static var data: UInt8 { 0x28 }
    /// FIFO_CTRL: mode and watermark. FIFO_SRC follows and is read with it. Reset 0x00 (bypass).
    static var fifoControl: UInt8 { 0x2E }
    /// INT1_CFG: the events that raise interrupt 1. Reset 0x00. INT1_SRC follows, the events that occurred; reading it
    /// clears a latched interrupt.
    static var interruptConfiguration: UInt8 { 0x30 }
    /// INT1_THS: 16 mg/LSB at ±2 g; INT1_DURATION follows. Reset 0x00.
    static var interruptThreshold: UInt8 { 0x32 }
    /// ACT_THS: the threshold below which the part lowers its own rate; ACT_DUR follows. Reset 0x00 (never).
    static var activityThreshold: UInt8 { 0x3E }
  }

  /// CTRL_REG1.
  package struct RateField: Equatable {
    /// Nil for power-down.
    package var rate: OutputDataRate?
    package var isLowPower: Bool
    /// X is bit 0, Y bit 1, Z bit 2.
    package var axes: UInt8

    package var encoded: UInt8 { (rate?.rawValue ?? 0) &<< 4 | (isLowPower ? 0x08 : 0) | axes & 0x07 }

    /// Nil for 1620 and 5376 Hz, which normal and high-resolution mode lack, and for undefined codes.
    package init?(decoding byte: UInt8) {
      let rate = OutputDataRate(rawValue: byte &>> 4)
      guard byte < 0x10 || rate != nil, byte < 0x90 || byte & 0x08 == 0 else { return nil }
      self.init(rate: rate, isLowPower: byte & 0x08 != 0, axes: byte & 0x07)
    }

    package init(rate: OutputDataRate?, isLowPower: Bool = false, axes: UInt8 = 0x07) {
      (self.rate, self.isLowPower, self.axes) = (rate, isLowPower, axes)
    }
  }

  /// CTRL_REG4.
  package struct FormatField: Equatable {
    package var range: Range
    package var isHighResolution: Bool
    /// BDU: both bytes of an axis come from the same sample.
    package var updatesInBlocks = true
    package var isBigEndian = false
    /// ST: 0 off, 1 and 2 the two directions.
    package var selfTest: UInt8
    package var isThreeWireSPI = false

    package var encoded: UInt8 {
      (updatesInBlocks ? 0x80 : 0) | (isBigEndian ? 0x40 : 0) | range.rawValue &<< 4 | (isHighResolution ? 0x08 : 0)
        | selfTest &<< 1 | (isThreeWireSPI ? 0x01 : 0)
    }

    /// Nil for the undefined self-test code.
    package init?(decoding byte: UInt8) {
      guard byte & 0x06 != 0x06, let range = Range(rawValue: byte &>> 4 & 3) else { return nil }
      self.init(range: range, isHighResolution: byte & 0x08 != 0)
      updatesInBlocks = byte & 0x80 != 0
      isBigEndian = byte & 0x40 != 0
      selfTest = byte &>> 1 & 3
      isThreeWireSPI = byte & 0x01 != 0
    }

    package init(range: Range, isHighResolution: Bool, selfTest: UInt8 = 0) {
      (self.range, self.isHighResolution, self.selfTest) = (range, isHighResolution, selfTest)
    }
  }

  /// FIFO_CTRL.
  package struct FIFOControlField: Equatable {
    package enum Mode: UInt8, Equatable {
      case bypass, fifo, stream, streamToFIFO
    }

    package var mode: Mode
    package var triggersOnInterrupt2: Bool
    /// FTH, 0 to 31; higher bits are ignored.
    package var watermark: UInt8

    package var encoded: UInt8 { mode.rawValue &<< 6 | (triggersOnInterrupt2 ? 0x20 : 0) | watermark & 0x1F }

    package init(decoding byte: UInt8) {
      self.init(
        mode: Mode(rawValue: byte &>> 6) ?? .bypass, triggersOnInterrupt2: byte & 0x20 != 0, watermark: byte & 0x1F)
    }

    package init(mode: Mode, triggersOnInterrupt2: Bool = false, watermark: UInt8 = 0) {
      (self.mode, self.triggersOnInterrupt2, self.watermark) = (mode, triggersOnInterrupt2, watermark)
    }
  }

  /// FIFO_SRC.
  package struct FIFOSourceField: Equatable {
    package var isAtWatermark: Bool
    /// The number of waiting sets, 0 to 32.
    package var sets: UInt8

    package var encoded: UInt8 {
      (isAtWatermark ? 0x80 : 0) | (sets > 31 ? 0x5F : sets) | (sets == 0 ? 0x20 : 0)
    }

    /// Nil for a byte that the part cannot return. FSS has 5 bits: a full FIFO reads 31 with OVRN.
    package init?(decoding byte: UInt8) {
      let (isFull, isEmpty, stored) = (byte & 0x40 != 0, byte & 0x20 != 0, byte & 0x1F)
      guard isEmpty == (stored == 0), !isFull || stored == 31 else { return nil }
      isAtWatermark = byte & 0x80 != 0
      sets = isFull ? 32 : stored
    }
  }
}

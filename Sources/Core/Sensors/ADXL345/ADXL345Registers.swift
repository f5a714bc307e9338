extension ADXL345 {
  /// The registers this driver uses. The pointer auto-increments on reads and writes.
  ///
  /// - Datasheet: Rev. E, table 19.
  enum Register {
    /// DEVID: identity. Read-only, 0xE5.
    static var identity: UInt8 { 0x00 }
    /// THRESH_TAP: 62.5 mg/LSB. The first of the block that ends with TAP_AXES, 0x2A. Reset 0x00.
    static var tapThreshold: UInt8 { 0x1D }
    /// OFSX: offset of X, 15.625 mg/LSB, signed; Y and Z follow. Reset 0x00.
    static var offsetX: UInt8 { 0x1E }
    /// THRESH_ACT: 62.5 mg/LSB; THRESH_INACT, TIME_INACT and ACT_INACT_CTL follow. Reset 0x00.
    static var activityThreshold: UInt8 { 0x24 }
    /// ACT_TAP_STATUS: the axes of the last activity and tap. Read-only. Reset 0x00.
    static var tapStatus: UInt8 { 0x2B }
    /// BW_RATE: output data rate and low power. Reset 0x0A.
    static var rate: UInt8 { 0x2C }
    /// POWER_CTL: measure or standby, sleep. Reset 0x00 (standby).
    static var power: UInt8 { 0x2D }
    /// INT_ENABLE: which events are detected and drive the interrupt pins. Reset 0x00.
    static var interruptEnable: UInt8 { 0x2E }
    /// INT_MAP: which of them drive INT2 instead of INT1. Reset 0x00.
    static var interruptMap: UInt8 { 0x2F }
    /// INT_SOURCE: what has happened. Reading it clears bits 6 to 2. Read-only. Reset 0x02.
    static var interruptSource: UInt8 { 0x30 }
    /// DATA_FORMAT: range, resolution, justification, self-test. Reset 0x00.
    static var dataFormat: UInt8 { 0x31 }
    /// DATAX0: the first of six data bytes, low byte first. Reading one removes the sample from the FIFO. Read-only.
    static var data: UInt8 { 0x32 }
    /// FIFO_CTL: FIFO mode, trigger pin and watermark; FIFO_STATUS, read with it, follows. Reset 0x00 (bypass).
    static var fifoControl: UInt8 { 0x38 }
  }

  /// BW_RATE.
  package struct RateField: Equatable {
    package var rate: OutputDataRate
    package var isLowPower: Bool

    package var encoded: UInt8 { rate.rawValue | (isLowPower ? 0x10 : 0) }

    /// Nil if a bit is set that the data sheet requires to be 0.
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

    /// Nil if bit 4 is set, which the data sheet requires to be 0.
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

  /// POWER_CTL, the values that this driver writes. It never sets Link, because the sleeping part detects only
  /// activity.
  enum Power {
    static var standby: UInt8 { 0x00 }
    static var measure: UInt8 { 0x08 }
    /// Measure and Sleep, with 8 measurements a second (Wakeup 00).
    static var watch: UInt8 { 0x0C }
  }
}

extension ADXL345 {
  /// The registers this driver uses. The pointer auto-increments on reads and writes.
  ///
  /// - Datasheet: Rev. E, table 19.
  enum Register: UInt8 {
    /// DEVID: identity. Read-only, 0xE5.
    case identity = 0x00
    /// THRESH_TAP: 62.5 mg/LSB. The first of the block that ends with TAP_AXES, 0x2A. Reset 0x00.
    case tapThreshold = 0x1D
    /// OFSX: offset of X, 15.625 mg/LSB, signed; Y and Z follow. Reset 0x00.
    case offsetX = 0x1E
    /// ACT_TAP_STATUS: the axes of the last activity and tap. Read-only. Reset 0x00.
    case tapStatus = 0x2B
    /// BW_RATE: output data rate and low power. Reset 0x0A.
    case rate = 0x2C
    /// POWER_CTL: measure or standby, sleep. Reset 0x00 (standby).
    case power = 0x2D
    /// INT_ENABLE: which events are looked for and drive the interrupt pins. Reset 0x00.
    case interruptEnable = 0x2E
    /// INT_MAP: which of them drive INT2 instead of INT1. Reset 0x00.
    case interruptMap = 0x2F
    /// INT_SOURCE: what has happened. Reading it clears bits 6 to 2. Read-only. Reset 0x02.
    case interruptSource = 0x30
    /// DATA_FORMAT: range, resolution, justification, self-test. Reset 0x00.
    case dataFormat = 0x31
    /// DATAX0: the six data bytes start here, low byte first. Reading one takes the sample from the FIFO. Read-only.
    case data = 0x32
    /// FIFO_CTL: FIFO mode, trigger pin and watermark. Reset 0x00 (bypass).
    case fifoControl = 0x38
    /// FIFO_STATUS: trigger and number of entries. Read-only. Reset 0x00.
    case fifoStatus = 0x39
  }
}

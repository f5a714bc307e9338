extension ADXL345 {
  /// The registers this driver uses. The pointer auto-increments on reads and writes.
  ///
  /// - Datasheet: Rev. E, table 19.
  enum Register: UInt8 {
    /// Identity. Read-only, 0xE5.
    case identity = 0x00
    /// Offset of X, 15.6 mg/LSB, signed; Y and Z follow. Reset 0x00.
    case offsetX = 0x1E
    /// BW_RATE: output data rate and low power. Reset 0x0A.
    case rate = 0x2C
    /// POWER_CTL: measure or standby, sleep. Reset 0x00 (standby).
    case power = 0x2D
    /// INT_ENABLE: which events drive the interrupt pins. Reset 0x00.
    case interruptEnable = 0x2E
    /// DATA_FORMAT: range, resolution, justification, self-test. Reset 0x00.
    case dataFormat = 0x31
    /// DATAX0: the six data bytes start here, low byte first. Read-only.
    case data = 0x32
    /// FIFO_CTL: FIFO mode. Reset 0x00 (bypass).
    case fifoControl = 0x38
  }
}

extension EmulatedADXL345 {
  /// Register numbers of the ADXL345 that do something.
  ///
  /// Written from the data sheet alone: an error shared with a driver would hide in both.
  ///
  /// - Datasheet: ADXL345 Rev. E, Table 19.
  enum Register {
    static let deviceID: UInt8 = 0x00
    static let tapThreshold: UInt8 = 0x1D
    static let offsetX: UInt8 = 0x1E
    static let tapDuration: UInt8 = 0x21
    static let tapLatency: UInt8 = 0x22
    static let tapWindow: UInt8 = 0x23
    static let activityThreshold: UInt8 = 0x24
    static let inactivityThreshold: UInt8 = 0x25
    static let inactivityTime: UInt8 = 0x26
    static let activityControl: UInt8 = 0x27
    static let fallThreshold: UInt8 = 0x28
    static let fallTime: UInt8 = 0x29
    static let tapAxes: UInt8 = 0x2A
    static let eventAxes: UInt8 = 0x2B
    static let bandwidthRate: UInt8 = 0x2C
    static let powerControl: UInt8 = 0x2D
    static let interruptEnable: UInt8 = 0x2E
    static let interruptMap: UInt8 = 0x2F
    static let interruptSource: UInt8 = 0x30
    static let dataFormat: UInt8 = 0x31
    static let dataX0: UInt8 = 0x32
    static let dataZ1: UInt8 = 0x37
    static let fifoControl: UInt8 = 0x38
    static let fifoStatus: UInt8 = 0x39
  }

  /// The bits of INT_ENABLE, INT_MAP and INT_SOURCE.
  ///
  /// - Datasheet: ADXL345 Rev. E, "Register 0x30—INT_SOURCE".
  enum Interrupt {
    static let dataReady: UInt8 = 0x80
    static let singleTap: UInt8 = 0x40
    static let doubleTap: UInt8 = 0x20
    static let activity: UInt8 = 0x10
    static let inactivity: UInt8 = 0x08
    static let freeFall: UInt8 = 0x04
    static let watermark: UInt8 = 0x02
    static let overrun: UInt8 = 0x01
    /// Those of either kind of tap.
    static let taps: UInt8 = 0x60
  }

  /// FIFO_MODE of FIFO_CTL.
  ///
  /// - Datasheet: ADXL345 Rev. E, Table 22.
  enum FIFOMode: UInt8 {
    case bypass, fifo, stream, trigger
  }
}

extension LSM6DS {
  /// The registers that this driver uses. The pointer advances with every byte (IF_INC, set after a reset), except at
  /// the FIFO's data. The reset value is 0x00 unless stated otherwise.
  ///
  /// - Datasheet: LSM6DS3TR-C Rev. 3, register mapping; lsm6dso_reg.h for the later parts.
  enum Register {
    /// FUNC_CFG_ACCESS: while one of bits 7 to 5 is set, the registers from 0x02 on are those of another page.
    static var page: UInt8 { 0x01 }
    /// FIFO_CTRL1: the low byte of the threshold; reserved in the later parts. The bytes up to INT2_CTRL are read at
    /// once.
    static var fifoThreshold: UInt8 { 0x06 }
    /// FIFO_CTRL2; in the later parts FIFO_CTRL1. More of the threshold; what is stored and the mode follow.
    static var fifoControl: UInt8 { 0x07 }
    /// FIFO_CTRL3: the decimation of each sensor, 1 for none; not in the later parts.
    static var decimation: UInt8 { 0x08 }
    /// FIFO_CTRL3 of the later parts: the batch rate of each sensor.
    static var batchRates: UInt8 { 0x09 }
    /// FIFO_CTRL5, or FIFO_CTRL4: the mode in bits 2 to 0, 0 for bypass, 6 for continuous.
    static var fifoMode: UInt8 { 0x0A }
    /// INT1_CTRL, then INT2_CTRL: what drives the pins.
    static var interrupt1: UInt8 { 0x0D }
    /// INT2_CTRL.
    static var interrupt2: UInt8 { 0x0E }
    /// WHO_AM_I. Read-only, by part.
    static var identity: UInt8 { 0x0F }
    /// CTRL1_XL: rate and range of the accelerometer. CTRL2_G to CTRL10_C follow.
    static var control1: UInt8 { 0x10 }
    /// CTRL2_G: rate and range of the gyroscope.
    static var control2: UInt8 { 0x11 }
    /// CTRL3_C: reset, block update, pins. Reset 0x04.
    static var control3: UInt8 { 0x12 }
    /// CTRL5_C: self-test.
    static var control5: UInt8 { 0x14 }
    /// CTRL6_C: bit 4 takes the accelerometer out of its high-performance mode.
    static var control6: UInt8 { 0x15 }
    /// CTRL9_XL: bit 1 is I3C_DISABLE in the later parts. Reset 0x38, 0x00 or (from memory) 0xE0.
    static var control9: UInt8 { 0x18 }
    /// CTRL10_C. Reset 0x38 or 0x00.
    static var control10: UInt8 { 0x19 }
    /// WAKE_UP_SRC: bit 3 if moved. Reading it clears a latched event. The bytes up to the data are read at once.
    static var wakeSource: UInt8 { 0x1B }
    /// STATUS_REG: bit 0 if the accelerometer has unread data. One reserved byte, two of temperature, six of rotation
    /// and six of specific force follow, low bytes first. Read-only.
    static var status: UInt8 { 0x1E }
    /// OUT_TEMP_L: 0 at 25 °C. Read-only.
    static var temperature: UInt8 { 0x20 }
    /// FIFO_STATUS1: see ``FIFOStatus``. Read-only.
    static var fifoStatus: UInt8 { 0x3A }
    /// FIFO_DATA_OUT_L: the pointer goes from its high byte back to it. Read-only.
    static var fifoWords: UInt8 { 0x3E }
    /// TAP_CFG0 of the later parts: bit 0 latches events, bit 6 clears them at once when their source is read.
    static var eventLatch: UInt8 { 0x56 }
    /// TAP_CFG: bit 0 latches events, bit 7 enables them (not in the LSM6DS33 and LSM6DS3, which always do); in the
    /// later parts TAP_CFG2, with bit 7 only.
    static var eventEnable: UInt8 { 0x58 }
    /// WAKE_UP_THS, in 1/64 of the range; WAKE_UP_DUR follows.
    static var wakeThreshold: UInt8 { 0x5B }
    /// MD2_CFG: bit 5 puts the wake-up event on INT2.
    static var eventPin: UInt8 { 0x5F }
    /// FIFO_DATA_OUT_TAG of the later parts: a tag and six bytes; the pointer goes from the last back to the tag.
    /// Read-only.
    static var fifoTags: UInt8 { 0x78 }
  }

  /// CTRL1_XL, without the rates that I2C cannot follow. The two lowest bits, by part: filters.
  package typealias AccelerometerField = RateRangeField<OutputDataRate, Range, 4, 2>

  /// CTRL2_G, without the rates that I2C cannot follow and contradictory ranges.
  package typealias GyroscopeField = RateRangeField<OutputDataRate, GyroscopeRange, 4, 0>

  /// FIFO_STATUS1 to FIFO_STATUS4; the later parts have two.
  ///
  /// - Datasheet: LSM6DS3TR-C Rev. 3, FIFO_STATUS1 to 4; lsm6dso_reg.h.
  package struct FIFOStatus: Equatable {
    /// The number of waiting words: an axis each, or with tags a sensor each.
    package var words: Int
    /// Whether words have been lost, or will be with the next sample.
    package var isFull: Bool
    /// The position of the next word in its set; 0 with tags.
    package var position: Int

    /// After an overrun the parts without tags report no words (AN5130), so look at ``isFull`` first.
    package init(_ bytes: InlineArray<4, UInt8>, of part: Part) {
      let high = bytes[1] & (part.hasTags ? 0x03 : part == .lsm6dsl ? 0x07 : 0x0F)
      words = Int(bytes[0]) | Int(high) &<< 8
      isFull = bytes[1] & (part.hasTags ? 0x68 : 0x60) != 0
      position = part.hasTags ? 0 : Int(bytes[2]) | Int(bytes[3] & 0x03) &<< 8
    }
  }
}

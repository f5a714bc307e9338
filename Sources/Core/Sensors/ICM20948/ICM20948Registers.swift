extension ICM20948 {
  /// The registers that this driver uses. The pointer auto-increments, except at FIFO_R_W, where it stays.
  ///
  /// The reset value is 0x00 unless stated otherwise.
  ///
  /// - Datasheet: DS-000189 rev. 1.6, sections 7 to 10.
  enum Register {
    /// REG_BANK_SEL, in every bank. A reset of the host leaves it as it is.
    static var bank: UInt8 { 0x7F }

    // Bank 0.
    /// WHO_AM_I. Read-only, 0xEA.
    static var identity: UInt8 { 0x00 }
    /// USER_CTRL: FIFO on; DMP, I2C master, and a bit that turns I2C off. The driver writes 0x00 or 0x40.
    static var userControl: UInt8 { 0x03 }
    /// LP_CONFIG: which sensors are duty-cycled, reset 0x40; then PWR_MGMT_1, reset 0x41 (asleep), and PWR_MGMT_2.
    static var lowPower: UInt8 { 0x05 }
    /// PWR_MGMT_1: reset, sleep, clock.
    static var power: UInt8 { 0x06 }
    /// INT_PIN_CFG, then INT_ENABLE and INT_ENABLE_1 to _3.
    static var interruptPin: UInt8 { 0x0F }
    /// ACCEL_XOUT_H: six bytes of specific force, six of rotation, two of temperature, high bytes first. Read-only.
    static var data: UInt8 { 0x2D }
    /// FIFO_EN_1 (the I2C master), then FIFO_EN_2, FIFO_RST and FIFO_MODE.
    static var fifoSources: UInt8 { 0x66 }
    /// FIFO_RST: the FIFO is empty as long as bits 4 to 0 are set. Then FIFO_MODE: 0 overwrites the oldest bytes.
    static var fifoReset: UInt8 { 0x68 }
    /// FIFO_COUNTH, then FIFO_COUNTL: bytes in the FIFO, 13 bits. Reading the high byte latches both. Read-only.
    static var fifoCount: UInt8 { 0x70 }
    /// FIFO_R_W: the oldest byte of the FIFO.
    static var fifoData: UInt8 { 0x72 }

    // Bank 1.
    /// SELF_TEST_X_GYRO, Y and Z: factory codes.
    static var gyroscopeSelfTest: UInt8 { 0x02 }
    /// SELF_TEST_X_ACCEL, Y and Z: factory codes.
    static var selfTest: UInt8 { 0x0E }

    // Bank 2.
    /// GYRO_SMPLRT_DIV, then GYRO_CONFIG_1 (reset 0x01) and GYRO_CONFIG_2 (self-test, averaging).
    static var gyroscope: UInt8 { 0x00 }
    /// ODR_ALIGN_EN: bit 0 makes both sensors start their periods together.
    static var alignment: UInt8 { 0x09 }
    /// ACCEL_SMPLRT_DIV_1 and _2, ACCEL_INTEL_CTRL, ACCEL_WOM_THR, ACCEL_CONFIG (reset 0x01), ACCEL_CONFIG_2
    /// (self-test, averaging).
    static var accelerometer: UInt8 { 0x10 }

    /// What is added to the number of a register of bank 2 in an error.
    static var ofBank2: UInt8 { 0x80 }
  }

  /// REG_BANK_SEL: bits 5 and 4.
  package enum Bank: UInt8, Equatable {
    case zero, one, two, three

    package var encoded: UInt8 { rawValue &<< 4 }

    /// Nil if a reserved bit is set, as it may be in a part of another make.
    package init?(decoding byte: UInt8) {
      guard byte & 0xCF == 0 else { return nil }
      self.init(rawValue: byte &>> 4)
    }
  }

  /// GYRO_CONFIG_1 and ACCEL_CONFIG: the filter, never bypassed (FCHOICE 1), and the range.
  package struct ScaleField: Equatable {
    package var filter: Filter
    /// The code of the range, 0…3.
    package var range: UInt8

    package var encoded: UInt8 { filter.rawValue &<< 3 | (range & 0x03) &<< 1 | 1 }

    /// Nil if a reserved bit is set, with the filter bypassed, and for code 0, which the driver does not use.
    package init?(decoding byte: UInt8) {
      guard byte & 0xC1 == 0x01, let filter = Filter(rawValue: byte &>> 3) else { return nil }
      self.init(filter: filter, range: byte &>> 1 & 0x03)
    }

    package init(filter: Filter, range: UInt8) { (self.filter, self.range) = (filter, range) }
  }

  /// FIFO_EN_2.
  package typealias SourcesField = InvenSense.SourcesField<0, 1, 4, 0>

  /// INT_ENABLE_2, which lets the overflow of FIFO 0 to 4 drive the pin.
  ///
  /// The part fills FIFO 0 only. The bits of the others have no effect, so they hold both ranges: ``Device/adopt()``
  /// cannot read bank 2 without disturbing the program that runs the part.
  package struct OverflowField: Equatable {
    package var fifo: Bool
    package var range: Range
    /// Nil for off, which is stored as the smallest range: PWR_MGMT_2 distinguishes them.
    package var gyroscope: GyroscopeRange?

    package var encoded: UInt8 { .bit(0, fifo) | range.rawValue &<< 1 | (gyroscope?.rawValue ?? 0) &<< 3 }

    package init(fifo: Bool, range: Range, gyroscope: GyroscopeRange?) {
      (self.fifo, self.range, self.gyroscope) = (fifo, range, gyroscope)
    }
  }

  /// How the accelerometer watches for movement.
  enum Watching {
    /// LP_CONFIG: the accelerometer is duty-cycled.
    static var lowPower: UInt8 { 0x20 }
    /// INT_ENABLE: wake on motion.
    static var interrupt: UInt8 { 0x08 }
    /// ACCEL_INTEL_CTRL: on, comparing each sample with the previous one.
    static var compares: UInt8 { 0x03 }
    /// ACCEL_WOM_THR: 32 steps of 4 mg.
    static var threshold: UInt8 { 32 }
    /// ACCEL_SMPLRT_DIV: 10 Hz, so that a hand's slow turn is a change from one sample to the next.
    static var divider: UInt8 { 111 }
  }
}

extension ICM20948.Configuration {
  /// LP_CONFIG, PWR_MGMT_1 and PWR_MGMT_2: not duty-cycled, awake, the best clock, which the data sheet requires.
  var powerBytes: InlineArray<3, UInt8> {
    [0, InvenSense.PowerField(clock: 1).encoded, standbyByte]
  }

  /// INT_PIN_CFG and INT_ENABLE to INT_ENABLE_3. INT_PIN_CFG has the layout, and the mark, of the MPU-6050's.
  var interruptBytes: InlineArray<5, UInt8> {
    [
      pinByte, 0, .bit(0, interrupts.signalsDataReady),
      ICM20948.OverflowField(fifo: usesFIFO, range: range, gyroscope: gyroscope).encoded, 0,
    ]
  }

  /// GYRO_SMPLRT_DIV, GYRO_CONFIG_1 and GYRO_CONFIG_2.
  func gyroscopeBytes(selfTests: Bool = false) -> InlineArray<4, UInt8> {
    [
      ICM20948.Register.gyroscope, rate.divider,
      ICM20948.ScaleField(filter: filter, range: (gyroscope ?? .dps250).rawValue).encoded, selfTests ? 0x38 : 0,
    ]
  }

  /// ACCEL_SMPLRT_DIV_1 to ACCEL_CONFIG_2.
  func accelerometerBytes(selfTests: Bool = false) -> InlineArray<7, UInt8> {
    [
      ICM20948.Register.accelerometer, 0, rate.divider, 0, 0,
      ICM20948.ScaleField(filter: filter, range: range.rawValue).encoded, selfTests ? 0x1C : 0,
    ]
  }
}

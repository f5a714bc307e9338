extension MPU6050 {
  /// The registers that this driver uses. The pointer auto-increments on reads and writes, except at FIFO_R_W, where it
  /// stays.
  ///
  /// The reset value is 0x00 unless stated otherwise.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, section 3; RM-MPU-6500A rev. 2.1 for later ones.
  enum Register {
    /// SELF_TEST_X_GYRO, then Y and Z: factory codes of the gyroscope. Absent in the 6050 class. Read-only in effect.
    static var gyroscopeSelfTest: UInt8 { 0x00 }
    /// SELF_TEST_X, then Y, Z and (6050 class) A: factory codes. Read-only in effect.
    static var selfTest: UInt8 { 0x0D }
    /// SMPLRT_DIV: the sample rate is 1 kHz / (1 + value) with the filter on.
    static var sampleRateDivider: UInt8 { 0x19 }
    /// CONFIG: digital low-pass filter, frame synchronisation.
    static var filter: UInt8 { 0x1A }
    /// GYRO_CONFIG: range and self-test of the gyroscope.
    static var gyroscope: UInt8 { 0x1B }
    /// ACCEL_CONFIG: range and self-test of the accelerometer.
    static var accelerometer: UInt8 { 0x1C }
    /// ACCEL_CONFIG2: filter of the accelerometer. Absent in the 6050 class.
    static var accelerometerFilter: UInt8 { 0x1D }
    /// MOT_THR, 32 mg/LSB, and MOT_DUR in samples; in later parts WOM_THR, 4 mg/LSB.
    static var motionThreshold: UInt8 { 0x1F }
    /// FIFO_EN: what is stored in the FIFO.
    static var fifoSources: UInt8 { 0x23 }
    /// INT_PIN_CFG: the behaviour of the interrupt pin.
    static var interruptPin: UInt8 { 0x37 }
    /// INT_ENABLE: what drives the interrupt pin.
    static var interruptEnable: UInt8 { 0x38 }
    /// ACCEL_XOUT_H: six bytes of specific force, two of temperature, six of rotation, high bytes first. Read-only.
    static var data: UInt8 { 0x3B }
    /// SIGNAL_PATH_RESET: resets the signal paths. Write-only.
    static var signalPathReset: UInt8 { 0x68 }
    /// ACCEL_INTEL_CTRL: wake on motion. In the 6050 class MOT_DETECT_CTRL, which the driver leaves at 0.
    static var motionControl: UInt8 { 0x69 }
    /// USER_CTRL: enables and resets the FIFO; the auxiliary bus.
    static var userControl: UInt8 { 0x6A }
    /// PWR_MGMT_1: reset, sleep, cycle, clock. Reset 0x40 (asleep) or 0x01, by part.
    static var power: UInt8 { 0x6B }
    /// PWR_MGMT_2: what is in standby, and how often cycle mode wakes.
    static var standby: UInt8 { 0x6C }
    /// FIFO_COUNTH, then FIFO_COUNTL: bytes in the FIFO. Reading the high byte latches both. Read-only.
    static var fifoCount: UInt8 { 0x72 }
    /// FIFO_R_W: the oldest byte of the FIFO.
    static var fifoData: UInt8 { 0x74 }
    /// WHO_AM_I. Read-only, by part.
    static var identity: UInt8 { 0x75 }
  }

  /// INT_ENABLE and INT_STATUS.
  package struct InterruptField: Equatable {
    package var wakesOnMotion: Bool
    package var fifoOverflow: Bool
    package var auxiliaryBus = false
    package var dataReady: Bool

    package var encoded: UInt8 {
      .bit(6, wakesOnMotion) | .bit(4, fifoOverflow) | .bit(3, auxiliaryBus) | .bit(0, dataReady)
    }

    /// Nil if a reserved bit is set.
    package init?(decoding byte: UInt8) {
      guard byte & 0xA6 == 0 else { return nil }
      wakesOnMotion = byte.has(bit: 6)
      fifoOverflow = byte.has(bit: 4)
      auxiliaryBus = byte.has(bit: 3)
      dataReady = byte.has(bit: 0)
    }

    package init(fifoOverflow: Bool = false, dataReady: Bool = false, motion: Bool = false) {
      self.fifoOverflow = fifoOverflow
      self.dataReady = dataReady
      wakesOnMotion = motion
    }
  }

  /// SIGNAL_PATH_RESET: gyroscope, accelerometer and temperature.
  enum SignalPath {
    static var resetAll: UInt8 { 0x07 }
  }

  /// ACCEL_INTEL_CTRL: on, comparing each sample with the previous one.
  enum MotionControl {
    static var compares: UInt8 { 0xC0 }
  }

  /// FIFO_EN. X is the highest of the three bits of the gyroscope, because it comes first in the FIFO.
  package typealias SourcesField = InvenSense.SourcesField<7, 4, 3, 3>

  /// ACCEL_CONFIG without the high-pass of the 6050 class.
  package typealias AccelerometerField = ScaleField<Range>

  /// GYRO_CONFIG.
  package typealias GyroscopeField = ScaleField<GyroscopeRange>

  /// A range, and the self-test of each axis.
  package struct ScaleField<Range: RawRepresentable<UInt8> & Equatable>: Equatable {
    package var range: Range
    /// The self-test of X, Y and Z: bits 7, 6 and 5.
    package var selfTestsX: Bool
    package var selfTestsY: Bool
    package var selfTestsZ: Bool

    package var encoded: UInt8 {
      range.rawValue &<< 3 | .bit(7, selfTestsX) | .bit(6, selfTestsY) | .bit(5, selfTestsZ)
    }

    /// Nil if any of the reserved bits 2 to 0 is set.
    package init?(decoding byte: UInt8) {
      guard byte & 0x07 == 0, let range = Range(rawValue: byte &>> 3 & 3) else { return nil }
      self.init(range: range)
      selfTestsX = byte.has(bit: 7)
      selfTestsY = byte.has(bit: 6)
      selfTestsZ = byte.has(bit: 5)
    }

    /// A range, with the self-test of all three axes on or off.
    package init(range: Range, selfTests: Bool = false) {
      self.range = range
      selfTestsX = selfTests
      selfTestsY = selfTests
      selfTestsZ = selfTests
    }
  }

  /// ACCEL_CONFIG2: the filter, never bypassed (ACCEL_FCHOICE_B 0); the smallest FIFO size if there is a choice.
  package struct AccelerometerFilterField: Equatable {
    /// The filter; nil for the widest, code 7, as required by cycle mode.
    package var filter: Filter?

    package var encoded: UInt8 { filter?.rawValue ?? 0x07 }

    /// Nil for code 0, and if any other bit is set.
    package init?(decoding byte: UInt8) {
      guard let filter = Filter(rawValue: byte) else {
        guard byte == 0x07 else { return nil }
        self.init(filter: nil)
        return
      }
      self.init(filter: filter)
    }

    package init(filter: Filter?) { self.filter = filter }
  }
}

extension MPU6050.GyroscopeField {
  /// The byte, which in the ICM-20690 has the range in bits 3 and 2.
  ///
  /// - Source: Linux's inv_mpu6050 driver, `INV_ICM20690_GYRO_CONFIG_FSR_SHIFT`.
  package func encoded(of part: MPU6050.Part) -> UInt8 {
    part == .icm20690 ? encoded & 0xE0 | range.rawValue &<< 2 : encoded
  }
}

extension MPU6050 {
  /// The registers this driver uses. The pointer auto-increments on reads and writes, but for FIFO_R_W, where it stays.
  ///
  /// All reset to 0x00 where nothing else is said.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, section 3; RM-MPU-6500A rev. 2.1 for the ones that came later.
  enum Register: UInt8 {
    /// SELF_TEST_X, then Y, Z and (6050 class) A: factory codes. Read-only in effect.
    case selfTest = 0x0D
    /// SMPLRT_DIV: the sample rate is 1 kHz / (1 + value) with the filter on.
    case sampleRateDivider = 0x19
    /// CONFIG: digital low-pass filter, frame synchronisation.
    case filter = 0x1A
    /// GYRO_CONFIG: range and self-test of the gyroscope.
    case gyroscope = 0x1B
    /// ACCEL_CONFIG: range and self-test of the accelerometer.
    case accelerometer = 0x1C
    /// ACCEL_CONFIG2: filter of the accelerometer. Not there in the 6050 class.
    case accelerometerFilter = 0x1D
    /// LP_ACCEL_ODR: rate in cycle mode. Not there in the 6050 class.
    case cycleRate = 0x1E
    /// FIFO_EN: what goes into the FIFO.
    case fifoSources = 0x23
    /// INT_PIN_CFG: how the interrupt pin behaves.
    case interruptPin = 0x37
    /// INT_ENABLE: what drives the interrupt pin.
    case interruptEnable = 0x38
    /// ACCEL_XOUT_H: six bytes of specific force, two of temperature, six of rotation, high bytes first. Read-only.
    case data = 0x3B
    /// SIGNAL_PATH_RESET: resets the signal paths. Write-only.
    case signalPathReset = 0x68
    /// USER_CTRL: the FIFO on, its reset, the auxiliary bus.
    case userControl = 0x6A
    /// PWR_MGMT_1: reset, sleep, cycle, clock. Reset 0x40 (asleep) or 0x01, by part.
    case power = 0x6B
    /// PWR_MGMT_2: what is in standby, and how often cycle mode wakes up.
    case standby = 0x6C
    /// FIFO_COUNTH, then FIFO_COUNTL: bytes in the FIFO. Reading the high byte latches both. Read-only.
    case fifoCount = 0x72
    /// FIFO_R_W: the oldest byte of the FIFO.
    case fifoData = 0x74
    /// WHO_AM_I. Read-only, by part.
    case identity = 0x75
  }
}

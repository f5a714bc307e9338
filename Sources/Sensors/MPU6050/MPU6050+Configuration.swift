extension MPU6050.Configuration {
  /// Whether the FIFO is used: never in cycle mode.
  var usesFIFO: Bool { fifo != nil && cycleRate == nil }

  /// Whether the gyroscope is on: never in cycle mode.
  var usesGyroscope: Bool { gyroscope != nil && cycleRate == nil }

  /// What `motion()` reads.
  var motionLayout: MPU6050.RecordLayout {
    MPU6050.RecordLayout(hasTemperature: cycleRate == nil, hasRotation: usesGyroscope)
  }

  /// What a record in the FIFO holds.
  var fifoLayout: MPU6050.RecordLayout {
    MPU6050.RecordLayout(
      hasTemperature: fifo?.includesTemperature == true, hasRotation: fifo?.includesRotation == true && usesGyroscope)
  }

  /// How many samples follow a watched one before the next that is watched.
  var samplesBetweenWatches: UInt16 {
    let count = samplesPerWatch ?? cycleRate?.samplesPerSecond ?? rate.samplesPerSecond
    return max(1, count) &- 1
  }

  var interruptPinByte: UInt8 { MPU6050.InterruptPinField(interrupt, withFIFO: usesFIFO).encoded }

  /// INT_ENABLE. The overflow of the FIFO is enabled with it: the map promises its status bit to the enabled only.
  var interruptEnableByte: UInt8 {
    MPU6050.InterruptField(fifoOverflow: usesFIFO, dataReady: interrupt.signalsDataReady).encoded
  }

  /// GYRO_CONFIG; its reset value with the gyroscope off.
  var gyroscopeByte: UInt8 {
    guard usesGyroscope, let gyroscope else { return 0 }
    return MPU6050.GyroscopeField(range: gyroscope).encoded
  }

  /// ACCEL_CONFIG2. In cycle mode the widest filter: the part is not awake long enough for another.
  ///
  /// - Source: Linux's inv_mpu6050 driver, `inv_mpu6050_set_wom_lp`.
  var accelerometerFilterByte: UInt8 {
    MPU6050.AccelerometerFilterField(filter: cycleRate == nil ? filter : nil).encoded
  }

  /// PWR_MGMT_1, awake.
  ///
  /// In the 6050 class the best clock comes from the gyroscope and so needs it on; later parts choose by themselves.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, register 107; PS-MPU-6000A rev. 3.4, 7.5 (cycle mode).
  func powerByte(of part: MPU6050.Part) -> UInt8 {
    var field = MPU6050.PowerField(clock: part.hasAccelerometerFilter || usesGyroscope ? 1 : 0)
    if cycleRate != nil {
      field.clock = 0
      field.cycles = true
      field.isTemperatureOff = true
    }
    return field.encoded
  }

  /// PWR_MGMT_2. Its rate of cycle mode is of the 6050 class alone; later parts have LP_ACCEL_ODR.
  func standbyByte(of part: MPU6050.Part) -> UInt8 {
    let rate = part.hasAccelerometerFilter ? nil : cycleRate
    return MPU6050.StandbyField(gyroscopeIsOn: usesGyroscope, cycleRate: rate ?? .hz1_25).encoded
  }
}

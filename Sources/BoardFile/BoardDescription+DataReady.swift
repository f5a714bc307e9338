public import FixedPoint
internal import Sensors

extension BoardDescription.Sensor {
  /// Has the sensor tell on a pin, wired to the GPIO `offset`, that it has a sample; nil for a sensor that does not.
  ///
  /// An ADXL345 raises INT1 until the sample is read, an MPU-6050 INT for 50 µs with each sample.
  ///
  /// - Datasheet: ADXL345 rev. E, "Interrupts", DATA_READY; RM-MPU-6000A rev. 4.2, registers 55 and 56.
  public mutating func setDataReady(_ offset: UInt32?) {
    dataReady = offset
    switch configuration {
    case .adxl345(var adxl345):
      adxl345.interrupts.conditions = offset == nil ? .none : .dataReady
      configuration = .adxl345(adxl345)
    case .mpu6050(var mpu6050):
      mpu6050.interrupts.signalsDataReady = offset != nil
      configuration = .mpu6050(mpu6050)
    }
  }

  /// The time from one sample to the next for who waits for the sensor to have one: as it makes them by itself, whatever
  /// `rate` is below that; without a data-ready pin, `period`.
  public var pace: Microseconds { dataReady == nil ? period : configuration.outputPeriod }
}

extension BoardDescription {
  /// The label of the GPIO chip that has the sensor's data-ready pin: that of the lines, or of a Raspberry Pi's header
  /// where the lines are emulated.
  public var dataReadyChip: ShortText<32> { lines.isEmulated ? ShortText("raspberry-pi") : lines.chip }
}

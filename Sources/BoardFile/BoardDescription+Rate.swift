public import FixedPoint
internal import Sensors

extension SensorModel {
  /// The highest rate of such a sensor: 800 Hz for an ADXL345, the most of which it is capable on I2C; 1000 Hz for an
  /// MPU-6050, the most that its accelerometer makes.
  public var highestRate: UpdateRate {
    switch self {
    case .adxl345: .hertz(800)
    case .mpu6050: .hertz(1_000)
    }
  }
}

extension BoardDescription.Sensor {
  /// The time from one sample to the next.
  public var period: Microseconds { rate.period }

  /// Has the sensor asked for a sample at `rate`, and sets its output data rate to the lowest that is at least that, but
  /// no lower than 25 Hz; in an MPU-6050, also the widest filter that lets nothing above half of `rate` pass (the
  /// narrowest is 5 Hz).
  ///
  /// It also makes an MPU-6050's configuration watched once a second of `rate`, as it is of the output data rate by itself.
  ///
  /// A lower output data rate would make samples no better, but older: an ADXL345 has the same noise from 100 Hz down, and
  /// drifts below 6.25 Hz; a sample is up to 40 ms old at 25 Hz, and up to 640 ms at 1.56 Hz.
  ///
  /// Returns false, and sets nothing, where `rate` is higher than the highest of the sensor.
  public mutating func setRate(_ rate: UpdateRate) -> Bool {
    let wanted = max(rate.millihertz, 25_000)
    guard rate <= model.highestRate else { return false }
    switch configuration {
    case .adxl345(var adxl345):
      guard let output = ADXL345.OutputDataRate(atLeastMillihertz: wanted) else { return false }
      adxl345.rate = output
      configuration = .adxl345(adxl345)
    case .mpu6050(var mpu6050):
      guard let output = MPU6050.SampleRate(atLeastMillihertz: wanted) else { return false }
      mpu6050.rate = output
      mpu6050.filter = Self.filter(below: rate.millihertz / 2)
      mpu6050.samplesPerWatch = rate.samplesPerWatch(of: output)
      configuration = .mpu6050(mpu6050)
    }
    self.rate = rate
    return true
  }

  private static func filter(below millihertz: Int32) -> MPU6050.Filter {
    switch millihertz {
    case 184_000...: .hz184
    case 94_000...: .hz94
    case 44_000...: .hz44
    case 21_000...: .hz21
    case 10_000...: .hz10
    default: .hz5
    }
  }
}

extension BoardDescription.Configuration {
  /// How often the sensor makes a sample by itself.
  var outputPeriod: Microseconds {
    switch self {
    case .adxl345(let adxl345): adxl345.rate.period
    case .mpu6050(let mpu6050): mpu6050.period
    }
  }
}

extension UpdateRate {
  /// How many samples make a second; nil where that is as many as the sensor makes at `output`, which is the default.
  fileprivate func samplesPerWatch(of output: MPU6050.SampleRate) -> UInt16? {
    let wanted = millihertz / 1_000
    return wanted == 1_000 / (Int32(output.divider) &+ 1) ? nil : UInt16(truncatingIfNeeded: wanted)
  }
}

public import FixedPoint
public import HAL
public import Orientation
public import Sensors
public import Text

extension BoardDescription {
  /// A sensor.
  public struct Sensor: Equatable, Sendable {
    /// Its address on the bus.
    public var address: I2CAddress
    /// Its model and configuration.
    public var configuration: Configuration
    /// How it sits on the board.
    public var mounting: Mounting
    /// Its calibration, in its own frame.
    public var calibration: Calibration
    /// The calibration of its gyroscope, in its own frame: the reading of each axis at rest, °/s, and the factor that
    /// corrects it.
    public var rotationCalibration: Calibration
    /// The rate of samples; ``setRate(_:)`` changes it.
    public private(set) var rate: UpdateRate
    /// The GPIO to which its data-ready pin is wired; nil if it is not wired. ``setDataReady(_:)`` changes it.
    public private(set) var dataReady: UInt32?
    /// How many samples are taken at a time, 1 to 28; ``setBatch(_:)`` changes it.
    public private(set) var batch: Int32 = 1

    /// A sensor; the defaults are those of a board file. The rate of samples is the sensor's own, but from 1 to 1000 Hz;
    /// ``setRate(_:)`` changes both.
    public init(
      address: I2CAddress, configuration: Configuration, mounting: Mounting = .aligned,
      calibration: Calibration = .none, rotationCalibration: Calibration = .none
    ) {
      self.address = address
      self.configuration = configuration
      self.mounting = mounting
      self.calibration = calibration
      self.rotationCalibration = rotationCalibration
      rate = UpdateRate(period: configuration.outputPeriod)
    }

    /// Its model.
    public var model: SensorModel { configuration.model }

    /// Its model and address, for messages about it.
    public var place: SensorPlace { SensorPlace(model, at: address) }

    /// Converts the measured force and rotation to the board's frame: calibration and mounting.
    public var alignment: Alignment { Alignment(calibration, mounting, rotation: rotationCalibration) }

    /// The time from one sample to the next. With batches the sensor's own, even if `rate` is lower: every sample comes.
    public var period: Microseconds { batch > 1 ? configuration.outputPeriod : rate.period }

    /// The time from one sample to the next for a program that waits for data-ready: the sensor's own period, even if
    /// `rate` is lower; without a data-ready pin, `period`.
    public var pace: Microseconds { dataReady == nil ? period : configuration.outputPeriod }

    /// The GPIO whose edges a program waits for; nil if there is no such wire, and with batches, which come by time.
    public var awaitedLine: UInt32? { batch == 1 ? dataReady : nil }

    /// The time from one batch to the next, where `pace` is from one sample to the next.
    public var batchPeriod: Microseconds { pace * widened(batch) }

    /// How many samples can be taken at a time.
    ///
    /// A batch must leave room for samples that come before it is taken: 4 of the ADXL345's 32, and 5 of the 36 of those
    /// relatives of the MPU-6050 that have the smallest FIFO.
    public static var batches: ClosedRange<Int32> { 1...28 }

    /// Sets the rate of samples, and the output data rate to the lowest that is at least as high, and at least 25 Hz; for an
    /// MPU-6050, also the widest filter that passes nothing above half of `rate` (the narrowest is 5 Hz).
    ///
    /// An MPU-6050's configuration is checked once a second at `rate`, as it is at the output data rate by default.
    ///
    /// A lower output data rate would make samples no better, but older: an ADXL345 has the same noise from 100 Hz down,
    /// and drifts below 6.25 Hz; a sample is up to 40 ms old at 25 Hz, and up to 640 ms at 1.56 Hz.
    ///
    /// Returns false, and sets nothing, if `rate` is higher than the sensor's highest.
    public mutating func setRate(_ rate: UpdateRate) -> Bool {
      guard rate <= model.highestRate, configuration.setRate(rate) else { return false }
      self.rate = rate
      return true
    }

    /// Makes the sensor signal each sample on its data-ready pin, which is wired to the GPIO `offset`; nil turns this off.
    ///
    /// An ADXL345 raises INT1 until the sample is read, an MPU-6050 INT for 50 µs with each sample.
    ///
    /// - Datasheet: ADXL345 rev. E, "Interrupts", DATA_READY; RM-MPU-6000A rev. 4.2, registers 55 and 56.
    public mutating func setDataReady(_ offset: UInt32?) {
      dataReady = offset
      configuration.setDataReady(offset != nil)
    }

    /// Has samples wait in the sensor, to be taken `count` at a time; 1 turns this off. Call it after ``setRate(_:)`` and
    /// whatever turns the gyroscope on.
    ///
    /// Returns false, and sets nothing, for a number beyond ``batches``.
    public mutating func setBatch(_ count: Int32) -> Bool {
      guard Self.batches.contains(count) else { return false }
      batch = count
      configuration.setBatch(count)
      return true
    }
  }

  /// The configuration of a sensor of either model.
  public enum Configuration: Equatable, Sendable {
    /// An ADXL345.
    case adxl345(ADXL345.Configuration)
    /// A part of the MPU-6050 family.
    case mpu6050(MPU6050.Configuration)
  }
}

// The differences of the models.
extension BoardDescription.Configuration {
  /// The model.
  public var model: SensorModel {
    switch self {
    case .adxl345: .adxl345
    case .mpu6050: .mpu6050
    }
  }

  /// Whether to use parts about which too little is known for `MPU6050.Admission.accepted`.
  public var acceptsUnverifiedParts: Bool {
    switch self {
    case .adxl345: false
    case .mpu6050(let mpu6050): mpu6050.acceptsUnverifiedParts
    }
  }

  /// Whether the sensor measures its rotation, which fusion needs.
  public var usesGyroscope: Bool {
    switch self {
    case .adxl345: false
    case .mpu6050(let mpu6050): mpu6050.gyroscope != nil && mpu6050.cycleRate == nil
    }
  }

  /// The end of the range of the force, g.
  package var rangeInG: Int32 {
    switch self {
    case .adxl345(let adxl345): 2 &<< Int32(adxl345.range.rawValue)
    case .mpu6050(let mpu6050): mpu6050.range.g
    }
  }

  /// The end of the range of the gyroscope, °/s; nil where none is used.
  package var rangeInDegreesPerSecond: Int32? {
    guard usesGyroscope, case .mpu6050(let mpu6050) = self else { return nil }
    return mpu6050.gyroscope?.degreesPerSecond
  }

  /// Throws if a bus of `busHertz` is too slow for the output data rate; nil is a bus of unknown speed.
  public func check(against busHertz: UInt32?) throws(SensorError) {
    switch self {
    case .adxl345(let adxl345): try adxl345.check(against: busHertz)
    case .mpu6050(let mpu6050): try mpu6050.check(against: busHertz)
    }
  }

  /// The time between two samples of the sensor itself.
  fileprivate var outputPeriod: Microseconds {
    switch self {
    case .adxl345(let adxl345): adxl345.rate.period
    case .mpu6050(let mpu6050): mpu6050.period
    }
  }

  fileprivate mutating func setDataReady(_ isOn: Bool) {
    switch self {
    case .adxl345(var adxl345):
      adxl345.interrupts.conditions = isOn ? .dataReady : .none
      self = .adxl345(adxl345)
    case .mpu6050(var mpu6050):
      mpu6050.interrupts.signalsDataReady = isOn
      self = .mpu6050(mpu6050)
    }
  }

  fileprivate mutating func setBatch(_ count: Int32) {
    switch self {
    case .adxl345(var adxl345):
      adxl345.fifo = count > 1 ? .stream(watermark: ADXL345.FIFO.Level(nearest: count)) : .bypass
      self = .adxl345(adxl345)
    case .mpu6050(var mpu6050):
      // What a sample has without the FIFO.
      let isTurning = mpu6050.gyroscope != nil
      mpu6050.fifo =
        count > 1
        ? MPU6050.FIFO(includesTemperature: isTurning, includesRotation: isTurning, longestBurst: 240) : nil
      self = .mpu6050(mpu6050)
    }
  }

  /// Sets the output data rate for `rate`; false if none is high enough.
  fileprivate mutating func setRate(_ rate: UpdateRate) -> Bool {
    let wanted = max(rate.millihertz, 25_000)
    switch self {
    case .adxl345(var adxl345):
      guard let output = ADXL345.OutputDataRate(atLeastMillihertz: wanted) else { return false }
      adxl345.rate = output
      self = .adxl345(adxl345)
    case .mpu6050(var mpu6050):
      guard let output = MPU6050.SampleRate(atLeastMillihertz: wanted) else { return false }
      mpu6050.rate = output
      mpu6050.filter = Self.filter(below: rate.millihertz / 2)
      // The default is the sensor's own rate.
      let samples = rate.millihertz / 1_000
      let isDefault = samples == 1_000 / (Int32(output.divider) &+ 1)
      mpu6050.samplesPerWatch = isDefault ? nil : UInt16(truncatingIfNeeded: samples)
      self = .mpu6050(mpu6050)
    }
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

extension SensorModel {
  /// The highest rate of such a sensor.
  public var highestRate: UpdateRate { .hertz(traits.highestRate) }
}

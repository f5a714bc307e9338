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
    public var configuration: SensorConfiguration
    /// How it is mounted on the board.
    public var mounting: Mounting
    /// Its calibration, in the sensor frame.
    public var calibration: Calibration
    /// Its gyroscope's calibration, in the sensor frame: the reading of each axis at rest, in °/s, and the factor that
    /// corrects it.
    public var rotationCalibration: Calibration
    /// The device of the kernel that is this sensor; nil if it is on the board's bus. Its model and address then mean
    /// nothing.
    public var device: Device?
    /// The GPIO to which its data-ready pin is wired; nil if it is not wired. ``setDataReady(_:)`` changes it.
    public private(set) var dataReady: UInt32?

    /// A sensor; the defaults are those of a board file.
    public init(
      address: I2CAddress, configuration: SensorConfiguration, mounting: Mounting = .aligned,
      calibration: Calibration = .none, rotationCalibration: Calibration = .none
    ) {
      self.address = address
      self.configuration = configuration
      self.mounting = mounting
      self.calibration = calibration
      self.rotationCalibration = rotationCalibration
    }

    /// The sample rate; ``setRate(_:)`` changes it.
    public var rate: UpdateRate { UpdateRate(bounded: configuration.millihertz) }

    /// How many samples are read at a time, 1 to 28; ``setBatch(_:)`` changes it.
    public var batch: Int32 { configuration.batch }

    /// Its model.
    public var model: SensorModel { configuration.model }

    /// Its model and address, or its name, for messages.
    public var place: SensorPlace { SensorPlace(model, at: address, device: device?.name) }

    /// The name of its model, or `iio` for a device of the kernel.
    public var modelName: StaticString { device == nil ? model.name : "iio" }

    /// A device of the kernel's industrial I/O.
    public struct Device: Equatable, Sendable {
      /// Its name or label, or `iio:deviceN`.
      public var name: SensorPlace.Device
      /// Whether it must have a gyroscope.
      public var needsGyroscope: Bool

      /// The device called `name`.
      public init(name: SensorPlace.Device, needsGyroscope: Bool = false) {
        (self.name, self.needsGyroscope) = (name, needsGyroscope)
      }
    }

    /// Converts the measured force and rotation to the board frame: calibration and mounting.
    public var alignment: Alignment { Alignment(calibration, mounting, rotation: rotationCalibration) }

    /// The time from one sample to the next. With batches it is the sensor's own period even if `rate` is lower,
    /// because every sample is read.
    public var period: Microseconds { batch > 1 ? configuration.outputPeriod : rate.period }

    /// The time from one sample to the next for a program that waits for data-ready: the sensor's own period, even if
    /// `rate` is lower. Without a data-ready pin, `period`.
    public var pace: Microseconds { dataReady == nil ? period : configuration.outputPeriod }

    /// The GPIO whose edges a program waits for; nil without such a wire, and with batches, which are read by timer.
    public var awaitedLine: UInt32? { batch == 1 ? dataReady : nil }

    /// The time from one batch to the next, with `pace` from one sample to the next.
    public var batchPeriod: Microseconds { pace * widened(batch) }

    /// How many samples can be read at a time.
    ///
    /// A batch must leave room for the samples that arrive before it is read: 4 of the ADXL345's 32, and 5 of the 36
    /// that fit in the smallest FIFO of the MPU-6050's relatives.
    public static var batches: ClosedRange<Int32> { 1...28 }

    /// Sets the sample rate. The output data rate becomes the lowest that is at least as high, and at least 25 Hz.
    ///
    /// Returns false, and sets nothing, if `rate` is above the sensor's highest.
    public mutating func setRate(_ rate: UpdateRate) -> Bool {
      guard rate <= model.highestRate else { return false }
      configuration.millihertz = rate.millihertz
      return true
    }

    /// Makes the sensor signal each sample on its data-ready pin, which is wired to the GPIO `offset`; nil turns this
    /// off.
    ///
    /// An ADXL345 raises INT1 until the sample is read; an MPU-6050 raises INT for 50 µs with each sample.
    ///
    /// - Datasheet: ADXL345 rev. E, "Interrupts", DATA_READY; RM-MPU-6000A rev. 4.2, registers 55 and 56.
    public mutating func setDataReady(_ offset: UInt32?) {
      dataReady = offset
      configuration.signalsDataReady = offset != nil
    }

    /// Lets samples collect in the sensor, which are read `count` at a time; 1 turns this off.
    ///
    /// Returns false, and sets nothing, for a number outside ``batches``, or if the sensor has no FIFO.
    public mutating func setBatch(_ count: Int32) -> Bool {
      guard Self.batches.contains(count), count == 1 || model.traits.keepsSamples else { return false }
      configuration.batch = count
      return true
    }
  }
}

extension SensorModel {
  /// The highest sample rate of such a sensor.
  public var highestRate: UpdateRate { .hertz(traits.highestRate) }
}

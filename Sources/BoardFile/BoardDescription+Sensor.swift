public import HAL
public import Orientation
public import Sensors
public import Text

extension BoardDescription {
  /// How a sensor of either model is set up.
  public enum Configuration: Equatable, Sendable {
    /// An ADXL345.
    case adxl345(ADXL345.Configuration)
    /// A part of the MPU-6050 family.
    case mpu6050(MPU6050.Configuration)
  }

  /// A sensor.
  public struct Sensor: Equatable, Sendable {
    /// Its address on the bus.
    public var address: I2CAddress
    /// What kind it is, and how it is set up.
    public var configuration: Configuration
    /// How it sits on the board.
    public var mounting: Mounting
    /// What corrects it; in its own frame.
    public var calibration: Calibration
    /// How often it is asked for a sample.
    public internal(set) var rate: UpdateRate
    /// The GPIO to which its data-ready pin is wired; nil where it is not. ``setDataReady(_:)`` changes it.
    public internal(set) var dataReady: UInt32?

    /// A sensor; what is left out is as in a board file that leaves it out. It is asked as often as it makes a sample, but
    /// from 1 to 1000 times a second; ``setRate(_:)`` changes both.
    public init(
      address: I2CAddress, configuration: Configuration, mounting: Mounting = .aligned,
      calibration: Calibration = .none
    ) {
      self.address = address
      self.configuration = configuration
      self.mounting = mounting
      self.calibration = calibration
      rate = UpdateRate(period: configuration.outputPeriod)
    }

    /// From what it measures to the force in the board's frame: calibration and mounting.
    public var alignment: Alignment { Alignment(calibration, mounting) }

    /// Which sensor it is, for messages about it.
    public var place: SensorPlace { SensorPlace(model, at: address) }

    /// What kind it is.
    public var model: SensorModel {
      switch configuration {
      case .adxl345: .adxl345
      case .mpu6050: .mpu6050
      }
    }
  }
}

public import HAL
internal import Sensors

/// A model of sensor, by the names that it has in board files and in messages.
public enum SensorModel: UInt8, Equatable, Sendable {
  /// The ADXL345 of Analog Devices, or its twin ADXL343.
  case adxl345
  /// The MPU-6050 of InvenSense, or one of its family: see `MPU6050.Part`.
  case mpu6050

  /// What is known of the model: its row in the table of models.
  public var traits: SensorTraits {
    switch self {
    case .adxl345:
      SensorTraits(
        name: "adxl345", properName: "ADXL345", addresses: (ADXL345.address, ADXL345.alternateAddress),
        addressPin: "SDO", interruptPin: "INT1", highestRate: 800, usualRange: 16, hasGyroscope: false,
        hasRelatives: false, findsKnocks: true)
    case .mpu6050:
      SensorTraits(
        name: "mpu6050", properName: "MPU-6050", addresses: (MPU6050.address, MPU6050.alternateAddress),
        addressPin: "AD0", interruptPin: "INT", highestRate: 1_000, usualRange: 4, hasGyroscope: true,
        hasRelatives: true, findsKnocks: false)
    }
  }

  /// All models.
  public static var all: SettingsCases<SensorModel> { SettingsCases() }

  /// How many models there are; raw values are 0 up to this.
  public static var count: Int { all.count }

  /// The name as in a board file.
  public var name: StaticString { traits.name }

  /// The name as its maker writes it.
  public var properName: StaticString { traits.properName }
}

/// A row of the table of models: what board files, messages and drawings need to know of a model.
public struct SensorTraits: Sendable {
  /// The name as in a board file.
  public var name: StaticString
  /// The name as its maker writes it.
  public var properName: StaticString
  /// The addresses, with the address pin low or high.
  public var addresses: (low: I2CAddress, high: I2CAddress)
  /// The name of the address pin.
  public var addressPin: StaticString
  /// The name of the pin that signals a sample.
  public var interruptPin: StaticString
  /// The highest rate of samples, Hz: of an ADXL345 its maximum on I2C, of an MPU-6050 that of its accelerometer.
  public var highestRate: Int32
  /// The end of the range if neither the board file nor what it asks for says otherwise, g.
  public var usualRange: Int32
  /// Whether it has a gyroscope.
  public var hasGyroscope: Bool
  /// Whether it stands for a family, some of whose members are not verified.
  public var hasRelatives: Bool
  /// Whether it finds taps and falls by itself; the samples of others show them.
  public var findsKnocks: Bool
}

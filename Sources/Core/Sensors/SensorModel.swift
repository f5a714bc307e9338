public import HAL

/// The sensor models that Plumb supports: the table.
///
/// Another model takes a case here and a line in each of the three places of this file; everything else is in its
/// driver's folder. Its emulator takes a line in `EmulatedPart`.
public enum SensorModel: UInt8, Equatable, Sendable {
  /// The ADXL345 of Analog Devices, or its twin ADXL343.
  case adxl345
  /// The MPU-6050 of InvenSense, or one of its family: see `MPU6050.Part`.
  case mpu6050
  /// The LIS3DH from STMicroelectronics, or a part with the same register map, such as the LIS2DH12.
  case lis3dh
  /// The LSM6DS family from STMicroelectronics: see `LSM6DS.Part`.
  case lsm6ds
  /// The LSM9DS1 from STMicroelectronics, as on the Sense HAT; without its magnetometer.
  case lsm9ds1
  /// The ICM-20948 of InvenSense, without its magnetometer.
  case icm20948

  /// Asks the driver of the model.
  package func ask<Question: DriverQuestion>(_ question: Question) -> Question.Answer {
    switch self {
    case .adxl345: question.answer(of: ADXL345.self)
    case .mpu6050: question.answer(of: MPU6050.self)
    case .lis3dh: question.answer(of: LIS3DH.self)
    case .lsm6ds: question.answer(of: LSM6DS.self)
    case .lsm9ds1: question.answer(of: LSM9DS1.self)
    case .icm20948: question.answer(of: ICM20948.self)
    }
  }
}

/// A sensor of any model: the only type in which their drivers meet. `SensorConfiguration.device(on:at:)` creates it.
public typealias AnySensor<Bus: I2CBus & ~Copyable> = EitherSensor<
  ADXL345.Device<Bus>,
  EitherSensor<
    MPU6050.Device<Bus>,
    EitherSensor<
      LIS3DH.Device<Bus>,
      EitherSensor<LSM6DS.Device<Bus>, EitherSensor<LSM9DS1.Device<Bus>, ICM20948.Device<Bus>>>
    >
  >
>

extension SensorConfiguration {
  /// The driver for such a sensor at `address` of `bus`. Nothing is read or written.
  public func device<Bus: I2CBus & ~Copyable>(on bus: consuming Bus, at address: I2CAddress) -> AnySensor<Bus> {
    switch model {
    case .adxl345: .first(ADXL345.Device(bus: bus, address: address, configuration: ADXL345.Configuration(self)))
    case .mpu6050:
      .second(.first(MPU6050.Device(bus: bus, address: address, configuration: MPU6050.Configuration(self))))
    case .lis3dh:
      .second(.second(.first(LIS3DH.Device(bus: bus, address: address, configuration: LIS3DH.Configuration(self)))))
    case .lsm6ds:
      .second(
        .second(.second(.first(LSM6DS.Device(bus: bus, address: address, configuration: LSM6DS.Configuration(self))))))
    case .lsm9ds1:
      .second(
        .second(
          .second(
            .second(
              .first(LSM9DS1.Device(bus: bus, address: address, configuration: LSM9DS1.Configuration(self)))))))
    case .icm20948:
      .second(
        .second(
          .second(
            .second(
              .second(ICM20948.Device(bus: bus, address: address, configuration: ICM20948.Configuration(self)))))))
    }
  }
}

/// The description of a sensor by its driver.
public protocol SensorDriver {
  /// The configuration of a device.
  associatedtype Configuration: DriverConfiguration
  /// The traits of the model.
  static var traits: SensorTraits { get }
  /// The module on which it is usually sold.
  static var module: SensorModule { get }
  /// The part that gives `identity` at an address of such a sensor; nil if none is known.
  static func part(identity: UInt8) -> SensorPart?
  /// The register that selects one of several banks of registers, of which only bank 0 has the identity; nil if there
  /// are none. It must be harmless to read in any part that may be at the address.
  static var bankRegister: UInt8? { get }
  /// The part in which the bank register reads `byte`; nil if that does not explain why no identity was found.
  static func part(bank byte: UInt8) -> SensorPart?
}

extension SensorDriver {
  /// Nil: there are no banks.
  public static var bankRegister: UInt8? { nil }
  /// Nil: there are no banks.
  public static func part(bank byte: UInt8) -> SensorPart? { nil }
}

/// A question to the driver of a model.
package protocol DriverQuestion {
  associatedtype Answer
  func answer<Driver: SensorDriver>(of driver: Driver.Type) -> Answer
}

// The drivers' answers.
extension SensorModel {
  /// The number of models; raw values are 0..<`count`.
  public static var count: Int {
    var count: UInt8 = 0
    while SensorModel(rawValue: count) != nil { count &+= 1 }
    return Int(count)
  }

  /// The traits of the model.
  public var traits: SensorTraits { ask(TraitsQuestion()) }
  /// The module on which it is usually sold.
  public var module: SensorModule { ask(ModuleQuestion()) }
  /// The name as in a board file.
  public var name: StaticString { traits.name }
  /// The name as its maker writes it.
  public var properName: StaticString { traits.properName }

  /// The part that gives `identity` at an address of such a sensor; nil if none is known.
  public func part(identity: UInt8) -> SensorPart? { ask(PartQuestion(identity: identity)) }

  /// The register that selects a bank; nil if there are none.
  package var bankRegister: UInt8? { ask(BankRegisterQuestion()) }
  /// The part in which the bank register reads `byte`; nil if that does not explain why no identity was found.
  package func part(bank byte: UInt8) -> SensorPart? { ask(BankQuestion(byte: byte)) }
}

private struct TraitsQuestion: DriverQuestion {
  func answer<Driver: SensorDriver>(of driver: Driver.Type) -> SensorTraits { Driver.traits }
}

private struct ModuleQuestion: DriverQuestion {
  func answer<Driver: SensorDriver>(of driver: Driver.Type) -> SensorModule { Driver.module }
}

private struct PartQuestion: DriverQuestion {
  var identity: UInt8
  func answer<Driver: SensorDriver>(of driver: Driver.Type) -> SensorPart? { Driver.part(identity: identity) }
}

private struct BankRegisterQuestion: DriverQuestion {
  func answer<Driver: SensorDriver>(of driver: Driver.Type) -> UInt8? { Driver.bankRegister }
}

private struct BankQuestion: DriverQuestion {
  var byte: UInt8
  func answer<Driver: SensorDriver>(of driver: Driver.Type) -> SensorPart? { Driver.part(bank: byte) }
}

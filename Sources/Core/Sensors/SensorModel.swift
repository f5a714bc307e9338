public import HAL

/// The models of sensor that Plumb knows: the table.
///
/// A further one is a case here, with a line in each of the three places of this file; all that is known of it stands
/// in its driver's folder. An emulator has its line in `EmulatedPart`.
public enum SensorModel: UInt8, Equatable, Sendable {
  /// The ADXL345 of Analog Devices, or its twin ADXL343.
  case adxl345
  /// The MPU-6050 of InvenSense, or one of its family: see `MPU6050.Part`.
  case mpu6050

  /// Has the driver of the model answer.
  package func ask<Question: DriverQuestion>(_ question: Question) -> Question.Answer {
    switch self {
    case .adxl345: question.answer(of: ADXL345.self)
    case .mpu6050: question.answer(of: MPU6050.self)
    }
  }
}

/// A sensor of any model: the one type where their drivers meet. `SensorConfiguration.device(on:at:)` makes it.
public typealias AnySensor<Bus: I2CBus & ~Copyable> = EitherSensor<ADXL345.Device<Bus>, MPU6050.Device<Bus>>

extension SensorConfiguration {
  /// The driver of such a sensor at `address` of `bus`. Nothing is read or written.
  public func device<Bus: I2CBus & ~Copyable>(on bus: consuming Bus, at address: I2CAddress) -> AnySensor<Bus> {
    switch model {
    case .adxl345: .first(ADXL345.Device(bus: bus, address: address, configuration: ADXL345.Configuration(self)))
    case .mpu6050: .second(MPU6050.Device(bus: bus, address: address, configuration: MPU6050.Configuration(self)))
    }
  }
}

/// What a driver says of its sensor.
public protocol SensorDriver {
  /// How a device is set up.
  associatedtype Configuration: DriverConfiguration
  /// What is known of the model.
  static var traits: SensorTraits { get }
  /// The module on which it is usually sold.
  static var module: SensorModule { get }
  /// The part that gives `identity` at an address of such a sensor; nil where none is known to.
  static func part(identity: UInt8) -> SensorPart?
}

/// Something that is asked of the driver of a model.
package protocol DriverQuestion {
  associatedtype Answer
  func answer<Driver: SensorDriver>(of driver: Driver.Type) -> Answer
}

// What the drivers say.
extension SensorModel {
  /// How many there are; raw values are 0 up to this.
  public static var count: Int {
    var count: UInt8 = 0
    while SensorModel(rawValue: count) != nil { count &+= 1 }
    return Int(count)
  }

  /// What is known of the model.
  public var traits: SensorTraits { ask(TraitsQuestion()) }
  /// The module on which it is usually sold.
  public var module: SensorModule { ask(ModuleQuestion()) }
  /// The name as in a board file.
  public var name: StaticString { traits.name }
  /// The name as its maker writes it.
  public var properName: StaticString { traits.properName }

  /// The part that gives `identity` at an address of such a sensor; nil where none is known to.
  public func part(identity: UInt8) -> SensorPart? { ask(PartQuestion(identity: identity)) }
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

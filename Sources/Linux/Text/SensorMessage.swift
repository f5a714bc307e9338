internal import FixedPoint
public import HAL
public import Sensors

/// Which sensor a message is about: the one that is expected at an address.
public struct SensorPlace: Equatable, Sendable {
  /// Its address on the bus.
  public var address: I2CAddress
  /// What kind it is.
  public var model: SensorModel

  /// A sensor of `model` at `address`.
  public init(_ model: SensorModel, at address: I2CAddress) {
    self.address = address
    self.model = model
  }
}

extension SensorError {
  /// What happened and what to check, of `sensor`.
  public func message(of sensor: SensorPlace) -> Message {
    let (address, name) = (sensor.address, sensor.model.properName)
    switch self {
    case .bus(let fault): return fault.message(at: address)
    case .unexpectedIdentity(let found, let expected):
      var text: Message =
        "the part at \(address) has the identity \(hex: found), not \(hex: expected) (\(name)): "
      text.appendPart(known: found, by: sensor)
      return text
    case .configurationRejected(let register, let wrote, let read):
      let compatible: StaticString = sensor.model == .mpu6050 ? " or a compatible part" : ""
      var text: Message =
        "register \(hex: register) of the part at \(address) reads \(hex: read) after \(hex: wrote) "
      text.append("was written: check that it is an \(name)\(compatible), and check its supply and wiring")
      return text
    case .configurationLost:
      return
        "the sensor at \(address) lost its configuration because its supply dipped: check power and ground"
    case .resetTimedOut:
      return
        "the part at \(address) does not come out of reset: check its supply, or switch it off and on again"
    case .rateTooHigh(let busHertz, let highestHertz):
      return Self.rateMessage(busHertz, highestHertz)
    case .frozen:
      return
        "the sensor at \(address) repeats the same sample: it has stopped measuring; switch it off and on again"
    case .stuckAtFullScale:
      return
        "the sensor at \(address) stays at full scale: it is defective, or the force exceeds its range"
    case .weightless:
      let suspect: StaticString =
        switch sensor.model {
        case .adxl345:
          "it is defective, or an ADXL375, which has the same identity but 49 mg/LSB"
        case .mpu6050: "it is defective, or a copy that reads only zeros"
        }
      return "the sensor at \(address) measures almost no force: \(suspect)"
    }
  }

  private static func rateMessage(_ busHertz: UInt32, _ highestHertz: UInt32) -> Message {
    // No sensor runs on a bus above 400 kHz.
    let isSlowBus = busHertz < 400_000
    let kilohertz = widened(busHertz)
    var text: Message =
      "the rate is too high for a bus of \(kilohertz, over: 1_000, places: 1) kHz: use "
    if highestHertz > 0 { text.append("a rate of \(highestHertz) Hz or less") }
    if highestHertz > 0 && isSlowBus { text.append(", or ") }
    if isSlowBus {
      text.append("a faster bus (dtparam=i2c_arm_baudrate=400000 in config.txt, then restart)")
    }
    return text
  }
}

extension SensorNotice {
  /// What a user should know about `sensor`.
  public func message(of sensor: SensorPlace) -> Message {
    switch self {
    case .compatiblePart(let identity):
      let part: StaticString = MPU6050.Part(rawValue: identity)?.name ?? "of another kind"
      let (address, name) = (sensor.address, sensor.model.properName)
      return
        "the part at \(address) is \(part) (identity \(hex: identity)), not an \(name); it is used as one"
    case .samplesLost(let count):
      let noun: StaticString = count == 1 ? "sample was" : "samples were"
      return "\(count) \(noun) lost"
    case .staysAwake:
      return "the sensor stays awake: it cannot watch for movement by itself; remove [power] from the board file"
    }
  }
}

extension ShortText {
  /// Adds which part has the identity `found`, where that of `sensor` was expected.
  fileprivate mutating func appendPart(known found: UInt8, by sensor: SensorPlace) {
    switch (sensor.model, found) {
    case (_, 0x00), (_, 0xFF): append("no part has this identity; check power, ground, SDA and SCL")
    case (.adxl345, 0xE6): append("that is an ADXL346, which must not be powered from 3.3 V")
    case (.adxl345, 0xAD):
      append("that is a part of the ADXL355 or ADXL362 family, which has other registers")
    case (.mpu6050, ADXL345.identity):
      append("that is an ADXL345; in the board file write model = adxl345")
    case (.mpu6050, 0x69), (.mpu6050, 0x75): append("only defective parts are known to have this identity")
    case (.mpu6050, 0x40...0x47):
      append("that is probably one of the ICM-426xx, which have other registers")
    default: appendFamily(found, by: sensor)
    }
  }

  private mutating func appendFamily(_ found: UInt8, by sensor: SensorPlace) {
    guard let part = MPU6050.Part(rawValue: found) else {
      append("no known part has this identity")
      guard sensor.model == .mpu6050 && sensor.address == MPU6050.address && Probe.isTime(found)
      else { return }
      return append("; it may be a real-time clock (DS1307, DS3231), which has the same address")
    }
    append("that is \(part.name)")
    if sensor.model != .mpu6050 { return append("; in the board file write model = mpu6050") }
    append(
      part.admission == .onlyIfAsked
        ? "; to use it, write unverified-parts = yes in the board file"
        : ", which does not support what the board file asks for")
  }
}

extension MPU6050.Part {
  /// The name with its article.
  public var name: StaticString {
    switch self {
    case .mpu6050: "an MPU-6050, MPU-6000 or MPU-9150"
    case .mpu6500: "an MPU-6500"
    case .mpu9250: "an MPU-9250"
    case .clone72: "a copy reported to behave like an MPU-6500"
    case .mpu9255: "an MPU-9255"
    case .mpu6515: "an MPU-6515"
    case .mpu6880: "an MPU-6880"
    case .icm20600: "an ICM-20600"
    case .icm20602: "an ICM-20602"
    case .icm20690: "an ICM-20690"
    case .icm20689: "an ICM-20689 or one of the copies sold as MPU-6050"
    case .icm20609: "an ICM-20609"
    case .iam20680: "an IAM-20680"
    case .icm20608D: "an ICM-20608D"
    case .icm20608: "an ICM-20608"
    }
  }
}

extension Probe.Sensor {
  /// Its model.
  public var model: SensorModel {
    switch self {
    case .adxl345: .adxl345
    case .mpu6050: .mpu6050
    }
  }

  /// The name with its article.
  public var name: StaticString {
    switch self {
    case .adxl345: "an ADXL345"
    case .mpu6050(let part): part.name
    }
  }
}

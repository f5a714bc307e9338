import Accelerometers
import BoardFile
import HAL
import LinuxHAL

extension SensorError {
  /// What happened and what to look at, for people, of `sensor`.
  func text(of sensor: BoardDescription.Sensor) -> String {
    let place = sensor.address.text
    return switch self {
    case .bus(let fault): fault.text(at: sensor.address)
    case .unexpectedIdentity(let found, let expected):
      "the part at \(place) gives the identity \(hex(found)) where \(hex(expected)) (\(sensor.model.properName)) was "
        + "expected: " + sensor.knownPart(found)
    case .configurationRejected(let register, let wrote, let read):
      "register \(hex(register)) of the part at \(place) reads \(hex(read)) after \(hex(wrote)) was written: "
        + "is it an \(sensor.model.properName)\(sensor.model == .mpu6050 ? " or a relative" : ""), and are its supply "
        + "and wires sound?"
    case .configurationLost:
      "the sensor at \(place) has lost its configuration: its supply dipped, check power and ground wires"
    case .resetTimedOut:
      "the part at \(place) does not come out of its reset: check its supply, or switch it off and on"
    case .rateTooHigh(let busHertz, let highestHertz): rateTooHigh(busHertz, highestHertz)
    case .weightless: "the sensor at \(place) measures next to nothing: " + sensor.whyWeightless
    case .frozen: "the sensor at \(place) gives the same sample again and again: it has stopped measuring"
    case .stuckAtFullScale:
      "the sensor at \(place) stays at the end of its range: it is defective, or shaken beyond it"
    }
  }

  private func rateTooHigh(_ busHertz: UInt32, _ highestHertz: UInt32) -> String {
    // Board files have no rate below 25 Hz, and sensors no bus above 400 kHz.
    let slower = highestHertz < 25 ? nil : "a rate of \(highestHertz) Hz or less in the board file"
    let faster = busHertz >= 400_000 ? nil : "a faster bus (dtparam=i2c_arm_baudrate=400000 in config.txt, restart)"
    return "the rate is too high for a bus of \(decimalText(Int64(busHertz), over: 1_000, places: 1)) kHz: choose "
      + [slower, faster].compactMap(\.self).joined(separator: ", or ")
  }
}

extension SensorNotice {
  /// What a user should know, for people, of `sensor`.
  func text(of sensor: BoardDescription.Sensor) -> String {
    switch self {
    case .compatiblePart(let identity):
      "the part at \(sensor.address.text) is no \(sensor.model.properName) but "
        + "\(MPU6050.Part(rawValue: identity)?.name ?? "another") (identity \(hex(identity))); it is used like one"
    }
  }
}

extension BoardDescription.Sensor {
  /// Which part is known by the identity `found`, where this one's was looked for.
  fileprivate func knownPart(_ found: UInt8) -> String {
    switch (model, found) {
    case (_, 0x00), (_, 0xFF): "no part has that; check power, ground, SDA and SCL"
    case (.adxl345, 0xE6): "that is an ADXL346, which must not be run at 3.3 V"
    case (.adxl345, 0xAD): "that is a part of the ADXL355 or ADXL362 family, which has other registers"
    case (.mpu6050, ADXL345.identity): "that is an ADXL345; in the board file write model = adxl345"
    case (.mpu6050, 0x69), (.mpu6050, 0x75): "only defective parts are known by it"
    case (.mpu6050, 0x40...0x47): "that is probably one of the ICM-426xx, which have other registers"
    default: family(found)
    }
  }

  private func family(_ found: UInt8) -> String {
    guard let part = MPU6050.Part(rawValue: found) else {
      return model == .mpu6050 && address == MPU6050.address && readsLikeTime(found)
        ? "no such part is known by it; is it a real-time clock (DS1307, DS3231)? Those are at this address too"
        : "no such part is known by it"
    }
    guard model == .mpu6050 else { return "that is \(part.name); in the board file write model = mpu6050" }
    return part.admission == .onlyIfAsked
      ? "that is \(part.name), used where the board file says unverified-parts = yes"
      : "that is \(part.name), which cannot do what is asked of it"
  }

  /// Whether `byte` can be the seconds or minutes of a clock, two decimal digits.
  private func readsLikeTime(_ byte: UInt8) -> Bool { byte < 0x60 && byte & 0x0F < 0x0A }

  fileprivate var whyWeightless: String {
    switch model {
    case .adxl345: "an ADXL375, which counts 49 mg to the LSB and has the same identity, or a defective part"
    case .mpu6050: "a defective part, or one of the copies that give nothing but zeros"
    }
  }
}

extension I2CFault {
  /// What happened and what to look at, for people, of a transaction with `address`.
  func text(at address: I2CAddress) -> String {
    switch self {
    case .noAcknowledge:
      "no acknowledge from \(address.text): is the sensor powered, are SDA and SCL right, and is that its address?"
    case .arbitrationLost: "another controller took the bus during a transaction with \(address.text)"
    case .timedOut: "the bus hung during a transaction with \(address.text): is SDA or SCL held low?"
    case .shortRead(let expected, let received):
      "only \(received) of \(expected) bytes came from \(address.text): check the wires"
    case .unsupported: "the I2C adapter cannot do a combined write and read"
    case .notPermitted: "the I2C bus may not be used: add yourself to the group i2c"
    case .busy: "a kernel driver or another program holds the address \(address.text)"
    case .unavailable: "the I2C bus is gone: is the adapter still plugged in?"
    case .other(let code): "the I2C bus reports \(systemText(code)) (errno \(code)) for \(address.text)"
    }
  }
}

extension I2CAddress {
  /// `0x53` and the like.
  var text: String { hex(rawValue) }
}

/// `0x0A` and the like.
func hex(_ byte: UInt8) -> String { "0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) }

import Accelerometers
import HAL
import LinuxHAL

extension SensorError {
  /// What happened and what to look at, for people, of the sensor at `address`.
  func text(at address: I2CAddress) -> String {
    switch self {
    case .bus(let fault): fault.text(at: address)
    case .unexpectedIdentity(let found, let expected):
      "the part at \(address.text) gives the identity \(hex(found)) where \(hex(expected)) (ADXL345) was expected: "
        + knownPart(found)
    case .configurationRejected(let register, let wrote, let read):
      "register \(hex(register)) of the part at \(address.text) reads \(hex(read)) after \(hex(wrote)) was written: "
        + "is it an ADXL345, and are its supply and wires sound?"
    case .configurationLost:
      "the sensor at \(address.text) has lost its configuration: its supply dipped, check power and ground wires"
    case .resetTimedOut:
      "the part at \(address.text) does not come out of its reset: check its supply, or switch it off and on"
    case .rateTooHigh(let busHertz, let highestHertz):
      "the rate is too high for a bus of \(busHertz / 1_000) kHz: choose \(highestHertz) Hz or less, or a faster bus "
        + "(dtparam=i2c_arm_baudrate=400000 in config.txt)"
    case .weightless:
      "the sensor at \(address.text) measures next to nothing: an ADXL375, which counts 49 mg to the LSB and has the "
        + "same identity, or a defective part"
    case .frozen: "the sensor at \(address.text) gives the same sample again and again: it has stopped measuring"
    case .stuckAtFullScale:
      "the sensor at \(address.text) stays at the end of its range: it is defective, or shaken beyond it"
    }
  }

  /// Which part is known by the identity `found` in register 0x00.
  private func knownPart(_ found: UInt8) -> String {
    switch found {
    case 0xE6: "that is an ADXL346, which must not be run at 3.3 V"
    case 0xAD: "that is a part of the ADXL355 or ADXL362 family, which has other registers"
    case 0x00, 0xFF: "no part has that; check power, ground, SDA and SCL"
    default: "no part is known by it; an MPU-6050 at this address would not have an identity here at all"
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

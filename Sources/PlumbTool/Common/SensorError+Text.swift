import BoardFile
import HAL
import Text
import Sensors

extension SensorError {
  /// What happened and what to look at, for people, of `sensor`.
  func text(of sensor: BoardDescription.Sensor) -> String { message(of: sensor.place).description }
}

extension SensorNotice {
  /// What a user should know, for people, of `sensor`.
  func text(of sensor: BoardDescription.Sensor) -> String { message(of: sensor.place).description }
}

extension I2CFault {
  /// What happened and what to look at, for people, of a transaction with `address`.
  func text(at address: I2CAddress) -> String { message(at: address).description }
}

extension I2CAddress {
  /// `0x53` and the like.
  var text: String { hex(rawValue) }
}

/// `0x0A` and the like.
func hex(_ byte: UInt8) -> String { "0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) }

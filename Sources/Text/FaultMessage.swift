internal import CSupport
public import HAL

extension I2CFault {
  /// What happened and what to check, in a transaction with `address`.
  public func message(at address: I2CAddress) -> Message {
    switch self {
    case .noAcknowledge:
      "no acknowledge from \(address): is the sensor powered, are SDA and SCL right, and is that its address?"
    case .arbitrationLost: "another controller took the bus during a transaction with \(address)"
    case .timedOut: "the bus hung during a transaction with \(address): is SDA or SCL held low?"
    case .shortRead(let expected, let received):
      "only \(received) of \(expected) bytes came from \(address): check the wires"
    case .unsupported: "the I2C adapter cannot do a combined write and read"
    case .notPermitted: "no permission to use the I2C bus: add yourself to the group i2c"
    case .busy: "a kernel driver or another program holds the address \(address)"
    case .unavailable: "the I2C bus is gone: is the adapter still plugged in?"
    case .other(let code): "the I2C bus reports \(system: code) for \(address)"
    }
  }
}

extension ShortText {
  /// Adds the system's words for `code`, an errno, and the code itself.
  package mutating func append(system code: Int32) {
    append("\(unsafe ShortText<96>(cString: csupport_error_text(code))) (errno \(code))")
  }
}

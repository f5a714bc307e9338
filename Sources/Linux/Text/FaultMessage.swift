internal import CSupport
public import HAL

extension I2CFault {
  /// What happened in a transaction with `address`, and what to check.
  public func message(at address: I2CAddress) -> Message {
    switch self {
    case .noAcknowledge:
      "no acknowledge from \(address): check power, SDA, SCL and the sensor's address"
    case .arbitrationLost: "another controller took the bus during a transaction with \(address)"
    case .timedOut: "the bus hung during a transaction with \(address): check whether SDA or SCL is held low"
    case .shortRead(let expected, let received):
      "only \(received) of \(expected) bytes came from \(address): check the wiring"
    case .unsupported: "the I2C adapter does not support a combined write and read: use another adapter"
    case .notPermitted: "no permission to use the I2C bus: add yourself to the group i2c, then log in again"
    case .busy: "the address \(address) is in use by a kernel driver or another program"
    case .unavailable: "the I2C bus has disappeared: check that the adapter is plugged in"
    case .other(let code): "error in an I2C transaction with \(address): \(system: code)"
    }
  }
}

extension ShortText.Interpolation {
  /// Appends the system's words for `code`, an errno, and the code itself.
  public mutating func appendInterpolation(system code: Int32) {
    let words: ShortText = "\(unsafe ShortText<96>(cString: csupport_error_text(code))) (errno \(code))"
    appendInterpolation(words)
  }
}

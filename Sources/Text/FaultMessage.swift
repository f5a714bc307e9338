internal import CSupport
public import HAL

extension I2CFault {
  /// What happened and what to check, in a transaction with `address`.
  public func message(at address: I2CAddress) -> Message {
    var text = Message()
    switch self {
    case .noAcknowledge:
      text.append("no acknowledge from ", address)
      text.append(": is the sensor powered, are SDA and SCL right, and is that its address?")
    case .arbitrationLost: text.append("another controller took the bus during a transaction with ", address)
    case .timedOut:
      text.append("the bus hung during a transaction with ", address)
      text.append(": is SDA or SCL held low?")
    case .shortRead(let expected, let received): text.appendShort(expected, received, address)
    case .unsupported: text.append("the I2C adapter cannot do a combined write and read")
    case .notPermitted: text.append("no permission to use the I2C bus: add yourself to the group i2c")
    case .busy: text.append("a kernel driver or another program holds the address ", address)
    case .unavailable: text.append("the I2C bus is gone: is the adapter still plugged in?")
    case .other(let code):
      text.append("the I2C bus reports ")
      text.append(system: code)
      text.append(" for ", address)
    }
    return text
  }
}

extension ShortText {
  /// Adds words and an address after them.
  mutating func append(_ words: StaticString, _ address: I2CAddress) {
    append(words)
    append(hex: address.rawValue)
  }

  /// Adds what the system calls `code`, an errno, and the code itself.
  package mutating func append(system code: Int32) {
    append(unsafe ShortText<96>(cString: csupport_error_text(code)))
    append(" (errno ")
    append(decimal: code)
    append(")")
  }

  fileprivate mutating func appendShort(_ expected: Int, _ received: Int, _ address: I2CAddress) {
    append("only ")
    append(decimal: Int32(truncatingIfNeeded: received))
    append(" of ")
    append(decimal: Int32(truncatingIfNeeded: expected))
    append(" bytes came from ", address)
    append(": check the wires")
  }
}

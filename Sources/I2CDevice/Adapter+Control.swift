internal import CBusBridge
internal import HAL

extension Adapter where Bus: ~Copyable {
  /// Answers an `ioctl` of an open file whose target address is `address`; returns what `ioctl` does.
  ///
  /// | request | answer |
  /// |---|---|
  /// | `I2C_SLAVE`, `I2C_SLAVE_FORCE` | sets the address; `EINVAL` above 0x7F |
  /// | `I2C_TENBIT`, `I2C_PEC` | 0 turns off what is off; else `EOPNOTSUPP`, where the kernel lets later transactions fail |
  /// | `I2C_FUNCS` | stores ``functions`` |
  /// | `I2C_RETRIES`, `I2C_TIMEOUT` | accepted without effect: only lost arbitration is retried, and nothing here waits |
  /// | `I2C_RDWR`, `I2C_SMBUS` | one transaction |
  /// | any other | `ENOTTY` |
  package mutating func control(_ request: UInt, _ argument: UnsafeMutableRawPointer?, address: inout UInt16)
    throws(KernelError) -> Int32
  {
    let number = UInt(bitPattern: argument)
    switch request {
    case UInt(I2C_SLAVE), UInt(I2C_SLAVE_FORCE):
      guard number <= 0x7F else { throw .invalid }
      address = UInt16(truncatingIfNeeded: number)
    case UInt(I2C_TENBIT), UInt(I2C_PEC):
      guard number == 0 else { throw .unsupported }
    case UInt(I2C_RETRIES), UInt(I2C_TIMEOUT):
      guard number <= UInt(Int32.max) else { throw .invalid }
    case UInt(I2C_FUNCS):
      guard let argument = unsafe argument else { throw .badAddress }
      unsafe argument.storeBytes(of: UInt(Self.functions), as: UInt.self)
    case UInt(I2C_SMBUS):
      guard let argument = unsafe argument else { throw .badAddress }
      try unsafe transfer(argument.assumingMemoryBound(to: i2c_smbus_ioctl_data.self).pointee, at: address)
    case UInt(I2C_RDWR):
      guard let argument = unsafe argument else { throw .badAddress }
      let data = unsafe argument.assumingMemoryBound(to: i2c_rdwr_ioctl_data.self).pointee
      return try unsafe transfer(UnsafeBufferPointer(start: data.msgs, count: Int(data.nmsgs)))
    default:
      throw KernelError(ENOTTY)
    }
    return 0
  }
}

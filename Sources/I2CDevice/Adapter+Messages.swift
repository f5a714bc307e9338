package import CBusBridge
internal import HAL

extension Adapter where Bus: ~Copyable {
  /// Does what `I2C_RDWR` asks for; returns the number of messages.
  ///
  ///     S | addr+W | b0 … bn | Sr | addr+R | r0 … rm | P
  ///
  /// At most 42 messages of at most 8192 bytes, else `EINVAL`, and then nothing is done. As on a Pi only the last may be a
  /// read (`EOPNOTSUPP`). The bus below takes one write and one read at once: writes before the last go as transactions of
  /// their own, which neither sensor family can tell from a repeated start.
  package mutating func transfer(_ messages: UnsafeBufferPointer<i2c_msg>) throws(KernelError) -> Int32 {
    try unsafe check(messages)
    for index in 0..<messages.count {
      let message = unsafe messages[index]
      let isRead = unsafe Int32(message.flags) & I2C_M_RD != 0
      let last = messages.count - 1
      // The read takes the write before it along.
      if !isRead, index + 1 == last, unsafe precedesItsRead(message, messages[last]) { continue }
      if isRead {
        let before = unsafe index > 0 ? messages[index - 1] : i2c_msg()
        try unsafe read(message, after: before)
      } else {
        try unsafe write(bytes(message).span, to: message.addr)
      }
    }
    return Int32(truncatingIfNeeded: messages.count)
  }

  private func check(_ messages: UnsafeBufferPointer<i2c_msg>) throws(KernelError) {
    guard messages.count > 0, messages.count <= Int(I2C_RDWR_IOCTL_MAX_MSGS), unsafe messages.baseAddress != nil else {
      throw .invalid
    }
    for index in 0..<messages.count {
      let message = unsafe messages[index]
      guard unsafe Int(message.len) <= PLUMB_BRIDGE_LONGEST_MESSAGE else { throw .invalid }
      guard unsafe message.len == 0 || message.buf != nil else { throw .badAddress }
    }
    for index in 0..<messages.count {
      let flags = unsafe Int32(messages[index].flags)
      guard flags & ~I2C_M_RD == 0, flags == 0 || index == messages.count - 1 else { throw .unsupported }
    }
  }

  /// Whether `write` and `read` are one transaction with one target.
  private func precedesItsRead(_ write: i2c_msg, _ read: i2c_msg) -> Bool {
    unsafe Int32(write.flags) & I2C_M_RD == 0 && Int32(read.flags) & I2C_M_RD != 0 && write.addr == read.addr
  }

  private mutating func read(_ message: i2c_msg, after before: i2c_msg) throws(KernelError) {
    let buffer = unsafe UnsafeMutableBufferPointer(start: message.buf, count: Int(message.len))
    var span = unsafe buffer.mutableSpan
    if unsafe precedesItsRead(before, message) {
      try unsafe writeRead(bytes(before).span, into: &span, at: message.addr)
    } else {
      try unsafe read(into: &span, at: message.addr)
    }
  }

  private func bytes(_ message: i2c_msg) -> UnsafeBufferPointer<UInt8> {
    unsafe UnsafeBufferPointer(start: message.buf, count: Int(message.len))
  }
}

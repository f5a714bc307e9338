package import CBridge
internal import HAL

extension Adapter where Bus: ~Copyable {
  /// Handles an `ioctl` on an open file whose target address is `address`; returns what `ioctl` returns.
  ///
  /// | request | response |
  /// |---|---|
  /// | `I2C_SLAVE`, `I2C_SLAVE_FORCE` | sets the address; `EINVAL` above 0x7F |
  /// | `I2C_TENBIT`, `I2C_PEC` | 0 turns off what is off; else `EOPNOTSUPP`; the kernel fails later transactions |
  /// | `I2C_FUNCS` | stores ``functions`` |
  /// | `I2C_RETRIES`, `I2C_TIMEOUT` | accepted without effect: only lost arbitration is retried, nothing here waits |
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

extension Adapter where Bus: ~Copyable {
  /// Performs an `I2C_RDWR` request; returns the number of messages.
  ///
  ///     S | addr+W | b0 … bn | Sr | addr+R | r0 … rm | P
  ///
  /// At most 42 messages of at most 8192 bytes; otherwise it throws `EINVAL` and does nothing. As on a Pi up to the 4,
  /// only the last may be a read (else `EOPNOTSUPP`), unless the adapter joins reads. The bus below takes one write and
  /// one read at a time: all other messages are sent as transactions of their own, which neither sensor family can
  /// distinguish from a repeated start.
  package mutating func transfer(_ messages: UnsafeBufferPointer<i2c_msg>) throws(KernelError) -> Int32 {
    try unsafe check(messages)
    for index in 0..<messages.count {
      let message = unsafe messages[index]
      let isRead = unsafe Int32(message.flags) & I2C_M_RD != 0
      // Sent together with the read that follows.
      if !isRead, index + 1 < messages.count, unsafe precedesItsRead(message, messages[index + 1]) { continue }
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
      guard flags & ~I2C_M_RD == 0, flags == 0 || kind.joinsReads || index == messages.count - 1 else {
        throw .unsupported
      }
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

/// One message of an SMBus transaction: a command, a length and at most 32 bytes.
private struct Message {
  var bytes = InlineArray<34, UInt8>(repeating: 0)
  var count = 0

  /// Appends a byte; drops it if the message is full, which no checked request can cause.
  mutating func append(_ byte: UInt8) {
    guard count < 34 else { return }
    bytes[count] = byte
    count += 1
  }
}

extension Adapter where Bus: ~Copyable {
  /// Performs an `I2C_SMBUS` request as the kernel emulates it on an I2C adapter.
  ///
  /// | size | write | read |
  /// |---|---|---|
  /// | quick | `S \| addr+W \| P` | `S \| addr+R \| P` |
  /// | byte | `S \| addr+W \| command \| P` | `S \| addr+R \| r0 \| P` |
  /// | byte data | `… \| command \| b0 \| P` | `… \| command \| Sr \| addr+R \| r0 \| P` |
  /// | word data | `… \| command \| low \| high \| P` | `… \| command \| Sr \| addr+R \| low \| high \| P` |
  /// | process call | `… \| command \| low \| high \| Sr \| addr+R \| low \| high \| P` | the same |
  /// | block | `… \| command \| n \| b1 … bn \| P` | `EOPNOTSUPP`: a Pi's adapter cannot |
  /// | I2C block | `… \| command \| b1 … bn \| P` | `… \| command \| Sr \| addr+R \| r1 … rn \| P` |
  ///
  /// Throws `EINVAL` for a length of 0 or over 32, an unknown size or direction, or missing data.
  package mutating func transfer(_ request: i2c_smbus_ioctl_data, at address: UInt16) throws(KernelError) {
    let direction = unsafe Int32(request.read_write)
    guard direction == I2C_SMBUS_READ || direction == I2C_SMBUS_WRITE else { throw .invalid }
    let isRead = direction == I2C_SMBUS_READ
    let size = unsafe Int32(truncatingIfNeeded: request.size)
    var message = Message()
    if size == I2C_SMBUS_QUICK {
      return unsafe try isRead ? read(0, into: nil, at: address) : send(message, to: address)
    }
    if size != I2C_SMBUS_BYTE || !isRead { unsafe message.append(request.command) }
    if size == I2C_SMBUS_BYTE && !isRead { return try send(message, to: address) }
    guard let data = unsafe UnsafeMutableRawPointer(request.data) else { throw .invalid }
    switch size {
    case I2C_SMBUS_BYTE: try unsafe read(1, into: data, at: address)
    case I2C_SMBUS_BYTE_DATA: try unsafe exchange(1, &message, data, isRead, at: address)
    case I2C_SMBUS_WORD_DATA: try unsafe exchange(2, &message, data, isRead, at: address)
    case I2C_SMBUS_PROC_CALL:
      unsafe append(2, of: data, to: &message)
      try unsafe read(2, into: data, at: address, after: message)
    case I2C_SMBUS_BLOCK_DATA where !isRead:
      let count = try unsafe blockLength(data)
      // The length is part of the message.
      unsafe append(1 + count, of: data, to: &message)
      try send(message, to: address)
    case I2C_SMBUS_I2C_BLOCK_DATA, I2C_SMBUS_I2C_BLOCK_BROKEN:
      // The older request reads 32 bytes whatever the length is.
      if isRead && size == I2C_SMBUS_I2C_BLOCK_BROKEN { unsafe data.storeBytes(of: 32, as: UInt8.self) }
      try unsafe exchange(blockLength(data), &message, data + 1, isRead, at: address)
    case I2C_SMBUS_BLOCK_DATA, I2C_SMBUS_BLOCK_PROC_CALL: throw .unsupported
    default: throw .invalid
    }
  }

  private func blockLength(_ data: UnsafeMutableRawPointer) throws(KernelError) -> Int {
    let count = unsafe Int(data.load(as: UInt8.self))
    guard count > 0, count <= Int(I2C_SMBUS_BLOCK_MAX) else { throw .invalid }
    return count
  }

  /// Writes `count` bytes of `data` after those of the message, or reads them after it.
  private mutating func exchange(
    _ count: Int, _ message: inout Message, _ data: UnsafeMutableRawPointer, _ isRead: Bool, at address: UInt16
  ) throws(KernelError) {
    if isRead { return try unsafe read(count, into: data, at: address, after: message) }
    unsafe append(count, of: data, to: &message)
    try send(message, to: address)
  }

  private func append(_ count: Int, of data: UnsafeMutableRawPointer, to message: inout Message) {
    for offset in 0..<count { unsafe message.append(data.load(fromByteOffset: offset, as: UInt8.self)) }
  }

  private mutating func send(_ message: Message, to address: UInt16) throws(KernelError) {
    try write(message.bytes.span.extracting(0..<message.count), to: address)
  }

  /// Reads `count` bytes after `message`, if there is one.
  private mutating func read(
    _ count: Int, into data: UnsafeMutableRawPointer?, at address: UInt16, after message: Message = Message()
  ) throws(KernelError) {
    let bytes = unsafe data?.assumingMemoryBound(to: UInt8.self)
    var span = unsafe UnsafeMutableBufferPointer(start: bytes, count: count).mutableSpan
    try writeRead(message.bytes.span.extracting(0..<message.count), into: &span, at: address)
  }
}

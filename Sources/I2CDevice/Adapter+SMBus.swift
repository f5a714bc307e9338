package import CBusBridge
internal import HAL

/// One message of an SMBus transaction: command, length and 32 bytes at most.
private struct Message {
  var bytes = InlineArray<34, UInt8>(repeating: 0)
  var count = 0

  /// Appends a byte; beyond the capacity it is dropped, which no checked request reaches.
  mutating func append(_ byte: UInt8) {
    guard count < 34 else { return }
    bytes[count] = byte
    count += 1
  }
}

extension Adapter where Bus: ~Copyable {
  /// Does what `I2C_SMBUS` asks for, as the kernel emulates it on an adapter that knows I2C.
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
  /// `EINVAL` for a length of 0 or over 32, an unknown size or direction, or no data where there must be some.
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
      // The length belongs to the message.
      unsafe append(1 + count, of: data, to: &message)
      try send(message, to: address)
    case I2C_SMBUS_I2C_BLOCK_DATA, I2C_SMBUS_I2C_BLOCK_BROKEN:
      // The older request reads 32 bytes whatever the length says.
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

  /// Writes `count` bytes of `data` after the message's, or reads them after it.
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

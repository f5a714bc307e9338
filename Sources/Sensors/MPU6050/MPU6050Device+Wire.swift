internal import HAL

extension MPU6050.Device where Bus: ~Copyable {
  /// Writes one register.
  ///
  ///     S | addr+W | register value | P
  mutating func write(_ register: MPU6050.Register, _ value: UInt8) throws(SensorError) {
    let bytes: InlineArray<2, UInt8> = [register.rawValue, value]
    try write(bytes.span)
  }

  /// Writes `bytes`, the first of which is the register that the second goes to.
  mutating func write(_ bytes: Span<UInt8>) throws(SensorError) {
    transactions &+= 1
    do { try bus.write(bytes, to: address) } catch { throw .bus(error) }
  }

  /// Reads one register.
  mutating func read(_ register: MPU6050.Register) throws(SensorError) -> UInt8 {
    var byte = InlineArray<1, UInt8>(repeating: 0)
    var span = byte.mutableSpan
    try read(from: register, into: &span)
    return byte[0]
  }

  /// Reads registers from `register` on.
  ///
  ///     S | addr+W | register | Sr | addr+R | r0 … rm | P
  mutating func read(from register: MPU6050.Register, into span: inout MutableSpan<UInt8>) throws(SensorError) {
    try read(from: register.rawValue, into: &span, count: span.count)
  }

  /// Reads `count` registers from `register` on into the first bytes of `span`.
  mutating func read(from register: MPU6050.Register, into span: inout MutableSpan<UInt8>, count: Int)
    throws(SensorError)
  {
    try read(from: register.rawValue, into: &span, count: count)
  }

  private mutating func read(from register: UInt8, into span: inout MutableSpan<UInt8>, count: Int)
    throws(SensorError)
  {
    // The name changed before the final one was settled; both do the same.
    #if compiler(>=6.3)
      var first = span._mutatingExtracting(first: count)
    #else
      var first = span.extracting(first: count)
    #endif
    let pointer: InlineArray<1, UInt8> = [register]
    transactions &+= 1
    do { try bus.writeRead(pointer.span, into: &first, at: address) } catch { throw .bus(error) }
  }

  /// Reads as many registers as `bytes` has after its first, which names the register, and compares.
  ///
  /// - Throws: `configurationRejected` for the first that differs, or `bus`.
  mutating func verify<let size: Int>(_ bytes: InlineArray<size, UInt8>) throws(SensorError) {
    var found = InlineArray<size, UInt8>(repeating: 0)
    var span = found.mutableSpan
    try read(from: bytes[0], into: &span, count: size &- 1)
    for index in 1..<size where bytes[index] != found[index &- 1] {
      throw .configurationRejected(
        register: bytes[0] &+ UInt8(truncatingIfNeeded: index &- 1), wrote: bytes[index], read: found[index &- 1])
    }
  }
}

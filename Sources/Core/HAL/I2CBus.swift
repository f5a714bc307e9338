/// A 7-bit I2C target address, right-aligned, as data sheets and `i2cdetect` print it.
public struct I2CAddress: Equatable, Sendable {
  /// The address, 0x08…0x77.
  public let rawValue: UInt8

  /// The address `rawValue`, or nil outside 0x08…0x77, because other addresses are reserved.
  ///
  /// - Source: UM10204 (I2C-bus specification) rev. 7, 3.1.12.
  public init?(_ rawValue: UInt8) {
    guard rawValue >= 0x08 && rawValue <= 0x77 else { return nil }
    self.rawValue = rawValue
  }

  /// An address from the data sheet of a part, which is always in range.
  package init(fromDatasheet rawValue: UInt8) { self.rawValue = rawValue }
}

/// A fault of a transaction.
///
/// One type for every bus, so that there is one fault policy; a port maps its own codes to it.
public enum I2CFault: Error, Equatable, Sendable {
  /// No acknowledge: there is no target at this address, or it is busy or not powered.
  case noAcknowledge
  /// Another controller won the arbitration.
  case arbitrationLost
  /// The bus did not finish in time: a stretched clock or a line held low.
  case timedOut
  /// Fewer bytes were received than requested.
  case shortRead(expected: Int, received: Int)
  /// The adapter does not support the transaction.
  case unsupported
  /// The program has no permission to use the bus.
  case notPermitted
  /// A kernel driver or another program uses the address.
  case busy
  /// The bus does not exist, or no longer exists.
  case unavailable
  /// Any other fault, with the system's code (`errno` on Linux).
  case other(code: Int32)
}

/// A controller on an I2C bus.
///
/// A driver owns its bus (`consuming`), so that two drivers cannot interleave transactions by mistake.
public protocol I2CBus: ~Copyable {
  /// The clock frequency in hertz; nil if unknown. Sensors refuse a data rate that is too high for it.
  var frequency: UInt32? { get }

  /// Writes `bytes` in one transaction.
  ///
  ///     S | addr+W | b0 … bn | P
  mutating func write(_ bytes: Span<UInt8>, to address: I2CAddress) throws(I2CFault)

  /// Writes `bytes`, then fills `buffer`, in one transaction.
  ///
  ///     S | addr+W | b0 … bn | Sr | addr+R | r0 … rm | P
  ///
  /// Either the whole buffer is filled or a fault is thrown; after a fault its content is undefined.
  mutating func writeRead(_ bytes: Span<UInt8>, into buffer: inout MutableSpan<UInt8>, at address: I2CAddress)
    throws(I2CFault)

  /// The largest number of reads that ``writeReads(_:each:into:at:)`` accepts, at least 1; 1 for a bus that cannot
  /// combine them.
  ///
  /// It may fall while the bus is in use: some adapters reveal the lack of support only by refusing a transaction.
  var readsPerTransaction: Int { get }

  /// Fills `buffer` by several reads of `length` bytes, each after a write of `bytes`, combined in one transaction.
  ///
  ///     S | addr+W | b0 … bn | Sr | addr+R | r0 … rm | Sr | addr+W | b0 … bn | Sr | addr+R | r0 … rm | … | P
  ///
  /// The buffer holds a whole number of reads, at most ``readsPerTransaction``. After a fault its content is undefined,
  /// and the number of bytes the target has sent is unknown. The exception is `unsupported`, which is thrown before
  /// anything is transferred.
  mutating func writeReads(
    _ bytes: Span<UInt8>, each length: Int, into buffer: inout MutableSpan<UInt8>, at address: I2CAddress
  ) throws(I2CFault)

  /// Closes the bus and opens it again; called before a device is configured again after faults.
  mutating func reopen() throws(I2CFault)
}

extension I2CBus where Self: ~Copyable {
  /// Unknown.
  public var frequency: UInt32? { nil }

  /// One: reads are not combined.
  public var readsPerTransaction: Int { 1 }

  /// Passes a single read of `length` bytes on to `writeRead`; throws `unsupported` for more.
  public mutating func writeReads(
    _ bytes: Span<UInt8>, each length: Int, into buffer: inout MutableSpan<UInt8>, at address: I2CAddress
  ) throws(I2CFault) {
    guard buffer.count == length else { throw .unsupported }
    try writeRead(bytes, into: &buffer, at: address)
  }

  /// Does nothing: a bus without a handle cannot be reopened.
  public mutating func reopen() throws(I2CFault) {}
}

/// Registers as in nearly every target: a byte selects the first, and the target's pointer advances with each byte.
extension I2CBus where Self: ~Copyable {
  /// Writes `bytes`, such as an array literal, in one transaction.
  ///
  ///     S | addr+W | b0 … bn | P
  public mutating func write<let count: Int>(_ bytes: InlineArray<count, UInt8>, to address: I2CAddress)
    throws(I2CFault)
  {
    try write(bytes.span, to: address)
  }

  /// Writes one register.
  ///
  ///     S | addr+W | register value | P
  public mutating func writeRegister(_ register: UInt8, _ value: UInt8, at address: I2CAddress) throws(I2CFault) {
    try write([register, value], to: address)
  }

  /// Reads one register.
  ///
  ///     S | addr+W | register | Sr | addr+R | value | P
  public mutating func readRegister(_ register: UInt8, at address: I2CAddress) throws(I2CFault) -> UInt8 {
    var value: InlineArray<1, UInt8> = [0]
    try readRegisters(from: register, into: &value, at: address)
    return value[0]
  }

  /// Fills `buffer` with consecutive registers, starting at `register`, in one burst.
  ///
  ///     S | addr+W | register | Sr | addr+R | r0 … rn | P
  public mutating func readRegisters(
    from register: UInt8, into buffer: inout MutableSpan<UInt8>, at address: I2CAddress
  ) throws(I2CFault) {
    let pointer: InlineArray<1, UInt8> = [register]
    try writeRead(pointer.span, into: &buffer, at: address)
  }

  /// Fills `bytes` with consecutive registers, starting at `register`, in one burst.
  ///
  ///     S | addr+W | register | Sr | addr+R | r0 … rn | P
  public mutating func readRegisters<let count: Int>(
    from register: UInt8, into bytes: inout InlineArray<count, UInt8>, at address: I2CAddress
  ) throws(I2CFault) {
    var buffer = bytes.mutableSpan
    try readRegisters(from: register, into: &buffer, at: address)
  }
}

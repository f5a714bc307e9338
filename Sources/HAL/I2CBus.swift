/// A 7-bit I2C target address, right-aligned, as data sheets and `i2cdetect` print it.
public struct I2CAddress: Equatable, Sendable {
  /// The address, 0x08…0x77.
  public let rawValue: UInt8

  /// The address `rawValue`, or nil outside 0x08…0x77: the rest is reserved.
  ///
  /// - Source: UM10204 (I2C-bus specification) rev. 7, 3.1.12.
  public init?(_ rawValue: UInt8) {
    guard rawValue >= 0x08 && rawValue <= 0x77 else { return nil }
    self.rawValue = rawValue
  }

  /// An address that the data sheet of a part gives, and that is therefore in range.
  package init(fromDatasheet rawValue: UInt8) { self.rawValue = rawValue }
}

/// What a bus reports when a transaction did not happen as asked.
///
/// One type for every bus, so that fault policy is written once; a port maps its own codes onto it.
public enum I2CFault: Error, Equatable, Sendable {
  /// No acknowledge: no target at this address, or it is busy or without power.
  case noAcknowledge
  /// Another controller won the bus.
  case arbitrationLost
  /// The bus did not finish in time: a stretched clock or a line held low.
  case timedOut
  /// Fewer bytes came than were requested.
  case shortRead(expected: Int, received: Int)
  /// The adapter cannot do such a transaction.
  case unsupported
  /// The program may not use the bus.
  case notPermitted
  /// A kernel driver or another program holds the address.
  case busy
  /// The bus is not there, or is gone.
  case unavailable
  /// Anything else, with the code of the system below (`errno` on Linux).
  case other(code: Int32)
}

/// A controller on an I2C bus.
///
/// A driver owns its bus (`consuming`), so that two drivers cannot interleave transactions unnoticed.
public protocol I2CBus: ~Copyable {
  /// The clock frequency in hertz, where it is known. Sensors refuse a data rate that it cannot follow.
  var frequency: UInt32? { get }

  /// Writes `bytes` in one transaction.
  ///
  ///     S | addr+W | b0 … bn | P
  mutating func write(_ bytes: Span<UInt8>, to address: I2CAddress) throws(I2CFault)

  /// Writes `bytes`, then fills `buffer`, in one transaction.
  ///
  ///     S | addr+W | b0 … bn | Sr | addr+R | r0 … rm | P
  ///
  /// Either the whole buffer is filled or a fault is thrown; after a fault its content means nothing.
  mutating func writeRead(_ bytes: Span<UInt8>, into buffer: inout MutableSpan<UInt8>, at address: I2CAddress)
    throws(I2CFault)

  /// Closes and opens the bus again; called before a device is configured anew after faults.
  mutating func reopen() throws(I2CFault)
}

extension I2CBus where Self: ~Copyable {
  /// Not known.
  public var frequency: UInt32? { nil }

  /// Does nothing: a bus without a handle has nothing to open again.
  public mutating func reopen() throws(I2CFault) {}
}

/// Registers as nearly every target has them: a byte names the first, and the target's pointer moves on with each byte.
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

  /// Fills `buffer` with the registers from `register` on, in one burst.
  ///
  ///     S | addr+W | register | Sr | addr+R | r0 … rn | P
  public mutating func readRegisters(
    from register: UInt8, into buffer: inout MutableSpan<UInt8>, at address: I2CAddress
  ) throws(I2CFault) {
    let pointer: InlineArray<1, UInt8> = [register]
    try writeRead(pointer.span, into: &buffer, at: address)
  }

  /// Fills `bytes` with the registers from `register` on, in one burst.
  ///
  ///     S | addr+W | register | Sr | addr+R | r0 … rn | P
  public mutating func readRegisters<let count: Int>(
    from register: UInt8, into bytes: inout InlineArray<count, UInt8>, at address: I2CAddress
  ) throws(I2CFault) {
    var buffer = bytes.mutableSpan
    try readRegisters(from: register, into: &buffer, at: address)
  }

  /// Sets the bits of one register that `mask` names to those of `bits`; the others stay.
  ///
  ///     S | addr+W | register | Sr | addr+R | old | P
  ///     S | addr+W | register new | P
  ///
  /// Two transactions, so not for a register that something else changes. After a fault the register is as it was, or as
  /// wanted.
  public mutating func updateRegister(_ register: UInt8, mask: UInt8, to bits: UInt8, at address: I2CAddress)
    throws(I2CFault)
  {
    let old = try readRegister(register, at: address)
    try writeRegister(register, old & ~mask | bits & mask, at: address)
  }
}

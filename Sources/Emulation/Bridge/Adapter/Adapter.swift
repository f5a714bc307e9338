internal import CBridge
package import HAL

/// The kernel's side of `/dev/i2c-1` on a Raspberry Pi: turns a program's requests into transactions on a bus.
///
/// It allocates nothing and holds nothing but the bus. What belongs to an open file, the target's address, is passed
/// in. A Pi's adapter is limited by its functions, and so is this one: no ten-bit addresses, no packet error codes, no
/// block whose length the target determines, and, up to the Pi 4, a read only as the last message of a transaction.
///
/// - Source: Linux 6.12, `drivers/i2c/i2c-dev.c`, `i2c-core-smbus.c` and `busses/i2c-bcm2835.c`.
package struct Adapter<Bus: I2CBus & ~Copyable>: ~Copyable {
  /// The bus.
  var bus: Bus
  /// The adapter it behaves like.
  let kind: AdapterKind

  /// An adapter on `bus`.
  package init(_ bus: consuming Bus, _ kind: AdapterKind = .bcm2835) {
    self.bus = bus
    self.kind = kind
  }

  /// The response to `I2C_FUNCS`: `I2C_FUNC_I2C` and the kernel's `I2C_FUNC_SMBUS_EMUL`.
  package static var functions: UInt32 { 0x0EFF_0009 }

  /// Writes `bytes` in one transaction; if there are none, it is SMBus's quick command.
  ///
  ///     S | addr+W | b0 … bn | P
  package mutating func write(_ bytes: Span<UInt8>, to address: UInt16) throws(KernelError) {
    let target = try target(address)
    do throws(I2CFault) { try bus.write(bytes, to: target) } catch { throw KernelError(error) }
  }

  /// Fills `buffer` in one transaction.
  ///
  ///     S | addr+R | r0 … rm | P
  ///
  /// The bus below has no read without a write before it; a write of no bytes leaves a target as it was.
  package mutating func read(into buffer: inout MutableSpan<UInt8>, at address: UInt16) throws(KernelError) {
    let nothing = InlineArray<1, UInt8>(repeating: 0)
    try writeRead(nothing.span.extracting(0..<0), into: &buffer, at: address)
  }

  /// Writes `bytes`, then fills `buffer`, in one transaction.
  ///
  ///     S | addr+W | b0 … bn | Sr | addr+R | r0 … rm | P
  mutating func writeRead(_ bytes: Span<UInt8>, into buffer: inout MutableSpan<UInt8>, at address: UInt16)
    throws(KernelError)
  {
    let target = try target(address)
    do throws(I2CFault) { try bus.writeRead(bytes, into: &buffer, at: target) } catch { throw KernelError(error) }
  }

  /// The target at `address`. No target acknowledges a reserved address or one of more than seven bits.
  private func target(_ address: UInt16) throws(KernelError) -> I2CAddress {
    guard address <= 0x7F, let target = I2CAddress(UInt8(truncatingIfNeeded: address)) else {
      throw KernelError(.noAcknowledge)
    }
    return target
  }
}

/// The adapter whose behaviour is emulated.
package enum AdapterKind: Sendable {
  /// That of a Raspberry Pi up to the 4: a read only as the last message of a transaction.
  case bcm2835
  /// That of a Raspberry Pi 5 and most other computers: reads anywhere.
  case designware

  var joinsReads: Bool { self == .designware }
}

/// A refusal in the kernel's terms: the `errno` of a system call.
package struct KernelError: Error, Equatable {
  /// The code, positive.
  package let code: Int32

  package init(_ code: Int32) { self.code = code }

  /// The error that a Raspberry Pi's adapter returns when the bus reports `fault`.
  ///
  /// It never reports arbitration; `EAGAIN` is what other adapters return.
  ///
  /// - Source: Linux 6.12, `drivers/i2c/busses/i2c-bcm2835.c` and `i2c-designware-common.c`.
  package init(_ fault: I2CFault) {
    switch fault {
    case .noAcknowledge: code = EREMOTEIO
    case .arbitrationLost: code = EAGAIN
    case .timedOut: code = ETIMEDOUT
    case .shortRead: code = EIO
    case .unsupported: code = EOPNOTSUPP
    case .notPermitted: code = EPERM
    case .busy: code = EBUSY
    case .unavailable: code = ENODEV
    case .other(let other): code = other > 0 ? other : EIO
    }
  }

  /// An invalid argument.
  static var invalid: KernelError { KernelError(EINVAL) }
  /// An invalid pointer.
  static var badAddress: KernelError { KernelError(EFAULT) }
  /// A transaction that the adapter cannot perform.
  static var unsupported: KernelError { KernelError(EOPNOTSUPP) }
}

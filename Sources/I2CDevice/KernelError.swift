internal import CBusBridge
package import HAL

/// A refusal in the kernel's words: the `errno` of a system call.
package struct KernelError: Error, Equatable {
  /// The code, positive.
  package let code: Int32

  init(_ code: Int32) { self.code = code }

  /// What the adapter of a Raspberry Pi answers where the bus reports `fault`.
  ///
  /// Arbitration it never reports; `EAGAIN` is what other adapters say.
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

  /// An argument that makes no sense.
  static var invalid: KernelError { KernelError(EINVAL) }
  /// A pointer that is none.
  static var badAddress: KernelError { KernelError(EFAULT) }
  /// A transaction that the adapter cannot do.
  static var unsupported: KernelError { KernelError(EOPNOTSUPP) }
}

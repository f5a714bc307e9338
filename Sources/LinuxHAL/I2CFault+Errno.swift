internal import Glibc
public import HAL

extension I2CFault {
  /// The fault that Linux means by `code`, the errno of a transaction.
  ///
  /// The drivers of I2C adapters do not agree on the code of a missing acknowledge: both Raspberry Pi controllers say
  /// `EREMOTEIO`, bit-banged buses `ENXIO`, the kernel's i2c-stub `ENODEV`.
  public init(errno code: Int32) {
    self =
      switch code {
      case EREMOTEIO, ENXIO, ENODEV: .noAcknowledge
      case ETIMEDOUT: .timedOut
      case EAGAIN: .arbitrationLost
      case EOPNOTSUPP: .unsupported
      case EACCES, EPERM: .notPermitted
      case EBUSY: .busy
      case ENOENT, EBADF: .unavailable
      default: .other(code: code)
      }
  }
}

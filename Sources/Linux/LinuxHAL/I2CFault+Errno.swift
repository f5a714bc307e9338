internal import CSupport
public import HAL
internal import Text

extension I2CFault {
  /// The fault for `code`, the errno of a transaction.
  ///
  /// Drivers of I2C adapters report a missing acknowledge differently: both Raspberry Pi controllers as `EREMOTEIO`,
  /// bit-banged buses as `ENXIO`, the kernel's i2c-stub as `ENODEV`.
  public init(errno code: Int32) {
    self =
      switch csupport_meaning(code) {
      case CSUPPORT_NO_ACKNOWLEDGE: .noAcknowledge
      case CSUPPORT_TIMED_OUT: .timedOut
      case CSUPPORT_ARBITRATION_LOST: .arbitrationLost
      case CSUPPORT_UNSUPPORTED: .unsupported
      case CSUPPORT_NOT_PERMITTED: .notPermitted
      case CSUPPORT_BUSY: .busy
      case CSUPPORT_UNAVAILABLE: .unavailable
      default: .other(code: code)
      }
  }
}

#if !hasFeature(Embedded)
  /// The system's text for `code`.
  package func systemText(_ code: Int32) -> String { unsafe String(cString: csupport_error_text(code)) }

  extension ShortText {
    /// A copy of `text`, cut if it does not fit.
    init(string text: String) {
      self.init()
      for byte in text.utf8 { append(byte: byte) }
    }
  }
#endif

internal import BoardFile
internal import CSupport
internal import HAL
internal import Text

/// An I2C bus of the kernel's, `/dev/i2c-N`, without heap: `LinuxI2CBus` for Embedded Swift.
///
/// A transaction is one system call.
@safe struct KernelBus: ~Copyable, I2CBus {
  /// The clock frequency in hertz, where the device tree tells it.
  let frequency: UInt32?
  private let path: ShortText<64>
  private var handle: csupport_i2c

  /// Opens the bus at `path`.
  init(path: ShortText<64>) throws(Trouble) {
    var handle = unsafe csupport_i2c()
    let code = unsafe path.withCString { unsafe csupport_i2c_open(&handle, $0) }
    guard code == 0 else { throw Trouble(bus: path, code: 0 &- code) }
    let hertz = unsafe path.withCString { unsafe csupport_i2c_frequency($0) }
    frequency = hertz > 0 ? hertz : nil
    self.path = path
    unsafe self.handle = handle
  }

  deinit {
    var handle = unsafe handle
    unsafe csupport_i2c_close(&handle)
  }

  /// Checks that no driver of the kernel's holds `address`; transactions check it too.
  mutating func claim(_ address: I2CAddress) throws(Trouble) {
    let code = unsafe csupport_i2c_claim(&handle, address.rawValue)
    guard code < 0 else { return }
    throw Trouble(.unavailable, I2CFault(errno: 0 &- code).message(at: address))
  }

  mutating func write(_ bytes: Span<UInt8>, to address: I2CAddress) throws(I2CFault) {
    let code = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe csupport_i2c_write(&handle, address.rawValue, bytes.baseAddress, bytes.count)
    }
    guard code == 0 else { throw I2CFault(errno: 0 &- code) }
  }

  mutating func writeRead(
    _ bytes: Span<UInt8>, into buffer: inout MutableSpan<UInt8>, at address: I2CAddress
  ) throws(I2CFault) {
    let expected = buffer.count
    let received = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe buffer.withUnsafeMutableBufferPointer { buffer in
        unsafe csupport_i2c_write_read(
          &handle, address.rawValue, bytes.baseAddress, bytes.count, buffer.baseAddress, buffer.count)
      }
    }
    guard received >= 0 else { throw I2CFault(errno: 0 &- received) }
    let count = Int(truncatingIfNeeded: received)
    guard count == expected else { throw .shortRead(expected: expected, received: count) }
  }

  mutating func reopen() throws(I2CFault) {
    unsafe csupport_i2c_close(&handle)
    let code = unsafe path.withCString { unsafe csupport_i2c_open(&handle, $0) }
    guard code < 0 else { return }
    let fault = I2CFault(errno: 0 &- code)
    // While a bus is opened no target can fail to acknowledge: the adapter is missing.
    throw fault == .noAcknowledge ? .unavailable : fault
  }
}

extension I2CFault {
  /// The fault that Linux means by `code`, the errno of a transaction.
  init(errno code: Int32) {
    switch csupport_meaning(code) {
    case CSUPPORT_NO_ACKNOWLEDGE: self = .noAcknowledge
    case CSUPPORT_TIMED_OUT: self = .timedOut
    case CSUPPORT_ARBITRATION_LOST: self = .arbitrationLost
    case CSUPPORT_UNSUPPORTED: self = .unsupported
    case CSUPPORT_NOT_PERMITTED: self = .notPermitted
    case CSUPPORT_BUSY: self = .busy
    case CSUPPORT_UNAVAILABLE: self = .unavailable
    default: self = .other(code: code)
    }
  }
}

extension Trouble {
  /// Why the bus at `path` could not be opened, and what cures it; `code` is the errno.
  init(bus path: ShortText<64>, code: Int32) {
    var text = Message("the I2C bus ")
    text.append(path)
    let meaning = csupport_meaning(code)
    switch meaning {
    case CSUPPORT_UNAVAILABLE, CSUPPORT_NO_ACKNOWLEDGE:
      text.append(
        """
         is not there: put dtparam=i2c_arm=on in /boot/firmware/config.txt (sudo raspi-config nonint do_i2c 0 does so), \
        load the module i2c-dev (sudo modprobe i2c-dev) and restart
        """)
    case CSUPPORT_NOT_PERMITTED:
      text.append(" may not be used: the program's user must be in the group i2c (sudo usermod -aG i2c USER)")
    case CSUPPORT_NOT_SUCH: text.append(" is no I2C bus: the one on a Raspberry Pi's header is /dev/i2c-1")
    default:
      text.append(" cannot be used: ")
      text.append(system: code)
    }
    self.init(meaning == CSUPPORT_NOT_PERMITTED ? .noPermission : .unavailable, text)
  }
}

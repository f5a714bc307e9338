internal import CSupport
public import HAL
public import Text

/// Why a bus could not be opened, or an address on it not be had.
public struct LinuxI2CError: Error, Equatable, Sendable {
  /// The bus, as it was named.
  public let path: LinuxI2CBus.Path
  /// The address that was asked for; nil where the bus itself could not be opened.
  public let address: I2CAddress?
  /// The system's `errno`.
  public let code: Int32

  /// An error of the system's with code `code`.
  public init(path: LinuxI2CBus.Path, address: I2CAddress? = nil, code: Int32) {
    self.path = path
    self.address = address
    self.code = code
  }

  /// `ENAMETOOLONG`.
  static var tooLong: Int32 { 36 }

  /// The same in the words that every bus shares.
  ///
  /// While a bus is opened no target can fail to acknowledge: the codes that mean so later mean a missing adapter here.
  public var fault: I2CFault {
    let fault = I2CFault(errno: code)
    return fault == .noAcknowledge ? .unavailable : fault
  }

  /// What is wrong and how to fix it, in plain words.
  public var message: ShortText<384> {
    var text = ShortText<384>()
    switch fault {
    case .unavailable:
      text.append("There is no I2C bus ")
      text.append(path)
      if path == DeviceTree.headerBus {
        text.append(": enable I2C with `sudo raspi-config nonint do_i2c 0`, or put dtparam=i2c_arm=on in ")
        text.append("/boot/firmware/config.txt, load the module i2c-dev (`sudo modprobe i2c-dev`) and restart.")
      } else {
        text.append(": `ls /dev/i2c-*` lists those that are there, and the one on a Raspberry Pi's header is ")
        text.append(DeviceTree.headerBus)
        text.append(".")
      }
    case .notPermitted:
      text.append("This program may not use the I2C bus ")
      text.append(path)
      text.append(": add yourself to the group i2c with `sudo usermod -aG i2c $USER`, then log in again.")
    case .busy: appendBusy(to: &text)
    case .other where csupport_meaning(code) == CSUPPORT_NOT_SUCH:
      text.append(path)
      text.append(" is not an I2C bus: the one on a Raspberry Pi's header is ")
      text.append(DeviceTree.headerBus)
      text.append(".")
    default:
      text.append("The I2C bus ")
      text.append(path)
      text.append(" cannot be used: ")
      text.append(system: code)
      text.append(".")
    }
    return text
  }

  private func appendBusy(to text: inout ShortText<384>) {
    guard let address else {
      text.append("The I2C bus ")
      text.append(path)
      return text.append(" is busy: another program has it to itself.")
    }
    text.append("A kernel driver holds the address ")
    text.append(hex: address.rawValue)
    text.append(" on ")
    text.append(path)
    text.append(": unbind it")
    if let device = DeviceTree.device(at: address, ofBus: path) {
      text.append(" with `echo ")
      text.append(device)
      text.append(" | sudo tee /sys/bus/i2c/devices/")
      text.append(device)
      text.append("/driver/unbind`, or take its overlay out of /boot/firmware/config.txt")
    }
    text.append(".")
  }
}

#if !hasFeature(Embedded)
  extension LinuxI2CError: CustomStringConvertible {
    /// What is wrong and how to fix it, in plain words.
    public var description: String { message.description }

    /// An error of the system's with code `code`.
    public init(path: String, address: I2CAddress? = nil, code: Int32) {
      self.init(path: LinuxI2CBus.Path(string: path), address: address, code: code)
    }
  }
#endif

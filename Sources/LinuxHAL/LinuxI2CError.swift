internal import Glibc
public import HAL

/// Why a bus could not be opened, or an address on it not be had.
public struct LinuxI2CError: Error, Equatable, Sendable {
  /// The bus, as it was named.
  public let path: String
  /// The address that was asked for; nil where the bus itself could not be opened.
  public let address: I2CAddress?
  /// The system's `errno`.
  public let code: Int32

  /// An error of the system's with code `code`.
  public init(path: String, address: I2CAddress? = nil, code: Int32) {
    self.path = path
    self.address = address
    self.code = code
  }

  /// The same in the words that every bus shares.
  ///
  /// While a bus is opened no target can fail to acknowledge: the codes that mean so later mean a missing adapter here.
  public var fault: I2CFault {
    let fault = I2CFault(errno: code)
    return fault == .noAcknowledge ? .unavailable : fault
  }
}

extension LinuxI2CError: CustomStringConvertible {
  /// What is wrong and what cures it, in plain words.
  public var description: String {
    switch code {
    case ENOENT where path != Self.usual, ENXIO where path != Self.usual, ENODEV where path != Self.usual:
      "There is no I2C bus \(path): `ls /dev/i2c-*` lists those that are there, and the one on a Raspberry Pi's header is "
        + "\(Self.usual)."
    case ENOENT, ENXIO, ENODEV:
      "There is no I2C bus \(path): enable I2C with `sudo raspi-config nonint do_i2c 0`, or put dtparam=i2c_arm=on "
        + "in /boot/firmware/config.txt, load the module i2c-dev (`sudo modprobe i2c-dev`) and restart."
    case EACCES, EPERM:
      "This program may not use the I2C bus \(path): add yourself to the group i2c with "
        + "`sudo usermod -aG i2c $USER`, then log in again."
    case EBUSY: busy
    case ENOTTY, EISDIR, EINVAL, ENOTDIR:
      "\(path) is not an I2C bus: the one on a Raspberry Pi's header is \(Self.usual)."
    default: "The I2C bus \(path) cannot be used: \(systemText(code)) (errno \(code))."
    }
  }

  /// The bus on a Raspberry Pi's header.
  private static var usual: String { "/dev/i2c-1" }

  private var busy: String {
    guard let address else { return "The I2C bus \(path) is busy: another program has it to itself." }
    let digits = String(address.rawValue, radix: 16)
    let held = "A kernel driver holds the address 0x\(digits) on \(path)"
    let prefix = "/dev/i2c-"
    guard path.hasPrefix(prefix) else { return "\(held): unbind it." }
    // I2CAddress begins at 0x08: "1-0008", "1-0053".
    let padding = String(repeating: "0", count: 4 - digits.utf8.count)
    let device = "\(path.dropFirst(prefix.utf8.count))-\(padding)\(digits)"
    return "\(held): unbind it with `echo \(device) | sudo tee /sys/bus/i2c/devices/\(device)/driver/unbind`, "
      + "or take its overlay out of /boot/firmware/config.txt."
  }
}

/// The system's own words for `code`.
package func systemText(_ code: Int32) -> String {
  unsafe String(cString: strerror(code))
}

internal import CSupport
public import HAL
public import Text

/// Why a bus could not be opened, or an address on it could not be used.
public struct LinuxI2CError: Error, Equatable, Sendable {
  /// The path with which the bus was named.
  public let path: LinuxI2CBus.Path
  /// The address in question; nil if the bus itself could not be opened.
  public let address: I2CAddress?
  /// The system's `errno`.
  public let code: Int32
  /// The owner of the sensor at `address`, if that is the reason.
  public let owner: SensorOwner?

  /// The system's error `code`.
  public init(path: LinuxI2CBus.Path, address: I2CAddress? = nil, code: Int32, owner: SensorOwner? = nil) {
    self.path = path
    self.address = address
    self.code = code
    self.owner = owner
  }

  /// `ENAMETOOLONG`.
  static var tooLong: Int32 { 36 }

  /// The same as a fault, which every bus shares.
  ///
  /// No target can fail to acknowledge while a bus is opened: the codes that mean this later mean a missing adapter
  /// here.
  public var fault: I2CFault {
    let fault = I2CFault(errno: code)
    return fault == .noAcknowledge ? .unavailable : fault
  }

  /// What is wrong and how to fix it, in plain words.
  public var message: ShortText<384> {
    var text = ShortText<384>()
    switch fault {
    case .unavailable:
      text.append("there is no I2C bus ")
      text.append(path)
      text.append(": `ls /dev/i2c-*` lists the buses")
      if path == DeviceTree.headerBus {
        text.append("; on a Raspberry Pi enable I2C with `sudo raspi-config nonint do_i2c 0`")
      } else {
        appendHeaderBus(to: &text)
      }
    case .notPermitted:
      text.append("no permission to use the I2C bus ")
      text.append(path)
      text.append(": add yourself to the group i2c with `sudo usermod -aG i2c $USER`, then log in again")
    case .busy: appendBusy(to: &text)
    case .other where csupport_meaning(code) == CSUPPORT_NOT_SUCH:
      text.append(path)
      text.append(" is not an I2C bus")
      appendHeaderBus(to: &text)
    default:
      text.append("the I2C bus ")
      text.append(path)
      text.append(" cannot be used: ")
      text.append(system: code)
    }
    return text
  }

  private func appendHeaderBus(to text: inout ShortText<384>) {
    text.append("; the one on a Raspberry Pi's header is ")
    text.append(DeviceTree.headerBus)
  }

  private func appendBusy(to text: inout ShortText<384>) {
    guard let address else {
      text.append("the I2C bus ")
      text.append(path)
      return text.append(" is in use by another program: stop it")
    }
    if let owner { return owner.append(to: &text, address, on: path) }
    text.append("the address ")
    text.append(hex: address.rawValue)
    text.append(" on ")
    text.append(path)
    text.append(" is in use by a kernel driver: use it with part = iio (`plumb doctor` says how), or unbind it")
    if let device = DeviceTree.device(at: address, ofBus: path) {
      text.append(" with `echo ")
      text.append(device)
      text.append(" | sudo tee /sys/bus/i2c/devices/")
      text.append(device)
      text.append("/driver/unbind`, or remove its overlay from /boot/firmware/config.txt")
    }
  }
}

/// The program that owns a sensor: see ``LinuxI2CBus/own(_:)``.
public struct SensorOwner: Equatable, Sendable {
  /// Its process; nil if unknown, as for a program in another container.
  public let process: Int32?
  /// Its name, for `plumb` with the command; empty if unknown.
  public let name: ShortText<32>

  init(_ owner: csupport_i2c_owner) {
    process = owner.process > 0 ? owner.process : nil
    name = unsafe withUnsafeBytes(of: owner.name) { bytes in
      var text = ShortText<32>()
      for index in bytes.indices {
        let byte = unsafe bytes[index]
        guard byte != 0 else { break }
        text.append(byte: byte)
      }
      return text
    }
  }

  fileprivate func append(to text: inout ShortText<384>, _ address: I2CAddress, on path: LinuxI2CBus.Path) {
    text.append("the sensor at ")
    text.append(hex: address.rawValue)
    text.append(" on ")
    text.append(path)
    text.append(" is in use by ")
    let isPlumb = name.hasPrefix("plumb")
    if name.count > 0 {
      text.append(name)
    } else {
      text.append(process == nil ? "another program" : "process ")
    }
    if let process {
      text.append(name.count > 0 ? " (process " : "")
      text.append(decimal: process)
      text.append(name.count > 0 ? ")" : "")
    }
    text.append(isPlumb || name.count == 0 ? ": listen to it with --from, or stop it" : ": stop it")
  }
}

#if !hasFeature(Embedded)
  extension LinuxI2CError: CustomStringConvertible {
    /// What is wrong and how to fix it, in plain words.
    public var description: String { message.description }

    /// The system's error `code`.
    public init(path: String, address: I2CAddress? = nil, code: Int32) {
      self.init(path: LinuxI2CBus.Path(string: path), address: address, code: code)
    }
  }
#endif

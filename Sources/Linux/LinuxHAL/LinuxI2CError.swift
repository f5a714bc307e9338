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
    switch fault {
    case .unavailable:
      path == DeviceTree.headerBus
        ? "\(missing); on a Raspberry Pi enable I2C with `sudo raspi-config nonint do_i2c 0`"
        : "\(missing)\(Self.headerBus)"
    case .notPermitted:
      """
      no permission to use the I2C bus \(path): add yourself to the group i2c with `sudo usermod -aG i2c $USER`, then \
      log in again
      """
    case .busy: busyMessage
    case .other where csupport_meaning(code) == CSUPPORT_NOT_SUCH: "\(path) is not an I2C bus\(Self.headerBus)"
    default: "the I2C bus \(path) cannot be used: \(system: code)"
    }
  }

  private var missing: ShortText<384> { "there is no I2C bus \(path): `ls /dev/i2c-*` lists the buses" }

  private static var headerBus: ShortText<64> {
    "; the one on a Raspberry Pi's header is \(DeviceTree.headerBus)"
  }

  private var busyMessage: ShortText<384> {
    guard let address else { return "the I2C bus \(path) is in use by another program: stop it" }
    if let owner { return owner.message(of: address, on: path) }
    var text: ShortText<384> = """
      the address \(address) on \(path) is in use by a kernel driver: use it with part = iio (`plumb doctor` says how), or \
      unbind it
      """
    if let device = DeviceTree.device(at: address, ofBus: path) {
      text.append(
        """
         with `echo \(device) | sudo tee /sys/bus/i2c/devices/\(device)/driver/unbind`, or remove its overlay from \
        /boot/firmware/config.txt
        """)
    }
    return text
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

  /// That it uses the sensor at `address`, and what to do.
  fileprivate func message(of address: I2CAddress, on path: LinuxI2CBus.Path) -> ShortText<384> {
    let user: ShortText<64> =
      switch process {
      case let process?: name.count > 0 ? "\(name) (process \(process))" : "process \(process)"
      case nil: name.count > 0 ? "\(name)" : "another program"
      }
    let mayShare = name.hasPrefix("plumb") || name.count == 0
    let advice: StaticString = mayShare ? "listen to it with --from, or stop it" : "stop it"
    return "the sensor at \(address) on \(path) is in use by \(user): \(advice)"
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

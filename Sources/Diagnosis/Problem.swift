public import BoardFile
public import HAL
public import Sensors

/// Something that is wrong with a set-up, or deserves a word.
public enum Problem: Equatable, Sendable {
  /// The computer is no Raspberry Pi, so that little can be said of its bus.
  case notRaspberryPi
  /// A Raspberry Pi that this version does not know.
  case unknownModel

  /// I2C is switched off in the device tree.
  case i2cOff
  /// I2C is switched on in config.txt, and was not when the system started.
  case restartNeeded
  /// The bus is switched on, and the module that makes its device is not loaded.
  case moduleMissing
  /// Bus and module are there, and the device is not.
  case deviceMissing
  /// There is no such bus, and it cannot be told why.
  case noBus
  /// The device is no I2C bus, or cannot be used.
  case notABus

  /// Not a member of the group of the devices.
  case notMember(Devices)
  /// A member since after the last login.
  case loginNeeded(Devices)
  /// There is no such group, because no package has made it.
  case noGroup(Devices)
  /// A member, and yet not permitted: the device belongs to others.
  case wrongOwner(Devices)

  /// Too slow a bus for the sensor's rate; 0 for no rate at all.
  case busTooSlow(busHertz: UInt32, highestHertz: UInt32)

  /// A driver of the kernel's has the address; its name, where it is known.
  case addressHeld(by: ShortText<32>)
  /// Nobody at the address, nor where else such sensors can be.
  case silent
  /// Nobody at the address; a sensor that can be used is at another one.
  case elsewhere(Probe.Place, Probe.Sensor)
  /// The bus hangs: a line is held low.
  case busStuck
  /// The bus fails in another way.
  case busFault(I2CFault)

  /// A part that is used only if the board file asks for it.
  case unverifiedPart(identity: UInt8)
  /// A part that must not or cannot be used.
  case refusedPart(Probe.Refusal)
  /// Somebody with an identity by which no sensor is known.
  case unknownPart(identity: UInt8)
  /// All bits alike where an identity should be.
  case noIdentity(reading: UInt8)

  /// No chip has the label; the labels that there are, between commas.
  case noChip(labels: ShortText<128>)
  /// The chip of the header has another label on this model.
  case otherHeader(label: ShortText<32>)
  /// The chip has fewer lines.
  case noSuchLine(offset: UInt32, lineCount: UInt32)
  /// Somebody has a line, the name empty where it is not known; and of how many more that is so.
  case lineHeld(offset: UInt32, holder: ShortText<32>, more: Int)

  /// Another function is switched on that uses the pin of a LED.
  case otherFunction(Function, offset: UInt32)

  /// Devices that a group may use.
  public enum Devices: Equatable, Sendable {
    /// `/dev/i2c-*`, group i2c.
    case buses
    /// `/dev/gpiochip*`, group gpio.
    case chips

    /// The group's name.
    public var group: StaticString { self == .buses ? "i2c" : "gpio" }
  }

  /// A function that pins of the header can have.
  public enum Function: Equatable, Sendable {
    /// The console on GPIO14 and 15.
    case serialConsole
    /// SPI on GPIO7 to 11.
    case spi
    /// Digital audio (I2S) on GPIO18 to 21.
    case audio
    /// The 1-wire bus on GPIO4.
    case oneWire
  }

  /// How bad it is.
  public enum Severity: Equatable, Sendable {
    /// Worth knowing.
    case note
    /// May go wrong.
    case warning
    /// Does not work.
    case error
  }

  /// How bad it is.
  public var severity: Severity {
    switch self {
    case .notRaspberryPi, .unknownModel: .note
    case .otherFunction: .warning
    default: .error
    }
  }

  /// What a program should end with: 0 where it works all the same; 69 not available, 77 no permission, 78 bad
  /// configuration of the sysexits convention.
  public var exitCode: Int32 {
    switch self {
    case .notRaspberryPi, .unknownModel, .otherFunction: 0
    case .notMember, .loginNeeded, .noGroup, .wrongOwner: 77
    case .notABus, .busTooSlow, .elsewhere, .unverifiedPart, .otherHeader, .noSuchLine: 78
    default: 69
    }
  }
}

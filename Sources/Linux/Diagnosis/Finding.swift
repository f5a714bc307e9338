public import HAL
public import Sensors
public import Text

/// What a diagnosis looks at, in this order: what comes later needs what comes before.
public enum Aspect: UInt8, Equatable, Sendable {
  /// The computer.
  case machine
  /// The I2C bus: switched on, driver loaded, device there.
  case bus
  /// The right to use it.
  case busAccess
  /// Whether it can follow the sensor's rate.
  case busSpeed
  /// Whether there is a response at the sensor's address.
  case address
  /// Whether it is the sensor that responds.
  case identity
  /// The right to use GPIO chips.
  case linesAccess
  /// The chip of the lines.
  case chip
  /// Whether the lines are there and free.
  case lines
  /// Whether another function uses the pins.
  case pins

  /// How many there are; raw values are 0 up to this.
  public static var count: Int { 10 }

  /// A stable identifier, for scripts.
  public var identifier: StaticString {
    switch self {
    case .machine: "machine"
    case .bus: "bus"
    case .busAccess: "bus-access"
    case .busSpeed: "bus-speed"
    case .address: "address"
    case .identity: "identity"
    case .linesAccess: "lines-access"
    case .chip: "chip"
    case .lines: "lines"
    case .pins: "pins"
    }
  }

  /// What is looked at, in a few words.
  public var title: StaticString {
    switch self {
    case .machine: "the computer"
    case .bus: "the I2C bus"
    case .busAccess: "permission to use the bus"
    case .busSpeed: "the speed of the bus"
    case .address: "a response at the sensor's address"
    case .identity: "the sensor's identity"
    case .linesAccess: "permission to use GPIO"
    case .chip: "the GPIO chip of the lines"
    case .lines: "the lines of the LEDs"
    case .pins: "other functions of these pins"
    }
  }

  init?(index: Int) { self.init(rawValue: UInt8(truncatingIfNeeded: index)) }
}

/// What came of a check.
public enum Outcome: Equatable, Sendable {
  /// OK.
  case passed
  /// OK, because it is inside the program.
  case emulated
  /// Not checked, because an earlier check failed or does not apply here.
  case skipped(because: Aspect)
  /// Nothing is known, and nothing wrong found.
  case unknown
  /// Something is wrong or worth knowing.
  case found(Finding)

  /// The finding, if there is one.
  public var finding: Finding? {
    if case .found(let finding) = self { return finding }
    return nil
  }
}

/// Something that is wrong with a set-up, or worth knowing of it.
public enum Finding: Equatable, Sendable {
  /// The computer is not a Raspberry Pi, so little is known of its bus.
  case notRaspberryPi
  /// A Raspberry Pi that this version does not know.
  case unknownModel

  /// I2C is switched off in the device tree.
  case i2cOff
  /// I2C is switched on in config.txt, but was not when the system started.
  case restartNeeded
  /// The bus is switched on, but the module that makes its device is not loaded.
  case moduleMissing
  /// Bus and module are there, but not the device.
  case deviceMissing
  /// There is no such bus, and the reason is not known.
  case noBus
  /// The computer has no I2C bus at all.
  case noBuses
  /// The device is not an I2C bus, or cannot be used.
  case notABus

  /// Not a member of the group of the devices.
  case notMember(Devices)
  /// A member since after the last login.
  case loginNeeded(Devices)
  /// There is no such group, because no package has created it.
  case noGroup(Devices)
  /// A member, but without permission: the device belongs to others.
  case wrongOwner(Devices)

  /// Too slow a bus for the sensor's rate; 0 for no rate at all.
  case busTooSlow(busHertz: UInt32, highestHertz: UInt32)

  /// A kernel driver holds the address; its name, where it is known.
  case addressHeld(by: ShortText<32>)
  /// No response at the address, nor at the others that such sensors can have.
  case silent
  /// No response at the address; a usable sensor is at another one.
  case elsewhere(I2CAddress, SensorPart)
  /// The bus hangs: a line is held low.
  case busStuck
  /// The bus fails in another way.
  case busFault(I2CFault)

  /// A part that is used only if the board file asks for it.
  case unverifiedPart(identity: UInt8)
  /// A part that must not or cannot be used.
  case refusedPart(SensorPart)
  /// A part with an identity that no known sensor has.
  case unknownPart(identity: UInt8)
  /// All bits alike where an identity should be.
  case noIdentity(reading: UInt8)

  /// No chip has the label; the labels that there are, between commas.
  case noChip(labels: ShortText<128>)
  /// The chip of the header has another label on this model.
  case otherHeader(label: ShortText<32>)
  /// The chip has fewer lines.
  case noSuchLine(offset: UInt32, lineCount: UInt32)
  /// Another program has a line, its name empty where it is not known; and how many more lines are in use.
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

  /// The exit code of a program that reports it: 0 where it works all the same; 69 not available, 77 no permission, 78
  /// bad configuration of the sysexits convention.
  public var exitCode: Int32 {
    switch self {
    case .notRaspberryPi, .unknownModel, .otherFunction: 0
    case .notMember, .loginNeeded, .noGroup, .wrongOwner: 77
    case .notABus, .busTooSlow, .elsewhere, .unverifiedPart, .otherHeader, .noSuchLine: 78
    default: 69
    }
  }
}

extension Finding {
  /// A stable identifier, for scripts and search engines.
  public var identifier: StaticString {
    switch self {
    case .notRaspberryPi: "machine.other"
    case .unknownModel: "machine.unknown"
    case .i2cOff: "bus.off"
    case .restartNeeded: "bus.restart"
    case .moduleMissing: "bus.module"
    case .deviceMissing: "bus.device"
    case .noBus: "bus.absent"
    case .noBuses: "bus.none"
    case .notABus: "bus.unusable"
    case .notMember(.buses): "bus-access.group"
    case .loginNeeded(.buses): "bus-access.login"
    case .noGroup(.buses): "bus-access.no-group"
    case .wrongOwner(.buses): "bus-access.owner"
    case .notMember(.chips): "lines-access.group"
    case .loginNeeded(.chips): "lines-access.login"
    case .noGroup(.chips): "lines-access.no-group"
    case .wrongOwner(.chips): "lines-access.owner"
    case .busTooSlow: "bus-speed.slow"
    default: deviceIdentifier
    }
  }

  private var deviceIdentifier: StaticString {
    switch self {
    case .addressHeld: "address.held"
    case .silent: "address.silent"
    case .elsewhere: "address.elsewhere"
    case .busStuck: "address.stuck"
    case .busFault: "address.fault"
    case .unverifiedPart: "identity.unverified"
    case .refusedPart: "identity.refused"
    case .unknownPart: "identity.unknown"
    case .noIdentity: "identity.none"
    case .noChip: "chip.absent"
    case .otherHeader: "chip.other"
    case .noSuchLine: "lines.absent"
    case .lineHeld: "lines.held"
    case .otherFunction(.serialConsole, _): "pins.serial"
    case .otherFunction(.spi, _): "pins.spi"
    case .otherFunction(.audio, _): "pins.audio"
    default: "pins.one-wire"
    }
  }
}

public import HAL
public import Sensors
public import Text

/// What a diagnosis checks, in this order: later aspects need the earlier ones.
public enum Aspect: UInt8, Equatable, Sendable {
  /// The computer.
  case machine
  /// The I2C bus: switched on, its driver loaded, its device present.
  case bus
  /// Permission to use it.
  case busAccess
  /// Whether it is fast enough for the sensor's rate.
  case busSpeed
  /// Whether there is a response at the sensor's address.
  case address
  /// Whether the part that responds is the sensor.
  case identity
  /// The kernel's device that is the sensor, which takes the place of the bus.
  case device
  /// Permission to use GPIO chips.
  case linesAccess
  /// The chip of the lines.
  case chip
  /// Whether the lines exist and are free.
  case lines
  /// Whether another function uses the pins.
  case pins
  /// The matrix of a Sense HAT, which takes the place of the lines.
  case matrix

  /// The number of aspects; raw values are 0..<`count`.
  public static var count: Int { 12 }

  private var row: (identifier: StaticString, title: StaticString) {
    switch self {
    case .machine: ("machine", "the computer")
    case .bus: ("bus", "the I2C bus")
    case .busAccess: ("bus-access", "permission to use the bus")
    case .busSpeed: ("bus-speed", "the speed of the bus")
    case .address: ("address", "a response at the sensor's address")
    case .identity: ("identity", "the sensor's identity")
    case .device: ("device", "the kernel's device")
    case .linesAccess: ("lines-access", "permission to use GPIO")
    case .chip: ("chip", "the GPIO chip of the lines")
    case .lines: ("lines", "the lines of the LEDs")
    case .pins: ("pins", "other functions of these pins")
    case .matrix: ("matrix", "the matrix of the Sense HAT")
    }
  }

  /// A stable identifier, for scripts.
  public var identifier: StaticString { row.identifier }

  /// What is checked, in a few words.
  public var title: StaticString { row.title }

  init?(index: Int) { self.init(rawValue: UInt8(truncatingIfNeeded: index)) }
}

/// The outcome of a check.
public enum Outcome: Equatable, Sendable {
  /// OK.
  case passed
  /// OK, because it is emulated.
  case emulated
  /// The board has none, so there is nothing to check.
  case absent
  /// Not checked, because an earlier check failed or found that this one does not apply.
  case skipped(because: Aspect)
  /// Nothing is known, so nothing wrong was found.
  case unknown
  /// Something is wrong or worth knowing.
  case found(Finding)

  /// The finding, if there is one.
  public var finding: Finding? {
    if case .found(let finding) = self { return finding }
    return nil
  }
}

/// Something that is wrong with a set-up, or worth knowing about it.
public enum Finding: Equatable, Sendable {
  /// The computer is not a Raspberry Pi, so little is known about its bus.
  case notRaspberryPi
  /// A Raspberry Pi model that this version does not know.
  case unknownModel

  /// I2C is switched off in the device tree.
  case i2cOff
  /// I2C is switched on in config.txt, but was off when the system started.
  case restartNeeded
  /// The bus is switched on, but the module that creates its device is not loaded.
  case moduleMissing
  /// The bus and the module are present, but not the device.
  case deviceMissing
  /// There is no such bus, for an unknown reason.
  case noBus
  /// The computer has no I2C bus at all.
  case noBuses
  /// The device is not an I2C bus, or cannot be used.
  case notABus

  /// The user is not in the devices' group.
  case notMember(Devices)
  /// The user joined the group after the last login.
  case loginNeeded(Devices)
  /// There is no such group, because no package has created it.
  case noGroup(Devices)
  /// The user is in the group, but has no permission: the devices do not belong to it.
  case wrongOwner(Devices)

  /// The bus is too slow for the sensor's rate; `highestHertz` is the highest rate it allows, 0 for none.
  case busTooSlow(busHertz: UInt32, highestHertz: UInt32)

  /// A kernel driver uses the address; its name, if known.
  case addressHeld(by: ShortText<32>)
  /// No response at the address, nor at any other address that such sensors can have.
  case silent
  /// No response at the address, but a usable sensor at another one.
  case elsewhere(I2CAddress, SensorPart)
  /// The bus hangs: a line is held low.
  case busStuck
  /// The bus fails in another way.
  case busFault(I2CFault)

  /// A usable part of another model than the board file names.
  case otherModel(SensorPart)
  /// A part that is used only if the board file allows it.
  case unverifiedPart(identity: UInt8)
  /// The part lacks a range of its gyroscope that the board file asks for.
  case unsupportedPart(SensorPart)
  /// A part that must not or cannot be used.
  case refusedPart(SensorPart)
  /// A part whose identity no known sensor has.
  case unknownPart(identity: UInt8)
  /// The identity reads as all zeros or all ones.
  case noIdentity(reading: UInt8)

  /// The kernel's device cannot be used: see `Diagnosis.deviceError`.
  case deviceUnusable(exitCode: Int32)
  /// The device can be used, but has no buffer, or none that the user may open.
  case deviceUnbuffered

  /// No chip has the label; `labels` are the existing ones, separated by commas.
  case noChip(labels: ShortText<128>)
  /// The chip of the header has another label on this model.
  case otherHeader(label: ShortText<32>)
  /// The chip has fewer lines.
  case noSuchLine(offset: UInt32, lineCount: UInt32)
  /// Another program uses a line, its name empty if unknown; `more` counts the other lines in use.
  case lineHeld(offset: UInt32, holder: ShortText<32>, more: Int)

  /// Another function is switched on and uses the pin of an LED.
  case otherFunction(Function, offset: UInt32)

  /// The kernel has no frame buffer for the matrix, and there is no response at its address.
  case noMatrix
  /// A kernel driver uses the address of the matrix, but has no frame buffer.
  case matrixHeld

  /// Devices that a group may use.
  public enum Devices: Equatable, Sendable {
    /// `/dev/i2c-*`, group i2c.
    case buses
    /// `/dev/gpiochip*`, group gpio.
    case chips
    /// `/dev/fb*`, group video.
    case frames

    /// The group's name.
    public var group: StaticString {
      switch self {
      case .buses: "i2c"
      case .chips: "gpio"
      case .frames: "video"
      }
    }
  }

  /// A function that pins of the header can have.
  public enum Function: Equatable, Sendable {
    /// The console on GPIO14 and GPIO15.
    case serialConsole
    /// SPI on GPIO7 to GPIO11.
    case spi
    /// Digital audio (I2S) on GPIO18 to GPIO21.
    case audio
    /// The 1-wire bus on GPIO4.
    case oneWire
  }

  /// How serious a finding is.
  public enum Severity: Equatable, Sendable {
    /// Worth knowing.
    case note
    /// It may cause errors.
    case warning
    /// The board does not work.
    case error
  }

  /// How serious it is.
  public var severity: Severity {
    switch self {
    case .notRaspberryPi, .unknownModel, .deviceUnbuffered: .note
    case .otherFunction: .warning
    default: .error
    }
  }

  /// The exit code of a program that reports it, as in sysexits.h: 0 if the board works all the same, 69 for
  /// unavailable, 77 for no permission, 78 for a bad configuration.
  public var exitCode: Int32 {
    switch self {
    case .notRaspberryPi, .unknownModel, .otherFunction, .deviceUnbuffered: 0
    case .deviceUnusable(let exitCode): exitCode
    case .notMember, .loginNeeded, .noGroup, .wrongOwner: 77
    case .notABus, .busTooSlow, .elsewhere, .otherModel, .unverifiedPart, .unsupportedPart, .otherHeader, .noSuchLine:
      78
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
    case .notMember(.frames): "matrix.group"
    case .loginNeeded(.frames): "matrix.login"
    case .noGroup(.frames): "matrix.no-group"
    case .wrongOwner(.frames): "matrix.owner"
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
    case .otherModel: "identity.other"
    case .unverifiedPart: "identity.unverified"
    case .unsupportedPart: "identity.unsupported"
    case .refusedPart: "identity.refused"
    case .unknownPart: "identity.unknown"
    case .noIdentity: "identity.none"
    case .deviceUnusable: "device.unusable"
    case .deviceUnbuffered: "device.unbuffered"
    case .noChip: "chip.absent"
    case .otherHeader: "chip.other"
    case .noSuchLine: "lines.absent"
    case .lineHeld: "lines.held"
    case .otherFunction(.serialConsole, _): "pins.serial"
    case .otherFunction(.spi, _): "pins.spi"
    case .otherFunction(.audio, _): "pins.audio"
    case .noMatrix: "matrix.absent"
    case .matrixHeld: "matrix.held"
    default: "pins.one-wire"
    }
  }
}

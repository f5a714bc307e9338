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
  /// Whether somebody is at the sensor's address.
  case address
  /// Whether that is the sensor.
  case identity
  /// The right to use GPIO chips.
  case linesAccess
  /// The chip of the lines.
  case chip
  /// Whether the lines are there and free.
  case lines
  /// Whether another function wants the pins.
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
    case .address: "somebody at the sensor's address"
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
  /// Well.
  case passed
  /// Well, because it is inside the program.
  case emulated
  /// Not looked at, because an earlier check failed, or does not apply here.
  case skipped(because: Aspect)
  /// Nothing is known, and nothing wrong found.
  case unknown
  /// Something is wrong, or deserves a word.
  case found(Problem)

  /// The problem, if there is one.
  public var problem: Problem? {
    if case .found(let problem) = self { return problem }
    return nil
  }
}

extension Problem {
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

extension LSM9DS1: SensorDriver {
  /// The rate is that of the accelerometer alone, or with the FIFO.
  ///
  /// - Datasheet: Rev. 2, tables 3, 19, 45, 67 and 68.
  public static var traits: SensorTraits {
    SensorTraits(
      name: "lsm9ds1", properName: "LSM9DS1", addresses: (address, alternateAddress), addressPin: "SDOAG",
      identityRegister: Register.identity, interruptPin: "INT1", highestRate: 952, ranges: [2, 4, 8, 16],
      usualRange: 4, gyroscopeRanges: [245, 500, 2_000, 0, 0, 0], hasThermometer: true, keepsSamples: true,
      selfTest: .plain)
  }

  /// Adafruit's breakout board, without the pins of the magnetometer (CSM, SDOM, INTM) and INT2, DEN and DRDY.
  public static var module: SensorModule {
    SensorModule(
      name: "LSM9DS1",
      pins: [
        .init("VIN", .supply, "3.3 V; 5 V only with a regulator"), .init("3Vo", .unused, "an output"),
        .init("GND", .ground), .init("SCL", .clock), .init("SDA", .data), .init("CSAG", .selectsI2C),
        .init("SDOAG", .address), .init("INT1", .interrupt), nil,
      ],
      supplyWarning: "VIN to 3.3 V; modules without a regulator do not tolerate 5 V.",
      addressRemark:
        "Most modules pull SDOAG high, for 0x6B; the Sense HAT has 0x6A. Leave the pins of the magnetometer, CSM, SDOM and INTM, open."
    )
  }

  /// An LSM6DS0, which has no magnetometer, cannot be distinguished from an LSM9DS1.
  ///
  /// - Datasheet: LSM6DS0 Rev. 2, WHO_AM_I.
  public static func part(identity: UInt8) -> SensorPart? {
    identity == Self.identity ? SensorPart(.lsm9ds1, identity, "an LSM9DS1 or LSM6DS0") : nil
  }
}

extension LSM9DS1.Configuration: DriverConfiguration {
  /// The lowest sufficient output data rate.
  public init(_ wanted: SensorConfiguration) {
    let gyroscope = wanted.rangeInDegreesPerSecond.flatMap { LSM9DS1.GyroscopeRange(degreesPerSecond: $0) }
    let rate = LSM9DS1.OutputDataRate(
      atLeastMillihertz: wanted.outputMillihertz, withGyroscope: gyroscope != nil)
    self.init(
      rate: rate ?? .hz952, range: LSM9DS1.Range(g: wanted.rangeInG) ?? .g4, gyroscope: gyroscope,
      fifo: wanted.batch > 1 ? .continuous(threshold: LSM9DS1.FIFO.Level(nearest: wanted.batch)) : .bypass,
      interrupts: DataReadyPin(signalsDataReady: wanted.signalsDataReady))
  }

  /// Whether the FIFO is in continuous mode.
  public var usesFIFO: Bool { fifo != .bypass }
}

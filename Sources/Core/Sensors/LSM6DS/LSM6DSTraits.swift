extension LSM6DS: SensorDriver {
  /// Up to 833 samples a second without the gyroscope, 416 with it; more in batches.
  ///
  /// - Datasheet: LSM6DS33 Rev. 4 and LSM6DS3TR-C Rev. 3, mechanical characteristics, CTRL1_XL and CTRL2_G.
  public static var traits: SensorTraits {
    SensorTraits(
      name: "lsm6ds", properName: "LSM6DS", addresses: (address, alternateAddress), addressPin: "DO",
      identityRegister: Register.identity, interruptPin: "I2", highestRate: 833, ranges: [2, 4, 8, 16], usualRange: 4,
      gyroscopeRanges: [125, 250, 500, 1_000, 2_000, 4_000], hasThermometer: true, keepsSamples: true,
      selfTest: .plain, hasRelatives: true)
  }

  /// Adafruit's breakout board of the LSM6DSOX, LSM6DSO32 and ISM330DHCX.
  public static var module: SensorModule {
    SensorModule(
      name: "LSM6DSOX",
      pins: [
        .init("VIN", .supply, "3.3 V; 5 V only with a regulator"), .init("3Vo", .unused, "an output"),
        .init("GND", .ground), .init("SCL", .clock), .init("SDA", .data), .init("DO", .address),
        .init("CS", .selectsI2C), .init("I1", .unused, "must be low or open at a reset"), .init("I2", .interrupt),
      ],
      supplyWarning: "VIN to 3.3 V; modules without a regulator do not tolerate 5 V.",
      addressRemark:
        "Adafruit's boards pull DO low; other modules need the wire. Leave I1 open: an LSM6DSO or LSM6DSOX with I1 high at a reset no longer responds."
    )
  }

  /// The parts of the family. An LSM6DSO32, whose ranges are twice as wide, cannot be distinguished from an LSM6DSO.
  public static func part(identity: UInt8) -> SensorPart? {
    Part(rawValue: identity).map { SensorPart(.lsm6ds, identity, $0.name, $0.admission) }
  }
}

extension LSM6DS.Configuration: DriverConfiguration {
  /// The lowest sufficient output data rate.
  public init(_ wanted: SensorConfiguration) {
    self.init(
      rate: LSM6DS.OutputDataRate(atLeastMillihertz: wanted.outputMillihertz) ?? .hz833,
      range: LSM6DS.Range(g: wanted.rangeInG) ?? .g4,
      gyroscope: wanted.rangeInDegreesPerSecond.flatMap { LSM6DS.GyroscopeRange(degreesPerSecond: $0) },
      usesFIFO: wanted.batch > 1,
      interrupts: DataReadyPin(signalsDataReady: wanted.signalsDataReady))
  }

  /// Whether the part has the ranges.
  public func isSupported(by identity: UInt8) -> Bool { LSM6DS.Part(rawValue: identity)?.supports(self) ?? true }
}

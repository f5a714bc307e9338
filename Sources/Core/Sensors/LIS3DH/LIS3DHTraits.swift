extension LIS3DH: SensorDriver {
  /// Its thermometer measures only temperature differences, so it does not count as one. It takes up to 1344 samples a
  /// second; a board file allows 1000.
  ///
  /// - Datasheet: Rev. 2, tables 4, 5, 15 and 31.
  public static var traits: SensorTraits {
    SensorTraits(
      name: "lis3dh", properName: "LIS3DH", addresses: (address, alternateAddress), addressPin: "SDO",
      identityRegister: Register.identity, interruptPin: "INT", highestRate: 1_000, ranges: [2, 4, 8, 16],
      usualRange: 4, keepsSamples: true, selfTest: .plain)
  }

  /// Adafruit's breakout board, whose header continues with A1, A2 and A3.
  public static var module: SensorModule {
    SensorModule(
      name: "LIS3DH",
      pins: [
        .init("VIN", .supply, "3.3 V; 5 V only with a regulator"), .init("3VO", .unused, "an output"),
        .init("GND", .ground), .init("SCL", .clock), .init("SDA", .data), .init("SDO", .address),
        .init("CS", .selectsI2C), .init("INT", .interrupt), nil,
      ],
      supplyWarning: "VIN to 3.3 V; modules without a regulator do not tolerate 5 V.",
      addressRemark:
        "The LIS3DH itself pulls SDO high: on a module that leaves it open, the address is 0x19. Leave other pins, such as A1 to A3 or I2, open."
    )
  }

  /// Only an LIS2DE12, which has 8 bits, cannot be distinguished from an LIS3DH.
  ///
  /// - Datasheet: LIS331DLH Rev. 3, LIS2DW12 Rev. 5, WHO_AM_I.
  public static func part(identity: UInt8) -> SensorPart? {
    switch identity {
    case Self.identity: SensorPart(.lis3dh, identity, "an LIS3DH, LIS2DH12 or LSM303AGR")
    case 0x32: SensorPart(.lis3dh, identity, "an LIS331DLH", refusedBecause: "which has other registers")
    case 0x44: SensorPart(.lis3dh, identity, "an LIS2DW12", refusedBecause: "which has other registers")
    default: nil
    }
  }
}

extension LIS3DH.Configuration: DriverConfiguration {
  /// The lowest sufficient output data rate, in high resolution.
  public init(_ wanted: SensorConfiguration) {
    self.init(
      rate: LIS3DH.OutputDataRate(atLeastMillihertz: wanted.outputMillihertz) ?? .hz1344,
      range: LIS3DH.Range(g: wanted.rangeInG) ?? .g4,
      fifo: wanted.batch > 1 ? .stream(watermark: LIS3DH.FIFO.Level(nearest: wanted.batch)) : .bypass,
      interrupts: DataReadyPin(signalsDataReady: wanted.signalsDataReady))
  }

  /// Whether the FIFO is in stream mode.
  public var usesFIFO: Bool { fifo != .bypass }
}

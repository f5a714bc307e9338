internal import FixedPoint
public import HAL

extension ICM20948: SensorDriver {
  /// It takes up to 1125 samples a second; a board file allows 1000.
  ///
  /// - Datasheet: DS-000189 rev. 1.6, tables 1 and 2, WHO_AM_I.
  public static var traits: SensorTraits {
    SensorTraits(
      name: "icm20948", properName: "ICM-20948", addresses: (address, alternateAddress), addressPin: "AD0",
      identityRegister: Register.identity, interruptPin: "INT", highestRate: 1_000, ranges: [2, 4, 8, 16],
      usualRange: 4, gyroscopeRanges: [250, 500, 1_000, 2_000, 0, 0], hasThermometer: true, keepsSamples: true,
      selfTest: .coded)
  }

  /// Adafruit's breakout board, with its most important pins. SparkFun's has the same in another order; Pimoroni's has
  /// the bus alone, and a solder jumper in place of AD0.
  public static var module: SensorModule {
    SensorModule(
      name: "ICM-20948",
      pins: [
        .init("VIN", .supply, "3.3 V; the board makes 1.8 V of it"), .init("1V8", .unused, "an output"),
        .init("GND", .ground), .init("SCL", .clock), .init("SDA", .data), .init("AD0", .address),
        .init("CS", .selectsI2C), .init("INT", .interrupt), nil,
      ],
      supplyWarning:
        "VIN to 3.3 V, on a board with level shifters: the part itself tolerates only 1.95 V at its pins.",
      addressRemark:
        "Most boards pull AD0 high: if it is left open, the address is 0x69. Leave other pins, such as FSYNC, open."
    )
  }

  /// - Datasheet: DS-000189 rev. 1.6, WHO_AM_I; ICM-20649, DS-000192, WHO_AM_I.
  public static func part(identity: UInt8) -> SensorPart? {
    switch identity {
    case Self.identity: SensorPart(.icm20948, identity, "an ICM-20948")
    case 0xE1: SensorPart(.icm20948, identity, "an ICM-20649", refusedBecause: "whose ranges differ")
    default: nil
    }
  }

  /// An ICM-20948 in which another program has left a bank selected that has no identity.
  public static func part(bank byte: UInt8) -> SensorPart? {
    guard let bank = Bank(decoding: byte), bank != .zero else { return nil }
    return SensorPart(.icm20948, byte, "an ICM-20948 with another register bank selected")
  }

  /// REG_BANK_SEL.
  public static var bankRegister: UInt8? { Register.bank }
}

extension ICM20948.Device where Bus: ~Copyable {
  /// Runs `selfTest`; the supply is irrelevant.
  public mutating func testItself(
    supply millivolts: Int32, by clock: inout some MonotonicClock & ~Copyable
  ) throws(SensorError) -> SelfTestFindings? { try selfTest(clock: &clock)?.findings }
}

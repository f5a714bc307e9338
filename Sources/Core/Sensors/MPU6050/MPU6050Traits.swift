public import HAL

extension MPU6050: SensorDriver {
  /// The rate is that of the accelerometer.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 25, 27, 28 and 117.
  public static var traits: SensorTraits {
    SensorTraits(
      name: "mpu6050", properName: "MPU-6050", addresses: (address, alternateAddress), addressPin: "AD0",
      identityRegister: Register.identity, interruptPin: "INT", highestRate: 1_000, ranges: [2, 4, 8, 16],
      usualRange: 4, gyroscopeRanges: [250, 500, 1_000, 2_000, 0, 0], hasThermometer: true, keepsSamples: true,
      selfTest: .coded, hasRelatives: true, impostor: "a copy that reads only zeros")
  }

  /// The most common module.
  public static var module: SensorModule {
    SensorModule(
      name: "GY-521",
      pins: [
        .init("VCC", .supply, "3.3 V, not 5 V"), .init("GND", .ground), .init("SCL", .clock), .init("SDA", .data),
        .init("XDA", .unused, "for a magnetometer; not used"), .init("XCL", .unused, "for a magnetometer; not used"),
        .init("AD0", .address), .init("INT", .interrupt), nil,
      ],
      supplyWarning: "VCC to 3.3 V, not 5 V: the Pi's pins tolerate 3.3 V only.",
      addressRemark: "A GY-521 pulls AD0 low; other modules need the wire.")
  }

  /// A part of the family; also known identities at its addresses that are not usable.
  public static func part(identity: UInt8) -> SensorPart? {
    if let part = Part(rawValue: identity) { return SensorPart(.mpu6050, identity, part.name, part.admission) }
    switch identity {
    case 0x69, 0x75:
      return SensorPart(
        .mpu6050, identity, "a defective MPU-6050 or copy",
        refusedBecause: "because only defective parts are known to have this identity")
    case 0x40...0x47:
      return SensorPart(
        .mpu6050, identity, "probably one of the ICM-426xx", refusedBecause: "which have other registers")
    default: return nil
    }
  }
}

extension MPU6050.Part {
  /// The name with its article.
  public var name: StaticString {
    switch self {
    case .mpu6050: "an MPU-6050, MPU-6000 or MPU-9150"
    case .mpu6500: "an MPU-6500"
    case .mpu9250: "an MPU-9250"
    case .clone72: "a copy reported to behave like an MPU-6500"
    case .mpu9255: "an MPU-9255"
    case .mpu6515: "an MPU-6515"
    case .mpu6880: "an MPU-6880"
    case .icm20600: "an ICM-20600"
    case .icm20602: "an ICM-20602"
    case .icm20690: "an ICM-20690"
    case .icm20689: "an ICM-20689 or one of the copies sold as MPU-6050"
    case .icm20609: "an ICM-20609"
    case .iam20680: "an IAM-20680"
    case .icm20608D: "an ICM-20608D"
    case .icm20608: "an ICM-20608"
    }
  }
}

extension MPU6050.Device where Bus: ~Copyable {
  /// Runs `selfTest`; the supply is irrelevant.
  public mutating func testItself(
    supply millivolts: Int32, by clock: inout some MonotonicClock & ~Copyable
  ) throws(SensorError) -> SelfTestFindings? { try selfTest(clock: &clock)?.findings }
}

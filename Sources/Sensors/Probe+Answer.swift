public import HAL

extension Probe {
  /// What a place answered.
  public enum Answer: Equatable, Sendable {
    /// A sensor that a driver can use, and on which terms.
    ///
    /// The driver may still refuse what its configuration asks of that part.
    case usable(Sensor, MPU6050.Admission)
    /// A sensor that is known and that no driver uses.
    case refused(Refusal)
    /// Somebody with another identity, or without one: no sensor that is known.
    case unknown(identity: UInt8)
    /// All bits alike, 0x00 or 0xFF: wiring or supply at fault, or a part that is not there to be read.
    case noIdentity(reading: UInt8)
    /// The bus failed, so that nothing is known of this place; `busy` where a kernel driver has it.
    case fault(I2CFault)
  }

  /// A sensor that a driver can use.
  public enum Sensor: Equatable, Sendable {
    /// An ADXL345, or an ADXL343, which is the same; or an ADXL375, which only its samples tell apart.
    case adxl345
    /// One of the family, by its identity.
    case mpu6050(MPU6050.Part)
  }

  /// Why a sensor that is known is not used.
  public enum Refusal: Equatable, Sendable {
    /// An ADXL346: it is for 1.7 to 2.75 V, and must not be on a bus of 3.3 V.
    case adxl346
    /// A chip in the place of an MPU-6050 of which there are reports as defective only: 0x69 or 0x75.
    case defectiveMPU6050(identity: UInt8)
  }
}

extension Probe.Finding {
  /// Whether this may as well be a real-time clock, such as DS1307 or DS3231: look at the board before a driver writes to it.
  ///
  /// They are at 0x68 and have no register 0x75. Which one they give instead their data sheets do not say: a DS3231 perhaps
  /// one that counts, a DS1307 perhaps its memory. So a number at 0x68 that can be seconds or minutes, two decimal digits up
  /// to 59, is suspicious, among them the identities of ICM-20600 (0x11), ICM-20602 (0x12) and ICM-20690 (0x20); all others
  /// need a year, a setting or memory of that value to be mistaken.
  public var mayBeClock: Bool {
    guard place == .mpu6050 else { return false }
    return switch answer {
    case .usable(.mpu6050(let part), _): Probe.isTime(part.rawValue)
    case .unknown(let identity), .noIdentity(let identity): Probe.isTime(identity)
    default: false
    }
  }
}

extension Probe {
  /// Whether `byte` is 0 to 59 in decimal digits, as the seconds or minutes of a real-time clock are.
  package static func isTime(_ byte: UInt8) -> Bool { byte < 0x60 && byte & 0x0F < 0x0A }
}

extension Probe.Place {
  /// Whether it is one of an MPU-6050.
  var isOfMPU6050: Bool { self == .mpu6050 || self == .mpu6050Alternate }

  /// DEVID or WHO_AM_I.
  var identityRegister: UInt8 {
    isOfMPU6050 ? MPU6050.Register.identity.rawValue : ADXL345.Register.identity.rawValue
  }

  /// What `identity` means here: the policy of the drivers, in words where they only refuse.
  func answer(identity: UInt8) -> Probe.Answer {
    if identity == 0x00 || identity == 0xFF { return .noIdentity(reading: identity) }
    guard isOfMPU6050 else {
      switch identity {
      case ADXL345.identity: return .usable(.adxl345, .accepted)
      case 0xE6: return .refused(.adxl346)
      default: return .unknown(identity: identity)
      }
    }
    if let part = MPU6050.Part(rawValue: identity) { return .usable(.mpu6050(part), part.admission) }
    return identity == 0x69 || identity == 0x75
      ? .refused(.defectiveMPU6050(identity: identity)) : .unknown(identity: identity)
  }
}

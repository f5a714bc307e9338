public import HAL

/// Finds which known sensor is at which address, where it is not known how a board is wired.
///
/// A report says what answered; it is made from one byte a place, so it is a reason to `start()` a driver, not a proof.
/// Whether the part is healthy and counts as it should only its samples tell.
public enum Probe {
  /// Where a known sensor can be; the raw value is the address.
  public enum Place: UInt8, Equatable, Sendable {
    /// An ADXL345 with ALT ADDRESS high.
    case adxl345Alternate = 0x1D
    /// An ADXL345 with ALT ADDRESS low.
    case adxl345 = 0x53
    /// An MPU-6050 or a relative with AD0 low.
    case mpu6050 = 0x68
    /// An MPU-6050 or a relative with AD0 high.
    case mpu6050Alternate = 0x69

    /// The address.
    public var address: I2CAddress { I2CAddress(fromDatasheet: rawValue) }
  }

  /// What answered at one place.
  public struct Finding: Equatable, Sendable {
    /// Where.
    public let place: Place
    /// What it said.
    public let answer: Answer
  }

  /// What was found on a bus: at most one finding a place, by ascending address. A place without an acknowledge has none.
  public struct Report: Sendable {
    /// The most findings there can be.
    public static var capacity: Int { 4 }

    /// How many findings there are.
    public private(set) var count = 0
    private var findings = InlineArray<4, Finding?>(repeating: nil)

    init() {}

    /// Finding `index`, from 0. Nil where there is none.
    public subscript(index: Int) -> Finding? { index >= 0 && index < count ? findings[index] : nil }

    /// What answered at `place`. Nil where nothing did.
    public subscript(place: Place) -> Answer? {
      for index in 0..<count {
        if let finding = findings[index], finding.place == place { return finding.answer }
      }
      return nil
    }

    mutating func append(_ finding: Finding) {
      guard count < Report.capacity else { return }
      findings[count] = finding
      count &+= 1
    }
  }
}

extension I2CBus where Self: ~Copyable {
  /// Looks for known sensors at the four addresses that they can have, and nowhere else.
  ///
  ///     S | 1D+W | 00 | Sr | 1D+R | identity | P
  ///     S | 53+W | 00 | Sr | 53+R | identity | P
  ///     S | 68+W | 75 | Sr | 68+R | identity | P
  ///     S | 69+W | 75 | Sr | 69+R | identity | P
  ///
  /// Four transactions, whatever comes of them: a fault is a finding and does not keep the rest from being looked at.
  /// Nothing is tried twice, because a sensor always acknowledges; one that needs a second attempt has a bus that should be
  /// seen to. A bus that is stuck costs four of its time-outs.
  ///
  /// No register is written, and a sensor goes on as it was. What remains of it:
  ///
  /// - The pointer of the part that answers has moved. Only a program that reads without naming a register could notice.
  /// - An MPU-6050 that is set to clear its interrupt by any read (INT_RD_CLEAR) clears it by this one.
  /// - Another make's part may take the read for a reading of its status: an MMA8451 (0x1D) that uses its FIFO clears its
  ///   FIFO interrupt by it.
  /// - A part without registers takes the byte that should name one for data: the ADCs MCP3421 to MCP3424 (0x68) take it
  ///   for their configuration until another is written. On such a board probe the other places, by ``probe(_:)``.
  /// - EEPROMs (0x53) move their address only: without a byte after that they write nothing.
  /// - Real-time clocks (0x68) have no register 0x75 and give some other one, see ``Probe/Finding/mayBeClock``.
  ///
  /// - Datasheet: ADXL345 Rev. E, register 0x00; RM-MPU-6000A rev. 4.2, registers 55 and 117; MMA8451Q, F_STATUS; MCP3421 and
  ///   MCP3422/3/4, configuration register.
  public mutating func probe() -> Probe.Report {
    var report = Probe.Report()
    if let finding = probe(.adxl345Alternate) { report.append(finding) }
    if let finding = probe(.adxl345) { report.append(finding) }
    if let finding = probe(.mpu6050) { report.append(finding) }
    if let finding = probe(.mpu6050Alternate) { report.append(finding) }
    return report
  }

  /// Looks for a known sensor at one place, in one transaction. Nil where nothing acknowledges.
  ///
  ///     S | addr+W | 00 or 75 | Sr | addr+R | identity | P
  ///
  /// See ``probe()`` for what that does to others.
  public mutating func probe(_ place: Probe.Place) -> Probe.Finding? {
    let pointer: InlineArray<1, UInt8> = [place.identityRegister]
    var byte = InlineArray<1, UInt8>(repeating: 0)
    var buffer = byte.mutableSpan
    do throws(I2CFault) {
      try writeRead(pointer.span, into: &buffer, at: place.address)
    } catch {
      return error == .noAcknowledge ? nil : Probe.Finding(place: place, answer: .fault(error))
    }
    return Probe.Finding(place: place, answer: place.answer(identity: byte[0]))
  }
}

extension Probe {
  /// What a place answered.
  public enum Answer: Equatable, Sendable {
    /// A sensor that a driver can use, and on which terms.
    ///
    /// The driver may still refuse what its configuration asks of that part.
    case usable(Sensor, MPU6050.Admission)
    /// A sensor that is known and that no driver uses.
    case refused(Refusal)
    /// Another identity, or none: no sensor that is known.
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
  /// Whether `byte` is 0 to 59 in decimal digits.
  package static func isTime(_ byte: UInt8) -> Bool { byte < 0x60 && byte & 0x0F < 0x0A }
}

extension Probe.Place {
  /// Whether it is one of an MPU-6050.
  var isOfMPU6050: Bool { self == .mpu6050 || self == .mpu6050Alternate }

  /// DEVID or WHO_AM_I.
  var identityRegister: UInt8 {
    isOfMPU6050 ? MPU6050.Register.identity : ADXL345.Register.identity
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

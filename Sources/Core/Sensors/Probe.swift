public import HAL

/// Finds which known sensor is at which address, if the wiring of a board is unknown.
///
/// A report says what responded. It is based on one byte per address, so it is a reason to `start()` a driver, not a
/// proof. Only samples show whether the part is healthy and has the expected sensitivity.
public enum Probe {
  /// The addresses that the models in ``SensorModel`` can have, ascending, without duplicates.
  public struct Places: Sendable {
    private var last: UInt8 = 0

    /// All addresses.
    public init() {}

    /// The next address; nil after the last.
    public mutating func next() -> I2CAddress? {
      var found: I2CAddress?
      for index in 0..<SensorModel.count {
        guard let (low, high) = SensorModel(index: index)?.traits.addresses else { continue }
        if low.rawValue > last, low.rawValue < found?.rawValue ?? 0x80 { found = low }
        if high.rawValue > last, high.rawValue < found?.rawValue ?? 0x80 { found = high }
      }
      if let found { last = found.rawValue }
      return found
    }
  }

  /// What responded at one address.
  public struct Finding: Equatable, Sendable {
    /// The address.
    public let address: I2CAddress
    /// Its response.
    public let answer: Answer
  }

  /// The findings on a bus: at most one per address, ascending. An address without an acknowledge has none.
  public struct Report: Sendable {
    /// The largest number of findings: a test compares it with the addresses.
    public static var capacity: Int { 16 }

    /// The number of findings.
    public private(set) var count = 0
    private var findings = InlineArray<16, Finding?>(repeating: nil)

    init() {}

    /// Finding `index`, from 0. Nil if there is none.
    public subscript(index: Int) -> Finding? { index >= 0 && index < count ? findings[index] : nil }

    /// The response at `address`. Nil if there is none.
    public subscript(address: I2CAddress) -> Answer? {
      for index in 0..<count {
        if let finding = findings[index], finding.address == address { return finding.answer }
      }
      return nil
    }

    mutating func append(_ finding: Finding) {
      guard count < Report.capacity else { return }
      findings[count] = finding
      count &+= 1
    }
  }

  /// The response of an address.
  public enum Answer: Equatable, Sendable {
    /// A sensor that a driver can use; its `admission` gives the conditions.
    ///
    /// The driver may still reject what its configuration requires of that part.
    case usable(SensorPart)
    /// A known sensor that no driver uses.
    case refused(SensorPart)
    /// Another identity, or a device without one: not a known sensor.
    case unknown(identity: UInt8)
    /// All bits equal, 0x00 or 0xFF: a wiring or supply error, or a part that cannot be read.
    case noIdentity(reading: UInt8)
    /// A bus fault, so nothing is known of this address; `busy` if a kernel driver uses it.
    case fault(I2CFault)
  }
}

extension I2CBus where Self: ~Copyable {
  /// Looks for known sensors at the addresses that they can have, and nowhere else.
  ///
  ///     S | 18+W | 0F | Sr | 18+R | identity | P
  ///     S | 19+W | 0F | Sr | 19+R | identity | P
  ///     S | 1D+W | 00 | Sr | 1D+R | identity | P
  ///     S | 53+W | 00 | Sr | 53+R | identity | P
  ///     S | 68+W | 75 | Sr | 68+R | identity | P
  ///     S | 69+W | 75 | Sr | 69+R | identity | P
  ///     S | 6A+W | 0F | Sr | 6A+R | identity | P
  ///     S | 6B+W | 0F | Sr | 6B+R | identity | P
  ///
  /// If an address has several models and the first does not know the identity, there is a read for each other register
  /// too; for an ICM-20948 of register 0x00, then of the one that selects its bank:
  ///
  ///     S | 68+W | 00 | Sr | 68+R | identity | P
  ///     S | 68+W | 7F | Sr | 68+R | bank | P
  ///
  /// Nothing follows a fault: it is a finding and does not prevent the other addresses from
  /// being probed. Nothing is retried, because a sensor always acknowledges; if one needs a second attempt, the bus
  /// needs attention. On a stuck bus, each of these transactions times out.
  ///
  /// No register is written, and a sensor continues unchanged. The side effects are:
  ///
  /// - The register pointer of the part that responds has moved. Only a program that reads without naming a register
  ///   could notice.
  /// - An MPU-6050 configured to clear its interrupt on any read (INT_RD_CLEAR) clears it on this one.
  /// - A part of another make may take the read as one of its status: an MMA8451 (0x1D) that uses its FIFO clears its
  ///   FIFO interrupt.
  /// - A part without registers takes the register byte as data: the ADCs MCP3421 to MCP3424 (0x68 to 0x6F) take it as
  ///   their configuration until another is written. On such a board, probe the other addresses with ``probe(_:)``.
  /// - The registers of an MCP9808 thermometer (0x18, 0x19) from 0x09 on are reserved and must not be written; the
  ///   probe only reads one.
  /// - EEPROMs (0x53) only move their address pointer: without a further byte they write nothing.
  /// - Real-time clocks (0x68) have no register 0x75 or 0x7F and return some other one, see
  ///   ``Probe/Finding/mayBeClock``.
  /// - In an ICM-20948, register 0x75 has another, undocumented use. A program may have left bank 1, 2 or 3 selected,
  ///   which a reset of the host does not change; then register 0x00 is not the identity, but in bank 2 the divider of
  ///   the sample rate. The probe does not write register 0x7F, so it reports the part by that register.
  /// - In the MPU-6050 family, register 0x00 has a factory trim, and 0x7F is not documented; reading them has no known
  ///   effect.
  ///
  /// - Datasheet: ADXL345 Rev. E, register 0x00; RM-MPU-6000A rev. 4.2, registers 55 and 117; MMA8451Q, F_STATUS;
  ///   MCP3421 and MCP3422/3/4, configuration register; MCP9808, 5.1.
  public mutating func probe() -> Probe.Report {
    var report = Probe.Report()
    var places = Probe.Places()
    while let address = places.next() {
      if let finding = probe(address) { report.append(finding) }
    }
    return report
  }

  /// Looks for a known sensor at one address. Nil if nothing acknowledges, or if no known sensor can be there.
  ///
  ///     S | addr+W | 00, 0F or 75 | Sr | addr+R | identity | P
  ///
  /// One transaction for each model that can be there, or two if it has banks, until a fault or until one can use the
  /// part. See ``probe()`` for the side effects.
  public mutating func probe(_ address: I2CAddress) -> Probe.Finding? {
    var answer: Probe.Answer?
    var last: (register: UInt8, identity: UInt8)?
    do throws(I2CFault) {
      for index in 0..<SensorModel.count {
        guard let model = SensorModel(index: index), model.traits.canBe(at: address) else { continue }
        let register = model.traits.identityRegister
        let identity: UInt8
        if let last, last.register == register {
          identity = last.identity
        } else {
          identity = try readRegister(register, at: address)
          last = (register, identity)
        }
        if let part = try part(model, identity: identity, at: address) {
          guard part.admission == .refused else { return Probe.Finding(address: address, answer: .usable(part)) }
          if case .refused = answer { continue }
          answer = .refused(part)
        }
        let isBlank = identity == 0x00 || identity == 0xFF
        answer = answer ?? (isBlank ? .noIdentity(reading: identity) : .unknown(identity: identity))
      }
    } catch {
      if answer == nil, error != .noAcknowledge { answer = .fault(error) }
    }
    return answer.map { Probe.Finding(address: address, answer: $0) }
  }

  /// The part of `model` that gives `identity`, or in which a bank without an identity is selected.
  private mutating func part(
    _ model: SensorModel, identity: UInt8, at address: I2CAddress
  ) throws(I2CFault) -> SensorPart? {
    let part = model.part(identity: identity)
    guard let register = model.bankRegister, part == nil || part?.admission == .refused else { return part }
    // In another bank, any byte can be where the identity is in bank 0.
    return model.part(bank: try readRegister(register, at: address)) ?? part
  }
}

extension Probe.Finding {
  /// Whether this may also be a real-time clock, such as DS1307 or DS3231: inspect the board before a driver writes to
  /// it.
  ///
  /// They are at 0x68 and have no register 0x75. Their data sheets do not say which register they return instead: a
  /// DS3231 perhaps one that counts, a DS1307 perhaps its memory. So a byte at 0x68 that can be seconds or minutes, two
  /// decimal digits up to 59, is suspicious, including the identities of ICM-20600 (0x11), ICM-20602 (0x12) and
  /// ICM-20690 (0x20). A clock can return any other identity only as a year, a setting or memory with that value.
  public var mayBeClock: Bool {
    switch answer {
    case .usable(let part), .refused(let part): Probe.mayBeClock(part.identity, at: address)
    case .unknown(let identity), .noIdentity(let identity): Probe.mayBeClock(identity, at: address)
    case .fault: false
    }
  }
}

extension Probe {
  /// Whether `byte`, at the address of a real-time clock, is 0 to 59 in decimal digits.
  package static func mayBeClock(_ byte: UInt8, at address: I2CAddress) -> Bool {
    address.rawValue == 0x68 && byte < 0x60 && byte & 0x0F < 0x0A
  }
}

extension SensorModel {
  init?(index: Int) { self.init(rawValue: UInt8(truncatingIfNeeded: index)) }
}

public import HAL

/// Finds which known sensor is at which address, where it is not known how a board is wired.
///
/// A report says what answered; it is made from one byte a place, so it is a reason to `start()` a driver, not a proof.
/// Whether the part is healthy and counts as it should only its samples tell.
public enum Probe {
  /// The addresses that the models of ``SensorModel`` can have, ascending, each once.
  public struct Places: Sendable {
    private var last: UInt8 = 0

    /// All of them.
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

  /// What answered at one address.
  public struct Finding: Equatable, Sendable {
    /// Where.
    public let address: I2CAddress
    /// What it said.
    public let answer: Answer
  }

  /// What was found on a bus: at most one finding an address, ascending. An address without an acknowledge has none.
  public struct Report: Sendable {
    /// The most findings there can be: a test compares it with the addresses.
    public static var capacity: Int { 16 }

    /// How many findings there are.
    public private(set) var count = 0
    private var findings = InlineArray<16, Finding?>(repeating: nil)

    init() {}

    /// Finding `index`, from 0. Nil where there is none.
    public subscript(index: Int) -> Finding? { index >= 0 && index < count ? findings[index] : nil }

    /// What answered at `address`. Nil where nothing did.
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

  /// What an address answered.
  public enum Answer: Equatable, Sendable {
    /// A sensor that a driver can use; its `admission` says on which terms.
    ///
    /// The driver may still refuse what its configuration asks of that part.
    case usable(SensorPart)
    /// A sensor that is known and that no driver uses.
    case refused(SensorPart)
    /// Another identity, or none: no sensor that is known.
    case unknown(identity: UInt8)
    /// All bits alike, 0x00 or 0xFF: wiring or supply at fault, or a part that is not there to be read.
    case noIdentity(reading: UInt8)
    /// The bus failed, so that nothing is known of this address; `busy` where a kernel driver has it.
    case fault(I2CFault)
  }
}

extension I2CBus where Self: ~Copyable {
  /// Looks for known sensors at the addresses that they can have, and nowhere else.
  ///
  ///     S | 1D+W | 00 | Sr | 1D+R | identity | P
  ///     S | 53+W | 00 | Sr | 53+R | identity | P
  ///     S | 68+W | 75 | Sr | 68+R | identity | P
  ///     S | 69+W | 75 | Sr | 69+R | identity | P
  ///
  /// One transaction each, whatever comes of it: a fault is a finding and does not keep the rest from being looked at.
  /// Nothing is tried twice, because a sensor always acknowledges; one that needs a second attempt has a bus that
  /// should be seen to. A bus that is stuck costs as many of its time-outs.
  ///
  /// No register is written, and a sensor goes on as it was. What remains of it:
  ///
  /// - The pointer of the part that answers has moved. Only a program that reads without naming a register could
  ///   notice.
  /// - An MPU-6050 that is set to clear its interrupt by any read (INT_RD_CLEAR) clears it by this one.
  /// - Another make's part may take the read for a reading of its status: an MMA8451 (0x1D) that uses its FIFO clears
  ///   its FIFO interrupt by it.
  /// - A part without registers takes the byte that should name one for data: the ADCs MCP3421 to MCP3424 (0x68) take
  ///   it for their configuration until another is written. On such a board probe the other addresses, by
  ///   ``probe(_:)``.
  /// - EEPROMs (0x53) move their address only: without a byte after that they write nothing.
  /// - Real-time clocks (0x68) have no register 0x75 and give some other one, see ``Probe/Finding/mayBeClock``.
  ///
  /// - Datasheet: ADXL345 Rev. E, register 0x00; RM-MPU-6000A rev. 4.2, registers 55 and 117; MMA8451Q, F_STATUS;
  ///   MCP3421 and MCP3422/3/4, configuration register.
  public mutating func probe() -> Probe.Report {
    var report = Probe.Report()
    var places = Probe.Places()
    while let address = places.next() {
      if let finding = probe(address) { report.append(finding) }
    }
    return report
  }

  /// Looks for a known sensor at one address. Nil where nothing acknowledges, and where no known sensor can be.
  ///
  ///     S | addr+W | 00 or 75 | Sr | addr+R | identity | P
  ///
  /// One transaction for each model that can be there, until one knows the identity. See ``probe()`` for what that does
  /// to others.
  public mutating func probe(_ address: I2CAddress) -> Probe.Finding? {
    var answer: Probe.Answer?
    for index in 0..<SensorModel.count {
      guard let model = SensorModel(index: index), model.traits.canBe(at: address) else { continue }
      do throws(I2CFault) {
        let identity = try readRegister(model.traits.identityRegister, at: address)
        if let part = model.part(identity: identity) {
          return Probe.Finding(address: address, answer: part.admission == .refused ? .refused(part) : .usable(part))
        }
        let isBlank = identity == 0x00 || identity == 0xFF
        answer = answer ?? (isBlank ? .noIdentity(reading: identity) : .unknown(identity: identity))
      } catch {
        guard error != .noAcknowledge else { continue }
        answer = answer ?? .fault(error)
      }
    }
    return answer.map { Probe.Finding(address: address, answer: $0) }
  }
}

extension Probe.Finding {
  /// Whether this may as well be a real-time clock, such as DS1307 or DS3231: look at the board before a driver writes
  /// to it.
  ///
  /// They are at 0x68 and have no register 0x75. Which one they give instead their data sheets do not say: a DS3231
  /// perhaps one that counts, a DS1307 perhaps its memory. So a number at 0x68 that can be seconds or minutes, two
  /// decimal digits up to 59, is suspicious, among them the identities of ICM-20600 (0x11), ICM-20602 (0x12) and
  /// ICM-20690 (0x20); all others need a year, a setting or memory of that value to be mistaken.
  public var mayBeClock: Bool {
    switch answer {
    case .usable(let part), .refused(let part): Probe.mayBeClock(part.identity, at: address)
    case .unknown(let identity), .noIdentity(let identity): Probe.mayBeClock(identity, at: address)
    case .fault: false
    }
  }
}

extension Probe {
  /// Whether `byte` at the address of a real-time clock is 0 to 59 in decimal digits.
  package static func mayBeClock(_ byte: UInt8, at address: I2CAddress) -> Bool {
    address.rawValue == 0x68 && byte < 0x60 && byte & 0x0F < 0x0A
  }
}

extension SensorModel {
  init?(index: Int) { self.init(rawValue: UInt8(truncatingIfNeeded: index)) }
}

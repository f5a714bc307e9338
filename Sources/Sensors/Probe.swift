public import HAL

/// Finds which known sensor is at which address, for those who do not know how a board is wired.
///
/// A report says what answered; it is made from one byte a place, so it is a reason to `start()` a driver, not a proof.
/// Whether the part is healthy and counts as it should only its samples tell: see ``ADXL345/likeness(atRest:)``.
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

  /// What was found on a bus: at most one finding a place, by ascending address. A place where nobody acknowledged has none.
  public struct Report: Sendable {
    /// The most findings there can be.
    public static var capacity: Int { 4 }

    /// How many findings there are.
    public private(set) var count = 0
    private var findings = InlineArray<4, Finding?>(repeating: nil)

    init() {}

    /// Finding `index`, from 0. Nil where there is none.
    public subscript(index: Int) -> Finding? { index >= 0 && index < count ? findings[index] : nil }

    /// What answered at `place`. Nil where nobody did.
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
  /// - The pointer of whoever answers has moved. Only a program that reads without naming a register could notice.
  /// - An MPU-6050 that was told to clear its interrupt by any read (INT_RD_CLEAR) clears it by this one.
  /// - Another make's part may take the read for a reading of its status: an MMA8451 (0x1D) that uses its FIFO clears its
  ///   FIFO interrupt by it.
  /// - A part without registers takes the byte that should name one for data: the ADCs MCP3421 to MCP3424 (0x68) take it
  ///   for their configuration until they are told another. On such a board ask the other places, by ``probe(_:)``.
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

  /// Looks for a known sensor at one place, in one transaction. Nil where nobody acknowledges.
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

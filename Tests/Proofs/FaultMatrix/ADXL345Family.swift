import Emulation
import FixedPoint
import HAL
import Sensors

/// The ADXL345 in one configuration.
///
/// Registers and bits are copied from the data sheet, Rev. E, independently of the driver.
struct ADXL345Family: Family {
  var configuration: ADXL345.Configuration
  /// The range in g.
  var range: Int32
  var operation: Operation

  var name: String {
    "ADXL345 \(configuration.rate) ±\(range) g \(operation)"
  }
  var right: Vector3 { Steady.force.vector }
  var full: Vector3 { evenly(counts(Int16.max)) }
  /// None: the format is read with every sample.
  var unconfigured: [Vector3] { [] }
  var samplesUntilNoticed: Int { 0 }
  var identities: [UInt8] { [0x00, 0xFF, 0x68, 0xE4] }

  func bench(_ plan: FaultPlan) -> any Bench {
    DriverBench(operation, plan, at: EmulatedADXL345.address) { clock in
      var specimen = EmulatedADXL345.Configuration()
      specimen.noise = .zero
      return EmulatedADXL345(motion: Steady.force, configuration: specimen) { clock.now }
    } driver: {
      ADXL345.Device(bus: $0, configuration: configuration)
    }
  }

  func expectation(identity: UInt8, at number: Int, _ clean: Clean) -> Expectation {
    guard clean.transactions[number].written == [0x00] else { return .same }
    return .error(.unexpectedIdentity(found: identity, expected: 0xE5))
  }

  func expectation(corrupting index: Int, _ mask: UInt8, at number: Int, _ clean: Clean) -> Expectation {
    let transaction = clean.transactions[number]
    let first = transaction.written[0]
    let found = transaction.read[index] ^ mask
    switch (first, transaction.read.count) {
    case (0x00, 1): return .error(.unexpectedIdentity(found: found, expected: 0xE5))
    case (0x31, 7):
      return index == 0 ? .error(.configurationLost) : sample(transaction, 1, index, found)
    case (0x32, 6): return .same  // discarded
    case (0x32, 8):
      if index < 6 { return sample(transaction, 0, index, found) }
      return index == 6 ? .error(.configurationLost) : fifoStatus(found)
    case (0x38, 2): return index == 0 ? .error(.configurationLost) : fifoStatus(found)
    case (0x2B, 6): return events(index, found)
    case (0x2B, 13):
      if index > 6 { return sample(transaction, 7, index, found) }
      return index == 6 ? .error(.configurationLost) : events(index, found)
    case (0x2D, 11):
      return [0, 1, 2, 4].contains(index) ? .error(.configurationLost) : .toldOtherwise
    case (0x30, 1): return .same  // earlier events are discarded
    case (0x2D, 1) where ![[0x2D, 0x08], [0x2D, 0x0C]].contains(clean.transactions[number - 1].written):
      return .error(.configurationLost)  // at the end of the self-test
    case (0x1E, 3), (0x1D, 14), (0x2C, 6), (0x38, 1), (0x2E, 1), (0x2D, 1), (0x24, 4), (0x2F, 1):
      let register = first + UInt8(index)
      // INT_SOURCE is not a setting, and INT_MAP does not matter if nothing drives a pin.
      if register == 0x30 || register == 0x2F && !writesMap(before: number, clean) { return .same }
      return .error(.configurationRejected(register: register, wrote: transaction.read[index], read: found))
    default: return .error(.weightless)  // no such transaction
    }
  }

  func decidesSelfTest(_ transaction: BusLog.Transaction) -> Bool { transaction.written == [0x31, 0x8B] }

  func isResetValue(_ byte: UInt8, of register: UInt8) -> Bool { byte == (register == 0x2C ? 0x0A : 0x00) }
}

extension ADXL345Family {
  /// Whether INT_MAP was written since the part last entered standby.
  private func writesMap(before number: Int, _ clean: Clean) -> Bool {
    let standby = clean.transactions[..<number].lastIndex { $0.written == [0x2D, 0x00] } ?? 0
    return clean.transactions[standby..<number].contains { $0.written.count == 2 && $0.written[0] == 0x2F }
  }

  /// The number of entries: more than 32, or bit 6, is impossible.
  private func fifoStatus(_ found: UInt8) -> Expectation {
    found & 0x7F > 32 ? .error(.configurationLost) : .toldOtherwise
  }

  /// ACT_TAP_STATUS, whose bit 7 reads 0, BW_RATE, POWER_CTL, INT_ENABLE, INT_MAP and INT_SOURCE.
  private func events(_ index: Int, _ found: UInt8) -> Expectation {
    switch index {
    case 0: found & 0x80 != 0 ? .error(.configurationLost) : .same
    case 5: .toldOtherwise
    default: .error(.configurationLost)
    }
  }

  /// The sample from the six bytes after `start` with byte `index` changed.
  private func sample(_ transaction: BusLog.Transaction, _ start: Int, _ index: Int, _ found: UInt8) -> Expectation {
    var bytes = transaction.read
    bytes[index] = found
    func axis(_ number: Int) -> Q16 {
      let (low, high) = (bytes[start + 2 * number], bytes[start + 2 * number + 1])
      return Q16(raw: counts(Int16(bitPattern: UInt16(high) << 8 | UInt16(low))))
    }
    return .altered(Vector3(x: axis(0), y: axis(1), z: axis(2)))
  }

  /// Counts, clipped to the range, in units of 1/65536 g.
  private func counts(_ value: Int16) -> Int32 {
    let limit = range * 256
    return max(-limit, min(limit - 1, Int32(value))) * 256
  }
}

import Emulation
import FixedPoint
import HAL
import Sensors

/// A part of the MPU-6050 family in one configuration.
///
/// Registers and bits are copied from the register maps, independently of the driver.
struct MPU6050Family: Family {
  var part: EmulatedMPU6050.Part
  var configuration: MPU6050.Configuration
  /// The range in g.
  var range: Int32
  var operation: Operation

  var name: String { "MPU-6050 family, \(part.identity): \(configuration.rate) ±\(range) g \(operation)" }
  var right: Vector3 { Steady.force.vector }
  var full: Vector3 { evenly(32_767 * 2 * range) }
  /// Zero while asleep; and what a part that came up at ±2 g returns to a driver that assumes a wider range.
  var unconfigured: [Vector3] {
    func scaled(_ raw: Int32) -> Q16 { Q16(raw: raw * range / 2) }
    return [.zero, Vector3(x: scaled(right.x.raw), y: scaled(right.y.raw), z: scaled(right.z.raw))]
  }
  var samplesUntilNoticed: Int { 6 }
  var identities: [UInt8] { [0x00, 0xFF, 0xE5, 0x72, 0x69] }

  /// The board's rotation rate, in °/s: a whole number of counts in every range.
  private static let rotation = Vector3(x: Q16(whole: 10), y: Q16(whole: -20), z: Q16(whole: 30))

  func bench(_ plan: FaultPlan) -> any Bench {
    DriverBench(operation, plan, at: EmulatedMPU6050.address, rotation: Self.rotation) { clock in
      var specimen = EmulatedMPU6050.Configuration(part)
      specimen.noiseMicrogPerRootHertz = 0
      specimen.gyroscopeNoiseMicrodegreesPerRootHertz = 0
      let target = EmulatedMPU6050(motion: Steady.force, configuration: specimen) { clock.now }
      target.angularRate = Self.rotation
      return target
    } driver: {
      MPU6050.Device(bus: $0, configuration: configuration)
    }
  }

  func expectation(identity: UInt8, at number: Int, _ clean: Clean) -> Expectation {
    guard clean.transactions[number].written == [0x75] else { return .same }
    let known: [UInt8] = [
      0x68, 0x70, 0x71, 0x73, 0x74, 0x78, 0x11, 0x12, 0x20, 0x98, 0xA6, 0xA9, 0xAE, 0xAF,
    ]
    if known.contains(identity) { return .otherPart(0x1D) }
    // Two reads ask for an ICM-20948 first, unless it is the part that must be asked for.
    return .error(.unexpectedIdentity(found: identity, expected: 0x68), later: identity == 0x72 ? 0 : 2)
  }

  func expectation(corrupting index: Int, _ mask: UInt8, at number: Int, _ clean: Clean) -> Expectation {
    let transaction = clean.transactions[number]
    let first = transaction.written[0]
    let found = transaction.read[index] ^ mask
    if isWatching(before: number, clean) { return expectation(asleep: transaction, index, found) }
    switch (first, transaction.read.count) {
    case (0x75, 1): return expectation(identity: found, at: number, clean)
    case (0x6B, 1): return .same  // polled again while bit 7 is set
    case (0x3B, _): return sample(transaction, 0, index, found)
    case (0x37, 1), (0x1C, 1), (0x1B, 2): return .error(.configurationLost)  // at the end of half of the self-test
    case (0x37, 4...):
      if index < 2 { return .error(.configurationLost) }
      if index == 2 { return .same }
      // FIFO_OFLOW: the contents of the FIFO are discarded, or a loss is reported.
      if index == 3 { return found & 0x10 != 0 ? .toldOtherwise : .same }
      return sample(transaction, 4, index, found)
    case (0x72, 2): return .miscounted(lastByteRepeated(after: number, clean))
    case (0x74, _): return sample(transaction, index / 6 * 6, index, found)
    case (0x0D, _), (0x00, 3): return .toldOtherwise
    case (0x19, 4), (0x1D, 1...2), (0x23, 1), (0x37, 2), (0x6A, 3), (0x6A, 1):
      let register = first + UInt8(index)
      return .error(.configurationRejected(register: register, wrote: transaction.read[index], read: found))
    default: return .error(.weightless)  // no such transaction
    }
  }

  /// Whether the part is in its cycle mode, to watch for movement.
  private func isWatching(before number: Int, _ clean: Clean) -> Bool {
    guard case .sleep = operation else { return false }
    let power = clean.transactions[..<number].last { $0.written.count > 1 && $0.written[0] == 0x6B }
    return power.map { $0.written[1] & 0x20 != 0 } ?? false
  }

  /// A check, or a register that was written before.
  private func expectation(asleep transaction: BusLog.Transaction, _ index: Int, _ found: UInt8) -> Expectation {
    guard transaction.read.count == 10 else {
      let register = transaction.written[0] + UInt8(index)
      return .error(.configurationRejected(register: register, wrote: transaction.read[index], read: found))
    }
    return index < 2 ? .error(.configurationLost) : .toldOtherwise
  }

  func decidesSelfTest(_ transaction: BusLog.Transaction) -> Bool {
    transaction.written == [0x1C, 0xF0] || transaction.written == [0x1B, 0xE0, 0xF0]
  }

  /// PWR_MGMT_1 is 0x40 or 0x01 after a reset, everything else 0.
  func isResetValue(_ byte: UInt8, of register: UInt8) -> Bool {
    byte == (register == 0x6B ? part.powerManagementReset : 0x00)
  }

  /// The bytes read from an empty FIFO: its last byte, repeated. Nothing reveals a count that is too high.
  private func lastByteRepeated(after number: Int, _ clean: Clean) -> Vector3 {
    guard let last = clean.transactions.dropFirst(number).first(where: { $0.written == [0x74] })?.read.last else {
      return .zero
    }
    return evenly(Int32(Int16(bitPattern: UInt16(last) << 8 | UInt16(last))) * 2 * range)
  }

  /// The sample from the bytes after `start` with byte `index` changed: six of force, two of temperature, six of
  /// rotation.
  private func sample(_ transaction: BusLog.Transaction, _ start: Int, _ index: Int, _ found: UInt8) -> Expectation {
    var bytes = transaction.read
    bytes[index] = found
    func axis(_ number: Int) -> Q16 {
      let (high, low) = (bytes[start + 2 * number], bytes[start + 2 * number + 1])
      return Q16(raw: Int32(Int16(bitPattern: UInt16(high) << 8 | UInt16(low))) * 2 * range)
    }
    if operation == .selfTest { return .toldOtherwise }
    switch index - start {
    case 6, 7: return .same
    case 8...: return .altered(rotation(Array(bytes[(start + 8)...])))
    default: return .altered(Vector3(x: axis(0), y: axis(1), z: axis(2)))
    }
  }

  /// The rotation in six bytes, in °/s: rounded to nearest, ties up.
  private func rotation(_ bytes: [UInt8]) -> Vector3 {
    let tenths: Double =
      switch configuration.gyroscope {
      case .dps250: 1_310
      case .dps500: 655
      case .dps1000: 328
      default: 164
      }
    func axis(_ number: Int) -> Q16 {
      let raw = Int16(bitPattern: UInt16(bytes[2 * number]) << 8 | UInt16(bytes[2 * number + 1]))
      return Q16(raw: Int32((Double(raw) * 655_360 / tenths + 0.5).rounded(.down)))
    }
    return Vector3(x: axis(0), y: axis(1), z: axis(2))
  }
}

import Emulation
import FixedPoint
import HAL
import Sensors

/// A part in one configuration, with a table of the reads that its driver performs.
///
/// Registers and bits in the tables are copied from the data sheets, independently of the drivers.
struct TabledFamily: Family {
  /// A read from a register: a letter for each of its first bytes, and those of a set that follows any number of times.
  ///
  /// - `i` is the identity, also in a longer read that must confirm it, `w` a written register (`W` in another bank), `l` one that shows a lost configuration;
  ///   a byte `s` that no part can return does too.
  /// - `.` does not matter. Events, counts and verdicts depend on `v`, and also on `s`.
  /// - `n` is a number of samples; if it is too high, those read from the empty FIFO are zero, or its last byte.
  /// - `x`, `y` and `z` are the axes of the force, `p`, `q` and `r` those of the rotation, two bytes each.
  typealias Read = (register: UInt8, bytes: String, set: String)

  /// How a part counts.
  struct Scale {
    /// What a count stands for, in g or °/s.
    var unit: Double
    var counts: ClosedRange<Int32> = -32_768...32_767
    /// The counts from one value to the next.
    var step: Int32 = 1
    /// The unused bits of a word.
    var shift: Int32 = 0

    /// What the part measures of a value.
    func counts(of value: Q16) -> Int32 {
      Int32((Double(value.raw) / 65_536 / unit / Double(step) + 0.5).rounded(.down)) * step
    }

    func value(of count: Int32) -> Q16 {
      let count = max(counts.lowerBound, min(counts.upperBound, count))
      return Q16(raw: Int32((Double(count) * unit * 65_536 + 0.5).rounded(.down)))
    }
  }

  var name: String
  var operation: Operation
  var force: Scale
  var rotation: Scale?
  /// Whether the Y axis of the part is opposite to that of its samples.
  var isLeftHanded = false
  var isHighByteFirst = false
  /// Reads of a part that watches for movement, which the write that begins with ``asleep`` starts; then all others.
  var watchReads: [Read] = []
  var asleep: [UInt8] = []
  var reads: [Read]
  /// The last value that an identity error names, and the number of reads that follow a wrong one.
  var identity: UInt8
  var questions = 0
  /// The identities of other parts that the driver accepts, and the register in which they can be told apart.
  var alike: (identities: [UInt8], register: UInt8) = ([], 0)
  /// Which bytes `s` cannot be.
  var isImpossible: (UInt8) -> Bool = { _ in false }
  /// The register of a FIFO that repeats its last byte.
  var repeatingFIFO: UInt8?
  var unconfigured: [Vector3] = []
  var samplesUntilNoticed = 0
  /// Values of registers after a reset, other than 0.
  var resets: [(register: UInt8, value: UInt8)] = []
  var cleanUp: [UInt8]?
  /// A fault after this write may let a self-test pass.
  var decision: [UInt8] = []
  /// How it counts a force while it watches for movement, if differently. Data that freeze then are read as any others.
  var resting: Scale?
  private var makeBench: (Self, FaultPlan) -> any Bench

  var identities: [UInt8] { [0x00, 0xFF] + (alike.identities.isEmpty ? [0xE5, 0x11] : alike.identities) }

  /// A driver's part.
  init<Sensor: BatchingAccelerometer & ~Copyable>(
    _ part: EmulatedPart, _ configuration: String, _ operation: Operation, at address: I2CAddress, identity: UInt8,
    force: Scale, rotation: Scale?, _ reads: [Read], driver: @escaping (consuming EmulatedBus) -> Sensor
  ) {
    name = "\(part), \(configuration), \(operation)"
    (self.operation, self.identity, self.force, self.rotation) = (operation, identity, force, rotation)
    self.reads = reads
    makeBench = { family, plan in
      DriverBench(
        family.operation, plan, at: address, force: family.right,
        rotation: family.rotation.map { family.measured(Self.turn, $0) }
      ) { clock in
        var specimen = Specimen()
        (specimen.isNoisy, specimen.turn) = (false, Self.turn)
        return part.target(specimen, motion: Steady.force) { clock.now }
      } driver: {
        driver($0)
      }
    }
  }

  /// The board's rotation rate, in °/s.
  private static let turn = Vector3(x: Q16(whole: 10), y: Q16(whole: -20), z: Q16(whole: 30))

  func bench(_ plan: FaultPlan) -> any Bench { makeBench(self, plan) }

  var right: Vector3 { measured(Steady.force.vector, force) }

  var frozen: [Vector3] {
    [.zero] + unconfigured + [resting].compactMap { $0.map { measured(Steady.force.vector, force, countedBy: $0) } }
  }

  var full: Vector3 {
    let most = force.value(of: force.counts.upperBound)
    return vector(most, force.value(of: isLeftHanded ? -force.counts.upperBound : force.counts.upperBound), most)
  }

  private func vector(_ x: Q16, _ y: Q16, _ z: Q16) -> Vector3 { Vector3(x: x, y: y, z: z) }

  private func measured(_ vector: Vector3, _ scale: Scale, countedBy counter: Scale? = nil) -> Vector3 {
    func axis(_ value: Q16, isReversed: Bool = false) -> Q16 {
      guard isReversed else { return scale.value(of: (counter ?? scale).counts(of: value)) }
      return Q16(raw: -axis(Q16(raw: -value.raw)).raw)
    }
    return Vector3(x: axis(vector.x), y: axis(vector.y, isReversed: isLeftHanded), z: axis(vector.z))
  }

  func expectation(identity: UInt8, at number: Int, _ clean: Clean) -> Expectation {
    let letters = letters(of: number, clean)
    guard let index = letters.firstIndex(of: UInt8(ascii: "i")) else { return .same }
    let own = clean.transactions[number].read[index]
    if letters.count == 1 { return mistaken(for: identity) }
    return identity == own ? .same : .error(.unexpectedIdentity(found: identity, expected: own))
  }

  private func mistaken(for found: UInt8) -> Expectation {
    alike.identities.contains(found)
      ? .otherPart(alike.register) : .error(.unexpectedIdentity(found: found, expected: identity), later: questions)
  }

  func expectation(corrupting index: Int, _ mask: UInt8, at number: Int, _ clean: Clean) -> Expectation {
    let transaction = clean.transactions[number]
    var bytes = transaction.read
    bytes[index] ^= mask
    let letters = letters(of: number, clean)
    guard index < letters.count else { return .error(.weightless) }  // no such transaction
    let register = transaction.written[0] & 0x7F + UInt8(index)
    func rejected(_ register: UInt8) -> Expectation {
      .error(.configurationRejected(register: register, wrote: transaction.read[index], read: bytes[index]))
    }
    // A word begins where its letter does.
    let start = (letters[0..<index].lastIndex { $0 != letters[index] } ?? -1) + 1
    let first = index - (index - start) % 2
    func value(_ scale: Scale?, isReversed: Bool = false) -> Q16 {
      guard let scale, first + 1 < bytes.count else { return .zero }
      let (low, high) = isHighByteFirst ? (bytes[first + 1], bytes[first]) : (bytes[first], bytes[first + 1])
      let value = scale.value(of: Int32(Int16(bitPattern: UInt16(high) << 8 | UInt16(low))) >> scale.shift)
      return isReversed ? Q16(raw: -value.raw) : value
    }
    let turn = rotation.map { measured(Self.turn, $0) } ?? .zero
    switch Character(UnicodeScalar(letters[index])) {
    case "i": return expectation(identity: bytes[index], at: number, clean)
    case "w": return rejected(register)
    case "W": return rejected(register | 0x80)
    case "l": return .error(.configurationLost)
    case "s": return isImpossible(bytes[index]) ? .error(.configurationLost) : .toldOtherwise
    case "v": return .toldOtherwise
    case "n":
      let next = clean.transactions.dropFirst(number).first { $0.written.first == repeatingFIFO }
      let last = next?.read.last ?? 0
      return .miscounted(evenly(force.value(of: Int32(Int16(bitPattern: UInt16(last) << 8 | UInt16(last)))).raw))
    case "x": return .altered(vector(value(force), right.y, right.z))
    case "y": return .altered(vector(right.x, value(force, isReversed: isLeftHanded), right.z))
    case "z": return .altered(vector(right.x, right.y, value(force)))
    case "p": return .altered(vector(value(rotation), turn.y, turn.z))
    case "q": return .altered(vector(turn.x, value(rotation, isReversed: isLeftHanded), turn.z))
    case "r": return .altered(vector(turn.x, turn.y, value(rotation)))
    default: return .same
    }
  }

  /// The letters of transaction `number`; none if it is not in the tables.
  private func letters(of number: Int, _ clean: Clean) -> [UInt8] {
    let transaction = clean.transactions[number]
    guard let register = transaction.written.first else { return [] }
    let count = transaction.read.count
    for read in (isWatching(at: number, clean) ? watchReads : []) + reads where read.register == register {
      let (bytes, set) = (Array(read.bytes.utf8), Array(read.set.utf8))
      if bytes.count == count { return bytes }
      guard count > bytes.count, !set.isEmpty, (count - bytes.count) % set.count == 0 else { continue }
      return (0..<count).map { $0 < bytes.count ? bytes[$0] : set[($0 - bytes.count) % set.count] }
    }
    return []
  }

  private func isWatching(at number: Int, _ clean: Clean) -> Bool {
    guard case .sleep = operation, let register = asleep.first else { return false }
    let last = clean.transactions[..<number].last { $0.read.isEmpty && $0.written.first == register }
    return last.map { $0.written.starts(with: asleep) } ?? false
  }

  func decidesSelfTest(_ transaction: BusLog.Transaction) -> Bool { transaction.written == decision }

  func isResetValue(_ byte: UInt8, of register: UInt8) -> Bool {
    byte == 0 || resets.contains { $0.register == register && $0.value == byte }
  }
}

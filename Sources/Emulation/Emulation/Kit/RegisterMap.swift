/// The registers of a part as data: which exist, what can be written, what they hold at reset, and how the pointer
/// moves. All others are reserved: they read 0, and writes to them are counted and ignored.
///
/// A register of bank `b` has the address `b << 8 | address`. `LIS3DHChip.swift` has a map with all kinds of rows.
public final class RegisterMap: Sendable {
  /// Registers that are alike.
  public struct Row: Sendable {
    let addresses: [Int]
    let writable: UInt8
    let reset: UInt8
    let selfClearing: UInt8

    /// Registers with these writable bits; without any they are read-only. The other bits keep their reset values.
    /// Bits that clear themselves read 0 after a write.
    public static func registers(
      _ addresses: Int..., writable: UInt8 = 0, reset: UInt8 = 0, selfClearing: UInt8 = 0
    ) -> Row {
      Row(addresses: addresses, writable: writable, reset: reset, selfClearing: selfClearing)
    }

    /// The same for a range.
    public static func registers(
      _ addresses: ClosedRange<Int>, writable: UInt8 = 0, reset: UInt8 = 0, selfClearing: UInt8 = 0
    ) -> Row {
      Row(addresses: Array(addresses), writable: writable, reset: reset, selfClearing: selfClearing)
    }
  }

  /// Some bits of a register; as a condition, that any of them is set.
  public struct Bits: Sendable {
    let register: Int
    let mask: UInt8

    /// The bits of `mask` in `register`.
    public init(_ register: Int, _ mask: UInt8) { (self.register, self.mask) = (register, mask) }
  }

  /// When the pointer advances after a byte.
  public enum Increment: Sendable {
    /// After every byte.
    case always
    /// If bit 7 of the address that was written last is set.
    case byAddressBit7
    /// While a bit of a register is set.
    case whileSet(Bits)
  }

  /// Where the pointer goes from one address instead of the next: a wrap, or a data port that it does not leave.
  public struct Step: Sendable {
    let register: Int
    let next: Int
    let conditions: [Bits]

    /// A step from `register` to `next`, while all of the conditions hold.
    public init(at register: Int, to next: Int, whileSet conditions: Bits...) {
      (self.register, self.next, self.conditions) = (register, next, conditions)
    }
  }

  let identity: Int
  let pointerBits: UInt8
  let increment: Increment
  /// The steps with conditions, and the range of their addresses, so that most bytes need no look at them.
  let conditionalSteps: [Step]
  let conditionalAddresses: ClosedRange<Int>?
  /// Where the pointer goes from each register otherwise.
  let next: [UInt8]
  let bankSelection: Bits?
  let resets: [UInt8]
  let writable: [UInt8]
  let selfClearing: [UInt8]

  /// A map of `rows`; a later row replaces an earlier one.
  ///
  /// - Parameters:
  ///   - identity: The register that a fault plan can give a foreign value.
  ///   - pointerBits: The bits of a written address that count, all ones from bit 0: 0x7F if bit 7 is ignored or means
  ///     something else. The pointer wraps within them.
  ///   - increment: When the pointer advances.
  ///   - steps: The addresses from which it goes elsewhere.
  ///   - banks: The field that selects the bank; that register is the same in all banks.
  ///   - rows: The registers.
  public convenience init(
    identity: Int, pointerBits: UInt8 = 0xFF, increment: Increment = .always, steps: [Step] = [], banks: Bits? = nil,
    _ rows: Row...
  ) {
    self.init(
      identity: identity, pointerBits: pointerBits, increment: increment, steps: steps, banks: banks, rows: rows)
  }

  /// The same with an array of rows, for a family whose members differ.
  public init(
    identity: Int, pointerBits: UInt8 = 0xFF, increment: Increment = .always, steps: [Step] = [], banks: Bits? = nil,
    rows: [Row]
  ) {
    self.identity = identity
    self.pointerBits = pointerBits
    self.increment = increment
    bankSelection = banks
    let size = 256 << (banks?.mask.nonzeroBitCount ?? 0)
    var bytes = [[UInt8]](repeating: Array(repeating: 0, count: size), count: 3)
    for row in rows {
      for address in row.addresses where address < size {
        (bytes[0][address], bytes[1][address], bytes[2][address]) = (row.reset, row.writable, row.selfClearing)
      }
    }
    (resets, writable, selfClearing) = (bytes[0], bytes[1], bytes[2])
    conditionalSteps = steps.filter { !$0.conditions.isEmpty }
    let addresses = conditionalSteps.map(\.register)
    conditionalAddresses = addresses.min().flatMap { low in addresses.max().map { low...$0 } }
    var next = (0..<size).map { UInt8(truncatingIfNeeded: $0 + 1) & pointerBits }
    for step in steps where step.conditions.isEmpty && step.register < size {
      next[step.register] = UInt8(truncatingIfNeeded: step.next)
    }
    self.next = next
  }
}

public import HAL

/// A register that does not hold what was written to it.
struct RegisterDifference {
  var register: UInt8
  var wrote: UInt8
  var read: UInt8

  /// Nil if both are the same.
  init?(_ register: UInt8, wrote: UInt8, read: UInt8) {
    guard wrote != read else { return nil }
    (self.register, self.wrote, self.read) = (register, wrote, read)
  }
}

/// The registers of one part on a bus that it owns: every driver reads and writes through it.
///
/// It counts the transactions, and throws the bus's faults as `SensorError.bus`.
public struct Wire<Bus: I2CBus & ~Copyable>: ~Copyable {
  /// The bus. It may be used freely for other addresses than this part's.
  public var bus: Bus
  /// The address of the part.
  public let address: I2CAddress
  /// The number of transactions started so far.
  public private(set) var transactions: UInt64 = 0

  /// The part at `address` on `bus`. Accesses nothing.
  public init(_ bus: consuming Bus, at address: I2CAddress) {
    self.bus = bus
    self.address = address
  }

  /// Writes one register.
  ///
  ///     S | addr+W | register value | P
  public mutating func write(_ register: UInt8, _ value: UInt8) throws(SensorError) {
    try write([register, value])
  }

  /// Writes the registers from `bytes[0]` on, in one burst.
  ///
  ///     S | addr+W | register v0 … vn | P
  public mutating func write<let count: Int>(_ bytes: InlineArray<count, UInt8>) throws(SensorError) {
    try write(bytes.span)
  }

  /// Sends `bytes`, of which the first is a register.
  mutating func write(_ bytes: Span<UInt8>) throws(SensorError) {
    transactions &+= 1
    do { try bus.write(bytes, to: address) } catch { throw .bus(error) }
  }

  /// Reads one register.
  ///
  ///     S | addr+W | register | Sr | addr+R | value | P
  public mutating func read(_ register: UInt8) throws(SensorError) -> UInt8 {
    transactions &+= 1
    do { return try bus.readRegister(register, at: address) } catch { throw .bus(error) }
  }

  /// Fills `bytes` with the registers from `register` on, in one burst.
  ///
  ///     S | addr+W | register | Sr | addr+R | r0 … rn | P
  public mutating func read<let count: Int>(from register: UInt8, into bytes: inout InlineArray<count, UInt8>)
    throws(SensorError)
  {
    try read(count, from: register, into: &bytes)
  }

  /// Fills the first `length` of `bytes`, which has at least as many, with the registers from `register` on, in one
  /// burst.
  ///
  ///     S | addr+W | register | Sr | addr+R | r0 … rn | P
  public mutating func read<let count: Int>(
    _ length: Int, from register: UInt8, into bytes: inout InlineArray<count, UInt8>
  ) throws(SensorError) {
    var span = bytes.mutableSpan
    // The provisional name differs from the final one; both do the same.
    #if compiler(>=6.3)
      var first = span._mutatingExtracting(first: length)
    #else
      var first = span.extracting(first: length)
    #endif
    transactions &+= 1
    do { try bus.readRegisters(from: register, into: &first, at: address) } catch { throw .bus(error) }
  }

  /// Fills the beginning of `bytes` with bursts of `length` registers from `register` on, as many as the bus can
  /// combine in one transaction, but at most `most`; returns how many.
  ///
  ///     S | addr+W | register | Sr | addr+R | r0 … rn | Sr | addr+W | register | Sr | addr+R | r0 … rn | … | P
  ///
  /// `bytes` has room for `most` of them, at least one. If the bus throws, any number of them may have been read.
  mutating func read<let count: Int>(
    _ length: Int, upTo most: Int, from register: UInt8, into bytes: inout InlineArray<count, UInt8>
  ) throws(SensorError) -> Int {
    let bursts = min(most, bus.readsPerTransaction)
    guard bursts > 1 else {
      try read(length, from: register, into: &bytes)
      return 1
    }
    let pointer: InlineArray<1, UInt8> = [register]
    do throws(I2CFault) {
      var span = bytes.mutableSpan
      #if compiler(>=6.3)
        var first = span._mutatingExtracting(first: length &* bursts)
      #else
        var first = span.extracting(first: length &* bursts)
      #endif
      transactions &+= 1
      try bus.writeReads(pointer.span, each: length, into: &first, at: address)
      return bursts
    } catch {
      // Refused, and from now on known to be unsupported.
      guard error == .unsupported, bus.readsPerTransaction == 1 else { throw .bus(error) }
    }
    try read(length, from: register, into: &bytes)
    return 1
  }

  /// Reads `length` registers from `register` on again, whose values are in `bytes` from `start` on, and replaces those
  /// that differ. Returns whether none does.
  ///
  ///     S | addr+W | register | Sr | addr+R | r0 … rn | P
  mutating func confirm<let count: Int>(
    _ length: Int, from register: UInt8, in bytes: inout InlineArray<count, UInt8>, at start: Int
  ) throws(SensorError) -> Bool {
    var again = InlineArray<count, UInt8>(repeating: 0)
    try read(length, from: register, into: &again)
    var isSame = true
    for index in 0..<length where bytes[start &+ index] != again[index] {
      isSame = false
      bytes[start &+ index] = again[index]
    }
    return isSame
  }

  /// The first of the `length` registers from `register` on that does not have its value in `wanted`, or nil.
  ///
  ///     S | addr+W | register | Sr | addr+R | r0 … rn | P
  ///
  /// A register is read but not compared if bit n of `ignored`, n being its distance from the first, is set.
  mutating func difference<let count: Int>(
    _ length: Int = count, from wanted: InlineArray<count, UInt8>, at register: UInt8, ignoring ignored: UInt32 = 0
  ) throws(SensorError) -> RegisterDifference? {
    var found = InlineArray<count, UInt8>(repeating: 0)
    try read(length, from: register, into: &found)
    for index in 0..<length where ignored &>> UInt32(truncatingIfNeeded: index) & 1 == 0 {
      let place = register &+ UInt8(truncatingIfNeeded: index)
      if let one = RegisterDifference(place, wrote: wanted[index], read: found[index]) { return one }
    }
    return nil
  }

  /// Reads back what `write(_:)` wrote, in one burst, and compares.
  ///
  ///     S | addr+W | register | Sr | addr+R | v0 … vn | P
  ///
  /// - Throws: `configurationRejected` for the first register that differs, or `bus`.
  public mutating func verify<let count: Int>(_ bytes: InlineArray<count, UInt8>) throws(SensorError) {
    var found = InlineArray<count, UInt8>(repeating: 0)
    try read(count &- 1, from: bytes[0], into: &found)
    for index in 1..<count where bytes[index] != found[index &- 1] {
      throw .configurationRejected(
        register: bytes[0] &+ UInt8(truncatingIfNeeded: index &- 1), wrote: bytes[index], read: found[index &- 1])
    }
  }

  /// Writes four bursts in this order, then reads all of them back in the same order and compares.
  ///
  /// - Throws: `configurationRejected` for the first register that differs, or `bus`.
  public mutating func establish<let a: Int, let b: Int, let c: Int, let d: Int>(
    _ first: InlineArray<a, UInt8>, _ second: InlineArray<b, UInt8>, _ third: InlineArray<c, UInt8>,
    _ fourth: InlineArray<d, UInt8>
  ) throws(SensorError) {
    try write(first)
    try write(second)
    try write(third)
    try write(fourth)
    try verify(first)
    try verify(second)
    try verify(third)
    try verify(fourth)
  }

  /// Writes two bursts, then reads both back and compares.
  mutating func establish<let a: Int, let b: Int>(
    _ first: InlineArray<a, UInt8>, _ second: InlineArray<b, UInt8>
  ) throws(SensorError) {
    try write(first)
    try write(second)
    try verify(first)
    try verify(second)
  }

  /// Reopens the bus.
  public mutating func reopen() throws(SensorError) {
    do { try bus.reopen() } catch { throw .bus(error) }
  }
}

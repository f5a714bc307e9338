public import FixedPoint

/// What every emulated chip has: registers, sample clocks, its present time, and the board that it is on.
public struct ChipState {
  /// The registers, and the pointer to them.
  public var registers: RegisterFile
  /// What the part measures, before its digital side.
  public var analogue: Analogue
  /// What a fault plan dictates for the present transaction.
  public internal(set) var conditions = TargetConditions()
  /// The part's present time: it never goes back, and advances with each byte of a burst.
  public private(set) var present: Instant
  /// The time to read one byte: 23 µs at 400 kHz. With 0, a burst takes no time, and no sample comes within it.
  public let byteTime: Microseconds
  /// How much faster than nominal the part's clock runs, in parts per million.
  private let partsPerMillion: Int32
  /// When the reset in progress ends; nil without one.
  public var resetEnd: Instant?
  /// The sample clock; nil while nothing is sampled.
  public var clock: SampleClock?
  /// Another one, for a part whose sensors have rates of their own.
  public var secondClock: SampleClock?
  /// The number of samples of the first clock since creation: it numbers their noise.
  public internal(set) var sampleCount: UInt64 = 0
  /// The same of the second clock.
  public internal(set) var secondCount: UInt64 = 0

  /// The state at power-up. The clocks of ``clock(_:halvings:)`` run faster than nominal by `partsPerMillion`.
  public init(
    _ map: RegisterMap, _ analogue: Analogue, at instant: Instant, byteTime: Microseconds = .zero,
    partsPerMillion: Int32 = 0
  ) {
    registers = RegisterFile(map)
    self.analogue = analogue
    (self.byteTime, self.partsPerMillion) = (byteTime, partsPerMillion)
    present = instant
  }

  /// The state at power-up of a part like `specimen`, on a board that starts `motion` at `instant`.
  public init(_ map: RegisterMap, _ specimen: Specimen, motion: any Motion, at instant: Instant, seed: UInt64) {
    self.init(
      map, Analogue(specimen, motion: motion, at: instant, seed: seed), at: instant,
      byteTime: Microseconds(specimen.byteTime), partsPerMillion: specimen.ratePartsPerMillion)
  }

  /// A sample clock that starts now, with a period of `period` µs / 2^`halvings`.
  public func clock(_ period: Int64, halvings: UInt8 = 0) -> SampleClock {
    SampleClock(
      origin: present, period: Microseconds(period), halvings: halvings, partsPerMillion: partsPerMillion)
  }

  /// The force at `instant` with the noise of sample ``sampleCount``, of a standard deviation in g, in 1/65536 g.
  public func force(at instant: Instant, noise deviation: Vector3) -> AxisValues {
    analogue.force(at: instant) + analogue.noise(sampleCount, deviation: deviation)
  }

  /// The rotation at `instant` with noise that the samples of both clocks number, in 1/65536 °/s.
  public func rotation(at instant: Instant, noise deviation: Vector3) -> AxisValues {
    analogue.rotation(at: instant) + analogue.rotationNoise(sampleCount &+ secondCount, deviation: deviation)
  }

  /// How much warmer the die is now than a temperature in °C, in 1/65536 °C.
  public func warmth(above degrees: Int64) -> Int64 { analogue.temperature(at: present) - degrees * 65_536 }

  /// Whether a reset is in progress.
  public var isResetting: Bool { resetEnd.map { present < $0 } ?? false }

  /// What a sensor measures: nil if a fault plan freezes it, far beyond every range if the plan wants that, or `value`.
  public func measured(_ value: @autoclosure () -> AxisValues?) -> AxisValues? {
    switch conditions.measurement {
    case .frozen: nil
    case .fullScale: AxisValues(all: 10_000 << 16)
    case .live: value()
    }
  }

  /// The byte in a register; the part itself can change all of its bits.
  public subscript(register: Int) -> UInt8 {
    get { registers[register] }
    set { registers[register] = newValue }
  }

  /// Stores the low 16 bits of three axes in six registers, low bytes first unless `highFirst`.
  public mutating func store(_ words: AxisValues, at register: Int, highFirst: Bool = false) {
    for axis in 0..<3 { store(words[axis], at: register + 2 * axis, highFirst: highFirst) }
  }

  /// Stores the low 16 bits of a number in two registers, the low byte first unless `highFirst`.
  public mutating func store(_ word: Int64, at register: Int, highFirst: Bool = false) {
    let (low, high) = (UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8))
    (registers[register], registers[register + 1]) = highFirst ? (high, low) : (low, high)
  }

  /// The signed numbers in the six registers of three axes, low bytes first unless `highFirst`.
  public func words(at register: Int, highFirst: Bool = false) -> AxisValues {
    func word(_ axis: Int) -> Int64 { self.word(at: register + 2 * axis, highFirst: highFirst) }
    return AxisValues(x: word(0), y: word(1), z: word(2))
  }

  /// The signed number in two registers, the low byte first unless `highFirst`.
  public func word(at register: Int, highFirst: Bool = false) -> Int64 {
    let (first, second) = (UInt16(registers[register]), UInt16(registers[register + 1]))
    return Int64(Int16(bitPattern: highFirst ? first << 8 | second : second << 8 | first))
  }

  /// The byte in a register: mutating, because generic code calls that without a copy of the state.
  mutating func byte(_ register: Int) -> UInt8 { registers[register] }

  /// Resets the registers and stops the clocks, as a reset by software does.
  public mutating func reset() {
    registers.reset()
    (clock, secondClock, resetEnd) = (nil, nil, nil)
  }

  /// Resets everything that is lost with the supply.
  mutating func powerUp(at instant: Instant) {
    reset()
    registers.point(to: 0)
    analogue.suppliedAt = instant
    arrive(at: instant)
  }

  /// The time of the part in `span`.
  mutating func after(_ span: Microseconds) -> Instant { present + span }

  /// Advances the present time, which never goes back.
  mutating func arrive(at now: Instant) { present = max(present, now) }

  /// Advances the present time; returns whether a sample is due.
  mutating func isDue(at now: Instant) -> Bool {
    arrive(at: now)
    return clock?.isDue(at: present) ?? false || secondClock?.isDue(at: present) ?? false
  }

  /// Takes the next tick that is due; the first clock goes first if both tick at once.
  mutating func takeTick() -> (instant: Instant, clock: Int)? {
    let isFirstDue = clock?.isDue(at: present) ?? false
    let isSecondDue = secondClock?.isDue(at: present) ?? false
    if isFirstDue, let next = clock?.next, !isSecondDue || next <= secondClock?.next ?? next {
      sampleCount &+= 1
      clock?.take()
      return (next, 0)
    }
    guard isSecondDue, let next = secondClock?.take() else { return nil }
    secondCount &+= 1
    return (next, 1)
  }

  /// Counts the ticks that are due, without the last `most` of each clock.
  mutating func skip(allBut most: Int64) {
    Self.skip(&clock, &sampleCount, until: present, allBut: most)
    Self.skip(&secondClock, &secondCount, until: present, allBut: most)
  }

  /// The same of one clock, until `now`; returns how many ticks it skipped.
  @discardableResult
  static func skip(_ clock: inout SampleClock?, _ count: inout UInt64, until now: Instant, allBut most: Int64) -> Int64
  {
    let skipped = (clock?.due(until: now) ?? 0) - most
    guard skipped > 0 else { return 0 }
    clock?.take(skipped)
    count &+= UInt64(skipped)
    return skipped
  }
}

// In this file, so that a look at a register is one call in test builds, which optimise each file by itself.

/// The bytes of a part's registers, and the pointer of the bus.
public struct RegisterFile {
  let map: RegisterMap
  private var bytes: [UInt8]
  /// The bank that the bus sees.
  public private(set) var bank = 0
  /// The number of writes to reserved or read-only registers, or of a wrong value to reserved bits.
  public private(set) var reservedWrites = 0
  private var pointer = 0
  /// Whether bit 7 of the address was set.
  private var hasBit7 = false

  /// All registers at their reset values.
  init(_ map: RegisterMap) {
    self.map = map
    bytes = map.resets
  }

  /// A byte; the part itself can change all of its bits.
  public subscript(register: Int) -> UInt8 {
    get { bytes[register] }
    set { bytes[register] = newValue }
  }

  /// Whether any of the bits is set.
  private func has(_ bits: RegisterMap.Bits) -> Bool { bytes[bits.register] & bits.mask != 0 }

  /// Sets all registers and the bank to their reset values.
  mutating func reset() {
    bytes = map.resets
    bank = 0
  }

  /// Stores the writable bits, unless they clear themselves; returns the byte before, or nil if there are none.
  public mutating func store(_ value: UInt8, in register: Int) -> UInt8? {
    let mask = map.writable[register]
    let fixed = map.resets[register] & ~mask
    if mask == 0 || value & ~mask != fixed { reservedWrites += 1 }
    guard mask != 0 else { return nil }
    let before = bytes[register]
    bytes[register] = (value & mask | fixed) & ~map.selfClearing[register]
    if let selection = map.bankSelection, register == selection.register {
      bank = Int((value & selection.mask) >> selection.mask.trailingZeroBitCount)
    }
    return before
  }

  mutating func point(to address: UInt8) { (pointer, hasBit7) = (Int(address & map.pointerBits), address & 0x80 != 0) }

  /// The register at the pointer, in the present bank.
  private var current: Int {
    if bank == 0 || pointer == map.bankSelection?.register { return pointer }
    return bank << 8 | pointer
  }

  // Mutating, because generic code calls these without a copy of the state.

  /// The register at the pointer.
  mutating func locate() -> Int { current }

  /// The register at the pointer, which then advances.
  mutating func take() -> Int {
    defer { advance() }
    return current
  }

  /// Advances the pointer; returns the register there.
  mutating func next() -> Int {
    advance()
    return current
  }

  private mutating func advance() {
    switch map.increment {
    case .always: break
    case .byAddressBit7: if !hasBit7 { return }
    case .whileSet(let bits): if !has(bits) { return }
    }
    let register = current
    if let addresses = map.conditionalAddresses, addresses.contains(register),
      let step = map.conditionalSteps.first(where: { $0.register == register && $0.conditions.allSatisfy(has) })
    {
      pointer = step.next & 0xFF
    } else {
      pointer = Int(map.next[register])
    }
  }
}

public import FixedPoint

/// What a part is: its registers, what reading and writing them does, and how it takes a sample.
///
/// A value type; ``state`` has what all parts have. The smallest chip has a register map, starts ``ChipState/clock`` in
/// ``wrote(_:to:over:)``, stores bytes in ``sample(at:of:)``, and leaves everything else to the defaults. Write it from
/// the data sheet alone: an error shared with a driver would go unnoticed in both.
public protocol EmulatedChip {
  /// The registers, the clocks, and the board that the part is on.
  var state: ChipState { get set }

  /// The number of samples that are taken at most after a long silence: half of them from its beginning, half up to its
  /// end. The others are only counted. Default 80, which fills a FIFO of 32 twice on either side.
  var mostSamples: Int64 { get }

  /// Whether the interrupt pin is high. Default false.
  var isInterruptHigh: Bool { get }

  /// What a read of `register` returns, with the side effects of the read. By default its byte.
  ///
  /// The identity is replaced by the engine if a fault plan wants that.
  mutating func read(_ register: Int) -> UInt8

  /// Writes `register`. By default stores the writable bits, and calls ``wrote(_:to:over:)`` if there are any.
  mutating func write(_ value: UInt8, to register: Int)

  /// Reacts to a write: `register` now has the writable bits of `value`, except those that clear themselves. By default
  /// does nothing.
  mutating func wrote(_ value: UInt8, to register: Int, over before: UInt8)

  /// Takes the sample of `instant`; its number is ``ChipState/sampleCount``. `clock` is 0, or 1 for the second clock.
  mutating func sample(at instant: Instant, of clock: Int)

  /// Sets the chip's own state, beside ``state``, to its reset values.
  mutating func reset()

  /// Reacts to the end of a transfer that wrote or read bytes. By default does nothing.
  mutating func stop(afterReading isRead: Bool)

  /// Brings the chip up to date. By default takes the samples that are due, at most ``mostSamples``.
  mutating func advance(to now: Instant)

  /// Loses the supply and regains it. By default resets ``state`` and the chip's own state.
  mutating func powerCycle(at now: Instant)
}

extension EmulatedChip {
  /// Enough to fill and overrun a FIFO of 32 samples at both ends of the silence.
  public var mostSamples: Int64 { 80 }

  /// Always false.
  public var isInterruptHigh: Bool { false }

  /// The byte in the register.
  public mutating func read(_ register: Int) -> UInt8 { state.byte(register) }

  /// Stores the writable bits.
  public mutating func write(_ value: UInt8, to register: Int) {
    if let before = state.registers.store(value, in: register) { wrote(value, to: register, over: before) }
  }

  /// Does nothing.
  public mutating func wrote(_ value: UInt8, to register: Int, over before: UInt8) {}

  /// Does nothing.
  public mutating func stop(afterReading isRead: Bool) {}

  /// Takes the samples that are due.
  public mutating func advance(to now: Instant) {
    guard state.isDue(at: now) else { return }
    let half = max(1, mostSamples / 2)
    take(half)
    guard state.isDue(at: now) else { return }
    state.skip(allBut: half)
    take(half)
  }

  /// Resets everything digital; the board keeps moving.
  public mutating func powerCycle(at now: Instant) {
    state.powerUp(at: now)
    reset()
  }

  /// Advances within a burst.
  mutating func letPass(_ span: Microseconds) {
    let now = state.after(span)
    advance(to: now)
  }

  private mutating func take(_ most: Int64) {
    for _ in 0..<most {
      guard let tick = state.takeTick() else { return }
      sample(at: tick.instant, of: tick.clock)
    }
  }
}

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
  /// The sample clock; nil while nothing is sampled.
  public var clock: SampleClock?
  /// Another one, for a part whose sensors have rates of their own.
  public var secondClock: SampleClock?
  /// The number of samples since creation: it numbers the noise.
  public var sampleCount: UInt64 = 0

  /// The state at power-up.
  public init(_ map: RegisterMap, _ analogue: Analogue, at instant: Instant, byteTime: Microseconds = .zero) {
    registers = RegisterFile(map)
    self.analogue = analogue
    self.byteTime = byteTime
    present = instant
  }

  /// The byte in a register; the part itself can change all of its bits.
  public subscript(register: Int) -> UInt8 {
    get { registers[register] }
    set { registers[register] = newValue }
  }

  /// The same as a mutating function, which generic code calls without a copy of the state.
  mutating func byte(_ register: Int) -> UInt8 { registers[register] }

  /// Resets the registers and stops the clocks, as a reset by software does.
  public mutating func reset() {
    registers.reset()
    (clock, secondClock) = (nil, nil)
  }

  /// Resets everything that is lost with the supply.
  mutating func powerUp(at instant: Instant) {
    reset()
    registers.point(to: 0)
    analogue.suppliedAt = instant
  }

  /// The time of the part in `span`.
  mutating func after(_ span: Microseconds) -> Instant { present + span }

  /// Advances the present time; returns whether a sample is due.
  mutating func isDue(at now: Instant) -> Bool {
    present = max(present, now)
    return clock?.isDue(at: present) ?? false || secondClock?.isDue(at: present) ?? false
  }

  /// Takes the next tick that is due; the first clock goes first if both tick at once.
  mutating func takeTick() -> (instant: Instant, clock: Int)? {
    let isFirstDue = clock?.isDue(at: present) ?? false
    let isSecondDue = secondClock?.isDue(at: present) ?? false
    guard isFirstDue || isSecondDue else { return nil }
    sampleCount &+= 1
    if isFirstDue, let next = clock?.next, !isSecondDue || next <= secondClock?.next ?? next {
      clock?.take()
      return (next, 0)
    }
    guard let instant = secondClock?.take() else { return nil }
    return (instant, 1)
  }

  /// Counts the ticks that are due, without the last `most` of each clock.
  mutating func skip(allBut most: Int64) {
    func skip(_ clock: inout SampleClock?, _ count: inout UInt64, _ present: Instant) {
      let skipped = (clock?.due(until: present) ?? 0) - most
      guard skipped > 0 else { return }
      clock?.take(skipped)
      count &+= UInt64(skipped)
    }
    skip(&clock, &sampleCount, present)
    skip(&secondClock, &sampleCount, present)
  }
}

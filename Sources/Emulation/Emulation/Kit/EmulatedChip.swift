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
  /// end; the latter half of each clock. The others are only counted. Default 80, which fills a FIFO of 32 twice on
  /// either side.
  var mostSamples: Int64 { get }

  /// Whether the interrupt pin is high. Default false.
  var isInterruptHigh: Bool { get }

  /// What a read of `register` returns, with the side effects of the read. By default its byte.
  ///
  /// The identity is replaced by the engine if a fault plan wants that.
  mutating func read(_ register: Int) -> UInt8

  /// Whether a write to `register` has an effect: not during a reset, for example. Default true.
  func accepts(writesTo register: Int) -> Bool

  /// Writes `register`, if the part accepts that. By default stores the writable bits, and calls ``wrote(_:to:over:)``
  /// if there are any.
  mutating func write(_ value: UInt8, to register: Int)

  /// Reacts to a write: `register` now has the writable bits of `value`, except those that clear themselves. By default
  /// does nothing.
  mutating func wrote(_ value: UInt8, to register: Int, over before: UInt8)

  /// Takes the sample of `instant`. `clock` is 0, and ``ChipState/sampleCount`` the sample's number, or 1 and
  /// ``ChipState/secondCount``. By default does nothing, for a chip that has an ``advance(to:)`` of its own.
  mutating func sample(at instant: Instant, of clock: Int)

  /// Sets the chip's own state, beside ``state``, to its reset values. By default there is none.
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

  /// Always true.
  public func accepts(writesTo register: Int) -> Bool { true }

  /// Stores the writable bits.
  public mutating func write(_ value: UInt8, to register: Int) {
    guard accepts(writesTo: register), let before = state.registers.store(value, in: register) else { return }
    wrote(value, to: register, over: before)
  }

  /// Does nothing.
  public mutating func wrote(_ value: UInt8, to register: Int, over before: UInt8) {}

  /// Does nothing.
  public mutating func reset() {}

  /// Does nothing.
  public mutating func sample(at instant: Instant, of clock: Int) {}

  /// Does nothing.
  public mutating func stop(afterReading isRead: Bool) {}

  /// Takes the samples that are due.
  public mutating func advance(to now: Instant) { takeSamples(until: now) }

  /// Takes the samples that are due, at most ``mostSamples``: for a chip that has an ``advance(to:)`` of its own.
  public mutating func takeSamples(until now: Instant) {
    guard state.isDue(at: now) else { return }
    take(1)
    guard state.isDue(at: now) else { return }
    // Only now: to ask for it costs a copy of the chip in code that is not specialised.
    let half = max(1, mostSamples / 2)
    take(half - 1)
    guard state.isDue(at: now) else { return }
    // So many are left of each clock: all are taken, so that none is late for this access.
    state.skip(allBut: half)
    take(2 * half)
  }

  /// Resets everything digital; the board keeps moving.
  public mutating func powerCycle(at now: Instant) {
    state.powerUp(at: now)
    reset()
  }

  private mutating func take(_ most: Int64) {
    for _ in 0..<most {
      guard let tick = state.takeTick() else { return }
      sample(at: tick.instant, of: tick.clock)
    }
  }
}

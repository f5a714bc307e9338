public import FixedPoint

/// An emulated part on a bus: an ``EmulatedChip``, which says what is special to the part, and the engine that runs it.
///
/// The engine moves the register pointer, counts the writes to what is reserved, brings the part up to date before each
/// transaction, answers with a foreign identity if a fault plan wants it, and interrupts the supply.
open class EmulatedSensor: EmulatedTarget {
  private let engine: any SensorEngine

  /// A part that reads the time from `now`.
  ///
  /// Equal chips and equal transactions at equal times give equal bytes.
  public init(_ chip: some EmulatedChip, now: @escaping () -> Instant) { engine = ChipEngine(chip, now: now) }

  /// The same with an engine that the subclass keeps, to reach the chip.
  init(_ engine: any SensorEngine) { self.engine = engine }

  /// The number of samples taken from creation to the last access, across power cycles; those of both clocks.
  open var sampleCount: UInt64 { engine.sampleCount }

  /// The number of writes to reserved or read-only registers, or of a wrong value to reserved bits.
  public var reservedWrites: Int { engine.reservedWrites }

  /// Whether the interrupt pin is high at this moment.
  open var isInterruptHigh: Bool { engine.isInterruptHigh }

  /// Starts another motion now.
  open func play(_ motion: any Motion) { engine.play(motion) }

  /// Applies the conditions of a fault plan until the next call.
  open func prepare(under conditions: TargetConditions) { engine.prepare(under: conditions) }

  /// Receives a register address and the bytes to write from there on; no bytes at all are a mere presence check.
  open func receive(_ bytes: Span<UInt8>) { engine.receive(bytes) }

  /// Sends the registers from the pointer on.
  open func transmit(into buffer: inout MutableSpan<UInt8>) { engine.transmit(into: &buffer) }

  /// Interrupts the supply: all registers are at their reset values; the board keeps moving.
  open func powerCycle() { engine.powerCycle() }

  /// Sends the register at the pointer, which then advances, as one byte of a read that ``endRead()`` ends: for a
  /// controller that decides byte by byte how many it reads, and in whose time each byte lasts.
  package func transmitByte() -> UInt8 { engine.transmitByte() }

  /// Ends a read of single bytes: STOP, or a repeated START.
  package func endRead() { engine.endRead() }
}

/// What an ``EmulatedSensor`` needs of an engine, whatever chip it runs.
protocol SensorEngine: EmulatedTarget {
  var sampleCount: UInt64 { get }
  var reservedWrites: Int { get }
  func play(_ motion: any Motion)
  func transmitByte() -> UInt8
  func endRead()
}

/// Runs a chip: generic, so that nothing is dispatched through an existential for a byte or a sample.
final class ChipEngine<Chip: EmulatedChip>: SensorEngine {
  var chip: Chip
  /// Called after each access that can change a pin, when the chip can be accessed again.
  var onAccess: (() -> Void)?
  private let now: () -> Instant
  private let identityRegister: Int
  private let byteTime: Microseconds
  private var foreignIdentity: UInt8?

  init(_ chip: Chip, now: @escaping () -> Instant) {
    self.chip = chip
    self.now = now
    identityRegister = chip.state.registers.map.identity
    byteTime = chip.state.byteTime
  }

  var sampleCount: UInt64 { chip.state.sampleCount &+ chip.state.secondCount }
  var reservedWrites: Int { chip.state.registers.reservedWrites }

  var isInterruptHigh: Bool {
    catchUp()
    return chip.isInterruptHigh
  }

  /// Brings the chip up to date; returns the present time.
  @discardableResult func catchUp() -> Instant {
    let now = advance()
    onAccess?()
    return now
  }

  @discardableResult private func advance() -> Instant {
    let now = now()
    chip.advance(to: now)
    return now
  }

  func play(_ motion: any Motion) {
    let now = advance()
    chip.state.analogue.play(motion, at: now)
    onAccess?()
  }

  func prepare(under conditions: TargetConditions) {
    chip.state.conditions = conditions
    foreignIdentity = conditions.identity
  }

  func receive(_ bytes: Span<UInt8>) {
    let now = now()
    chip.receive(bytes, at: now)
    onAccess?()
  }

  func transmit(into buffer: inout MutableSpan<UInt8>) {
    let now = now()
    chip.transmit(into: &buffer, at: now, identityRegister, foreignIdentity, byteTime)
    onAccess?()
  }

  func transmitByte() -> UInt8 {
    advance()
    let register = chip.state.registers.locate()
    defer { _ = chip.state.registers.next() }
    return chip.byte(at: register, identityRegister, foreignIdentity)
  }

  func endRead() {
    advance()
    chip.stop(afterReading: true)
    onAccess?()
  }

  func powerCycle() {
    chip.powerCycle(at: now())
    onAccess?()
  }
}

// One access to the chip for a transfer.
extension EmulatedChip {
  fileprivate mutating func receive(_ bytes: Span<UInt8>, at now: Instant) {
    advance(to: now)
    guard bytes.count > 0 else { return }
    state.registers.point(to: bytes[0])
    guard bytes.count > 1 else { return }
    for index in 1..<bytes.count {
      let register = state.registers.take()
      write(bytes[index], to: register)
    }
    stop(afterReading: false)
  }

  fileprivate mutating func transmit(
    into buffer: inout MutableSpan<UInt8>, at now: Instant, _ identityRegister: Int, _ foreignIdentity: UInt8?,
    _ byteTime: Microseconds
  ) {
    advance(to: now)
    guard buffer.count > 0 else { return }
    var register = state.registers.locate()
    for index in buffer.indices {
      buffer[index] = byte(at: register, identityRegister, foreignIdentity)
      register = state.registers.next()
      if byteTime > .zero {
        let later = state.after(byteTime)
        advance(to: later)
      }
    }
    stop(afterReading: true)
  }

  fileprivate mutating func byte(at register: Int, _ identityRegister: Int, _ foreignIdentity: UInt8?) -> UInt8 {
    let value = read(register)
    // 0xFF is a bus that the part does not drive.
    guard register == identityRegister, value != 0xFF, let foreignIdentity else { return value }
    return foreignIdentity
  }
}

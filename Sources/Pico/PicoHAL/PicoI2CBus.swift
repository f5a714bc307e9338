internal import CPico
internal import FixedPoint
public import HAL

/// One of the chip's two I2C controllers, a DesignWare APB I2C, at 400 kHz (RP2040 data sheet, 4.3).
///
/// A transaction ends within ``patience``. A target that holds SDA low is freed by up to nine clocks.
public struct PicoI2CBus: ~Copyable, I2CBus {
  private let number: UInt32
  private let base: UInt32
  private let sda: Pin
  private let scl: Pin
  private var target: UInt8 = 0

  /// The longest transaction: far more than its bytes take, even with a stretched clock.
  static var patience: Microseconds { .milliseconds(20) }

  /// Controller `number`, 0 or 1, on pins that it can have.
  public init(_ number: UInt32, sda: UInt32, scl: UInt32) {
    (self.number, self.sda, self.scl) = (number, Pin(sda), Pin(scl))
    base = number == 0 ? 0x4004_4000 : 0x4004_8000
    self.sda.pullUp()
    self.scl.pullUp()
    configure()
  }

  /// 400 kHz: every supported sensor allows it.
  public var frequency: UInt32? { 400_000 }

  /// Writes `bytes` in one transaction.
  public mutating func write(_ bytes: Span<UInt8>, to address: I2CAddress) throws(I2CFault) {
    var none: InlineArray<1, UInt8> = [0]
    var buffer = none.mutableSpan
    try exchange(bytes, reading: 0, into: &buffer, at: address)
  }

  /// Writes `bytes`, then fills `buffer`, in one transaction.
  public mutating func writeRead(_ bytes: Span<UInt8>, into buffer: inout MutableSpan<UInt8>, at address: I2CAddress)
    throws(I2CFault)
  {
    try exchange(bytes, reading: buffer.count, into: &buffer, at: address)
  }

  /// Resets the controller, and frees the bus.
  public mutating func reopen() throws(I2CFault) { recover() }

  /// The registers, by their offsets (4.3.17).
  private enum Register {
    static var control: UInt32 { 0x00 }
    static var target: UInt32 { 0x04 }
    static var data: UInt32 { 0x10 }
    static var highCount: UInt32 { 0x1C }
    static var lowCount: UInt32 { 0x20 }
    static var events: UInt32 { 0x34 }
    static var clearAbort: UInt32 { 0x54 }
    static var clearStop: UInt32 { 0x60 }
    static var enable: UInt32 { 0x6C }
    static var status: UInt32 { 0x70 }
    static var toSend: UInt32 { 0x74 }
    static var received: UInt32 { 0x78 }
    static var hold: UInt32 { 0x7C }
    static var abortSource: UInt32 { 0x80 }
    static var spikes: UInt32 { 0xA0 }
  }

  /// Of `Register.events`.
  private static var abort: UInt32 { 1 &<< 6 }
  private static var stop: UInt32 { 1 &<< 9 }
  /// The depth of both FIFOs.
  private static var depth: Int { 16 }

  private func read(_ register: UInt32) -> UInt32 { cpico_read(base &+ register) }
  private func set(_ register: UInt32, _ value: UInt32) { cpico_write(base &+ register, value) }

  /// Sets the controller up from reset, and gives it the pins.
  private mutating func configure() {
    let bit: UInt32 = 8 &<< number
    cpico_set(Registers.resets, bit)
    cpico_clear(Registers.resets, bit)
    while cpico_read(Registers.resetDone) & bit == 0 {}
    target = 0
    // Controller of the fast mode with repeated starts; not a target.
    set(Register.control, 1 | 2 &<< 1 | 1 &<< 5 | 1 &<< 6)
    // 125 MHz / 400 kHz is 312, of which SCL is low for three fifths; SDA is held for 300 ns; spikes to 88 ns.
    set(Register.highCount, 125)
    set(Register.lowCount, 187)
    set(Register.hold, 38)
    set(Register.spikes, 11)
    sda.select(.i2c)
    scl.select(.i2c)
    set(Register.enable, 1)
  }

  // Not inlined: a driver has many accesses.
  @inline(never)
  private mutating func exchange(
    _ bytes: Span<UInt8>, reading count: Int, into buffer: inout MutableSpan<UInt8>, at address: I2CAddress
  ) throws(I2CFault) {
    let total = bytes.count &+ count
    guard total > 0 else { throw .unsupported }
    try prepare(for: address)
    var (queued, received) = (0, 0)
    let end = PicoClock.now + Self.patience
    while true {
      let events = read(Register.events)
      if events & Self.abort != 0 { throw fault() }
      while received < count && read(Register.received) > 0 {
        buffer[received] = UInt8(truncatingIfNeeded: read(Register.data))
        received &+= 1
      }
      if queued < total {
        if read(Register.toSend) < 16 && queued &- bytes.count &- received < Self.depth {
          set(Register.data, command(queued, bytes, total))
          queued &+= 1
          continue
        }
      } else if received == count && events & Self.stop != 0 {
        return
      }
      guard PicoClock.now < end else {
        recover()
        throw .timedOut
      }
    }
  }

  /// What the controller does for byte `index` of a transaction: writes or reads it, after a repeated start if it is the
  /// first one to be read, and before a stop if it is the last (4.3.17, IC_DATA_CMD).
  private func command(_ index: Int, _ bytes: Span<UInt8>, _ total: Int) -> UInt32 {
    var command: UInt32 = index &+ 1 == total ? 1 &<< 9 : 0
    guard index >= bytes.count else { return command | UInt32(truncatingIfNeeded: bytes[index]) }
    if index == bytes.count && index > 0 { command |= 1 &<< 10 }
    return command | 1 &<< 8
  }

  /// Makes sure that the bus is free and the controller knows the target.
  private mutating func prepare(for address: I2CAddress) throws(I2CFault) {
    if !sda.isHigh || !scl.isHigh {
      recover()
      guard sda.isHigh, scl.isHigh else { throw .timedOut }
    }
    _ = read(Register.clearStop)
    _ = read(Register.clearAbort)
    guard target != address.rawValue else { return }
    target = address.rawValue
    set(Register.enable, 0)
    set(Register.target, UInt32(truncatingIfNeeded: target))
    set(Register.enable, 1)
  }

  /// The fault for the abort that the controller reports (4.3.17, IC_TX_ABRT_SOURCE).
  private mutating func fault() -> I2CFault {
    let source = read(Register.abortSource)
    _ = read(Register.clearAbort)
    // It sends the stop by itself.
    let end = PicoClock.now + .milliseconds(1)
    while read(Register.status) & 1 &<< 5 != 0 {
      guard PicoClock.now < end else {
        recover()
        break
      }
    }
    if source & 1 &<< 12 != 0 { return .arbitrationLost }
    if source & 0b1111 != 0 { return .noAcknowledge }
    return .other(code: Int32(truncatingIfNeeded: source & 0x1_FFFF))
  }

  /// Resets the controller and frees the bus: clocks until a target that is in the middle of a byte lets SDA go, then a
  /// stop.
  ///
  /// - Source: UM10204 (I2C-bus specification) rev. 7, 3.1.16.
  private mutating func recover() {
    cpico_write(Registers.clearOutputs, sda.mask | scl.mask)
    sda.drive(low: false)
    scl.drive(low: false)
    sda.select(.program)
    scl.select(.program)
    Self.pause()
    for _ in 0..<9 where !sda.isHigh {
      scl.drive(low: true)
      Self.pause()
      scl.drive(low: false)
      Self.pause()
    }
    sda.drive(low: true)
    Self.pause()
    sda.drive(low: false)
    Self.pause()
    configure()
  }

  /// Half a clock at 100 kHz.
  private static func pause() {
    let end = PicoClock.now + Microseconds(5)
    while PicoClock.now < end {}
  }
}

import Emulation
import FixedPoint
import HAL

/// A user's own part: 16 bytes of memory behind a pointer, and a record of its use.
final class MemoryTarget: EmulatedTarget {
  var bytes = [UInt8](repeating: 0, count: 16)
  private var pointer = 0
  /// The conditions of each transaction that reached it.
  private(set) var conditions: [TargetConditions] = []
  /// When it was written or read, by `now`.
  private(set) var touches: [Int64] = []
  private(set) var powerCycles = 0
  private let now: () -> Instant

  init(now: @escaping () -> Instant = { Instant(microseconds: 0) }) { self.now = now }

  func prepare(under conditions: TargetConditions) { self.conditions.append(conditions) }

  func receive(_ written: Span<UInt8>) {
    touches.append(now().microseconds)
    guard written.count > 0 else { return }
    pointer = Int(written[0]) & 15
    guard written.count > 1 else { return }
    for index in 1..<written.count { bytes[(pointer + index - 1) & 15] = written[index] }
  }

  func transmit(into buffer: inout MutableSpan<UInt8>) {
    for index in buffer.indices { buffer[index] = bytes[(pointer + index) & 15] }
  }

  func powerCycle() {
    powerCycles += 1
    bytes = [UInt8](repeating: 0, count: 16)
  }
}

/// Stands in for a driver: owns its bus, and uses arrays.
struct Owner<Bus: I2CBus & ~Copyable>: ~Copyable {
  var bus: Bus

  init(_ bus: consuming Bus) { self.bus = bus }

  mutating func write(_ bytes: [UInt8], to address: I2CAddress) throws(I2CFault) {
    try bus.write(bytes.span, to: address)
  }

  mutating func read(_ bytes: [UInt8], _ count: Int, at address: I2CAddress) throws(I2CFault) -> [UInt8] {
    var buffer = [UInt8](repeating: 0xAA, count: count)
    var span = buffer.mutableSpan
    try bus.writeRead(bytes.span, into: &span, at: address)
    return buffer
  }
}

/// Two memories at 0x50 and 0x51 on a bus on a virtual clock; nothing at 0x52.
final class WireRig {
  static let first = address(0x50)
  static let second = address(0x51)
  static let absent = address(0x52)

  let clock = VirtualClock()
  let log: BusLog
  let memory: MemoryTarget
  let other: MemoryTarget
  var owner: Owner<EmulatedBus>

  init(_ plan: FaultPlan = .none, capacity: Int = 65_536) {
    let clock = clock
    log = BusLog(capacity: capacity)
    memory = MemoryTarget { clock.now }
    other = MemoryTarget { clock.now }
    var bus = EmulatedBus(memory, at: WireRig.first, plan: plan, log: log, pass: { clock.advance(by: $0) }) {
      clock.now
    }
    bus.attach(other, at: WireRig.second)
    owner = Owner(bus)
  }

  /// The error of writing `bytes`; nil if it succeeds.
  func write(_ bytes: [UInt8], to address: I2CAddress = WireRig.first) -> I2CFault? {
    do throws(I2CFault) {
      try owner.write(bytes, to: address)
      return nil
    } catch { return error }
  }

  /// The result of reading `count` bytes from `register` on.
  func read(_ register: UInt8, _ count: Int = 1, at address: I2CAddress = WireRig.first) -> Result<[UInt8], I2CFault> {
    do throws(I2CFault) { return .success(try owner.read([register], count, at: address)) } catch {
      return .failure(error)
    }
  }

  /// The error of reading; nil if it succeeds.
  func faultOfRead(_ count: Int = 1, at address: I2CAddress = WireRig.first) -> I2CFault? {
    if case .failure(let fault) = read(0, count, at: address) { fault } else { nil }
  }

  /// The error of reopening; nil if it succeeds.
  func reopen() -> I2CFault? {
    do throws(I2CFault) {
      try owner.bus.reopen()
      return nil
    } catch { return error }
  }
}

/// An address from a number; the ADXL345's if it is not a valid one.
func address(_ value: UInt8) -> I2CAddress { I2CAddress(value) ?? EmulatedADXL345.address }

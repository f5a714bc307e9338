import Emulation
import FixedPoint
import HAL

/// An emulated part on a bus with a virtual clock, and the two kinds of transaction.
final class PartBench<Part: EmulatedTarget> {
  let clock: VirtualClock
  let device: Part
  let log = BusLog()
  let address: I2CAddress
  var bus: EmulatedBus

  init(_ device: Part, at address: I2CAddress, _ clock: VirtualClock, plan: FaultPlan) {
    (self.clock, self.device, self.address) = (clock, device, address)
    bus = EmulatedBus(device, at: address, plan: plan, log: log) { clock.now }
  }

  func write(_ bytes: UInt8...) throws(I2CFault) { try write(bytes) }

  func write(_ bytes: [UInt8]) throws(I2CFault) { try bus.write(bytes.span, to: address) }

  func read(_ register: UInt8, _ count: Int = 1) throws(I2CFault) -> [UInt8] { try read([register], count) }

  /// A read without a register number.
  func readOn(_ count: Int) throws(I2CFault) -> [UInt8] { try read([], count) }

  private func read(_ written: [UInt8], _ count: Int) throws(I2CFault) -> [UInt8] {
    var buffer = [UInt8](repeating: 0xAA, count: count)
    var span = buffer.mutableSpan
    try bus.writeRead(written.span, into: &span, at: address)
    return buffer
  }

  /// One register.
  func byte(_ register: UInt8) throws(I2CFault) -> UInt8 { try read(register)[0] }

  func pass(_ microseconds: Int64) { clock.advance(by: Microseconds(microseconds)) }
}

/// The error of a transaction; nil if it succeeds.
func fault(of transaction: () throws(I2CFault) -> Void) -> I2CFault? {
  do throws(I2CFault) {
    try transaction()
    return nil
  } catch { return error }
}

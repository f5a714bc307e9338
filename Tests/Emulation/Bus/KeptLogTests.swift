import Emulation
import FixedPoint
import HAL
import Testing

/// What is taken out of a double before it is consumed must outlive it: Swift 6.3.1 frees it too soon where it may look in.
@Suite struct KeptLogTests {
  /// Consumes a bus, as a driver does.
  private func use<Bus: I2CBus & ~Copyable>(_ bus: consuming Bus) -> Int {
    var owner = Owner(bus)
    var faults = 0
    for number: UInt8 in 0..<50 {
      do throws(I2CFault) {
        try owner.write([number], to: Wire.first)
        _ = try owner.read([number], 2, at: Wire.first)
      } catch { faults += 1 }
    }
    return faults
  }

  private func use<Bank: OutputBank & ~Copyable>(_ bank: consuming Bank) -> Int {
    var bank = bank
    var faults = 0
    for number: UInt32 in 0..<50 {
      do throws(OutputFault) { try bank.write(Levels(bits: number)) } catch { faults += 1 }
    }
    return faults
  }

  @Test func `the log of an emulated bus outlives the bus`() {
    let clock = VirtualClock()
    let bus = EmulatedBus(Memory(), at: Wire.first) { clock.now }
    let log = bus.log
    #expect(use(bus) == 0)
    #expect(log.trace.entries.count == 100)
  }

  @Test func `the log of a recorder outlives it, and the bus below`() {
    let clock = VirtualClock()
    let recorder = BusRecorder(EmulatedBus(Memory(), at: Wire.first) { clock.now }) { clock.now }
    let log = recorder.log
    #expect(use(recorder) == 0)
    #expect(log.trace.entries.count == 100)
  }

  @Test func `the script of a scripted bus outlives the bus`() {
    let bus = ScriptedBus([.write([9], to: Wire.first)])
    let script = bus.script
    #expect(use(bus) == 50)
    // Each write but the one that was expected, and the read behind that.
    #expect(script.complaints.count == 50)
  }

  @Test func `the log of recording outputs outlives them`() {
    let clock = VirtualClock()
    let bank = RecordingOutputBank { clock.now }
    let log = bank.log
    #expect(use(bank) == 0)
    #expect(log.writes.count == 50)
  }
}

import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

struct EmulatedBusTests {
  @Test static func `targets respond at their own addresses`() throws {
    let clock = VirtualClock()
    let first = try require(I2CAddress(0x50))
    let second = try require(I2CAddress(0x51))
    var bus = EmulatedBus { clock.now }
    bus.attach(MemoryTarget(), at: first)
    bus.attach(MemoryTarget(), at: second)
    bus.attach(EmulatedADXL345(motion: Constant()) { clock.now }, at: EmulatedADXL345.alternateAddress)
    var owner = Owner(bus)
    try owner.write([3, 0x11, 0x22], to: first)
    try owner.write([3, 0x33], to: second)
    try expect(owner.read([3], 2, at: first), equals: [0x11, 0x22])
    try expect(owner.read([3], 2, at: second), equals: [0x33, 0x00])
    try expect(owner.read([0], 1, at: EmulatedADXL345.alternateAddress), equals: [0xE5])
  }

  @Test static func `an address without a target gives no acknowledge`() throws {
    let bench = ADXL345Bench()
    let absent = EmulatedADXL345.alternateAddress
    expect(fault { () throws(I2CFault) in try bench.bus.write([0].span, to: absent) }, equals: .noAcknowledge)
    bench.bus.detach(EmulatedADXL345.address)
    expect(fault { () throws(I2CFault) in _ = try bench.read(0x00) }, equals: .noAcknowledge)
    expect(bench.log.transactionCount, equals: 2)
    expect(bench.log.faultCount, equals: 2)
  }

  @Test static func `the log stays readable after a driver has consumed the bus`() throws {
    let clock = VirtualClock()
    let log = BusLog()
    let memory = MemoryTarget()
    let address = try require(I2CAddress(0x50))
    let plan: FaultPlan = [.init(.timedOut, .transaction(2))]
    var owner = Owner(EmulatedBus(memory, at: address, plan: plan, log: log) { clock.now })
    try owner.write([1, 0x77], to: address)
    clock.advance(by: .milliseconds(5))
    _ = try owner.read([1], 1, at: address)
    expect(throws: I2CFault.timedOut) { _ = try owner.read([1], 1, at: address) }
    try owner.bus.reopen()
    expect(log.transactionCount, equals: 3)
    expect(log.faultCount, equals: 1)
    expect(log.reopenCount, equals: 1)
    let transactions = log.transactions
    expect(transactions.map(\.number), equals: [0, 1, 2])
    expect(transactions.map(\.instant.microseconds), equals: [0, 5_000, 5_000])
    expect(transactions.map(\.written), equals: [[1, 0x77], [1], [1]])
    expect(transactions.map(\.read), equals: [[], [0x77], []])
    expect(transactions.map(\.fault), equals: [nil, nil, .timedOut])
    expect(all: transactions) { $0.address == address }
  }

  @Test(arguments: [0, 1, 10, 1_000])
  static func `a log drops the oldest transactions but counts all`(_ capacity: Int) throws {
    let clock = VirtualClock()
    let log = BusLog(capacity: capacity)
    let address = try require(I2CAddress(0x50))
    var owner = Owner(EmulatedBus(MemoryTarget(), at: address, log: log) { clock.now })
    for _ in 0..<500 { try owner.write([0], to: address) }
    expect(log.transactionCount, equals: 500)
    expect(log.transactions.map(\.number), equals: Array((500 - min(500, capacity))..<500))
  }
}

struct RecordingOutputBankTests {
  @Test static func `every write is recorded with its instant`() throws {
    let clock = VirtualClock(startingAt: Instant(microseconds: 100))
    var bank = RecordingOutputBank { clock.now }
    let log = bank.log
    expect(log.levels, equals: nil)
    try bank.write(Levels(bits: 0b10))
    clock.advance(by: .milliseconds(1))
    try bank.write(.off)
    expect(log.writes.map(\.levels.bits), equals: [0b10, 0])
    expect(log.writes.map(\.instant.microseconds), equals: [100, 1_100])
    expect(log.levels, equals: .off)
  }

  @Test static func `writes fail where planned and leave the levels alone`() {
    let clock = VirtualClock()
    let fault = OutputFault(code: 19)
    var bank = RecordingOutputBank(failingAt: 1..<3, with: fault) { clock.now }
    let log = bank.log
    var faults: [OutputFault?] = []
    for bits: UInt32 in 0..<4 {
      do throws(OutputFault) {
        try bank.write(Levels(bits: bits))
        faults.append(nil)
      } catch { faults.append(error) }
      expect(log.levels?.bits, equals: [0, 0, 0, 3][Int(bits)])
    }
    expect(faults, equals: [nil, fault, fault, nil])
    expect(log.writes.map(\.fault), equals: faults)
  }
}

struct VirtualClockTests {
  @Test static func `a virtual clock moves on request, and never backwards`() {
    let clock = VirtualClock(startingAt: Instant(microseconds: 50))
    clock.advance(by: Microseconds(7))
    expect(clock.now.microseconds, equals: 57)
    clock.advance(by: Microseconds(-7))
    clock.advance(to: Instant(microseconds: 3))
    expect(clock.now.microseconds, equals: 57)
  }

  @Test static func `sleeping moves a virtual clock to the deadline at once`() {
    func slept(_ clock: inout some MonotonicClock, _ microseconds: Int64) -> Bool {
      clock.sleep(until: Instant(microseconds: microseconds))
    }
    var clock = VirtualClock()
    expect(that: slept(&clock, 1_000))
    expect(clock.now.microseconds, equals: 1_000)
    expect(that: slept(&clock, 500))
    expect(clock.now.microseconds, equals: 1_000)
  }
}

struct ScriptedBusTests {
  @Test static func `a completed script has no leftovers and no mismatches`() throws {
    let address = EmulatedADXL345.address
    let script = BusScript([
      .writeRead([0x00], reply: [0xE5], at: address),
      .write([0x2D, 0x08], to: address),
      .writeRead([0x32], reply: [1, 2], at: address, throwing: .arbitrationLost),
    ])
    var owner = Owner(ScriptedBus(script))
    try expect(owner.read([0x00], 1, at: address), equals: [0xE5])
    try owner.write([0x2D, 0x08], to: address)
    expect(throws: I2CFault.arbitrationLost) { _ = try owner.read([0x32], 2, at: address) }
    expect(script.leftovers, equals: [])
    expect(script.mismatches, equals: [])
    expect(script.complaints, equals: [])
  }

  @Test static func `a script reports what it expected and found, and what is left`() throws {
    let address = EmulatedADXL345.address
    let steps: [BusScript.Step] = [.writeRead([0x00], reply: [0xE5], at: address)]
    let script = BusScript(steps)
    var owner = Owner(ScriptedBus(script))
    expect(throws: I2CFault.unsupported) { try owner.write([0x00], to: address) }
    expect(throws: I2CFault.unsupported) { _ = try owner.read([0x01], 1, at: address) }
    expect(throws: I2CFault.unsupported) { _ = try owner.read([0x00], 2, at: address) }
    expect(throws: I2CFault.unsupported) { _ = try owner.read([0x00], 1, at: EmulatedADXL345.alternateAddress) }
    expect(script.leftovers, equals: steps)
    try expect(owner.read([0x00], 1, at: address), equals: [0xE5])
    expect(throws: I2CFault.unsupported) { try owner.write([0x2D, 0x08], to: address) }
    expect(
      script.mismatches,
      equals: [
        "expected write [00], then read 1 at 53, found write [00] at 53",
        "expected write [00], then read 1 at 53, found write [01], then read 1 at 53",
        "expected write [00], then read 1 at 53, found write [00], then read 2 at 53",
        "expected write [00], then read 1 at 53, found write [00], then read 1 at 1D",
        "expected no more transactions, found write [2D 08] at 53",
      ])
  }

  @Test static func `all complaints are in one list: mismatches, then the steps left over`() throws {
    let script = BusScript([
      .write([0x2D, 0x08], to: EmulatedADXL345.address), .writeRead([0x32], reply: [1, 2], at: WireRig.first),
    ])
    var owner = Owner(ScriptedBus(script))
    expect(
      script.complaints,
      equals: [
        "expected write [2D 08] at 53, which never came", "expected write [32], then read 2 at 50, which never came",
      ])
    expect(throws: I2CFault.unsupported) { try owner.write([0x2D], to: EmulatedADXL345.address) }
    try owner.write([0x2D, 0x08], to: EmulatedADXL345.address)
    expect(
      script.complaints,
      equals: [
        "expected write [2D 08] at 53, found write [2D] at 53",
        "expected write [32], then read 2 at 50, which never came",
      ])
    expect(script.steps.count, equals: 2)
  }
}

/// A log taken from a double before it is consumed must outlive it: Swift 6.3.1 frees it too soon if it can see
/// through the call.
struct KeptLogTests {
  /// Consumes a bus, as a driver does.
  private static func use<Bus: I2CBus & ~Copyable>(_ bus: consuming Bus) -> Int {
    var owner = Owner(bus)
    var faults = 0
    for number: UInt8 in 0..<50 {
      do throws(I2CFault) {
        try owner.write([number], to: WireRig.first)
        _ = try owner.read([number], 2, at: WireRig.first)
      } catch { faults += 1 }
    }
    return faults
  }

  private static func use<Bank: OutputBank & ~Copyable>(_ bank: consuming Bank) -> Int {
    var bank = bank
    var faults = 0
    for number: UInt32 in 0..<50 {
      do throws(OutputFault) { try bank.write(Levels(bits: number)) } catch { faults += 1 }
    }
    return faults
  }

  @Test static func `the log of an emulated bus outlives the bus`() {
    let clock = VirtualClock()
    let bus = EmulatedBus(MemoryTarget(), at: WireRig.first) { clock.now }
    let log = bus.log
    expect(use(bus), equals: 0)
    expect(log.trace.entries.count, equals: 100)
  }

  @Test static func `the log of a recorder outlives it, and the bus below`() {
    let clock = VirtualClock()
    let recorder = BusRecorder(EmulatedBus(MemoryTarget(), at: WireRig.first) { clock.now }) { clock.now }
    let log = recorder.log
    expect(use(recorder), equals: 0)
    expect(log.trace.entries.count, equals: 100)
  }

  @Test static func `the script of a scripted bus outlives the bus`() {
    let bus = ScriptedBus([.write([9], to: WireRig.first)])
    let script = bus.script
    expect(use(bus), equals: 50)
    // Every write except the expected one, and the read after it.
    expect(script.complaints.count, equals: 50)
  }

  @Test static func `the log of recording outputs outlives them`() {
    let clock = VirtualClock()
    let bank = RecordingOutputBank { clock.now }
    let log = bank.log
    expect(use(bank), equals: 0)
    expect(log.writes.count, equals: 50)
  }
}

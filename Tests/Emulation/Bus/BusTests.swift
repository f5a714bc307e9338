import Emulation
import FixedPoint
import HAL
import Testing

/// A part of a user's own: 16 bytes of memory.
private final class Memory: EmulatedTarget {
  var bytes = [UInt8](repeating: 0, count: 16)
  var pointer = 0
  func receive(_ bytes: Span<UInt8>) {
    guard bytes.count > 0 else { return }
    pointer = Int(bytes[0]) & 15
    for index in bytes.indices.dropFirst() { self.bytes[(pointer + index - 1) & 15] = bytes[index] }
  }
  func transmit(into buffer: inout MutableSpan<UInt8>) {
    for index in buffer.indices { buffer[index] = bytes[(pointer + index) & 15] }
  }
  func powerCycle() { bytes = [UInt8](repeating: 0, count: 16) }
}

/// Stands for a driver: owns the bus it was given.
private struct Owner<Bus: I2CBus & ~Copyable>: ~Copyable {
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

@Suite struct EmulatedBusTests {
  @Test func `targets answer at their own addresses`() throws {
    let clock = VirtualClock()
    let first = try #require(I2CAddress(0x50))
    let second = try #require(I2CAddress(0x51))
    var bus = EmulatedBus { clock.now }
    bus.attach(Memory(), at: first)
    bus.attach(Memory(), at: second)
    bus.attach(EmulatedADXL345(motion: Constant()) { clock.now }, at: EmulatedADXL345.alternateAddress)
    var owner = Owner(bus)
    try owner.write([3, 0x11, 0x22], to: first)
    try owner.write([3, 0x33], to: second)
    #expect(try owner.read([3], 2, at: first) == [0x11, 0x22])
    #expect(try owner.read([3], 2, at: second) == [0x33, 0x00])
    #expect(try owner.read([0], 1, at: EmulatedADXL345.alternateAddress) == [0xE5])
  }

  @Test func `nobody acknowledges at an address without a target`() throws {
    let bench = Bench()
    let absent = EmulatedADXL345.alternateAddress
    #expect(fault { () throws(I2CFault) in try bench.bus.write([0].span, to: absent) } == .noAcknowledge)
    bench.bus.detach(EmulatedADXL345.address)
    #expect(fault { () throws(I2CFault) in _ = try bench.read(0x00) } == .noAcknowledge)
    #expect(bench.log.transactionCount == 2)
    #expect(bench.log.faultCount == 2)
  }

  @Test func `the log stays readable after a driver has consumed the bus`() throws {
    let clock = VirtualClock()
    let log = BusLog()
    let memory = Memory()
    let address = try #require(I2CAddress(0x50))
    let plan: FaultPlan = [.init(.timedOut, .transaction(2))]
    var owner = Owner(EmulatedBus(memory, at: address, plan: plan, log: log) { clock.now })
    try owner.write([1, 0x77], to: address)
    clock.advance(by: .milliseconds(5))
    _ = try owner.read([1], 1, at: address)
    #expect(throws: I2CFault.timedOut) { _ = try owner.read([1], 1, at: address) }
    try owner.bus.reopen()
    #expect(log.transactionCount == 3)
    #expect(log.faultCount == 1)
    #expect(log.reopenCount == 1)
    let transactions = log.transactions
    #expect(transactions.map(\.number) == [0, 1, 2])
    #expect(transactions.map(\.instant.microseconds) == [0, 5_000, 5_000])
    #expect(transactions.map(\.written) == [[1, 0x77], [1], [1]])
    #expect(transactions.map(\.read) == [[], [0x77], []])
    #expect(transactions.map(\.fault) == [nil, nil, .timedOut])
    #expect(transactions.allSatisfy { $0.address == address })
  }

  @Test(arguments: [0, 1, 10, 1_000])
  func `a log forgets the oldest transactions but counts all`(_ capacity: Int) throws {
    let clock = VirtualClock()
    let log = BusLog(capacity: capacity)
    let address = try #require(I2CAddress(0x50))
    var owner = Owner(EmulatedBus(Memory(), at: address, log: log) { clock.now })
    for _ in 0..<500 { try owner.write([0], to: address) }
    #expect(log.transactionCount == 500)
    #expect(log.transactions.map(\.number) == Array((500 - min(500, capacity))..<500))
  }
}

@Suite struct ScriptedBusTests {
  @Test func `a script that is followed has no leftovers and no mismatches`() throws {
    let address = EmulatedADXL345.address
    let script = BusScript([
      .writeRead([0x00], reply: [0xE5], at: address),
      .write([0x2D, 0x08], to: address),
      .writeRead([0x32], reply: [1, 2], at: address, throwing: .arbitrationLost),
    ])
    var owner = Owner(ScriptedBus(script))
    #expect(try owner.read([0x00], 1, at: address) == [0xE5])
    try owner.write([0x2D, 0x08], to: address)
    #expect(throws: I2CFault.arbitrationLost) { _ = try owner.read([0x32], 2, at: address) }
    #expect(script.leftovers == [])
    #expect(script.mismatches == [])
  }

  @Test func `a script reports what it expected and what it found, and what is left`() throws {
    let address = EmulatedADXL345.address
    let steps: [BusScript.Step] = [.writeRead([0x00], reply: [0xE5], at: address)]
    let script = BusScript(steps)
    var owner = Owner(ScriptedBus(script))
    #expect(throws: I2CFault.unsupported) { try owner.write([0x00], to: address) }
    #expect(throws: I2CFault.unsupported) { _ = try owner.read([0x01], 1, at: address) }
    #expect(throws: I2CFault.unsupported) { _ = try owner.read([0x00], 2, at: address) }
    #expect(throws: I2CFault.unsupported) { _ = try owner.read([0x00], 1, at: EmulatedADXL345.alternateAddress) }
    #expect(script.leftovers == steps)
    #expect(try owner.read([0x00], 1, at: address) == [0xE5])
    #expect(throws: I2CFault.unsupported) { try owner.write([0x2D, 0x08], to: address) }
    #expect(
      script.mismatches == [
        "expected write [00], then read 1 at 53, found write [00] at 53",
        "expected write [00], then read 1 at 53, found write [01], then read 1 at 53",
        "expected write [00], then read 1 at 53, found write [00], then read 2 at 53",
        "expected write [00], then read 1 at 53, found write [00], then read 1 at 1D",
        "expected no more transactions, found write [2D 08] at 53",
      ])
  }
}

@Suite struct RecordingOutputBankTests {
  @Test func `every write is recorded with its instant`() throws {
    let clock = VirtualClock(startingAt: Instant(microseconds: 100))
    var bank = RecordingOutputBank { clock.now }
    let log = bank.log
    #expect(log.levels == nil)
    try bank.write(Levels(bits: 0b10))
    clock.advance(by: .milliseconds(1))
    try bank.write(.off)
    #expect(log.writes.map(\.levels.bits) == [0b10, 0])
    #expect(log.writes.map(\.instant.microseconds) == [100, 1_100])
    #expect(log.levels == .off)
  }

  @Test func `writes fail where they were told to and leave the levels alone`() {
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
      #expect(log.levels?.bits == [0, 0, 0, 3][Int(bits)])
    }
    #expect(faults == [nil, fault, fault, nil])
    #expect(log.writes.map(\.fault) == faults)
  }
}

@Suite struct VirtualClockTests {
  @Test func `a virtual clock moves when told, and never backwards`() {
    let clock = VirtualClock(startingAt: Instant(microseconds: 50))
    clock.advance(by: Microseconds(7))
    #expect(clock.now.microseconds == 57)
    clock.advance(by: Microseconds(-7))
    clock.advance(to: Instant(microseconds: 3))
    #expect(clock.now.microseconds == 57)
  }

  @Test func `sleeping moves a virtual clock to the deadline at once`() {
    func slept(_ clock: inout some MonotonicClock, _ microseconds: Int64) -> Bool {
      clock.sleep(until: Instant(microseconds: microseconds))
    }
    var clock = VirtualClock()
    #expect(slept(&clock, 1_000))
    #expect(clock.now.microseconds == 1_000)
    #expect(slept(&clock, 500))
    #expect(clock.now.microseconds == 1_000)
  }
}

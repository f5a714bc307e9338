import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

struct BusRecorderTests {
  /// Reads and writes of every kind, including failing ones; returns their results.
  private static func exercise<Bus: I2CBus & ~Copyable>(_ bus: consuming Bus, _ clock: VirtualClock) -> [String] {
    var owner = Owner(bus)
    var results: [String] = []
    for number: UInt8 in 0..<24 {
      do throws(I2CFault) {
        let target = [WireRig.first, WireRig.second, WireRig.absent][Int(number) % 3]
        if number % 4 == 0 { try owner.write([number, number &* 7, 0x5A], to: target) }
        results.append("\(try owner.read([number], Int(number) % 6, at: target))")
        if number % 5 == 0 { try owner.bus.reopen() }
      } catch { results.append("\(error)") }
      clock.advance(by: Microseconds(1_234))
    }
    return results
  }

  private static let plan: FaultPlan =
    .random(seed: 4, oneIn: 4, [.noAcknowledge, .timedOut, .shortRead(received: 1), .corruptByte(index: 0, mask: 1)])
    + [.init(.reopenFault(.unavailable), .transactions(0..<12))]

  private static func bus(_ clock: VirtualClock, _ log: BusLog) -> EmulatedBus {
    var bus = EmulatedBus(MemoryTarget(), at: WireRig.first, plan: Self.plan, log: log) { clock.now }
    bus.attach(MemoryTarget(), at: WireRig.second)
    return bus
  }

  @Test static func `a recorder changes nothing and records what the bus did`() {
    let (clock, bare) = (VirtualClock(), BusLog())
    let expected = exercise(bus(clock, bare), clock)
    let (secondClock, inner) = (VirtualClock(), BusLog())
    let recorder = BusRecorder(bus(secondClock, inner)) { secondClock.now }
    let log = recorder.log
    expect(exercise(recorder, secondClock), equals: expected)
    expect(inner.trace, equals: bare.trace)
    expect(log.trace, equals: bare.trace)
    expect(log.transactions, equals: bare.transactions)
    expect(
      [log.transactionCount, log.faultCount, log.reopenCount],
      equals: [
        bare.transactionCount, bare.faultCount, bare.reopenCount,
      ])
    expect(any: log.trace.entries) { $0.operation == .reopen && $0.fault == .unavailable }
    expect(bare.faultCount, isAbove: 8)
    // The plan belongs to the bus: the recorder injects nothing.
    expect(empty: log.injections)
  }

  @Test(arguments: [nil, 100_000, 400_000] as [UInt32?])
  static func `the frequency is that of the bus below`(_ frequency: UInt32?) {
    let bus = EmulatedBus(MemoryTarget(), at: WireRig.first, frequency: frequency) { Instant(microseconds: 0) }
    expect(bus.frequency, equals: frequency)
    let recorder = BusRecorder(bus) { Instant(microseconds: 0) }
    expect(recorder.frequency, equals: frequency)
  }

  @Test static func `the frequency of an emulated bus is unknown unless it is set`() {
    var bus = EmulatedBus { Instant(microseconds: 0) }
    expect(bus.frequency, equals: nil)
    bus.frequency = 1_000_000
    expect(bus.frequency, equals: 1_000_000)
    expect(ScriptedBus([]).frequency, equals: nil)
  }

  @Test static func `a recording can be replayed by a scripted bus`() throws {
    let clock = VirtualClock()
    let log = BusLog()
    let expected = exercise(bus(clock, log), clock)
    let script = BusScript(log.trace.script)
    expect(script.steps.count, equals: log.transactionCount)
    let replayed = exercise(ScriptedBus(script), VirtualClock())
    expect(script.complaints, equals: [])
    // Only reopening has no step, so its faults are missing.
    expect(replayed, equals: expected.filter { $0 != "unavailable" })
    // The same from text.
    let again = BusScript(try BusTrace(parsing: log.trace.description).script)
    expect(again.steps, equals: script.steps)
  }

  @Test(arguments: [0, 1, 10])
  static func `a small log keeps the last entries, with their numbers`(_ capacity: Int) {
    let wire = WireRig(capacity: capacity)
    for number: UInt8 in 0..<200 {
      expect(wire.write([0, number]), equals: nil)
      if number.isMultiple(of: 2) { expect(wire.reopen(), equals: nil) }
    }
    expect(wire.log.transactionCount, equals: 200)
    expect(wire.log.reopenCount, equals: 100)
    expect(wire.log.trace.entries.count, equals: capacity)
    let numbers = wire.log.transactions.map(\.number)
    expect(wire.log.transactions.map { [Int($0.written[1])] }, equals: numbers.map { [$0] })
    expect(numbers, equals: Array((200 - numbers.count)..<200))
    expect(numbers.count, equals: [0: 0, 1: 1, 10: 7][capacity])
  }
}

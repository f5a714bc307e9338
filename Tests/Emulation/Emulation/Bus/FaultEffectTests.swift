import Emulation
import FixedPoint
import HAL
import Testing

/// The effects, on targets other than sensors.
@Suite struct FaultEffectTests {
  @Test func `a stuck bus times out at every address until its span ends, whatever the rule's address`() {
    let span = Microseconds.milliseconds(1) ..< .milliseconds(4)
    let wire = WireRig([.init(.stuckBus(each: .milliseconds(1)), .during(span), at: WireRig.second)])
    #expect(wire.write([2, 0x77]) == nil)
    wire.clock.advance(by: .milliseconds(1))
    #expect(wire.write([2, 0x11]) == .timedOut)
    // Reopening does not free the line.
    #expect(wire.reopen() == nil)
    #expect(wire.faultOfRead(at: WireRig.second) == .timedOut)
    #expect(wire.faultOfRead(at: WireRig.absent) == .timedOut)
    #expect(wire.clock.now.microseconds == 4_000)
    #expect(wire.read(2) == .success([0x77]))
    #expect(wire.faultOfRead(at: WireRig.absent) == .noAcknowledge)
    #expect(wire.memory.conditions.count == 2)
    #expect(wire.other.conditions.isEmpty)
    #expect(wire.log.injections.map(\.count) == [3])
  }

  @Test(arguments: 0..<4)
  func `a corrupt byte is changed on the bus, and nowhere else`(_ index: Int) {
    let wire = WireRig([.init(.corruptByte(index: index, mask: 0x81), .transactions(1..<3))])
    #expect(wire.write([4, 0x10, 0x20, 0x30, 0x40]) == nil)
    var expected: [UInt8] = [0x10, 0x20, 0x30, 0x40]
    expected[index] ^= 0x81
    #expect(wire.read(4, 4) == .success(expected))
    #expect(wire.log.transactions.last?.read == expected)
    #expect(wire.memory.bytes[4..<8] == [0x10, 0x20, 0x30, 0x40])
    // Transaction 2 reads too little, transaction 3 comes too late.
    #expect(wire.read(4, index) == .success([0x10, 0x20, 0x30, 0x40].prefix(index).map { $0 }))
    #expect(wire.read(4, 4) == .success([0x10, 0x20, 0x30, 0x40]))
    #expect(wire.log.faultCount == 0)
    #expect(wire.log.injections.map(\.count) == [1])
  }

  @Test func `corrupt bytes combine, and indices without a byte change nothing`() {
    let plan: FaultPlan = [
      .init(.corruptByte(index: 1, mask: 0x0F), .always), .init(.corruptByte(index: 1, mask: 0x18), .always),
      .init(.corruptByte(index: 0, mask: 0xFF), .always, at: WireRig.second),
      .init(.corruptByte(index: -1, mask: 0xFF), .always), .init(.corruptByte(index: .max, mask: 0xFF), .always),
      .init(.corruptByte(index: 0, mask: 0x00), .always),
    ]
    let wire = WireRig(plan)
    #expect(wire.read(0, 2) == .success([0x00, 0x17]))
    #expect(wire.read(0, 2, at: WireRig.second) == .success([0xFF, 0x17]))
    #expect(wire.write([0, 1]) == nil)
    #expect(wire.memory.bytes[0] == 1)
    #expect(wire.log.injections.map(\.count) == [2, 2, 1, 0, 0, 0])
  }

  @Test func `an unplugged part does not acknowledge, and returns with its registers reset`() {
    let span = Microseconds.milliseconds(1) ..< .milliseconds(3)
    let wire = WireRig([.init(.unplugged, .during(span), at: WireRig.first)])
    #expect(wire.write([3, 0x55]) == nil)
    #expect(wire.write([3, 0x66], to: WireRig.second) == nil)
    wire.clock.advance(by: .milliseconds(1))
    #expect(wire.faultOfRead() == .noAcknowledge)
    #expect(wire.write([3, 0x77]) == .noAcknowledge)
    #expect(wire.read(3, at: WireRig.second) == .success([0x66]))
    wire.clock.advance(by: .milliseconds(2))
    #expect(wire.read(3) == .success([0x00]))
    #expect(wire.write([3, 0x55]) == nil)
    #expect(wire.read(3) == .success([0x55]))
    #expect(wire.other.powerCycles == 0)
    #expect(wire.log.injections.map(\.count) == [2])
  }

  @Test func `a part unplugged between two transactions has lost its registers too`() {
    let span = Microseconds.milliseconds(1) ..< .milliseconds(3)
    let wire = WireRig([.init(.unplugged, .during(span))])
    #expect(wire.write([3, 0x55]) == nil)
    #expect(wire.write([3, 0x66], to: WireRig.second) == nil)
    wire.clock.advance(by: .milliseconds(7))
    #expect(wire.read(3) == .success([0x00]))
    #expect(wire.read(3, at: WireRig.second) == .success([0x00]))
    #expect(wire.memory.powerCycles == 1)
    #expect(wire.log.faultCount == 0)
  }

  @Test func `a slow transaction takes its time, then succeeds, and the target sees its end`() {
    let wire = WireRig([.init(.slow(.milliseconds(7)), .transaction(1), at: WireRig.first)])
    #expect(wire.write([1, 0x44]) == nil)
    #expect(wire.read(1) == .success([0x44]))
    #expect(wire.clock.now.microseconds == 7_000)
    #expect(wire.read(1) == .success([0x44]))
    #expect(wire.clock.now.microseconds == 7_000)
    #expect(wire.memory.touches == [0, 7_000, 7_000])
    #expect(wire.log.transactions.map(\.instant.microseconds) == [0, 0, 7_000])
    #expect(wire.log.injections.map(\.count) == [1])
  }

  @Test func `slow effects add up, also with other effects`() {
    let plan: FaultPlan = [
      .init(.slow(.milliseconds(1)), .always), .init(.slow(.milliseconds(2)), .always),
      .init(.hang(.milliseconds(10)), .transaction(1)), .init(.noAcknowledge, .transaction(2)),
      // A time below zero counts as zero.
      .init(.slow(.milliseconds(-1_000)), .transaction(3)),
    ]
    let wire = WireRig(plan)
    var times: [Int64] = []
    var faults: [I2CFault?] = []
    for _ in 0..<4 {
      faults.append(wire.faultOfRead())
      times.append(wire.clock.now.microseconds)
    }
    #expect(faults == [nil, .timedOut, .noAcknowledge, nil])
    #expect(times == [3_000, 16_000, 19_000, 19_000])
  }

  @Test func `conditions reach the target of the transaction, and the last of several counts`() {
    let plan: FaultPlan = [
      .init(.identity(0x11), .transactions(0..<2)), .init(.identity(0x22), .transactions(1..<3)),
      .init(.frozenData, .transactions(0..<2), at: WireRig.first), .init(.fullScaleData, .transactions(1..<3)),
    ]
    let wire = WireRig(plan)
    for _ in 0..<4 { #expect(wire.faultOfRead() == nil) }
    #expect(
      wire.memory.conditions == [
        TargetConditions(identity: 0x11, measurement: .frozen),
        TargetConditions(identity: 0x22, measurement: .fullScale),
        TargetConditions(identity: 0x22, measurement: .fullScale), TargetConditions(),
      ])
    #expect(wire.log.injections.map(\.count) == [1, 2, 1, 2])
  }
}

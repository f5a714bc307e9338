import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

/// The effects, on targets other than sensors.
struct FaultEffectTests {
  @Test static func `a stuck bus times out at every address until its span ends, whatever the rule's address`() {
    let span = Microseconds.milliseconds(1) ..< .milliseconds(4)
    let wire = WireRig([.init(.stuckBus(each: .milliseconds(1)), .during(span), at: WireRig.second)])
    expect(wire.write([2, 0x77]), equals: nil)
    wire.clock.advance(by: .milliseconds(1))
    expect(wire.write([2, 0x11]), equals: .timedOut)
    // Reopening does not free the line.
    expect(wire.reopen(), equals: nil)
    expect(wire.faultOfRead(at: WireRig.second), equals: .timedOut)
    expect(wire.faultOfRead(at: WireRig.absent), equals: .timedOut)
    expect(wire.clock.now.microseconds, equals: 4_000)
    expect(wire.read(2), equals: .success([0x77]))
    expect(wire.faultOfRead(at: WireRig.absent), equals: .noAcknowledge)
    expect(wire.memory.conditions.count, equals: 2)
    expect(empty: wire.other.conditions)
    expect(wire.log.injections.map(\.count), equals: [3])
  }

  @Test(arguments: 0..<4)
  static func `a corrupt byte is changed on the bus, and nowhere else`(_ index: Int) {
    let wire = WireRig([.init(.corruptByte(index: index, mask: 0x81), .transactions(1..<3))])
    expect(wire.write([4, 0x10, 0x20, 0x30, 0x40]), equals: nil)
    var expected: [UInt8] = [0x10, 0x20, 0x30, 0x40]
    expected[index] ^= 0x81
    expect(wire.read(4, 4), equals: .success(expected))
    expect(wire.log.transactions.last?.read, equals: expected)
    expect(wire.memory.bytes[4..<8], equals: [0x10, 0x20, 0x30, 0x40])
    // Transaction 2 reads too little, transaction 3 comes too late.
    expect(wire.read(4, index), equals: .success([0x10, 0x20, 0x30, 0x40].prefix(index).map { $0 }))
    expect(wire.read(4, 4), equals: .success([0x10, 0x20, 0x30, 0x40]))
    expect(wire.log.faultCount, equals: 0)
    expect(wire.log.injections.map(\.count), equals: [1])
  }

  @Test static func `corrupt bytes combine, and indices without a byte change nothing`() {
    let plan: FaultPlan = [
      .init(.corruptByte(index: 1, mask: 0x0F), .always), .init(.corruptByte(index: 1, mask: 0x18), .always),
      .init(.corruptByte(index: 0, mask: 0xFF), .always, at: WireRig.second),
      .init(.corruptByte(index: -1, mask: 0xFF), .always), .init(.corruptByte(index: .max, mask: 0xFF), .always),
      .init(.corruptByte(index: 0, mask: 0x00), .always),
    ]
    let wire = WireRig(plan)
    expect(wire.read(0, 2), equals: .success([0x00, 0x17]))
    expect(wire.read(0, 2, at: WireRig.second), equals: .success([0xFF, 0x17]))
    expect(wire.write([0, 1]), equals: nil)
    expect(wire.memory.bytes[0], equals: 1)
    expect(wire.log.injections.map(\.count), equals: [2, 2, 1, 0, 0, 0])
  }

  @Test static func `an unplugged part does not acknowledge, and returns with its registers reset`() {
    let span = Microseconds.milliseconds(1) ..< .milliseconds(3)
    let wire = WireRig([.init(.unplugged, .during(span), at: WireRig.first)])
    expect(wire.write([3, 0x55]), equals: nil)
    expect(wire.write([3, 0x66], to: WireRig.second), equals: nil)
    wire.clock.advance(by: .milliseconds(1))
    expect(wire.faultOfRead(), equals: .noAcknowledge)
    expect(wire.write([3, 0x77]), equals: .noAcknowledge)
    expect(wire.read(3, at: WireRig.second), equals: .success([0x66]))
    wire.clock.advance(by: .milliseconds(2))
    expect(wire.read(3), equals: .success([0x00]))
    expect(wire.write([3, 0x55]), equals: nil)
    expect(wire.read(3), equals: .success([0x55]))
    expect(wire.other.powerCycles, equals: 0)
    expect(wire.log.injections.map(\.count), equals: [2])
  }

  @Test static func `a part unplugged between two transactions has lost its registers too`() {
    let span = Microseconds.milliseconds(1) ..< .milliseconds(3)
    let wire = WireRig([.init(.unplugged, .during(span))])
    expect(wire.write([3, 0x55]), equals: nil)
    expect(wire.write([3, 0x66], to: WireRig.second), equals: nil)
    wire.clock.advance(by: .milliseconds(7))
    expect(wire.read(3), equals: .success([0x00]))
    expect(wire.read(3, at: WireRig.second), equals: .success([0x00]))
    expect(wire.memory.powerCycles, equals: 1)
    expect(wire.log.faultCount, equals: 0)
  }

  @Test static func `a slow transaction takes its time, then succeeds, and the target sees its end`() {
    let wire = WireRig([.init(.slow(.milliseconds(7)), .transaction(1), at: WireRig.first)])
    expect(wire.write([1, 0x44]), equals: nil)
    expect(wire.read(1), equals: .success([0x44]))
    expect(wire.clock.now.microseconds, equals: 7_000)
    expect(wire.read(1), equals: .success([0x44]))
    expect(wire.clock.now.microseconds, equals: 7_000)
    expect(wire.memory.touches, equals: [0, 7_000, 7_000])
    expect(wire.log.transactions.map(\.instant.microseconds), equals: [0, 0, 7_000])
    expect(wire.log.injections.map(\.count), equals: [1])
  }

  @Test static func `slow effects add up, also with other effects`() {
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
    expect(faults, equals: [nil, .timedOut, .noAcknowledge, nil])
    expect(times, equals: [3_000, 16_000, 19_000, 19_000])
  }

  @Test static func `conditions reach the target of the transaction, and the last of several counts`() {
    let plan: FaultPlan = [
      .init(.identity(0x11), .transactions(0..<2)), .init(.identity(0x22), .transactions(1..<3)),
      .init(.frozenData, .transactions(0..<2), at: WireRig.first), .init(.fullScaleData, .transactions(1..<3)),
    ]
    let wire = WireRig(plan)
    for _ in 0..<4 { expect(wire.faultOfRead(), equals: nil) }
    expect(
      wire.memory.conditions,
      equals: [
        TargetConditions(identity: 0x11, measurement: .frozen),
        TargetConditions(identity: 0x22, measurement: .fullScale),
        TargetConditions(identity: 0x22, measurement: .fullScale), TargetConditions(),
      ])
    expect(wire.log.injections.map(\.count), equals: [1, 2, 1, 2])
  }
}

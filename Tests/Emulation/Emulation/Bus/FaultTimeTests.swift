import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

/// When rules hold, how plans combine, and what is counted.
struct FaultTimeTests {
  /// The numbers of the transactions that fail under `plan`, with one every millisecond.
  private static func failures(_ plan: FaultPlan, of count: Int = 12) -> [Int] {
    let wire = WireRig(plan)
    return (0..<count).filter { _ in
      defer { wire.clock.advance(by: .milliseconds(1)) }
      return wire.faultOfRead() != nil
    }
  }

  @Test(arguments: [
    (3, 0, [3]), (3, 1_000, [3]), (3, 1_001, [3, 4]), (3, 4_000, [3, 4, 5, 6]), (0, 2_500, [0, 1, 2]),
    (11, 1_000_000, [11]), (12, 1_000_000, []), (5, -1, [5]),
  ])
  static func `a time can begin at a transaction`(_ number: Int, _ length: Int64, _ expected: [Int]) {
    expect(failures([.init(.noAcknowledge, .from(transaction: number, for: Microseconds(length)))]), equals: expected)
  }

  @Test static func `a time that began at another target's transaction holds for its own target`() {
    let wire = WireRig([.init(.unplugged, .from(transaction: 1, for: .milliseconds(2)), at: WireRig.second)])
    expect(wire.write([0, 9], to: WireRig.second), equals: nil)
    expect(wire.faultOfRead(), equals: nil)
    expect(wire.faultOfRead(at: WireRig.second), equals: .noAcknowledge)
    wire.clock.advance(by: .milliseconds(2))
    expect(wire.read(0, at: WireRig.second), equals: .success([0]))
    expect(wire.memory.powerCycles, equals: 0)
  }

  @Test static func `a time begins at its transaction, not at an earlier reopening`() {
    let wire = WireRig([.init(.noAcknowledge, .from(transaction: 0, for: .milliseconds(3)))])
    expect(wire.reopen(), equals: nil)
    wire.clock.advance(by: .milliseconds(2))
    expect(wire.faultOfRead(), equals: .noAcknowledge)
    wire.clock.advance(by: .milliseconds(2))
    expect(wire.faultOfRead(), equals: .noAcknowledge)
    wire.clock.advance(by: .milliseconds(1))
    expect(wire.faultOfRead(), equals: nil)
  }

  @Test static func `a plan can be reused`() {
    let plan: FaultPlan = [
      .init(.noAcknowledge, .from(transaction: 2, for: .milliseconds(2))),
      .init(.timedOut, .random(oneIn: 4, seed: 1, lasting: .zero ... .milliseconds(2))),
    ]
    expect(failures(plan), equals: failures(plan))
    expect(failures(plan).count, isAbove: 2)
  }

  @Test static func `plans concatenate, and the first rule has priority`() {
    let plan: FaultPlan = [.init(.timedOut, .transaction(0))] + [.init(.noAcknowledge, .transactions(0..<2))]
    let wire = WireRig(plan)
    expect([wire.faultOfRead(), wire.faultOfRead(), wire.faultOfRead()], equals: [.timedOut, .noAcknowledge, nil])
    expect(plan + .none, equals: plan)
    expect(.none + plan, equals: plan)
  }

  /// Each effect, and its fault for a read of six bytes.
  private static let effects: [(FaultPlan.Effect, I2CFault?)] = [
    (.noAcknowledge, .noAcknowledge), (.timedOut, .timedOut), (.arbitrationLost, .arbitrationLost),
    (.fault(.other(code: 5)), .other(code: 5)), (.hang(.milliseconds(1)), .timedOut), (.stuckBus(), .timedOut),
    (.shortRead(received: 2), .shortRead(expected: 6, received: 2)), (.unplugged, .noAcknowledge),
    (.slow(.milliseconds(1)), nil), (.corruptByte(index: 5, mask: 1), nil), (.identity(1), nil), (.brownOut, nil),
    (.frozenData, nil), (.fullScaleData, nil),
  ]

  @Test(arguments: 0..<6)
  static func `each effect at each transaction is injected there, once, and counted`(_ number: Int) {
    for (effect, fault) in Self.effects {
      for when in [FaultPlan.When.transaction(number), .from(transaction: number, for: .zero)] {
        let wire = WireRig([.init(effect, when)])
        let found = (0..<6).map { _ in wire.faultOfRead(6) }
        expect(found, equals: (0..<6).map { $0 == number ? fault : nil }, "\(effect)")
        expect(wire.log.faultCount, equals: fault == nil ? 0 : 1)
        expect(wire.log.injections.map(\.rule), equals: [.init(effect, when)])
        expect(wire.log.injections.map(\.count), equals: [1])
        expect(wire.log.injectionCount(of: effect), equals: 1)
        expect(wire.log.injectionCount(of: .reopenFault(.busy)), equals: 0)
      }
    }
  }

  @Test static func `an effect that reaches nothing is not counted`() {
    let plan = FaultPlan(
      [.brownOut, .unplugged, .identity(1), .frozenData, .corruptByte(index: 0, mask: 1), .noAcknowledge].map {
        .init($0, .always, at: WireRig.absent)
      })
    let wire = WireRig(plan)
    expect(wire.faultOfRead(), equals: nil)
    expect(wire.log.injectionCount, equals: 0)
    expect(wire.faultOfRead(at: WireRig.absent), equals: .noAcknowledge)
    // Unplugged is the first rule that causes a fault; nothing is read after it.
    expect(wire.log.injections.map(\.count), equals: [0, 1, 0, 0, 0, 0])
  }

  @Test static func `short reads of a write, and conditions of a failed transaction, are not counted`() {
    let wire = WireRig([
      .init(.shortRead(received: 0), .always), .init(.identity(3), .always),
      .init(.corruptByte(index: 0, mask: 1), .always),
    ])
    expect(wire.write([0, 0]), equals: nil)
    expect(wire.faultOfRead(), equals: .shortRead(expected: 1, received: 0))
    expect(wire.faultOfRead(0), equals: nil)
    expect(wire.log.injections.map(\.count), equals: [1, 2, 0])
  }

  @Test static func `faults of reopening are counted, whatever the address of the rule`() {
    let wire = WireRig([
      .init(.reopenFault(.busy), .from(transaction: 1, for: .milliseconds(1)), at: WireRig.second),
      .init(.reopenFault(.unavailable), .transactions(1..<3)),
    ])
    expect(wire.reopen(), equals: nil)
    expect(wire.faultOfRead(), equals: nil)
    expect(wire.faultOfRead(), equals: nil)
    expect(wire.reopen(), equals: .busy)
    wire.clock.advance(by: .milliseconds(1))
    expect(wire.reopen(), equals: .unavailable)
    expect(wire.faultOfRead(), equals: nil)
    expect(wire.reopen(), equals: nil)
    expect(wire.log.injections.map(\.count), equals: [1, 1])
    expect(wire.log.injectionCount, equals: 2)
    expect(wire.log.reopenCount, equals: 4)
  }

  @Test static func `a bus without a plan counts nothing`() {
    let wire = WireRig()
    expect(wire.faultOfRead(at: WireRig.absent), equals: .noAcknowledge)
    expect(wire.log.injections, equals: [])
    expect(wire.log.injectionCount, equals: 0)
  }
}

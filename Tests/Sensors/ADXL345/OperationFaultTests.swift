import Emulation
import FixedPoint
import HAL
import Sensors
import Testing

/// Every transaction of every operation, in the plain and in the fullest configuration, fails once in every way: generated.
@Suite struct OperationFaultTests {
  enum Operation: CaseIterable {
    case start, sample, drain, events, selfTest
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var operation: Operation
    var hasEverything: Bool
    var testDescription: String { "\(operation), \(hasEverything ? "everything" : "plain")" }
  }

  static let cases = Operation.allCases.flatMap { operation in
    [false, true].map { Case(operation: operation, hasEverything: $0) }
  }

  /// What an operation gave: the samples it read, and whether a self-test was passed.
  struct Outcome: Equatable {
    var samples: [Vector3] = []
    var hasPassed: Bool?
  }

  /// A rig for a case, with the part started and three samples made, but for a start.
  private func rig(_ example: Case, plan: FaultPlan = .none) throws -> Rig {
    let configuration = example.hasEverything ? try WireFormatTests.everything() : ADXL345.Configuration()
    let rig = Rig(Rig.force, configuration, plan: plan)
    if example.operation != .start { try settle(rig) }
    return rig
  }

  private func settle(_ rig: Rig) throws(SensorError) {
    rig.clock.advance(by: try rig.driver.start())
    rig.clock.advance(by: rig.driver.configuration.rate.period)
  }

  private func perform(_ operation: Operation, on rig: Rig) throws(SensorError) -> Outcome {
    switch operation {
    case .start: try settle(rig)
    case .sample: return Outcome(samples: [try rig.driver.sample()])
    case .drain:
      var batch = ADXL345.Batch()
      try rig.driver.drain(into: &batch)
      return Outcome(samples: (0..<batch.count).compactMap { batch[$0] })
    case .events: _ = try rig.driver.events()
    case .selfTest:
      var clock = rig.clock
      return Outcome(hasPassed: try rig.driver.selfTest(clock: &clock)?.hasPassed)
    }
    return Outcome(samples: [try rig.driver.sample()])
  }

  /// The transactions of an operation without faults: the number of the first, and how many.
  private func span(_ example: Case) throws -> (transactions: Range<Int>, outcome: Outcome) {
    let rig = try rig(example)
    let first = rig.log.transactionCount
    let outcome = try perform(example.operation, on: rig)
    return (first..<rig.log.transactionCount, outcome)
  }

  @Test(arguments: cases)
  func `a bus fault at any transaction is reported as it is, and after a new start all is as without it`(
    _ example: Case
  ) throws {
    let (transactions, outcome) = try span(example)
    for transaction in transactions {
      for fault in FaultTests.faults {
        let rig = try rig(example, plan: [.init(.fault(fault), .transaction(transaction))])
        #expect(throws: SensorError.bus(fault)) { try perform(example.operation, on: rig) }
        #expect(rig.log.transactionCount == transaction + 1)
        try settle(rig)
        #expect(try perform(example.operation, on: rig) == outcome)
        #expect(rig.driver.transactions == UInt64(rig.log.transactionCount))
      }
    }
  }

  @Test(arguments: cases)
  func `a read that ends too soon or hangs at any transaction is reported, and after a new start all is as without it`(
    _ example: Case
  ) throws {
    let (transactions, outcome) = try span(example)
    for transaction in transactions {
      for effect in [FaultPlan.Effect.shortRead(received: 0), .hang(.milliseconds(35))] {
        let rig = try rig(example, plan: [.init(effect, .transaction(transaction))])
        let error = sensorError { () throws(SensorError) in _ = try perform(example.operation, on: rig) }
        switch (effect, error) {
        case (.hang, .bus(.timedOut)): break
        case (.shortRead, .bus(.shortRead(let expected, 0))): #expect(expected > 0)
        // A write has no length to be short of.
        default: #expect(effect != .hang(.milliseconds(35)) && error == nil)
        }
        try settle(rig)
        #expect(try perform(example.operation, on: rig) == outcome)
      }
    }
  }

  @Test(arguments: cases)
  func `a dip of the supply at any transaction is noticed or did no harm, and after a new start all is as without it`(
    _ example: Case
  ) throws {
    let (transactions, outcome) = try span(example)
    for transaction in transactions {
      let rig = try rig(example, plan: [.init(.brownOut, .transaction(transaction))])
      var found: Outcome?
      let error = sensorError { () throws(SensorError) in found = try perform(example.operation, on: rig) }
      switch error {
      case .configurationLost, .configurationRejected: break
      default:
        #expect(error == nil)
        #expect(found == outcome)
      }
      try settle(rig)
      #expect(try perform(example.operation, on: rig) == outcome)
    }
  }

  @Test(arguments: cases)
  func `an operation reads and writes the same each time, and as often as it says`(_ example: Case) throws {
    let (transactions, outcome) = try span(example)
    let rig = try rig(example)
    #expect(try perform(example.operation, on: rig) == outcome)
    #expect(rig.log.transactionCount == transactions.upperBound)
    for sample in outcome.samples {
      // Offsets of -3, +3 and -2 steps of 4 LSB.
      let force = Rig.force
      #expect(
        sample == (example.hasEverything ? Still(x: force.x - 12, y: force.y + 12, z: force.z - 8) : force).vector)
    }
    if example.operation == .selfTest { #expect(outcome.hasPassed == true) }
  }
}

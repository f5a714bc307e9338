import Emulation
import FixedPoint
import HAL
import Sensors
import Testing

/// Every transaction of start and sample fails once, in every way.
@Suite struct FaultTests {
  /// The transactions of a start and a sample; pinned by `WireFormatTests`.
  static let transactionCount = 13
  /// Those that only write.
  static let writes: Set<Int> = [1, 2, 3, 4, 5, 6, 10]

  static let faults: [I2CFault] = [
    .noAcknowledge, .timedOut, .arbitrationLost, .unsupported, .notPermitted, .busy, .unavailable, .other(code: 5),
  ]

  @Test(arguments: faults, 0..<transactionCount)
  func `a bus fault at any transaction is reported as it is, and the next start works`(
    _ fault: I2CFault, _ transaction: Int
  ) throws {
    let rig = Rig(plan: [.init(.fault(fault), .transaction(transaction))])
    #expect(throws: SensorError.bus(fault)) { try rig.startAndSample() }
    #expect(rig.log.transactionCount == transaction + 1)
    #expect(try rig.startAndSample() == Rig.force.vector)
    #expect(rig.driver.transactions == UInt64(rig.log.transactionCount))
    #expect(rig.log.faultCount == 1)
  }

  @Test(arguments: 0..<transactionCount)
  func `a read that ends too soon at any transaction is reported with its length`(_ transaction: Int) throws {
    let rig = Rig(plan: [.init(.shortRead(received: 0), .transaction(transaction))])
    let expected = [0: 1, 7: 3, 8: 6, 9: 1, 11: 1, 12: 7][transaction]
    let error = sensorError { () throws(SensorError) in _ = try rig.startAndSample() }
    // A write has no length to be short of.
    #expect((expected == nil) == FaultTests.writes.contains(transaction))
    #expect(error == expected.map { .bus(.shortRead(expected: $0, received: 0)) })
    #expect(try rig.startAndSample() == Rig.force.vector)
  }

  @Test func `two faults at any two transactions delay the sample and never spoil it`() throws {
    for first in 0..<FaultTests.transactionCount {
      for second in (first + 1)..<(first + 1 + FaultTests.transactionCount) {
        let rig = Rig(plan: [.init(.timedOut, .transaction(first)), .init(.noAcknowledge, .transaction(second))])
        #expect(throws: SensorError.bus(.timedOut)) { try rig.startAndSample() }
        #expect(throws: SensorError.bus(.noAcknowledge)) { try rig.startAndSample() }
        #expect(try rig.startAndSample() == Rig.force.vector)
      }
    }
  }

  @Test func `a fault in a sample needs no new start once it is over`() throws {
    let rig = Rig(plan: [.init(.noAcknowledge, .transactions(13..<18))])
    #expect(try rig.startAndSample() == Rig.force.vector)
    for _ in 0..<5 { #expect(throws: SensorError.bus(.noAcknowledge)) { try rig.driver.sample() } }
    #expect(try rig.driver.sample() == Rig.force.vector)
  }

  @Test func `a bus without the part reports that nobody acknowledges`() {
    let bus = EmulatedBus { Instant(microseconds: 0) }
    var driver = ADXL345.Device(bus: bus)
    #expect(sensorError { () throws(SensorError) in _ = try driver.sample() } == .bus(.noAcknowledge))
    #expect(sensorError { () throws(SensorError) in _ = try driver.start() } == .bus(.noAcknowledge))
  }

  @Test(arguments: ConfigurationTests.all)
  func `a dip of the supply between samples is noticed by the next one`(
    _ configuration: ADXL345.Configuration
  ) throws {
    let rig = Rig(Rig.force, configuration)
    #expect(try rig.startAndSample() == Rig.force.vector)
    rig.part.powerCycle()
    for _ in 0..<3 {
      rig.clock.advance(by: configuration.rate.period)
      #expect(throws: SensorError.configurationLost) { try rig.driver.sample() }
    }
    #expect(try rig.startAndSample() == Rig.force.vector)
  }

  @Test(arguments: 0..<(transactionCount + 5))
  func `a dip of the supply at any transaction never leads to a wrong sample`(_ transaction: Int) throws {
    let configuration = ADXL345.Configuration(rate: .hz50, range: .g4)
    let rig = Rig(Rig.force, configuration, plan: [.init(.brownOut, .transaction(transaction))])
    let error = sensorError { () throws(SensorError) in
      #expect(try rig.startAndSample() == Rig.force.vector)
      for _ in 0..<5 {
        rig.clock.advance(by: .milliseconds(20))
        #expect(try rig.driver.sample() == Rig.force.vector)
      }
    }
    // Before the rate is written there is nothing to lose that has been set.
    if transaction > 4 { #expect(error.map(FaultTests.isLossOfConfiguration) == true) }
    #expect(try rig.startAndSample() == Rig.force.vector)
  }

  @Test func `reopening is passed on and is no transaction`() throws {
    let rig = Rig(plan: [.init(.reopenFault(.unavailable), .transactions(0..<1))])
    #expect(throws: SensorError.bus(.unavailable)) { try rig.driver.reopen() }
    #expect(try rig.startAndSample() == Rig.force.vector)
    #expect(sensorError { () throws(SensorError) in try rig.driver.reopen() } == nil)
    #expect(rig.log.reopenCount == 2)
    #expect(rig.driver.transactions == UInt64(FaultTests.transactionCount))
  }

  private static func isLossOfConfiguration(_ error: SensorError) -> Bool {
    switch error {
    case .configurationLost, .configurationRejected: true
    default: false
    }
  }
}

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
    for sample in outcome.samples { #expect(sample == Rig.force.vector) }
    if example.operation == .selfTest { #expect(outcome.hasPassed == true) }
  }
}

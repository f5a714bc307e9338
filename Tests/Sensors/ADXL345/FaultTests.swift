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

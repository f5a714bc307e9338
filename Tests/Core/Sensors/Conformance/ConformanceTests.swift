import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// Every driver on a bus with faults: each transaction of each operation fails once, in every way. The numbers of the
/// transactions come from a run without faults.
struct ConformanceTests {
  static let faults: [I2CFault] = [
    .noAcknowledge, .timedOut, .arbitrationLost, .unsupported, .notPermitted, .busy, .unavailable, .other(code: 5),
  ]

  @Test(arguments: (0..<UInt8(SensorModel.count)).compactMap(SensorModel.init(rawValue:)))
  static func `each model has a thorough row here`(_ model: SensorModel) {
    expect(any: SensorSpecimen.all) {
      $0.isThorough && $0.identity.register == model.traits.identityRegister
        && model.part(identity: $0.identity.expected)?.model == model
    }
  }

  /// A start and two samples; then the driver's other operations, after a start.
  private static func operations(of specimen: SensorSpecimen) -> [(isStart: Bool, operation: any SensorOperation)] {
    [(true, StartAndSamples())] + specimen.operations.map { (false, $0) }
  }

  private struct StartAndSamples: SensorOperation {
    func outcome(with rig: any SensorRig) throws(SensorError) -> String {
      try rig.start()
      var samples: [Vector3] = []
      for _ in 0..<2 {
        for sample in try rig.nextSamples().samples where !samples.contains(sample) { samples.append(sample) }
      }
      return "\(samples.map { "\($0)" }.sorted())"
    }
  }

  /// A rig with the part started, unless the operation starts it.
  private static func rig(
    _ specimen: SensorSpecimen, isStarted: Bool, plan: FaultPlan = .none
  ) throws(SensorError) -> any SensorRig {
    let rig = specimen.rig(plan)
    if isStarted {
      try rig.start()
      _ = try rig.nextSamples()
    }
    return rig
  }

  /// A run of an operation without faults.
  private struct Clean {
    var isStart: Bool
    var operation: any SensorOperation
    var numbers: Range<Int>
    var transactions: [BusLog.Transaction]
    var outcome: String
  }

  private static func clean(_ specimen: SensorSpecimen) throws -> [Clean] {
    try operations(of: specimen).map { (isStart, operation) in
      let rig = try rig(specimen, isStarted: !isStart)
      let first = rig.log.transactionCount
      let outcome = try operation.outcome(with: rig)
      return Clean(
        isStart: isStart, operation: operation, numbers: first..<rig.log.transactionCount,
        transactions: rig.log.transactions, outcome: outcome)
    }
  }

  /// The number of transactions of a start.
  private static func startCount(_ specimen: SensorSpecimen) throws -> Int {
    let rig = specimen.rig(.none)
    try rig.start()
    return rig.log.transactionCount
  }

  private static func areRight(_ specimen: SensorSpecimen, _ rig: any SensorRig) throws -> Bool {
    let samples = try rig.nextSamples().samples
    return !samples.isEmpty && samples.allSatisfy { $0 == specimen.force }
  }

  /// Whether nothing followed the fault at transaction `number`, except what the driver does after a fault.
  private static func hasEnded(_ specimen: SensorSpecimen, _ rig: any SensorRig, after number: Int) -> Bool {
    let more = rig.log.transactions.dropFirst(number + 1).map(\.written)
    return more.isEmpty || more == [specimen.cleanUp]
  }

  /// Checks that after another start everything is as if the fault had not happened.
  private static func expectRecovery(
    _ specimen: SensorSpecimen, _ clean: Clean, _ rig: any SensorRig,
    _ text: @autoclosure () -> String
  ) throws {
    if !clean.isStart {
      try rig.start()
      _ = try rig.nextSamples()
    }
    try expect(clean.operation.outcome(with: rig), equals: clean.outcome, "\(text())")
    expect(rig.transactions, equals: UInt64(rig.log.transactionCount), "\(text())")
  }

  @Test(arguments: SensorSpecimen.all)
  static func `a driver touches nothing before its start, returns the force, and counts every transaction`(
    _ specimen: SensorSpecimen
  ) throws {
    let rig = specimen.rig(.none)
    expect(rig.log.transactionCount, equals: 0)
    expect(rig.transactions, equals: 0)
    for _ in 0..<2 {
      let before = rig.log.transactionCount
      try rig.start()
      expect(rig.log.transactionCount - before, equals: try Self.startCount(specimen))
      for _ in 0..<20 { try expect(that: Self.areRight(specimen, rig)) }
      expect(rig.transactions, equals: UInt64(rig.log.transactionCount))
    }
    expect(rig.log.faultCount, equals: 0)
    for clean in try Self.clean(specimen) {
      let again = try Self.rig(specimen, isStarted: !clean.isStart)
      try expect(clean.operation.outcome(with: again), equals: clean.outcome)
      expect(again.log.transactions, equals: clean.transactions, "the same each time")
      expect(again.log.transactionCount, equals: clean.numbers.upperBound)
    }
  }

  @Test(arguments: SensorSpecimen.all)
  static func `a start during another one restarts it, and proceed costs nothing once it is done`(
    _ specimen: SensorSpecimen
  )
    throws
  {
    let (rig, count) = (specimen.rig(.none), try Self.startCount(specimen))
    for steps in 0..<4 {
      try rig.begin()
      for _ in 0..<steps { _ = try rig.proceed() }
      let before = rig.log.transactionCount
      try rig.start()
      try expect(that: !rig.proceed())
      expect(rig.log.transactionCount, equals: before + count)
      try expect(that: Self.areRight(specimen, rig))
    }
  }

  @Test(arguments: SensorSpecimen.all)
  static func `a bus fault at any transaction is reported unchanged, and leaves no trace after a new start`(
    _ specimen: SensorSpecimen
  ) throws {
    let start = try Self.startCount(specimen)
    let effects = Self.faults.map(FaultPlan.Effect.fault) + [.hang(.milliseconds(35))]
    for clean in try Self.clean(specimen) {
      for number in clean.numbers {
        for effect in effects {
          let rig = try Self.rig(specimen, isStarted: !clean.isStart, plan: [.init(effect, .transaction(number))])
          let error = sensorError { () throws(SensorError) in _ = try clean.operation.outcome(with: rig) }
          let expected: I2CFault = if case .fault(let fault) = effect { fault } else { .timedOut }
          expect(error, equals: .bus(expected), "\(effect) at \(number)")
          let count = rig.log.transactionCount
          expect(that: Self.hasEnded(specimen, rig, after: number))
          if number < start {
            expect(sensorError { () throws(SensorError) in _ = try rig.sample() }, equals: .configurationLost)
            expect(rig.log.transactionCount, equals: count)
          }
          try Self.expectRecovery(specimen, clean, rig, "\(effect) at \(number)")
          expect(rig.log.faultCount, equals: 1)
        }
      }
    }
  }

  @Test(arguments: SensorSpecimen.all)
  static func `a read that ends too soon at any transaction is reported with its length`(_ specimen: SensorSpecimen)
    throws
  {
    for clean in try Self.clean(specimen) {
      for number in clean.numbers {
        let plan: FaultPlan = [.init(.shortRead(received: 0), .transaction(number))]
        let rig = try Self.rig(specimen, isStarted: !clean.isStart, plan: plan)
        let error = sensorError { () throws(SensorError) in _ = try clean.operation.outcome(with: rig) }
        let length = clean.transactions[number].read.count
        // A write cannot fall short of its length.
        expect(error, equals: (length == 0 ? nil : .bus(.shortRead(expected: length, received: 0))), "at \(number)")
        try Self.expectRecovery(specimen, clean, rig, "at \(number)")
      }
    }
  }

  @Test(arguments: SensorSpecimen.all)
  static func `a measuring part is not read after a new start has failed, or continues it to its end`(
    _ specimen: SensorSpecimen
  ) throws {
    let count = try Self.startCount(specimen)
    for number in 0..<count {
      let rig = specimen.rig([.init(.timedOut, .transaction(count + number))])
      try rig.start()
      expect(sensorError { () throws(SensorError) in try rig.start() }, equals: .bus(.timedOut))
      let faulty = rig.log.transactionCount
      expect(sensorError { () throws(SensorError) in _ = try rig.sample() }, equals: .configurationLost)
      expect(sensorError { () throws(SensorError) in try rig.verifyConfiguration() }, equals: .configurationLost)
      expect(rig.log.transactionCount, equals: faulty)
      expect(that: Self.hasEnded(specimen, rig, after: count + number))
      var turns = 0
      while turns < 100, try rig.proceed() { turns += 1 }
      // From the identity on, or from the last step on; a start of a single step is not continued.
      if rig.log.transactionCount == faulty { try rig.start() }
      expect(turns, isAtMost: 3)
      expect(rig.log.transactionCount, isAtMost: faulty + count)
      try expect(that: Self.areRight(specimen, rig))
    }
  }

  @Test(arguments: SensorSpecimen.all.filter(\.isThorough))
  static func `two faults at any two transactions delay the sample and never corrupt it`(_ specimen: SensorSpecimen)
    throws
  {
    let clean = try require(Self.clean(specimen).first)
    for first in clean.numbers {
      for second in (first + 1)..<(first + 1 + clean.numbers.count) {
        let rig = specimen.rig([.init(.timedOut, .transaction(first)), .init(.noAcknowledge, .transaction(second))])
        var faults: [SensorError] = []
        var outcome: String?
        while outcome == nil, faults.count < 3 {
          if let error = sensorError(of: { () throws(SensorError) in outcome = try clean.operation.outcome(with: rig) })
          {
            faults.append(error)
          }
        }
        // The second can hit what the driver does after the first.
        let isHidden = rig.log.transactions[second].written == specimen.cleanUp && faults.count == 1
        expect(faults, equals: [.bus(.timedOut)] + (isHidden ? [] : [.bus(.noAcknowledge)]), "\(first), \(second)")
        expect(outcome, equals: clean.outcome)
      }
    }
  }

  @Test(arguments: SensorSpecimen.all)
  static func `a fault in a sample needs no new start once it is over`(_ specimen: SensorSpecimen) throws {
    let count = try Self.startCount(specimen)
    let rig = specimen.rig([.init(.noAcknowledge, .transactions(count..<(count + 5)))])
    try rig.start()
    for _ in 0..<5 {
      expect(sensorError { () throws(SensorError) in _ = try rig.nextSamples() }, equals: .bus(.noAcknowledge))
    }
    try expect(that: Self.areRight(specimen, rig))
  }

  @Test(arguments: SensorSpecimen.all)
  static func `a bus without the part gives no acknowledge; reopening is passed on and is no transaction`(
    _ specimen: SensorSpecimen
  ) throws {
    let absent = specimen.rig([.init(.unplugged, .always)])
    expect(sensorError { () throws(SensorError) in try absent.start() }, equals: .bus(.noAcknowledge))
    expect(absent.transactions, equals: 1)
    // A start of several steps begins again.
    let error = sensorError { () throws(SensorError) in _ = try absent.proceed() }
    expect(error, equals: absent.transactions == 2 ? .bus(.noAcknowledge) : nil)
    let rig = specimen.rig([.init(.reopenFault(.unavailable), .transactions(0..<1))])
    expect(sensorError { () throws(SensorError) in try rig.reopen() }, equals: .bus(.unavailable))
    expect(rig.transactions, equals: 0)
    try rig.start()
    try rig.reopen()
    expect(rig.log.reopenCount, equals: 2)
    expect(rig.transactions, equals: UInt64(try Self.startCount(specimen)))
    try expect(that: Self.areRight(specimen, rig))
  }

  @Test(arguments: SensorSpecimen.all)
  static func `any wrong identity is rejected as long as it lasts, and nothing is written`(
    _ specimen: SensorSpecimen
  ) throws {
    let (register, expected, alike) = specimen.identity
    for identity in UInt8.min...UInt8.max where identity != expected && !alike.contains(identity) {
      let questions = specimen.refused.contains(identity) ? [register] : specimen.questions ?? [register]
      let rig = specimen.rig([.init(.identity(identity), .transactions(0..<(3 * questions.count)))])
      for _ in 0..<3 {
        let error = sensorError { () throws(SensorError) in try rig.start() }
        expect(error, equals: .unexpectedIdentity(found: identity, expected: expected))
      }
      expect(rig.log.transactions.map(\.written), equals: (0..<3).flatMap { _ in questions.map { [$0] } })
      try rig.start()
      try expect(that: Self.areRight(specimen, rig))
    }
  }

  /// Takes samples until a lost configuration is detected; returns the error.
  private static func follow(_ specimen: SensorSpecimen, _ rig: any SensorRig, atLeast least: Int = 0) -> SensorError? {
    sensorError { () throws(SensorError) in
      for _ in 0...max(least, specimen.samplesUntilNoticed) {
        let samples = try rig.nextSamples().samples
        expect(all: samples, "\(samples)") { $0 == specimen.force || specimen.unconfigured.contains($0) }
      }
    }
  }

  private static func isLossOfConfiguration(_ error: SensorError?) -> Bool {
    switch error {
    case .configurationLost, .configurationRejected: true
    default: false
    }
  }

  private static func settings(_ specimen: SensorSpecimen, _ rig: any SensorRig) throws -> [UInt8] {
    try specimen.settings.flatMap { try rig.registers($0, 1) }
  }

  @Test(arguments: SensorSpecimen.all)
  static func `a brown-out between samples is detected, until a new start`(_ specimen: SensorSpecimen) throws {
    let rig = specimen.rig(.none)
    for _ in 0..<2 {
      try rig.start()
      try expect(that: Self.areRight(specimen, rig))
      rig.powerCycle()
      expect(Self.follow(specimen, rig), equals: .configurationLost)
      for _ in 0..<3 {
        expect(sensorError { () throws(SensorError) in _ = try rig.nextSamples() }, equals: .configurationLost)
      }
    }
    try rig.start()
    try expect(that: Self.areRight(specimen, rig))
  }

  @Test(arguments: SensorSpecimen.all)
  static func `a brown-out at any transaction is detected, or the part runs as configured`(_ specimen: SensorSpecimen)
    throws
  {
    let clean = specimen.rig(.none)
    try clean.start()
    expect(Self.follow(specimen, clean, atLeast: 5), equals: nil)
    let settings = try Self.settings(specimen, clean)
    for number in 0..<clean.log.transactionCount {
      let rig = specimen.rig([.init(.brownOut, .transaction(number))])
      let error =
        sensorError { () throws(SensorError) in try rig.start() } ?? Self.follow(specimen, rig, atLeast: 5)
        ?? Self.follow(specimen, rig)
      if let error {
        expect(that: Self.isLossOfConfiguration(error), "\(error) at \(number)")
      } else {
        try expect(Self.settings(specimen, rig), equals: settings, "at \(number)")
      }
      try rig.start()
      for _ in 0..<3 { try expect(that: Self.areRight(specimen, rig), "at \(number)") }
      expect(rig.log.faultCount, equals: 0)
    }
    for clean in try Self.clean(specimen).filter({ !$0.isStart }) {
      for number in clean.numbers {
        let rig = try Self.rig(specimen, isStarted: true, plan: [.init(.brownOut, .transaction(number))])
        var outcome: String?
        let error = sensorError { () throws(SensorError) in outcome = try clean.operation.outcome(with: rig) }
        #expect(Self.isLossOfConfiguration(error) || error == nil && outcome == clean.outcome, "at \(number)")
        try Self.expectRecovery(specimen, clean, rig, "at \(number)")
      }
    }
  }

  static let effects: [FaultPlan.Effect] = [
    .noAcknowledge, .timedOut, .arbitrationLost, .shortRead(received: 0), .fault(.other(code: 5)), .brownOut,
    .unplugged, .hang(.milliseconds(50)), .slow(.milliseconds(7)), .identity(0x00), .identity(0xFF),
  ]

  @Test(arguments: SensorSpecimen.all)
  static func `after any temporary fault samples come again within three starts, and are right`(
    _ specimen: SensorSpecimen
  ) throws {
    let count = try Self.startCount(specimen)
    for effect in Self.effects {
      for first in 0..<(count + 10) {
        let rig = specimen.rig([.init(effect, .transactions(first..<(first + 2)))])
        var starts = 0
        for _ in 0..<4 {
          starts += 1
          let error = sensorError { () throws(SensorError) in
            try rig.start()
            for _ in 0..<20 { _ = try rig.nextSamples() }
          }
          if error == nil { break }
        }
        expect(starts, isAtMost: 3, "\(effect) at \(first)")
        for _ in 0..<4 { try expect(that: Self.areRight(specimen, rig), "\(effect) at \(first)") }
        expect(rig.transactions, equals: UInt64(rig.log.transactionCount))
      }
    }
  }

  @Test(arguments: SensorSpecimen.all)
  static func `a part that slept and was woken is configured as before, and can sleep again`(
    _ specimen: SensorSpecimen
  ) throws {
    let rig = specimen.rig(.none)
    try rig.start()
    guard rig.canWatchForMovement else { return }
    let before = try Self.settings(specimen, rig)
    for _ in 0..<2 {
      try rig.fallAsleep()
      try expect(rig.hasMoved(from: nil), equals: false)
      try rig.wake()
      try expect(Self.settings(specimen, rig), equals: before)
      try expect(that: Self.areRight(specimen, rig))
    }
  }
}

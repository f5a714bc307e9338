import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport

/// A fault and its duration.
struct FaultTrial {
  enum Length {
    /// At one transaction.
    case once
    /// Until the end of the scenario.
    case toTheEnd
    /// For a time.
    case time(Microseconds)
  }

  var effect: FaultPlan.Effect
  var length = Length.once

  /// How long it lasts after the transaction at which it begins.
  var span: Microseconds {
    guard case .time(let span) = length else { return .zero }
    return span
  }

  func plan(at number: Int, of count: Int) -> FaultPlan {
    switch length {
    case .once: [.init(effect, .transaction(number))]
    case .toTheEnd: [.init(effect, .transactions(number..<max(count, number + 1)))]
    case .time(let span): [.init(effect, .from(transaction: number, for: span))]
    }
  }

  /// Every kind of fault for a transaction that reads `length` bytes; masks are drawn from `generator`.
  static func all(reading length: Int, _ identities: [UInt8], _ generator: inout SplitMix64) -> [FaultTrial] {
    let faults: [I2CFault] = [
      .noAcknowledge, .arbitrationLost, .timedOut, .shortRead(expected: 7, received: 3), .unsupported, .notPermitted,
      .busy, .unavailable, .other(code: 121),
    ]
    var trials = faults.map { FaultTrial(effect: .fault($0)) }
    trials += [0, max(0, length - 1), 99].map { FaultTrial(effect: .shortRead(received: $0)) }
    trials += [
      FaultTrial(effect: .hang(.milliseconds(20))), FaultTrial(effect: .hang(.milliseconds(1_100))),
      FaultTrial(effect: .stuckBus(each: .milliseconds(5)), length: .time(.milliseconds(30))),
      FaultTrial(effect: .slow(.milliseconds(7))), FaultTrial(effect: .brownOut), FaultTrial(effect: .unplugged),
      FaultTrial(effect: .unplugged, length: .time(.milliseconds(40))),
      FaultTrial(effect: .frozenData, length: .toTheEnd), FaultTrial(effect: .fullScaleData, length: .toTheEnd),
    ]
    trials += identities.map { FaultTrial(effect: .identity($0)) }
    for index in 0..<length {
      let bit: UInt8 = 1 << UInt8.random(in: 0..<8, using: &generator)
      trials.append(FaultTrial(effect: .corruptByte(index: index, mask: bit)))
      trials.append(FaultTrial(effect: .corruptByte(index: index, mask: .random(in: 1...255, using: &generator))))
    }
    return trials
  }
}

/// Runs one scenario with every fault at every transaction.
struct Matrix {
  let family: any Family
  let clean: Clean
  private(set) var cases = 0
  private(set) var failures: [String] = []

  init(_ family: any Family) throws(SensorError) {
    self.family = family
    let bench = family.bench(.none)
    let outcome = try bench.run()
    clean = Clean(transactions: bench.log.transactions, outcome: outcome)
  }

  /// Runs all of them, or every `stride`th transaction, starting with one drawn by `seed`.
  mutating func run(seed: UInt64, stride step: Int = 1) {
    var generator = SplitMix64(seed: seed)
    for number in stride(from: Int.random(in: 0..<step, using: &generator), to: clean.transactions.count, by: step) {
      let length = clean.transactions[number].read.count
      for trial in FaultTrial.all(reading: length, family.identities, &generator) {
        cases += 1
        if let fault = failure(of: trial, at: number) {
          failures.append("\(family.name): \(trial.effect) at \(number): \(fault)")
        }
      }
    }
  }

  /// What is wrong with the end of a trial; nil for nothing.
  private func failure(of trial: FaultTrial, at number: Int) -> String? {
    let bench = family.bench(trial.plan(at: number, of: clean.transactions.count))
    var outcome = BenchOutcome()
    let thrown = error { () throws(SensorError) in outcome = try bench.run() }
    let count = bench.log.transactionCount
    if count > clean.transactions.count + 60 { return "\(count) transactions" }
    let expectation = expectation(of: trial.effect, at: number)
    let cleanUps = count > number + 1 && thrown != nil && bench.log.transactions.last?.written == family.cleanUp ? 1 : 0
    if let wrong = verdict(expectation, outcome, thrown, count - cleanUps, number) { return wrong }
    if case .loss = expectation, thrown == nil, let wrong = followUp(bench) { return wrong }
    if let wrong = miscount(trial, bench.log, at: number, cleanUps) { return wrong }
    return recovery(bench)
  }

  /// The required result of a fault, if it is the same for every part.
  private func expectation(of effect: FaultPlan.Effect, at number: Int) -> Expectation {
    let length = clean.transactions[number].read.count
    switch effect {
    case .fault(let fault): return .error(.bus(fault))
    case .hang, .stuckBus: return .error(.bus(.timedOut))
    case .unplugged: return .error(.bus(.noAcknowledge))
    case .shortRead(let received):
      guard length > 0 else { return .same }
      return .error(.bus(.shortRead(expected: length, received: min(received, length - 1))))
    case .slow, .reopenFault: return .same
    case .identity(let value): return family.expectation(identity: value, at: number, clean)
    case .corruptByte(let index, let mask):
      guard index < length else { return .same }
      return family.expectation(corrupting: index, mask, at: number, clean)
    case .brownOut: return .loss
    case .frozenData: return .frozen
    case .fullScaleData: return .fullScale
    }
  }

  private func verdict(
    _ expectation: Expectation, _ outcome: BenchOutcome, _ thrown: SensorError?, _ count: Int, _ number: Int
  ) -> String? {
    // Interpolation takes longer than the trial.
    var text: String { "\(expectation), but \(thrown.map { "\($0)" } ?? "\(outcome)") after \(count)" }
    switch expectation {
    case .error(let error, let later): return thrown == error && count == number + 1 + later ? nil : text
    case .same: return thrown == nil && isSame(outcome) ? nil : text
    case .altered(let sample): return thrown == nil && isSame(outcome, butFor: sample) ? nil : text
    case .toldOtherwise: return thrown == nil && outcome.samples.allSatisfy { $0 == family.right } ? nil : text
    case .miscounted(let other): return thrown == nil && hasOnly([other], outcome) ? nil : text
    case .otherPart(let rejected):
      switch thrown {
      case nil: return isSame(outcome, butFor: family.right) ? nil : text
      case .unexpectedIdentity, .configurationRejected(register: rejected, _, _): return nil
      default: return text
      }
    case .loss: return isLoss(thrown) && hasOnly(family.unconfigured, outcome) ? nil : text
    case .frozen:
      return thrown == nil && hasOnly(family.frozen, outcome) && isHonest(outcome, number) ? nil : text
    case .fullScale: return thrown == nil && hasOnly([family.full], outcome) && isHonest(outcome, number) ? nil : text
    }
  }
}

extension Matrix {
  /// Whether an outcome equals that of the run without a fault, except perhaps for one sample.
  private func isSame(_ outcome: BenchOutcome, butFor sample: Vector3? = nil) -> Bool {
    guard outcome.hasGap == clean.outcome.hasGap, outcome.hasMoved == clean.outcome.hasMoved,
      sample != nil || outcome.hasPassed == clean.outcome.hasPassed
    else { return false }
    let others = outcome.samples.filter { $0 != family.right }
    let isOther = others.count == 1 && sample.map { others[0].isNear($0) } == true
    guard others.isEmpty || isOther else {
      // A mean includes a share of it.
      guard case .average(let count) = family.operation, let sample, let mean = others.first, others.count == 1
      else { return false }
      return mean == family.right.moved(to: sample, share: Int32(count))
    }
    // More samples wait in a FIFO that is read later.
    switch family.operation {
    case .batch: return outcome.samples.count >= clean.outcome.samples.count
    default: break
    }
    return outcome.samples.count == clean.outcome.samples.count
  }

  private func isLoss(_ thrown: SensorError?) -> Bool {
    switch thrown {
    case nil, .configurationLost: true
    case .configurationRejected(let register, let wrote, let read):
      wrote != read && family.isResetValue(read, of: register)
    default: false
    }
  }

  private func hasOnly(_ others: [Vector3], _ outcome: BenchOutcome) -> Bool {
    if case .average = family.operation { return true }
    return outcome.samples.allSatisfy { $0 == family.right || others.contains($0) }
  }

  /// Whether a self-test without live samples does not pass.
  private func isHonest(_ outcome: BenchOutcome, _ number: Int) -> Bool {
    guard outcome.hasPassed == true else { return true }
    guard let force = clean.transactions.firstIndex(where: family.decidesSelfTest) else { return false }
    return number > force
  }

  /// A part with an undetected loss of configuration is detected with the next samples, or works.
  private func followUp(_ bench: any Bench) -> String? {
    var last = family.right
    let thrown = error { () throws(SensorError) in
      for _ in 0...family.samplesUntilNoticed { last = try bench.nextSample() }
    }
    if thrown == .configurationLost { return nil }
    return thrown == nil && last == family.right ? nil : "goes on unnoticed: \(last), \(String(describing: thrown))"
  }

  /// An injected fault is counted in its place, and nothing else is.
  private func miscount(_ trial: FaultTrial, _ log: BusLog, at number: Int, _ cleanUps: Int) -> String? {
    let isRead = clean.transactions[number].read.count > 0
    var expected: Int
    switch trial.effect {
    case .fault, .hang, .stuckBus, .unplugged: expected = 1
    case .shortRead: expected = isRead ? 1 : 0
    default: expected = 0
    }
    if case .time = trial.length { expected += cleanUps }
    return log.faultCount == expected ? nil : "\(log.faultCount) faults on the bus"
  }

  /// Once the fault is over, one new start must be enough.
  private func recovery(_ bench: any Bench) -> String? {
    bench.clock.advance(by: .milliseconds(100))
    var sample = Vector3.zero
    let thrown = error { () throws(SensorError) in
      try bench.restart()
      sample = try bench.nextSample()
    }
    if let thrown { return "no recovery: \(thrown)" }
    if sample != family.right { return "recovered with \(sample)" }
    guard bench.transactions == UInt64(bench.log.transactionCount) else { return "transactions miscounted" }
    return nil
  }
}

extension Vector3 {
  /// Whether it differs by rounding at most.
  fileprivate func isNear(_ other: Vector3) -> Bool {
    max((x.raw - other.x.raw).magnitude, (y.raw - other.y.raw).magnitude, (z.raw - other.z.raw).magnitude) <= 1
  }

  /// The mean of `share` samples, of which one is `other` and the rest are this.
  fileprivate func moved(to other: Vector3, share: Int32) -> Vector3 {
    func axis(_ own: Q16, _ other: Q16) -> Q16 { Q16(raw: (own.raw * (share - 1) + other.raw) / share) }
    return Vector3(x: axis(x, other.x), y: axis(y, other.y), z: axis(z, other.z))
  }
}

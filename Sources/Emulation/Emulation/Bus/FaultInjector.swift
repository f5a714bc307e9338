import FixedPoint
import HAL

/// The moment on the bus that rules are compared with.
struct BusMoment {
  /// The number of the transaction; for `reopen()`, that of the next one.
  var number: Int
  /// The time since the bus was created.
  var elapsed: Microseconds
  /// The target; nil for `reopen()`.
  var address: I2CAddress?
  /// The number of times that the bus was reopened before; used only by `reopen()`.
  var reopenCount = 0

  /// The index by which a random rule draws its word: transactions and reopenings never share one.
  var draw: UInt64 { UInt64(bitPattern: Int64(address == nil ? ~reopenCount : number)) }
}

/// What a plan decides about one transaction.
struct FaultVerdict {
  /// The fault it ends in, if any.
  var fault: I2CFault?
  /// How much longer it takes.
  var delay = Microseconds.zero
  /// The conditions for the target.
  var conditions = TargetConditions()
  /// Whether a target loses its supply first.
  var cutsPower = false
  /// Whether what is read must go through `corrupt`.
  var corrupts = false
  /// The rules that set the conditions, to be counted once those have reached a target.
  fileprivate var identityRule: Int?
  fileprivate var measurementRule: Int?
}

/// A plan and its progress. A transaction costs one pass over the rules, without an allocation.
struct FaultInjector {
  private var rules: [ActiveRule]

  init(_ plan: FaultPlan) { rules = plan.rules.map(ActiveRule.init) }

  /// What happens to the transaction at `moment` that reads `count` bytes; what is injected is counted in `log`.
  mutating func verdict(at moment: BusMoment, reading count: Int, _ log: BusLog) -> FaultVerdict {
    var verdict = FaultVerdict()
    for index in rules.indices {
      let isOn = rules[index].turn(to: moment)
      if rules[index].cutsPower { verdict.cutsPower = true }
      guard isOn, rules[index].concerns(moment.address) else { continue }
      switch rules[index].effect {
      case .identity(let value):
        verdict.conditions.identity = value
        verdict.identityRule = index
      case .frozenData:
        verdict.conditions.measurement = .frozen
        verdict.measurementRule = index
      case .fullScaleData:
        verdict.conditions.measurement = .fullScale
        verdict.measurementRule = index
      case .slow(let span):
        verdict.delay = verdict.delay + span
        log.countInjection(by: index)
      case .corruptByte: verdict.corrupts = true
      case let effect:
        guard verdict.fault == nil, let (fault, delay) = effect.fault(reading: count) else { continue }
        verdict.fault = fault
        verdict.delay = verdict.delay + delay
        log.countInjection(by: index)
      }
    }
    return verdict
  }

  /// Counts the conditions of `verdict`, which have reached a target.
  func countConditions(of verdict: FaultVerdict, _ log: BusLog) {
    if let rule = verdict.identityRule { log.countInjection(by: rule) }
    if let rule = verdict.measurementRule { log.countInjection(by: rule) }
  }

  /// Passes the address of each rule that cuts the supply at the present transaction to `body`.
  ///
  /// `body` returns whether there was a part to lose it.
  func forEachPowerCut(_ log: BusLog, _ body: (I2CAddress?) -> Bool) {
    for index in rules.indices where rules[index].cutsPower {
      // Unplugging is counted by the faults that it causes.
      if body(rules[index].address) && rules[index].effect == .brownOut { log.countInjection(by: index) }
    }
  }

  /// Inverts bits in what the present transaction has read from `address`.
  func corrupt(_ buffer: inout MutableSpan<UInt8>, at address: I2CAddress, _ log: BusLog) {
    for index in rules.indices where rules[index].isOn && rules[index].concerns(address) {
      guard case .corruptByte(let byte, let mask) = rules[index].effect else { continue }
      guard mask != 0 && byte >= 0 && byte < buffer.count else { continue }
      buffer[byte] ^= mask
      log.countInjection(by: index)
    }
  }

  /// The fault that `reopen()` throws, if any.
  mutating func reopenFault(at moment: BusMoment, _ log: BusLog) -> I2CFault? {
    var found: I2CFault?
    for index in rules.indices {
      let isOn = rules[index].turn(to: moment)
      guard isOn, found == nil, case .reopenFault(let fault) = rules[index].effect else { continue }
      found = fault
      log.countInjection(by: index)
    }
    return found
  }
}

extension FaultPlan.Effect {
  /// The fault in which a transaction that reads `count` bytes ends, and how long that takes; nil if it does not fail.
  fileprivate func fault(reading count: Int) -> (I2CFault, Microseconds)? {
    switch self {
    case .fault(let fault): (fault, .zero)
    case .hang(let span), .stuckBus(let span): (.timedOut, span)
    case .unplugged: (.noAcknowledge, .zero)
    case .shortRead(let received) where count > 0:
      (.shortRead(expected: count, received: max(0, min(received, count - 1))), .zero)
    default: nil
    }
  }
}

/// A rule of a plan with its own state: until when it applies, and whether it has cut the supply.
private struct ActiveRule {
  let effect: FaultPlan.Effect
  let when: FaultPlan.When
  let address: I2CAddress?
  private let takesPower: Bool
  private let isOfReopening: Bool
  /// Whether it applies at the present moment.
  private(set) var isOn = false
  /// Whether it cuts the supply at the present transaction.
  private(set) var cutsPower = false
  private let bits: RandomBits
  private var hasBegun = false
  private var hasCut = false
  /// The end of a period that began at a transaction.
  private var end = Microseconds(.min)

  init(_ rule: FaultPlan.Rule) {
    effect = rule.effect
    when = rule.when
    address = rule.address
    takesPower = rule.effect == .brownOut || rule.effect == .unplugged
    if case .reopenFault = rule.effect { isOfReopening = true } else { isOfReopening = false }
    if case .random(_, let seed, _) = rule.when { bits = RandomBits(seed: seed) } else { bits = RandomBits(seed: 0) }
  }

  /// Whether its effect applies to this target. SDA and `reopen()` concern all of them.
  func concerns(_ target: I2CAddress?) -> Bool {
    if case .stuckBus = effect { return true }
    return address == nil || address == target
  }

  /// Advances it to `moment`, to be called once for each; returns whether it applies then.
  mutating func turn(to moment: BusMoment) -> Bool {
    isOn = holds(at: moment)
    cutsPower = false
    if takesPower && moment.address != nil {
      cutsPower = isOn || (isPast(moment) && !hasCut)
      hasCut = hasCut || cutsPower
    }
    return isOn
  }

  private mutating func holds(at moment: BusMoment) -> Bool {
    switch when {
    case .always: return true
    case .transactions(let numbers): return numbers.contains(moment.number)
    case .during(let span): return span.contains(moment.elapsed)
    case .from(let number, let span):
      if !hasBegun && moment.number >= number && (moment.address != nil || isOfReopening) {
        hasBegun = true
        end = moment.elapsed + span
      }
      return moment.number == number || moment.elapsed < end
    case .random(let oneIn, _, let lasting):
      if moment.elapsed < end { return true }
      // Each kind of rule draws only at its own kind of moment.
      guard oneIn > 0 && (moment.address == nil) == isOfReopening else { return false }
      let word = bits.word(moment.draw)
      guard RandomBits.number(below: UInt64(oneIn), from: word) == 0 else { return false }
      end = moment.elapsed + span(lasting, by: SplitMix64.mixed(word))
      return true
    }
  }

  private func span(_ range: ClosedRange<Microseconds>, by word: UInt64) -> Microseconds {
    let width = UInt64(bitPattern: (range.upperBound - range.lowerBound).count) &+ 1
    return range.lowerBound + Microseconds(Int64(bitPattern: RandomBits.number(below: width, from: word)))
  }

  /// Whether the start of a period has been reached, whether the period is over or not.
  private func isPast(_ moment: BusMoment) -> Bool {
    guard case .during(let span) = when else { return false }
    return span.lowerBound <= moment.elapsed
  }
}

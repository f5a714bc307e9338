public import FixedPoint
public import HAL

/// What goes wrong on an ``EmulatedBus``, and when.
///
///     let plan: FaultPlan = [
///       .init(.noAcknowledge, .transaction(3)),
///       .init(.brownOut, .during(.seconds(2) ..< .seconds(3))),
///     ]
public struct FaultPlan: Equatable, Sendable, ExpressibleByArrayLiteral {
  /// What goes wrong.
  public enum Effect: Equatable, Sendable {
    /// The transaction throws this fault; the target sees nothing of it.
    case fault(I2CFault)
    /// The transaction takes this long and then throws `timedOut`, as on a bus that a target holds; the bus must have been
    /// told how time passes.
    case hang(Microseconds)
    /// A read throws `shortRead` with so many bytes received (at most one too few), the target unchanged.
    ///
    /// Transactions that read nothing go through.
    case shortRead(received: Int)
    /// The identity register reads this value.
    case identity(UInt8)
    /// The target loses all its configuration before the transaction, and still answers.
    ///
    /// The supply knows nothing of the bus: it makes no difference which target the transaction is for, or how it ends.
    /// In a span of time: at the first transaction after its start, whenever that comes, and at every one until its end.
    case brownOut
    /// New samples repeat the last one.
    case frozenData
    /// New samples read full scale on every axis.
    case fullScaleData
    /// `reopen()` throws this fault; transactions are untouched.
    case reopenFault(I2CFault)

    /// Nobody acknowledges.
    public static var noAcknowledge: Effect { .fault(.noAcknowledge) }
    /// The bus does not finish in time.
    public static var timedOut: Effect { .fault(.timedOut) }
    /// Another controller wins the bus.
    public static var arbitrationLost: Effect { .fault(.arbitrationLost) }
  }

  /// When it goes wrong.
  public enum When: Equatable, Sendable {
    /// From the beginning to the end.
    case always
    /// At transactions with these numbers: the first of the bus is 0, and those that fail count.
    case transactions(Range<Int>)
    /// In this span of time, counted from the making of the bus; the end does not belong to it.
    case during(Range<Microseconds>)

    /// At one transaction.
    public static func transaction(_ number: Int) -> When {
      let start = min(number, Int.max - 1)
      return .transactions(start..<(start + 1))
    }
  }

  /// One effect, its time, and the target it concerns.
  public struct Rule: Equatable, Sendable {
    /// What goes wrong.
    public var effect: Effect
    /// When it goes wrong.
    public var when: When
    /// The target it concerns; nil for every one.
    public var address: I2CAddress?

    /// A rule for the target at `address`, or for all.
    public init(_ effect: Effect, _ when: When, at address: I2CAddress? = nil) {
      self.effect = effect
      self.when = when
      self.address = address
    }
  }

  /// The rules. Where several faults fall on one transaction, the first counts.
  public var rules: [Rule]

  /// A plan of these rules.
  public init(_ rules: [Rule]) { self.rules = rules }

  /// A plan of these rules.
  public init(arrayLiteral elements: Rule...) { rules = elements }

  /// Nothing goes wrong.
  public static var none: FaultPlan { FaultPlan([]) }
}

/// The moment on the bus that rules are held against.
struct BusMoment {
  /// The number of the transaction; for `reopen()`, of the next one.
  var number: Int
  /// Time since the bus was made.
  var elapsed: Microseconds
  /// The target; nil for `reopen()`.
  var address: I2CAddress?
}

extension FaultPlan.When {
  func includes(_ moment: BusMoment) -> Bool {
    switch self {
    case .always: true
    case .transactions(let numbers): numbers.contains(moment.number)
    case .during(let span): span.contains(moment.elapsed)
    }
  }

  /// Whether the start of a span of time has come, be the span over or not.
  func hasBegun(at moment: BusMoment) -> Bool {
    guard case .during(let span) = self else { return false }
    return span.lowerBound <= moment.elapsed
  }
}

extension FaultPlan {
  /// The effects that concern `moment`, in the order of the rules.
  private func effects(at moment: BusMoment) -> [Effect] {
    rules.filter { $0.concerns(moment.address) && $0.when.includes(moment) }.map(\.effect)
  }

  /// The first fault of a transaction that reads `count` bytes.
  func fault(at moment: BusMoment, reading count: Int) -> I2CFault? {
    for effect in effects(at: moment) {
      switch effect {
      case .fault(let fault): return fault
      case .hang: return .timedOut
      case .shortRead(let received) where count > 0:
        return .shortRead(expected: count, received: max(0, min(received, count - 1)))
      default: continue
      }
    }
    return nil
  }

  /// How long the transaction takes that fails at `moment`.
  func hang(at moment: BusMoment) -> Microseconds {
    for case .hang(let span) in effects(at: moment) { return span }
    return .zero
  }

  /// What the target has to live with in this transaction; the last rule counts.
  func conditions(at moment: BusMoment) -> TargetConditions {
    var conditions = TargetConditions()
    for effect in effects(at: moment) {
      switch effect {
      case .identity(let value): conditions.identity = value
      case .frozenData: conditions.measurement = .frozen
      case .fullScaleData: conditions.measurement = .fullScale
      default: continue
      }
    }
    return conditions
  }

  /// What `reopen()` throws.
  func reopenFault(at moment: BusMoment) -> I2CFault? {
    for case .reopenFault(let fault) in effects(at: moment) { return fault }
    return nil
  }
}

extension FaultPlan.Rule {
  func concerns(_ target: I2CAddress?) -> Bool { address == nil || address == target }
}

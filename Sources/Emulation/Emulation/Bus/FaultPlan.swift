public import FixedPoint
public import HAL

/// What goes wrong on an ``EmulatedBus``, and when.
///
/// ```swift
/// let plan: FaultPlan = [
///   .init(.noAcknowledge, .transaction(3)),
///   .init(.unplugged, .from(transaction: 20, for: .milliseconds(300))),
///   .init(.brownOut, .during(.seconds(2) ..< .seconds(3))),
/// ]
/// ```
///
/// A plan has no state and can be reused: equal plans with equal transactions at equal times give equal faults.
public struct FaultPlan: Equatable, Sendable, ExpressibleByArrayLiteral {
  /// What goes wrong.
  public enum Effect: Equatable, Sendable {
    /// The transaction throws this fault; the target sees nothing of the transaction.
    case fault(I2CFault)
    /// The transaction takes this long and then throws `timedOut`, as with a target that holds SCL.
    case hang(Microseconds)
    /// A target holds SDA: every transaction takes this long and then throws `timedOut`, whatever its address.
    ///
    /// The address of the rule is ignored, and reopening the bus does not free it.
    case stuckBus(each: Microseconds = .zero)
    /// The transaction takes this much longer; its outcome is left to the other rules. The target sees its end.
    case slow(Microseconds)
    /// A read throws `shortRead` with this many bytes received (clamped to one too few); the target is unchanged.
    ///
    /// Transactions that read nothing succeed.
    case shortRead(received: Int)
    /// In what is read, the bits of `mask` are inverted in byte `index` (from 0). Shorter reads are unchanged.
    ///
    /// I2C has no checksum: the transaction succeeds.
    case corruptByte(index: Int, mask: UInt8)
    /// The identity register reads this value.
    case identity(UInt8)
    /// The target loses all its configuration before the transaction, but still responds.
    ///
    /// The supply is independent of the bus: it makes no difference which target the transaction is for, or how it
    /// ends. It happens at every transaction of the period; if there are none in a `during`, at the first one after it.
    case brownOut
    /// No acknowledge, and the power is lost: when the target is back, its registers are at their reset values.
    ///
    /// The power is lost as in a `brownOut`, so that the target's start-up time counts from the last transaction it
    /// missed.
    case unplugged
    /// New samples repeat the last one.
    case frozenData
    /// New samples read full scale on every axis.
    case fullScaleData
    /// `reopen()` throws this fault; transactions are unaffected. The address of the rule is ignored.
    case reopenFault(I2CFault)

    /// No acknowledge.
    public static var noAcknowledge: Effect { .fault(.noAcknowledge) }
    /// The bus does not finish in time.
    public static var timedOut: Effect { .fault(.timedOut) }
    /// Another controller wins the bus.
    public static var arbitrationLost: Effect { .fault(.arbitrationLost) }
  }

  /// When something goes wrong.
  public enum When: Equatable, Sendable {
    /// From the beginning to the end.
    case always
    /// At the transactions with these numbers: the first of the bus is 0, and failed ones count.
    case transactions(Range<Int>)
    /// In this period, counted from the creation of the bus; its end is excluded.
    case during(Range<Microseconds>)
    /// From the transaction with this number until this much time has passed; that transaction in any case.
    case from(transaction: Int, for: Microseconds)
    /// Again and again, on average once in `oneIn` transactions, for a time drawn uniformly from `lasting`.
    ///
    /// Each transaction draws independently, from the seed and its number, unless the last time is not over; 0 is that
    /// one transaction. A `oneIn` of 1 means always, a smaller one never. The cost does not grow, however long it
    /// continues.
    case random(oneIn: Int, seed: UInt64, lasting: ClosedRange<Microseconds> = .zero ... .zero)

    /// At one transaction.
    public static func transaction(_ number: Int) -> When {
      let start = min(number, Int.max - 1)
      return .transactions(start..<(start + 1))
    }
  }

  /// One effect, its time, and the target it applies to.
  public struct Rule: Equatable, Sendable {
    /// What goes wrong.
    public var effect: Effect
    /// When it goes wrong.
    public var when: When
    /// The target it applies to; nil for every one.
    public var address: I2CAddress?

    /// A rule for the target at `address`, or for all.
    public init(_ effect: Effect, _ when: When, at address: I2CAddress? = nil) {
      self.effect = effect
      self.when = when
      self.address = address
    }
  }

  /// The rules. If several faults apply to one transaction, the first counts; for identities and data, the last.
  public var rules: [Rule]

  /// A plan of these rules.
  public init(_ rules: [Rule]) { self.rules = rules }

  /// A plan of these rules.
  public init(arrayLiteral elements: Rule...) { rules = elements }

  /// Nothing goes wrong.
  public static var none: FaultPlan { FaultPlan([]) }

  /// The rules of both, those of `a` first.
  public static func + (a: FaultPlan, b: FaultPlan) -> FaultPlan { FaultPlan(a.rules + b.rules) }
}

extension FaultPlan {
  /// Endless faults of several kinds in turn, the same for the same seed: for runs of any length.
  ///
  /// On average one begins every `oneIn` transactions, all effects with equal frequency; each lasts a time drawn
  /// uniformly from `lasting` (0: one transaction). They may overlap. Memory, and time per transaction, depend only on
  /// the number of effects.
  public static func random(
    seed: UInt64, oneIn: Int, _ effects: [Effect], lasting: ClosedRange<Microseconds> = .zero ... .zero,
    at address: I2CAddress? = nil
  ) -> FaultPlan {
    let (share, isTooRare) = oneIn.multipliedReportingOverflow(by: effects.count)
    return FaultPlan(
      effects.enumerated().map { number, effect in
        // Seeds that are far apart, so that the plans of seeds 1 and 2 have no rule in common.
        let ownSeed = RandomBits(seed: seed).word(UInt64(number))
        return Rule(
          effect, .random(oneIn: isTooRare ? .max : share, seed: ownSeed, lasting: lasting), at: address)
      })
  }
}

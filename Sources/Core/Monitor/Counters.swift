package import Orientation

/// Counts since the start. Exact: everything is counted once, when it happens. Beyond 2^64 - 1 a count wraps to 0.
public struct Counters: Equatable, Sendable {
  /// Samples that arrived and were found plausible.
  public var samples: UInt64 = 0
  /// Changes to another pose, including the first one.
  public var poseChanges: UInt64 = 0
  /// Changes to an unknown pose, by reason.
  public var unknown = UnknownCounts()
  /// Faults of the bus or the sensor by kind; each attempt counts.
  public var faultKinds = FaultCounts()
  /// Times the bus was reopened, or an attempt was made, to reconfigure the sensor.
  public var restarts: UInt64 = 0
  /// Times the sensor delivered again after it had been reconfigured.
  public var recoveries: UInt64 = 0
  /// Times the sensor was given up permanently: 0 or 1.
  public var giveUps: UInt64 = 0
  /// Notices reported.
  public var notices: UInt64 = 0
  /// Shakes reported.
  public var shakes: UInt64 = 0
  /// Samples that were at least a whole period late, so at least one was missed.
  public var lateSamples: UInt64 = 0
  /// Samples that the sensor took and that were lost, because they were read too late or because of a fault; known only
  /// if samples wait in the sensor.
  public var lostSamples: UInt64 = 0

  /// All zero.
  public init() {}

  /// Faults of all kinds together.
  public var faults: UInt64 { faultKinds.total }
}

/// How often the pose became unknown, by reason.
public struct UnknownCounts: Equatable, Sendable {
  /// `UnknownReason.ambiguous`.
  public var ambiguous: UInt64 = 0
  /// `UnknownReason.accelerating`.
  public var accelerating: UInt64 = 0
  /// `UnknownReason.freeFall`.
  public var freeFall: UInt64 = 0
  /// `UnknownReason.stale`.
  public var stale: UInt64 = 0
  /// `UnknownReason.fault`.
  public var fault: UInt64 = 0

  /// All zero.
  public init() {}

  mutating func count(_ reason: UnknownReason) {
    switch reason {
    // Before the first sample, nothing has become unknown.
    case .notYetSampled: break
    case .ambiguous: ambiguous &+= 1
    case .accelerating: accelerating &+= 1
    case .freeFall: freeFall &+= 1
    case .stale: stale &+= 1
    case .fault: fault &+= 1
    }
  }
}

/// How often an attempt failed with each kind of fault, whatever its details.
public struct FaultCounts: Equatable, Sendable {
  private var counts = FaultKind.Table<UInt64>(repeating: 0)
  /// Faults whose kind a stream's owner does not report, or reports by a name that is not known here; 0 for a local
  /// board.
  public package(set) var others: UInt64 = 0

  /// All zero.
  public init() {}

  /// How often `kind` occurred.
  public subscript(kind: FaultKind) -> UInt64 {
    // Inlined, each use would copy all counts onto the stack, in loops too.
    @inline(never)
    get {
      let index = Int(kind.rawValue)
      return index < counts.count ? counts[index] : 0
    }
    set {
      let index = Int(kind.rawValue)
      if index < counts.count { counts[index] = newValue }
    }
  }

  /// Faults of the bus.
  public var bus: UInt64 { sum { $0.isOfBus } }

  /// All faults.
  public var total: UInt64 { sum { _ in true } &+ others }

  private func sum(_ isCounted: (FaultKind) -> Bool) -> UInt64 {
    var sum: UInt64 = 0
    for index in counts.indices {
      let kind = FaultKind.allCases[index]
      if isCounted(kind) { sum = sum &+ self[kind] }
    }
    return sum
  }

  /// Whether all counts are equal.
  public static func == (a: FaultCounts, b: FaultCounts) -> Bool {
    for index in a.counts.indices where a.counts[index] != b.counts[index] { return false }
    return a.others == b.others
  }
}

extension FaultCounts {
  /// Calls `body` with the name of each kind of fault, and how often it occurred.
  package func forEach(_ body: (_ kind: StaticString, _ count: UInt64) -> Void) {
    for index in 0..<FaultKind.allCases.count {
      let kind = FaultKind.allCases[index]
      body(kind.name, self[kind])
    }
  }

  /// Calls `body` with the name of each kind of fault that has occurred, and how often.
  public func forEachPositive(_ body: (_ kind: StaticString, _ count: UInt64) -> Void) {
    forEach { kind, count in if count > 0 { body(kind, count) } }
  }
}

extension UnknownCounts {
  /// How often the pose became unknown for `reason`.
  package subscript(reason: UnknownReason) -> UInt64 {
    switch reason {
    case .notYetSampled: 0
    case .ambiguous: ambiguous
    case .accelerating: accelerating
    case .freeFall: freeFall
    case .stale: stale
    case .fault: fault
    }
  }

  /// Calls `body` with each reason that can make the pose unknown, and its count, which `body` may change.
  package mutating func update(_ body: (_ reason: UnknownReason, _ count: inout UInt64) -> Void) {
    body(.ambiguous, &ambiguous)
    body(.accelerating, &accelerating)
    body(.freeFall, &freeFall)
    body(.stale, &stale)
    body(.fault, &fault)
  }

  /// Calls `body` with the name of each reason that can make the pose unknown, and its count.
  package func forEach(_ body: (_ reason: StaticString, _ count: UInt64) -> Void) {
    var counts = self
    counts.update { reason, count in body(reason.name, count) }
  }

  /// Calls `body` with the name of each reason that has made the pose unknown, and its count.
  public func forEachPositive(_ body: (_ reason: StaticString, _ count: UInt64) -> Void) {
    forEach { reason, count in if count > 0 { body(reason, count) } }
  }
}

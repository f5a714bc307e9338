package import JSON
public import Monitor
package import Orientation

extension FaultCounts {
  /// Calls `body` with the name of each kind of fault, and how often it came.
  package func forEach(_ body: (_ kind: StaticString, _ count: UInt64) -> Void) {
    for index in 0..<FaultKind.allCases.count {
      let kind = FaultKind.allCases[index]
      body(kind.name, self[kind])
    }
  }

  /// Calls `body` with the name of each kind of fault that came, and how often.
  public func forEachPositive(_ body: (_ kind: StaticString, _ count: UInt64) -> Void) {
    forEach { kind, count in if count > 0 { body(kind, count) } }
  }
}

extension UnknownCounts {
  /// Calls `body` with each reason for which the pose can become unknown, and its count, which `body` may change.
  package mutating func update(_ body: (_ reason: UnknownReason, _ count: inout UInt64) -> Void) {
    body(.ambiguous, &ambiguous)
    body(.accelerating, &accelerating)
    body(.freeFall, &freeFall)
    body(.stale, &stale)
    body(.fault, &fault)
  }

  /// Calls `body` with the name of each reason for which the pose can become unknown, and how often it did.
  package func forEach(_ body: (_ reason: StaticString, _ count: UInt64) -> Void) {
    var counts = self
    counts.update { reason, count in body(reason.name, count) }
  }

  /// Calls `body` with the name of each reason for which the pose became unknown, and how often.
  public func forEachPositive(_ body: (_ reason: StaticString, _ count: UInt64) -> Void) {
    forEach { reason, count in if count > 0 { body(reason, count) } }
  }
}

extension JSONWriter {
  /// Writes `fault_kinds`, an object of each kind of fault that came.
  package mutating func field(_ kinds: FaultCounts) {
    beginObject("fault_kinds")
    kinds.forEachPositive { kind, count in field(kind, count) }
    endObject()
  }

  /// Writes `unknown`, an object of each reason for which the pose became unknown.
  package mutating func field(_ reasons: UnknownCounts) {
    beginObject("unknown")
    reasons.forEachPositive { reason, count in field(reason, count) }
    endObject()
  }
}

internal import HAL
package import JSON
public import Monitor
internal import Orientation
public import Sensors

extension SensorError {
  /// The name of the kind of fault, as in `fault_kinds`.
  public var kind: StaticString {
    switch self {
    case .bus(.noAcknowledge): "noAcknowledge"
    case .bus(.arbitrationLost): "arbitrationLost"
    case .bus(.timedOut): "timedOut"
    case .bus(.shortRead): "shortRead"
    case .bus(.unsupported): "unsupported"
    case .bus(.notPermitted): "notPermitted"
    case .bus(.busy): "busy"
    case .bus(.unavailable): "unavailable"
    case .bus(.other): "otherBusFault"
    case .unexpectedIdentity: "unexpectedIdentity"
    case .configurationRejected: "configurationRejected"
    case .configurationLost: "configurationLost"
    case .resetTimedOut: "resetTimedOut"
    case .rateTooHigh: "rateTooHigh"
    case .frozen: "frozen"
    case .stuckAtFullScale: "stuckAtFullScale"
    case .weightless: "weightless"
    }
  }
}

extension FaultCounts {
  /// Calls `body` with the name of each kind of fault that came, and how often.
  public func forEachPositive(_ body: (_ kind: StaticString, _ count: UInt64) -> Void) {
    func pass(_ kind: StaticString, _ count: UInt64) { if count > 0 { body(kind, count) } }
    pass("noAcknowledge", noAcknowledge)
    pass("arbitrationLost", arbitrationLost)
    pass("timedOut", timedOut)
    pass("shortRead", shortRead)
    pass("unsupported", unsupported)
    pass("notPermitted", notPermitted)
    pass("busy", busy)
    pass("unavailable", unavailable)
    pass("otherBusFault", otherBusFault)
    pass("unexpectedIdentity", unexpectedIdentity)
    pass("configurationRejected", configurationRejected)
    pass("configurationLost", configurationLost)
    pass("resetTimedOut", resetTimedOut)
    pass("rateTooHigh", rateTooHigh)
    pass("frozen", frozen)
    pass("stuckAtFullScale", stuckAtFullScale)
    pass("weightless", weightless)
  }
}

extension UnknownCounts {
  /// Calls `body` with the name of each reason for which the pose became unknown, and how often.
  public func forEachPositive(_ body: (_ reason: StaticString, _ count: UInt64) -> Void) {
    func pass(_ reason: UnknownReason, _ count: UInt64) { if count > 0 { body(reason.name, count) } }
    pass(.ambiguous, ambiguous)
    pass(.accelerating, accelerating)
    pass(.freeFall, freeFall)
    pass(.stale, stale)
    pass(.fault, fault)
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

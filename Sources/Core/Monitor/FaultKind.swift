internal import HAL
public import Sensors

/// The kinds of sensor faults, without their details; those of the bus come first.
public enum FaultKind: UInt8, Equatable, Sendable {
  /// No acknowledge.
  case noAcknowledge
  /// Another controller won the arbitration.
  case arbitrationLost
  /// The bus did not finish in time.
  case timedOut
  /// Fewer bytes were received than requested.
  case shortRead
  /// The adapter does not support the transaction.
  case unsupported
  /// The program has no permission to use the bus.
  case notPermitted
  /// A kernel driver or another program uses the address.
  case busy
  /// The bus does not exist, or no longer exists.
  case unavailable
  /// Any other fault of the bus.
  case otherBusFault
  /// Another part, or none at all, responds at the address.
  case unexpectedIdentity
  /// A register did not keep what was written to it.
  case configurationRejected
  /// The part has lost its configuration, as after a brown-out.
  case configurationLost
  /// The part did not end its reset in time.
  case resetTimedOut
  /// The bus is too slow for the output data rate.
  case rateTooHigh
  /// The sensor returns the same sample again and again.
  case frozen
  /// An axis stays at the end of its range.
  case stuckAtFullScale
  /// Hardly any force, for longer than a board can fall.
  case weightless
  /// Another program has changed the part's configuration.
  case configurationChanged

  /// The name in JSON: as `cause`, and in `fault_kinds`.
  public var name: StaticString {
    switch self {
    case .noAcknowledge: "noAcknowledge"
    case .arbitrationLost: "arbitrationLost"
    case .timedOut: "timedOut"
    case .shortRead: "shortRead"
    case .unsupported: "unsupported"
    case .notPermitted: "notPermitted"
    case .busy: "busy"
    case .unavailable: "unavailable"
    case .otherBusFault: "otherBusFault"
    case .unexpectedIdentity: "unexpectedIdentity"
    case .configurationRejected: "configurationRejected"
    case .configurationLost: "configurationLost"
    case .resetTimedOut: "resetTimedOut"
    case .rateTooHigh: "rateTooHigh"
    case .frozen: "frozen"
    case .stuckAtFullScale: "stuckAtFullScale"
    case .weightless: "weightless"
    case .configurationChanged: "configurationChanged"
    }
  }

  /// Whether it is a fault of the bus: an `I2CFault`.
  public var isOfBus: Bool { rawValue <= FaultKind.otherBusFault.rawValue }

  /// Whether the samples themselves are at fault: receiving one proves nothing.
  var isOfSamples: Bool { self == .frozen || self == .stuckAtFullScale || self == .weightless }
}

extension FaultKind {
  /// A value for each kind. Its size is the only place that states the number of kinds: a test compares it with
  /// ``allCases``.
  package typealias Table<Element> = InlineArray<18, Element>

  /// All kinds, in order.
  public static var allCases: EnumCases<FaultKind> { EnumCases(first: .noAcknowledge) }
}

extension SensorError {
  /// The kind of fault.
  public var kind: FaultKind {
    switch self {
    case .bus(.noAcknowledge): .noAcknowledge
    case .bus(.arbitrationLost): .arbitrationLost
    case .bus(.timedOut): .timedOut
    case .bus(.shortRead): .shortRead
    case .bus(.unsupported): .unsupported
    case .bus(.notPermitted): .notPermitted
    case .bus(.busy): .busy
    case .bus(.unavailable): .unavailable
    case .bus(.other): .otherBusFault
    case .unexpectedIdentity: .unexpectedIdentity
    case .configurationRejected: .configurationRejected
    case .configurationLost: .configurationLost
    case .resetTimedOut: .resetTimedOut
    case .rateTooHigh: .rateTooHigh
    case .frozen: .frozen
    case .stuckAtFullScale: .stuckAtFullScale
    case .weightless: .weightless
    case .configurationChanged: .configurationChanged
    }
  }
}

internal import HAL
internal import Orientation
internal import Sensors

/// What has been counted since the start. Exact: each thing is counted once, when it happens. Past 2^64 - 1 a count goes on from 0.
public struct Counters: Equatable, Sendable {
  /// Samples that came and were not found implausible.
  public var samples: UInt64 = 0
  /// Changes to another pose, the first one included.
  public var poseChanges: UInt64 = 0
  /// Changes to not knowing the pose, by reason.
  public var unknown = UnknownCounts()
  /// Faults of the bus or the sensor by kind, each attempt by itself.
  public var faultKinds = FaultCounts()
  /// Times the bus was opened again, or asked to, to configure the sensor anew.
  public var restarts: UInt64 = 0
  /// Times the sensor delivered again after it had been configured anew.
  public var recoveries: UInt64 = 0
  /// Times the sensor was given up for good: 0 or 1.
  public var giveUps: UInt64 = 0
  /// Notices reported.
  public var notices: UInt64 = 0
  /// Shakes reported.
  public var shakes: UInt64 = 0
  /// Samples that were a whole period late or more, so that at least one was missed.
  public var lateSamples: UInt64 = 0
  /// Samples that the sensor made and that were lost, because they were taken too late or a fault cost them; known only
  /// where samples wait in the sensor.
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
    // Before the first sample nothing has become unknown.
    case .notYetSampled: break
    case .ambiguous: ambiguous &+= 1
    case .accelerating: accelerating &+= 1
    case .freeFall: freeFall &+= 1
    case .stale: stale &+= 1
    case .fault: fault &+= 1
    }
  }
}

/// How often each kind of fault befell an attempt, whatever the figures that came with it.
public struct FaultCounts: Equatable, Sendable {
  /// `I2CFault.noAcknowledge`.
  public var noAcknowledge: UInt64 = 0
  /// `I2CFault.arbitrationLost`.
  public var arbitrationLost: UInt64 = 0
  /// `I2CFault.timedOut`.
  public var timedOut: UInt64 = 0
  /// `I2CFault.shortRead`.
  public var shortRead: UInt64 = 0
  /// `I2CFault.unsupported`.
  public var unsupported: UInt64 = 0
  /// `I2CFault.notPermitted`.
  public var notPermitted: UInt64 = 0
  /// `I2CFault.busy`.
  public var busy: UInt64 = 0
  /// `I2CFault.unavailable`.
  public var unavailable: UInt64 = 0
  /// `I2CFault.other`.
  public var otherBusFault: UInt64 = 0
  /// `SensorError.unexpectedIdentity`.
  public var unexpectedIdentity: UInt64 = 0
  /// `SensorError.configurationRejected`.
  public var configurationRejected: UInt64 = 0
  /// `SensorError.configurationLost`.
  public var configurationLost: UInt64 = 0
  /// `SensorError.resetTimedOut`.
  public var resetTimedOut: UInt64 = 0
  /// `SensorError.rateTooHigh`.
  public var rateTooHigh: UInt64 = 0
  /// `SensorError.frozen`.
  public var frozen: UInt64 = 0
  /// `SensorError.stuckAtFullScale`.
  public var stuckAtFullScale: UInt64 = 0
  /// `SensorError.weightless`.
  public var weightless: UInt64 = 0

  /// All zero.
  public init() {}

  /// Faults of the bus.
  public var bus: UInt64 {
    noAcknowledge &+ arbitrationLost &+ timedOut &+ shortRead &+ unsupported &+ notPermitted &+ busy &+ unavailable
      &+ otherBusFault
  }

  /// All faults.
  public var total: UInt64 {
    bus &+ unexpectedIdentity &+ configurationRejected &+ configurationLost &+ resetTimedOut &+ rateTooHigh
      &+ frozen &+ stuckAtFullScale &+ weightless
  }

  mutating func count(_ error: SensorError) {
    switch error {
    case .bus(.noAcknowledge): noAcknowledge &+= 1
    case .bus(.arbitrationLost): arbitrationLost &+= 1
    case .bus(.timedOut): timedOut &+= 1
    case .bus(.shortRead): shortRead &+= 1
    case .bus(.unsupported): unsupported &+= 1
    case .bus(.notPermitted): notPermitted &+= 1
    case .bus(.busy): busy &+= 1
    case .bus(.unavailable): unavailable &+= 1
    case .bus(.other): otherBusFault &+= 1
    case .unexpectedIdentity: unexpectedIdentity &+= 1
    case .configurationRejected: configurationRejected &+= 1
    case .configurationLost: configurationLost &+= 1
    case .resetTimedOut: resetTimedOut &+= 1
    case .rateTooHigh: rateTooHigh &+= 1
    case .frozen: frozen &+= 1
    case .stuckAtFullScale: stuckAtFullScale &+= 1
    case .weightless: weightless &+= 1
    }
  }
}

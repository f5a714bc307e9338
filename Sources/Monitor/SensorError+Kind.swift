internal import HAL
internal import Sensors

extension SensorError {
  /// One bit for each kind of error, whatever the figures that come with it.
  var kind: UInt32 {
    switch self {
    case .bus(.noAcknowledge): 1 &<< 0
    case .bus(.arbitrationLost): 1 &<< 1
    case .bus(.timedOut): 1 &<< 2
    case .bus(.shortRead): 1 &<< 3
    case .bus(.unsupported): 1 &<< 4
    case .bus(.notPermitted): 1 &<< 5
    case .bus(.busy): 1 &<< 6
    case .bus(.unavailable): 1 &<< 7
    case .bus(.other): 1 &<< 8
    case .unexpectedIdentity: 1 &<< 9
    case .configurationRejected: 1 &<< 10
    case .configurationLost: 1 &<< 11
    case .frozen: 1 &<< 12
    case .stuckAtFullScale: 1 &<< 13
    case .resetTimedOut: 1 &<< 14
    case .rateTooHigh: 1 &<< 15
    case .weightless: 1 &<< 16
    }
  }
  /// Whether the samples themselves are at fault: that one came proves nothing.
  var isOfSamples: Bool { self == .frozen || self == .stuckAtFullScale || self == .weightless }
}

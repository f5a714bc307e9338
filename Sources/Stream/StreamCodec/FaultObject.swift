internal import FixedPoint
internal import HAL
internal import JSON
internal import Monitor
internal import Sensors

// A fault: its kind as `cause`, and its details.
extension JSONWriter {
  /// Writes the kind of `fault` and its details.
  mutating func fields(of fault: SensorError) {
    field("cause", fault.kind.name)
    switch fault {
    case .bus(.shortRead(let expected, let received)):
      field("expected", expected)
      field("received", received)
    case .bus(.other(let code)): field("errno", code)
    case .unexpectedIdentity(let found, let expected):
      field("found", UInt32(found))
      field("expected", UInt32(expected))
    case .configurationRejected(let register, let wrote, let read),
      .configurationChanged(let register, let wrote, let read):
      field("register", UInt32(register))
      field("wrote", UInt32(wrote))
      field("read", UInt32(read))
    case .rateTooHigh(let busHertz, let highestHertz):
      field("bus_hz", busHertz)
      field("highest_hz", highestHertz)
    case .bus, .configurationLost, .resetTimedOut, .frozen, .stuckAtFullScale, .weightless: break
    }
  }
}

extension SensorError {
  /// The fault in `object`. Nil if it names none, or one of a later version, or, as older owners do, one without its
  /// details.
  init?(_ object: JSONObject) {
    guard let kind = object["cause"]?.named({ (kind: FaultKind) in kind.name }) else { return nil }
    switch kind {
    case .noAcknowledge: self = .bus(.noAcknowledge)
    case .arbitrationLost: self = .bus(.arbitrationLost)
    case .timedOut: self = .bus(.timedOut)
    case .shortRead:
      guard let expected = object["expected"]?.whole, let received = object["received"]?.whole else { return nil }
      self = .bus(.shortRead(expected: Int(expected), received: Int(received)))
    case .unsupported: self = .bus(.unsupported)
    case .notPermitted: self = .bus(.notPermitted)
    case .busy: self = .bus(.busy)
    case .unavailable: self = .bus(.unavailable)
    case .otherBusFault:
      guard let code = object["errno"]?.whole else { return nil }
      self = .bus(.other(code: code))
    case .unexpectedIdentity:
      guard let found = object["found"]?.byte, let expected = object["expected"]?.byte else { return nil }
      self = .unexpectedIdentity(found: found, expected: expected)
    case .configurationRejected, .configurationChanged:
      guard let register = object["register"]?.byte, let wrote = object["wrote"]?.byte, let read = object["read"]?.byte
      else { return nil }
      self =
        kind == .configurationRejected
        ? .configurationRejected(register: register, wrote: wrote, read: read)
        : .configurationChanged(register: register, wrote: wrote, read: read)
    case .configurationLost: self = .configurationLost
    case .resetTimedOut: self = .resetTimedOut
    case .rateTooHigh:
      guard let bus = object["bus_hz"]?.word, let highest = object["highest_hz"]?.word else { return nil }
      self = .rateTooHigh(busHertz: bus, highestHertz: highest)
    case .frozen: self = .frozen
    case .stuckAtFullScale: self = .stuckAtFullScale
    case .weightless: self = .weightless
    }
  }
}

// A notice: its kind as `notice`, and its details.
extension JSONWriter {
  /// Writes the kind of `notice` and its details.
  mutating func fields(of notice: SensorNotice) {
    switch notice {
    case .compatiblePart(let identity):
      field("notice", "compatiblePart")
      field("identity", UInt32(identity))
    case .samplesLost(let count):
      field("notice", "samplesLost")
      field("lost_samples", count)
    case .staysAwake: field("notice", "staysAwake")
    case .axesApart: field("notice", "axesApart")
    }
  }
}

extension SensorNotice {
  /// The notice in `object`; nil for one of a later version, and if an older owner describes it in words only.
  init?(_ object: JSONObject) {
    if let count = object["lost_samples"]?.word {
      self = .samplesLost(count)
    } else if object["notice"] == "staysAwake" {
      self = .staysAwake
    } else if object["notice"] == "axesApart" {
      self = .axesApart
    } else if object["notice"] == "compatiblePart", let identity = object["identity"]?.byte {
      self = .compatiblePart(identity: identity)
    } else {
      return nil
    }
  }
}

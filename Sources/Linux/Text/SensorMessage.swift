internal import FixedPoint
public import HAL
public import Sensors

/// The sensor that a message is about: the one expected at an address, or a device of the kernel's industrial I/O.
public struct SensorPlace: Equatable, Sendable {
  /// Its address on the bus.
  public var address: I2CAddress
  /// Its model.
  public var model: SensorModel

  /// The name of the kernel's device; nil if the sensor is at an address.
  public var device: Device?

  /// The name or label of a device of the kernel's industrial I/O.
  public typealias Device = ShortText<32>

  /// A sensor of `model` at `address`; or `device`.
  public init(_ model: SensorModel, at address: I2CAddress, device: Device? = nil) {
    self.address = address
    self.model = model
    self.device = device
  }

  /// What it is and where, such as `ADXL345 at 0x53` or `IIO device bmi160`.
  public var words: Message {
    if let device { return "IIO device \(device)" }
    return "\(model.properName) at \(address)"
  }
}

extension SensorError {
  /// What happened to `sensor`, and what to check.
  public func message(of sensor: SensorPlace) -> Message {
    if let device = sensor.device { return message(ofDevice: device) }
    let (address, article, name) = (sensor.address, sensor.model.article, sensor.model.properName)
    switch self {
    case .bus(let fault): return fault.message(at: address)
    case .unexpectedIdentity(let found, let expected):
      let (part, other) = (sensor.model.part(identity: found), sensor.model.part(identity: expected))
      if let part, part.isAccepted, let other {
        return """
          the part at \(address) is \(part.name) (identity \(hex: found)), which lacks the gyroscope-range or the \
          batch of the board file; \(other.name) has it
          """
      }
      var text: Message =
        "the part at \(address) has the identity \(hex: found), not \(hex: expected) (\(name)): "
      text.appendPart(known: found, by: sensor)
      return text
    case .configurationRejected(let register, let wrote, let read):
      let compatible: StaticString = sensor.model.traits.hasRelatives ? " or a compatible part" : ""
      return """
        register \(hex: register) of the part at \(address) reads \(hex: read) after \(hex: wrote) was written: check \
        that it is \(article) \(name)\(compatible), and check its supply and wiring
        """
    case .configurationLost:
      return
        "the sensor at \(address) lost its configuration because its supply dipped: check power and ground"
    case .configurationChanged(let register, let wrote, let read):
      return
        "another program has set up the sensor at \(address): register \(hex: register) reads \(hex: read) after \(hex: wrote) was written; stop that program"
    case .resetTimedOut:
      return
        "the part at \(address) does not come out of reset: check its supply, or switch it off and on again"
    case .rateTooHigh(let busHertz, let highestHertz):
      return Self.rateMessage(busHertz, highestHertz)
    case .frozen:
      return
        "the sensor at \(address) repeats the same sample: it has stopped measuring; switch it off and on again"
    case .stuckAtFullScale:
      return
        "the sensor at \(address) stays at full scale: it is defective, or the force exceeds its range"
    case .weightless:
      let impostor = sensor.model.traits.impostor
      return "the sensor at \(address) measures almost no force: it is defective, or \(impostor)"
    }
  }

  private static func rateMessage(_ busHertz: UInt32, _ highestHertz: UInt32) -> Message {
    // No sensor runs on a bus above 400 kHz.
    let isSlowBus = busHertz < 400_000
    let kilohertz = widened(busHertz)
    var text: Message =
      "the rate is too high for a bus of \(kilohertz, over: 1_000, places: 1) kHz: use "
    if highestHertz > 0 { text.append("a rate of \(highestHertz) Hz or less") }
    if highestHertz > 0 && isSlowBus { text.append(", or ") }
    if isSlowBus {
      text.append("a faster bus (dtparam=i2c_arm_baudrate=400000 in config.txt, then restart)")
    }
    return text
  }
}

extension SensorNotice {
  /// What a user should know about `sensor`.
  public func message(of sensor: SensorPlace) -> Message {
    switch self {
    case .compatiblePart(let identity):
      let part = sensor.model.part(identity: identity)?.name ?? "of another kind"
      let (address, article, name) = (sensor.address, sensor.model.article, sensor.model.properName)
      return
        "the part at \(address) is \(part) (identity \(hex: identity)), not \(article) \(name); it is used as one"
    case .samplesLost(let count):
      let noun: StaticString = count == 1 ? "sample was" : "samples were"
      return "\(count) \(noun) lost"
    case .staysAwake:
      return "the sensor stays awake: it cannot watch for movement by itself; leave out [power] and --sleep-after"
    case .axesApart:
      return
        "the kernel gives no buffer of this sensor, so each axis is read for itself: in movement, angles are less exact"
    }
  }
}

extension SensorPart {
  /// Whether it is used as it is.
  fileprivate var isAccepted: Bool { admission == .accepted || admission == .acceptedWithNotice }
}

extension ShortText {
  /// Appends which part has the identity `found`, where that of `sensor` was expected.
  fileprivate mutating func appendPart(known found: UInt8, by sensor: SensorPlace) {
    if found == 0x00 || found == 0xFF {
      return append("no part has this identity; check power, ground, SDA and SCL")
    }
    if let part = sensor.model.part(identity: found) {
      append("that is \(part.name)")
      switch part.admission {
      case .refused: append(", \(part.remark)")
      case .onlyIfAsked: append("; to use it, write unverified-parts = yes in the board file")
      case .accepted, .acceptedWithNotice: break
      }
      return
    }
    if appendModel(with: found, sensor, { $0.traits.canBe(at: sensor.address) }) { return }
    if appendModel(with: found, sensor, { _ in true }) { return }
    append("no known part has this identity")
    guard Probe.mayBeClock(found, at: sensor.address) else { return }
    append("; it may be a real-time clock (DS1307, DS3231), which has the same address")
  }

  /// Appends another model, among those that are `possible`, that has the identity `found`; returns whether there is one.
  private mutating func appendModel(
    with found: UInt8, _ sensor: SensorPlace, _ isPossible: (SensorModel) -> Bool
  ) -> Bool {
    var others = SensorModel.all
    while let model = others.next(where: { $0 != sensor.model && isPossible($0) }) {
      guard let part = model.part(identity: found), part.admission != .refused else { continue }
      append("that is \(part.name); in the board file write model = \(model.name)")
      return true
    }
    return false
  }
}

public import HAL

/// What is known of a model of sensor before one is there: what board files, messages, the probe, discovery and
/// drawings go by.
///
/// It stands in the driver's folder; ``SensorModel`` is the table.
public struct SensorTraits: Sendable {
  /// The name as in a board file.
  public var name: StaticString
  /// The name as its maker writes it.
  public var properName: StaticString
  /// The addresses, with the address pin low or high.
  public var addresses: (low: I2CAddress, high: I2CAddress)
  /// The name of the address pin.
  public var addressPin: StaticString
  /// The register of the identity.
  public var identityRegister: UInt8
  /// The name of the pin that signals a sample; nil where no pin does.
  public var interruptPin: StaticString?
  /// The highest rate of samples on I2C, Hz.
  public var highestRate: Int32
  /// The ranges, g; 0 for none.
  public var ranges: InlineArray<4, Int32>
  /// The range if neither the board file nor what it asks for says otherwise, g.
  public var usualRange: Int32
  /// The ranges of the gyroscope, °/s; nil without one.
  public var gyroscopeRanges: InlineArray<4, Int32>?
  /// Whether it measures its temperature.
  public var hasThermometer: Bool
  /// Whether samples can wait in it.
  public var keepsSamples: Bool
  /// Whether it finds taps and falls by itself; the samples of others show them.
  public var findsKnocks: Bool
  /// Whether it can test itself.
  public var selfTest: SelfTest
  /// Whether it stands for a family, some of whose members are not verified.
  public var hasRelatives: Bool
  /// What it may be instead, where it measures almost no force.
  public var impostor: StaticString

  /// Whether a part can test itself.
  public enum SelfTest: Equatable, Sendable {
    /// It cannot.
    case none
    /// By limits that do not depend on the supply.
    case plain
    /// By limits that depend on the supply.
    case dependsOnSupply
  }

  /// A row; what is left out, a part does not have.
  package init(
    name: StaticString, properName: StaticString, addresses: (low: I2CAddress, high: I2CAddress),
    addressPin: StaticString, identityRegister: UInt8, interruptPin: StaticString? = nil, highestRate: Int32,
    ranges: InlineArray<4, Int32>, usualRange: Int32, gyroscopeRanges: InlineArray<4, Int32>? = nil,
    hasThermometer: Bool = false, keepsSamples: Bool = false, findsKnocks: Bool = false, selfTest: SelfTest = .none,
    hasRelatives: Bool = false, impostor: StaticString = "a copy"
  ) {
    (self.name, self.properName, self.addresses, self.addressPin) = (name, properName, addresses, addressPin)
    (self.identityRegister, self.interruptPin, self.highestRate) = (identityRegister, interruptPin, highestRate)
    (self.ranges, self.usualRange, self.gyroscopeRanges) = (ranges, usualRange, gyroscopeRanges)
    (self.hasThermometer, self.keepsSamples, self.findsKnocks) = (hasThermometer, keepsSamples, findsKnocks)
    (self.selfTest, self.hasRelatives, self.impostor) = (selfTest, hasRelatives, impostor)
  }

  /// Whether it has a gyroscope.
  public var hasGyroscope: Bool { gyroscopeRanges != nil }

  /// Whether such a part can be at `address`.
  public func canBe(at address: I2CAddress) -> Bool { address == addresses.low || address == addresses.high }

  /// Whether there is a range of ±`g` g.
  public func hasRange(_ g: Int32) -> Bool { ranges.holds(g) }

  /// Whether the gyroscope has a range of ±`degreesPerSecond` °/s.
  public func hasGyroscopeRange(_ degreesPerSecond: Int32) -> Bool { gyroscopeRanges?.holds(degreesPerSecond) == true }
}

extension InlineArray<4, Int32> {
  fileprivate func holds(_ value: Int32) -> Bool {
    for index in 0..<4 where self[index] == value { return value > 0 }
    return false
  }
}

/// A part that an identity stands for.
public struct SensorPart: Sendable {
  /// The model at whose address it gives the identity.
  public let model: SensorModel
  /// The identity.
  public let identity: UInt8
  /// The name with its article.
  public let name: StaticString
  /// What becomes of it.
  public let admission: Admission
  /// Why it is refused, such as "which has other registers"; empty where it is not.
  public let remark: StaticString

  /// What becomes of a part that answers.
  public enum Admission: Equatable, Sendable {
    /// It is used.
    case accepted
    /// It is used, and the notice `compatiblePart` says so: what is known of it comes from Linux's driver only.
    case acceptedWithNotice
    /// It is used, with the notice, where the configuration says so: what is known of it is hearsay.
    case onlyIfAsked
    /// It is known, and no driver uses it.
    case refused
  }

  /// A part that the driver of `model` uses.
  package init(_ model: SensorModel, _ identity: UInt8, _ name: StaticString, _ admission: Admission = .accepted) {
    (self.model, self.identity, self.name, self.admission, remark) = (model, identity, name, admission, "")
  }

  /// A part that no driver uses.
  package init(_ model: SensorModel, _ identity: UInt8, _ name: StaticString, refusedBecause remark: StaticString) {
    (self.model, self.identity, self.name, admission, self.remark) = (model, identity, name, .refused, remark)
  }
}

extension SensorPart: Equatable {
  /// Whether they are the same identity of the same model, which decide on the rest.
  public static func == (a: SensorPart, b: SensorPart) -> Bool { a.model == b.model && a.identity == b.identity }
}

/// The module on which a sensor is usually sold: its pins, for drawings and lists of wires.
public struct SensorModule: Sendable {
  /// The name under which it is sold.
  public var name: StaticString
  /// The pins in the order printed on it, seen from above; nil beyond the last.
  public var pins: InlineArray<8, Pin?>
  /// What must not become of its supply, a sentence.
  public var supplyWarning: StaticString
  /// What to know of its address pin, a sentence or two.
  public var addressRemark: StaticString

  /// A pin.
  public struct Pin: Sendable {
    /// As printed on the module.
    public var name: StaticString
    /// What it is for.
    public var use: Use
    /// What to know of it; empty for what is usual.
    public var note: StaticString

    /// A pin.
    package init(_ name: StaticString, _ use: Use, _ note: StaticString = "") {
      (self.name, self.use, self.note) = (name, use, note)
    }
  }

  /// What a pin is for.
  public enum Use: Equatable, Sendable {
    /// Supply, ground and the two wires of the bus.
    case supply, ground, data, clock
    /// High or low, it chooses between the addresses.
    case address
    /// High for I2C.
    case selectsI2C
    /// It signals samples.
    case interrupt
    /// Nothing that Plumb uses.
    case unused
  }

  /// A module.
  package init(
    name: StaticString, pins: InlineArray<8, Pin?>, supplyWarning: StaticString, addressRemark: StaticString
  ) {
    (self.name, self.pins) = (name, pins)
    (self.supplyWarning, self.addressRemark) = (supplyWarning, addressRemark)
  }
}

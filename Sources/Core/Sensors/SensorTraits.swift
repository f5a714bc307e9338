public import HAL

/// The properties of a sensor model, for board files, messages, the probe, discovery and drawings.
///
/// They are declared in the driver's folder; ``SensorModel`` is the table.
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
  /// The name of the pin that signals samples; nil if there is none.
  public var interruptPin: StaticString?
  /// The highest sample rate on I2C, Hz.
  public var highestRate: Int32
  /// The ranges, g; 0 for unused entries.
  public var ranges: InlineArray<4, Int32>
  /// The range if neither the board file nor its requirements determine one, g.
  public var usualRange: Int32
  /// The ranges of the gyroscope, °/s; 0 for unused entries, nil without a gyroscope.
  public var gyroscopeRanges: InlineArray<6, Int32>?
  /// Whether it measures its temperature.
  public var hasThermometer: Bool
  /// Whether samples can wait in it.
  public var keepsSamples: Bool
  /// Whether it detects taps and falls itself; with other sensors they are found in the samples.
  public var findsKnocks: Bool
  /// Whether it can test itself.
  public var selfTest: SelfTest
  /// Whether it represents a family, some of whose members are not verified.
  public var hasRelatives: Bool
  /// What the part may be instead, if it measures almost no force.
  public var impostor: StaticString

  /// A part's self-test.
  public enum SelfTest: Equatable, Sendable {
    /// None.
    case none
    /// With the same limits for each part, at any supply.
    case plain
    /// With limits that depend on codes in the part, from its factory. A copy may lack them.
    case coded
    /// With limits that depend on the supply.
    case dependsOnSupply
  }

  /// The traits of a model; features that are left out are absent.
  package init(
    name: StaticString, properName: StaticString, addresses: (low: I2CAddress, high: I2CAddress),
    addressPin: StaticString, identityRegister: UInt8, interruptPin: StaticString? = nil, highestRate: Int32,
    ranges: InlineArray<4, Int32>, usualRange: Int32, gyroscopeRanges: InlineArray<6, Int32>? = nil,
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

  /// Whether it has a range of ±`g` g.
  public func hasRange(_ g: Int32) -> Bool { ranges.holds(g) }

  /// Whether the gyroscope has a range of ±`degreesPerSecond` °/s.
  public func hasGyroscopeRange(_ degreesPerSecond: Int32) -> Bool { gyroscopeRanges?.holds(degreesPerSecond) == true }
}

extension InlineArray where Element == Int32 {
  fileprivate func holds(_ value: Int32) -> Bool {
    for index in 0..<count where self[index] == value { return value > 0 }
    return false
  }
}

/// A part identified by its identity.
public struct SensorPart: Sendable {
  /// The model at whose address the part gives the identity.
  public let model: SensorModel
  /// The identity.
  public let identity: UInt8
  /// The name with its article.
  public let name: StaticString
  /// Whether it is used.
  public let admission: Admission
  /// Why it is refused, such as "which has other registers"; empty if it is not.
  public let remark: StaticString

  /// How a part that responds is treated.
  public enum Admission: Equatable, Sendable {
    /// It is used.
    case accepted
    /// It is used, with the notice `compatiblePart`: the only source about it is Linux's driver.
    case acceptedWithNotice
    /// It is used, with the notice, only if the configuration allows it: what is known of it is hearsay.
    case onlyIfAsked
    /// It is known, but no driver uses it.
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
  /// Whether both have the same identity and model, which determine everything else.
  public static func == (a: SensorPart, b: SensorPart) -> Bool { a.model == b.model && a.identity == b.identity }
}

/// The module on which a sensor is usually sold: its pins, for drawings and wiring lists.
public struct SensorModule: Sendable {
  /// The name under which it is sold.
  public var name: StaticString
  /// The pins in the order printed on it, seen from above; nil beyond the last.
  public var pins: InlineArray<9, Pin?>
  /// A warning about its supply, as a sentence.
  public var supplyWarning: StaticString
  /// A remark about its address pin, one or two sentences.
  public var addressRemark: StaticString

  /// A pin.
  public struct Pin: Sendable {
    /// The name printed on the module.
    public var name: StaticString
    /// Its use.
    public var use: Use
    /// A remark; empty if there is nothing unusual.
    public var note: StaticString

    /// A pin.
    package init(_ name: StaticString, _ use: Use, _ note: StaticString = "") {
      (self.name, self.use, self.note) = (name, use, note)
    }
  }

  /// The use of a pin.
  public enum Use: Equatable, Sendable {
    /// Supply, ground and the two wires of the bus.
    case supply, ground, data, clock
    /// Selects the address, by being high or low.
    case address
    /// High for I2C.
    case selectsI2C
    /// Signals samples.
    case interrupt
    /// Not used by Plumb.
    case unused
  }

  /// A module.
  package init(
    name: StaticString, pins: InlineArray<9, Pin?>, supplyWarning: StaticString, addressRemark: StaticString
  ) {
    (self.name, self.pins) = (name, pins)
    (self.supplyWarning, self.addressRemark) = (supplyWarning, addressRemark)
  }
}

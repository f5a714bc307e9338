extension ADXL345 {
  /// An interrupt pin.
  public enum InterruptPin: Equatable, Sendable {
    /// INT1.
    case int1
    /// INT2.
    case int2
  }

  /// What drives the interrupt pins, which are push-pull and weak: enough for an input, not for an LED.
  ///
  /// An event that is looked for (``Detection``) always drives one of them: the part does not look without.
  ///
  /// - Datasheet: Rev. E, "Interrupts" and registers 0x2E and 0x2F.
  public struct Interrupts: Equatable, Sendable {
    /// The conditions that drive a pin: data ready, watermark, overrun. Anything else in it is ignored.
    public var conditions: Events
    /// The events and conditions that drive INT2; the others drive INT1.
    public var onInterrupt2: Events
    /// Whether the pins are low while something has happened.
    public var isActiveLow: Bool

    /// Interrupts; by default no condition drives a pin, events drive INT1, and a pin is active high.
    public init(conditions: Events = .none, onInterrupt2: Events = .none, isActiveLow: Bool = false) {
      self.conditions = conditions
      self.onInterrupt2 = onInterrupt2
      self.isActiveLow = isActiveLow
    }
  }
}

/// The TL3, an accelerometer that does not exist: three axes, one register to set it up.
///
/// Make a `Configuration`, then a `Device` over any `I2CBus`; `start()` configures the part, `sample()` reads it.
///
/// - Datasheet: docs/adding-a-sensor.md, "The part".
public enum TL3 {
  /// What WHO reads.
  public static var identity: UInt8 { 0x3A }

  /// How the part is set up.
  public struct Configuration: Equatable, Sendable {
    /// How often the part makes a sample.
    public var rate: OutputDataRate
    /// The largest specific force it measures.
    public var range: Range

    /// A configuration; the defaults are 100 Hz and ±4 g.
    public init(rate: OutputDataRate = .hz100, range: Range = .g4) {
      self.rate = rate
      self.range = range
    }

    /// SETUP: never its reset value, so that a part which has lost its configuration shows it.
    var setup: SetupField { SetupField(isRunning: true, rate: rate, range: range) }
  }
}

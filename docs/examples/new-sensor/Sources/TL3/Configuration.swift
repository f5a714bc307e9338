public import Plumb

/// The TL3, an accelerometer that does not exist: three axes, one configuration register.
///
/// Create a `Configuration`, then a `Device` on any `I2CBus`; `start()` configures the part, `sample()` reads it.
///
/// - Datasheet: docs/adding-a-sensor.md, "The part".
public enum TL3 {
  /// The value of WHO.
  public static var identity: UInt8 { 0x3A }

  /// How the part is set up.
  public struct Configuration: Equatable, Sendable {
    /// The output data rate.
    public var rate: OutputDataRate
    /// The measurement range.
    public var range: Range

    /// A configuration; the defaults are 100 Hz and ±4 g.
    public init(rate: OutputDataRate = .hz100, range: Range = .g4) {
      self.rate = rate
      self.range = range
    }

    /// SETUP: never its reset value, so that a lost configuration is visible.
    var setup: SetupField { SetupField(isRunning: true, rate: rate, range: range) }

    /// Refuses a rate at which samples, of 93 clock periods each, would take more than half of a bus of `frequency`.
    ///
    /// - Throws: `rateTooHigh`.
    public func check(against frequency: UInt32?) throws(SensorError) { try rate.check(bits: 186, against: frequency) }
  }

  /// The output data rate: 50 Hz · 2^code.
  public enum OutputDataRate: UInt8, CodedRate {
    /// 50, 100, 200 and 400 Hz.
    case hz50, hz100, hz200, hz400

    /// In thousandths of a hertz; the period that `CodedRate` makes of it is exact.
    public var millihertz: Int32 { 50_000 &<< Int32(rawValue) }
  }

  /// The measurement range.
  public enum Range: UInt8, ForceRange {
    /// ±2, ±4 and ±8 g.
    case g2, g4, g8

    /// The limit of the range, in g.
    public var g: Int32 { 2 &<< Int32(rawValue) }
  }
}

public import FixedPoint
public import Orientation

extension BoardDescription {
  /// What an emulated bus has on it: in what the emulated sensor differs from a perfect one. A real bus has no use for it.
  public struct Emulation: Equatable, Sendable {
    /// The seed of the sensor's noise and errors; nil where the file names none.
    public var seed: UInt64?
    /// How much its axes read at 0 g, at most, in g; how much each does is drawn from the seed. At most 0.2.
    public var offsetError: Q16
    /// How much more or less than 1 g its axes read at 1 g, at most; how much each does is drawn from the seed. At most
    /// 0.1.
    public var scaleError: Q16
    /// How it really sits on the board; nil where it sits as `sensor.mounting` says.
    public var mounting: Mounting?

    /// An emulation; what is left out is as in a board file that leaves it out: a perfect sensor.
    public init(
      seed: UInt64? = nil, offsetError: Q16 = .zero, scaleError: Q16 = .zero, mounting: Mounting? = nil
    ) {
      self.seed = seed
      self.offsetError = offsetError
      self.scaleError = scaleError
      self.mounting = mounting
    }
  }
}

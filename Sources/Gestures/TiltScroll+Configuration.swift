public import FixedPoint

extension TiltScroll {
  /// How tilt scrolls.
  public struct Configuration: Equatable, Sendable {
    /// What is added to an axis's acceleration with every sample on the same side of rest, in millionths; 0…1 000 000.
    /// Default 5000, which is 0.005.
    public let viscosity: Int32
    /// The acceleration that an axis begins with, in millionths; 1…1 000 000. Default 5000.
    public let acceleration: Int32
    /// How often the velocity is added to the position, 1 ms…1 s. Default 30 ms.
    public let interval: Microseconds
    /// A longer pause between samples stops the scrolling, 1 µs…1 h. Default 1 s.
    public private(set) var longestGap: Microseconds
    /// The pose in which nothing scrolls. Default: the published one.
    public private(set) var rest: Rest

    /// Viscosity and acceleration in 2^-32: 2^-33 wrong at most, which is 2.4e-8 of 0.005.
    let growth: UInt64
    let first: UInt64

    /// A checked configuration. Throws the name of the first figure that is out of its range.
    public init(
      viscosity: Int32 = 5_000, acceleration: Int32 = 5_000, interval: Microseconds = .milliseconds(30),
      longestGap: Microseconds = .seconds(1), rest: Rest = .published
    ) throws(TiltScrollError) {
      guard viscosity >= 0 && viscosity <= 1_000_000 else { throw .viscosity }
      guard acceleration >= 1 && acceleration <= 1_000_000 else { throw .acceleration }
      guard interval >= .milliseconds(1) && interval <= .seconds(1) else { throw .interval }
      guard longestGap > .zero && longestGap <= .seconds(3_600) else { throw .longestGap }
      self.init(checked: viscosity, acceleration, interval, longestGap, rest)
    }

    /// The defaults.
    public static var standard: Configuration {
      Configuration(checked: 5_000, 5_000, .milliseconds(30), .seconds(1), .published)
    }

    /// The same with another rest.
    public func resting(at rest: Rest) -> Configuration {
      var copy = self
      copy.rest = rest
      return copy
    }

    /// The same where a pause of up to `pause`, at most 1 h, is no gap.
    package func allowing(pause: Microseconds) -> Configuration {
      var copy = self
      copy.longestGap = max(longestGap, min(pause, .seconds(3_600)))
      return copy
    }

    private init(
      checked viscosity: Int32, _ acceleration: Int32, _ interval: Microseconds, _ longestGap: Microseconds,
      _ rest: Rest
    ) {
      self.viscosity = viscosity
      self.acceleration = acceleration
      self.interval = interval
      self.longestGap = longestGap
      self.rest = rest
      growth = Self.fraction(viscosity)
      first = Self.fraction(acceleration)
    }

    /// `millionths` in 2^-32, rounded to nearest.
    private static func fraction(_ millionths: Int32) -> UInt64 {
      ((widened(UInt32(bitPattern: millionths)) &<< 32) &+ 500_000) / 1_000_000
    }
  }
}

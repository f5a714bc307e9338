public import FixedPoint

/// Why a shake cannot be told so.
public enum ShakeConfigurationError: Error, Equatable, Sendable {
  /// The threshold must lie in 0.25…8 g.
  case threshold
  /// Between 2 and 8 reversals make a shake.
  case reversals
  /// The window must lie in 100 ms…5 s.
  case window
  /// A swing must last between 0 and 200 ms at least, and the reversals of a shake must fit into the window.
  case shortestSwing
  /// The refractory time must lie in 0…10 s.
  case refractory
  /// Weightlessness must lie in 0…0.9 g, and a fall take 10 ms…1 s.
  case fall
  /// The longest gap between samples must lie in 1 µs…1 h.
  case longestGap
}

extension ShakeDetector {
  /// What counts as a shake. All times are real times.
  public struct Configuration: Equatable, Sendable {
    /// How much motion makes a swing, g; 0.25…8. Default 0.9 g: a fall weighs off 1 g at most, and that fades at once.
    public let threshold: Q16
    /// How many reversals make a shake, 2…8. Default 4, which is five swings: a knock that rings for 150 ms makes
    /// three.
    public let reversals: Int32
    /// How long the first to the last of these reversals may take, 100 ms…5 s. Default 700 ms: 2.2 Hz or faster.
    public let window: Microseconds
    /// What turns back sooner after the start of a swing is ringing, not a swing; 0…200 ms. Default 50 ms: up to 8 Hz
    /// at 50 samples a second, 10 Hz at high rates.
    public let shortestSwing: Microseconds
    /// A shake is over, and another can begin, when no motion has reached the threshold for longer than this; 0…10 s.
    /// Default 500 ms.
    public let refractory: Microseconds
    /// Below this specific force the board falls, g; 0…0.9, 0 for never. Default 0.25 g.
    public let weightlessness: Q16
    /// What has been weightless for so long is falling: it forgets all swings. 10 ms…1 s. Default 50 ms; shaking of 1.3
    /// g or more passes through weightlessness in less at 3 Hz and above.
    public let shortestFall: Microseconds
    /// A longer pause between samples starts the detector anew, 1 µs…1 h. Default 1 s.
    public private(set) var longestGap: Microseconds

    /// The threshold squared, in units of 2^-32 g² and of the detector's own 2^-18 g².
    let fineSquare: UInt64
    let coarseSquare: Int64
    /// Weightlessness squared, in units of 2^-32 g².
    let weightlessSquare: UInt64
    /// How long the direction of a swing counts that nothing has followed or reversed: an even share of the window.
    let memory: Microseconds

    /// A checked configuration. Throws the name of the first figure that is out of its range.
    public init(
      threshold: Q16 = Q16(9, over: 10), reversals: Int32 = 4, window: Microseconds = .milliseconds(700),
      shortestSwing: Microseconds = .milliseconds(50), refractory: Microseconds = .milliseconds(500),
      weightlessness: Q16 = Q16(1, over: 4), shortestFall: Microseconds = .milliseconds(50),
      longestGap: Microseconds = .seconds(1)
    ) throws(ShakeConfigurationError) {
      guard threshold >= Q16(1, over: 4) && threshold <= Q16(whole: 8) else { throw .threshold }
      guard reversals >= 2 && reversals <= 8 else { throw .reversals }
      guard window >= .milliseconds(100) && window <= .seconds(5) else { throw .window }
      guard
        shortestSwing >= .zero && shortestSwing <= .milliseconds(200)
          && shortestSwing * widened(reversals &- 1) <= window
      else { throw .shortestSwing }
      guard refractory >= .zero && refractory <= .seconds(10) else { throw .refractory }
      guard
        weightlessness >= .zero && weightlessness <= Q16(9, over: 10) && shortestFall >= .milliseconds(10)
          && shortestFall <= .seconds(1)
      else { throw .fall }
      guard longestGap > .zero && longestGap <= .seconds(3_600) else { throw .longestGap }
      self.init(
        checked: threshold, reversals, window, shortestSwing: shortestSwing, refractory: refractory,
        fall: (weightlessness, shortestFall), longestGap: longestGap)
    }

    /// The defaults.
    public static var standard: Configuration {
      Configuration(
        checked: Q16(raw: 58_982), 4, .milliseconds(700), shortestSwing: .milliseconds(50),
        refractory: .milliseconds(500), fall: (Q16(raw: 16_384), .milliseconds(50)), longestGap: .seconds(1))
    }

    /// The same where a pause of up to `pause`, at most 1 h, is no gap.
    package func allowing(pause: Microseconds) -> Configuration {
      var copy = self
      copy.longestGap = max(longestGap, min(pause, .seconds(3_600)))
      return copy
    }

    private init(
      checked threshold: Q16, _ reversals: Int32, _ window: Microseconds, shortestSwing: Microseconds,
      refractory: Microseconds, fall: (weightlessness: Q16, shortest: Microseconds), longestGap: Microseconds
    ) {
      self.threshold = threshold
      self.reversals = reversals
      self.window = window
      self.shortestSwing = shortestSwing
      self.refractory = refractory
      (weightlessness, shortestFall) = fall
      self.longestGap = longestGap
      fineSquare = Self.square(threshold)
      weightlessSquare = Self.square(fall.weightlessness)
      coarseSquare = Int64(bitPattern: fineSquare &>> 14)
      // Of 100 ms…5 s, in whole microseconds; 32 bits hold it, so that no 64-bit division is needed.
      let share = UInt32(truncatingIfNeeded: window.count) / UInt32(truncatingIfNeeded: reversals == 0 ? 1 : reversals)
      memory = Microseconds(Int64(bitPattern: widened(share)))
    }

    /// In units of 2^-32, for a number of at least 0.
    private static func square(_ value: Q16) -> UInt64 { widened(value.raw.magnitude) &* widened(value.raw.magnitude) }
  }
}

public import FixedPoint

/// Detects each shake of a board once, in any pose and along any axis.
///
/// It takes motion without gravity (a high-pass of some 200 ms) and follows swings: motion of at least the threshold in
/// one direction. A reversal is motion whose component along the last swing is at least the threshold in the opposite
/// direction. This is a projection in space, so a shake along a diagonal counts like one along an axis, and motion to
/// the side, as in the arc of a wrist, neither counts nor hides the next reversal. A shake is a number of reversals
/// within the window.
///
/// Walking stays below the threshold. A knock or a quick turn does not reverse often enough, and its ringing reverses
/// too soon to be a swing. A fall, which a bouncing board repeats, discards all swings before it. An accelerometer
/// cannot distinguish everything: running at 3 steps a second with 1 g or more is a shake.
///
/// A sample below the threshold costs six products. The state takes 104 bytes, the configuration 88.
public struct ShakeDetector: Equatable, Sendable {
  /// What counts as a shake; it cannot change while the detector has state.
  public let configuration: Configuration

  private var swing = Swing()
  /// Whether there is a swing that a motion could reverse.
  private var hasSwing = false
  /// Whether a shake has been reported and is not over.
  private var isTold = false
  /// How many entries of `times` count, and where the next one goes.
  private var count: UInt32 = 0
  private var next: UInt32 = 0
  /// The low words of the latest reversals' times. They span at most eight windows, 40 s, so they are unambiguous.
  private var times = ReversalTimes()
  private var lastSample = Self.never
  private var lastReversal = Self.never
  /// When motion last reached the threshold in any direction, and in that of the swing.
  private var lastStrong = Self.never
  private var lastAlong = Self.never
  /// Since when the board has been weightless.
  private var fallStart = Self.never
  /// When the swing began.
  private var swingStart = Self.never

  /// Stands for the time of something that has not happened; no interval is computed from it.
  private static var never: Instant { Instant(microseconds: Int64.min) }

  /// A detector without samples.
  public init(_ configuration: Configuration = .standard) { self.configuration = configuration }

  /// Processes the sample at `now`: the specific force, and the motion without gravity, which is the output of a
  /// high-pass; both Q16.16 g. Returns true once for each shake, at the reversal that completes it.
  ///
  /// A pause over the longest gap, or time that runs backwards, restarts the detector.
  public mutating func step(_ force: Vector3, motion: Vector3, at now: Instant) -> Bool {
    // Unsigned, so that one comparison finds time running backwards, too.
    let elapsed = UInt64(bitPattern: (now - lastSample).count)
    if lastSample == Self.never || elapsed > UInt64(bitPattern: configuration.longestGap.count) {
      self = ShakeDetector(configuration)
    }
    lastSample = now
    guard !isFalling(force, at: now) else {
      (hasSwing, count) = (false, 0)
      return false
    }
    guard motion.squaredMagnitude >= configuration.fineSquare else { return false }
    return follow(Swing(motion), at: now)
  }

  /// Whether a reported shake continues at `now`, which is not before the last sample.
  public func isShaking(at now: Instant) -> Bool { isTold && now - lastStrong <= configuration.refractory }

  /// Whether the board has been weightless for long enough at `now`.
  private mutating func isFalling(_ force: Vector3, at now: Instant) -> Bool {
    guard force.squaredMagnitude < configuration.weightlessSquare else {
      fallStart = Self.never
      return false
    }
    if fallStart == Self.never { fallStart = now }
    return now - fallStart >= configuration.shortestFall
  }

  /// Processes motion above the threshold.
  private mutating func follow(_ motion: Swing, at now: Instant) -> Bool {
    if isTold && now - lastStrong > configuration.refractory {
      (isTold, hasSwing, count) = (false, false, 0)
    }
    lastStrong = now
    guard hasSwing && now - lastAlong <= configuration.memory else {
      begin(motion, at: now)
      return false
    }
    switch swing.side(of: motion, configuration.coarseSquare) {
    case .aside:
      return false
    case .along:
      lastAlong = now
      if motion.square > swing.square { swing = motion }
      return false
    case .against:
      guard now - swingStart >= configuration.shortestSwing else { return false }
      begin(motion, at: now)
      return reverse(at: now)
    }
  }

  private mutating func begin(_ motion: Swing, at now: Instant) {
    (swing, hasSwing) = (motion, true)
    (swingStart, lastAlong) = (now, now)
  }

  /// Counts a reversal; true if it makes a shake.
  private mutating func reverse(at now: Instant) -> Bool {
    if count > 0 && now - lastReversal > configuration.window { count = 0 }
    lastReversal = now
    let time = UInt32(truncatingIfNeeded: now.microseconds)
    times[next] = time
    next = next &+ 1
    count = min(count &+ 1, 8)
    let needed = UInt32(bitPattern: configuration.reversals)
    guard !isTold && count >= needed else { return false }
    let span = time &- times[next &- needed]
    isTold = span <= UInt32(truncatingIfNeeded: configuration.window.count)
    return isTold
  }
}

/// The times of the last eight reversals, as a ring.
struct ReversalTimes: Equatable, Sendable {
  private var entries: InlineArray<8, UInt32> = .init(repeating: 0)

  /// The time of reversal number `index`, modulo 8.
  subscript(index: UInt32) -> UInt32 {
    get { entries[Int(truncatingIfNeeded: index & 7)] }
    set { entries[Int(truncatingIfNeeded: index & 7)] = newValue }
  }

  static func == (a: ReversalTimes, b: ReversalTimes) -> Bool {
    var index: UInt32 = 0
    while index < 8 {
      if a[index] != b[index] { return false }
      index &+= 1
    }
    return true
  }
}

/// The direction and size of a motion in 2^-9 g, limited to ±32 g on each axis, so that products of two fit in 32 bits.
struct Swing: Equatable, Sendable {
  private var x: Int32
  private var y: Int32
  private var z: Int32

  /// The relation of a motion to a swing, seen along the swing's direction.
  enum Side {
    case along, aside, against
  }

  /// No direction.
  init() { (x, y, z) = (0, 0, 0) }

  /// `motion` rounded to nearest.
  init(_ motion: Vector3) {
    x = Self.coarse(motion.x)
    y = Self.coarse(motion.y)
    z = Self.coarse(motion.z)
  }

  /// The size squared, in 2^-18 g²; below 2^30.
  var square: Int32 { dot(self) }

  /// The side of `motion`: its component along this direction counts if the square of that component is at least
  /// `limit`.
  ///
  /// `limit` is in 2^-18 g², at most 2^24. With d the product of both and s the size of this, the component is d / s;
  /// testing d² ≥ limit · s² needs no root and no division.
  func side(of motion: Swing, _ limit: Int64) -> Side {
    let product = widened(dot(motion))
    guard product &* product >= limit &* widened(square) else { return .aside }
    return product < 0 ? .against : .along
  }

  /// The magnitude is below 3 · 2^28.
  private func dot(_ other: Swing) -> Int32 { x &* other.x &+ y &* other.y &+ z &* other.z }

  private static func coarse(_ value: Q16) -> Int32 {
    let limit: Int32 = 16_383 &<< 7
    return (min(max(value.raw, 0 &- limit), limit) &+ 64) &>> 7
  }
}

/// Why a configuration is invalid.
public enum ShakeConfigurationError: Error, Equatable, Sendable {
  /// The threshold must be 0.25…8 g.
  case threshold
  /// The reversals must be 2…8.
  case reversals
  /// The window must be 100 ms…5 s.
  case window
  /// The least duration of a swing must be 0…200 ms, and the reversals of a shake must fit in the window.
  case shortestSwing
  /// The refractory time must be 0…10 s.
  case refractory
  /// Weightlessness must be 0…0.9 g, and a fall 10 ms…1 s.
  case fall
  /// The longest gap between samples must be 1 µs…1 h.
  case longestGap
}

extension ShakeDetector {
  /// What counts as a shake. All times are real times.
  public struct Configuration: Equatable, Sendable {
    /// The least motion of a swing, g; 0.25…8. Default 0.9 g: a fall removes at most 1 g, which fades at once.
    public let threshold: Q16
    /// The number of reversals of a shake, 2…8. Default 4, which is five swings: a knock that rings for 150 ms makes
    /// three.
    public let reversals: Int32
    /// The longest time from the first to the last of these reversals, 100 ms…5 s. Default 700 ms: 2.2 Hz or faster.
    public let window: Microseconds
    /// Motion that reverses sooner after the start of a swing is ringing, not a swing; 0…200 ms. Default 50 ms: up to
    /// 8 Hz at 50 samples a second, 10 Hz at high rates.
    public let shortestSwing: Microseconds
    /// A shake ends, and another can begin, when no motion has reached the threshold for longer than this; 0…10 s.
    /// Default 500 ms.
    public let refractory: Microseconds
    /// The specific force below which the board is falling, g; 0…0.9, 0 for never. Default 0.25 g.
    public let weightlessness: Q16
    /// After this time of weightlessness the board is falling, and all swings are discarded. 10 ms…1 s. Default 50 ms;
    /// shaking of 1.3 g or more at 3 Hz or above passes through weightlessness in less.
    public let shortestFall: Microseconds
    /// A longer pause between samples restarts the detector, 1 µs…1 h. Default 1 s.
    public private(set) var longestGap: Microseconds

    /// The threshold squared, in units of 2^-32 g² and of the detector's own 2^-18 g².
    let fineSquare: UInt64
    let coarseSquare: Int64
    /// Weightlessness squared, in units of 2^-32 g².
    let weightlessSquare: UInt64
    /// How long the direction of a swing counts if no motion follows or reverses it: an even share of the window.
    let memory: Microseconds

    /// A checked configuration. The error names the first value that is out of range.
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

    /// The same configuration, with a pause of up to `pause`, at most 1 h, not counting as a gap.
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
      // Of 100 ms…5 s, in whole microseconds; fits in 32 bits, so no 64-bit division is needed.
      let share = UInt32(truncatingIfNeeded: window.count) / UInt32(truncatingIfNeeded: reversals == 0 ? 1 : reversals)
      memory = Microseconds(Int64(bitPattern: widened(share)))
    }

    /// In units of 2^-32, for a number of at least 0.
    private static func square(_ value: Q16) -> UInt64 { widened(value.raw.magnitude) &* widened(value.raw.magnitude) }
  }
}

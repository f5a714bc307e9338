internal import FixedPoint

/// Whether a board is at rest, by what its own sensor's noise is.
///
/// Samples are gathered in windows of 0.4 s, each about the mean of the one before. A window is quiet where no sample lies
/// further from that mean than the sensor's noise explains and the mean itself stays where it was. Three quiet windows in
/// a row are rest: 1.2 s. What the noise is follows from the quietest windows so far, so that a part of ten times the noise
/// rests too, while the tremor of a hand does not count once a table has been seen.
///
/// No threshold is on the rate of rotation itself: what a gyroscope reads at rest is its bias, whatever that is.
struct StillnessDetector: Equatable, Sendable {
  /// What a sample brought.
  enum Finding {
    /// Nothing: the window goes on.
    case gathering
    /// The board moves: the window begins anew.
    case moving
    /// The window is full.
    case complete
  }

  /// The mean of the last window, or the sample that a window began anew with: °/s and g.
  private(set) var rate = Vector3.zero
  private(set) var force = Vector3.zero

  // What was gathered: sums of the differences from the two above, and of their squares.
  private var rateSum = Vector3.zero
  private var forceSum = Vector3.zero
  private var rateSquares: UInt64 = 0
  private var forceSquares: UInt64 = 0
  private var count: Int32 = 0
  private var elapsed: UInt32 = 0

  /// The variance of the quietest windows, all axes together: 2^-32 (°/s)² and 2^-32 g².
  private var rateNoise = Self.loudestRate
  private var forceNoise = Self.loudestForce

  /// The length of a window, µs.
  static var window: UInt32 { 400_000 }
  /// What the noise may be before it is known, 0.75 °/s and 0.03 g on each axis; a quiet window may have twice that.
  private static var loudestRate: UInt64 { 3 * 49_152 * 49_152 }
  private static var loudestForce: UInt64 { 3 * 1_966 * 1_966 }
  /// Squares of what is always allowed, for the rounding of the part: 0.3 °/s and 0.01 g.
  private static var leastRate: UInt64 { 19_661 * 19_661 }
  private static var leastForce: UInt64 { 655 * 655 }
  // How far from its mean noise takes a sample: 16 times the variance of three axes is 6.9 σ; passed once in 10^10 samples.
  private var rateLimit = loudestRate &<< 4
  private var forceLimit = loudestForce &<< 4

  /// How many windows in a row were quiet, up to 255. Of the first after movement only the noise is known.
  private(set) var quietWindows: UInt8 = 0
  private var outliers: UInt8 = 0

  /// Takes in a sample, `time` microseconds after the one before.
  @inline(__always)
  mutating func step(_ force: Vector3, _ rate: Vector3, _ time: UInt32) -> Finding {
    let rateChange = rate.subtracting(self.rate)
    let rateSquare = Self.square(rateChange)
    guard rateSquare <= rateLimit else { return stray(force, rate) }
    let forceChange = force.subtracting(self.force)
    let forceSquare = Self.square(forceChange)
    guard forceSquare <= forceLimit else { return stray(force, rate) }
    rateSum = rateSum.adding(rateChange)
    forceSum = forceSum.adding(forceChange)
    rateSquares &+= rateSquare
    forceSquares &+= forceSquare
    count &+= 1
    elapsed &+= time
    outliers = 0
    guard elapsed >= Self.window else { return .gathering }
    close()
    return .complete
  }

  /// The squared length; one function where flash is scarce.
  #if _pointerBitWidth(_64)
    @inline(__always)
  #else
    @inline(never)
  #endif
  private static func square(_ vector: Vector3) -> UInt64 { vector.squaredMagnitude }

  /// One sample alone that lies apart is a disturbance on the wire; two are movement.
  @inline(__always)
  private mutating func stray(_ force: Vector3, _ rate: Vector3) -> Finding {
    if count != 0 {
      if outliers == 0 {
        outliers = 1
        return .gathering
      }
      interrupt(force, rate)
    } else {
      (self.force, self.rate) = (force, rate)
    }
    return .moving
  }

  /// Begins anew about this sample.
  @inline(never)
  mutating func interrupt(_ force: Vector3, _ rate: Vector3) {
    begin(force, rate)
    quietWindows = 0
  }

  private mutating func begin(_ force: Vector3, _ rate: Vector3) {
    (self.force, self.rate) = (force, rate)
    (rateSum, forceSum, rateSquares, forceSquares) = (.zero, .zero, 0, 0)
    (count, elapsed, outliers) = (0, 0, 0)
  }

  /// Judges the full window and begins the next about its mean.
  @inline(never)
  private mutating func close() {
    let number = UInt64(bitPattern: widened(max(1, count)))
    let (rateShift, forceShift) = (mean(rateSum), mean(forceSum))
    let (rateStray, forceStray) = (Self.square(rateShift), Self.square(forceShift))
    let rateVariance = Self.variance(rateSquares, number, rateStray)
    let forceVariance = Self.variance(forceSquares, number, forceStray)
    // 0.1 °/s and 0.004 g more, for slow noise.
    let isSteady =
      Self.isSteady(rateStray, rateVariance, number, 6_554 * 6_554)
      && Self.isSteady(forceStray, forceVariance, number, 262 * 262)
    let isQuiet =
      rateVariance <= rateNoise &<< 2 &+ Self.leastRate && forceVariance <= forceNoise &<< 2 &+ Self.leastForce
    quietWindows = !isQuiet ? 0 : quietWindows == 0 || !isSteady ? 1 : quietWindows == 255 ? 255 : quietWindows &+ 1
    if quietWindows >= 3 {
      rateNoise = Self.lowered(rateNoise, rateVariance)
      forceNoise = Self.lowered(forceNoise, forceVariance)
      rateLimit = max(Self.leastRate, rateNoise &<< 4)
      forceLimit = max(Self.leastForce, forceNoise &<< 4)
    }
    begin(force.adding(forceShift), rate.adding(rateShift))
  }

  /// The variance of what was gathered, `stray` being the square of its mean.
  @inline(never)
  private static func variance(_ squares: UInt64, _ number: UInt64, _ stray: UInt64) -> UInt64 {
    let mean = squares / max(1, number)
    return mean > stray ? mean &- stray : 0
  }

  /// Whether a mean stayed where it was: those of two windows differ by 2 variance / number; up to 4 σ of that.
  @inline(never)
  private static func isSteady(_ stray: UInt64, _ variance: UInt64, _ number: UInt64, _ least: UInt64) -> Bool {
    stray <= least &+ (variance &<< 5) / max(1, number)
  }

  @inline(never)
  private func mean(_ sum: Vector3) -> Vector3 { sum.divided(by: count) }

  /// The noise falls at once and rises slowly: by a half in 5 s of rest.
  private static func lowered(_ noise: UInt64, _ variance: UInt64) -> UInt64 {
    min(noise &+ (noise &>> 5) &+ 1, variance)
  }
}

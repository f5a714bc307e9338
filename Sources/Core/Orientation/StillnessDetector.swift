internal import FixedPoint

/// Whether a board is at rest, judged by its own sensor's noise.
///
/// Samples are gathered in windows of 0.4 s, each about the mean of the previous one. A window is quiet if no sample
/// lies further from that mean than the sensor's noise explains and the mean itself stays in place. Three quiet windows
/// in a row (1.2 s) are rest. The noise is derived from the quietest windows so far, so that a part with ten times the
/// noise can rest too, while the tremor of a hand does not count once the board has lain on a table.
///
/// There is no threshold on the rate of rotation itself: the reading of a gyroscope at rest is its bias, however large.
struct StillnessDetector: Equatable, Sendable {
  /// The outcome of a sample.
  enum Finding {
    /// Nothing: the window continues.
    case gathering
    /// The board moves: the window restarts.
    case moving
    /// The window is full.
    case complete
  }

  // Until it is known, the noise is assumed to be 0.75 °/s and 0.03 g on each axis; a quiet window may have twice that.
  private var turning = NoiseWindow(loudest: 3 * 49_152 * 49_152)
  private var pushing = NoiseWindow(loudest: 3 * 1_966 * 1_966)
  private var count: Int32 = 0
  private var elapsed: UInt32 = 0

  /// The mean rate of the last window, or the sample with which a window restarted, °/s.
  var rate: Vector3 { turning.mean }
  /// The same for the force, g.
  var force: Vector3 { pushing.mean }

  /// The length of a window, µs.
  static var window: UInt32 { 400_000 }
  /// Squares of what is always allowed, for the rounding of the part: 0.3 °/s and 0.01 g.
  private static var leastRate: UInt64 { 19_661 * 19_661 }
  private static var leastForce: UInt64 { 655 * 655 }

  /// How many windows in a row were quiet, up to 255. The first after movement reveals only the noise.
  private(set) var quietWindows: UInt8 = 0
  private var outliers: UInt8 = 0

  /// Takes in a sample, `time` microseconds after the previous one.
  @inline(__always)
  mutating func step(_ force: Vector3, _ rate: Vector3, _ time: UInt32) -> Finding {
    let rateSquare = turning.square(to: rate)
    guard rateSquare <= turning.limit else { return stray(force, rate) }
    let forceSquare = pushing.square(to: force)
    guard forceSquare <= pushing.limit else { return stray(force, rate) }
    turning.gather(rate, rateSquare)
    pushing.gather(force, forceSquare)
    count &+= 1
    elapsed &+= time
    outliers = 0
    guard elapsed >= Self.window else { return .gathering }
    close()
    return .complete
  }

  /// A single outlier is a disturbance on the wire; two are movement.
  @inline(__always)
  private mutating func stray(_ force: Vector3, _ rate: Vector3) -> Finding {
    if count != 0 {
      if outliers == 0 {
        outliers = 1
        return .gathering
      }
      interrupt(force, rate)
    } else {
      (pushing.mean, turning.mean) = (force, rate)
    }
    return .moving
  }

  /// Restarts about this sample.
  @inline(never)
  mutating func interrupt(_ force: Vector3, _ rate: Vector3) {
    begin(force, rate)
    quietWindows = 0
  }

  @inline(__always)
  private mutating func begin(_ force: Vector3, _ rate: Vector3) {
    turning.begin(rate)
    pushing.begin(force)
    (count, elapsed, outliers) = (0, 0, 0)
  }

  /// Evaluates the full window and begins the next about its mean.
  @inline(never)
  private mutating func close() {
    // 0.1 °/s and 0.004 g for slow noise.
    let turned = turning.close(count, least: Self.leastRate, drift: 6_554 * 6_554)
    let pushed = pushing.close(count, least: Self.leastForce, drift: 262 * 262)
    let isSteady = turned.isSteady && pushed.isSteady
    let isQuiet = turned.isQuiet && pushed.isQuiet
    quietWindows = !isQuiet ? 0 : quietWindows == 0 || !isSteady ? 1 : quietWindows == 255 ? 255 : quietWindows &+ 1
    if quietWindows >= 3 {
      turning.learn(turned.variance, least: Self.leastRate)
      pushing.learn(pushed.variance, least: Self.leastForce)
    }
    (count, elapsed, outliers) = (0, 0, 0)
  }
}

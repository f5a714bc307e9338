public import FixedPoint

/// Whether a board is still or moves, from its force alone: for sensors without a gyroscope.
///
/// Samples are gathered in windows of 0.4 s and at least eight samples (2 s at rates below 4 Hz). The board is still
/// after three windows in a row whose samples scatter no more than the sensor's noise explains, and whose means agree.
/// It moves when samples have been further from the rest than noise explains for a tenth of a second in total, or when
/// two windows in a row are too loud or off the mean; one window is enough if it is far off. A knock on the table
/// therefore does not count as movement, but a gentle lift does.
///
/// The noise of samples and of windows is learnt at rest, so a part with ten times the noise can rest too. The
/// reference force follows slowly: at 10 Hz or more, a part that drifts by 0.5 mg per second as it warms up does not
/// count as moving.
public struct RestDetector: Equatable, Sendable {
  /// Whether the board is still; nil while unknown: at the start, and after a pause of more than 5 s.
  public private(set) var isStill: Bool?

  // Until it is known, the noise is assumed to be 0.015 g on each axis; a quiet window may have 1.4 times that.
  private var window = NoiseWindow(loudest: 3 * 983 * 983)
  private var knowsNoise = false
  /// The force at rest, g.
  private var rest = Vector3.zero
  /// The mean squared distance of window means from the force at rest: the noise that is slower than a window.
  private var scatter: UInt64 = 0
  private var last = Instant(microseconds: 0)
  private var hasBegun = false
  private var count: Int32 = 0
  private var elapsed: UInt32 = 0
  /// How long the state has been unknown, µs.
  private var age: UInt32 = 0
  /// How long samples have been too far off, less half the time since then, µs.
  private var evidence: UInt32 = 0
  /// How many windows in a row were quiet, up to 3, and how many indicated movement.
  private var quietWindows: UInt8 = 0
  private var doubts: UInt8 = 0

  /// A detector without samples.
  public init() {}

  private static var longestGap: Microseconds { .seconds(5) }
  private static var shortWindow: UInt32 { 400_000 }
  private static var longWindow: UInt32 { 2_000_000 }
  /// A tenth of a second; one sample contributes at most half of it.
  private static var enough: UInt32 { 100_000 }
  // Squares of what is always allowed: 0.02 g for a sample, 0.01 g for the noise of a window, 0.004 g from one window
  // to the next, 0.008 g from the force at rest.
  private static var leastSample: UInt64 { 1_311 * 1_311 }
  private static var leastNoise: UInt64 { 655 * 655 }
  private static var leastStep: UInt64 { 262 * 262 }
  private static var leastShift: UInt64 { 524 * 524 }

  /// Takes in the sample of instant `now`: the force in g, in any frame fixed to the board.
  public mutating func step(_ force: Vector3, at now: Instant) {
    let pause = now - last
    guard hasBegun, pause >= .zero, pause <= Self.longestGap else { return restart(force, at: now) }
    // If the clock stands still, the sample is ignored.
    guard pause > .zero else { return }
    last = now
    let time = UInt32(truncatingIfNeeded: pause.count)
    elapsed &+= time
    if isStill == nil { age = age > 1 &<< 30 ? age : age &+ time }
    let square = window.square(to: force)
    if square > window.limit {
      stray(force, time)
    } else {
      window.gather(force, square)
      count &+= 1
      let half = time &>> 1
      evidence = evidence > half ? evidence &- half : 0
    }
    let isFull = count >= 8 && elapsed >= Self.shortWindow || count >= 2 && elapsed >= Self.longWindow
    if isFull || count == Int32.max { close() }
  }

  /// Makes the state unknown, except for the noise: samples are missing.
  public mutating func interrupt() {
    hasBegun = false
    (isStill, age) = (nil, 0)
  }

  private mutating func restart(_ force: Vector3, at now: Instant) {
    interrupt()
    (hasBegun, last) = (true, now)
    begin(force)
  }

  /// Begins a window about `mean`.
  private mutating func begin(_ mean: Vector3) {
    window.begin(mean)
    (count, elapsed, evidence, quietWindows, doubts) = (0, 0, 0, 0, 0)
  }

  /// Handles a sample that noise does not explain.
  private mutating func stray(_ force: Vector3, _ time: UInt32) {
    evidence &+= min(time, Self.enough &>> 1)
    guard evidence >= Self.enough || count == 0 && isStill != true else { return }
    move(force)
  }

  /// Records that the board moves, now about `mean`.
  @inline(never)
  private mutating func move(_ mean: Vector3) {
    begin(mean)
    if isStill != nil || age >= Self.longWindow { isStill = false }
  }

  /// Evaluates the full window, and begins the next about its mean.
  @inline(never)
  private mutating func close() {
    let closed = window.close(count, least: Self.leastNoise, drift: Self.leastStep)
    (count, elapsed) = (0, 0)
    guard isStill == true else { return settle(closed) }
    let shift = window.mean.subtracting(rest)
    let (off, limit) = (shift.squaredMagnitude, max(Self.leastShift, scatter &<< 4))
    guard closed.isQuiet && off <= limit else {
      let isPlain = off > limit &<< 2 || closed.variance > window.noise &<< 4 &+ Self.leastNoise &<< 2
      doubts &+= isPlain ? 2 : 1
      if doubts >= 2 { move(window.mean) }
      return
    }
    doubts = 0
    rest = rest.adding(shift.divided(by: 8))
    scatter = Self.mean(of: scatter, and: off, down: 3, up: 3)
    learn(Self.mean(of: window.noise, and: closed.variance, down: 2, up: 5))
  }

  /// Evaluates a window while the board is not known to be still.
  private mutating func settle(_ closed: NoiseWindow.Window) {
    // The limit is stricter than for a board at rest, so that the state does not alternate.
    let isQuiet = closed.variance <= window.noise &<< 1 &+ Self.leastNoise &>> 1
    quietWindows = !isQuiet ? 0 : quietWindows == 0 || !closed.isSteady ? 1 : quietWindows &+ 1
    guard quietWindows >= 3 else {
      if !isQuiet && age >= Self.longWindow { isStill = false }
      return
    }
    isStill = true
    (rest, scatter) = (window.mean, closed.variance &>> 2)
    learn(knowsNoise ? Self.mean(of: window.noise, and: closed.variance, down: 2, up: 5) : closed.variance)
    knowsNoise = true
  }

  private mutating func learn(_ noise: UInt64) {
    window.noise = noise
    window.limit = max(Self.leastSample, noise &<< 4)
  }

  /// `known`, moved towards `value` by a 2^`down`th or a 2^`up`th of the way.
  private static func mean(of known: UInt64, and value: UInt64, down: UInt64, up: UInt64) -> UInt64 {
    value < known ? known &- (known &- value) &>> down : known &+ (value &- known) &>> up
  }
}

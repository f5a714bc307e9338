public import FixedPoint

/// Whether a board is still or moves, by its force alone: for sensors without a gyroscope.
///
/// Samples are gathered in windows of 0.4 s and at least eight samples (at rates below 4 Hz of 2 s). The board is still
/// after three windows in a row whose samples lie no further apart than the sensor's noise explains, and whose means
/// agree. It moves when, for a tenth of a second in all, samples lie further from the rest than noise takes them, or
/// when two windows in a row are too loud or lie off; one is enough where it is far off. So a knock on the table is no
/// movement, and a gentle lift is.
///
/// What the noise is, of samples and of windows, is learnt at rest: a part of ten times the noise rests too. The rest
/// itself follows slowly: at 10 Hz or more, a part that drifts by 0.5 mg a second as it grows warm does not move.
public struct RestDetector: Equatable, Sendable {
  /// Whether the board is still; nil while that is not known: at the start, and after a pause of more than 5 s.
  public private(set) var isStill: Bool?

  // The noise is 0.015 g on each axis before it is known; a quiet window may have 1.4 times that.
  private var window = NoiseWindow(loudest: 3 * 983 * 983)
  private var knowsNoise = false
  /// The force at rest, g.
  private var rest = Vector3.zero
  /// How far the means of windows lie from that at rest, squared and on average: the noise that is slower than a
  /// window.
  private var scatter: UInt64 = 0
  private var last = Instant(microseconds: 0)
  private var hasBegun = false
  private var count: Int32 = 0
  private var elapsed: UInt32 = 0
  /// How long nothing is known, µs.
  private var age: UInt32 = 0
  /// For how long samples lay too far off, less half of the time since then, µs.
  private var evidence: UInt32 = 0
  /// How many windows in a row were quiet, up to 3; and how many spoke of movement.
  private var quietWindows: UInt8 = 0
  private var doubts: UInt8 = 0

  /// Nothing is known.
  public init() {}

  private static var longestGap: Microseconds { .seconds(5) }
  private static var shortWindow: UInt32 { 400_000 }
  private static var longWindow: UInt32 { 2_000_000 }
  /// A tenth of a second, half of which one sample can bring.
  private static var enough: UInt32 { 100_000 }
  // Squares of what is always allowed: 0.02 g for a sample, 0.01 g for the noise of a window, 0.004 g from one window
  // to the next, 0.008 g from the rest.
  private static var leastSample: UInt64 { 1_311 * 1_311 }
  private static var leastNoise: UInt64 { 655 * 655 }
  private static var leastStep: UInt64 { 262 * 262 }
  private static var leastShift: UInt64 { 524 * 524 }

  /// Takes in the sample of instant `now`: the force in g, in any frame that turns with the board.
  public mutating func step(_ force: Vector3, at now: Instant) {
    let pause = now - last
    guard hasBegun, pause >= .zero, pause <= Self.longestGap else { return restart(force, at: now) }
    // A clock that stands still brings nothing new.
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

  /// Nothing is known any more but the noise: samples fail to come.
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

  /// Takes in a sample that noise does not explain.
  private mutating func stray(_ force: Vector3, _ time: UInt32) {
    evidence &+= min(time, Self.enough &>> 1)
    guard evidence >= Self.enough || count == 0 && isStill != true else { return }
    move(force)
  }

  /// The board moves, now about `mean`.
  @inline(never)
  private mutating func move(_ mean: Vector3) {
    begin(mean)
    if isStill != nil || age >= Self.longWindow { isStill = false }
  }

  /// Judges the window that is full, and begins the next about its mean.
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

  /// Judges a window of a board of which it is not known that it is still.
  private mutating func settle(_ closed: NoiseWindow.Window) {
    // Quieter than a board at rest must stay, so that it does not go to and fro.
    let isQuiet = closed.variance <= window.noise &<< 1 &+ Self.leastNoise &>> 1
    quietWindows = !isQuiet ? 0 : quietWindows == 0 || !closed.isSteady ? 1 : quietWindows &+ 1
    guard quietWindows >= 3 else {
      if !isQuiet && age >= Self.longWindow { isStill = false }
      return
    }
    isStill = true
    (age, quietWindows, doubts) = (0, 0, 0)
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

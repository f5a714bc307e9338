public import FixedPoint

/// Tells when a board is shaken, in any pose and along any axis: once per shake.
///
/// It takes motion without gravity (a high-pass of some 200 ms) and follows swings: motion of the threshold or more in
/// one direction. A reversal is motion whose part along the direction of the last swing is the threshold or more the
/// other way. That is a projection in space, so a shake along a diagonal counts the same as one along an axis, and
/// motion to the side, as of a wrist's arc, neither counts nor hides the next reversal. So many reversals inside the
/// window make a shake.
///
/// A walk stays below the threshold; a knock or a quick turn does not reverse often enough, and its ringing turns back
/// too soon to be a swing; a fall, which a bouncing board goes through again and again, forgets all swings before it.
/// What looks the same to an accelerometer is the same: running at 3 steps a second with 1 g and more is a shake.
///
/// A sample below the threshold costs six products; its state is 104 bytes beside 88 of configuration.
///
/// - Source: behaviour.md of the project, "Gestures and motion".
public struct ShakeDetector: Equatable, Sendable {
  /// What counts as a shake; it cannot change while there is state.
  public let configuration: Configuration

  private var swing = Swing()
  /// Whether there is a swing that a motion could reverse.
  private var hasSwing = false
  /// Whether a shake has been told that is not over.
  private var isTold = false
  /// How many entries of `times` count, and where the next one goes.
  private var count: UInt32 = 0
  private var next: UInt32 = 0
  /// The low words of the latest reversals' times. They lie no further apart than eight windows, 40 s: it is
  /// unambiguous.
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

  /// The time of what has not been; no time between it and another is taken.
  private static var never: Instant { Instant(microseconds: Int64.min) }

  /// A detector that has seen nothing.
  public init(_ configuration: Configuration = .standard) { self.configuration = configuration }

  /// Takes the sample of `now` in: the specific force, and its motion without gravity, which is what a high-pass leaves
  /// of it; both Q16.16 g. True once per shake, at the reversal that makes it one.
  ///
  /// A pause over the longest gap, or time that runs backwards, starts the detector anew.
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

  /// Whether a shake that has been told goes on at `now`, which is not before the last sample.
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

  /// Takes motion above the threshold in.
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

/// The times of eight reversals, round and round.
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

public import FixedPoint

/// Why a configuration of a still force is invalid.
public enum StillForceError: Error, Equatable, Sendable {
  /// Settling must take 0…10 s, the window 10 ms…60 s, and the longest gap must be above 0 and at most 60 s.
  case times
  /// The minimum number of samples must be 2…65536.
  case minimumSamples
  /// The deviation must be above 0 and at most 0.1 g.
  case deviation
}

/// Waits until a force is held still, and averages it.
///
/// A window of real time gives an average if the standard deviation of every axis is small. A sample further than six
/// such deviations from the first one, a long gap, and time that runs backwards restart the window at once.
///
/// Sums are of differences from the window's first sample, in 64 bits, and exact: at most 2^18 samples of at most 0.6
/// g. The average is rounded to nearest (error at most 0.5 LSB, 8e-6 g); the variance is at most 0.25 LSB² too large.
public struct StillForce: Equatable, Sendable {
  /// What counts as still.
  public struct Configuration: Equatable, Sendable {
    /// How long to ignore samples after a movement, 0…10 s. Default 250 ms.
    public let settling: Microseconds
    /// The minimum averaging time, 10 ms…60 s. Default 1 s.
    public let window: Microseconds
    /// The minimum number of samples to average, 2…65536. Default 32.
    public let minimumSamples: Int32
    /// The largest standard deviation of an axis, above 0 and at most 0.1 g. Default 0.02 g: five times a sensor's
    /// noise at 100 Hz, and the effect of a steady turn of 4°/s over 1 s.
    public let deviation: Q16
    /// A longer pause between samples restarts the window, at most 60 s. Default 1 s.
    public let longestGap: Microseconds

    /// The defaults.
    public static var standard: Configuration { Configuration() }

    private init() {
      settling = .milliseconds(250)
      window = .seconds(1)
      minimumSamples = 32
      deviation = Q16(raw: 1_311)
      longestGap = .seconds(1)
    }

    /// A checked configuration.
    public init(
      settling: Microseconds = .milliseconds(250), window: Microseconds = .seconds(1), minimumSamples: Int32 = 32,
      deviation: Q16 = Q16(2, over: 100), longestGap: Microseconds = .seconds(1)
    ) throws(StillForceError) {
      guard
        settling >= .zero && settling <= .seconds(10) && window >= .milliseconds(10) && window <= .seconds(60)
          && longestGap > .zero && longestGap <= .seconds(60)
      else { throw .times }
      guard minimumSamples >= 2 && minimumSamples <= 65_536 else { throw .minimumSamples }
      guard deviation > .zero && deviation <= Q16(1, over: 10) else { throw .deviation }
      self.settling = settling
      self.window = window
      self.minimumSamples = minimumSamples
      self.deviation = deviation
      self.longestGap = longestGap
    }
  }

  /// The result of a sample.
  public enum Progress: Equatable, Sendable {
    /// The force is changing, or changed less than the settling time ago, or its first sample has just arrived.
    case moving
    /// Still so far; the completed share of the window, from 0 to less than 1.
    case holding(Q16)
    /// Held still for a whole window: the average. A new window begins.
    case held(Vector3)
  }

  private let configuration: Configuration
  private var reference = Vector3.zero
  /// When the window's first sample arrived, or would have arrived had no settling been needed.
  private var start = Instant(microseconds: 0)
  private var last = Instant(microseconds: 0)
  private var hasReference = false
  private var count: Int32 = 0
  private var x = Sums()
  private var y = Sums()
  private var z = Sums()

  /// A window without samples.
  public init(_ configuration: Configuration = .standard) { self.configuration = configuration }

  /// Takes in the sample of instant `now`.
  public mutating func step(_ force: Vector3, at now: Instant) -> Progress {
    let elapsed = now - last
    guard hasReference && elapsed >= .zero && elapsed <= configuration.longestGap && isNear(force) else {
      begin(force, at: now)
      return .moving
    }
    last = now
    let held = now - start - configuration.settling
    guard held >= .zero else { return .moving }
    // A new reference: the old one may be from the end of a movement.
    if count == 0 { reference = force }
    add(force)
    if held >= configuration.window && count >= configuration.minimumSamples { return judge(force, at: now) }
    // A clock that stands still must not fill the sums. 60 s at 3200 Hz take fewer samples.
    guard count < 1 &<< 18 else {
      begin(force, at: now)
      return .moving
    }
    let time = share(held.count, of: configuration.window.count)
    return .holding(Q16(raw: min(time, share(widened(count), of: widened(configuration.minimumSamples)))))
  }

  /// Restarts with the next sample.
  public mutating func interrupt() { hasReference = false }

  private mutating func begin(_ force: Vector3, at now: Instant) {
    (reference, start, last, hasReference, count) = (force, now, now, true, 0)
    (x, y, z) = (Sums(), Sums(), Sums())
  }

  private mutating func add(_ force: Vector3) {
    count = count &+ 1
    x.add(force.x.raw &- reference.x.raw)
    y.add(force.y.raw &- reference.y.raw)
    z.add(force.z.raw &- reference.z.raw)
  }

  private mutating func judge(_ force: Vector3, at now: Instant) -> Progress {
    let limit = widened(configuration.deviation.raw) &* widened(configuration.deviation.raw)
    let isStill = x.isStill(limit, count) && y.isStill(limit, count) && z.isStill(limit, count)
    let average = Vector3(
      x: reference.x.addingSaturating(Q16(raw: x.mean(count))),
      y: reference.y.addingSaturating(Q16(raw: y.mean(count))),
      z: reference.z.addingSaturating(Q16(raw: z.mean(count))))
    begin(force, at: now)
    guard isStill else { return .moving }
    // A force that has just been still need not settle again.
    start = now - configuration.settling
    return .held(average)
  }

  /// Whether no component is further than six deviations from the window's first sample.
  private func isNear(_ force: Vector3) -> Bool {
    let limit = widened(configuration.deviation.raw &* 6)
    func isNear(_ a: Q16, _ b: Q16) -> Bool { (widened(a.raw) &- widened(b.raw)).magnitude <= limit.magnitude }
    return isNear(force.x, reference.x) && isNear(force.y, reference.y) && isNear(force.z, reference.z)
  }

  /// `part` / `whole` in Q16.16, at least 0 and less than 1; `whole` is positive and below 2^46.
  private func share(_ part: Int64, of whole: Int64) -> Int32 {
    let bounded = max(0, min(part, whole &- 1))
    return Int32(truncatingIfNeeded: quotient(bounded.magnitude &<< 16, whole.magnitude))
  }

  /// The sums of one axis, in LSB and LSB².
  private struct Sums: Equatable, Sendable {
    var sum: Int64 = 0
    var squares: Int64 = 0

    mutating func add(_ difference: Int32) {
      sum = sum &+ widened(difference)
      squares = squares &+ widened(difference) &* widened(difference)
    }

    /// Rounded to nearest.
    func mean(_ count: Int32) -> Int32 {
      let divisor = widened(count.magnitude)
      let size = Int32(truncatingIfNeeded: quotient(sum.magnitude &+ divisor &>> 1, divisor))
      return sum < 0 ? 0 &- size : size
    }

    /// Whether the variance is at most `limit`, from the sum of squares about the rounded mean, which is exact.
    func isStill(_ limit: Int64, _ count: Int32) -> Bool {
      let (mean, count) = (widened(mean(count)), widened(count))
      return squares &- 2 &* mean &* sum &+ count &* mean &* mean <= limit &* count
    }
  }
}

/// `dividend` / `divisor`; a divisor of 0, which cannot occur, counts as 1, which avoids a trap.
func quotient(_ dividend: UInt64, _ divisor: UInt64) -> UInt64 { dividend / (divisor == 0 ? 1 : divisor) }

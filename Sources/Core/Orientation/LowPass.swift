public import FixedPoint

/// A first-order low-pass over specific force, using the real time between samples.
///
/// Gain `k = dt / (dt + RC)` in Q0.32, rounded to nearest. The state has 32 bits below Q16.16. The input is compared
/// with the state rounded to Q16.16, so one product of words is exact and the remainder stays in the state. Results lie
/// between the inputs' extremes, reach a constant input to the last bit at any gain but 0, and stay there. They differ
/// from the formula by at most 1 LSB (1.5e-5 g) plus the effect of the gain's rounding: 2^-33 / k of the inputs' range.
///
/// The gain is kept while the time between samples and the configuration stay the same: only a change costs a division.
///
/// - Source: the low-pass of the published phone sample code, with the time constant RC as its parameter.
public struct LowPass: Equatable, Sendable {
  /// The settings of the filter.
  public struct Configuration: Equatable, Sendable {
    /// RC: the time in which 63 % of a step comes through. 0 passes everything.
    public var timeConstant: Microseconds
    /// A longer pause than this restarts the filter.
    public var longestGap: Microseconds

    /// The defaults: 200 ms, and 1 s.
    public init(timeConstant: Microseconds = .milliseconds(200), longestGap: Microseconds = .seconds(1)) {
      self.timeConstant = timeConstant
      self.longestGap = longestGap
    }

    /// The same configuration, with a pause of up to `pause` not counting as a gap.
    package func allowing(pause: Microseconds) -> Configuration {
      Configuration(timeConstant: timeConstant, longestGap: max(longestGap, pause))
    }
  }

  // Q16.16 times 2^32, plus half a unit of Q16.16: the high word is the rounded result.
  private var x = Self.half
  private var y = Self.half
  private var z = Self.half
  private var last = Self.never

  // The gain for one elapsed time in one configuration. An elapsed time of -1 means none: such a gap restarts the
  // filter in any configuration.
  private var gain = Self.one
  private var gainElapsed = Microseconds(-1)
  private var configuration: Configuration

  /// A filter without samples; it passes the first sample unchanged.
  public init() { self.init(Configuration()) }

  /// The same for steps that do not specify a configuration.
  package init(_ configuration: Configuration) { self.configuration = configuration }

  /// Makes the next sample pass unchanged, like the first.
  package mutating func interrupt() { last = Self.never }

  /// Takes in the sample of instant `now` and returns the filtered force.
  ///
  /// The filter restarts after a pause over the longest gap, when time runs backwards, and after a force of exactly
  /// zero (which no sensor reports at rest).
  public mutating func step(_ force: Vector3, at now: Instant, _ configuration: Configuration) -> Vector3 {
    if configuration != self.configuration {
      self.configuration = configuration
      (gain, gainElapsed) = (Self.one, Microseconds(-1))
    }
    return step(force, at: now)
  }

  /// A step in the filter's present configuration.
  @inline(__always)
  package mutating func step(_ force: Vector3, at now: Instant) -> Vector3 {
    guard !Self.isZero(force) else {
      self = LowPass(configuration)
      return .zero
    }
    // The usual case, kept apart from all others: the gain is known.
    if now - last == gainElapsed {
      advance(to: force, at: now)
    } else {
      stepAfterPause(force, at: now)
    }
    return Vector3(x: Self.upper(x), y: Self.upper(y), z: Self.upper(z))
  }

  @inline(__always)
  private static func isZero(_ force: Vector3) -> Bool { force.x.raw | force.y.raw | force.z.raw == 0 }

  /// A step that first computes its gain, or restarts.
  @inline(never)
  private mutating func stepAfterPause(_ force: Vector3, at now: Instant) {
    let elapsed = now - last
    if last != Self.never && elapsed >= .zero && elapsed <= configuration.longestGap {
      gain = Self.gain(elapsed, configuration.timeConstant)
      gainElapsed = elapsed
    } else {
      // With a gain of 1 the sample passes unchanged.
      self = LowPass(configuration)
    }
    advance(to: force, at: now)
  }

  @inline(__always)
  private mutating func advance(to force: Vector3, at now: Instant) {
    last = now
    x = advanced(x, force.x)
    y = advanced(y, force.y)
    z = advanced(z, force.z)
  }

  /// The product may wrap, but the sum does not: the new state lies between the old one and the value.
  @inline(__always)
  private func advanced(_ state: Int64, _ value: Q16) -> Int64 {
    state &+ (widened(value.raw) &- (state &>> 32)) &* gain
  }

  @inline(__always)
  private static func upper(_ state: Int64) -> Q16 { Q16(raw: Int32(truncatingIfNeeded: state &>> 32)) }

  /// dt / (dt + RC) in Q32, 0…2^32, for dt ≥ 0; both are halved until they fit in 31 bits.
  static func gain(_ elapsed: Microseconds, _ timeConstant: Microseconds) -> Int64 {
    guard timeConstant > .zero else { return one }
    let zeros = UInt32(truncatingIfNeeded: (elapsed.count | timeConstant.count | 0x7FFF_FFFF).leadingZeroBitCount)
    let shift = Int64(bitPattern: widened(33 &- zeros))
    let time = UInt64(bitPattern: elapsed.count &>> shift)
    let sum = time &+ UInt64(bitPattern: timeConstant.count &>> shift)
    // The sum cannot be 0; the select avoids a trap for the division.
    return Int64(bitPattern: ((time &<< 32) &+ (sum &>> 1)) / (sum == 0 ? 1 : sum))
  }

  private static var one: Int64 { 1 &<< 32 }
  private static var half: Int64 { 1 &<< 31 }
  /// The time of the last sample before there is one.
  private static var never: Instant { Instant(microseconds: Int64.min) }
}

extension LowPass {
  /// The steering angle of the filtered force, with the full precision of the filter. Near the ends of the arc sines,
  /// one unit of Q16.16 amounts to hundredths of a degree and more. 0 before the first sample.
  package var steeringAngle: BinaryAngle { steering(sineY: Self.sine(y), sineZ: Self.sine(z)) }

  /// A state as a sine in Q2.30, rounded to nearest, clamped to ±1.
  private static func sine(_ state: Int64) -> Int32 {
    let (one, sine): (Int64, Int64) = (1 &<< 30, (state &- half &+ (1 &<< 17)) &>> 18)
    return Int32(truncatingIfNeeded: max(-one, min(one, sine)))
  }
}

/// A first-order high-pass over specific force, using the real time between samples: motion without gravity.
///
/// It is the sample minus its low-pass with the same time constant RC. The published recipe `y = k (y + x - x_prev)`
/// with `k = RC / (dt + RC)` gives the same numbers: with `l` the low-pass of gain `1 - k`, `x - (l + (1 - k)(x - l)) =
/// k (x - l) = k ((x_prev - l) + x - x_prev)`, and `x_prev - l` is the `y` of the previous sample. This form keeps one
/// state, rounds once and cannot drift: it shares the low-pass's error bound (1 LSB of Q16.16 plus the gain's
/// rounding), and a constant input eventually gives exactly 0. Differences out of range saturate.
///
/// - Source: the high-pass of the published phone sample code, with the time constant RC as its parameter.
public struct HighPass: Equatable, Sendable {
  private var lowPass = LowPass()

  /// A filter without samples; the first sample gives 0.
  public init() {}

  /// Takes in the sample of instant `now` and returns the part that changes faster than the time constant.
  ///
  /// Restarts, with a result of 0, whenever the low-pass would.
  public mutating func step(_ force: Vector3, at now: Instant, _ configuration: LowPass.Configuration) -> Vector3 {
    Self.motion(of: force, without: lowPass.step(force, at: now, configuration))
  }

  /// `force` minus `gravity`, its low-pass, saturating: the whole filter where there is a low-pass already.
  public static func motion(of force: Vector3, without gravity: Vector3) -> Vector3 {
    Vector3(
      x: difference(force.x, gravity.x), y: difference(force.y, gravity.y), z: difference(force.z, gravity.z))
  }

  /// `Q16.subtractingSaturating` in words of 32 bits.
  @inline(__always)
  private static func difference(_ a: Q16, _ b: Q16) -> Q16 {
    let (result, overflows) = a.raw.subtractingReportingOverflow(b.raw)
    return Q16(raw: overflows ? (a.raw &>> 31) ^ Int32.max : result)
  }
}

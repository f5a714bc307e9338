public import FixedPoint

/// A first-order low-pass over specific force, by the real time between samples.
///
/// Gain `k = dt / (dt + RC)` in Q0.32, rounded to nearest. The state has 32 bits below Q16.16; what is taken from the
/// input is the state rounded to Q16.16, so that one product of words is exact and the rest stays in the state. Results
/// lie between the inputs' extremes, reach a constant input to the last bit at any gain but 0 and stay there, and
/// differ from the formula by at most 1 LSB (1.5e-5 g) and what the gain's rounding makes: 2^-33 / k of the inputs'
/// range.
///
/// The gain is kept while time between samples and configuration stay the same: only a change of them costs a division.
///
/// - Source: the low-pass of the published phone sample code, with the time constant RC as its parameter.
public struct LowPass: Equatable, Sendable {
  /// How the filter is set.
  public struct Configuration: Equatable, Sendable {
    /// RC: the time in which 63 % of a step has come through. 0 lets everything through.
    public var timeConstant: Microseconds
    /// A longer pause than this starts the filter anew.
    public var longestGap: Microseconds

    /// The defaults: 200 ms, and 1 s.
    public init(timeConstant: Microseconds = .milliseconds(200), longestGap: Microseconds = .seconds(1)) {
      self.timeConstant = timeConstant
      self.longestGap = longestGap
    }

    /// The same where a pause of up to `pause` is no gap.
    package func allowing(pause: Microseconds) -> Configuration {
      Configuration(timeConstant: timeConstant, longestGap: max(longestGap, pause))
    }
  }

  // Q16.16 times 2^32, and half a unit of Q16.16 more: the high word is the result, rounded.
  private var x = Self.half
  private var y = Self.half
  private var z = Self.half
  private var last = Self.never

  // The gain of one elapsed time in one configuration. -1 stands for none: that gap starts anew in any of them.
  private var gain = Self.one
  private var gainElapsed = Microseconds(-1)
  private var configuration: Configuration

  /// A filter that has seen nothing; the first sample passes unchanged.
  public init() { self.init(Configuration()) }

  /// The same for steps that do not name their configuration.
  package init(_ configuration: Configuration) { self.configuration = configuration }

  /// Has the next sample pass unchanged, as the first one does.
  package mutating func interrupt() { last = Self.never }

  /// Takes the sample of instant `now` in and returns the filtered force.
  ///
  /// A pause over the longest gap, time that runs backwards, or a force of exactly zero (which no sensor at rest
  /// reports) starts the filter anew.
  public mutating func step(_ force: Vector3, at now: Instant, _ configuration: Configuration) -> Vector3 {
    if configuration != self.configuration {
      self.configuration = configuration
      (gain, gainElapsed) = (Self.one, Microseconds(-1))
    }
    return step(force, at: now)
  }

  /// A step in the configuration that the filter has already.
  @inline(__always)
  package mutating func step(_ force: Vector3, at now: Instant) -> Vector3 {
    guard !Self.isZero(force) else {
      self = LowPass(configuration)
      return .zero
    }
    // The usual case, apart from all others: the gain is known.
    if now - last == gainElapsed {
      advance(to: force, at: now)
    } else {
      stepAfterPause(force, at: now)
    }
    return Vector3(x: Self.upper(x), y: Self.upper(y), z: Self.upper(z))
  }

  @inline(__always)
  private static func isZero(_ force: Vector3) -> Bool { force.x.raw | force.y.raw | force.z.raw == 0 }

  /// A step that makes its gain first, or starts anew.
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

  /// The product may wrap, the sum does not: the new state lies between the old one and the value.
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
    // A sum of 0 cannot be; the select leaves no trap on a division by it.
    return Int64(bitPattern: ((time &<< 32) &+ (sum &>> 1)) / (sum == 0 ? 1 : sum))
  }

  private static var one: Int64 { 1 &<< 32 }
  private static var half: Int64 { 1 &<< 31 }
  /// The time of the last sample where there was none.
  private static var never: Instant { Instant(microseconds: Int64.min) }
}

extension LowPass {
  /// The steering angle of the filtered force, from all the bits that the filter has: near the ends of the arc sines,
  /// where one unit of Q16.16 makes hundredths of a degree and more, that is what keeps it true. 0 before any sample.
  package var steeringAngle: BinaryAngle { steering(sineY: Self.sine(y), sineZ: Self.sine(z)) }

  /// A state as a sine in Q2.30, rounded to nearest, clamped to ±1.
  private static func sine(_ state: Int64) -> Int32 {
    Int32(truncatingIfNeeded: max(-(1 &<< 30), min(1 &<< 30, (state &- half &+ (1 &<< 17)) &>> 18)))
  }
}

/// A first-order high-pass over specific force, by the real time between samples: motion without gravity.
///
/// It is the sample less its low-pass with the same time constant RC. The published recipe `y = k (y + x - x_prev)`
/// with `k = RC / (dt + RC)` gives the same numbers: with `l` the low-pass of gain `1 - k`, `x - (l + (1 - k)(x - l)) =
/// k (x - l) = k ((x_prev - l) + x - x_prev)`, and `x_prev - l` is `y` of the sample before. This form keeps one state,
/// rounds once and cannot drift: it shares the low-pass's error bound (1 LSB of Q16.16 and the gain's rounding) and a
/// constant input gives exactly 0 in the end. Differences out of range saturate.
///
/// - Source: the high-pass of the published phone sample code, with the time constant RC as its parameter.
public struct HighPass: Equatable, Sendable {
  private var lowPass = LowPass()

  /// A filter that has seen nothing; the first sample gives 0.
  public init() {}

  /// Takes the sample of instant `now` in and returns what changes faster than the time constant.
  ///
  /// What starts the low-pass anew starts this anew: the result is 0 then.
  public mutating func step(_ force: Vector3, at now: Instant, _ configuration: LowPass.Configuration) -> Vector3 {
    Self.motion(of: force, without: lowPass.step(force, at: now, configuration))
  }

  /// `force` less `gravity`, its low-pass, saturating: all of this filter where there is a low-pass already.
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

public import FixedPoint

/// A first-order low-pass that is three times slower at rest: gravity with less noise.
///
/// Gain `(1 - d) k / 3 + d k` with `k = dt / (dt + RC)` and `d = clamp(| |y| - |x| | / 0.02 g - 1, 0, 1)`: at rest,
/// when the lengths of the filtered and the new force agree to 0.02 g, the gain is k / 3; from 0.04 g on it is k. A
/// turn that does not change the length counts as movement only once the filtered force lags so much that it is
/// shorter.
///
/// The state has 24 bits below Q16.16. Given the same gains, a result is within 0.51 LSB (8e-6 g) of the formula where
/// k is above 2^-17; the gain's rounding adds 2^-31 / k of the inputs' range. The gain depends on the state, so an
/// error of the state feeds back into the gain: 33 k times the error times the distance between the two forces, while
/// their lengths differ by 0.02…0.04 g. It then decays as the state does. `AdaptiveFilterTests` asserts the worst error
/// against the formula in `Double` over long uneven runs.
///
/// - Source: the adaptive mode of the published phone sample code, with the time constant RC as its parameter.
public struct AdaptiveLowPass: Equatable, Sendable {
  private var gain: AdaptiveGain
  private var state = FilterState()

  /// A filter without samples; it passes the first sample unchanged.
  public init(_ configuration: AdaptiveFilterConfiguration = AdaptiveFilterConfiguration()) {
    gain = AdaptiveGain(configuration)
  }

  /// Makes the next sample pass unchanged, like the first.
  package mutating func interrupt() { gain.restart() }

  /// Takes in the sample of instant `now` and returns the filtered force.
  ///
  /// As with ``LowPass``, the filter restarts after a pause over the longest gap, when time runs backwards, and after a
  /// force of exactly zero.
  public mutating func step(_ force: Vector3, at now: Instant) -> Vector3 {
    guard force.x.raw | force.y.raw | force.z.raw != 0 else {
      gain.restart()
      return .zero
    }
    guard gain.advance(to: now) else {
      state = FilterState(force)
      return force
    }
    let factor = gain.lowPassGain(state, force)
    state.x = advanced(state.x, force.x, factor)
    state.y = advanced(state.y, force.y, factor)
    state.z = advanced(state.z, force.z, factor)
    return state.rounded
  }

  /// The steering angle of the filtered force, with the full precision of the filter. 0 before the first sample.
  package var steeringAngle: BinaryAngle {
    steering(sineY: FilterState.sine(state.y), sineZ: FilterState.sine(state.z))
  }

  /// The new state lies between the old one and the value.
  private func advanced(_ state: Int64, _ value: Q16, _ factor: Int64) -> Int64 {
    state &+ FilterState.product((widened(value.raw) &<< 24) &- state, factor)
  }
}

/// A first-order high-pass whose gain falls to a third when the new force differs in length from the last result.
///
/// `y = g (y + x - x_prev)` with `g = d k / 3 + (1 - d) k`, `k = RC / (dt + RC)` and `d = clamp(| |y| - |x| | / 0.02 g
/// - 1, 0, 1)`, as published: |y| is the length of the last result, |x| that of the new force. If the force includes
/// gravity, the two differ by about 1 g, so the gain is nearly always k / 3: a difference of successive samples rather
/// than a high-pass. The gain is k if the force has no gravity and is small, or is as long as the last result.
///
/// The state has 24 bits below Q16.16. Given the same gains, a result is within 0.51 LSB (8e-6 g) of the formula where
/// 1 - k is above 2^-17; the gain's rounding adds 2^-31 / (1 - k) of it. The gain depends on the state, as in
/// ``AdaptiveLowPass``: on motion without gravity, the published recipe itself amplifies a difference more than a
/// hundredfold before it decays; `AdaptiveFilterTests` asserts 1 LSB there. A constant force eventually gives exactly
/// 0. Results beyond the range of Q16.16 saturate, and so does the state.
///
/// - Source: the adaptive mode of the published phone sample code, with the time constant RC as its parameter.
public struct AdaptiveHighPass: Equatable, Sendable {
  private var gain: AdaptiveGain
  private var state = FilterState()
  private var previous = Vector3.zero

  /// A filter without samples; the first sample gives 0.
  public init(_ configuration: AdaptiveFilterConfiguration = AdaptiveFilterConfiguration()) {
    gain = AdaptiveGain(configuration)
  }

  /// Takes in the sample of instant `now` and returns the part that changes faster than the time constant.
  ///
  /// Restarts, with a result of 0, whenever the low-pass would.
  public mutating func step(_ force: Vector3, at now: Instant) -> Vector3 {
    let before = previous
    previous = force
    guard force.x.raw | force.y.raw | force.z.raw != 0 else {
      gain.restart()
      return .zero
    }
    guard gain.advance(to: now) else {
      state = FilterState()
      return .zero
    }
    let factor = gain.highPassGain(state, force)
    state.x = advanced(state.x, force.x, before.x, factor)
    state.y = advanced(state.y, force.y, before.y, factor)
    state.z = advanced(state.z, force.z, before.z, factor)
    return state.rounded
  }

  /// The sum is below 2^58; the state stays within the range of Q16.16.
  private func advanced(_ state: Int64, _ value: Q16, _ before: Q16, _ factor: Int64) -> Int64 {
    let change = (widened(value.raw) &- widened(before.raw)) &<< 24
    let limit: Int64 = 1 &<< 55
    return max(0 &- limit, min(limit &- 1, FilterState.product(state &+ change, factor)))
  }
}

/// Why a configuration of an adaptive filter is invalid.
public enum AdaptiveFilterError: Error, Equatable, Sendable {
  /// The smallest step must be 1…1000 thousandths of a g.
  case smallestStep
  /// The attenuation must be 1…1000.
  case attenuation
}

/// The settings of an adaptive low-pass or high-pass.
public struct AdaptiveFilterConfiguration: Equatable, Sendable {
  /// Time constant and longest gap, as without adaptation.
  public let filter: LowPass.Configuration
  /// How much the lengths of the filtered and the new force must differ to count as movement, in 0.001 g, 1…1000.
  /// Default 20.
  public let smallestStepMilliG: Int32
  /// The divisor of the gain: for the low-pass at rest, for the high-pass in movement. 1…1000; 1 is not adaptive.
  /// Default 3.
  public let attenuation: Int32

  /// The defaults, with a time constant of your choice.
  public init(_ filter: LowPass.Configuration = LowPass.Configuration()) {
    self.init(checked: filter, 20, 3)
  }

  /// A checked configuration.
  public init(
    _ filter: LowPass.Configuration = LowPass.Configuration(), smallestStepMilliG: Int32, attenuation: Int32
  ) throws(AdaptiveFilterError) {
    guard smallestStepMilliG >= 1 && smallestStepMilliG <= 1_000 else { throw .smallestStep }
    guard attenuation >= 1 && attenuation <= 1_000 else { throw .attenuation }
    self.init(checked: filter, smallestStepMilliG, attenuation)
  }

  private init(checked filter: LowPass.Configuration, _ smallestStepMilliG: Int32, _ attenuation: Int32) {
    self.filter = filter
    self.smallestStepMilliG = smallestStepMilliG
    self.attenuation = attenuation
  }

  /// The same configuration, with a pause of up to `pause` not counting as a gap.
  package func allowing(pause: Microseconds) -> AdaptiveFilterConfiguration {
    AdaptiveFilterConfiguration(checked: filter.allowing(pause: pause), smallestStepMilliG, attenuation)
  }
}

/// The gain of an adaptive filter, from the time between samples and the change in the force's length.
///
/// `d = clamp(| |y| - |x| | / 0.02 - 1, 0, 1)` in Q0.24, where |y| and |x| are the lengths of the filtered and the new
/// vector. Both include bits below Q16.16 (13 more up to 4 g, one fewer for each doubling), so d is within 4e-7 of the
/// formula up to 4 g with the default step. Gains are in Q0.32, each within 2 units plus the effect of d.
///
/// - Source: the adaptive mode of the published phone sample code.
struct AdaptiveGain: Equatable, Sendable {
  private let configuration: AdaptiveFilterConfiguration
  private var last = Self.never
  private var elapsed = Microseconds(-1)
  /// The low-pass's k for `elapsed`, then k and the high-pass's 1 - k, both divided by the attenuation; Q0.32.
  private var lowPass: Int64 = 0
  private var dividedLowPass: Int64 = 0
  private var dividedHighPass: Int64 = 0

  init(_ configuration: AdaptiveFilterConfiguration) { self.configuration = configuration }

  /// Takes in an instant; returns false if the filter has to restart.
  mutating func advance(to now: Instant) -> Bool {
    let gap = now - last
    let isFirst = last == Self.never
    last = now
    guard !isFirst && gap >= .zero && gap <= configuration.filter.longestGap else { return false }
    if gap != elapsed {
      elapsed = gap
      lowPass = LowPass.gain(gap, configuration.filter.timeConstant)
      dividedLowPass = divided(lowPass)
      dividedHighPass = divided(Self.one &- lowPass)
    }
    return true
  }

  /// Forgets the instant: the next one restarts the filter.
  mutating func restart() { last = Self.never }

  /// `(1 - d) k / 3 + d k` of the low-pass.
  func lowPassGain(_ filtered: FilterState, _ force: Vector3) -> Int64 {
    dividedLowPass &+ part(lowPass &- dividedLowPass, movement(filtered, force))
  }

  /// `d k / 3 + (1 - d) k` of the high-pass.
  func highPassGain(_ filtered: FilterState, _ force: Vector3) -> Int64 {
    let gain = Self.one &- lowPass
    return gain &- part(gain &- dividedHighPass, movement(filtered, force))
  }

  /// d in Q0.24, 0…2^24.
  private func movement(_ filtered: FilterState, _ force: Vector3) -> Int64 {
    let spare = min(13, filtered.spareBits(with: force))
    let new = Vector3(
      x: Q16(raw: force.x.raw &<< spare), y: Q16(raw: force.y.raw &<< spare), z: Q16(raw: force.z.raw &<< spare))
    let lengths = (widened(filtered.scaled(spare).magnitude), widened(new.magnitude))
    // All in thousandths of 2^-(16 + spare) g: the difference is below 2^42; the step and the excess over it are below
    // 2^39.
    let difference = (lengths.0 > lengths.1 ? lengths.0 &- lengths.1 : lengths.1 &- lengths.0) &* 1_000
    let step = widened(configuration.smallestStepMilliG.magnitude) &<< widened(UInt32(bitPattern: spare &+ 16))
    if difference <= step { return 0 }
    let excess = difference &- step
    if excess >= step { return 1 &<< 24 }
    return Int64(bitPattern: quotient(excess &<< 24, step))
  }

  /// `gain` · `share`, with the share in Q0.24; rounded to nearest.
  private func part(_ gain: Int64, _ share: Int64) -> Int64 { (gain &* share &+ (1 &<< 23)) &>> 24 }

  private func divided(_ gain: Int64) -> Int64 {
    let divisor = widened(configuration.attenuation.magnitude)
    return Int64(bitPattern: quotient(gain.magnitude &+ divisor &>> 1, divisor))
  }

  private static var one: Int64 { 1 &<< 32 }
  /// The time of the last sample before there is one.
  private static var never: Instant { Instant(microseconds: Int64.min) }
}

/// A filtered vector in Q16.16 with 24 more fraction bits.
struct FilterState: Equatable, Sendable {
  var x: Int64 = 0
  var y: Int64 = 0
  var z: Int64 = 0

  init() {}

  init(_ force: Vector3) {
    x = widened(force.x.raw) &<< 24
    y = widened(force.y.raw) &<< 24
    z = widened(force.z.raw) &<< 24
  }

  /// Rounded to nearest, saturating.
  var rounded: Vector3 { Vector3(x: Self.rounded(x), y: Self.rounded(y), z: Self.rounded(z)) }

  /// How many bits all components of this and of `force` can be shifted up and still fit in 32 bits with their sign.
  func spareBits(with force: Vector3) -> Int32 {
    let bits =
      folded(word(x)) | folded(word(y)) | folded(word(z)) | folded(force.x.raw) | folded(force.y.raw)
      | folded(force.z.raw)
    return Int32(truncatingIfNeeded: (bits | 1).leadingZeroBitCount) &- 1
  }

  /// Q16.16 with `bits` more fraction bits, 0…24, rounded down; the bits must be spare.
  func scaled(_ bits: Int32) -> Vector3 {
    let shift = widened(24 &- bits)
    func scaled(_ value: Int64) -> Q16 { Q16(raw: Int32(truncatingIfNeeded: value &>> shift)) }
    return Vector3(x: scaled(x), y: scaled(y), z: scaled(z))
  }

  /// `value` · `gain`, with the gain in Q0.32, at most 1; accurate to 2^-24 LSB. |value| is at most 2^60.
  static func product(_ value: Int64, _ gain: Int64) -> Int64 { highProduct(value &<< 2, gain &<< 30) }

  /// A component as a sine in Q2.30, rounded to nearest, clamped to ±1.
  static func sine(_ value: Int64) -> Int32 {
    Int32(truncatingIfNeeded: max(-(1 &<< 30), min(1 &<< 30, (value &+ (1 &<< 9)) &>> 10)))
  }

  private static func rounded(_ value: Int64) -> Q16 { Q16(raw: saturated((value &+ (1 &<< 23)) &>> 24)) }

  private func word(_ value: Int64) -> Int32 { Int32(truncatingIfNeeded: value &>> 24) }

  private func folded(_ value: Int32) -> Int32 { value ^ (value &>> 31) }
}

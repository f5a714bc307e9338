public import FixedPoint

/// A first-order low-pass that is three times as slow at rest: gravity with less noise.
///
/// Gain `(1 - d) k / 3 + d k` with `k = dt / (dt + RC)` and `d = clamp(| |y| - |x| | / 0.02 g - 1, 0, 1)`: at rest the
/// filtered and the new force are equally long to 0.02 g and the gain is k / 3; from 0.04 g on it is k. A turn that
/// leaves the length as it is does not count as movement until the filtered force lags by enough to be shorter.
///
/// The state has 24 bits below Q16.16. Given the same gains a result is within 0.51 LSB (8e-6 g) of the formula where k
/// is above 2^-17, and within what the gain's rounding makes (2^-31 / k of the inputs' range). The gain depends on the
/// state, so that the error of a state returns in the gain: 33 k times it and the distance of the two forces, while
/// their lengths differ by 0.02…0.04 g; it then fades as the state does. Against the formula in `Double` over long
/// uneven runs the worst is asserted by `AdaptiveFilterTests`.
///
/// - Source: the adaptive mode of the published phone sample code, with the time constant RC as its parameter.
public struct AdaptiveLowPass: Equatable, Sendable {
  private var gain: AdaptiveGain
  private var state = FilterState()

  /// A filter that has seen nothing; the first sample passes unchanged.
  public init(_ configuration: AdaptiveFilterConfiguration = AdaptiveFilterConfiguration()) {
    gain = AdaptiveGain(configuration)
  }

  /// Has the next sample pass unchanged, as the first one does.
  package mutating func interrupt() { gain.restart() }

  /// Takes the sample of instant `now` in and returns the filtered force.
  ///
  /// As with ``LowPass``, a pause over the longest gap, time that runs backwards, or a force of exactly zero starts
  /// anew.
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

  /// The steering angle of the filtered force, from all the bits that the filter has. 0 before any sample.
  package var steeringAngle: BinaryAngle {
    steering(sineY: FilterState.sine(state.y), sineZ: FilterState.sine(state.z))
  }

  /// The new state lies between the old one and the value.
  private func advanced(_ state: Int64, _ value: Q16, _ factor: Int64) -> Int64 {
    state &+ FilterState.product((widened(value.raw) &<< 24) &- state, factor)
  }
}

/// A first-order high-pass whose gain falls to a third when the force is another in length than what it let through.
///
/// `y = g (y + x - x_prev)` with `g = d k / 3 + (1 - d) k`, `k = RC / (dt + RC)` and `d = clamp(| |y| - |x| | / 0.02 g
/// - 1, 0, 1)`, as published: |y| is the length of the last result, |x| that of the new force. Where gravity is in the
/// force the two differ by about 1 g, so that the gain is k / 3 nearly always: a difference of successive samples
/// rather than a high-pass. It is k where the force without gravity is fed in and small, or as long as what came out.
///
/// The state has 24 bits below Q16.16. Given the same gains a result is within 0.51 LSB (8e-6 g) of the formula where 1
/// - k is above 2^-17, and within what the gain's rounding makes (2^-31 / (1 - k) of it). The gain depends on the
/// state, as in ``AdaptiveLowPass``: on motion without gravity the published recipe itself enlarges a difference, over
/// a hundred times, before it fades; `AdaptiveFilterTests` asserts 1 LSB there. A constant force gives exactly 0 in the
/// end. Results beyond the range of Q16.16 saturate, and so does the state.
///
/// - Source: the adaptive mode of the published phone sample code, with the time constant RC as its parameter.
public struct AdaptiveHighPass: Equatable, Sendable {
  private var gain: AdaptiveGain
  private var state = FilterState()
  private var previous = Vector3.zero

  /// A filter that has seen nothing; the first sample gives 0.
  public init(_ configuration: AdaptiveFilterConfiguration = AdaptiveFilterConfiguration()) {
    gain = AdaptiveGain(configuration)
  }

  /// Takes the sample of instant `now` in and returns what changes faster than the time constant.
  ///
  /// What starts the low-pass anew starts this anew: the result is 0 then.
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

/// Why an adaptive filter cannot be set so.
public enum AdaptiveFilterError: Error, Equatable, Sendable {
  /// The smallest step is 1…1000 thousandths of a g.
  case smallestStep
  /// The attenuation of noise is 1…1000.
  case attenuation
}

/// How an adaptive low-pass or high-pass is set.
public struct AdaptiveFilterConfiguration: Equatable, Sendable {
  /// Time constant and longest gap, as without adaptation.
  public let filter: LowPass.Configuration
  /// By how much the lengths of filtered and new force must differ to count as movement, in 0.001 g, 1…1000. Default
  /// 20.
  public let smallestStepMilliG: Int32
  /// By what the gain is divided: the low-pass's at rest, the high-pass's in movement. 1…1000; 1 is not adaptive.
  /// Default 3.
  public let attenuation: Int32

  /// The defaults, with a time constant of choice.
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

  /// The same where a pause of up to `pause` is no gap.
  package func allowing(pause: Microseconds) -> AdaptiveFilterConfiguration {
    AdaptiveFilterConfiguration(checked: filter.allowing(pause: pause), smallestStepMilliG, attenuation)
  }
}

/// The gain of an adaptive filter, from the time between samples and from how much the force's length changes.
///
/// `d = clamp(| |y| - |x| | / 0.02 - 1, 0, 1)` in Q0.24, |y| and |x| being the lengths of the filtered and the new
/// vector. Both are taken with the bits below Q16.16 (13 more up to 4 g, one less for each doubling), so that d is
/// within 4e-7 of the formula up to 4 g with the default step. Gains in Q0.32, each within 2 units and what d makes.
///
/// - Source: the adaptive mode of the published phone sample code.
struct AdaptiveGain: Equatable, Sendable {
  private let configuration: AdaptiveFilterConfiguration
  private var last = Self.never
  private var elapsed = Microseconds(-1)
  /// The low-pass's k of `elapsed`, and the high-pass's, which is 1 less that; Q0.32. Both divided by the attenuation.
  private var lowPass: Int64 = 0
  private var dividedLowPass: Int64 = 0
  private var dividedHighPass: Int64 = 0

  init(_ configuration: AdaptiveFilterConfiguration) { self.configuration = configuration }

  /// Takes an instant in: false where the filter has to start anew.
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

  /// Forgets the instant: the next one starts the filter anew.
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
    // All in thousandths of 2^-(16 + spare) g: the difference is below 2^42; the step below 2^39, and so is what
    // exceeds it.
    let difference = (lengths.0 > lengths.1 ? lengths.0 &- lengths.1 : lengths.1 &- lengths.0) &* 1_000
    let step = widened(configuration.smallestStepMilliG.magnitude) &<< widened(UInt32(bitPattern: spare &+ 16))
    if difference <= step { return 0 }
    let excess = difference &- step
    if excess >= step { return 1 &<< 24 }
    return Int64(bitPattern: quotient(excess &<< 24, step))
  }

  /// `gain` · `share`, the share being in Q0.24; rounded to nearest.
  private func part(_ gain: Int64, _ share: Int64) -> Int64 { (gain &* share &+ (1 &<< 23)) &>> 24 }

  private func divided(_ gain: Int64) -> Int64 {
    let divisor = widened(configuration.attenuation.magnitude)
    return Int64(bitPattern: quotient(gain.magnitude &+ divisor &>> 1, divisor))
  }

  private static var one: Int64 { 1 &<< 32 }
  /// The time of the last sample where there was none.
  private static var never: Instant { Instant(microseconds: Int64.min) }
}

/// A filtered vector in Q16.16 with 24 bits more.
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

  /// By how many bits all components of this and of `force` can be shifted up and still fit in 32 with their sign.
  func spareBits(with force: Vector3) -> Int32 {
    let bits =
      folded(word(x)) | folded(word(y)) | folded(word(z)) | folded(force.x.raw) | folded(force.y.raw)
      | folded(force.z.raw)
    return Int32(truncatingIfNeeded: (bits | 1).leadingZeroBitCount) &- 1
  }

  /// Q16.16 with `bits` more, 0…24, rounded down; they must be spare.
  func scaled(_ bits: Int32) -> Vector3 {
    let shift = widened(24 &- bits)
    func scaled(_ value: Int64) -> Q16 { Q16(raw: Int32(truncatingIfNeeded: value &>> shift)) }
    return Vector3(x: scaled(x), y: scaled(y), z: scaled(z))
  }

  /// `value` · `gain`, the gain being Q0.32 up to 1; down to 2^-24 LSB. |value| is at most 2^60.
  static func product(_ value: Int64, _ gain: Int64) -> Int64 { highProduct(value &<< 2, gain &<< 30) }

  /// A component as a sine in Q2.30, rounded to nearest, clamped to ±1.
  static func sine(_ value: Int64) -> Int32 {
    Int32(truncatingIfNeeded: max(-(1 &<< 30), min(1 &<< 30, (value &+ (1 &<< 9)) &>> 10)))
  }

  private static func rounded(_ value: Int64) -> Q16 { Q16(raw: saturated((value &+ (1 &<< 23)) &>> 24)) }

  private func word(_ value: Int64) -> Int32 { Int32(truncatingIfNeeded: value &>> 24) }

  private func folded(_ value: Int32) -> Int32 { value ^ (value &>> 31) }
}

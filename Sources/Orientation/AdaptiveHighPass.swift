public import FixedPoint

/// A first-order high-pass whose gain falls to a third when the force is another in length than what it let through.
///
/// `y = g (y + x - x_prev)` with `g = d k / 3 + (1 - d) k`, `k = RC / (dt + RC)` and `d = clamp(| |y| - |x| | / 0.02 g - 1, 0, 1)`, as
/// published: |y| is the length of the last result, |x| that of the new force. Where gravity is in the force the two differ by
/// about 1 g, so that the gain is k / 3 nearly always: a difference of successive samples rather than a high-pass. It is k
/// where the force without gravity is fed in and small, or as long as what came out.
///
/// The state has 24 bits below Q16.16. Given the same gains a result is within 0.51 LSB (8e-6 g) of the formula where 1 - k
/// is above 2^-17, and within what the gain's rounding makes (2^-31 / (1 - k) of it). The gain depends on the state, as in
/// ``AdaptiveLowPass``: on motion without gravity the published recipe itself enlarges a difference, over a hundred times,
/// before it fades; `AdaptiveFilterTests` asserts 1 LSB there. A constant force gives exactly 0 in the end. Results beyond
/// the range of Q16.16 saturate, and so does the state.
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

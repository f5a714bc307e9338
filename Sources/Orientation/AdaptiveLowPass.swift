public import FixedPoint

/// A first-order low-pass that is three times as slow at rest: gravity with less noise.
///
/// Gain `(1 - d) k / 3 + d k` with `k = dt / (dt + RC)` and `d = clamp(| |y| - |x| | / 0.02 g - 1, 0, 1)`: at rest the filtered
/// and the new force are equally long to 0.02 g and the gain is k / 3; from 0.04 g on it is k. A turn that leaves the length
/// as it is does not count as movement until the filtered force lags by enough to be shorter.
///
/// The state has 24 bits below Q16.16. Given the same gains a result is within 0.51 LSB (8e-6 g) of the formula where k is
/// above 2^-17, and within what the gain's rounding makes (2^-31 / k of the inputs' range). The gain depends on the state, so
/// that the error of a state returns in the gain: 33 k times it and the distance of the two forces, while their lengths
/// differ by 0.02…0.04 g; it then fades as the state does. Against the formula in `Double` over long uneven runs the worst
/// is asserted by `AdaptiveFilterTests`.
///
/// - Source: the adaptive mode of the published phone sample code, with the time constant RC as its parameter.
public struct AdaptiveLowPass: Equatable, Sendable {
  private var gain: AdaptiveGain
  private var state = FilterState()

  /// A filter that has seen nothing; the first sample passes unchanged.
  public init(_ configuration: AdaptiveFilterConfiguration = AdaptiveFilterConfiguration()) {
    gain = AdaptiveGain(configuration)
  }

  /// Takes the sample of instant `now` in and returns the filtered force.
  ///
  /// As with ``LowPass``, a pause over the longest gap, time that runs backwards, or a force of exactly zero starts anew.
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

  /// The new state lies between the old one and the value.
  private func advanced(_ state: Int64, _ value: Q16, _ factor: Int64) -> Int64 {
    state &+ FilterState.product((widened(value.raw) &<< 24) &- state, factor)
  }
}

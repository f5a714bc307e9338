public import FixedPoint

/// A first-order high-pass over specific force, by the real time between samples: motion without gravity.
///
/// It is the sample less its low-pass with the same time constant RC. The published recipe `y = k (y + x - x_prev)` with
/// `k = RC / (dt + RC)` gives the same numbers: with `l` the low-pass of gain `1 - k`,
/// `x - (l + (1 - k)(x - l)) = k (x - l) = k ((x_prev - l) + x - x_prev)`, and `x_prev - l` is `y` of the sample before.
/// This form keeps one state, rounds once and cannot drift: it shares the low-pass's error bound (1 LSB of Q16.16 and the
/// gain's rounding) and a constant input gives exactly 0 in the end. Differences out of range saturate.
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

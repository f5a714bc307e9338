public import FixedPoint

/// A first-order low-pass over specific force, by the real time between samples.
///
/// Gain `k = dt / (dt + RC)`. The state has 24 fractional bits, so that it reaches a constant input to the last bit of
/// Q16.16 at any gain of 1/256 and more.
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
  }

  private var x: Int64 = 0
  private var y: Int64 = 0
  private var z: Int64 = 0
  private var last: Instant?

  /// A filter that has seen nothing; the first sample passes unchanged.
  public init() {}

  /// Takes the sample of instant `now` in and returns the filtered force.
  ///
  /// A pause over the longest gap, time that runs backwards, or a force of exactly zero (which no sensor at rest
  /// reports) starts the filter anew.
  public mutating func step(_ force: Vector3, at now: Instant, _ configuration: Configuration) -> Vector3 {
    guard force != .zero else {
      last = nil
      return .zero
    }
    let elapsed = last.map { now - $0 } ?? .zero
    let startsAnew = last == nil || elapsed < .zero || elapsed > configuration.longestGap
    last = now
    if startsAnew {
      (x, y, z) = (scaled(force.x), scaled(force.y), scaled(force.z))
    } else {
      let gain = Self.gain(elapsed, configuration.timeConstant)
      x = x &+ weighted(scaled(force.x) &- x, gain)
      y = y &+ weighted(scaled(force.y) &- y, gain)
      z = z &+ weighted(scaled(force.z) &- z, gain)
    }
    return Vector3(x: rounded(x), y: rounded(y), z: rounded(z))
  }

  /// dt / (dt + RC) in Q20, 0…2^20.
  private static func gain(_ elapsed: Microseconds, _ timeConstant: Microseconds) -> Int64 {
    // 2^40 µs are 12 days: beyond that the product would not fit, and the gain is 1 for any filter of use.
    guard timeConstant > .zero && elapsed.count < 1 &<< 40 && timeConstant.count < 1 &<< 40 else { return 1 &<< 20 }
    return (elapsed.count &<< 20) / (elapsed.count &+ timeConstant.count)
  }

  private func scaled(_ value: Q16) -> Int64 { widened(value.raw) &<< 8 }

  /// |difference| < 2^41 and gain ≤ 2^20, so the product fits.
  private func weighted(_ difference: Int64, _ gain: Int64) -> Int64 {
    ((difference &* gain) &+ (1 &<< 19)) &>> 20
  }

  private func rounded(_ value: Int64) -> Q16 { Q16(raw: saturated((value &+ 128) &>> 8)) }
}

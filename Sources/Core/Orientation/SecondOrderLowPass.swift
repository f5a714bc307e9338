import FixedPoint

/// A second-order Butterworth low-pass over 32-bit samples at a fixed rate.
///
/// Its formula is the bilinear transform's, `y = b (x + 2 x1 + x2) - a1 y1 - a2 y2`, written with the speed `v = y - y1`:
///
///     v = v - (1 - a2) v + 4 b ((x + 2 x1 + x2) / 4 - y1)
///     y = y1 + v
///
/// In this form both coefficients are small numbers, which Q0.63 holds with bits to spare where Q2.30 would leave 17 bits
/// of 4b at a cutoff of 0.2 %, and the gain at rest is exactly 1 whatever they are rounded to. State: y and v in Q32.30 of
/// a sample's unit. Rounding: products down to 2^-29 of it, results to nearest. |y| is at most 1.17 of the greatest input
/// (the sum of the impulse response's sizes), so that no sum leaves 64 bits; results beyond 32 bits saturate, the state
/// does not.
///
/// The products' rounding moves y by at most 2^-28 / 4b (0.03 at the lowest cutoff), so that a constant input is reached to
/// the last bit and held: no limit cycle. Error against `Double`: 0.51 of a unit and the coefficients' (2e-7 of the cutoff
/// at 0.2 % of the rate), asserted by `SecondOrderLowPassAccuracyTests`.
///
/// - Source: R. Bristow-Johnson, *Cookbook formulae for audio EQ biquad filter coefficients* (W3C note), LPF, Q = 1/√2.
public struct SecondOrderLowPass: Equatable, Sendable {
  private var output: Int64
  private var speed: Int64 = 0
  private var sample: Int64
  /// The last two samples' sum.
  private var pair: Int64

  /// A filter at rest at `value`.
  public init(at value: Int32 = 0) {
    sample = widened(value)
    pair = 2 &* sample
    output = sample &<< 30
  }

  /// Takes a sample in and returns the filtered one, rounded to nearest and saturated.
  public mutating func step(_ value: Int32, _ configuration: Configuration) -> Int32 {
    let newPair = widened(value) &+ sample
    let input = (newPair &+ pair) &<< 28
    sample = widened(value)
    pair = newPair
    let push = highProduct(input &- output, configuration.gain) &- highProduct(speed, configuration.damping)
    speed = speed &+ 2 &* push
    output = output &+ speed
    return saturated((output &+ (1 &<< 29)) &>> 30)
  }
}

/// The upper 64 bits of the product: the floor of `a` · `b` / 2^64. `b` must not be negative.
@inline(__always)
func highProduct(_ a: Int64, _ b: Int64) -> Int64 {
  #if _pointerBitWidth(_64)
    a.multipliedFullWidth(by: b).high
  #else
    highProductOfWords(a, b)
  #endif
}

/// The same from four products of 32 bits, for targets that have no wider one. `b` must not be negative.
package func highProductOfWords(_ a: Int64, _ b: Int64) -> Int64 {
  let (aHigh, aLow) = (Int32(truncatingIfNeeded: a &>> 32), UInt32(truncatingIfNeeded: a))
  let (bHigh, bLow) = (Int32(truncatingIfNeeded: b &>> 32), UInt32(truncatingIfNeeded: b))
  let low = (widened(aLow) &* widened(bLow)) &>> 32
  // |aHigh · bLow| ≤ 2^63 - 2^31, so that the carry of `low` fits as well.
  let middle = widened(aHigh) &* Int64(bitPattern: widened(bLow)) &+ Int64(bitPattern: low)
  let carried = widened(aLow) &* UInt64(bitPattern: widened(bHigh)) &+ (UInt64(bitPattern: middle) & 0xFFFF_FFFF)
  return widened(aHigh) &* widened(bHigh) &+ (middle &>> 32) &+ Int64(bitPattern: carried &>> 32)
}

extension SecondOrderLowPass {
  /// The coefficients of one ratio of cutoff to sample rate.
  public struct Configuration: Equatable, Sendable {
    /// 4b of the formula, in Q0.63.
    package let gain: Int64
    /// 1 - a2 of the formula, in Q0.63.
    package let damping: Int64

    /// The filter whose gain has fallen by 3 dB at `cutoffRatio` · 2^-32 of the sample rate; nil below 2^-14 of the rate,
    /// where rounding would come near half a unit, and above 1/5, where 4b would come near 1.
    ///
    /// Q = 1/√2. The cutoff is off by at most 2^-31 + 1e-10 of the rate: the last bit of the ratio is not used, and the
    /// sine is right to 5e-10.
    public init?(cutoffRatio: UInt32) {
      guard cutoffRatio >= 0x4_0000 && cutoffRatio <= 0x3333_3333 else { return nil }
      // With s and c of half the cutoff's angle: alpha = √2 s c, 4b = 4 s² / (1 + alpha), 1 - a2 = 2 alpha / (1 + alpha).
      let (sine, cosine) = BinaryAngle(raw: Int32(bitPattern: cutoffRatio &>> 1)).sinCos
      let alphaQ60 = highProduct(widened(sine) &* widened(cosine), Self.rootOfTwoQ62)
      let divisorQ31 = UInt64(bitPattern: (alphaQ60 &+ (1 &<< 60)) &>> 29) | 0x8000_0000
      let inverseQ62 = Int64(bitPattern: (1 &<< 63) / divisorQ31) &<< 30
      gain = highProduct(widened(sine) &* widened(sine), inverseQ62) &<< 5
      damping = highProduct(alphaQ60, inverseQ62) &<< 6
    }

    /// The same from a cutoff and a sample rate in the same unit, for instance mHz.
    public init?(cutoff: Int32, sampleRate: Int32) {
      guard cutoff > 0 && sampleRate > cutoff else { return nil }
      let ratio = (widened(cutoff.magnitude) &<< 32) / widened(sampleRate.magnitude)
      self.init(cutoffRatio: UInt32(truncatingIfNeeded: ratio))
    }

    private static var rootOfTwoQ62: Int64 { 6_521_908_912_666_391_106 }
  }
}

import FixedPoint

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

extension BinaryAngle {
  /// Sine and cosine in Q1.31, each the nearest number but for the errors below; +1 is given as 2^31 - 1.
  ///
  /// Any angle; the quarter turns are exact, but for +1. Worst error 0.52 LSB (2.4e-10) where words have 64 bits, 0.88 LSB
  /// (4.1e-10) where they have 32, the LSB between +1 and 2^31 - 1 aside. Found against `Double` over 7 · 10^7 angles, the
  /// ends of every segment among them; `SinCosTests` asserts 0.52 and 0.89 over 2 · 10^6.
  @inline(__always)
  public var sinCos: (sine: Int32, cosine: Int32) {
    #if _pointerBitWidth(_32)
      narrowSinCos(raw)
    #else
      wideSinCos(raw)
    #endif
  }
}

internal import FixedPoint

/// What is known of the noise of a rate, °/s, or of a force, g, and what a window of samples has gathered so far.
struct NoiseWindow: Equatable, Sendable {
  /// The mean of the last window, or the sample that a window began anew with.
  var mean = Vector3.zero
  // What was gathered: sums of the differences from that, and of their squares.
  var sum = Vector3.zero
  var squares: UInt64 = 0
  /// The variance of the quietest windows, all axes together, in 2^-32 of the unit squared.
  var noise: UInt64
  /// How far from its mean noise takes a sample, squared: 16 times the variance of three axes is 6.9 σ; passed once in
  /// 10^10 samples.
  var limit: UInt64

  @inline(__always)
  init(loudest: UInt64) { (noise, limit) = (loudest, loudest &<< 4) }

  /// The squared distance of a sample from the mean.
  #if _pointerBitWidth(_64)
    @inline(__always)
  #else
    @inline(never)
  #endif
  func square(to value: Vector3) -> UInt64 { value.subtracting(mean).squaredMagnitude }

  /// Takes in a sample at that distance.
  #if _pointerBitWidth(_64)
    @inline(__always)
  #else
    @inline(never)
  #endif
  mutating func gather(_ value: Vector3, _ square: UInt64) {
    sum = sum.adding(value.subtracting(mean))
    squares &+= square
  }

  /// Begins anew about `mean`.
  #if _pointerBitWidth(_64)
    @inline(__always)
  #else
    @inline(never)
  #endif
  mutating func begin(_ mean: Vector3) {
    self.mean = mean
    (sum, squares) = (.zero, 0)
  }

  /// Begins anew about the mean of the `count` samples, and returns what they were like.
  ///
  /// `least` is the square of what is always allowed, `drift` of how far their mean may lie off for slow noise.
  @inline(never)
  mutating func close(_ count: Int32, least: UInt64, drift: UInt64) -> Window {
    let number = UInt64(bitPattern: widened(max(1, count)))
    let shift = sum.divided(by: count)
    let stray = shift.squaredMagnitude
    let square = squares / number
    let variance = square > stray ? square &- stray : 0
    begin(mean.adding(shift))
    // The means of two windows differ by 2 variance / number; up to 4 σ of that.
    return Window(
      variance: variance, stray: stray, isSteady: stray <= drift &+ (variance &<< 5) / number,
      isQuiet: variance <= noise &<< 2 &+ least)
  }

  /// Takes in the variance of a quiet window. The noise falls at once and rises slowly: by a half in 5 s of rest.
  @inline(never)
  mutating func learn(_ variance: UInt64, least: UInt64) {
    noise = min(noise &+ (noise &>> 5) &+ 1, variance)
    limit = max(least, noise &<< 4)
  }

  /// What the samples of a window were like.
  struct Window {
    let variance: UInt64
    /// The square of how far their mean lies from that of the window before.
    let stray: UInt64
    /// Whether their mean stayed where it was.
    let isSteady: Bool
    /// Whether they were no louder than the noise.
    let isQuiet: Bool
  }
}

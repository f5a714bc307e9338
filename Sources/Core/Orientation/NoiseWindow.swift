internal import FixedPoint

/// The known noise of a rate, °/s, or of a force, g, and what a window of samples has gathered so far.
struct NoiseWindow: Equatable, Sendable {
  /// The mean of the last window, or the sample with which a window restarted.
  var mean = Vector3.zero
  // Gathered so far: the sums of the differences from the mean, and of their squares.
  var sum = Vector3.zero
  var squares: UInt64 = 0
  /// The variance of the quietest windows, summed over all axes, in 2^-32 of the unit squared.
  var noise: UInt64
  /// How far noise can take a sample from the mean, squared: 16 times the variance of three axes is 6.9 σ; exceeded
  /// once in 10^10 samples.
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

  /// Takes in a sample with the given squared distance.
  #if _pointerBitWidth(_64)
    @inline(__always)
  #else
    @inline(never)
  #endif
  mutating func gather(_ value: Vector3, _ square: UInt64) {
    sum = sum.adding(value.subtracting(mean))
    squares &+= square
  }

  /// Restarts the window about `mean`.
  #if _pointerBitWidth(_64)
    @inline(__always)
  #else
    @inline(never)
  #endif
  mutating func begin(_ mean: Vector3) {
    self.mean = mean
    (sum, squares) = (.zero, 0)
  }

  /// Restarts about the mean of the `count` samples, and returns their statistics.
  ///
  /// `least` is the square of a deviation that is always allowed; `drift` is the square of the shift of the mean that
  /// slow noise may cause.
  @inline(never)
  mutating func close(_ count: Int32, least: UInt64, drift: UInt64) -> Window {
    let number = UInt64(bitPattern: widened(max(1, count)))
    let shift = sum.divided(by: count)
    let stray = shift.squaredMagnitude
    let square = squares / number
    let variance = square > stray ? square &- stray : 0
    begin(mean.adding(shift))
    // The difference of the means of two windows has a variance of 2 variance / number; up to 4 σ is allowed.
    return Window(
      variance: variance, stray: stray, isSteady: stray <= drift &+ (variance &<< 5) / number,
      isQuiet: variance <= noise &<< 2 &+ least)
  }

  /// Takes in the variance of a quiet window. The noise falls at once and rises slowly: by half in 5 s of rest.
  @inline(never)
  mutating func learn(_ variance: UInt64, least: UInt64) {
    noise = min(noise &+ (noise &>> 5) &+ 1, variance)
    limit = max(least, noise &<< 4)
  }

  /// The statistics of the samples of a window.
  struct Window {
    let variance: UInt64
    /// The squared distance of their mean from that of the previous window.
    let stray: UInt64
    /// Whether their mean stayed in place.
    let isSteady: Bool
    /// Whether they were no louder than the noise.
    let isQuiet: Bool
  }
}

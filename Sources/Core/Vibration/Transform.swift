internal import FixedPoint

/// A pair of words: a complex number, or an even sample and the odd one after it.
package struct Pair: Sendable {
  /// The real part; the even sample.
  package var real: Int32
  /// The imaginary part; the odd sample.
  package var imaginary: Int32

  static var zero: Pair { Pair(real: 0, imaginary: 0) }
}

/// The last 2 · `bins` samples of an axis.
///
/// Reading is mutating, as with ``Transform``: the compiler would copy the whole of a merely borrowed value onto the
/// stack.
package struct SampleRing<let bins: Int>: ~Copyable {
  private var pairs = InlineArray<bins, Pair>(repeating: .zero)

  package init() {}

  /// Pair number `index`, modulo `bins`.
  @inline(__always)
  subscript(index: Int) -> Pair { mutating get { pairs[index & (bins &- 1)] } }

  /// Stores `value` at `position`, modulo 2 · `bins`.
  package mutating func put(_ value: Int32, at position: UInt32) {
    let index = Int(truncatingIfNeeded: position &>> 1) & (bins &- 1)
    if position & 1 == 0 { pairs[index].real = value } else { pairs[index].imaginary = value }
  }
}

/// The discrete Fourier transform of a block of N = 2 · `bins` real samples under a Hann window, in 32-bit words.
///
///     X[k] = 1/N · Σ w[n] · (x[n] - mean) · e^(-2πi·kn/N),   w[n] = ½ - ½ · cos(2πn/N),   k = 0…bins
///
/// The mean is removed exactly. The rest is scaled by the power of two that brings its largest magnitude into
/// 2^29…2^30, so small vibration is as precise as large: block floating point. `bins` points of even and odd samples
/// are transformed by decimation in time (radix 2), each stage halves, and a last stage separates them.
///
/// **No overflow.** The window's output is at most √2 · 2^30 per point. A stage is (a ± w·b) / 2, whose modulus is at
/// most the larger of those of a and b, plus 0.71 for rounding and 0.5 for the table: it stays below 2^31 throughout.
///
/// **Error.** Scaling and window contribute at most 1 unit on average over a block, which is what reaches X. Each stage
/// adds at most √½ for its single rounding and ½ for the table, except for the first two, whose factors are exact; it
/// halves the errors of the two numbers that it joins. After all log2(N) stages |error of X[k]| ≤ 1 + 1.21 · log2(N) -
/// 1 = 1.21 · log2(N) units, 12.1 for N = 1024; the unit is at most 2^-29 of the largest distance of a sample from the
/// mean. So no line is off by more than 2.3e-8 of that distance (-152 dB). `TransformTests` asserts it.
///
/// - Source: W. H. Press et al., *Numerical Recipes*, 12.3 (real transform by a complex one of half the length).
package struct Transform<let bins: Int>: ~Copyable {
  private var points = InlineArray<bins, Pair>(repeating: .zero)
  /// The unit of the points is 2^-(16 + `shift`).
  package private(set) var shift: Int32 = 0

  package init() {}

  /// Whether `bins` is supported.
  package static var isSupported: Bool { bins >= 32 && bins <= 512 && bins & (bins &- 1) == 0 }

  /// log2 of the number of samples of a block.
  private static var order: Int64 { Int64(bitPattern: widened(bins.trailingZeroBitCount &+ 1)) }

  /// Reads the block of `ring` whose first sample is at `start`, an even number, and transforms it.
  package mutating func take(_ ring: inout SampleRing<bins>, from start: UInt32) {
    load(&ring, Int(truncatingIfNeeded: start &>> 1))
    var half = 1
    var step = 512
    while half < bins {
      joinHalves(half, step)
      half = half &<< 1
      step = step &>> 1
    }
    separate()
  }

  /// X[k] for k in 0..<`bins`, in units of 2^-(16 + `shift`) of a sample; X[0] is only the real part of k = 0, the
  /// imaginary part is X[`bins`].
  package subscript(k: Int) -> Pair { points[k & (bins &- 1)] }

  /// |X[k]|² for k in 1..<`bins`, below 2^62.
  @inline(__always)
  mutating func squaredSize(_ k: Int) -> UInt64 {
    let point = points[k & (bins &- 1)]
    return Self.square(point.real) &+ Self.square(point.imaginary)
  }

  /// X[`bins`]², below 2^62.
  var squaredEnd: UInt64 { mutating get { Self.square(points[0].imaginary) } }

  private static func square(_ value: Int32) -> UInt64 { UInt64(bitPattern: widened(value) &* widened(value)) }

  /// Loads the samples without their mean, scaled and windowed, in bit-reversed order.
  private mutating func load(_ ring: inout SampleRing<bins>, _ start: Int) {
    var (least, greatest) = (Int32.max, Int32.min)
    var sum: Int64 = 0
    var index = 0
    while index < bins {
      let pair = ring[index]
      sum = sum &+ widened(pair.real) &+ widened(pair.imaginary)
      least = min(least, min(pair.real, pair.imaginary))
      greatest = max(greatest, max(pair.real, pair.imaginary))
      index = index &+ 1
    }
    // All in units of 1/N, so that the mean is exact: at most 34 bits, for samples within 2^23.
    let order = Self.order
    let extent = max((widened(greatest) &<< order) &- sum, sum &- (widened(least) &<< order))
    let lift = Int64(bitPattern: widened(extent.leadingZeroBitCount)) &- 34
    let (up, down) = (max(0, lift), max(0, 0 &- lift))
    let rounding: Int64 = down > 0 ? 1 &<< (down &- 1) : 0
    shift = Int32(truncatingIfNeeded: lift &+ order)
    // A block of equal samples is 0 at any scale.
    let stride = 512 / bins
    var reversed = 0
    index = 0
    while index < bins {
      let pair = ring[start &+ index]
      let even = ((((widened(pair.real) &<< order) &- sum) &+ rounding) &>> down) &<< up
      let odd = ((((widened(pair.imaginary) &<< order) &- sum) &+ rounding) &>> down) &<< up
      let angle = index &* 2 &* stride
      points[reversed & (bins &- 1)] = Pair(
        real: Self.windowed(even, angle), imaginary: Self.windowed(odd, angle &+ stride))
      index = index &+ 1
      // The next number in bit-reversed order: as many bits change as in the number itself, from the other end.
      let changed = index.trailingZeroBitCount &+ 1
      reversed ^= bins &- (bins &>> changed)
    }
  }

  /// `value`, at most 2^30, times the window at `angle` / 1024 of its length.
  @inline(__always)
  private static func windowed(_ value: Int64, _ angle: Int) -> Int32 {
    let cosine = turned(by: angle > 512 ? 1_024 &- angle : angle).cosine
    // In Q31: 0…2^31.
    let weight = (1 &<< 30) &- widened(cosine)
    return Int32(truncatingIfNeeded: (value &* weight &+ (1 &<< 30)) &>> 31)
  }

  /// A stage: joins transforms of `half` points to transforms of twice as many, and halves them. `step` is the angle
  /// between two factors in 1/1024 turn.
  private mutating func joinHalves(_ half: Int, _ step: Int) {
    var factor = 0
    while factor < half {
      let (cosine, sine) = turned(by: factor &* step)
      let (c, s) = (widened(cosine), widened(sine))
      var first = factor
      while first < bins {
        let (upper, lower) = (first & (bins &- 1), (first &+ half) & (bins &- 1))
        let (a, b) = (points[upper], points[lower])
        let real = widened(b.real) &* c &+ widened(b.imaginary) &* s
        let imaginary = widened(b.imaginary) &* c &- widened(b.real) &* s
        let aReal = (widened(a.real) &<< 30) &+ (1 &<< 30)
        let aImaginary = (widened(a.imaginary) &<< 30) &+ (1 &<< 30)
        points[upper] = Pair(real: Self.halved(aReal &+ real), imaginary: Self.halved(aImaginary &+ imaginary))
        points[lower] = Pair(real: Self.halved(aReal &- real), imaginary: Self.halved(aImaginary &- imaginary))
        first = first &+ half &+ half
      }
      factor = factor &+ 1
    }
  }

  @inline(__always)
  private static func halved(_ value: Int64) -> Int32 { Int32(truncatingIfNeeded: value &>> 31) }

  /// The last stage: converts the transform of pairs to that of the samples, halved. With Z the former and Z' the
  /// conjugate of Z[bins - k], X[k] = (Z[k] + Z') / 4 - i/4 · e^(-2πik/N) · (Z[k] - Z').
  private mutating func separate() {
    let zero = points[0]
    let (sum, difference) = (
      widened(zero.real) &+ widened(zero.imaginary), widened(zero.real) &- widened(zero.imaginary)
    )
    points[0] = Pair(
      real: Int32(truncatingIfNeeded: (sum &+ 1) &>> 1), imaginary: Int32(truncatingIfNeeded: (difference &+ 1) &>> 1))
    let step = 512 / bins
    var k = 1
    while k &+ k <= bins {
      let (near, far) = (k & (bins &- 1), (bins &- k) & (bins &- 1))
      let (a, b) = (points[near], points[far])
      let (cosine, sine) = turned(by: k &* step)
      let (c, s) = (widened(cosine), widened(sine))
      let evenReal = widened(a.real) &+ widened(b.real)
      let evenImaginary = widened(a.imaginary) &- widened(b.imaginary)
      let oddReal = widened(a.imaginary) &+ widened(b.imaginary)
      let oddImaginary = widened(b.real) &- widened(a.real)
      let real = oddReal &* c &+ oddImaginary &* s
      let imaginary = oddImaginary &* c &- oddReal &* s
      let (wideReal, wideImaginary) = (evenReal &<< 30, evenImaginary &<< 30)
      points[near] = Pair(real: Self.quartered(wideReal &+ real), imaginary: Self.quartered(wideImaginary &+ imaginary))
      points[far] = Pair(
        real: Self.quartered(wideReal &- real), imaginary: Self.quartered(imaginary &- wideImaginary))
      k = k &+ 1
    }
  }

  @inline(__always)
  private static func quartered(_ value: Int64) -> Int32 { Int32(truncatingIfNeeded: (value &+ (1 &<< 31)) &>> 32) }
}

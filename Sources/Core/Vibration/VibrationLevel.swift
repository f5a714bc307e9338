public import FixedPoint

/// The strength of a vibration on each axis, from its samples alone: root mean square and peak without the mean, which
/// is gravity.
///
/// Exact except for the last rounding: each value is rounded to nearest, within 1 LSB of Q16.16 (15 µg). Forces beyond
/// ±128 g count as ±128 g. At most 65 535 samples; later ones are ignored. A sample costs three products. It takes 76
/// bytes.
public struct VibrationLevel: Equatable, Sendable {
  private var x = AxisLevel()
  private var y = AxisLevel()
  private var z = AxisLevel()
  /// The number of samples.
  public private(set) var samples: UInt32 = 0

  /// A level without samples.
  public init() {}

  /// Adds a sample, in g.
  public mutating func add(_ force: Vector3) {
    guard samples < 65_535 else { return }
    samples = samples &+ 1
    let force = force.limited(to: 0x7F_FFFF)
    x.add(force.x.raw)
    y.add(force.y.raw)
    z.add(force.z.raw)
  }

  /// The root mean square of each axis, without its mean, in g; 0 without samples.
  public var rms: Vector3 {
    Vector3(
      x: AxisLevel.root(x.square(samples)), y: AxisLevel.root(y.square(samples)), z: AxisLevel.root(z.square(samples)))
  }

  /// The root mean square of the whole vibration: the root of the sum of the squares of the axes.
  public var total: Q16 { AxisLevel.root(x.square(samples) &+ y.square(samples) &+ z.square(samples)) }

  /// The largest distance of each axis from its mean, in g; 0 without samples.
  public var peak: Vector3 { Vector3(x: x.peak(samples), y: y.peak(samples), z: z.peak(samples)) }

  /// The mean of each axis, in g, rounded down: gravity, if the board does not turn meanwhile.
  public var mean: Vector3 { Vector3(x: x.mean(samples), y: y.mean(samples), z: z.mean(samples)) }

  /// The crest factor `peak / rms`, rounded to nearest; nil if there is no vibration.
  public static func crest(peak: Q16, rms: Q16) -> Q16? { rms > .zero ? Q16(peak.raw, over: rms.raw) : nil }
}

/// The sums of an axis.
private struct AxisLevel: Equatable, Sendable {
  /// Below 2^39 and 2^62.
  private var sum: Int64 = 0
  private var squares: UInt64 = 0
  private var least = Int32.max
  private var greatest = Int32.min

  mutating func add(_ value: Int32) {
    sum = sum &+ widened(value)
    squares = squares &+ UInt64(bitPattern: widened(value) &* widened(value))
    least = min(least, value)
    greatest = max(greatest, value)
  }

  /// The floor of the mean, and the remainder of the sum, 0..<`count`.
  private func parts(_ count: UInt32) -> (mean: Int64, rest: Int64) {
    let divisor = max(1, Int64(bitPattern: widened(count)))
    let mean = sum / divisor
    let rest = sum &- mean &* divisor
    return rest < 0 ? (mean &- 1, rest &+ divisor) : (mean, rest)
  }

  func mean(_ count: UInt32) -> Q16 { Q16(raw: Int32(truncatingIfNeeded: parts(count).mean)) }

  /// The mean square about the mean, in units of 2^-46 g², rounded down.
  ///
  /// With q the floor of the mean and r the remainder of the sum, Σ(v - q)² = Σv² - 2q·Σv + n·q² is below 2^64, so
  /// wrapping of its terms does not matter; it exceeds the result by r² / n.
  func square(_ count: UInt32) -> UInt64 {
    guard count > 0 else { return 0 }
    let divisor = widened(count)
    let (mean, rest) = parts(count)
    let (q, r) = (UInt64(bitPattern: mean), UInt64(bitPattern: rest))
    let about =
      squares &- 2 &* q &* UInt64(bitPattern: sum) &+ divisor &* q &* q &- r &* r / divisor
    // In units of 2^-32 up to here; 14 more bits, with the quotient at most 2^48 and the remainder below 2^16.
    let (whole, part) = (about / divisor, about % divisor)
    return (whole &<< 14) &+ (part &<< 14) / divisor
  }

  /// The root of a mean square in units of 2^-46 g², in g, rounded to nearest.
  static func root(_ square: UInt64) -> Q16 { PowerScale.root(square) }

  func peak(_ count: UInt32) -> Q16 {
    guard count > 0 else { return .zero }
    let (mean, rest) = parts(count)
    // Rounded to nearest.
    let middle = mean &+ (2 &* rest >= Int64(bitPattern: widened(count)) ? 1 : 0)
    let most = max(widened(greatest) &- middle, middle &- widened(least))
    return Q16(raw: Int32(truncatingIfNeeded: max(0, most)))
  }
}

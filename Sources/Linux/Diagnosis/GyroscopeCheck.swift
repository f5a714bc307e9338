public import FixedPoint

/// Judges from about a second of samples whether a gyroscope on a board at rest reads what it must.
public struct GyroscopeCheck: Sendable {
  /// The result.
  public enum Verdict: Equatable, Sendable {
    /// OK: it reads this at rest, in °/s, within the data sheet's limit.
    case passed(bias: Vector3)
    /// It reads more than ±20 °/s at rest.
    case biased(Vector3)
    /// It repeats the same reading, without the noise that every such part has.
    case frozen
    /// Not checked, because the board is moving.
    case moving
    /// Not checked, because there were fewer than 50 samples.
    case tooFew
  }

  private var count: Int64 = 0
  private var sum: (x: Int64, y: Int64, z: Int64) = (0, 0, 0)
  private var leastRate = Vector3.zero
  private var greatestRate = Vector3.zero
  private var leastForce = Vector3.zero
  private var greatestForce = Vector3.zero

  /// The bias that the data sheet allows at 25 °C, in °/s: PS-MPU-6000A rev. 3.4, 6.1.
  private static var greatestBias: Int32 { 20 &<< 16 }
  /// How far the samples of a board at rest differ at most: 6 °/s and 0.15 g are many times a clone's noise.
  private static var rateSpread: Int64 { 6 &<< 16 }
  private static var forceSpread: Int64 { 9_830 }

  /// A check without samples.
  public init() {}

  /// Takes a sample: the force in g and the rate of rotation in °/s, both uncalibrated.
  public mutating func take(_ force: Vector3, _ rotation: Vector3) {
    if count == 0 {
      (leastRate, greatestRate) = (rotation, rotation)
      (leastForce, greatestForce) = (force, force)
    }
    count &+= 1
    sum.x &+= widened(rotation.x.raw)
    sum.y &+= widened(rotation.y.raw)
    sum.z &+= widened(rotation.z.raw)
    (leastRate, greatestRate) = (Self.least(leastRate, rotation), Self.greatest(greatestRate, rotation))
    (leastForce, greatestForce) = (Self.least(leastForce, force), Self.greatest(greatestForce, force))
  }

  /// The verdict on the samples so far.
  public var verdict: Verdict {
    guard count >= 50 else { return .tooFew }
    if leastRate == greatestRate { return .frozen }
    guard
      Self.spread(leastRate, greatestRate) <= Self.rateSpread,
      Self.spread(leastForce, greatestForce) <= Self.forceSpread
    else { return .moving }
    let bias = Vector3(x: mean(sum.x), y: mean(sum.y), z: mean(sum.z))
    let most = max(bias.x.raw.magnitude, max(bias.y.raw.magnitude, bias.z.raw.magnitude))
    return most > UInt32(Self.greatestBias) ? .biased(bias) : .passed(bias: bias)
  }

  private func mean(_ sum: Int64) -> Q16 { Q16(raw: Int32(truncatingIfNeeded: sum / max(1, count))) }

  private static func least(_ a: Vector3, _ b: Vector3) -> Vector3 {
    Vector3(x: min(a.x, b.x), y: min(a.y, b.y), z: min(a.z, b.z))
  }

  private static func greatest(_ a: Vector3, _ b: Vector3) -> Vector3 {
    Vector3(x: max(a.x, b.x), y: max(a.y, b.y), z: max(a.z, b.z))
  }

  /// The largest difference on any axis.
  private static func spread(_ least: Vector3, _ greatest: Vector3) -> Int64 {
    max(
      widened(greatest.x.raw) &- widened(least.x.raw),
      max(widened(greatest.y.raw) &- widened(least.y.raw), widened(greatest.z.raw) &- widened(least.z.raw)))
  }
}

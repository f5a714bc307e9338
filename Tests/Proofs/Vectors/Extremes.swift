import FixedPoint
import TestSupport

/// Samples at and next to the limits that the core knows, which a board in a hand hardly reaches: forces from nothing
/// to the ends of `Q16`, exactly on diagonals and gates, rates at the ends of ranges, and pauses of just the longest
/// gap, or of months.
struct Extremes {
  /// Sizes of a component: g in 1/65536, around which others follow.
  private static let forces: [Int32] = [
    0, 655, 6_554, 16_384, 19_661, 32_768, 39_322, 65_536, 91_750, 98_304, 131_072, 4 << 16, 8 << 16, 16 << 16,
  ]
  /// The same for °/s.
  private static let rates: [Int32] = [0, 6_554, 32_768, 40 << 16, 498 << 16, 1_024 << 16, 1_996 << 16, 4_000 << 16]
  /// Pauses, µs, and around them.
  private static let pauses: [Int64] = [
    0, 10_000, 16_384, 50_000, 100_000, 200_000, 400_000, 500_000, 600_000, 1_000_000, 2_000_000, 2_500_000, 3_000_000,
    3_500_000, 5_000_000, 60_000_000, 3_600_000_000, 1 << 31, 1 << 32, 1 << 40, -10_000, -1_000_000, -5_000_000,
  ]

  private var dice = SplitMix64(seed: 7)
  private var now: Int64 = -7_000_000

  /// Samples in phases of a usual period, force and rate.
  mutating func samples(_ count: Int) -> [Sample] {
    var samples: [Sample] = []
    while samples.count < count {
      let period = pick([1_000, 2_500, 10_000, 10_000, 10_000, 40_000, 250_000] as [Int64])
      let (force, rotation) = (vector(Self.forces), vector(Self.rates))
      let noise = (force: pick([0, 0, 1, 200, 655, 20_000] as [Int32]), rate: pick([0, 1, 3_000, 50_000] as [Int32]))
      for _ in 0..<pick([3, 40, 160]) where samples.count < count {
        var span = samples.count == 1 || Int.random(in: 0..<24, using: &dice) > 0 ? period : pick(Self.pauses)
        if span != period { span += Int64.random(in: -1...1, using: &dice) }
        now += span
        let isOdd = Int.random(in: 0..<30, using: &dice) == 0
        samples.append(
          Sample(
            force: isOdd ? vector(Self.forces + [.max]) : near(force, noise.force),
            rotation: isOdd ? vector(Self.rates + [.max]) : near(rotation, noise.rate), at: Instant(microseconds: now)))
      }
    }
    return samples
  }

  private mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &dice)] }

  /// A vector of one size along an axis, on a diagonal, or of different sizes.
  private mutating func vector(_ sizes: [Int32]) -> Vector3 {
    let size = pick(sizes)
    func component(_ size: Int32) -> Q16 {
      let near = size &+ Int32.random(in: -1...1, using: &dice)
      return Q16(raw: Bool.random(using: &dice) ? near : 0 &- near)
    }
    switch Int.random(in: 0..<6, using: &dice) {
    case 0: return Vector3(x: component(size), y: .zero, z: .zero)
    case 1: return Vector3(x: .zero, y: component(size), z: .zero)
    case 2: return Vector3(x: .zero, y: .zero, z: component(size))
    case 3: return Vector3(x: component(size), y: component(size), z: .zero)
    case 4: return Vector3(x: component(pick(sizes)), y: .zero, z: component(size))
    default: return Vector3(x: component(pick(sizes)), y: component(pick(sizes)), z: component(size))
    }
  }

  private mutating func near(_ vector: Vector3, _ noise: Int32) -> Vector3 {
    guard noise > 0 else { return vector }
    func component(_ value: Q16) -> Q16 { Q16(raw: value.raw &+ Int32.random(in: 0 - noise...noise, using: &dice)) }
    return Vector3(x: component(vector.x), y: component(vector.y), z: component(vector.z))
  }
}

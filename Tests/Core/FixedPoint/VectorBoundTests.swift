import FixedPoint
import TestSupport
import Testing

/// Bounds, sums and shares of vectors, against wide integers.
struct VectorBoundTests {
  private static func parts(_ vector: Vector3) -> [Int] { [vector.x, vector.y, vector.z].map { Int($0.raw) } }

  private static func wrapped(_ value: Int) -> Int { Int(Int32(truncatingIfNeeded: value)) }

  @Test static func `sums and differences of vectors wrap in each component`() {
    let vectors = Array(Vector3Tests.vectors.prefix(3_000))
    let wrong = zip(vectors, vectors.reversed()).first { a, b in
      let pairs = zip(Self.parts(a), Self.parts(b))
      return Self.parts(a.adding(b)) != pairs.map { Self.wrapped($0 + $1) }
        || Self.parts(a.subtracting(b)) != pairs.map { Self.wrapped($0 - $1) }
    }
    expect(absent: wrong)
  }

  /// Both ends of a bound, and their neighbours, in each component.
  private static func near(_ bound: Int32) -> [Vector3] {
    let ends = [-bound - 1, -bound, -bound + 1, 0, bound - 1, bound, bound + 1]
    return ends.flatMap { end in
      [
        Vector3(x: Q16(raw: end), y: .zero, z: .zero), Vector3(x: .zero, y: Q16(raw: end), z: .zero),
        Vector3(x: .zero, y: .zero, z: Q16(raw: end)),
      ]
    }
  }

  @Test(arguments: [1, 2, 1_024, 65_536, 1 << 20, 1 << 29] as [Int32])
  static func `a vector is within a bound with both ends, inside it without the upper one, and limited to it`(
    _ bound: Int32
  ) {
    for vector in Self.near(bound) + Vector3Tests.vectors.prefix(3_000) {
      let parts = Self.parts(vector)
      let (isWithin, isInside) = (
        parts.allSatisfy { abs($0) <= Int(bound) }, parts.allSatisfy { -Int(bound) <= $0 && $0 < Int(bound) }
      )
      let limited = parts.map { max(-Int(bound), min(Int(bound), $0)) }
      guard
        vector.isWithin(bound) == isWithin && vector.isInside(bound) == isInside
          && Self.parts(vector.limited(to: bound)) == limited
      else {
        Issue.record("\(parts) at \(bound)")
        return
      }
    }
  }

  @Test static func `a share of a vector is cut towards zero, and by a divisor below 1 it is the whole`() {
    for divisor in [Int32.min, -7, -1, 0, 1, 2, 3, 8, 1_000, Int32.max] {
      let wrong = Vector3Tests.vectors.prefix(2_000).first { vector in
        Self.parts(vector.divided(by: divisor)) != Self.parts(vector).map { $0 / max(1, Int(divisor)) }
      }
      expect(wrong, equals: nil, "\(divisor)")
    }
  }

  @Test static func `a mixed number depends on each of its bits, and a sequence on its seed`() {
    // The first numbers of the published generator with a seed of 0.
    var dice = SplitMix64(seed: 0)
    let first: [UInt64] = [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F]
    expect((0..<3).map { _ in dice.next() }, equals: first)
    expect(SplitMix64.mixed(SplitMix64.step), equals: 0xE220_A839_7B1D_CDAF)
  }
}

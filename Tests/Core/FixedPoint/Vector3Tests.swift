import FixedPoint
import TestSupport
import Testing

struct Vector3Tests {
  /// Components of random sizes, and all triples of a few corner values.
  static let vectors: [Vector3] = {
    let few: [Int32] = [
      0, 1, -1, 255, 65_536, -65_536, 1_073_741_824, Int32.max - 1, Int32.max, Int32.min + 1, Int32.min,
    ]
    let triples = few.flatMap { x in few.flatMap { y in few.map { z in vector(x, y, z) } } }
    var random = SplitMix64(seed: 3)
    return triples + (0..<200_000).map { _ in vector(random.nextInt32(), random.nextInt32(), random.nextInt32()) }
  }()

  static func vector(_ x: Int32, _ y: Int32, _ z: Int32) -> Vector3 {
    Vector3(x: Q16(raw: x), y: Q16(raw: y), z: Q16(raw: z))
  }

  static func squared(_ vector: Vector3) -> UInt128 {
    [vector.x, vector.y, vector.z].map { UInt128($0.raw.magnitude) * UInt128($0.raw.magnitude) }.reduce(0, +)
  }

  @Test static func `the magnitude of three axes is the exact floor`() {
    expect(Vector3Tests.vectors.first { !isFloor($0.magnitude, of: Vector3Tests.squared($0)) }, equals: nil)
  }

  @Test static func `the squared magnitude of three axes is exact`() {
    expect(Vector3Tests.vectors.first { UInt128($0.squaredMagnitude) != Vector3Tests.squared($0) }, equals: nil)
  }

  @Test static func `three smallest components give the greatest magnitude`() {
    // 2^31 · √3; documented as up to 56756 in Q16.16.
    let greatest = Vector3Tests.vector(Int32.min, Int32.min, Int32.min)
    expect(greatest.magnitude, equals: 3_719_550_786)
    expect(greatest.magnitude / 65_536, equals: 56_755)
  }

  @Test static func `the magnitude of two axes is the exact floor`() {
    let wrong = (cornerPairs + randomPairs(200_000, seed: 2)).first { pair in
      let squares = [pair.a, pair.b].map { UInt128($0.magnitude) * UInt128($0.magnitude) }
      return !isFloor(magnitude(pair.a, pair.b), of: squares[0] + squares[1])
    }
    expect(wrong, equals: nil)
  }

  @Test(
    arguments: [
      (0, 0, 0), (3, 4, 5), (-3, 4, 5), (5, -12, 13), (1, 1, 1), (0, Int32.min, 2_147_483_648),
      (Int32.min, Int32.min, 3_037_000_499), (Int32.max, Int32.max, 3_037_000_498),
    ] as [(Int32, Int32, UInt32)])
  static func `the magnitude of two axes is right at known points`(_ a: Int32, _ b: Int32, _ expected: UInt32) {
    expect(magnitude(a, b), equals: expected)
    expect(magnitude(b, a), equals: expected)
    expect(Vector3Tests.vector(0, a, b).magnitude, equals: expected)
  }

  @Test static func `the magnitude of two equal components is the exact floor for both signs`() {
    let wrong = values(100_000, seed: 4).first { value in
      let squared = 2 * UInt128(value.magnitude) * UInt128(value.magnitude)
      return !isFloor(magnitude(value, value), of: squared) || !isFloor(magnitude(value, 0 &- value), of: squared)
    }
    expect(wrong, equals: nil)
  }

  @Test static func `the magnitude along one axis is the size of the component`() {
    let wrong = values(100_000, seed: 5).first { magnitude($0, 0) != $0.magnitude || magnitude(0, $0) != $0.magnitude }
    expect(wrong, equals: nil)
  }

  @Test static func `the zero vector has three zeros`() {
    expect(Vector3.zero, equals: Vector3Tests.vector(0, 0, 0))
  }
}

import FixedPoint
import Glibc
import TestSupport
import Testing

struct SquareRootTests {
  /// Every square of a number of random or special size, its neighbours, and the last number before the next square.
  static let aboutSquares: [UInt64] = {
    let ends: [UInt64] = [0xFFFF_FFFF, 0xFFFF_FFFE, 0x8000_0000, 0x7FFF_FFFF, 0xB504_F333, 0xB504_F334]
    var random = SplitMix64(seed: 64)
    let roots = Array(0...70_000) + ends + (0..<200_000).map { _ in random.next() >> (32 + random.next() % 32) }
    return roots.flatMap { (root: UInt64) -> [UInt64] in
      let square = root * root
      return [square &- 1, square, square + 1, square + root, square + root + root]
    }
  }()

  /// Powers of two and their neighbours, both ends and numbers of random size.
  static let others: [UInt64] = {
    var random = SplitMix64(seed: 65)
    let powers = (0..<64).flatMap { (shift) -> [UInt64] in
      let power: UInt64 = 1 << shift
      return [power - 1, power, power + 1]
    }
    return powers + [UInt64.max, UInt64.max - 1] + (0..<200_000).map { _ in random.nextUInt64() }
  }()

  @Test static func `an integer root is the exact floor around every square`() {
    expect(SquareRootTests.aboutSquares.first { !isFloor(squareRoot($0), of: UInt128($0)) }, equals: nil)
  }

  @Test static func `an integer root is the exact floor around powers of two and for numbers of every size`() {
    expect(SquareRootTests.others.first { !isFloor(squareRoot($0), of: UInt128($0)) }, equals: nil)
  }

  @Test(
    arguments: [
      (0, 0), (1, 1), (3, 1), (4, 2), (UInt64.max, UInt32.max), (0xFFFF_FFFE_0000_0001, UInt32.max),
      (0xFFFF_FFFE_0000_0000, UInt32.max - 1), (1 << 62, 1 << 31),
    ] as [(UInt64, UInt32)])
  static func `an integer root is exact at both ends of the range`(_ value: UInt64, _ root: UInt32) {
    expect(squareRoot(value), equals: root)
  }

  @Test static func `an integer root is the exact floor where the estimate is least accurate`() {
    // Around the ends of every segment of the table, at every even shift, and around the squares next to them.
    let wrong = (16...64).flatMap { (segment: UInt64) -> [UInt64] in
      stride(from: 0, through: 58, by: 2).flatMap { (shift: UInt64) -> [UInt64] in
        let end = UInt64(truncatingIfNeeded: (UInt128(segment) << 58 - 1) >> UInt128(shift))
        let root = UInt64(Double(end).squareRoot()) & 0xFFFF_FFFF
        return [end, end &+ 1, root * root &- 1, root * root, root * root + 2 * root]
      }
    }.first { !isFloor(squareRoot($0), of: UInt128($0)) }
    expect(wrong, equals: nil)
  }

  @Test static func `a root in Q16 is correctly rounded for every small number`() {
    expect((0...1 << 21).first { !isNearestRoot($0) }, equals: nil)
  }

  @Test static func `a root in Q16 is correctly rounded over the whole unsigned range`() {
    expect(stride(from: 0, through: UInt32.max, by: 1_009).first { !isNearestRoot($0) }, equals: nil)
    expect(values(200_000, seed: 66).first { !isNearestRoot(UInt32(bitPattern: $0)) }, equals: nil)
  }

  @Test static func `a root in Q16 is correctly rounded on both sides of every change`() {
    // The root changes from r to r + 1 at (r + ½)² / 2^16; its two neighbours round differently.
    let wrong = (0..<(1 << 24) as Range<UInt64>).first { root in
      let change = (root * root + root) >> 16
      return !isNearestRoot(UInt32(change)) || !isNearestRoot(UInt32(min(change + 1, 0xFFFF_FFFF)))
    }
    expect(wrong, equals: nil)
  }

  @Test(.enabled(if: runsLongTests)) static func `a root in Q16 is correctly rounded for all 2^32 numbers`() {
    expect((0...UInt32.max).first { !isNearestRoot($0) }, equals: nil)
  }

  @Test(.enabled(if: runsLongTests)) static func `an integer root is the exact floor for 10^8 numbers of every size`() {
    var random = SplitMix64(seed: 69)
    let wrong = (0..<100_000_000).first { _ in
      let value = random.nextUInt64()
      return !isFloor(squareRoot(value), of: UInt128(value))
    }
    expect(wrong, equals: nil)
  }

  @Test static func `a direction is within 6e-9 of each component and 2e-9`() throws {
    var random = SplitMix64(seed: 71)
    func component(_ bits: Int) -> Int32 { Int32.random(in: -(1 << bits)..<(1 << bits), using: &random) }
    let ends: [Int32] = [0, 1 << 16, -(1 << 16), (1 << 30) - 1, 1 - (1 << 30), 0x1_6A0A]
    var vectors = ends.flatMap { x in ends.flatMap { y in ends.map { SIMD3(x, y, $0) } } }
    for _ in 0..<300_000 {
      let bits = Int.random(in: 10...30, using: &random)
      vectors.append(SIMD3(component(bits), component(bits), component(bits)))
    }
    var worst = 0.0
    for vector in vectors {
      let exact = SIMD3(Double(vector.x), Double(vector.y), Double(vector.z))
      let length = (exact * exact).sum().squareRoot()
      guard let (x, y, z) = direction(vector.x, vector.y, vector.z) else {
        expect(length, isBelow: 65_536, "\(vector)")
        continue
      }
      expect(length, isAtLeast: 65_536, "\(vector)")
      for (wanted, found) in [(exact.x, x), (exact.y, y), (exact.z, z)] {
        let part = wanted / length
        worst = max(worst, abs(Double(found) / 0x1p30 - part) - abs(part) * 6e-9)
      }
    }
    expect(worst, isAbove: 0)
    expect(worst, isAtMost: 2e-9)
  }

  @Test static func `the root of a signed Q16 equals that of the same unsigned number`() {
    let wrong = values(200_000, seed: 70).first { raw in
      raw >= 0 && Q16(raw: raw).squareRoot.raw != Int32(squareRootQ16(UInt32(raw)))
    }
    expect(wrong, equals: nil)
  }

  @Test(
    arguments: [
      (0, 0), (1, 256), (65_536, 65_536), (4 * 65_536, 2 * 65_536), (2 * 65_536, 92_682), (Int32.max, 11_863_283),
      (16_384, 32_768),
    ] as [(Int32, Int32)])
  static func `a root in Q16 is right at known points`(_ raw: Int32, _ root: Int32) {
    expect(Q16(raw: raw).squareRoot, equals: Q16(raw: root))
  }

  @Test static func `a root in Q16 of a negative number is zero`() {
    expect(values(10_000, seed: 68).first { $0 < 0 && Q16(raw: $0).squareRoot != .zero }, equals: nil)
  }

  @Test static func `a root in Q16 is right at the end of the unsigned range`() {
    expect(squareRootQ16(UInt32.max), equals: 1 << 24)
    expect(squareRootQ16(0x8000_0000), equals: 11_863_283)
  }

  @Test static func `the table of reciprocal roots holds lines that run below the curve's chords`() {
    for index in 0..<64 {
      let start = Double(index) * 0x400_0000
      let end = start + 0x400_0000
      let fall = index < 16 ? 0 : curve(start) - curve(end)
      let slope = (fall / 65_536).rounded()
      // The curve is as steep as the chord, and farthest from it, where 2^45 / h^1.5 equals the chord's slope.
      let farthest = pow(0x1p45 * 0x1p26 / fall, 2 / 3.0)
      let distance = curve(start) - (farthest - start) * fall / 0x1p26 - curve(farthest)
      let line = curve(start) - distance / 2 - 16_384
      let expected = index < 16 ? 0 : UInt32((((line - slope) / 1_024).rounded(.down) * 1_024) + slope)
      expect(reciprocalRoots[index], equals: expected, "entry \(index)")
    }
  }

  private static func curve(_ high: Double) -> Double { 0x1p46 / high.squareRoot() }

  /// Whether the root of `raw` in Q16.16 lies within half an LSB of the true root; a tie cannot occur.
  private static func isNearestRoot(_ raw: UInt32) -> Bool {
    let root = UInt64(squareRootQ16(raw))
    // Everything times four, against (2 root ± 1)²: at most 2^50.
    let fourfold = UInt64(raw) << 18
    let (low, high) = (2 * root &- 1, 2 * root + 1)
    return (root == 0 || low * low < fourfold) && fourfold < high * high
  }
}

/// Whether `root` is the floor of the square root of `value`.
func isFloor(_ root: UInt32, of value: UInt128) -> Bool {
  let root = UInt128(root)
  return root * root <= value && value < (root + 1) * (root + 1)
}

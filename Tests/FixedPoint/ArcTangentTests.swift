import FixedPoint
import TestSupport
import Testing

/// What must hold exactly for `atan2`, whatever its accuracy.
@Suite struct ArcTangentTests {
  static let positive = values(50_000, seed: 7).filter { $0 > 0 }
  /// Pairs whose components all have a negative.
  static let pairs = (cornerPairs + randomPairs(200_000, seed: 8)).filter { $0.a != Int32.min && $0.b != Int32.min }

  /// The 300 values about each 128th part of `x`: where a segment of the table has its node or its end; all ≥ 0.
  static func aboutNodes(of x: Int32) -> [Int32] {
    let size = Int64(x.magnitude)
    let allowed = 0...min(size, Int64(Int32.max))
    return (0...128).flatMap { (part: Int64) -> [Int32] in
      let centre = size * part / 128
      return (centre - 150...centre + 150).filter(allowed.contains).map { Int32($0) }
    }
  }

  @Test func `the origin has angle zero`() {
    #expect(angle(0, 0) == 0)
  }

  @Test func `the axes are exact`() {
    let quarter = BinaryAngle.quarterTurn.raw
    let wrong = ArcTangentTests.positive.first { size in
      angle(0, size) != 0 || angle(size, 0) != quarter
        || angle(0, -size) != Int32.min || angle(-size, 0) != -quarter
    }
    #expect(wrong == nil)
    #expect(angle(Int32.min, 0) == -quarter)
    #expect(angle(0, Int32.min) == Int32.min)
  }

  @Test func `the diagonals are exact`() {
    let eighth: Int32 = 1 << 29
    let wrong = ArcTangentTests.positive.first { size in
      angle(size, size) != eighth || angle(size, -size) != 3 * eighth
        || angle(-size, -size) != -3 * eighth || angle(-size, size) != -eighth
    }
    #expect(wrong == nil)
    #expect(angle(Int32.min, Int32.min) == -3 * eighth)
  }

  @Test func `the angle is odd in y`() {
    #expect(
      ArcTangentTests.pairs.first { pair in
        pair.a != 0 && angle(-pair.a, pair.b) != 0 &- angle(pair.a, pair.b)
      } == nil)
  }

  @Test func `the quadrants mirror each other`() {
    #expect(
      ArcTangentTests.pairs.first { pair in
        pair.b != 0 && angle(pair.a, -pair.b) != Int32.min &- angle(pair.a, pair.b)
      } == nil)
  }

  @Test func `the octants mirror each other`() {
    let quarter = BinaryAngle.quarterTurn.raw
    #expect(
      ArcTangentTests.pairs.first { pair in
        pair != Pair(a: 0, b: 0)
          && angle(pair.b, pair.a) != quarter &- angle(pair.a, pair.b)
      } == nil)
  }

  @Test func `a common scale changes the last place at most`() {
    var random = SplitMix64(seed: 9)
    for _ in 0..<200_000 {
      let (y, x) = (Int32.random(in: -4_096...4_095, using: &random), Int32.random(in: -4_096...4_095, using: &random))
      let scale = Int32.random(in: 2...524_288, using: &random)
      let change = (angle(y * scale, x * scale) &- angle(y, x)).magnitude
      guard change > 1 else { continue }
      Issue.record("scale \(scale) at y \(y), x \(x)")
      return
    }
  }

  @Test(arguments: [Int32.min, Int32.max, 0x4000_0001, 65_536] as [Int32])
  func `the angle never falls as y grows, at the joins of the segments`(_ x: Int32) {
    #expect(isMonotonic(ArcTangentTests.aboutNodes(of: x).sorted(), x: x))
  }

  @Test func `the angle never falls as y grows by one, anywhere`() {
    // 65536 parts of x are where the quotient's upper half steps on.
    var random = SplitMix64(seed: 13)
    for _ in 0..<400 {
      let x = Int32(truncatingIfNeeded: random.next()) | 0x4000_0000
      let join = Int64(x.magnitude) * Int64(random.next() % 65_536) / 65_536
      let first = max(0, min(join, Int64(Int32.max) - 1_000) - 1_000)
      let run = (first...first + 2_000).map { Int32(truncatingIfNeeded: $0) }.filter { $0 >= 0 }
      guard !isMonotonic(run, x: x) else { continue }
      Issue.record("at x \(x), y from \(first)")
      return
    }
  }

  @Test(arguments: [1, 2, 3, 100, 511, 4_095] as [Int32])
  func `the angle never falls on the way round a square, which is one turn`(_ half: Int32) {
    let along = Array(-half..<half)
    let corners: [Pair] =
      along.map { Pair(a: $0, b: half) } + along.map { Pair(a: half, b: -$0) } + along.map { Pair(a: -$0, b: -half) }
      + along.map { Pair(a: -half, b: $0) }
    let angles = corners.map { angle($0.a, $0.b) }
    let steps = zip(angles, angles.dropFirst() + angles.prefix(1)).map { Int64($1 &- $0) }
    #expect(steps.allSatisfy { $0 > 0 })
    #expect(steps.reduce(0, +) == 1 << 32)
  }

  /// Where other libraries hang, overflow or take a wrong turn: see "Others" in the numerics notes.
  @Test(
    arguments: [
      ("one below the X axis behind", -1, Int32.min, Int32.min), ("one above it", 1, Int32.min, Int32.min),
      ("straight down, all but one", Int32.min, 1, -1 << 30), ("straight down, and one", Int32.min, -1, -1 << 30),
      ("the lower left end", Int32.min, Int32.min, -3 << 29), ("the upper right end", Int32.max, Int32.max, 1 << 29),
      ("the lower right end", Int32.min, Int32.max, -1 << 29), ("the upper left end", Int32.max, Int32.min, 3 << 29),
      ("a small diagonal", 1, 1, 1 << 29), ("a diagonal of 1 g", 65_536, 65_536, 1 << 29),
      ("a diagonal of 16 bits", -32_768, 32_768, -1 << 29),
    ] as [(String, Int32, Int32, Int32)])
  func `no end of the range and no diagonal is special`(_ name: String, _ y: Int32, _ x: Int32, _ expected: Int32) {
    #expect(angle(y, x) == expected, "\(name)")
  }

  @Test func `half a turn is an angle and never the sign of an overflow`() {
    let claims = (cornerPairs + randomPairs(200_000, seed: 10)).filter { angle($0.a, $0.b) == Int32.min }
    // 2π · 2^-32 is the tangent of one LSB: |y| / |x| below it, with x behind.
    #expect(claims.first { $0.b >= 0 || Double($0.a.magnitude) > Double($0.b.magnitude) * 2 * .pi * 0x1p-32 } == nil)
    #expect(claims.count > 100)
  }

  /// The angle of (`x`, `y`) in 2^-32 turn.
  private func angle(_ y: Int32, _ x: Int32) -> Int32 { atan2(y: y, x: x).raw }

  /// Whether the angle of (`x`, y) never goes back while y takes `ascending` values.
  private func isMonotonic(_ ascending: [Int32], x: Int32) -> Bool {
    // With x < 0 (counter-clockwise from behind) the angle descends, from half a turn.
    let angles = ascending.map { y -> Int64 in
      let raw = Int64(angle(y, x))
      return x < 0 ? -(raw == Int64(Int32.min) ? 1 << 31 : raw) : raw
    }
    return zip(angles, angles.dropFirst()).allSatisfy { $0 <= $1 }
  }
}

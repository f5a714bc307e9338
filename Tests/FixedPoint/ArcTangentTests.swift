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

  @Test func `a target has the variant that suits its words`() {
    #if _pointerBitWidth(_32)
      let own = ArcTangentVariant.narrow
    #else
      let own = ArcTangentVariant.wide
    #endif
    #expect(ArcTangentTests.pairs.first { atan2(y: $0.a, x: $0.b).raw != own.raw($0.a, $0.b) } == nil)
  }

  @Test(arguments: ArcTangentVariant.allCases)
  func `the origin has angle zero`(_ variant: ArcTangentVariant) {
    #expect(variant.raw(0, 0) == 0)
  }

  @Test(arguments: ArcTangentVariant.allCases)
  func `the axes are exact`(_ variant: ArcTangentVariant) {
    let quarter = BinaryAngle.quarterTurn.raw
    let wrong = ArcTangentTests.positive.first { size in
      variant.raw(0, size) != 0 || variant.raw(size, 0) != quarter
        || variant.raw(0, -size) != Int32.min || variant.raw(-size, 0) != -quarter
    }
    #expect(wrong == nil)
    #expect(variant.raw(Int32.min, 0) == -quarter)
    #expect(variant.raw(0, Int32.min) == Int32.min)
  }

  @Test(arguments: ArcTangentVariant.allCases)
  func `the diagonals are exact`(_ variant: ArcTangentVariant) {
    let eighth: Int32 = 1 << 29
    let wrong = ArcTangentTests.positive.first { size in
      variant.raw(size, size) != eighth || variant.raw(size, -size) != 3 * eighth
        || variant.raw(-size, -size) != -3 * eighth || variant.raw(-size, size) != -eighth
    }
    #expect(wrong == nil)
    #expect(variant.raw(Int32.min, Int32.min) == -3 * eighth)
  }

  @Test(arguments: ArcTangentVariant.allCases)
  func `the angle is odd in y`(_ variant: ArcTangentVariant) {
    #expect(
      ArcTangentTests.pairs.first { pair in
        pair.a != 0 && variant.raw(-pair.a, pair.b) != 0 &- variant.raw(pair.a, pair.b)
      } == nil)
  }

  @Test(arguments: ArcTangentVariant.allCases)
  func `the quadrants mirror each other`(_ variant: ArcTangentVariant) {
    #expect(
      ArcTangentTests.pairs.first { pair in
        pair.b != 0 && variant.raw(pair.a, -pair.b) != Int32.min &- variant.raw(pair.a, pair.b)
      } == nil)
  }

  @Test(arguments: ArcTangentVariant.allCases)
  func `the octants mirror each other`(_ variant: ArcTangentVariant) {
    let quarter = BinaryAngle.quarterTurn.raw
    #expect(
      ArcTangentTests.pairs.first { pair in
        pair != Pair(a: 0, b: 0)
          && variant.raw(pair.b, pair.a) != quarter &- variant.raw(pair.a, pair.b)
      } == nil)
  }

  @Test(arguments: ArcTangentVariant.allCases)
  func `a common scale changes the last place at most`(_ variant: ArcTangentVariant) {
    var random = SplitMix64(seed: 9)
    for _ in 0..<200_000 {
      let (y, x) = (Int32.random(in: -4_096...4_095, using: &random), Int32.random(in: -4_096...4_095, using: &random))
      let scale = Int32.random(in: 2...524_288, using: &random)
      let change = (variant.raw(y * scale, x * scale) &- variant.raw(y, x)).magnitude
      guard change > 1 else { continue }
      Issue.record("scale \(scale) at y \(y), x \(x)")
      return
    }
  }

  @Test func `with a wide divide a common scale changes nothing up to 17 bits`() {
    var random = SplitMix64(seed: 12)
    for _ in 0..<200_000 {
      let (y, x) = (Int32.random(in: -4_096...4_095, using: &random), Int32.random(in: -4_096...4_095, using: &random))
      let scale = Int32.random(in: 2...16, using: &random)
      guard wideArcTangent(y: y * scale, x: x * scale) != wideArcTangent(y: y, x: x) else { continue }
      Issue.record("scale \(scale) at y \(y), x \(x)")
      return
    }
  }

  @Test(arguments: ArcTangentVariant.allCases, [Int32.min, Int32.max, 0x4000_0001, 65_536] as [Int32])
  func `the angle never falls as y grows, at the joins of the segments`(_ variant: ArcTangentVariant, _ x: Int32) {
    #expect(isMonotonic(ArcTangentTests.aboutNodes(of: x).sorted(), x: x, variant))
  }

  @Test(arguments: ArcTangentVariant.allCases)
  func `the angle never falls as y grows by one, anywhere`(_ variant: ArcTangentVariant) {
    // 65536 parts of x are where the narrow quotient's upper half steps on.
    var random = SplitMix64(seed: 13)
    for _ in 0..<400 {
      let x = Int32(truncatingIfNeeded: random.next()) | 0x4000_0000
      let join = Int64(x.magnitude) * Int64(random.next() % 65_536) / 65_536
      let first = max(0, min(join, Int64(Int32.max) - 1_000) - 1_000)
      let run = (first...first + 2_000).map { Int32(truncatingIfNeeded: $0) }.filter { $0 >= 0 }
      guard !isMonotonic(run, x: x, variant) else { continue }
      Issue.record("at x \(x), y from \(first)")
      return
    }
  }

  @Test(arguments: ArcTangentVariant.allCases, [1, 2, 3, 100, 511, 4_095] as [Int32])
  func `the angle never falls on the way round a square, which is one turn`(
    _ variant: ArcTangentVariant, _ half: Int32
  ) {
    let along = Array(-half..<half)
    let corners: [Pair] =
      along.map { Pair(a: $0, b: half) } + along.map { Pair(a: half, b: -$0) } + along.map { Pair(a: -$0, b: -half) }
      + along.map { Pair(a: -half, b: $0) }
    let angles = corners.map { variant.raw($0.a, $0.b) }
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
    for variant in ArcTangentVariant.allCases { #expect(variant.raw(y, x) == expected, "\(name)") }
  }

  @Test(arguments: ArcTangentVariant.allCases)
  func `half a turn is an angle and never the sign of an overflow`(_ variant: ArcTangentVariant) {
    let claims = (cornerPairs + randomPairs(200_000, seed: 10)).filter { variant.raw($0.a, $0.b) == Int32.min }
    // 2π · 2^-32 is the tangent of one LSB: |y| / |x| below it, with x behind.
    #expect(claims.first { $0.b >= 0 || Double($0.a.magnitude) > Double($0.b.magnitude) * 2 * .pi * 0x1p-32 } == nil)
    #expect(claims.count > 100)
  }

  /// Whether the angle of (`x`, y) never goes back while y takes `ascending` values.
  private func isMonotonic(_ ascending: [Int32], x: Int32, _ variant: ArcTangentVariant) -> Bool {
    // With x < 0 (counter-clockwise from behind) the angle descends, from half a turn.
    let angles = ascending.map { y -> Int64 in
      let raw = Int64(variant.raw(y, x))
      return x < 0 ? -(raw == Int64(Int32.min) ? 1 << 31 : raw) : raw
    }
    return zip(angles, angles.dropFirst()).allSatisfy { $0 <= $1 }
  }
}

import FixedPoint
import Testing

@Suite struct SquareRootTests {
  /// Every square of a number of random or special size, with its neighbours and the last number before the next square.
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
    let powers = (0..<64).flatMap { shift in [(1 << shift) - 1, 1 << shift, (1 << shift) + 1] as [UInt64] }
    return powers + [UInt64.max, UInt64.max - 1] + (0..<200_000).map { _ in random.nextUInt64() }
  }()

  @Test func `the root of an integer is the exact floor about every square`() {
    #expect(SquareRootTests.aboutSquares.first { !isFloor(squareRoot($0), of: UInt128($0)) } == nil)
  }

  @Test func `the root of an integer is the exact floor about powers of two and for numbers of every size`() {
    #expect(SquareRootTests.others.first { !isFloor(squareRoot($0), of: UInt128($0)) } == nil)
  }

  @Test(
    arguments: [
      (0, 0), (1, 1), (3, 1), (4, 2), (UInt64.max, UInt32.max), (0xFFFF_FFFE_0000_0001, UInt32.max),
      (0xFFFF_FFFE_0000_0000, UInt32.max - 1), (1 << 62, 1 << 31),
    ] as [(UInt64, UInt32)])
  func `the root of an integer holds at both ends`(_ value: UInt64, _ root: UInt32) {
    #expect(squareRoot(value) == root)
  }

  @Test func `a root in Q16 is correctly rounded for small numbers, all of them`() {
    #expect((0...1 << 21).first { !isNearestRoot($0) } == nil)
  }

  @Test func `a root in Q16 is correctly rounded over the whole range`() {
    #expect(stride(from: 0, through: Int32.max, by: 1_009).first { !isNearestRoot($0) } == nil)
    #expect(values(200_000, seed: 66).first { $0 >= 0 && !isNearestRoot($0) } == nil)
  }

  @Test func `a root in Q16 is correctly rounded where it changes`() {
    // Root r + ½ is that of (r + ½)² / 2^16: the neighbours of that go different ways.
    var random = SplitMix64(seed: 67)
    let greatest: UInt64 = 11_863_283
    let roots = Array(0...100_000) + (0..<400_000).map { _ in random.next() % greatest } + [greatest - 1]
    let changes = roots.map { (root: UInt64) -> Int32 in Int32((root * root + root) >> 16) }
    let wrong = changes.first { change in
      (max(1, change) - 1...min(change, Int32.max - 1) + 1).contains { !isNearestRoot($0) }
    }
    #expect(wrong == nil)
  }

  @Test(
    arguments: [
      (0, 0), (1, 256), (65_536, 65_536), (4 * 65_536, 2 * 65_536), (2 * 65_536, 92_682), (Int32.max, 11_863_283),
      (16_384, 32_768),
    ] as [(Int32, Int32)])
  func `a root in Q16 holds at known points`(_ raw: Int32, _ root: Int32) {
    #expect(Q16(raw: raw).squareRoot == Q16(raw: root))
  }

  @Test func `a root in Q16 of a negative number is zero`() {
    #expect(values(10_000, seed: 68).first { $0 < 0 && Q16(raw: $0).squareRoot != .zero } == nil)
  }

  /// Whether the root of `raw` in Q16.16 lies within half an LSB of the true one; a tie cannot be.
  private func isNearestRoot(_ raw: Int32) -> Bool {
    let root = Int128(Q16(raw: raw).squareRoot.raw)
    let fourfold = Int128(raw) << 18
    let (low, high) = (2 * root - 1, 2 * root + 1)
    return root >= 0 && (root == 0 || low * low < fourfold) && fourfold < high * high
  }
}

/// Whether `root` is the floor of the square root of `value`.
func isFloor(_ root: UInt32, of value: UInt128) -> Bool {
  let root = UInt128(root)
  return root * root <= value && value < (root + 1) * (root + 1)
}

import FixedPoint
import TestSupport

extension SplitMix64 {
  /// A number of random size: every count of leading zeros is equally likely.
  mutating func nextInt32() -> Int32 {
    let value = Int32(truncatingIfNeeded: next())
    return value >> Int32(truncatingIfNeeded: next() % 32)
  }

  /// A number of random size: every count of leading zeros is equally likely.
  mutating func nextUInt64() -> UInt64 {
    let value = next()
    return value >> (next() % 64)
  }
}

/// Two inputs of one operation.
struct OperandPair: Equatable, Sendable {
  var a: Int32
  var b: Int32
}

/// Where arithmetic breaks first: 0, ±1, powers of two and their neighbours, and both ends of the range, without
/// repeats.
let corners: [Int32] = {
  var values: Set<Int32> = [0, Int32.min, Int32.min + 1, Int32.max, Int32.max - 1]
  for shift in 0..<31 {
    let power: Int32 = 1 << shift
    for value in [power - 1, power, power &+ 1] { values.formUnion([value, -value]) }
  }
  return values.sorted()
}()

/// Every corner with every corner.
let cornerPairs: [OperandPair] = corners.flatMap { a in corners.map { b in OperandPair(a: a, b: b) } }

/// Pairs of numbers of random sizes.
func randomPairs(_ count: Int, seed: UInt64) -> [OperandPair] {
  var random = SplitMix64(seed: seed)
  return (0..<count).map { _ in OperandPair(a: random.nextInt32(), b: random.nextInt32()) }
}

/// The corners, and numbers of random sizes.
func values(_ count: Int, seed: UInt64) -> [Int32] {
  var random = SplitMix64(seed: seed)
  return corners + (0..<count).map { _ in random.nextInt32() }
}

/// The largest error so far, and its input.
struct Worst {
  private(set) var error = 0.0
  private(set) var input = OperandPair(a: 0, b: 0)

  mutating func note(_ error: Double, at input: OperandPair) {
    // This condition also catches NaN, so no error is overlooked.
    guard !(error <= self.error) else { return }
    self.error = error
    self.input = input
  }
}

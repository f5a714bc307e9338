import FixedPoint
import TestSupport
import Testing

struct TimeTests {
  /// Pairs of numbers of random sizes and both ends of the range.
  static let pairs: [(a: Int64, b: Int64)] = {
    var random = SplitMix64(seed: 60)
    let ends: [Int64] = [0, 1, -1, Int64.max, Int64.min, 1_000_000]
    let some = ends + (0..<300).map { _ in Int64(bitPattern: random.next()) >> Int64(random.next() % 64) }
    return some.flatMap { a in some.map { b in (a, b) } }
  }()

  @Test static func `spans add, subtract and multiply, and wrap`() {
    let allHold = TimeTests.pairs.allSatisfy { a, b in
      let (first, second) = (Microseconds(a), Microseconds(b))
      return (first + second).count == Int64(truncatingIfNeeded: Int128(a) + Int128(b))
        && (first - second).count == Int64(truncatingIfNeeded: Int128(a) - Int128(b))
        && (first * b).count == Int64(truncatingIfNeeded: Int128(a) * Int128(b))
    }
    expect(that: allHold)
  }

  @Test static func `an instant plus a span is an instant, and the difference of two instants is a span`() {
    let allHold = TimeTests.pairs.allSatisfy { a, b in
      let (instant, span) = (Instant(microseconds: a), Microseconds(b))
      return (instant + span).microseconds == Int64(truncatingIfNeeded: Int128(a) + Int128(b))
        && (instant - span).microseconds == Int64(truncatingIfNeeded: Int128(a) - Int128(b))
        && (instant + span) - instant == span
    }
    expect(that: allHold)
  }

  @Test static func `spans and instants compare by their counts`() {
    let allHold = TimeTests.pairs.allSatisfy { a, b in
      (Microseconds(a) < Microseconds(b)) == (a < b) && (Instant(microseconds: a) < Instant(microseconds: b)) == (a < b)
        && (Microseconds(a) == Microseconds(b)) == (a == b)
    }
    expect(that: allHold)
  }

  @Test(arguments: [(0, 0), (1, 1_000), (-7, -7_000), (86_400_000, 86_400_000_000)] as [(Int64, Int64)])
  static func `a millisecond is 1000 microseconds, and a second 1000 milliseconds`(_ count: Int64, _ expected: Int64) {
    expect(Microseconds.milliseconds(count).count, equals: expected)
    expect(Microseconds.seconds(count).count, equals: expected * 1_000)
    expect(Microseconds.zero.count, equals: 0)
  }
}

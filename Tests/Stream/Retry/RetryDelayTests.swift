import FixedPoint
import Retry
import TestSupport
import Testing

struct RetryDelayTests {
  /// The random number without effect: the middle of the jitter.
  let middle: UInt64 = 1_000

  @Test func `pauses double up to the longest`() {
    var delay = RetryDelay(first: .milliseconds(500), longest: .seconds(30), jitter: 25)
    let pauses = (0..<9).map { _ in delay.next(random: middle).count / 1_000 }
    expect(pauses, equals: [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
  }

  @Test func `after a reset the first pause comes again`() {
    var delay = RetryDelay(first: .seconds(1), longest: .seconds(60), jitter: 50)
    for _ in 0..<5 { _ = delay.next(random: middle) }
    delay.reset()
    expect(delay.next(random: middle), equals: .seconds(1))
    expect(delay.next(random: middle), equals: .seconds(2))
  }

  @Test(arguments: [0, 500, 1_000, 1_500, 2_000] as [UInt64])
  func `a random number makes a pause longer or shorter, up to the percentage`(random: UInt64) {
    var delay = RetryDelay(first: .seconds(4), longest: .seconds(4), jitter: 25)
    let expected = 3_000_000 + 1_000 * Int64(random)
    expect(delay.next(random: random).count, equals: expected)
    // There are 2001 possible results, which repeat.
    expect(delay.next(random: random + 2_001 * 1_000_000).count, equals: expected)
  }

  @Test(arguments: [0, 25, 50, 100, -3, 250])
  func `no pause is outside the percentage, and the pauses cover it`(percent: Int) {
    let kept = Int64(min(max(percent, 0), 100))
    var delay = RetryDelay(first: .seconds(60), longest: .seconds(60), jitter: percent)
    var random = SplitMix64(seed: 17)
    let pauses = (0..<4_000).map { _ in delay.next(random: random.next()).count }
    let (low, high) = (60_000_000 - 600_000 * kept, 60_000_000 + 600_000 * kept)
    #expect(pauses.allSatisfy { (low...high).contains($0) })
    // Both outer tenths are reached.
    #expect(pauses.contains { $0 <= low + (high - low) / 10 })
    #expect(pauses.contains { $0 >= high - (high - low) / 10 })
  }

  struct Odd {
    let first: Int64
    let longest: Int64
    let pauses: [Int64]
  }

  @Test(arguments: [
    Odd(first: .min, longest: .min, pauses: [1_000, 1_000]),
    Odd(first: 0, longest: 0, pauses: [1_000, 1_000]),
    Odd(first: -1, longest: 2_500, pauses: [1_000, 2_000, 2_500, 2_500]),
    Odd(first: 5_000_000, longest: 1, pauses: [5_000_000, 5_000_000]),
    Odd(first: .max, longest: .max, pauses: [86_400_000_000, 86_400_000_000]),
    Odd(first: 50_000_000_000, longest: .max, pauses: [50_000_000_000, 86_400_000_000, 86_400_000_000]),
  ])
  func `bounds that make no sense are replaced by the nearest that do`(odd: Odd) {
    var delay = RetryDelay(first: Microseconds(odd.first), longest: Microseconds(odd.longest), jitter: 0)
    expect(odd.pauses.map { _ in delay.next(random: .max).count }, equals: odd.pauses)
  }
}

import FixedPoint

/// The sample clock of an ADXL345: tick k (from 1) comes k periods after its origin, rounded down to a microsecond.
///
/// The period is 10.24 s / 2^code, which is exact in microseconds for all rates but the fastest.
///
/// - Datasheet: ADXL345 Rev. E, Table 7.
struct SampleClock {
  private let origin: Instant
  private let rateCode: Int64
  /// The period of rate code 0 in microseconds.
  private let longestPeriod: Int64
  private var taken: Int64 = 0

  init(origin: Instant, rateCode: UInt8, partsPerMillion: Int32) {
    self.origin = origin
    self.rateCode = Int64(rateCode)
    longestPeriod = 10_240_000_000_000 / (1_000_000 + max(-500_000, min(500_000, Int64(partsPerMillion))))
  }

  /// The instant of tick `number`.
  private func instant(of number: Int64) -> Instant {
    origin + Microseconds(Int64(truncatingIfNeeded: (Int128(number) * Int128(longestPeriod)) >> rateCode))
  }

  /// Takes all ticks up to `now` that were not taken before: how many, and the instant of the last; nil for none.
  mutating func take(until now: Instant) -> (count: UInt64, last: Instant)? {
    let elapsed = (now - origin).count
    guard elapsed > 0 else { return nil }
    // floor(k·P / 2^c) ≤ elapsed holds up to this k.
    let due = Int64(truncatingIfNeeded: (((Int128(elapsed) + 1) << rateCode) - 1) / Int128(longestPeriod))
    guard due > taken else { return nil }
    defer { taken = due }
    return (UInt64(due - taken), instant(of: due))
  }
}

public import FixedPoint

/// The clock that times a sensor's samples, estimated from how many there are at each query.
///
/// A sensor with a FIFO takes samples by its own oscillator, which is off by percents, and reports only how many wait.
/// Each query gives two bounds: the newest sample was taken before the query ended, and the next one not before it
/// began. The clock keeps what all queries allow: an earliest and a latest instant of the newest sample, and a shortest
/// and a longest period. It reports the middle, with half the difference as uncertainty. A query exactly at the middle,
/// when ``instant(of:)`` predicts a sample, halves the uncertainty whatever the result.
///
/// The bounds hold as long as the period is within a tenth of the nominal one and changes by less than 61 ppm per
/// second, as for a part carried from a warm room into the cold. If a query contradicts them, the bounds are widened
/// again. An oscillator that jumps by more may go unnoticed for a while if every query comes just when a sample is
/// predicted: after a jump of 0.1 %, the bounds are then too small for up to five minutes, at last by almost a period.
///
/// All arithmetic is in integers; a query takes constant time, however long the clock runs.
public struct SensorClock: Sendable {
  /// When a sample was taken: between two offsets from `base`, in 2^-20 µs.
  private struct Mark {
    /// The number of the sample.
    var number: Int64
    var base: Instant
    var earliest: Int64
    var latest: Int64
  }

  /// The period, in 2^-20 µs.
  private var shortest: Int64
  private var longest: Int64
  private let nominal: Int64
  /// The newest sample; nil before the first query.
  private var mark: Mark?
  /// Earlier samples, one to three seconds old, from which the period is derived.
  private var anchors: (old: Mark?, young: Mark?)

  /// The clock of a sensor with a nominal period of `period`, up to 16 s, and an actual one within a tenth of it.
  public init(nominal period: Microseconds) {
    nominal = max(1, min(16_000_000, period.count)) &<< 20
    shortest = nominal &- nominal / 10
    longest = nominal &+ nominal / 10
  }

  /// Forgets when samples were taken, but not their rate: the sensor was restarted.
  public mutating func restart() {
    mark = nil
    anchors = (nil, nil)
  }

  /// The number of the newest sample; nil before the first query.
  public var newest: Int64? { mark?.number }

  /// The expected number of the newest sample, by time alone, at `now`, when there were no more than that.
  private func number(at now: Instant) -> Int64? {
    guard let mark, now - mark.base < Self.longestGap, now >= mark.base else { return nil }
    let middle = (mark.earliest &+ mark.latest) / 2
    let elapsed = (now - mark.base).count &<< 20 &- middle
    return mark.number &+ elapsed / max(1, (shortest &+ longest) / 2)
  }

  /// A sensor that was silent for longer is lost to the clock.
  private static var longestGap: Microseconds { .seconds(3_600) }
}

// Input from queries.
extension SensorClock {
  /// A query that began at `before` and ended at `after` has found that `made` more samples were taken since the last
  /// one.
  ///
  /// Returns the number of samples by elapsed time: it differs from `made` if `made` cannot be true, for example after
  /// a wrong count. The clock uses the returned number.
  public mutating func saw(_ made: Int64, between before: Instant, and after: Instant) -> Int64 {
    guard made >= 0, made <= 1 &<< 16, var next = advanced(to: after) else {
      return resume(between: before, and: after)
    }
    next.number &+= made
    next.earliest &+= made &* shortest
    next.latest &+= made &* longest
    let (earliest, latest) = raw(between: before, and: after)
    let contradiction = max(next.earliest &- latest, earliest &- next.latest)
    guard contradiction < shortest / 2 else { return resume(between: before, and: after) }
    if contradiction > 0 {
      // The oscillator deviated more than assumed: accept the smallest deviation that explains it.
      if next.earliest > latest {
        (next.earliest, next.latest) = (max(earliest, latest &- longest), latest)
      } else {
        (next.earliest, next.latest) = (earliest, min(latest, earliest &+ longest))
      }
      mark = next
      doubt()
    } else {
      (next.earliest, next.latest) = (max(next.earliest, earliest), min(next.latest, latest))
      mark = next
      tellPeriod()
    }
    return made
  }

  /// A query after which it is unknown how many samples were taken since the last one: samples were lost, or may have
  /// been.
  ///
  /// Returns the number by elapsed time; 0 for a first query. Exact unless the query was so close to a sample, or so
  /// long after the last query, that two numbers are possible; the result may then be off by one, and the bounds are
  /// widened again.
  public mutating func resume(between before: Instant, and after: Instant) -> Int64 {
    let (earliest, latest) = raw(between: before, and: after)
    let former = mark?.number ?? 0
    guard var next = advanced(to: after), let number = number(at: after) else {
      mark = Mark(number: former, base: after, earliest: earliest, latest: latest)
      anchors = (nil, mark)
      return 0
    }
    let made = max(0, number &- next.number)
    next.number &+= made
    next.earliest &+= made &* shortest
    next.latest &+= made &* longest
    if next.earliest <= earliest || next.latest >= latest {
      // It is unknown on which side of a sample the query was. A query that took long gives little information.
      next.earliest = max(earliest, next.earliest &- longest)
      next.latest = min(latest, next.latest &+ longest)
      anchors = (nil, next)
    }
    mark = next
    return made
  }

  /// What a single query says about the newest sample, relative to `after`.
  private func raw(between before: Instant, and after: Instant) -> (earliest: Int64, latest: Int64) {
    let span = max(0, min(Self.longestGap.count, (after - before).count))
    return (0 &- span &<< 20 &- longest, 0)
  }

  /// The newest sample relative to `now`, allowing for a change of period; nil if there is none, or it is too old.
  private mutating func advanced(to now: Instant) -> Mark? {
    guard var next = mark, now >= next.base, now - next.base < Self.longestGap else { return nil }
    let elapsed = (now - next.base).count
    next.base = now
    next.earliest &-= elapsed &<< 20
    next.latest &-= elapsed &<< 20
    widen(by: drift(over: elapsed))
    return next
  }

  /// How much the period may have changed after this many microseconds: 2^-14 of it per second.
  private func drift(over elapsed: Int64) -> Int64 { (nominal &>> 14) / 1_000 &* (elapsed / 1_000 &+ 1) }

  private mutating func widen(by change: Int64) {
    shortest = max(nominal &- nominal / 10, shortest &- change)
    longest = min(nominal &+ nominal / 10, longest &+ change)
  }

  /// The estimate of the period is in doubt.
  private mutating func doubt() {
    widen(by: nominal &>> 9)
    anchors = (nil, mark)
  }

  /// Derives the period from the time since the anchors.
  private mutating func tellPeriod() {
    guard let mark else { return }
    tellPeriod(from: anchors.old)
    tellPeriod(from: anchors.young)
    guard let young = anchors.young, mark.base - young.base < Self.anchorSpan else {
      anchors = (anchors.young, mark)
      return
    }
  }

  private static var anchorSpan: Microseconds { .milliseconds(1_500) }

  private mutating func tellPeriod(from anchor: Mark?) {
    guard let anchor, let mark, mark.number > anchor.number else { return }
    let (count, elapsed) = (mark.number &- anchor.number, (mark.base - anchor.base).count)
    // The mean may differ from the period after the newest sample by the possible change over half the time, which a
    // query knows to a period at either end.
    let slack = drift(over: elapsed &+ nominal &>> 19) / 2
    let least = (elapsed &<< 20 &+ mark.earliest &- anchor.latest) / count &- slack &- 1
    let greatest = (elapsed &<< 20 &+ mark.latest &- anchor.earliest) / count &+ slack &+ 1
    // In order even if the oscillator changes faster than assumed.
    shortest = min(longest, max(shortest, least))
    longest = max(shortest, min(longest, greatest))
  }
}

// Results.
extension SensorClock {
  /// When sample `number` was or will be taken, rounded to a microsecond; nil before the first query.
  public func instant(of number: Int64) -> Instant? {
    guard let mark, number &- mark.number < 1 &<< 16, mark.number &- number < 1 &<< 16 else { return nil }
    let middle = (mark.earliest &+ mark.latest) / 2 &+ (number &- mark.number) &* ((shortest &+ longest) / 2)
    return mark.base + Microseconds((middle &+ 1 &<< 19) &>> 20)
  }

  /// The uncertainty of `instant(of:)` for the newest sample, rounded up; nil before the first query.
  public var uncertainty: Microseconds? { mark.flatMap { uncertainty(of: $0.number) } }

  /// The same for sample `number`.
  public func uncertainty(of number: Int64) -> Microseconds? {
    guard let mark, case let steps = (number &- mark.number).magnitude, steps < 1 &<< 16 else { return nil }
    let width = (mark.latest &- mark.earliest) / 2 &+ Int64(bitPattern: steps) &* period.uncertainty
    return Microseconds((width &+ (2 &<< 20) &- 1) &>> 20)
  }

  /// The period and its uncertainty, in 2^-20 µs.
  package var period: (middle: Int64, uncertainty: Int64) {
    ((shortest &+ longest) / 2, (longest &- shortest &+ 1) / 2)
  }

  /// How much faster than nominal the sensor's clock runs, in parts per million.
  public var partsPerMillion: Int32 { saturated((nominal &- period.middle) &* 1_000 / (period.middle / 1_000 &+ 1)) }

  /// The uncertainty of that figure.
  public var partsPerMillionUncertainty: Int32 { saturated(period.uncertainty &* 1_000 / (nominal / 1_000)) }
}

public import FixedPoint

/// The clock by which a sensor makes its samples, as far as it can be told from looking how many there are.
///
/// A sensor with a FIFO makes samples by its own oscillator, which is percents off, and says only how many wait. Each
/// look is two bounds: the newest sample was made before the look ended, and the next one not before it began. The
/// clock keeps what all looks allow, as an earliest and a latest instant of the newest sample and a shortest and a
/// longest period; what it tells is the middle, and half of what is between them is how far off that can be. A look at
/// the very middle, when ``instant(of:)`` has a sample, halves that whatever it finds.
///
/// The bounds hold as long as the period is within a tenth of the nominal one and changes by less than 61 ppm a second,
/// as a part may that is carried from a warm room into the cold. Where a look contradicts them, the bounds are wide
/// again.
///
/// All of it is integers; a look takes the same time however long it goes on.
public struct SensorClock: Sendable {
  /// When a sample was made: between two offsets from `base`, in 2^-20 µs.
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
  /// The newest sample; nil before any look.
  private var mark: Mark?
  /// Earlier ones, that the period comes from: one to three seconds ago.
  private var anchors: (old: Mark?, young: Mark?)

  /// The clock of a sensor whose samples come every `period`, up to 16 s, within a tenth of that.
  public init(nominal period: Microseconds) {
    nominal = max(1, min(16_000_000, period.count)) &<< 20
    shortest = nominal &- nominal / 10
    longest = nominal &+ nominal / 10
  }

  /// Forgets when samples were made, but not how fast they come: the sensor was started anew.
  public mutating func restart() {
    mark = nil
    anchors = (nil, nil)
  }

  /// The number of the newest sample; nil before any look.
  public var newest: Int64? { mark?.number }

  /// The number of the newest sample by now, by time alone: `now` is when there were no more than that.
  private func number(at now: Instant) -> Int64? {
    guard let mark, now - mark.base < Self.longestGap, now >= mark.base else { return nil }
    let middle = (mark.earliest &+ mark.latest) / 2
    let elapsed = (now - mark.base).count &<< 20 &- middle
    return mark.number &+ elapsed / max(1, (shortest &+ longest) / 2)
  }

  /// The clock has lost a sensor that was silent for longer.
  private static var longestGap: Microseconds { .seconds(3_600) }
}

// What a look says.
extension SensorClock {
  /// A look that began at `before` and ended at `after` has found that `made` more samples were made since the last
  /// one.
  ///
  /// Returns how many were made by time: another number where time shows that `made` cannot be true, as after a count
  /// that came wrong. That one is kept to.
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
      // The oscillator did what it was not thought to do, but no more than it must have done.
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

  /// A look after which it is not known how many samples were made since the last one: samples were lost, or may have
  /// been.
  ///
  /// Returns how many there were by time; 0 for a first look. Exact unless the look was so close to a sample, or so
  /// long after the last one, that time leaves two possibilities; then it may be one more or less, and the bounds are
  /// wide again.
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
      // On which side of a sample the look was is not known. The look itself may have been long, and says little.
      next.earliest = max(earliest, next.earliest &- longest)
      next.latest = min(latest, next.latest &+ longest)
      anchors = (nil, next)
    }
    mark = next
    return made
  }

  /// What a look says by itself of the newest sample, from `after` on.
  private func raw(between before: Instant, and after: Instant) -> (earliest: Int64, latest: Int64) {
    let span = max(0, min(Self.longestGap.count, (after - before).count))
    return (0 &- span &<< 20 &- longest, 0)
  }

  /// The newest sample as seen from `now`, after the period may have changed; nil where there is none, or it is too
  /// old.
  private mutating func advanced(to now: Instant) -> Mark? {
    guard var next = mark, now >= next.base, now - next.base < Self.longestGap else { return nil }
    let elapsed = (now - next.base).count
    next.base = now
    next.earliest &-= elapsed &<< 20
    next.latest &-= elapsed &<< 20
    widen(by: drift(over: elapsed))
    return next
  }

  /// By how much the period may have changed after so many microseconds: 2^-14 of it a second.
  private func drift(over elapsed: Int64) -> Int64 { (nominal &>> 14) / 1_000 &* (elapsed / 1_000 &+ 1) }

  private mutating func widen(by change: Int64) {
    shortest = max(nominal &- nominal / 10, shortest &- change)
    longest = min(nominal &+ nominal / 10, longest &+ change)
  }

  /// What was thought of the period is in doubt.
  private mutating func doubt() {
    widen(by: nominal &>> 9)
    anchors = (nil, mark)
  }

  /// Tells the period from the time since the anchors.
  private mutating func tellPeriod() {
    guard let mark else { return }
    tellPeriod(from: anchors.old)
    tellPeriod(from: anchors.young)
    if shortest > longest {
      (shortest, longest) = (longest, shortest)
      doubt()
    }
    guard let young = anchors.young, mark.base - young.base < Self.anchorSpan else {
      anchors = (anchors.young, mark)
      return
    }
  }

  private static var anchorSpan: Microseconds { .milliseconds(1_500) }

  private mutating func tellPeriod(from anchor: Mark?) {
    guard let anchor, let mark, mark.number > anchor.number else { return }
    let (count, elapsed) = (mark.number &- anchor.number, (mark.base - anchor.base).count)
    // The mean differs from the present period by what half of the time can change.
    let slack = drift(over: elapsed) / 2
    shortest = max(shortest, (elapsed &<< 20 &+ mark.earliest &- anchor.latest) / count &- slack &- 1)
    longest = min(longest, (elapsed &<< 20 &+ mark.latest &- anchor.earliest) / count &+ slack &+ 1)
  }
}

// What it tells.
extension SensorClock {
  /// When sample `number` was made, or will be, rounded to a microsecond; nil before any look.
  public func instant(of number: Int64) -> Instant? {
    guard let mark, number &- mark.number < 1 &<< 16, mark.number &- number < 1 &<< 16 else { return nil }
    let middle = (mark.earliest &+ mark.latest) / 2 &+ (number &- mark.number) &* ((shortest &+ longest) / 2)
    return mark.base + Microseconds((middle &+ 1 &<< 19) &>> 20)
  }

  /// How far off `instant(of:)` can be for the newest sample, rounded up; nil before any look.
  public var uncertainty: Microseconds? { mark.flatMap { uncertainty(of: $0.number) } }

  /// The same for sample `number`.
  public func uncertainty(of number: Int64) -> Microseconds? {
    guard let mark, case let steps = (number &- mark.number).magnitude, steps < 1 &<< 16 else { return nil }
    let width = (mark.latest &- mark.earliest) / 2 &+ Int64(bitPattern: steps) &* period.uncertainty
    return Microseconds((width &+ (2 &<< 20) &- 1) &>> 20)
  }

  /// The period, and how far off that can be, in 2^-20 µs.
  package var period: (middle: Int64, uncertainty: Int64) {
    ((shortest &+ longest) / 2, (longest &- shortest &+ 1) / 2)
  }

  /// How much faster than nominal the sensor's clock runs, in parts per million.
  public var partsPerMillion: Int32 { saturated((nominal &- period.middle) &* 1_000 / (period.middle / 1_000 &+ 1)) }

  /// How far off that can be.
  public var partsPerMillionUncertainty: Int32 { saturated(period.uncertainty &* 1_000 / (nominal / 1_000)) }
}

internal import FixedPoint
internal import Text

/// Converts an instant to the wall clock's time.
///
/// It keeps the difference between the two clocks while that is right to a second, so that an instant always has the
/// same time.
struct WallClock {
  private var offset: Int64?

  /// Notes that the wall clock shows `wall`, in µs since 1970, at `now`; nil if it is not set.
  mutating func take(_ now: Instant, _ wall: Int64?) {
    guard let wall else {
      offset = nil
      return
    }
    let found = wall &- now.microseconds
    if let offset, (found &- offset).magnitude <= 1_000_000 { return }
    offset = found
  }

  /// The time of `instant` as 2026-11-22T14:03:05Z; nil if unknown, or not in the years 1970 to 9999.
  func text(_ instant: Instant) -> ShortText<24>? {
    guard let offset else { return nil }
    let time = instant.microseconds &+ offset
    guard time >= 0, time < 253_402_300_800_000_000 else { return nil }
    let seconds = time / 1_000_000
    let date = Date(day: Int32(truncatingIfNeeded: seconds / 86_400))
    let second = Int32(truncatingIfNeeded: seconds % 86_400)
    var text: ShortText<24> = "\(date.year)-"
    text.append(two: date.month, before: "-")
    text.append(two: date.day, before: "T")
    text.append(two: second / 3_600, before: ":")
    text.append(two: second / 60 % 60, before: ":")
    text.append(two: second % 60, before: "Z")
    return text
  }
}

/// A day of the Gregorian calendar.
private struct Date {
  var (year, month, day): (Int32, Int32, Int32)

  /// The day that is `day` days after 1970-01-01, which must not be negative.
  ///
  /// - Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
  init(day: Int32) {
    // Counted from 0000-03-01, so that the leap day is the last of a year.
    let days = day &+ 719_468
    let era = days / 146_097
    let dayOfEra = days % 146_097
    let yearOfEra = (dayOfEra &- dayOfEra / 1_460 &+ dayOfEra / 36_524 &- dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra &- (365 &* yearOfEra &+ yearOfEra / 4 &- yearOfEra / 100)
    let fromMarch = (5 &* dayOfYear &+ 2) / 153
    self.day = dayOfYear &- (153 &* fromMarch &+ 2) / 5 &+ 1
    month = fromMarch < 10 ? fromMarch &+ 3 : fromMarch &- 9
    year = yearOfEra &+ era &* 400 &+ (month <= 2 ? 1 : 0)
  }
}

extension ShortText {
  fileprivate mutating func append(two number: Int32, before words: StaticString) {
    if number < 10 { append("0") }
    append(decimal: number)
    append(words)
  }
}

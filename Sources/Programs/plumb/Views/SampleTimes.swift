package import FixedPoint

/// The times of a recording's samples: the intervals between them, gaps, and times that run backwards or stand still.
///
/// An interval of more than two and a half times the usual one is a gap, from the sample before it to the sample after
/// it.
package struct SampleTimes {
  /// How many samples there are.
  package private(set) var samples: UInt64 = 0
  /// How many samples are earlier than the previous one, in microseconds.
  package private(set) var backwards: UInt64 = 0
  /// How many samples have the same time as the previous one, to the microsecond.
  package private(set) var repeated: UInt64 = 0

  /// The usual interval in microseconds, once known.
  private var usual: Int64?
  /// The first intervals, whose median is the usual one.
  private var first: [Int64] = []
  private var counted: (count: UInt64, total: Int64) = (0, 0)
  private var last: Instant?

  /// How many intervals determine the usual one.
  private static let shown = 1_000

  /// The times of samples that are due every `period`; nil for a recording, whose first 1000 intervals determine it.
  package init(period: Microseconds? = nil) {
    usual = period?.count
    if usual == nil { first.reserveCapacity(Self.shown) }
  }

  /// Adds a sample. Returns the time since the previous one, in microseconds; nil for the first.
  @discardableResult
  package mutating func take(_ time: Instant) -> Int64? {
    samples += 1
    guard let before = last else {
      last = time
      return nil
    }
    last = time
    let interval = (time - before).count
    if interval < 0 { backwards += 1 }
    if interval == 0 { repeated += 1 }
    guard interval > 0 else { return interval }
    if let usual {
      Self.count(interval, usual, &counted)
    } else {
      first.append(interval)
      if first.count == Self.shown {
        counted = gaps
        usual = usualInterval
        first = []
      }
    }
    return interval
  }

  /// The usual interval, in microseconds; 0 before it is known.
  package var usualInterval: Int64 { usual ?? (first.isEmpty ? 0 : first.sorted()[(first.count - 1) / 2]) }

  /// The longest interval that is not a gap, in microseconds; `Int64.max` if there is no usual interval.
  package var longestInterval: Int64 {
    let usual = usualInterval
    return usual > 0 && usual < .max / 5 ? usual * 5 / 2 : .max
  }

  /// The number of gaps, and their sum in microseconds.
  package var gaps: (count: UInt64, total: Int64) {
    guard usual == nil else { return counted }
    let usual = usualInterval
    var counted = counted
    for interval in first { Self.count(interval, usual, &counted) }
    return counted
  }

  private static func count(_ interval: Int64, _ usual: Int64, _ counted: inout (count: UInt64, total: Int64)) {
    guard isGap(interval, usual) else { return }
    counted = (counted.count + 1, counted.total + interval)
  }

  private static func isGap(_ interval: Int64, _ usual: Int64) -> Bool {
    usual > 0 && usual < .max / 5 && interval > usual * 5 / 2
  }
}

public import FixedPoint
internal import Text

/// The sample rate: any number of hertz from 1 to 1000, in steps of 1/1000 Hz.
///
/// The sensor's own rate is its output data rate, the lowest that is at least as high as this.
public struct UpdateRate: Equatable, Comparable, Sendable {
  /// The rate in 1/1000 Hz.
  public let millihertz: Int32

  /// The rate of `millihertz` / 1000 Hz; nil below 1 Hz and above 1000 Hz.
  public init?(millihertz: Int32) {
    guard millihertz >= 1_000 && millihertz <= 1_000_000 else { return nil }
    self.millihertz = millihertz
  }

  /// The rate of `millihertz` / 1000 Hz, clamped to 1 Hz…1000 Hz.
  init(bounded millihertz: Int32) { self.millihertz = max(1_000, min(1_000_000, millihertz)) }

  /// The rate nearest to one sample every `period`.
  init(period: Microseconds) {
    let count = max(1, period.count)
    self.init(bounded: saturated((1_000_000_000 &+ count / 2) / count))
  }

  /// A rate of whole hertz, clamped to 1…1000.
  static func hertz(_ hertz: Int32) -> UpdateRate {
    UpdateRate(bounded: max(1, min(1_000, hertz)) &* 1_000)
  }

  /// The time from one sample to the next, rounded to the nearest microsecond: 1000 µs to 1 s.
  public var period: Microseconds {
    let divisor = widened(millihertz)
    return Microseconds((1_000_000_000 &+ divisor / 2) / divisor)
  }

  /// Orders by rate.
  public static func < (a: UpdateRate, b: UpdateRate) -> Bool { a.millihertz < b.millihertz }

  /// The rate in `text`, in hertz with at most 3 decimals.
  init?<let size: Int>(_ text: ShortText<size>) {
    guard let millihertz = text.decimal(places: 3) else { return nil }
    self.init(millihertz: millihertz)
  }

  #if !hasFeature(Embedded)
    /// The rate in `text`, as in a board file: in hertz, with at most 3 decimals.
    public init?(_ text: String) {
      let bytes = ShortText<32>(cutting: text)
      guard !bytes.isCut else { return nil }
      self.init(bytes)
    }
  #endif
}

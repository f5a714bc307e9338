internal import FixedPoint

/// What a register of the detectors holds: a number of steps, of 62.5 mg or of some time.
struct Steps: Equatable, Sendable {
  var rawValue: UInt8

  /// `force` g in steps of 62.5 mg, rounded to nearest (ties up); nil where that is not within 1 and 255.
  init?(force: Q16) { self.init(widened(force.raw), of: 4_096, least: 1) }

  /// `time` in steps of `unit` microseconds, rounded to nearest (ties up); nil where that is not within `least` and 255.
  init?(time: Microseconds, unit: Int64, least: Int32 = 1) { self.init(time.count, of: unit, least: least) }

  private init?(_ value: Int64, of unit: Int64, least: Int32) {
    guard value >= 0 && value < unit &* 256 else { return nil }
    let steps = saturated((value &+ unit / 2) / unit)
    guard steps >= least && steps <= 255 else { return nil }
    rawValue = UInt8(truncatingIfNeeded: steps)
  }

  /// As many times 62.5 mg, in g: exact.
  var force: Q16 { Q16(raw: Int32(rawValue) &* 4_096) }

  /// As many times `unit` microseconds.
  func time(unit: Int64) -> Microseconds { Microseconds(widened(Int32(rawValue)) &* unit) }
}

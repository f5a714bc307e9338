import FixedPoint
import Publishing
import TestSupport
import Testing

/// When another client with the same id is assumed.
struct TakeOverWatchTests {
  @Test static func `three connections in a row shorter than 30 s are a take-over`() {
    var watch = TakeOverWatch()
    for (seconds, isGood, isContested) in [
      (29, false, false), (30, true, false), (1, false, false), (0, false, false), (29, false, true), (5, false, true),
      (31, true, false), (1, false, false),
    ] {
      expect(watch.lost(after: .seconds(Int64(seconds))), equals: isGood)
      expect(watch.isContested, equals: isContested)
    }
    for _ in 0..<3 { _ = watch.lost(after: .zero) }
    watch.lasts()
    expect(that: !watch.isContested)
  }
}

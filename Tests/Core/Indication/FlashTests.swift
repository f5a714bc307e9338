import FixedPoint
import HAL
import Indication
import Orientation
import TestSupport
import Testing

struct FlashTests {
  private let pose = Levels.oneHot(.landscapeLeft)

  /// What LEDs show, in steps of 10 ms, when `count` flashes begin at 0; `*` is all lit, `.` what was shown before.
  private func row(_ count: UInt8, until end: Int = 500, again: (count: UInt8, at: Int)? = nil) -> String {
    var flash = Flash()
    flash.begin(count, at: Instant(microseconds: 0))
    return (0..<end / 10).map { step in
      if let again, again.at == step * 10 { flash.begin(again.count, at: Instant(microseconds: Int64(step) * 10_000)) }
      let levels = flash.shown(over: pose, at: Instant(microseconds: Int64(step) * 10_000))
      #expect(levels == .all || levels == pose)
      return levels == .all ? "*" : "."
    }.joined()
  }

  private func flashes(_ spans: [Int], until end: Int = 500) -> String {
    var text = ""
    for (index, span) in spans.enumerated() { text += String(repeating: index % 2 == 0 ? "*" : ".", count: span / 10) }
    return text + String(repeating: ".", count: end / 10 - text.count)
  }

  @Test func `a flash lights all LEDs for 80 ms, then restores what they showed`() {
    expect(row(0), equals: flashes([]))
    expect(row(1), equals: flashes([80]))
    expect(row(2), equals: flashes([80, 80, 80]))
    expect(row(1, again: (2, at: 40)), equals: flashes([120, 80, 80]))
  }

  @Test func `it reports its next change, and skips changes that are over`() {
    var flash = Flash()
    expect(flash.nextChange, equals: nil)
    expect(flash.shown(over: pose, at: Instant(microseconds: 0)), equals: pose)
    flash.begin(2, at: Instant(microseconds: 1_000))
    for due in [81_000, 161_000, 241_000] as [Int64] {
      expect(flash.nextChange, equals: Instant(microseconds: due))
      _ = flash.shown(over: pose, at: Instant(microseconds: due))
    }
    expect(flash.nextChange, equals: nil)
    flash.begin(100, at: Instant(microseconds: 0))
    expect(flash.shown(over: pose, at: Instant(microseconds: 3_600_000_000)), equals: pose)
    expect(flash.nextChange, equals: nil)
  }
}

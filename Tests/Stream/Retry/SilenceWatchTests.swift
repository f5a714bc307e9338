import FixedPoint
import Retry
import TestSupport
import Testing

struct SilenceWatchTests {
  private static func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1_000) }
  private static func watch() -> SilenceWatch {
    SilenceWatch(patience: .seconds(2), answerTime: .seconds(3), at: at(10_000))
  }

  @Test static func `a silent end is asked once, and then lost`() {
    var watch = watch()
    expect(watch.check(at: at(10_000)), equals: .wait(until: at(12_000)))
    expect(watch.check(at: at(11_999)), equals: .wait(until: at(12_000)))
    expect(watch.check(at: at(12_000)), equals: .ask(until: at(15_000)))
    expect(watch.check(at: at(12_001)), equals: .wait(until: at(15_000)))
    expect(watch.check(at: at(14_999)), equals: .wait(until: at(15_000)))
    expect(watch.check(at: at(15_000)), equals: .lost)
  }

  @Test(arguments: [10_500, 12_500, 14_999, 16_000])
  static func `anything that comes restarts the silence`(heard: Int64) {
    var watch = watch()
    for now in stride(from: 10_000, through: heard, by: 250) { _ = watch.check(at: at(now)) }
    watch.hear(at: at(heard))
    expect(watch.heard, equals: at(heard))
    expect(watch.check(at: at(heard + 1_999)), equals: .wait(until: at(heard + 2_000)))
    expect(watch.check(at: at(heard + 2_000)), equals: .ask(until: at(heard + 5_000)))
  }

  @Test static func `a program that was stopped asks first, however long ago it last heard from the other end`() {
    var watch = watch()
    expect(watch.check(at: at(3_600_000)), equals: .ask(until: at(3_603_000)))
    expect(watch.check(at: at(3_602_999)), equals: .wait(until: at(3_603_000)))
    expect(watch.check(at: at(3_603_000)), equals: .lost)
  }
}

import FixedPoint
import HAL
import Indication
import Orientation
import TestSupport
import Testing

struct BlinkTests {
  /// A reason that blinks, and half its period in milliseconds.
  static let beats: [(reason: UnknownReason, half: Int64)] = [(.stale, 500), (.fault, 125)]

  @Test(arguments: beats)
  static func `stale data or a fault blinks all lines in step, beginning lit`(
    _ beat: (reason: UnknownReason, half: Int64)
  ) {
    let panel = Panel()
    let start: Int64 = 12_345
    for elapsed in Int64(0)..<5_000 {
      let isDifferent = panel.show(.unknown(beat.reason), at: start + elapsed)
      let isOn = elapsed / beat.half % 2 == 0
      expect(panel.levels.bits, equals: isOn ? 0b11_1111 : 0)
      expect(isDifferent, equals: elapsed % beat.half == 0)
      expect(panel.nextChange, equals: at(start + (elapsed / beat.half + 1) * beat.half))
    }
  }

  @Test(arguments: beats)
  static func `an indicator asked only when a change is due keeps the same beat`(
    _ beat: (reason: UnknownReason, half: Int64)
  ) {
    let panel = Panel()
    _ = panel.show(.unknown(beat.reason), at: 0)
    for count in Int64(1)...100 {
      expect(panel.nextChange, equals: at(count * beat.half))
      expect(that: panel.show(.unknown(beat.reason), at: count * beat.half))
      expect(panel.levels, equals: count % 2 == 0 ? .all : .off)
    }
  }

  @Test(arguments: beats)
  static func `a slightly late change does not shift the beat`(_ beat: (reason: UnknownReason, half: Int64)) {
    let panel = Panel()
    _ = panel.show(.unknown(beat.reason), at: 0)
    for late in [0, 1, beat.half / 2, beat.half - 1] {
      let copy = Panel(panel)
      expect(that: copy.show(.unknown(beat.reason), at: beat.half + late))
      expect(copy.levels, equals: .off)
      expect(copy.nextChange, equals: at(2 * beat.half))
    }
  }

  @Test(arguments: beats)
  static func `after a long wait the beat restarts, with one change and a whole half period`(
    _ beat: (reason: UnknownReason, half: Int64)
  ) {
    let panel = Panel()
    _ = panel.show(.unknown(beat.reason), at: 0)
    for wait in [2 * beat.half, 2 * beat.half + 1, 3 * beat.half, 100 * beat.half + 7] {
      let copy = Panel(panel)
      expect(that: copy.show(.unknown(beat.reason), at: wait))
      expect(copy.levels, equals: .off)
      expect(copy.nextChange, equals: at(wait + beat.half))
      expect(that: !copy.show(.unknown(beat.reason), at: wait + beat.half - 1))
    }
  }

  @Test(arguments: [(.stale, .fault, 125), (.fault, .stale, 500)] as [(UnknownReason, UnknownReason, Int64)])
  static func `another reason restarts the beat with its own period`(
    _ first: UnknownReason, _ second: UnknownReason, _ half: Int64
  ) {
    for change: Int64 in [1, 124, 125, 126, 499, 500, 501, 625] {
      let panel = Panel()
      for now in 0..<change { _ = panel.show(.unknown(first), at: now) }
      _ = panel.show(.unknown(second), at: change)
      expect(panel.levels, equals: .all)
      expect(panel.nextChange, equals: at(change + half))
    }
  }

  @Test(arguments: beats)
  static func `a reason that returns after a pose begins with lit lines`(_ beat: (reason: UnknownReason, half: Int64)) {
    let panel = Panel()
    _ = panel.show(.unknown(beat.reason), at: 0)
    _ = panel.show(.unknown(beat.reason), at: beat.half)
    expect(that: panel.show(.known(.faceUp), at: beat.half + 1))
    expect(panel.nextChange, equals: nil)
    expect(that: panel.show(.unknown(beat.reason), at: beat.half + 2))
    expect(panel.levels, equals: .all)
    expect(panel.nextChange, equals: at(2 * beat.half + 2))
  }

  @Test(arguments: beats)
  static func `the periods come from the configuration`(_ beat: (reason: UnknownReason, half: Int64)) {
    let configuration = Indicator.Configuration(slowHalfPeriod: .milliseconds(70), fastHalfPeriod: .milliseconds(30))
    let half: Int64 = beat.reason == .stale ? 70 : 30
    let panel = Panel()
    expect(that: panel.show(.unknown(beat.reason), at: 0, configuration))
    expect(panel.nextChange, equals: at(half))
    expect(that: panel.show(.unknown(beat.reason), at: half, configuration))
    expect(panel.nextChange, equals: at(2 * half))
  }

  @Test(arguments: beats)
  static func `a half period of zero or less means lit without blinking`(_ beat: (reason: UnknownReason, half: Int64)) {
    for half: Int64 in [0, -1, Int64.min] {
      let configuration = Indicator.Configuration(
        slowHalfPeriod: Microseconds(half), fastHalfPeriod: Microseconds(half))
      let panel = Panel()
      for now in Int64(0)..<2_000 {
        expect(panel.show(.unknown(beat.reason), at: now, configuration), equals: now == 0)
        expect(panel.levels, equals: .all)
        expect(panel.nextChange, equals: nil)
      }
    }
  }
}

import FixedPoint
import HAL
import Indication
import Orientation
import TestSupport
import Testing

struct IndicatorTests {
  /// Line and pose, as the wiring of every board relies on them.
  static let lines: [(line: Int, pose: Pose)] = [
    (0, .portrait), (1, .portraitUpsideDown), (2, .landscapeLeft), (3, .landscapeRight), (4, .faceUp), (5, .faceDown),
  ]
  static let oneHots: Set<UInt32> = [0b00_0001, 0b00_0010, 0b00_0100, 0b00_1000, 0b01_0000, 0b10_0000]

  @Test(arguments: lines)
  static func `a pose lights its own line and no other, and nothing blinks`(_ row: (line: Int, pose: Pose)) {
    let panel = Panel()
    expect(that: panel.show(.known(row.pose), at: 0))
    expect(panel.levels.bits, equals: 1 << UInt32(row.line))
    expect((-5..<40).filter { panel.levels.isOn($0) }, equals: [row.line])
    expect(panel.nextChange, equals: nil)
  }

  @Test static func `before the first sample all lines are off`() {
    for row in IndicatorTests.lines {
      let panel = Panel()
      _ = panel.show(.known(row.pose), at: 0)
      expect(that: panel.show(.unknown(.notYetSampled), at: 1))
      expect(panel.levels, equals: .off)
      expect(panel.nextChange, equals: nil)
    }
  }

  @Test static func `a new indicator is off and has no change due`() {
    expect(Indicator().levels, equals: .off)
    expect(Indicator().nextChange, equals: nil)
  }

  @Test static func `the same state again changes nothing`() {
    for row in IndicatorTests.lines {
      let panel = Panel()
      _ = panel.show(.known(row.pose), at: 0)
      expect(that: !panel.show(.known(row.pose), at: 10_000))
      expect(panel.levels, equals: .oneHot(row.pose))
      expect(panel.nextChange, equals: nil)
    }
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  static func `an unknown pose never looks like a pose, and show returns whether levels differ`(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let panel = Panel()
    var now: Int64 = 0
    for _ in 0..<20_000 {
      now += Int64.random(in: 0...300, using: &random) * (Bool.random(using: &random) ? 1 : 3)
      let state = IndicatorTests.states.randomElement(using: &random) ?? .unknown(.fault)
      for _ in 0...Int.random(in: 0...3, using: &random) {
        now += Int64.random(in: 0...200, using: &random)
        guard IndicatorTests.holds(for: panel, showing: state, at: now) else {
          Issue.record("\(state) at \(now) ms: \(panel.levels), next \(String(describing: panel.nextChange))")
          return
        }
      }
    }
  }

  /// Every pose and every reason.
  static let states: [PoseState] =
    lines.map { .known($0.pose) }
    + [.notYetSampled, .ambiguous, .accelerating, .freeFall, .stale, .fault].map { .unknown($0) }

  /// Shows `state` and returns whether all invariants hold.
  static func holds(for panel: Panel, showing state: PoseState, at now: Int64) -> Bool {
    let before = panel.levels
    let isDifferent = panel.show(state, at: now)
    guard isDifferent == (panel.levels != before) else { return false }
    switch state {
    case .known(let pose):
      let line = lines.first { $0.pose == pose }?.line ?? 32
      return panel.levels.bits == 1 << UInt32(line) && panel.nextChange == nil
    case .unknown(.notYetSampled):
      return panel.levels == .off && panel.nextChange == nil
    case .unknown:
      guard let next = panel.nextChange else { return false }
      return [0, 0b11_1111].contains(panel.levels.bits) && next > at(now)
    }
  }
}

struct LevelsTests {
  @Test static func `a line is on where its bit is set, and nowhere beyond the 32 bits`() {
    var random = SplitMix64(seed: 32)
    for _ in 0..<1_000 {
      let bits = UInt32(truncatingIfNeeded: random.next())
      for line in 0..<32 { expect(Levels(bits: bits).isOn(line), equals: bits >> UInt32(line) & 1 == 1) }
    }
    for line in [-1, -32, Int.min, 32, 33, 64, Int.max] { expect(that: !Levels(bits: UInt32.max).isOn(line)) }
  }

  @Test static func `off has no line on, and all has six`() {
    expect((0..<32).filter { Levels.off.isOn($0) }, equals: [])
    expect((0..<32).filter { Levels.all.isOn($0) }, equals: [0, 1, 2, 3, 4, 5])
  }

  @Test static func `the poses have six different lines, which together are all`() {
    let poses = (0..<UInt8(Pose.count)).compactMap { Pose(rawValue: $0) }
    let bits = poses.map { Levels.oneHot($0).bits }
    expect(Set(bits), equals: IndicatorTests.oneHots)
    expect(bits.reduce(0, |), equals: Levels.all.bits)
  }
}

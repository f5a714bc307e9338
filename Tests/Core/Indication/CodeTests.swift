import FixedPoint
import HAL
import Indication
import Orientation
import TestSupport
import Testing

/// Coded lines: what another controller reads.
struct CodeTests {
  /// The lines of each pose, spelt out: bit 0 is the valid line.
  struct Row: Sendable {
    var pose: Pose
    var oneHot: UInt32
    var binary: UInt32

    func bits(_ code: LineCode) -> UInt32 { code == .oneHot ? oneHot : binary }
  }

  static let rows = [
    Row(pose: .portrait, oneHot: 0b000_0011, binary: 0b0001),
    Row(pose: .portraitUpsideDown, oneHot: 0b000_0101, binary: 0b0011),
    Row(pose: .landscapeLeft, oneHot: 0b000_1001, binary: 0b0101),
    Row(pose: .landscapeRight, oneHot: 0b001_0001, binary: 0b0111),
    Row(pose: .faceUp, oneHot: 0b010_0001, binary: 0b1001),
    Row(pose: .faceDown, oneHot: 0b100_0001, binary: 0b1011),
  ]
  static let codes: [LineCode] = [.oneHot, .binary]

  @Test static func `each line has the name of its key in a board file`() {
    let poses = Self.rows.map { "\($0.pose.name)" }
    for (code, names) in [
      (.leds, poses), (.oneHot, ["valid"] + poses), (.binary, ["valid", "bit0", "bit1", "bit2"]),
    ] as [(LineCode, [String])] {
      expect((0..<code.lineCount).map { "\(code.name(ofLine: $0))" }, equals: names)
    }
  }

  static let reasons: [UnknownReason] = [.notYetSampled, .ambiguous, .accelerating, .freeFall, .stale, .fault]

  static func configuration(_ code: LineCode, hold: Int64 = 5) -> Indicator.Configuration {
    Indicator.Configuration(code: code, hold: .milliseconds(hold))
  }

  @Test(arguments: codes)
  static func `every pose has the levels of the table, and no two are the same`(_ code: LineCode) {
    for row in Self.rows { expect(code.levels(of: row.pose).bits, equals: row.bits(code), "\(row.pose)") }
    expect(Set(Self.rows.map { $0.bits(code) }).count, equals: 6)
  }

  @Test static func `each code has its name, its count of lines and perhaps a valid line`() {
    let table: [(LineCode, String, Int, UInt32, UInt32)] = [
      (.leds, "leds", 6, 0, 0b11_1111), (.oneHot, "one-hot", 7, 1, 0b111_1110), (.binary, "binary", 4, 1, 0b1110),
    ]
    expect(table.count, equals: LineCode.count)
    for (code, name, count, valid, data) in table {
      expect(code.name.description, equals: name)
      expect(code.lineCount, equals: count)
      expect(code.valid.bits, equals: valid)
      expect(code.data.bits, equals: data)
    }
    for row in Self.rows { expect(LineCode.leds.levels(of: row.pose), equals: .oneHot(row.pose)) }
  }

  @Test(arguments: codes)
  static func `from all off, a pose takes two changes, with the valid line last`(_ code: LineCode) {
    for row in Self.rows {
      let panel = Panel()
      let data = row.bits(code) & ~1
      expect(panel.show(.known(row.pose), at: 100, Self.configuration(code)), equals: data != 0)
      expect(panel.levels.bits, equals: data)
      expect(panel.nextChange, equals: at(105))
      expect(that: !panel.show(.known(row.pose), at: 104, Self.configuration(code)))
      expect(that: panel.show(.known(row.pose), at: 105, Self.configuration(code)))
      expect(panel.levels.bits, equals: row.bits(code))
      expect(panel.nextChange, equals: nil)
    }
  }

  @Test(arguments: codes)
  static func `between poses the valid line goes off, the others change, and it comes on again`(_ code: LineCode) {
    for old in Self.rows {
      for new in Self.rows where new.pose != old.pose {
        let panel = Self.panel(showing: old.pose, code)
        let steps: [(Int64, UInt32, Int64?)] = [
          (200, old.bits(code) & ~1, 205), (205, new.bits(code) & ~1, 210), (210, new.bits(code), nil),
        ]
        for (time, bits, next) in steps {
          expect(panel.show(.known(new.pose), at: time, Self.configuration(code)), equals: panel.levels.bits == bits)
          expect(panel.levels.bits, equals: bits, "\(old.pose) to \(new.pose)")
          expect(panel.nextChange, equals: next.map(at))
        }
      }
    }
  }

  @Test(arguments: codes)
  static func `for every unknown reason the valid line goes off first, then all lines, for good`(_ code: LineCode) {
    for row in Self.rows {
      for reason in Self.reasons {
        for hasGivenUp in [false, true] {
          let panel = Self.panel(showing: row.pose, code)
          func show(_ time: Int64) -> Bool {
            panel.show(.unknown(reason), hasGivenUp: hasGivenUp, at: time, Self.configuration(code))
          }
          expect(that: show(200))
          expect(panel.levels.bits, equals: row.bits(code) & ~1)
          expect(panel.nextChange, equals: at(205))
          expect(show(205), equals: row.bits(code) != 1)
          expect(panel.levels, equals: .off)
          expect(panel.nextChange, equals: nil)
          // Nothing ever blinks.
          for time in Int64(206)..<4_000 {
            expect(that: !show(time))
            expect(panel.levels, equals: .off)
            expect(panel.nextChange, equals: nil)
          }
        }
      }
    }
  }

  @Test(arguments: codes)
  static func `every reason differs from every pose, and a fault is not silent`(_ code: LineCode) {
    for row in Self.rows { expect(row.bits(code) & 1, equals: 1) }
    let panel = Panel()
    for reason in Self.reasons {
      expect(that: !panel.show(.unknown(reason), at: 0, Self.configuration(code)))
      expect(panel.levels, equals: .off)
    }
  }

  @Test(arguments: codes)
  static func `a pose that returns while the valid line is off waits out both pauses`(_ code: LineCode) {
    for row in Self.rows {
      let panel = Self.panel(showing: row.pose, code)
      _ = panel.show(.unknown(.ambiguous), at: 200, Self.configuration(code))
      expect(that: !panel.show(.known(row.pose), at: 201, Self.configuration(code)))
      expect(that: !panel.show(.known(row.pose), at: 205, Self.configuration(code)))
      expect(panel.levels.bits, equals: row.bits(code) & ~1)
      expect(panel.nextChange, equals: at(210))
      expect(that: !panel.show(.known(row.pose), at: 209, Self.configuration(code)))
      expect(that: panel.show(.known(row.pose), at: 210, Self.configuration(code)))
      expect(panel.levels.bits, equals: row.bits(code))
    }
  }

  @Test(arguments: codes, [0, -3] as [Int64])
  static func `without a pause the steps follow at once, but are still separate`(_ code: LineCode, _ hold: Int64) {
    let panel = Panel()
    let configuration = Self.configuration(code, hold: hold)
    _ = panel.show(.known(.landscapeLeft), at: 100, configuration)
    expect(panel.levels.bits & 1, equals: 0)
    expect(panel.nextChange, equals: at(100))
    expect(that: panel.show(.known(.landscapeLeft), at: 100, configuration))
    expect(panel.levels, equals: code.levels(of: .landscapeLeft))
    expect(panel.nextChange, equals: nil)
  }

  /// A panel on which `pose` has been shown at 100 ms.
  static func panel(showing pose: Pose, _ code: LineCode) -> Panel {
    let panel = Panel()
    for time in Int64(95)...105 { _ = panel.show(.known(pose), at: time, Self.configuration(code)) }
    return panel
  }
}

/// A reader of coded lines, on a model of the wires: the lines of one request change one after another in any order,
/// with any delay before the first and between two of them.
struct CodeReaderTests {
  /// The levels of the wires, each valid from an instant (µs) on.
  struct Wires {
    private(set) var changes: [(time: Int64, bits: UInt32)] = [(Int64.min, 0)]
    /// When the loop decided on other levels, and those levels.
    var states: [(time: Int64, bits: UInt32)] = []

    var last: Int64 { changes[changes.count - 1].time }
    var bits: UInt32 { changes[changes.count - 1].bits }

    mutating func add(_ time: Int64, _ bits: UInt32) { changes.append((time, bits)) }

    /// The levels of all lines at `time`.
    func bits(at time: Int64) -> UInt32 {
      // The changes are in order: a binary search for the last one up to `time`.
      var (low, high) = (0, changes.count)
      while low < high {
        let middle = (low + high) / 2
        if changes[middle].time <= time { low = middle + 1 } else { high = middle }
      }
      return low == 0 ? 0 : changes[low - 1].bits
    }

    /// The level of `line` at `time`.
    func isOn(_ line: Int, at time: Int64) -> Bool { bits(at: time) >> UInt32(line) & 1 == 1 }
  }

  /// Shows random poses and reasons for a while, as the loop does: each step at its time or later, and each request
  /// complete before the next step.
  static func wires(_ code: LineCode, _ seed: UInt64) -> Wires {
    var random = SplitMix64(seed: seed)
    var wires = Wires()
    var indicator = Indicator()
    let configuration = Indicator.Configuration(code: code)
    var now: Int64 = 0
    var state = PoseState.unknown(.notYetSampled)
    for _ in 0..<3_000 {
      if Int.random(in: 0..<4, using: &random) == 0 {
        state = IndicatorTests.states.randomElement(using: &random) ?? state
      }
      let target = state.pose.map { code.levels(of: $0).bits } ?? 0
      if wires.states.last?.bits != target { wires.states.append((now, target)) }
      if indicator.show(state, at: Instant(microseconds: now), configuration) {
        // Rarely, the request is very late or is interrupted halfway.
        now += delay(&random)
        for line in (0..<code.lineCount).shuffled(using: &random) {
          let mask: UInt32 = 1 << UInt32(line)
          guard (wires.bits ^ indicator.levels.bits) & mask != 0 else { continue }
          wires.add(now, wires.bits ^ mask)
          now += delay(&random)
        }
      }
      let next = indicator.nextChange.map { $0 - Instant(microseconds: 0) }?.count ?? .max
      now = max(now, min(next, now + Int64.random(in: 0...12_000, using: &random)))
    }
    return wires
  }

  private static func delay(_ random: inout SplitMix64) -> Int64 {
    Int.random(in: 0..<8, using: &random) == 0
      ? Int64.random(in: 0...30_000, using: &random) : Int64.random(in: 0...3, using: &random)
  }

  @Test(arguments: CodeTests.codes, 1...8 as ClosedRange<UInt64>)
  static func `no mixture of two codes is ever valid`(_ code: LineCode, _ seed: UInt64) {
    let wires = Self.wires(code, seed)
    let poses = Set(CodeTests.rows.map { $0.bits(code) })
    expect(wires.changes.count, isAbove: 500)
    expect(all: wires.changes) { $0.bits & 1 == 0 || poses.contains($0.bits) }
  }

  @Test(arguments: CodeTests.codes, 1...8 as ClosedRange<UInt64>)
  static func `between two valid codes the valid line is off for at least 5 ms`(_ code: LineCode, _ seed: UInt64) {
    let changes = Self.wires(code, seed).changes
    for (index, change) in changes.enumerated() where index > 0 && change.bits & 1 == 1 {
      guard let off = changes[..<index].lastIndex(where: { $0.bits & 1 == 1 }) else { continue }
      expect(change.time - changes[off + 1].time, isAtLeast: 5_000)
    }
  }

  /// The rule of docs/coded-pins.md: read valid, the others, and valid again within 4 ms; each line at another
  /// instant.
  @Test(arguments: CodeTests.codes, 1...8 as ClosedRange<UInt64>)
  static func `a reader that follows the rule gets a code that was shown while it read`(
    _ code: LineCode, _ seed: UInt64
  ) {
    let wires = Self.wires(code, seed)
    var random = SplitMix64(seed: seed + 100)
    var count = 0
    for _ in 0..<20_000 {
      let begin = Int64.random(in: 0...wires.last, using: &random)
      let span = Int64.random(in: 0...4_000, using: &random)
      guard wires.isOn(0, at: begin), wires.isOn(0, at: begin + span) else { continue }
      var read: UInt32 = 1
      for line in 1..<code.lineCount
      where wires.isOn(line, at: begin + Int64.random(in: 0...span, using: &random)) {
        read |= 1 << UInt32(line)
      }
      count += 1
      let shown = wires.bits(at: begin)
      guard read == shown else {
        Issue.record("read \(read) at \(begin) within \(span) µs, where \(shown) was shown")
        return
      }
    }
    expect(count, isAbove: 1_000)
  }
}

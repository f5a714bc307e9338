import FixedPoint
import HAL
import Indication
import Orientation
import TestSupport
import Testing

/// What distinguishes the unknown reasons from each other.
struct PatternTests {
  /// A reason, and for how many milliseconds all lines are alternately lit and off, over and over.
  struct Row {
    var reason: UnknownReason
    var hasGivenUp = false
    var spans: [Int64]
  }

  static let blinking: [Row] = [
    Row(reason: .ambiguous, spans: [200, 1_000]),
    Row(reason: .accelerating, spans: [200, 200, 200, 1_000]),
    Row(reason: .freeFall, spans: [200, 200, 200, 200, 200, 1_000]),
    Row(reason: .stale, spans: [500, 500]),
    Row(reason: .fault, spans: [125, 125]),
  ]
  static let steady: [Row] = [
    Row(reason: .notYetSampled, spans: [0, 1]), Row(reason: .fault, hasGivenUp: true, spans: [1]),
  ]

  /// Whether all lines are lit `time` after the pattern begins.
  static func isLit(_ row: Row, _ time: Int64) -> Bool {
    var rest = time % row.spans.reduce(0, +)
    for (index, span) in row.spans.enumerated() {
      guard rest >= span else { return index.isMultiple(of: 2) }
      rest -= span
    }
    return false
  }

  @Test(arguments: blinking + steady)
  static func `every reason has the pattern of the table, with all lines alike`(_ row: Row) {
    let panel = Panel()
    _ = panel.show(.known(.faceDown), at: 999)
    for time in Int64(0)..<10_000 {
      let before = panel.levels
      let isDifferent = panel.show(.unknown(row.reason), hasGivenUp: row.hasGivenUp, at: 1_000 + time)
      expect(isDifferent, equals: panel.levels != before)
      expect(panel.levels.bits, equals: (Self.isLit(row, time) ? 0b11_1111 : 0), "\(row.reason) after \(time) ms")
    }
  }

  @Test(arguments: blinking)
  static func `asked only when a change is due, the pattern is the same and never ends`(_ row: Row) {
    let panel = Panel()
    _ = panel.show(.unknown(row.reason), at: 0)
    var time: Int64 = 0
    for count in 0..<1_000 {
      time += row.spans[count % row.spans.count]
      expect(panel.nextChange, equals: at(time))
      expect(that: panel.show(.unknown(row.reason), at: time))
      expect(panel.levels, equals: count.isMultiple(of: 2) ? .off : .all)
    }
  }

  @Test static func `no two reasons look alike over any three seconds, wherever they begin`() {
    let rows = Self.blinking + Self.steady
    // When each is lit or goes off, before the last of the times below.
    let changes = rows.map { row in
      (1..<5_000 as Range<Int64>).filter { Self.isLit(row, $0) != Self.isLit(row, $0 - 1) }
    }
    // Runs of lit and off, in milliseconds; those cut off at either end do not count.
    func runs(_ index: Int, from start: Int64) -> Set<[Int64]> {
      var runs: Set<[Int64]> = []
      var begin: Int64?
      var isLit = Self.isLit(rows[index], start)
      for time in changes[index] where time > start && time < start + 3_000 {
        if let begin { runs.insert([isLit ? 1 : 0, time - begin]) }
        (begin, isLit) = (time, !isLit)
      }
      return begin == nil ? [[isLit ? 1 : 0, 3_000]] : runs
    }
    let first = rows.indices.map { runs($0, from: 0) }
    for start in stride(from: Int64(0), to: 2_000, by: 25) {
      for (index, a) in rows.enumerated() {
        let later = runs(index, from: start)
        for other in (index + 1)..<rows.count where !(isCounted(a) && isCounted(rows[other])) {
          expect(later, isNot: first[other], "\(a.reason) and \(rows[other].reason)")
        }
      }
    }
    // The counted patterns differ in the number of flashes between two pauses.
    expect(Self.blinking.filter(isCounted).map(\.spans.count), equals: [2, 4, 6])
  }

  private static func isCounted(_ row: Row) -> Bool { row.spans.last == 1_000 }

  @Test(arguments: [.ambiguous, .accelerating, .freeFall] as [UnknownReason])
  static func `with a flash length of zero or less nothing is counted out, and all lines are off`(
    _ reason: UnknownReason
  ) {
    for length: Int64 in [0, -1, Int64.min] {
      let configuration = Indicator.Configuration(flash: Microseconds(length))
      let panel = Panel()
      _ = panel.show(.known(.portrait), at: 0, configuration)
      expect(that: panel.show(.unknown(reason), at: 1, configuration))
      expect(panel.levels, equals: .off)
      expect(panel.nextChange, equals: nil)
    }
  }

  @Test static func `a pause shorter than a flash is as long as one`() {
    let configuration = Indicator.Configuration(flash: .milliseconds(70), pause: .milliseconds(-5))
    let panel = Panel()
    for time in Int64(0)..<1_000 {
      _ = panel.show(.unknown(.freeFall), at: time, configuration)
      expect(panel.levels, equals: time / 70 % 2 == 0 ? .all : .off)
    }
  }

  @Test(arguments: [.notYetSampled, .ambiguous, .accelerating, .freeFall, .stale, .fault] as [UnknownReason])
  static func `after giving up, every reason is lit without a beat, and a known pose is still shown`(
    _ reason: UnknownReason
  ) {
    for before in IndicatorTests.states {
      let panel = Panel()
      for now in Int64(0)..<400 { _ = panel.show(before, at: now) }
      _ = panel.show(.unknown(reason), hasGivenUp: true, at: 400)
      expect(panel.levels, equals: .all)
      expect(panel.nextChange, equals: nil)
      _ = panel.show(.known(.faceUp), hasGivenUp: true, at: 401)
      expect(panel.levels, equals: .oneHot(.faceUp))
    }
  }

  @Test(arguments: blinking)
  static func `another reason begins its own pattern, lit`(_ row: Row) {
    for other in Self.blinking where other.reason != row.reason {
      for change: Int64 in [1, 130, 199, 200, 450, 1_150] {
        let panel = Panel()
        for now in 0..<change { _ = panel.show(.unknown(other.reason), at: now) }
        for time in Int64(0)..<3_000 {
          _ = panel.show(.unknown(row.reason), at: change + time)
          expect(panel.levels, equals: (Self.isLit(row, time) ? .all : .off))
        }
      }
    }
  }
}

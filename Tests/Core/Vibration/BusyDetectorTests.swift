import FixedPoint
import TestSupport
import Testing
import Vibration

struct BusyDetectorTests {
  /// Reports of one second each, and the resulting changes.
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    /// Root mean squares in g; nil is a second without a report.
    var seconds: [Double?]
    /// By the second whose report causes the change: whether it is busy, and since which second.
    var changes: [Int: (isBusy: Bool, since: Int)]
    var testDescription: String { name }
  }

  private static func times(_ count: Int, _ value: Double?) -> [Double?] { Array(repeating: value, count: count) }

  // Busy at 0.1 g for 5 s, quiet below 0.05 g for 10 s.
  static let cases = [
    Case(
      name: "busy after its time, and quiet after its", seconds: times(8, 0.2) + times(12, 0.01),
      changes: [4: (true, 0), 17: (false, 8)]),
    Case(name: "a second too short", seconds: times(4, 0.2) + [0.01] + times(4, 0.2), changes: [:]),
    Case(
      name: "at the threshold is busy, just below is not", seconds: times(5, 0.0999) + times(5, 0.1),
      changes: [9: (true, 5)]),
    Case(name: "between the thresholds nothing begins", seconds: times(50, 0.07), changes: [:]),
    Case(
      name: "between the thresholds nothing ends", seconds: times(5, 0.2) + times(50, 0.07), changes: [4: (true, 0)]),
    Case(
      name: "a burst begins the quiet time anew", seconds: times(5, 0.2) + times(9, 0.01) + [0.07] + times(10, 0.01),
      changes: [4: (true, 0), 24: (false, 15)]),
    Case(
      name: "busy again", seconds: times(5, 0.2) + times(10, 0) + times(5, 3) + times(10, 0),
      changes: [4: (true, 0), 14: (false, 5), 19: (true, 15), 29: (false, 20)]),
    Case(
      name: "a pause of two seconds does not matter, a longer one does",
      seconds: times(3, 0.2) + times(2, nil) + [0.2] + times(3, nil) + times(4, 0.2) + [0.2],
      changes: [5: (true, 0)]),
    Case(
      name: "after a longer pause the time begins anew", seconds: times(3, 0.2) + times(3, nil) + times(5, 0.2),
      changes: [10: (true, 6)]),
    Case(name: "quiet from the start is nothing new", seconds: times(100, 0), changes: [:]),
  ]

  @Test(arguments: cases)
  static func `busy and quiet follow each other after their times`(row: Case) throws {
    var detector = BusyDetector(
      try BusyDetector.Configuration(
        busyThreshold: Q16(1, over: 10), busyTime: .seconds(5), quietThreshold: Q16(1, over: 20),
        quietTime: .seconds(10)))
    var found: [Int: (isBusy: Bool, since: Int)] = [:]
    for (index, rms) in row.seconds.enumerated() {
      guard let rms else { continue }
      let start = Instant(microseconds: Int64(index) * 1_000_000)
      switch detector.step(rms: Signal.q16(rms), from: start, to: start + .seconds(1)) {
      case .busy(let since): found[index] = (true, Int(since.microseconds / 1_000_000))
      case .quiet(let since): found[index] = (false, Int(since.microseconds / 1_000_000))
      case nil: break
      }
    }
    expect(found.count, equals: row.changes.count)
    for (second, change) in row.changes {
      #expect(found[second]?.isBusy == change.isBusy && found[second]?.since == change.since, "second \(second)")
    }
    expect(detector.isBusy, equals: row.changes.max { $0.key < $1.key }?.value.isBusy ?? false)
  }

  @Test static func `a clock that runs backwards restarts the times`() throws {
    var detector = BusyDetector(try BusyDetector.Configuration(busyTime: .seconds(3)))
    for start in [0, 1_000_000, 500_000, 1_500_000] as [Int64] {
      let change = detector.step(
        rms: .one, from: Instant(microseconds: start), to: Instant(microseconds: start + 1_000_000))
      expect(change, equals: nil)
    }
    let last = detector.step(
      rms: .one, from: Instant(microseconds: 2_500_000), to: Instant(microseconds: 3_500_000))
    expect(last, equals: .busy(since: Instant(microseconds: 500_000)))
  }

  @Test static func `without times one report is enough, and the default is the documented one`() throws {
    var detector = BusyDetector(try BusyDetector.Configuration(busyTime: .zero, quietTime: .zero))
    let (start, end) = (Instant(microseconds: 0), Instant(microseconds: 1_000_000))
    expect(detector.step(rms: .one, from: start, to: end), equals: .busy(since: start))
    expect(detector.step(rms: .zero, from: end, to: end + .seconds(1)), equals: .quiet(since: end))
    let standard = BusyDetector.Configuration.standard
    try expect(standard, equals: BusyDetector.Configuration())
    expect(standard.busyThreshold, equals: Q16(5, over: 100))
    expect(standard.quietThreshold, equals: Q16(raw: 1_965))
    expect(standard.busyTime, equals: .seconds(10))
    expect(standard.quietTime, equals: .seconds(120))
  }

  @Test static func `thresholds and times out of range are rejected`() {
    for (busy, quiet) in [(0, 0), (17, 1), (1, 0), (1, 2), (-1, -2)] as [(Int32, Int32)] {
      expect(throws: VibrationError.threshold) {
        _ = try BusyDetector.Configuration(busyThreshold: Q16(whole: busy), quietThreshold: Q16(whole: quiet))
      }
    }
    for time in [Microseconds(-1), .seconds(86_401)] {
      expect(throws: VibrationError.time) { _ = try BusyDetector.Configuration(busyTime: time) }
      expect(throws: VibrationError.time) { _ = try BusyDetector.Configuration(quietTime: time) }
    }
  }
}

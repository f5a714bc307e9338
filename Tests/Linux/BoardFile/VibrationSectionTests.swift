import BoardFile
import FixedPoint
import Sensors
import TestSupport
import Testing
import Vibration

/// `[vibration]`: the watch for vibration.
struct VibrationSectionTests {
  /// The standard board, at 200 Hz, with `words` in the section, which begins in line 19.
  private static func board(_ words: String..., rate: String = "200") -> String {
    BoardFileText.replacing(6, with: "rate = " + rate) + "[vibration]\n" + words.map { $0 + "\n" }.joined()
  }

  @Test static func `without the section there is no watch, and an empty one has the defaults`() throws {
    for lines in BoardFileText.boards.values {
      try expect(outcome(BoardFileText.text(lines)).get().vibration, equals: nil)
    }
    let vibration = try require(outcome(Self.board()).get().vibration)
    expect(vibration, equals: VibrationConfiguration())
    expect(vibration.busy, equals: .standard)
  }

  @Test static func `each key sets what it names`() throws {
    let vibration = try require(
      outcome(
        Self.board(
          "bands = 0 12.5\t33.333  100", "busy = 0.25", "busy-time = 2.5", "quiet = 0.125", "quiet-time = 86400")
      ).get().vibration)
    let edges = [Q16.zero, Q16(25, over: 2), Q16(33_333, over: 1_000), Q16(whole: 100)]
    let busy = try BusyDetector.Configuration(
      busyThreshold: Q16(1, over: 4), busyTime: .milliseconds(2_500), quietThreshold: Q16(1, over: 8),
      quietTime: .seconds(86_400))
    let bands = try BandEdges(edges.span)
    expect(vibration.edges, equals: bands)
    expect(vibration.busy, equals: busy)
  }

  @Test static func `quiet is three fifths of busy, and 30 mg by default`() throws {
    let busy = try require(outcome(Self.board("busy = 1")).get().vibration).busy
    let wanted = try BusyDetector.Configuration(busyThreshold: Q16(whole: 1))
    expect(busy, equals: wanted)
    expect(abs(busy.quietThreshold.raw - 65_536 * 3 / 5), isAtMost: 2)
    let quiet = try require(outcome(Self.board("quiet = 0.01")).get().vibration).busy
    expect(quiet.busyThreshold, equals: BusyDetector.Configuration.standard.busyThreshold)
    expect(quiet.quietThreshold, equals: Q16(1, over: 100))
  }

  @Test static func `nine edges give eight bands`() throws {
    let vibration = try outcome(Self.board("bands = 1 2 3 4 5 6 7 8 9")).get().vibration
    expect(vibration?.edges?.count, equals: 8)
  }

  static let bands =
    "two to nine frequencies from 0 to 500 (Hz), at most 3 decimals, each above the one before, such as 1 10 50"
  static let strength = "a number above 0 and up to 16 (g), at most 6 decimals"
  static let time = "a number from 0 to 86400 (s), at most 3 decimals"

  static let bad: [(key: BoardKey, value: String)] =
    ["", "5", "5 5", "10 5", "1,10", "1 10 x", "-1 5", "1 500.001", "1 0.0005", "1 2 3 4 5 6 7 8 9 10", "1 99999999"]
    .map {
      (.bands, $0)
    } + ["0", "0.0000001", "16.000001", "-1", "x", "0.000001"].map { (.busy, $0) }
    + ["0", "17", ""].map { (.quiet, $0) }
    + ["-1", "86400.001", "1.0001", "soon"].map { (.busyTime, $0) } + ["86401", "1e3"].map { (.quietTime, $0) }

  @Test(arguments: bad)
  static func `any other value is rejected, with what is allowed`(key: BoardKey, value: String) throws {
    let error = try require(outcome(Self.board("\(key.name) = \(value)")).failure)
    expect(error.cause, equals: .badValue(key))
    expect(error.line, equals: 20)
    let allowed = key == .bands ? Self.bands : key == .busy || key == .quiet ? Self.strength : Self.time
    expect(
      error.message.description, equals: "bad value \"\(value)\" of \"\(key.name)\" in [vibration]; allowed: \(allowed)"
    )
    expect(error.exitCode, equals: 78)
  }

  @Test static func `a quiet above busy is rejected`() throws {
    let words = "quiet above busy in [vibration]; allowed: quiet at most busy; the defaults are 0.03 and 0.05 (g)"
    for (text, line) in [
      (Self.board("quiet = 0.2", "busy = 0.1"), 20), (Self.board("busy-time = 1", "quiet = 0.06"), 21),
    ] as [(String, Int32)] {
      let error = try require(outcome(text).failure)
      expect(error.line, equals: line)
      expect(error.message.description, equals: words)
    }
    try expect(outcome(Self.board("quiet = 0.1", "busy = 0.1")).get().vibration, isNot: nil)
  }

  @Test(
    arguments: [
      ("bands = 1 50", "99", 20, "99", "100"), ("bands = 1 100.5", "200", 20, "200", "201"),
      ("busy = 1", "9.99", 19, "9.99", "10"), ("bands = 0 1", "5", 20, "5", "10"),
      ("bands = 1 12.6", "25", 20, "25", "25.2"),
    ] as [(String, String, Int32, String, String)])
  static func `a rate too low for the bands is rejected`(
    words: String, rate: String, line: Int32, found: String, needed: String
  ) throws {
    let error = try require(outcome(Self.board(words, rate: rate)).failure)
    expect(error.line, equals: line)
    expect(
      error.message.description,
      equals:
        "too few samples for [vibration], \(found) a second; allowed: a rate in [sensor] of \(needed) or more, twice the "
        + "highest frequency of bands and at least 10")
  }

  /// 350 Hz is half of 700 Hz, whose period is not a whole number of microseconds; the others are similar.
  @Test(arguments: [
    ("350", "700"), ("59.94", "119.88"), ("100", "200"), ("33.3", "66.6"), ("12.345", "24.69"), ("1", "10"),
  ])
  static func `a band may end at half the rate`(top: String, rate: String) throws {
    let board = try outcome(Self.board("bands = 0 \(top)", rate: rate)).get()
    let vibration = try require(board.vibration)
    expect(board.sensor.rateMissing(for: vibration), equals: nil)
  }

  /// At 60 Hz the sensor makes 100 samples a second, all of which arrive in a batch.
  @Test static func `with a batch the sensor's own rate counts`() throws {
    let text = Self.board("bands = 1 50", rate: "60")
    expect(outcome(text).failure, isNot: nil)
    let batched = text.replacing("rate = 60", with: "rate = 60\nbatch = 10")
    try expect(outcome(batched).get().vibration?.edges?.top, equals: Q16(whole: 50))
  }
}

import BoardFile
import FixedPoint
import Gestures
import Sensors
import TestSupport
import Testing

/// `[taps]` and `[free-fall]`.
struct KnockKeyTests {
  private static func board(_ words: String, _ lines: [String] = BoardFileText.lines) -> String {
    BoardFileText.text(lines) + words + "\n"
  }

  /// The lines of an MPU-6050's board except those that begin with one of `keys`.
  private static func mpu6050(without keys: String...) -> [String] {
    BoardFileText.mpu6050Lines.filter { line in !keys.contains { line.hasPrefix($0) } }
  }

  @Test static func `without the sections nothing is detected`() throws {
    for lines in BoardFileText.boards.values {
      let board = try outcome(BoardFileText.text(lines)).get()
      expect(board.taps, equals: nil)
      expect(board.freeFall, equals: nil)
      expect(board.tapRefusal, equals: nil)
      guard let adxl345 = board.sensor.configuration.adxl345 else { continue }
      expect(adxl345.detection, equals: ADXL345.Detection())
      expect(adxl345.interrupts.onInterrupt2, equals: .none)
    }
  }

  @Test static func `an empty section selects the defaults, detected by an ADXL345 itself`() throws {
    let board = try outcome(Self.board("[taps]\n[free-fall]")).get()
    expect(board.taps, equals: .standard)
    expect(board.freeFall, equals: .standard)
    expect(that: board.sensorFindsKnocks)
    guard let adxl345 = board.sensor.configuration.adxl345 else {
      Issue.record("another model")
      return
    }
    let tap = try require(adxl345.detection.tap)
    expect(tap.threshold, equals: Q16(whole: 3))
    expect(tap.duration, equals: .milliseconds(20))
    expect(tap.axes, equals: .all)
    let fall = try require(adxl345.detection.freeFall)
    expect(fall.threshold, equals: Q16(3, over: 8))
    expect(fall.time, equals: .milliseconds(100))
    // On another pin than data-ready.
    expect(adxl345.interrupts.onInterrupt2, equals: ADXL345.Events.singleTap.union(.doubleTap).union(.freeFall))
  }

  @Test static func `every key sets its value`() throws {
    let taps = "threshold = 2.5\nduration = 10\nlatency = 50\nwindow = 200.5\naxes = z x\ndouble = no"
    let board = try outcome(Self.board("[taps]\n\(taps)\n[free-fall]\nthreshold = 0.5\ntime = 150")).get()
    try expect(
      board.taps,
      equals: TapDetector.Configuration(
        threshold: Q16(5, over: 2), duration: .milliseconds(10), latency: .milliseconds(50),
        window: Microseconds(200_500), axes: Tap.Axes(bits: 5), findsDoubleTaps: false))
    try expect(board.freeFall, equals: FallDetector.Configuration(threshold: Q16(1, over: 2), time: .milliseconds(150)))
    try expect(outcome(Self.board("[taps]\ndouble = no")).get().freeFall, equals: nil)
  }

  @Test(arguments: [
    ("+x +y +z", ADXL345.Axes(x: true)), ("-y +x +z", ADXL345.Axes(y: true)), ("+y +z +x", ADXL345.Axes(y: true)),
    ("+z +x +y", ADXL345.Axes(z: true)),
  ])
  static func `axes are the board's`(mounting: String, axes: ADXL345.Axes) throws {
    let lines = BoardFileText.lines.map { $0.hasPrefix("mounting") ? "mounting = \(mounting)" : $0 }
    let board = try outcome(Self.board("[taps]\naxes = x", lines)).get()
    guard let adxl345 = board.sensor.configuration.adxl345 else {
      Issue.record("another model")
      return
    }
    expect(adxl345.detection.tap?.axes, equals: axes)
  }

  @Test static func `an MPU-6050 without rate and range gets ones that show taps`() throws {
    let board = try outcome(Self.board("[taps]", Self.mpu6050(without: "rate", "range"))).get()
    expect(board.taps, equals: .standard)
    expect(that: !board.sensorFindsKnocks)
    expect(board.sensor.rate, equals: BoardDescription.usualTapRate)
    expect(board.sensor.configuration.rangeInG, equals: 8)
    let wide = try outcome(Self.board("[taps]\nthreshold = 9", Self.mpu6050(without: "rate", "range"))).get()
    expect(wide.sensor.configuration.rangeInG, equals: 16)
  }

  @Test static func `a rate at which samples show no taps is rejected if they are needed`() throws {
    for (rate, isGood) in [("199", false), ("200", true), ("1000", true)] {
      let lines = Self.mpu6050(without: "rate", "range")
      let at = try require(lines.firstIndex { $0.hasPrefix("address") })
      let text = Self.board("[taps]", Array(lines[...at]) + ["rate = \(rate)"] + Array(lines[(at + 1)...]))
      let result = outcome(text)
      expect(result.failure == nil, equals: isGood, "\(rate)")
      guard let error = result.failure else { continue }
      expect(error.cause, equals: .refused(.slowForTaps))
      expect(error.line, equals: Int32(at + 2))
      expect(
        error.message.description,
        equals: "the \"rate\" in [sensor] is too low for [taps], because only samples show the taps of an mpu6050; "
          + "allowed: a number from 200 to 1000 (Hz), at most 3 decimals")
    }
  }

  @Test static func `a threshold beyond the range is rejected`() throws {
    let error = try require(outcome(Self.board("[taps]\nthreshold = 4")).failure)
    expect(error.cause, equals: .refused(.tapBeyondRange))
    expect("\(error.message)", hasSuffix: "so no tap can exceed it; allowed: less than the \"range\" in [sensor]")
    expect(error.line, equals: Int32(BoardFileText.lines.count + 2))
    try expect(outcome(Self.board("[taps]\nthreshold = 3.9")).get().tapRefusal, equals: nil)
  }

  @Test(arguments: [
    ("taps", "threshold", "0.06"), ("taps", "threshold", "16"), ("taps", "threshold", "-3"),
    ("taps", "duration", "0.6"),
    ("taps", "duration", "160"), ("taps", "latency", "1"), ("taps", "window", "319"), ("taps", "axes", ""),
    ("taps", "axes", "x x"), ("taps", "axes", "xy"), ("taps", "axes", "w"), ("taps", "double", "maybe"),
    ("free-fall", "threshold", "1"), ("free-fall", "time", "4"), ("free-fall", "time", "1.2345"),
  ])
  static func `any other value is rejected`(section: String, key: String, value: String) throws {
    let error = try require(outcome(Self.board("[\(section)]\n\(key) = \(value)")).failure)
    expect(error.line, equals: Int32(BoardFileText.lines.count + 2))
    expect(error.message.description, hasPrefix: "bad value \"\(value)\" of \"\(key)\" in [\(section)]; allowed: ")
  }

  @Test static func `taps can be added to a board without them`() throws {
    var adxl345 = try outcome(BoardFileText.text(BoardFileText.lines)).get()
    adxl345.addTaps()
    expect(adxl345.taps, equals: .standard)
    expect(adxl345.tapRefusal, equals: nil)
    var mpu6050 = try outcome(BoardFileText.text(BoardFileText.mpu6050Lines)).get()
    mpu6050.addTaps()
    expect(mpu6050.tapRefusal, equals: nil)
    expect(mpu6050.sensor.rate, isAtLeast: BoardDescription.leastTapRate)
  }
}

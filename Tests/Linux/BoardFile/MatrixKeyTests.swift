import BoardFile
import FixedPoint
import HAL
import Indication
import Orientation
import TestSupport
import Testing

/// The matrix of a Sense HAT in place of lines.
struct MatrixKeyTests {
  private static let sensor = ["[i2c]", "bus = /dev/i2c-1", "[sensor]", "model = mpu6050", "address = 0x68"]

  private static func board(_ lines: String...) -> Result<BoardDescription, BoardFileError> {
    outcome(BoardFileText.text(Self.sensor + ["[lines]"] + lines))
  }

  @Test static func `a matrix needs its name alone`() throws {
    let lines = try board("chip = sense-hat").get().lines
    expect(that: lines.isMatrix)
    expect(that: !lines.isEmulated)
    expect(lines.brightness, equals: 10)
    expect(lines.code, equals: .leds)
    expect(lines.count, equals: Pose.count)
    expect(lines.idle, equals: .off)
    expect(that: !lines.isActiveLow)
    for raw in 0..<UInt8(Pose.count) { expect(lines.offset(of: try require(Pose(rawValue: raw))), equals: nil) }
  }

  @Test static func `nothing blinks on a matrix, and LEDs blink as before`() throws {
    let steady = try board("chip = sense-hat").get().lines.indicator
    expect(steady.slowHalfPeriod, equals: .zero)
    expect(steady.fastHalfPeriod, equals: .zero)
    expect(steady.flash, equals: .zero)
    expect(steady.code, equals: .leds)
    expect(BoardDescription.emulated.lines.indicator, equals: Indicator.Configuration())
  }

  @Test static func `an emulated matrix is emulated lines`() throws {
    let lines = try board("chip = emulated-sense-hat", "brightness = 3").get().lines
    expect(that: lines.isMatrix)
    expect(that: lines.isEmulated)
    expect(lines.brightness, equals: 3)
    expect(that: !BoardDescription.emulated.lines.isMatrix)
  }

  @Test static func `the wire of data-ready is on the header, as for emulated lines`() throws {
    try expect(board("chip = sense-hat").get().dataReadyChip, equals: "raspberry-pi")
  }

  @Test static func `the brightness is a whole number from 1 to 31`() throws {
    for value in 1...31 as ClosedRange<UInt8> {
      try expect(board("chip = sense-hat", "brightness = \(value)").get().lines.brightness, equals: value)
    }
    for value in ["0", "32", "256", "-1", "1.5", "", "full"] {
      let error = try require(board("chip = sense-hat", "brightness = \(value)").failure)
      expect(error.cause, equals: .badValue(.brightness))
      expect(error.line, equals: 8)
      expect(error.description(file: "x"), contains: "allowed: a whole number from 1 to 31")
    }
  }

  @Test static func `two boards that differ in brightness differ`() throws {
    let (dim, bright) = (board("chip = sense-hat", "brightness = 1"), board("chip = sense-hat", "brightness = 2"))
    try expect(dim.get(), isNot: bright.get())
  }

  @Test(arguments: [
    (BoardKey.portrait, "17"), (.faceDown, "25"), (.valid, "5"), (.bit0, "6"), (.code, "leds"), (.idle, "on"),
    (.activeLow, "yes"),
  ])
  static func `keys of lines do not apply to a matrix, whichever comes first`(_ key: BoardKey, _ value: String) throws {
    for (lines, place) in [
      (["chip = sense-hat", "\(key.name) = \(value)"], 8), (["\(key.name) = \(value)", "chip = sense-hat"], 7),
    ] {
      let error = try require(outcome(BoardFileText.text(Self.sensor + ["[lines]"] + lines)).failure)
      expect(error.cause, equals: .refused(.uncodedKey(key)))
      expect(error.line, equals: Int32(place))
      let words = error.description(file: "x")
      expect(words, contains: "does not apply to the matrix of a Sense HAT; allowed: chip, brightness", "\(words)")
    }
  }

  @Test static func `lines have no brightness`() throws {
    let error = try require(outcome(BoardFileText.whole + "brightness = 5\n").failure)
    expect(error.cause, equals: .refused(.uncodedKey(.brightness)))
    let words = error.description(file: "x")
    let expected = "\"brightness\" in [lines] needs chip = sense-hat; allowed: chip, code, portrait"
    expect(words, contains: expected)
  }
}

import BoardFile
import FixedPoint
import TestSupport
import Testing

/// `[power]`: when the sensor is left to watch for movement.
struct PowerTests {
  /// The standard board, with the wire that wakes a program, and `words` in `[power]`.
  private static func board(_ words: String, _ lines: [String]) -> String {
    BoardFileText.text(lines + ["[power]"]) + words + "\n"
  }

  @Test(arguments: ["adxl345", "mpu6050"])
  static func `the time and the lines are read`(model: String) throws {
    let lines = try require(BoardFileText.readyBoards[model])
    let cases: [(words: String, power: BoardDescription.Power)] = [
      ("still = 30", .init(still: .seconds(30))), ("still = 1", .init(still: .seconds(1))),
      ("still = 86400\nleds = on", .init(still: .seconds(86_400))),
      ("leds = off\nstill = 2.125", .init(still: .milliseconds(2_125), darkens: true)),
    ]
    for (words, power) in cases { try expect(outcome(Self.board(words, lines)).get().power, equals: power, "\(words)") }
    try expect(outcome(BoardFileText.text(lines)).get().power, equals: nil)
  }

  @Test(arguments: ["0.999", "86400.001", "-5", "", "1e2", "30 s", "2.1234"])
  static func `another time is rejected`(value: String) throws {
    let lines = try require(BoardFileText.readyBoards["adxl345"])
    let error = try require(outcome(Self.board("still = \(value)", lines)).failure)
    expect(error.cause, equals: .badValue(.still))
    expect(Int(error.line), equals: lines.count + 2)
  }

  @Test(arguments: [("adxl345", "INT1"), ("mpu6050", "INT")])
  static func `without the wire it is rejected, with the wire to add`(model: String, pin: String) throws {
    let lines = try require(BoardFileText.boards[model])
    let error = try require(outcome(Self.board("still = 30", lines)).failure)
    expect(error.cause, equals: .refused(.missingWire(.still)))
    expect(Int(error.line), equals: lines.count + 2)
    expect(
      error.message.description,
      equals: "key \"still\" in [power] needs a wire from \(pin) of the sensor to a free GPIO; "
        + "required: \"data-ready\" in [sensor]")
    // An emulated board has the wire.
    let emulated = try require(BoardFileText.emulatedBoards[model])
    try expect(
      outcome(BoardFileText.text(emulated)).get().power, equals: .init(still: .milliseconds(12_500), darkens: true))
  }

  @Test static func `leds without a time is incomplete`() throws {
    let lines = try require(BoardFileText.readyBoards["adxl345"])
    let error = try require(outcome(Self.board("leds = off", lines)).failure)
    expect(error.cause, equals: .missingKey(.still))
    expect(Int(error.line), equals: lines.count + 1)
  }

  @Test(arguments: [1, 25])
  static func `the line is awaited in batches too`(batch: Int) throws {
    for lines in BoardFileText.readyBoards.values {
      let whole = Array(lines[..<6]) + ["batch = \(batch)"] + Array(lines[6...])
      try expect(outcome(Self.board("still = 30", whole)).get().awaitedLine, equals: 4)
      try expect(outcome(BoardFileText.text(whole)).get().awaitedLine, equals: batch == 1 ? 4 : nil)
    }
  }
}

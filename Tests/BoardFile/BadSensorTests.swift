import BoardFile
import HAL
import Testing

let addresses6050 = "0x68 (AD0 low) or 0x69 (AD0 high)"
let rates6050 = "a number from 1 to 1000 (Hz), at most 3 decimals"

/// What the model decides on.
extension BadBoards {
  /// A file of an MPU-6050 whose line `line` is replaced.
  private static func mpu6050(
    _ line: Int, _ other: String, _ cause: BoardFileError.Cause, _ message: String, at place: Int? = nil
  ) -> BadBoard {
    let text = BoardText.replacing(line, with: other, in: BoardText.mpu6050Lines)
    return BadBoard(text: text, Int32(place ?? line), cause, message)
  }

  static let ofAnMPU6050 = [
    mpu6050(
      5, "address = 0x53", .badValue(.address),
      "bad value \"0x53\" of \"address\" in [sensor]; allowed: \(addresses6050)"),
    mpu6050(
      6, "rate = 1000.001", .badValue(.rate), "bad value \"1000.001\" of \"rate\" in [sensor]; allowed: \(rates6050)"),
    mpu6050(
      7, "range = 32", .badValue(.range), "bad value \"32\" of \"range\" in [sensor]; allowed: 2, 4, 8 or 16 (g)"),
    mpu6050(
      9, "unverified-parts = true", .badValue(.unverifiedParts),
      "bad value \"true\" of \"unverified-parts\" in [sensor]; allowed: yes or no"),
    mpu6050(
      9, "unverified = yes", .unknownKey(.sensor),
      "unknown key \"unverified\" in [sensor]; allowed: \(sensorKeys), unverified-parts"),
    mpu6050(
      4, "model = adxl345", .badValue(.address),
      "bad value \"0x69\" of \"address\" in [sensor]; allowed: 0x53 (SDO low) or 0x1D (SDO high)", at: 5),
    BadBoard(
      8, "unverified-parts = yes", .foreignKey(.unverifiedParts),
      "key \"unverified-parts\" in [sensor] does not apply to an adxl345; allowed: \(sensorKeys)"),
    BadBoard(
      4, "odr = 1\nmodel = adxl345", .unknownKey(.sensor),
      "unknown key \"odr\" in [sensor]; allowed: \(sensorKeys), and of an mpu6050 unverified-parts"),
  ]

  /// The values of the sensor with `model` after them, and the one in `wrong` changed.
  private func modelLast(_ wrong: [String]) -> String {
    let keys = ["unverified-parts = no", "range = 8", "address = 0x69", "rate = 125"]
    let changed = keys.map { key in wrong.first { $0.hasPrefix(key.prefix(while: { $0 != " " })) } ?? key }
    let head = Array(BoardText.lines[..<3])
    return BoardText.text(head + changed + ["model = mpu6050"] + BoardText.lines[8...])
  }

  @Test func `values before the model are judged by it too`() throws {
    let board = try outcome(modelLast([])).get()
    #expect(board.sensor.model == .mpu6050)
    #expect(board.sensor.address.rawValue == 0x69)
    for (wrong, line, key) in [
      ("unverified-parts = 1", 4, .unverifiedParts), ("range = 3", 5, .range), ("address = 0x53", 6, .address),
      ("rate = 1001", 7, .rate),
    ] as [(String, Int32, BoardKey)] {
      let error = try #require(outcome(modelLast([wrong])).failure)
      #expect(error.cause == .badValue(key))
      #expect(error.line == line)
      #expect(error.message.description.hasSuffix("; allowed: \(key.allowed(with: .mpu6050))"))
    }
  }

  @Test func `of several values before the model the first of the file is reported`() throws {
    let several = ["rate = 1001", "address = 0x53", "range = 3"]
    for count in 1...3 {
      let error = try #require(outcome(modelLast(Array(several[..<count]))).failure)
      #expect(error.line == Int32(8 - count))
    }
  }
}

import Foundation
import Testing

/// The data-ready wire of a board file in `plumb wiring` and `plumb boards`.
@Suite struct DataReadyWiringTests {
  /// Calls `body` with the Raspberry Pi's board file of `model`, its data-ready pin on `gpio`.
  private func withBoard<Result>(_ model: String, _ gpio: Int, _ body: (String) throws -> Result) throws -> Result {
    let text = try String(contentsOfFile: Tool.board("raspberry-pi-\(model)"), encoding: .utf8)
    let changed = text.replacing("# data-ready = 26", with: "data-ready = \(gpio)")
    #expect(changed != text)
    return try withFile(named: "board.ini", content: Data(changed.utf8), body)
  }

  // GPIO and header pin, in either row, beside a wire of a LED and not.
  @Test(arguments: [
    ("adxl345", "INT1", 26, 37), ("adxl345", "INT1", 18, 12), ("adxl345", "INT1", 16, 36), ("mpu6050", "INT", 4, 7),
    ("mpu6050", "INT", 20, 38),
  ])
  func `the sensor's pin is shown where it goes, as text, picture and objects`(
    model: String, name: String, gpio: Int, pin: Int
  ) throws {
    try withBoard(model, gpio) { board in
      let text = try Tool.run("wiring", "--board", board).output
      #expect(text.contains("\(pin)  GPIO\(gpio)") || text.contains("\(pin)   GPIO\(gpio)"))
      #expect(text.contains("sensor \(name)") && text.contains("data ready: high when there is a sample"))
      let json = try Tool.run("wiring", "--board", board, "--format", "json")
      let wire = try unwrapped(try json.events("connection").first { $0["pin"] as? String == name })
      #expect(wire["gpio"] as? Int == gpio && wire["header_pin"] as? Int == pin)
      let svg = try Tool.run("wiring", "--board", board, "--format", "svg").output
      #expect(svg.contains("class=\"wire ready\"") && svg.contains("pin \(pin), GPIO\(gpio)"))
      #expect(svg.contains("not connected: ") && !svg.contains("not connected: \(name),"))
      let summary = try Tool.run("boards", board)
      #expect(
        summary.output.contains("data-ready           GPIO\(gpio)") && summary.output.contains("header pin \(pin)"))
      #expect(try Tool.run("boards", board, "--format", "json").objects.first?["data_ready"] as? Int == gpio)
    }
  }

  @Test func `a board without the wire shows none`() throws {
    let board = Tool.board("raspberry-pi-adxl345")
    #expect(try !Tool.run("wiring", "--board", board, "--format", "svg").output.contains("ready"))
    #expect(try !Tool.run("boards", board).output.contains("data-ready"))
    #expect(try Tool.run("boards", board, "--format", "json").objects.first?["data_ready"] is NSNull)
  }
}

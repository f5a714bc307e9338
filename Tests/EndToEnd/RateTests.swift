import Foundation
import Testing

/// Any update rate from 1 Hz to the sensor's limit, on the emulated boards of both sensors.
@Suite struct RateTests {
  static let boards = ["emulated", "emulated-mpu6050"]

  private func run(_ board: String, _ more: [String]) throws -> Tool {
    try Tool.run(
      arguments: ["run", "--board", Tool.board(board), "--speed", "fast", "--format", "json"] + more)
  }

  @Test(
    arguments: [
      ("1", 1_000_000), ("24", 41_667), ("29.97", 33_367), ("30", 33_333), ("60", 16_667), ("800", 1_250),
      ("1000", 1_000),
    ], boards)
  func `a sample comes every period, in one transaction and never late, and the pose is right`(
    rate: (text: String, period: Int), board: String
  ) throws {
    guard rate.text != "1000" || board == "emulated-mpu6050" else { return }
    let figures = try ["7", "47"].map { duration in
      let result = try run(board, ["--rate", rate.text, "--motion", "hold", "--duration", duration])
      #expect(result.exitCode == 0)
      #expect(try result.events("pose").map { $0["to"] as? String } == ["portrait"])
      #expect(try result.events("trouble").isEmpty)
      return try unwrapped(try result.objects.last)
    }
    for key in ["samples", "transactions"] {
      let grown = try unwrapped(figures[1][key] as? Int) - unwrapped(figures[0][key] as? Int)
      // 40 s of samples; one more or less where the ends do not fall on the period.
      #expect(abs(Double(grown) - 40_000_000 / Double(rate.period)) <= 1, "\(key): \(grown)")
    }
    #expect(figures.allSatisfy { $0["late_samples"] as? Int == 0 })
    #expect(figures.allSatisfy { $0["faults"] as? Int == 0 })
  }

  @Test(arguments: [("29.97", 33_367), ("1", 1_000_000)], boards)
  func `samples stand at the exact times of the rate`(rate: (text: String, period: Int), board: String) throws {
    let result = try run(board, ["--rate", rate.text, "--motion", "hold", "--duration", "10", "--samples"])
    let times = try result.events("sample").map { Int((try unwrapped($0["t"] as? Double) * 1e6).rounded()) }
    #expect(times.count >= 9)
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == rate.period })
  }

  @Test(arguments: ["1", "24", "29.97", "30", "60"], boards)
  func `a turn is told at 1 Hz as at 24, 30 and 60`(rate: String, board: String) throws {
    let result = try run(board, ["--rate", rate, "--motion", "turn", "--duration", "8"])
    #expect(try result.events("pose").map { $0["to"] as? String } == ["portrait", "landscapeRight"])
    #expect(try result.events("trouble").isEmpty)
  }

  @Test(arguments: boards)
  func `at 24 Hz and more the tumbling board shows all six poses, its fault and its recovery`(board: String) throws {
    for rate in ["24", "30", "60"] {
      let result = try run(board, ["--rate", rate])
      #expect(Set(try result.events("pose").compactMap { $0["to"] as? String }) == Set(PoseModel.names))
      #expect(try result.events("trouble").map { $0["reason"] as? String } == ["fault"])
      #expect(try result.events("recovery").count == 1)
    }
  }

  @Test
  func `the rate of the command line takes the place of the board file's, and the greeting names it`() throws {
    let text = try String(contentsOfFile: Tool.board("emulated"), encoding: .utf8)
      .replacing("address = 0x53", with: "address = 0x53\nrate = 29.97")
    try withFile(named: "board.ini", content: Data(text.utf8)) { file in
      for (more, rate) in [([], "29.97"), (["--rate", "12.5"], "12.5"), (["--rate", "60.000"], "60")] {
        let result = try Tool.run(arguments: ["run", "--board", file, "--speed", "fast", "--duration", "2"] + more)
        #expect(result.output.hasPrefix("Emulated ADXL345 at 0x53, \(rate) Hz, ±16 g;"), "\(result.output)")
      }
    }
  }

  @Test(arguments: [
    ("emulated", "800.001", "at most 800 Hz with an ADXL345, not 800.001"),
    ("emulated", "1000", "at most 800 Hz with an ADXL345, not 1000"),
    ("emulated-mpu6050", "1000.001", "a number of hertz from 1 to 1000 with at most 3 decimals, not '1000.001'"),
    ("emulated", "0.999", "from 1 to 1000"), ("emulated", "fast", "from 1 to 1000"),
    ("emulated", "1e2", "from 1 to 1000"),
  ])
  func `a rate beyond the sensor's limit is refused by the command line, with what is allowed`(
    board: String, rate: String, words: String
  ) throws {
    let result = try run(board, ["--rate", rate])
    #expect(result.exitCode == 64)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains(words), "\(result.errors)")
  }

  @Test(arguments: boards)
  func `a rate beyond the sensor's limit is refused in a board file, with its line`(board: String) throws {
    let limit = board == "emulated" ? 800 : 1_000
    let text = try String(contentsOfFile: Tool.board(board), encoding: .utf8)
      .replacing("[lines]", with: "rate = \(limit).001\n[lines]")
    let line = try unwrapped(
      text.split(separator: "\n", omittingEmptySubsequences: false).firstIndex { $0.hasPrefix("rate") })
    let result = try withFile(content: Data(text.utf8)) { try Tool.run("run", "--board", $0) }
    #expect(result.exitCode == 78)
    #expect(result.errors.contains(":\(line + 1): "), "\(result.errors)")
    #expect(result.errors.contains("allowed: a number from 1 to \(limit) (Hz), at most 3 decimals"), "\(result.errors)")
  }
}

import Foundation
import Testing

/// `plumb calibrate` and `plumb mount` in real time: what happens from outside while somebody holds the board.
@Suite struct CalibrateLiveTests {
  /// A run under way, of which the first line has been read.
  private struct Run {
    let process: Process
    private let output = Pipe()
    private let errors = Pipe()

    init(_ arguments: [String]) throws {
      process = Tool.process(arguments)
      process.standardOutput = output
      process.standardError = errors
      try process.run()
      _ = output.fileHandleForReading.availableData
    }

    /// Waits for the end.
    func end() throws -> Tool {
      let text = output.fileHandleForReading.readDataToEndOfFile()
      let errorText = errors.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return Tool(
        exitCode: process.terminationReason == .exit ? process.terminationStatus : -1,
        output: String(decoding: text, as: UTF8.self), errors: String(decoding: errorText, as: UTF8.self))
    }
  }

  @Test(arguments: [("calibrate", SIGINT), ("calibrate", SIGTERM), ("mount", SIGINT), ("mount", SIGTERM)])
  func `an interrupt or a termination ends it with code 0; it says that nothing is written, and nothing is`(
    command: String, signal: Int32
  ) throws {
    let board = try BoardCopy(BoardCopy.uncalibrated("adxl345"))
    defer { remove(board.folder) }
    let before = try board.bytes
    for (format, words) in [
      ("text", "Stopped: nothing was written."), ("json", "{\"event\":\"stopped\",\"written\":false}"),
    ] {
      let run = try Run([command, "--board", board.path, "--format", format])
      kill(run.process.processIdentifier, signal)
      let result = try run.end()
      #expect(result.exitCode == 0 && result.errors.isEmpty)
      #expect(result.output.hasSuffix(words + "\n"))
      #expect(try board.bytes == before)
      #expect(try board.names == ["board.ini"])
    }
  }

  @Test
  func `a file that vanishes meanwhile is told with code 73, and does not come back`() throws {
    let board = try BoardCopy(BoardCopy.uncalibrated("adxl345"))
    defer { remove(board.folder) }
    let run = try Run(["mount", "--board", board.path])
    try FileManager.default.removeItem(atPath: board.path)
    let result = try run.end()
    #expect(result.exitCode == 73)
    #expect(result.errors.contains("\(board.path): the board file has vanished; nothing was written"))
    #expect(try board.names.isEmpty)
  }

  @Test
  func `what is edited meanwhile stays; where that is no board any more, nothing is written`() throws {
    let boards = try (0..<2).map { _ in try BoardCopy(MountTests.board("adxl345", really: "+z +x +y").text) }
    defer { for board in boards { remove(board.folder) } }
    let runs = try boards.map { try Run(["mount", "--board", $0.path]) }
    let good = try boards[0].text + "# a thought\n"
    let bad = try boards[1].text + "[sensors]\n"
    try Data(good.utf8).write(to: URL(fileURLWithPath: boards[0].path))
    try Data(bad.utf8).write(to: URL(fileURLWithPath: boards[1].path))
    let results = try runs.map { try $0.end() }
    #expect(results[0].exitCode == 0)
    #expect(try boards[0].text.hasSuffix("# a thought\n") && boards[0].text.contains("\nmounting = +z +x +y\n\n"))
    #expect(results[1].exitCode == 78 && results[1].errors.contains("sensors"))
    #expect(try boards[1].text == bad)
  }

  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script"), "needs script(1)"),
    arguments: ["xterm", "dumb"])
  func `on a terminal the state is drawn again in its place, with a bar that fills; a dumb one gets plain lines`(
    name: String
  ) throws {
    let board = try BoardCopy(BoardCopy.uncalibrated("adxl345"))
    defer { remove(board.folder) }
    let script = "exec script -qec \"$0 calibrate --board \(board.path) --timeout 2.5\" /dev/null"
    let result = try Tool.run(
      arguments: [], launcher: ["/bin/sh", "-c", script], environment: ["TERM": name])
    #expect(result.exitCode == 65)
    #expect(result.output.contains("Holding still: top edge up [sensor +y]"))
    for words in ["\u{1B}[1A\u{1B}[2K", " [#", "·]"] {
      #expect(result.output.contains(words) == (name == "xterm"), "\(words)")
    }
  }
}

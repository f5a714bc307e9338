import Foundation
import TestSupport
import Testing

/// Commands on a terminal: long lines are broken, progress is drawn and removed again, and neither happens without
/// one.
struct TerminalMannersTests {
  /// Runs the tool on a terminal with that many columns for all three descriptors, and types Ctrl-C once it has
  /// written `words`, if any.
  private static func onTerminal(
    columns: Int = 80, interruptedAt words: String = "", terminal: String = "xterm",
    environment: [String: String] = ["NO_COLOR": ""], _ arguments: [String]
  ) throws -> Tool {
    let script = URL(filePath: #filePath).appending(path: "../../../System/Terminal/transcript.py").standardized.path
    return try Tool.run(
      arguments: arguments, launcher: ["/usr/bin/python3", "-B", script, "\(columns)", words],
      environment: ["TERM": terminal].merging(environment) { $1 })
  }

  private static func onTerminal(_ arguments: String..., terminal: String = "xterm-256color") throws -> Tool {
    try onTerminal(terminal: terminal, arguments)
  }

  /// The lines left on the screen, without colours.
  private static func lines(_ text: String) -> [String] {
    text.replacing("\r\n", with: "\n").split(separator: "\n").map { line in
      let last = line.split(separator: "\r", omittingEmptySubsequences: false).last ?? ""
      return String(last).replacing(/\u{1B}\[[0-9;]*[A-Za-z]/, with: "")
    }
  }

  @Test static func `errors are broken between words at 80 columns on a terminal, and are one line elsewhere`() throws {
    for arguments in [["run", "--motion", "flight"], ["selftest", "--defect", "mute"], ["frobnicate"]] {
      let shown = try onTerminal(environment: [:], arguments)
      let plain = try Tool.run(arguments: arguments)
      expect(shown.exitCode, equals: plain.exitCode)
      expect(plain.exitCode, isNot: 0)
      for line in lines(shown.output) { expect(line.count, isAtMost: 80, "\(line)") }
      func words(_ text: String) -> [Substring] { text.split { $0 == " " || $0.isNewline } }
      expect(words(shown.output.replacing("\r", with: "")), equals: words(plain.errors))
      expect(any: plain.errors.split(separator: "\n")) { $0.count > 80 }
    }
  }

  @Test static func `errors are as wide as the terminal, and a command to copy is never broken`() throws {
    let hasBus = try FileManager.default.contentsOfDirectory(atPath: "/dev").contains { $0.hasPrefix("i2c-") }
    for (arguments, command) in [
      (["probe", "--bus", "/dev/i2c-250"], hasBus ? "ls /dev/i2c-*" : "`plumb run --board emulated`"),
      (["run", "--motion", "flight"], nil),
      (["run", "--board", "/dev/null"], nil), (["doctor", "--board", "no-such"], "`plumb boards`"),
    ] {
      let plain = try Tool.run(arguments: arguments)
      expect(plain.exitCode, isNot: 0)
      for columns in [40, 60, 100, 500] {
        let shown = try onTerminal(columns: columns, arguments)
        expect(shown.exitCode, equals: plain.exitCode)
        let lines = lines(shown.output)
        expect(all: lines, "\(lines)") { $0.count <= columns }
        expect(lines.joined(separator: " ").split(separator: " "), equals: plain.errors.split { " \n".contains($0) })
        if let command { expect(any: lines, "\(lines)") { $0.contains(command) } }
        if columns == 500 { expect(lines, equals: plain.errors.split(separator: "\n").map(String.init)) }
      }
    }
  }

  @Test static func `output after Ctrl-C begins a new line`() throws {
    let board = try BoardCopy(BoardCopy.uncalibrated("adxl345"))
    defer { remove(board.folder) }
    let recording = board.folder.appending(path: "a.csv").path
    for (arguments, shown, first) in [
      (["run"], "portrait", "Summary: "), (["run", "--format", "json"], "portrait", "{\"event\":\"summary\""),
      (["record", "-o", recording], "samples", "Recorded "),
      (["serve", "--listen", "127.0.0.1:0"], "Ctrl-C", "Summary: "),
      (["calibrate", "--board", board.path, "--motion", "hold"], "Hold", "Stopped: nothing"),
    ] {
      for terminal in arguments[0] == "record" ? ["xterm"] : ["xterm", "dumb"] {
        let result = try onTerminal(columns: 80, interruptedAt: shown, terminal: terminal, arguments)
        expect(result.exitCode, equals: 0, "\(result.output)")
        expect(result.output, contains: "^C", "\(result.output)")
        expect(any: lines(result.output), "\(result.output)") { $0.hasPrefix(first) }
      }
    }
    // Elsewhere nothing is added.
    try expect(Tool.run("run", "--speed", "fast").output, lacks: "\r")
  }

  @Test static func `a verdict has colour on a terminal, unless it is dumb or NO_COLOR is set`() throws {
    try expect(onTerminal("selftest").output, contains: "\u{1B}[32mpassed")
    try expect(onTerminal("selftest", "--defect", "dead-x").output, contains: "\u{1B}[31mFAILED")
    try expect(onTerminal("selftest", terminal: "dumb").output, lacks: "\u{1B}")
    let plain = try onTerminal(environment: ["NO_COLOR": "1"], ["selftest"])
    expect(plain.exitCode, equals: 0)
    expect(that: !plain.output.contains("\u{1B}"))
  }

  @Test static func `long work shows its progress, only on a terminal, and leaves nothing behind`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let (file, picture) = (folder.appending(path: "long.csv"), folder.appending(path: "long.svg").path)
    var text = "time_s,x_g,y_g,z_g\n"
    for number in 0..<200_000 { text += "\(number / 100).\(number % 100 / 10)\(number % 10),0,1,0\n" }
    try Data(text.utf8).write(to: file)
    let shown = try onTerminal("plot", file.path, "-o", picture)
    expect(shown.exitCode, equals: 0)
    expect(shown.output, contains: "Reading: ")
    expect(shown.output, contains: " samples …")
    expect(
      lines(shown.output).first?.hasPrefix("Drawn: 200000 samples, 1999.99 s, to"), equals: true, "\(shown.output)")
    let dumb = try onTerminal("plot", file.path, "-o", picture, "--force", terminal: "dumb")
    expect(dumb.exitCode, equals: 0)
    expect(dumb.output, equals: "")
    let piped = try Tool.run("plot", file.path, "-o", picture, "--force")
    expect(piped.output, equals: "")
    expect(piped.errors, equals: "")
  }
}

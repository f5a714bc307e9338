import Foundation
import Testing

/// Commands on a terminal: what is wide is broken, progress is drawn and taken away again, and none of it without one.
@Suite struct TerminalMannersTests {
  private static let spawn = "import os,pty,sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"

  /// Runs the tool with a terminal for all three of its descriptors.
  private func onTerminal(_ arguments: String..., terminal: String = "xterm-256color") throws -> Tool {
    try Tool.run(
      arguments: arguments, launcher: ["/usr/bin/python3", "-c", Self.spawn],
      environment: ["TERM": terminal, "NO_COLOR": "", "LC_ALL": "C.UTF-8"])
  }

  /// The lines as they are left on the screen, without colours.
  private func lines(_ text: String) -> [String] {
    text.replacing("\r\n", with: "\n").split(separator: "\n").map { line in
      let last = line.split(separator: "\r", omittingEmptySubsequences: false).last ?? ""
      return String(last).replacing(/\u{1B}\[[0-9;]*[A-Za-z]/, with: "")
    }
  }

  @Test func `errors are broken between words at 80 columns on a terminal, and one line elsewhere`() throws {
    for arguments in [["run", "--motion", "flight"], ["selftest", "--defect", "mute"], ["frobnicate"]] {
      let shown = try Tool.run(
        arguments: arguments, launcher: ["/usr/bin/python3", "-c", Self.spawn], environment: ["TERM": "xterm"])
      let plain = try Tool.run(arguments: arguments)
      #expect(shown.exitCode == plain.exitCode && plain.exitCode != 0)
      for line in lines(shown.output) { #expect(line.count <= 80, "\(line)") }
      func words(_ text: String) -> [Substring] { text.split { $0 == " " || $0.isNewline } }
      #expect(words(shown.output.replacing("\r", with: "")) == words(plain.errors))
      #expect(plain.errors.split(separator: "\n").contains { $0.count > 80 })
    }
  }

  @Test func `a verdict has colour on a terminal, and none where it is dumb or NO_COLOR is set`() throws {
    #expect(try onTerminal("selftest").output.contains("\u{1B}[32mpassed"))
    #expect(try onTerminal("selftest", "--defect", "dead-x").output.contains("\u{1B}[31mFAILED"))
    #expect(try !onTerminal("selftest", terminal: "dumb").output.contains("\u{1B}"))
    let plain = try Tool.run(
      arguments: ["selftest"], launcher: ["/usr/bin/python3", "-c", Self.spawn],
      environment: ["TERM": "xterm", "NO_COLOR": "1"])
    #expect(plain.exitCode == 0 && !plain.output.contains("\u{1B}"))
  }

  @Test func `long work says how far it is, on a terminal only, and leaves nothing behind`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let (file, picture) = (folder.appending(path: "long.csv"), folder.appending(path: "long.svg").path)
    var text = "time_s,x_g,y_g,z_g\n"
    for number in 0..<200_000 { text += "\(number / 100).\(number % 100 / 10)\(number % 10),0,1,0\n" }
    try Data(text.utf8).write(to: file)
    let shown = try onTerminal("plot", file.path, "-o", picture)
    #expect(shown.exitCode == 0 && shown.output.contains("Reading: ") && shown.output.contains(" samples …"))
    #expect(lines(shown.output).first?.hasPrefix("Drawn: 200000 samples, 1999.99 s, to ") == true, "\(shown.output)")
    let dumb = try onTerminal("plot", file.path, "-o", picture, "--force", terminal: "dumb")
    #expect(dumb.exitCode == 0 && dumb.output.isEmpty)
    let piped = try Tool.run("plot", file.path, "-o", picture, "--force")
    #expect(piped.output.isEmpty && piped.errors.isEmpty)
  }
}

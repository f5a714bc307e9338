import Foundation
import Testing

/// Help texts, and how wide text is.
@Suite struct HelpTests {
  private static let commands = [
    "run", "watch", "serve", "read", "replay", "record", "plot", "probe", "calibrate", "mount", "boards", "wiring",
    "doctor", "selftest",
  ]

  @Test(arguments: commands)
  func `every command has help with an example and its exit codes, within 80 columns`(command: String) throws {
    let help = try Tool.run(command, "--help")
    #expect(help.exitCode == 0 && help.errors.isEmpty)
    #expect(help.output.contains("EXAMPLE") && help.output.contains("plumb \(command)"))
    #expect(help.output.contains("EXIT CODES: "))
    for line in help.output.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    #expect(try Tool.run("help", command).output == help.output)
  }

  @Test func `the first help names every command, and fits 80 columns`() throws {
    let help = try Tool.run("--help").output
    for command in Self.commands { #expect(help.contains("\n  \(command) ")) }
    for line in help.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    #expect(try Tool.run(arguments: []).output == help)
    #expect(try Tool.run("help").output == help)
  }

  @Test func `the version is one line of three numbers`() throws {
    let version = try Tool.run("--version")
    #expect(version.exitCode == 0)
    #expect(version.output.trimmingCharacters(in: .newlines).split(separator: ".").count { Int($0) != nil } == 3)
  }

  @Test(arguments: [
    ["run", "--speed", "fast"], ["run", "--speed", "fast", "--show", "angles,shake,rotation", "--motion", "shake"],
    ["read"], ["read", "--relative-to", "landscapeLeft"], ["boards"], ["boards", "raspberry-pi-mpu6050"],
    ["boards", "emulated-one-hot"], ["wiring"], ["wiring", "--board", "raspberry-pi-mpu6050"], ["selftest"],
    ["probe", "--board", "emulated"], ["doctor", "--board", "emulated"],
    ["calibrate", "--board", "emulated-uncalibrated", "--speed", "fast", "--dry-run", "--motion", "six-faces-clumsy"],
    ["mount", "--board", "emulated-uncalibrated", "--speed", "fast", "--dry-run", "--motion", "two-poses-clumsy"],
  ])
  func `text is within 80 columns, and plain where nobody watches`(arguments: [String]) throws {
    let boards = URL(filePath: Tool.board("emulated")).deletingLastPathComponent().path
    let result = try Tool.run(arguments: arguments, environment: ["PLUMB_BOARDS": boards, "TERM": "xterm-256color"])
    #expect(result.exitCode == 0, "\(result.errors)")
    for line in result.output.split(separator: "\n") where !line.contains(boards) {
      #expect(line.count <= 80, "\(line)")
    }
    #expect(!result.output.contains("\u{1B}") && !result.errors.contains("\u{1B}"))
  }
}

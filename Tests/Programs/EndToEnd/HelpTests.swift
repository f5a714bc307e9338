import Foundation
import TestSupport
import Testing

/// Help texts, and the width of text.
struct HelpTests {
  /// The names of the commands, as listed by `plumb --help`.
  private static func commands() throws -> [String] {
    let lines = try Tool.run("--help").output.split(separator: "\n").map(String.init)
      .drop { !$0.hasPrefix("SUBCOMMANDS:") }
    let names = lines.compactMap { $0.wholeMatch(of: #/  ([a-z]+)  .*/#).map { String($0.1) } }
    try #require(names.count > 20 && names.contains("run"))
    return names
  }

  @Test static func `the help of run fits a terminal of 45 lines`() throws {
    try expect(
      Tool.run("run", "--help").output.split(separator: "\n", omittingEmptySubsequences: false).count, isAtMost: 46)
  }

  @Test static func `every command has help with an example and its exit codes, within 80 columns`() throws {
    for command in try Self.commands() {
      let help = try Tool.run(command, "--help")
      expect(help.exitCode, equals: 0)
      expect(help.errors, equals: "")
      expect(help.output, contains: "EXAMPLE", "\(command)")
      expect(help.output, contains: "plumb \(command)", "\(command)")
      #expect(help.output.contains("EXIT CODES: ") || command == "on", "\(command)")
      for line in help.output.split(separator: "\n") { expect(line.count, isAtMost: 80, "\(line)") }
      try expect(Tool.run("help", command).output, equals: help.output)
    }
  }

  @Test static func `an example is one line to copy, and the lines of a usage are aligned`() throws {
    for command in try Self.commands() {
      let lines = try Tool.run(command, "--help").output.split(separator: "\n", omittingEmptySubsequences: false)
      func block(_ title: String) -> ArraySlice<Substring> {
        lines.drop { !$0.hasPrefix(title) }.prefix { !$0.isEmpty }
      }
      for line in block("EXAMPLES:").dropFirst() {
        #expect(line.hasPrefix("  plumb ") || line.hasPrefix("  curl "), "\(line)")
      }
      for line in block("EXAMPLE: ").dropFirst() { Issue.record("\(line)") }
      for line in block("USAGE: ").dropFirst() { expect(String(line), hasPrefix: "       plumb \(command) ") }
    }
  }

  @Test static func `README lists the commands that there are, and those without --format json`() throws {
    let readme = try String(
      contentsOf: URL(filePath: #filePath).appending(path: "../../../../README.md").standardized, encoding: .utf8)
    let section = try require(readme.split(separator: "\n## Commands\n").last)
    let commands = try Self.commands()
    let listed = section.matches(of: #/\n    plumb ([a-z]+)  +/#).map { String($0.1) }
    expect(Set(listed), equals: Set(commands))
    expect(listed.count, equals: commands.count)
    let sentence = try require(section.firstMatch(of: #/all but (.+?) have\s+`--format json`/#)).1
    let without = try commands.filter { command in
      let help = try Tool.run(command, "--help").output
      return !help.contains("--format") || !help.contains("json")
    }
    expect(Set(sentence.matches(of: #/`([a-z]+)`/#).map { String($0.1) }), equals: Set(without))
  }

  @Test static func `the main help fits 80 columns`() throws {
    let help = try Tool.run("--help").output
    for line in help.split(separator: "\n") { expect(line.count, isAtMost: 80, "\(line)") }
    try expect(Tool.run(arguments: []).output, equals: help)
    try expect(Tool.run("help").output, equals: help)
  }

  @Test static func `the version is one line of three numbers`() throws {
    let version = try Tool.run("--version")
    expect(version.exitCode, equals: 0)
    expect(version.output.trimmingCharacters(in: .newlines).split(separator: ".").count { Int($0) != nil }, equals: 3)
  }

  @Test(arguments: [
    ["run", "--speed", "fast"], ["run", "--speed", "fast", "--show", "angles,shake,rotation", "--motion", "shake"],
    ["read"], ["read", "--relative-to", "landscapeLeft"], ["boards"], ["boards", "raspberry-pi-mpu6050"],
    ["boards", "emulated-one-hot"], ["wiring"], ["wiring", "--board", "raspberry-pi-mpu6050"], ["selftest"],
    ["probe", "--board", "emulated"], ["doctor", "--board", "emulated"],
    ["calibrate", "--board", "emulated-uncalibrated", "--speed", "fast", "--dry-run", "--motion", "six-faces-clumsy"],
    ["mount", "--board", "emulated-uncalibrated", "--speed", "fast", "--dry-run", "--motion", "two-poses-clumsy"],
  ])
  static func `text fits in 80 columns, and is plain without a terminal`(arguments: [String]) throws {
    let boards = URL(filePath: Tool.board("emulated")).deletingLastPathComponent().path
    let result = try Tool.run(arguments: arguments, environment: ["PLUMB_BOARDS": boards, "TERM": "xterm-256color"])
    expect(result.exitCode, equals: 0, "\(result.errors)")
    for line in result.output.split(separator: "\n") where !line.contains(boards) {
      expect(line.count, isAtMost: 80, "\(line)")
    }
    expect(that: !result.output.contains("\u{1B}"))
    expect(that: !result.errors.contains("\u{1B}"))
  }
}

/// The messages about misspelt words.
struct SuggestionTests {
  @Test(arguments: [
    (["wach"], "There is no command 'wach'. Did you mean 'watch'?"),
    (["Watch"], "There is no command 'Watch'. Did you mean 'watch'?"),
    (["replai", "x.csv"], "There is no command 'replai'. Did you mean 'replay'?"),
    (["selftset", "--help"], "There is no command 'selftset'. Did you mean 'selftest'?"),
    (["cal"], "There is no command 'cal'. Did you mean 'calibrate'?"),
    (["hlep"], "There is no command 'hlep'. Did you mean 'help'?"),
    (["version"], "There is no command 'version'. Did you mean '--version'?"),
    (["--verison"], "Unknown option '--verison'. Did you mean '--version'?"),
    (["run", "--hepl"], "Unknown option '--hepl'. Did you mean '--help'?"),
    (["help", "recrod"], "There is no command 'recrod'. Did you mean 'record'?"),
    (["run", "--bord", "x"], "Unknown option '--bord'. Did you mean '--board'?"),
    (["serve", "--port", "8080"], "Unknown option '--port'. Did you mean '--listen'?"),
    (["run", "--format", "jsno"], "Please provide one of 'text' and 'json'. Did you mean 'json'?"),
    (["wiring", "--format", "svgg"], "Did you mean 'svg'?"),
    (["run", "--speed", "fsat"], "Did you mean 'fast'?"),
    (["interface", "--rest", "capture"], "Did you mean 'captured'?"),
    (["run", "--motion", "tumbel"], "There is no motion 'tumbel'. Did you mean 'tumble'?"),
    (["read", "--relative-to", "landscapeleft"], "There is no pose 'landscapeleft'. Did you mean 'landscapeLeft'?"),
    (["run", "--show", "angles,stering"], "There is no quantity 'stering' to show. Did you mean 'steering'?"),
    (["interface", "--orientations", "potrait"], "There is no orientation 'potrait'. Did you mean 'portrait'?"),
    (["selftest", "--defect", "deadx"], "There is no defect 'deadx'. Did you mean 'dead-x'?"),
  ])
  static func `a misspelt word on the command line gets the right one and code 64`(
    arguments: [String], answer: String
  ) throws {
    let result = try Tool.run(arguments: arguments)
    expect(result.exitCode, equals: 64)
    expect(result.output, equals: "")
    expect(result.errors, contains: answer)
  }

  @Test(arguments: [
    (["frobnicate"], "There is no command 'frobnicate'."), (["run", "--format", "xml"], "'text' and 'json'."),
    (["run", "--motion", "flight"], "There is no motion 'flight'; choose from tumble, hold, turn"),
    (["run", "--port", "8080"], "Unknown option '--port'.\nUsage: "),
    (["run", "--duration", "-1"], "'-1' is invalid for '--duration <seconds>': it takes a number of seconds"),
    (["run", "--seed", "-1"], "The value '-1' is invalid for '--seed <n>': it takes a whole number, 0 or more."),
    (["ru\u{1B}[31m"], "There is no command 'ru\\x1b[31m'."), ([""], "There is no command"),
  ])
  static func `without a near word nothing is guessed, and the possible ones are listed`(
    arguments: [String], answer: String
  ) throws {
    let result = try Tool.run(arguments: arguments)
    expect(result.exitCode, equals: 64)
    expect(that: result.errors.contains(answer), "\(result.errors)")
    expect(that: !result.errors.contains("Did you mean"), "\(result.errors)")
  }

  @Test(arguments: [
    (["run", "--duration", "abc"], "'abc' is invalid for '--duration <seconds>': it takes a number of seconds"),
    (["run", "--seed", "abc"], "'abc' is invalid for '--seed <n>': it takes a whole number, 0 or more."),
    (["read", "--average", "1.5"], "it takes a whole number"),
    (["run", "--rate", "900"], "--rate takes at most 800 Hz with an ADXL345, not 900."),
    (["run", "--speed", "fast", "--board", Tool.board("raspberry-pi-adxl345")], "needs a board whose bus and lines"),
  ])
  static func `an impossible value gets what is allowed, and the way to the help`(
    arguments: [String], answer: String
  ) throws {
    let result = try Tool.run(arguments: arguments)
    expect(result.exitCode, equals: 64)
    expect(that: result.errors.hasPrefix("Error: "))
    expect(result.errors, contains: answer)
    expect(result.errors, hasSuffix: "  See 'plumb \(arguments[0]) --help' for more information.\n")
    expect(result.errors, contains: "\nUsage: plumb \(arguments[0]) ")
  }

  @Test static func `a misspelt recording gets the nearest name in its folder`() throws {
    try withFile(named: "movement.csv", content: Data("time_s,x_g,y_g,z_g\n0,0,1,0\n".utf8)) { file in
      for command in [["replay"], ["plot", "-o", "-"]] {
        let result = try Tool.run(arguments: command + [file.replacing("movement", with: "movment")])
        expect(result.exitCode, equals: 66)
        expect(that: result.errors.hasSuffix("no such file (did you mean \(file)?)\n"))
      }
    }
    try expect(Tool.run("replay", "/no/such/recording.csv").errors, hasSuffix: ": no such file\n")
  }

  @Test static func `an unknown command gets the list of commands`() throws {
    let errors = try Tool.run("frobnicate").errors
    for name in ["run", "watch", "read", "replay", "record", "plot", "calibrate", "doctor", "selftest"] {
      #expect(errors.contains(" \(name),") || errors.contains(" \(name)\n"), "\(name)")
    }
  }

  @Test static func `a misspelt board gets the nearest, by name and by path`() throws {
    let boards = URL(filePath: Tool.board("emulated")).deletingLastPathComponent().path
    for (name, answer) in [
      ("emulatd", "emulatd: no such board file (did you mean emulated?); `plumb boards` lists"),
      ("raspbery-pi-adxl345.ini", "(did you mean raspberry-pi-adxl345?)"),
      ("\(boards)/emulatde.ini", "no such board file (did you mean \(boards)/emulated.ini?)"),
    ] {
      for command in ["run", "doctor", "wiring", "selftest", "read"] {
        let result = try Tool.run(
          arguments: [command, "--board", name], environment: ["PLUMB_BOARDS": boards])
        expect(result.exitCode, equals: 78, "\(command): \(result.errors)")
        expect(that: result.errors.contains(answer), "\(command): \(result.errors)")
      }
    }
    let far = try Tool.run("run", "--board", "somewhere-else")
    expect(far.exitCode, equals: 78)
    expect(that: !far.errors.contains("did you mean"))
    try expect(Tool.run("run", "--board", "/no/such/folder/board.ini").errors, contains: "no such board file\n")
  }

  @Test static func `a misspelt key of a board file gets the nearest`() throws {
    let text = try String(contentsOfFile: Tool.board("emulated"), encoding: .utf8)
    try withFile(named: "board.ini", content: Data(text.replacing("portrait =", with: "potrait =").utf8)) {
      let result = try Tool.run("run", "--board", $0)
      expect(result.exitCode, equals: 78, "\(result.errors)")
      expect(result.errors, contains: "(did you mean \"portrait\"?)", "\(result.errors)")
    }
  }

  @Test static func `a shipped board file is left unchanged, and the way to an own copy is explained`() throws {
    let boards = URL(filePath: Tool.board("emulated")).deletingLastPathComponent().path
    let file = Tool.board("emulated-uncalibrated")
    let (before, folder) = (try Data(contentsOf: URL(fileURLWithPath: file)), try scratchFolder())
    defer { remove(folder) }
    let link = folder.appendingPathComponent("a link.ini").path
    // A shell must not split it.
    func word(_ path: String) -> String { path.contains(" ") ? "'\(path)'" : path }
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
    for command in ["calibrate", "mount"] {
      for (name, copied) in [("emulated-uncalibrated", file), (file, file), (link, link)] {
        func run(_ more: String...) throws -> Tool {
          try Tool.run(
            arguments: [command, "--board", name, "--speed", "fast"] + more, environment: ["PLUMB_BOARDS": boards])
        }
        let result = try run()
        expect(result.exitCode, equals: 73)
        expect(result.output, equals: "")
        expect(that: result.errors.hasPrefix("plumb: \(name) "))
        expect(result.errors, contains: "copy it: `cp \(word(copied)) my-board.ini`", "\(result.errors)")
        try expect(run("--dry-run").exitCode, equals: 0)
        try expect(Data(contentsOf: URL(fileURLWithPath: file)), equals: before)
      }
      // A copy in another folder is the user's own.
      let copy = folder.appendingPathComponent("\(command).ini").path
      try before.write(to: URL(fileURLWithPath: copy))
      let own = try Tool.run(
        arguments: [command, "--board", copy, "--speed", "fast"], environment: ["PLUMB_BOARDS": boards])
      expect(own.exitCode, equals: 0, "\(own.errors)")
      try expect(Data(contentsOf: URL(fileURLWithPath: copy)), isNot: before, "\(own.errors)")
    }
  }
}

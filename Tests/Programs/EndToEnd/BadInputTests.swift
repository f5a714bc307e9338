import Foundation
import TestSupport
import Testing

/// Bad input gets one clear line on standard error, the right exit code, and nothing that looks like a result.
struct BadInputTests {
  struct CSV: Sendable {
    var content: String
    var words: [String]
  }

  static let header = "time_s,x_g,y_g,z_g\n"
  static let recordings = [
    CSV(content: "", words: ["empty", "time_s,x_g,y_g,z_g"]),
    CSV(content: "\n\n", words: [":1:", "header"]),
    CSV(content: header, words: ["no sample"]),
    CSV(content: "x,y,z\n0,0,1\n", words: [":1:", "x,y,z", "time_s,x_g,y_g,z_g"]),
    CSV(content: header + "0,0,1,0\n0.02,0,1\n", words: [":3:", "3 columns", "4"]),
    CSV(content: header + "0,0,1,0\n0.02,0,1,0,5\n", words: [":3:", "5 columns"]),
    CSV(content: header + "0,0,1,0\n\n0.04,zero,1,0\n", words: [":4:", "x_g", "zero"]),
    CSV(content: header + "0,0,1,0\n0.02,0,,0\n", words: [":3:", "y_g"]),
    CSV(content: header + "0,0,1,nan\n", words: [":2:", "z_g", "nan"]),
    CSV(content: header + "0,0,1,0\u{0}junk\n", words: [":2:", "z_g", "x00"]),
    CSV(content: header + "0,0,0x1p1,0\n", words: [":2:", "y_g", "0x1p1"]),
    CSV(content: header + "0,0,1,inf\n", words: [":2:", "z_g"]),
    CSV(content: header + "0,0,1e9,0\n", words: [":2:", "y_g", "32767"]),
    CSV(content: header + "1e300,0,1,0\n", words: [":2:", "time_s"]),
    CSV(content: header + "0,0,1,0\n" + String(repeating: "9", count: 5_000), words: [":3:", "1000 bytes"]),
    CSV(content: Recordings.rotating, words: ["no sample"]),
    CSV(content: Recordings.rotating + "0,0,1,0\n", words: [":2:", "4 columns where 7"]),
    CSV(content: Recordings.rotating + "0,0,1,0,0,0\n", words: [":2:", "6 columns where 7"]),
    CSV(content: Recordings.rotating + "0,0,1,0,0,0,0,0\n", words: [":2:", "8 columns where 7"]),
    CSV(content: Recordings.rotating + "0,0,1,0,4000.1,0,0\n", words: [":2:", "x_dps", "4000.1", "±4000 °/s"]),
    CSV(content: Recordings.rotating + "0,0,1,0,0,-4001,0\n", words: [":2:", "y_dps", "-4001", "±4000 °/s"]),
    CSV(content: Recordings.rotating + "0,0,1,0,0,0,1e9\n", words: [":2:", "z_dps", "±4000 °/s"]),
    CSV(content: Recordings.rotating + "0,0,1,0,0,0,nan\n", words: [":2:", "z_dps", "nan"]),
    CSV(content: Recordings.rotating + "0,0,1,0,fast,0,0\n", words: [":2:", "x_dps", "fast"]),
    CSV(content: Recordings.rotating + "0,0,1,0,0,,0\n", words: [":2:", "y_dps", "not a number"]),
    CSV(content: Recordings.rotating + "0,0,1,0,0,0,0x1\n", words: [":2:", "z_dps", "0x1"]),
    CSV(content: header + "0,0,1,0,0,0,0\n", words: [":2:", "7 columns where 4"]),
  ]

  @Test(arguments: recordings)
  static func `a broken recording is reported with its line and what is wrong`(csv: CSV) throws {
    var result = try withFile(content: Data(csv.content.utf8)) { try Tool.run("replay", $0) }
    // Rows before a wrong line are processed before the error.
    if csv.content.contains("\n0,0,1,0\n") && result.output.hasPrefix("    time ") {
      expect(result.output, lacks: "Summary")
      result.output = ""
    }
    expectRefusal(result, 65, csv.words)
  }

  @Test
  static func `a recording of random bytes is rejected, and its bytes do not reach the terminal`() throws {
    let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 197 &+ $0 >> 8) })
    expectRefusal(try withFile(content: bytes) { try Tool.run("replay", $0) }, 65, [":1:"])
  }

  @Test
  static func `an endless recording is rejected at its first line`() throws {
    expectRefusal(try Tool.run("replay", "/dev/zero"), 65, [":1:"])
  }

  @Test
  static func `a recording with carriage returns, a byte order mark, blanks and no last line feed is read`() throws {
    let text = "\u{FEFF}time_s, x_g, y_g, z_g\r\n0, 0, 1, 0\r\n\r\n 0.02,0,1e0,+0.0"
    let result = try withFile(content: Data(text.utf8)) { try Tool.run("replay", $0, "--format", "json") }
    expect(result.exitCode, equals: 0)
    try expect(result.objects.last?["samples"] as? Int, equals: 2)
  }

  @Test
  static func `a missing recording or a directory is reported as such`() throws {
    expectRefusal(try Tool.run("replay", "/nonexistent.csv"), 66, ["/nonexistent.csv", "no such file"])
    expectRefusal(try Tool.run("replay", "/"), 66, ["directory"])
    expectRefusal(try Tool.run("replay", "/no\nsuch\u{1B}[2J.csv"), 66, ["no\\x0asuch\\x1b"])
    expectRefusal(try Tool.run("run", "--board", "/no\nsuch.ini"), 78, ["no\\x0asuch"])
  }

  @Test
  static func `a board file that is not one is rejected with code 78`() throws {
    expectRefusal(try Tool.run("run", "--board", "/"), 78, ["directory"])
    expectRefusal(try Tool.run("run", "--board", "/nonexistent.ini"), 78, ["/nonexistent.ini"])
    let contents: [(Data, [String])] = [
      (Data(), []), (Data([0x00, 0xFF, 0x1B, 0x5B]), [":1:"]), (Data(count: 10 << 20), []),
      (Data("[i2c]\nbus = /dev/i2c-1\n[sensor]\nmodel = adxl354\n".utf8), [":4:", "adxl354", "adxl345"]),
    ]
    for (content, words) in contents {
      expectRefusal(try withFile(content: content) { try Tool.run("run", "--board", $0) }, 78, words)
    }
  }

  private static func board(bus: String, chip: String) -> String {
    """
    [i2c]
    bus = \(bus)
    [sensor]
    model = adxl345
    address = 0x53
    [lines]
    chip = \(chip)
    portrait = 17
    portraitUpsideDown = 27
    landscapeLeft = 22
    landscapeRight = 23
    faceUp = 24
    faceDown = 25
    """
  }

  @Test
  static func `a missing bus is reported with its fix and code 69`() throws {
    for path in ["/dev/i2c-250", "/nonexistent/bus"] {
      let board = Self.board(bus: path, chip: "emulated")
      let result = try withFile(content: Data(board.utf8)) { try Tool.run("run", "--board", $0) }
      expectRefusal(result, 69, [path])
    }
  }

  @Test
  static func `lines of a missing chip are reported with code 69`() throws {
    let board = Self.board(bus: "emulated", chip: "no-such-chip")
    let result = try withFile(content: Data(board.utf8)) { try Tool.run("run", "--board", $0) }
    expectRefusal(result, 69, ["no-such-chip"])
  }

  @Test
  static func `an unreadable file is reported with code 77`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let file = folder.appendingPathComponent("secret")
    try Data("secret".utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o000], ofItemAtPath: file.path)
    // Root may read everything: the tool runs without its rights.
    for arguments in [["run", "--board", file.path], ["replay", file.path]] {
      expectRefusal(try Tool.run(arguments: arguments, launcher: Tool.withoutRights), 77, [file.path])
    }
  }

  @Test(arguments: [
    ["run", "--motion", "dance"], ["run", "--duration", "0"], ["run", "--duration", "0x10"],
    ["run", "--duration", "-1"],
    ["run", "--speed", "slow"], ["run", "--give-up", "0"], ["probe", "--format", "xml"],
    ["run", "--format", "xml"], ["replay"], ["dance"], ["run", "--seed", "-1"],
  ])
  static func `wrong usage has code 64 and says what is allowed`(arguments: [String]) throws {
    let result = try Tool.run(arguments: arguments)
    expect(result.exitCode, equals: 64)
    expect(empty: result.output)
    expect(that: !result.errors.isEmpty)
  }

  private static func expectRefusal(_ result: Tool, _ code: Int32, _ words: [String]) {
    expect(result.exitCode, equals: code)
    expect(empty: result.output)
    expect(result.errors.split(separator: "\n").count, equals: 1, "one line: \(result.errors)")
    expect(all: result.errors.utf8) { $0 >= 0x20 || $0 == 0x0A }
    for word in words { expect(result.errors, contains: word, "\(word) in \(result.errors)") }
  }
}

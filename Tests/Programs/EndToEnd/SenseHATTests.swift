import Foundation
import TestSupport
import Testing

/// The tool with the matrix of a Sense HAT in place of lines.
struct SenseHATTests {
  private static func board(_ lines: String, bus: String = "emulated") -> Data {
    Data("[i2c]\nbus = \(bus)\n[sensor]\nmodel = mpu6050\naddress = 0x68\n[lines]\n\(lines)\n".utf8)
  }

  private static func run(
    _ command: String, _ more: String..., lines: String = "chip = emulated-sense-hat", bus: String = "emulated"
  ) throws -> Tool {
    try withFile(named: "board.ini", content: board(lines, bus: bus)) {
      try Tool.run(arguments: [command, "--board", $0] + more)
    }
  }

  /// What `plumb run` writes on a terminal.
  private static func onTerminal(environment: [String: String] = ["NO_COLOR": ""]) throws -> String {
    let script = URL(filePath: #filePath).appending(path: "../../../System/Terminal/transcript.py").standardized.path
    return try withFile(named: "board.ini", content: board("chip = emulated-sense-hat")) { file in
      try Tool.run(
        arguments: ["run", "--board", file, "--speed", "fast"], launcher: ["/usr/bin/python3", "-B", script, "80", ""],
        environment: ["TERM": "xterm-256color"].merging(environment) { $1 }
      ).output
    }
  }

  /// The lines of a picture as drawn, without colour.
  private static let arrow = ["  ▄██▄  ", "▄█▀██▀█▄", "   ██   ", "   ██   "]
  private static let ring = [" ▄▀▀▀▀▄ ", "█      █", "█      █", " ▀▄▄▄▄▀ "]

  @Test static func `a terminal with colour shows each picture once, green for poses and red for trouble`() throws {
    let text = try onTerminal()
    let green = text.components(separatedBy: "\u{1B}[92m").count - 1
    let red = text.components(separatedBy: "\u{1B}[91m").count - 1
    // Seven poses in turn; one fault, after which the fourth pose is shown again.
    expect(green, equals: 4 * 8, "\(green) \(red)")
    expect(red, equals: 4, "\(green) \(red)")
    for (name, picture) in [("portrait", Self.arrow), ("face up", Self.ring)] {
      // On a terminal a line ends with two characters, which are one in Swift.
      let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      let row = try unwrapped(lines.firstIndex { $0.contains("  \(name)") })
      for (index, line) in picture.enumerated() { expect(that: lines[row + 1 + index].contains(line)) }
    }
  }

  @Test static func `elsewhere, and without colour, there is a letter for each pose as with LEDs`() throws {
    let plain = try run("run", "--speed", "fast")
    expect(plain.exitCode, equals: 0)
    expect(plain.output, contains: "[P·····]  portrait")
    expect(plain.output, lacks: "█")
    expect((try onTerminal(environment: ["NO_COLOR": "1"])), lacks: "█")
  }

  @Test static func `a fault is steady, and the matrix is written once a change`() throws {
    let result = try run("run", "--speed", "fast", "--format", "json")
    try expect(result.events("trouble").count, equals: 1)
    // Seven changes of pose, trouble, and the pose after it.
    try expect(unwrapped(try result.objects.last)["output_writes"] as? Int, equals: 9)
  }

  @Test static func `there is nothing to wire, and nothing to draw`() throws {
    for bus in ["emulated", "/dev/i2c-1"] {
      let text = try run("wiring", lines: "chip = sense-hat", bus: bus)
      expect(text.exitCode, equals: 0)
      expect(that: text.output.hasPrefix("There is nothing to wire:"))
      expect(text.output, lacks: "GPIO")
    }
    let json = try run("wiring", "--format", "json")
    expect(json.exitCode, equals: 0)
    expect(json.output, contains: "There is nothing to wire:")
    try expect(json.objects.count, equals: 1)
    try expect(run("wiring", "--format", "svg").exitCode, equals: 78)
  }

  @Test static func `boards says what it is and what it needs`() throws {
    let text = try withFile(named: "board.ini", content: board("chip = sense-hat", bus: "/dev/i2c-1")) {
      try Tool.run("boards", $0)
    }
    expect(text.exitCode, equals: 0)
    expect(that: !text.output.contains("GPIO"))
    for words in ["matrix of a Sense HAT", "brightness           10 of 31", "at the end           dark", "i2c,video"] {
      expect(text.output, contains: words, "\(words)")
    }
  }

  @Test static func `doctor has one row for it in place of those for lines`() throws {
    let result = try run("doctor", "--format", "json", lines: "chip = sense-hat", bus: "/dev/i2c-99")
    expect(result.exitCode, equals: 69)
    let checks = try result.objects.compactMap { $0["check"] as? String }
    expect(that: checks.contains("matrix"))
    expect(that: !checks.contains("lines"))
    expect(that: !checks.contains("chip"))
    let emulated = try run("doctor")
    expect(emulated.exitCode, equals: 0)
  }

  @Test static func `a cross-fade is refused`() throws {
    let result = try run("interface", "--cross-fade", "--speed", "fast")
    expect(result.exitCode, equals: 64)
    expect(result.errors, contains: "a matrix shows whole pictures")
  }

  /// A Raspberry Pi could have a HAT.
  private static var isRaspberryPi: Bool {
    FileManager.default.contents(atPath: "/proc/device-tree/model").map {
      String(decoding: $0, as: UTF8.self).hasPrefix("Raspberry Pi")
    } ?? false
  }

  @Test(.enabled(if: !isRaspberryPi))
  static func `without a bus, on a computer that cannot have a HAT, it is emulated, and this is said`() throws {
    let result = try run(
      "run", "--speed", "fast", "--motion", "faceUp", lines: "chip = sense-hat", bus: "/dev/i2c-99")
    expect(result.exitCode, equals: 0)
    expect(result.output, contains: "[····F·]  face up")
    expect(result.errors, contains: "no Sense HAT here (there is no /dev/i2c-99): it is emulated")
    // Other boards are not.
    let other = try withFile(named: "board.ini", content: board("chip = emulated", bus: "/dev/i2c-99")) {
      try Tool.run(arguments: ["run", "--board", $0, "--duration", "1"])
    }
    expect(other.exitCode, isNot: 0)
    expect(that: !other.errors.contains("Sense HAT"))
  }
}

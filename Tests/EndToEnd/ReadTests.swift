import Foundation
import Testing

/// `plumb read` on emulated boards: the pose and all angles, correct at start-up.
@Suite struct ReadTests {
  static let poses: [(name: String, force: [Double], words: String)] = [
    ("portrait", [0, 1, 0], "upright"), ("portraitUpsideDown", [0, -1, 0], "upside down"),
    ("landscapeLeft", [1, 0, 0], "the right edge is up"), ("landscapeRight", [-1, 0, 0], "the left edge is up"),
    ("faceUp", [0, 0, 1], "the face up"), ("faceDown", [0, 0, -1], "the back up"),
  ]

  private func read(_ arguments: String...) throws -> Tool { try Tool.run(arguments: ["read"] + arguments) }

  @Test(arguments: ["emulated", "emulated-mpu6050"])
  func `each of the six poses is told at start-up with all angles, by both sensors`(board: String) throws {
    for (name, force, words) in Self.poses {
      for seed in 1...3 {
        let arguments = ["--board", Tool.board(board), "--motion", name, "--seed", "\(seed)"]
        let json = try Tool.run(arguments: ["read", "--format", "json"] + arguments)
        #expect(json.exitCode == 0 && json.errors.isEmpty)
        let answer = try Answer(json)
        #expect(answer.text("event") == "read")
        #expect(answer.text("pose") == name)
        #expect(answer.isNull("reason") && answer.isNull("detail") && answer.isNull("notice"))
        #expect(answer.isNull("relative_to") && answer.isNull("relative_deg"))
        #expect(answer.flag("adopted") == false)
        // Noise only: some thousandths of a g.
        for (key, expected) in zip(["x", "y", "z"], force) { #expect(abs(try answer.number(key) - expected) < 0.05) }
        try answer.agreesWithFormulas()
        let text = try Tool.run(arguments: ["read"] + arguments)
        #expect(text.exitCode == 0 && text.errors.isEmpty)
        let rows = text.output.split(separator: "\n")
        #expect(rows[0].hasPrefix("Emulated ") && rows[0].hasSuffix("motion \(name)."))
        #expect(rows[1].hasPrefix("pose        \(name) ") && rows[1].contains(words))
        let names = ["pose", "force", "angle", "level", "pitch", "roll", "inclination", "steering"]
        #expect(rows.dropFirst().map { String($0.prefix { $0 != " " }) } == names)
        let isFlat = name.hasPrefix("face")
        #expect(rows[3].contains("–") == isFlat && rows[4].contains("–") == isFlat)
        #expect(rows[6].contains("–") == name.hasPrefix("portrait"))
      }
    }
  }

  @Test func `the average of many samples has less noise than one, and the same pose`() throws {
    func worst(_ samples: String) throws -> Double {
      try (1...12).map { seed in
        let answer = try Answer(
          try Tool.run(
            "read", "--motion", "landscapeLeft", "--seed", "\(seed)", "--average", samples, "--format", "json"))
        #expect(answer.text("pose") == "landscapeLeft")
        return abs(try answer.number("pitch_deg"))
      }.reduce(0, max)
    }
    #expect(try worst("400") < 0.05)
    #expect(try worst("1") > 0.1)
  }

  @Test(arguments: [["--average", "0"], ["--average", "10001"], ["--rate", "0.5"], ["--rate", "801"]])
  func `a number of samples or a rate that cannot be is refused`(options: [String]) throws {
    let result = try Tool.run(arguments: ["read"] + options)
    #expect(result.exitCode == 64 && result.errors.contains(options[0]), "\(result.errors)")
  }

  @Test func `without options it is the emulated board, held in portrait`() throws {
    let result = try read()
    #expect(result.exitCode == 0)
    #expect(result.output.hasPrefix("Emulated ADXL345 at 0x53, motion hold.\npose        portrait "))
    #expect(try read().output == result.output)
    #expect(try read("--seed", "2").output != result.output)
  }

  @Test(arguments: zip(ReadTests.poses.map(\.name), [0.0, 180, -90, 90, 0, 0]))
  func `the angle relative to a pose is the device angle less that of the pose`(pose: String, own: Double) throws {
    for motion in ["hold", "landscapeLeft", "landscapeRight", "portraitUpsideDown"] {
      let result = try read("--motion", motion, "--relative-to", pose, "--format", "json")
      #expect(result.exitCode == 0)
      let answer = try Answer(result)
      #expect(answer.text("relative_to") == pose)
      let difference = try answer.number("angle_deg") - own - answer.number("relative_deg")
      #expect(abs(remainder(difference, 360)) < 0.0002)
      #expect((-180.0...180).contains(try answer.number("relative_deg")))
      #expect(try read("--motion", motion, "--relative-to", pose).output.contains("\nrelative "))
    }
  }

  @Test func `a pose that does not exist is wrong usage, and those that do are listed`() throws {
    for name in ["up", "Portrait", "unknown", ""] {
      let result = try read("--relative-to", name)
      #expect(result.exitCode == 64 && result.output.isEmpty)
      for (pose, _, _) in Self.poses { #expect(result.errors.contains(pose)) }
    }
    let motion = try read("--motion", "fly")
    #expect(motion.exitCode == 64 && motion.errors.contains("landscapeLeft"))
    #expect(try read("--format", "xml").exitCode == 64)
    #expect(try read("board.ini").exitCode == 64)
  }

  @Test func `motion and seed are of emulated boards only`() throws {
    let board = Tool.board("raspberry-pi-adxl345")
    for option in [["--motion", "hold"], ["--seed", "1"]] {
      let result = try Tool.run(arguments: ["read", "--board", board] + option)
      #expect(result.exitCode == 64)
      #expect(result.errors.contains("needs a board whose bus is emulated"))
    }
  }

  @Test func `a board file that is bad or not there has code 78, and names the place`() throws {
    let missing = try read("--board", "/nonexistent.ini")
    #expect(missing.exitCode == 78 && missing.errors.contains("/nonexistent.ini"))
    let bad = try withFile(named: "board.ini", content: Data("[sensor]\nmodel = adxl999\n".utf8)) {
      try read("--board", $0)
    }
    #expect(bad.exitCode == 78 && bad.errors.contains("board.ini:2"))
    #expect(bad.output.isEmpty && bad.errors.split(separator: "\n").count == 1)
  }

  @Test func `standard output that cannot be written has code 73`() throws {
    let launcher = ["/bin/sh", "-c", "exec \"$0\" \"$@\" >/dev/full"]
    let result = try Tool.run(arguments: ["read"], launcher: launcher)
    #expect(result.exitCode == 73)
  }
}

/// The one object of `plumb read --format json`.
struct Answer {
  private let fields: [String: Any]

  init(_ tool: Tool) throws {
    let objects = try tool.objects
    guard objects.count == 1, let first = objects.first else { throw Missing() }
    fields = first
  }

  func text(_ key: String) -> String? { fields[key] as? String }
  func flag(_ key: String) -> Bool? { fields[key] as? Bool }
  func isNull(_ key: String) -> Bool { fields[key] is NSNull }

  func number(_ key: String) throws -> Double {
    guard let number = fields[key] as? NSNumber else { throw Missing() }
    return number.doubleValue
  }

  /// Compares every angle with its formula in Double.
  ///
  /// The components are given to a millionth of a g: over the least length that counts, 0.3 g, that is 2e-4°.
  func agreesWithFormulas() throws {
    let (x, y, z) = (try number("x"), try number("y"), try number("z"))
    let degrees = 180 / Double.pi
    func expect(_ key: String, _ value: Double, _ within: Double = 0.001) throws {
      #expect(abs(remainder(try number(key) - value, 360)) < within, "\(key)")
    }
    if hypot(x, y) > 0.3 {
      try expect("angle_deg", atan2(-x, y) * degrees)
      try expect("level_deg", -atan2(-x, y) * degrees)
    }
    if hypot(x, z) > 0.3 { try expect("roll_deg", atan2(-x, z) * degrees) }
    try expect("pitch_deg", atan2(y, hypot(x, z)) * degrees)
    try expect("inclination_deg", atan2(hypot(x, y), z) * degrees)
    let (sine, face) = (asin(max(-1, min(1, -y))), asin(min(1, abs(z))))
    // Near flat the quotient is one of two small numbers.
    if face < 1.5 { try expect("steering_deg", max(-90, min(90, 180 * sine / (.pi - 2 * face))), 0.01) }
    #expect((-90.0...90).contains(try number("steering_deg")))
  }
}

import Foundation
import TestSupport
import Testing

/// The emulated board with an MPU-6050 behaves like the one with an ADXL345.
struct MPU6050Tests {
  static let board = Tool.board("emulated-mpu6050")

  private static func run(_ board: String, _ more: String...) throws -> Tool {
    try Tool.run(arguments: ["run", "--board", board, "--speed", "fast", "--format", "json"] + more)
  }

  @Test
  static func `both sensors report the same poses in the same order, and the same trouble and recovery`() throws {
    func story(_ board: String) throws -> [String] {
      try run(board).objects.compactMap { object in
        switch object["event"] as? String {
        case "pose": object["to"] as? String
        case "trouble": (object["reason"] as? String).map { "trouble: " + $0 }
        case let event? where ["recovery", "give-up", "notice", "summary"].contains(event): event
        // Phases of the interface and gestures have their own tests.
        default: nil
        }
      }
    }
    let poses = ["portrait", "landscapeLeft", "portraitUpsideDown", "landscapeRight"]
    let rest = ["trouble: fault", "recovery", "landscapeRight", "faceUp", "portrait", "faceDown", "summary"]
    try expect(story(Tool.board("emulated")), equals: poses + rest)
    try expect(story(Self.board), equals: poses + rest)
  }

  @Test(arguments: ["hold"])
  static func `held still, both agree on all angles within a degree`(motion: String) throws {
    let results = try [Tool.board("emulated"), Self.board].map {
      try run($0, "--motion", motion, "--duration", "2", "--samples").events("sample")
    }
    for key in ["pitch_deg", "inclination_deg"] {
      let means = try results.map { samples in
        let values = try samples.map { try unwrapped($0[key] as? Double) }
        expect(values.count, isAbove: 150)
        return values.reduce(0, +) / Double(values.count)
      }
      expect(abs(means[0] - means[1]), isBelow: 1, "\(key)")
    }
  }

  @Test
  static func `the greeting names part, address, rate and range`() throws {
    let result = try Tool.run("run", "--board", Self.board, "--speed", "fast")
    expect(result.output, hasPrefix: "MPU-6050 at 0x68, emulated, 100 Hz, ±8 g, motion tumble.\n")
    expect(result.output, contains: "pose unknown: no acknowledge from 0x68")
  }

  @Test
  static func `a sample is one transaction, and the rest of the board file is applied too`() throws {
    let text = try String(contentsOfFile: Self.board, encoding: .utf8)
      .replacing("address = 0x68", with: "address = 0x69\nrate = 250\nrange = 8\nmounting = -y +x +z")
    try withFile(named: "board.ini", content: Data(text.utf8)) { file in
      let greeting = try Tool.run("run", "--board", file, "--speed", "fast", "--duration", "1").output
      expect(greeting, hasPrefix: "MPU-6050 at 0x69, emulated, 250 Hz, ±8 g, ")
      let figures = try ["2", "9"].map { duration in
        let result = try run(file, "--motion", "hold", "--duration", duration)
        try expect(result.events("pose").map { $0["to"] as? String }, equals: ["portrait"])
        return try unwrapped(try result.objects.last)
      }
      func grown(_ key: String) throws -> Int {
        try unwrapped(figures[1][key] as? Int) - unwrapped(figures[0][key] as? Int)
      }
      try expect(grown("samples"), equals: 7 * 250)
      // Once a second four more check the configuration.
      try expect(grown("transactions"), isIn: 7 * 254...7 * 250 + 32)
    }
  }

  @Test
  static func `with little patience it gives up and reports that, with code 69`() throws {
    for board in [Tool.board("emulated"), Self.board] {
      let result = try run(board, "--give-up", "0.1")
      expect(result.exitCode, equals: 69)
      expect(result.errors, contains: "gave up after 0.")
      try expect(result.objects.suffix(2).map { $0["event"] as? String }, equals: ["give-up", "summary"])
      try expect(run(board, "--give-up", "5").exitCode, equals: 0)
    }
  }

  @Test
  static func `the summary counts each kind of fault and each reason`() throws {
    for board in [Tool.board("emulated"), Self.board] {
      let summary = try unwrapped(try run(board).objects.last)
      let kinds = try unwrapped(summary["fault_kinds"] as? [String: Int])
      expect(Set(kinds.keys), equals: ["noAcknowledge"])
      expect(kinds["noAcknowledge"], equals: summary["faults"] as? Int)
      expect(summary["unknown"] as? [String: Int], equals: ["fault": 1])
      try expect(unwrapped(summary["restarts"] as? Int), isAtLeast: 1)
    }
  }

  @Test(arguments: [
    ("model = adxl345", ":9:", "\"0x68\" of \"address\" in [sensor]; allowed: 0x53 (SDO low) or 0x1D (SDO high)"),
    ("model = mpu9250", ":8:", "allowed: adxl345"),
    ("model = mpu6050\nrate = 1001", ":9:", "allowed: a number from 1 to 1000 (Hz), at most 3 decimals"),
  ])
  static func `a board file that mixes up the sensors is rejected with its line`(
    line: String, place: String, words: String
  )
    throws
  {
    let text = try String(contentsOfFile: Self.board, encoding: .utf8).replacing("model = mpu6050", with: line)
    let result = try withFile(content: Data(text.utf8)) { try Tool.run("run", "--board", $0) }
    expect(result.exitCode, equals: 78)
    expect(empty: result.output)
    expect(that: result.errors.contains(place), "\(result.errors)")
    expect(that: result.errors.contains(words), "\(result.errors)")
  }
}

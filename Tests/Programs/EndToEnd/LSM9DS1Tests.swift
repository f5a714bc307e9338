import Foundation
import Testing

/// The emulated board with an LSM9DS1 behaves like the one with an MPU-6050.
@Suite struct LSM9DS1Tests {
  static let board = Tool.board("emulated-lsm9ds1")

  private func run(_ more: String..., board: String = board) throws -> Tool {
    try Tool.run(arguments: ["run", "--board", board, "--speed", "fast", "--format", "json"] + more)
  }

  private func poses(_ result: Tool) throws -> [String] {
    try result.events("pose").compactMap { $0["to"] as? String }
  }

  @Test func `six poses are shown, with a fault and a recovery between them, also in batches of 25`() throws {
    let expected = [
      "portrait", "landscapeLeft", "portraitUpsideDown", "landscapeRight", "landscapeRight", "faceUp", "portrait",
      "faceDown",
    ]
    let result = try run()
    #expect(result.exitCode == 0)
    #expect(try poses(result) == expected)
    #expect(try result.events("trouble").count == 1 && result.events("recovery").count == 1)
    let batched = try run("--batch", "25")
    #expect(Set(try poses(batched)) == Set(expected))
    #expect(try batched.events("trouble").count == 1 && batched.events("recovery").count == 1)
  }

  @Test func `the greeting names the part, address, rate and range`() throws {
    let result = try Tool.run("run", "--board", Self.board, "--speed", "fast")
    #expect(result.output.hasPrefix("LSM9DS1 at 0x6A, emulated, 100 Hz, ±8 g, motion tumble."))
  }

  @Test(arguments: ["carried", "shaken", "driven", "full-turns"])
  func `fusion reports the poses that it reports with an MPU-6050, and the angles of the true attitude`(
    motion: String
  ) throws {
    // A sign that is wrong for one axis of either sensor would turn the fused up away from the true one.
    let (one, other) = (
      try run("--motion", motion, "--samples"),
      try run("--motion", motion, "--samples", board: Tool.board("emulated-mpu6050"))
    )
    #expect(try poses(one) == poses(other) && !poses(one).isEmpty)
    // The two start at different times, and filter differently: a single sample of a fast turn may differ.
    func inclinations(_ result: Tool) throws -> [Int: Double] {
      try result.events("sample").reduce(into: [:]) { found, sample in
        guard let time = sample["t"] as? Double, let angle = sample["inclination_deg"] as? Double else { return }
        found[Int((time * 100).rounded())] = angle
      }
    }
    let (mine, its) = try (inclinations(one), inclinations(other))
    let differences = mine.compactMap { time, angle in its[time].map { abs($0 - angle) } }
    #expect(differences.count > 500)
    #expect(differences.reduce(0, +) / Double(differences.count) < 2, "\(motion)")
  }

  @Test(arguments: [2, 4, 8, 16], [1, 100, 476, 952])
  func `a board at rest gives samples without a fault in every range and at every rate`(range: Int, rate: Int) throws {
    let text = try String(contentsOfFile: Self.board, encoding: .utf8)
    for (gyroscope, filter) in [("gyroscope-range = 245", ""), ("", "\n[filter]\ngravity = low-pass\n")] {
      let keys = "address = 0x6B\nrate = \(rate)\nrange = \(range)\n\(gyroscope)"
      let changed = text.replacing("address = 0x6A", with: keys) + filter
      try withFile(named: "board.ini", content: Data(changed.utf8)) { file in
        let result = try run("--motion", "hold", "--duration", "8", board: file)
        #expect(try poses(result) == ["portrait"], "\(result.errors)")
        #expect(try unwrapped(try result.objects.last)["samples"] as? Int ?? 0 >= 7 * rate)
        #expect(try result.events("trouble").isEmpty)
      }
    }
  }

  @Test func `probe, wiring, boards and selftest support it, and it falls asleep`() throws {
    let probe = try Tool.run("probe", "--board", Self.board)
    #expect(probe.output.hasPrefix("0x6A  an LSM9DS1") && probe.output.contains(": model = lsm9ds1; board"))
    let wiring = try Tool.run("wiring", "--board", "raspberry-pi-lsm9ds1").output
    for pin in ["VIN", "3Vo", "SDOAG", "CSAG", "INT1"] { #expect(wiring.contains(pin)) }
    #expect(try Tool.run("boards").output.contains("\nraspberry-pi-lsm9ds1\n"))
    let test = try Tool.run("selftest", "--board", Self.board)
    #expect(test.exitCode == 0 && test.output.contains("gyro"))
    #expect(test.output.replacing("\n", with: " ").contains("Compared with similar parts it works."))
    // It needs more than a second to fall asleep.
    let asleep = try run("--motion", "hold", "--duration", "6", "--sleep-after", "1")
    #expect(try !asleep.events("asleep").isEmpty)
  }

  @Test(arguments: ["dead-x", "weak-x", "dead-z"])
  func `a defect is doubtful on its axis`(defect: String) throws {
    let result = try Tool.run("selftest", "--board", Self.board, "--defect", defect)
    #expect(result.exitCode == 0)
    #expect(result.output.replacing("\n", with: " ").contains("\(defect.suffix(1)) may be defective"))
  }

  @Test func `a board file with a range of another gyroscope is rejected with what is allowed`() throws {
    let text = try String(contentsOfFile: Self.board, encoding: .utf8)
      .replacing("address = 0x6A", with: "address = 0x6A\ngyroscope-range = 250")
    let result = try withFile(content: Data(text.utf8)) { try Tool.run("run", "--board", $0) }
    #expect(result.exitCode == 78)
    #expect(result.errors.contains("245, 500 or 2000 (degrees per second)"), "\(result.errors)")
  }

  @Test func `it is recorded, calibrated, and its vibration measured`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let file = folder.appendingPathComponent("a.csv").path
    let record = try Tool.run(
      "record", "-o", file, "--duration", "3", "--board", Self.board, "--motion", "full-turns", "--speed", "fast")
    #expect(record.exitCode == 0, "\(record.errors)")
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains("x_dps"))
    let copy = try BoardCopy(String(contentsOfFile: Self.board, encoding: .utf8))
    defer { remove(copy.folder) }
    let calibrate = try copy.run("calibrate", "--format", "json")
    #expect(calibrate.exitCode == 0, "\(calibrate.errors)")
    let vibration = try Tool.run(
      "vibration", "--board", Self.board, "--motion", "hold", "--duration", "5", "--speed", "fast")
    #expect(vibration.exitCode == 0, "\(vibration.errors)")
  }
}

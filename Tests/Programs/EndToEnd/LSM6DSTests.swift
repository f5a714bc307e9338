import Foundation
import Testing

/// The emulated board with an LSM6DSO behaves like the one with an MPU-6050.
@Suite struct LSM6DSTests {
  static let board = Tool.board("emulated-lsm6ds")

  private func run(_ board: String = board, _ more: String...) throws -> Tool {
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
    let batched = try run(Self.board, "--batch", "25")
    #expect(Set(try poses(batched)) == Set(expected))
    #expect(try batched.events("trouble").count == 1 && batched.events("recovery").count == 1)
  }

  @Test(arguments: ["carried", "shaken", "driven"])
  func `while the board moves, fusion gives the same poses as with an MPU-6050`(motion: String) throws {
    let results = try ["emulated-mpu6050", "emulated-lsm6ds"].map {
      try run(Tool.board($0), "--motion", motion, "--duration", "20")
    }
    let stories = try results.map(poses)
    #expect(stories[0] == stories[1] && !stories[0].isEmpty, "\(stories)")
    for result in results { #expect(try result.events("trouble").isEmpty) }
  }

  @Test func `the greeting names the part, address, rate and range`() throws {
    let result = try Tool.run("run", "--board", Self.board, "--speed", "fast")
    #expect(result.output.hasPrefix("LSM6DS at 0x6A, emulated, 100 Hz, ±8 g, motion tumble."))
  }

  @Test(arguments: [(2, 1, 125), (4, 104, 500), (8, 400, 2_000), (16, 416, 250)])
  func `a board at rest gives samples without a fault in every range and at every rate`(
    range: Int, rate: Int, gyroscope: Int
  ) throws {
    let keys = "address = 0x6B\nrate = \(rate)\nrange = \(range)\ngyroscope-range = \(gyroscope)"
    let text = try String(contentsOfFile: Self.board, encoding: .utf8).replacing("address = 0x6A", with: keys)
    try withFile(named: "board.ini", content: Data(text.utf8)) { file in
      let result = try run(file, "--motion", "hold", "--duration", "8")
      #expect(try poses(result) == ["portrait"])
      #expect(try unwrapped(try result.objects.last)["samples"] as? Int ?? 0 >= 7 * rate)
      #expect(try result.events("trouble").isEmpty)
    }
  }

  @Test func `probe, wiring, boards and selftest support it, and it sleeps until moved`() throws {
    let probe = try Tool.run("probe", "--board", Self.board)
    #expect(probe.output.hasPrefix("0x6A  an LSM6DSO or LSM6DSOX") && probe.output.contains(": model = lsm6ds; board"))
    let wiring = try Tool.run("wiring", "--board", "raspberry-pi-lsm6ds").output
    for pin in ["VIN", "3Vo", "DO", "CS", "I1", "I2"] { #expect(wiring.contains(pin)) }
    #expect(try Tool.run("boards").output.contains("\nraspberry-pi-lsm6ds\n"))
    let test = try Tool.run("selftest", "--board", Self.board)
    #expect(test.exitCode == 0 && test.output.contains("Passed"), "\(test.output)")
    let asleep = try run(Self.board, "--motion", "two-poses", "--sleep-after", "1")
    #expect(try !asleep.events("asleep").isEmpty && !asleep.events("awake").isEmpty)
  }

  @Test(arguments: ["dead-x", "weak-x", "dead-z", "dead-gyroscope"])
  func `a defect fails the self-test on its axis`(defect: String) throws {
    let result = try Tool.run("selftest", "--board", Self.board, "--defect", defect)
    #expect(result.exitCode == 69)
    let place = defect == "dead-gyroscope" ? "gyroscope" : "on \(defect.suffix(1))"
    #expect(result.errors.contains(place), "\(result.errors)")
  }
}

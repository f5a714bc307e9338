import Foundation
import Testing

/// The emulated board with an ICM-20948 behaves like the one with an MPU-6050.
@Suite struct ICM20948Tests {
  static let board = Tool.board("emulated-icm20948")

  private func run(_ more: String...) throws -> Tool {
    try Tool.run(arguments: ["run", "--board", Self.board, "--speed", "fast", "--format", "json"] + more)
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

  @Test(arguments: ["carried", "shaken", "driven"])
  func `fusion shows the same poses of a moving board as with an MPU-6050`(motion: String) throws {
    func poses(_ board: String) throws -> [String] {
      let result = try Tool.run(
        arguments: ["run", "--board", board, "--speed", "fast", "--format", "json", "--motion", motion])
      #expect(result.exitCode == 0)
      return try self.poses(result)
    }
    #expect(try poses(Self.board) == poses(Tool.board("emulated-mpu6050")))
  }

  @Test func `the greeting names the part, address, rate and range`() throws {
    let result = try Tool.run("run", "--board", Self.board, "--speed", "fast")
    #expect(result.output.hasPrefix("ICM-20948 at 0x69, emulated, 100 Hz, ±8 g, motion tumble."))
  }

  @Test(arguments: [2, 4, 8, 16], [1, 100, 400, 1_000])
  func `a board at rest gives samples without a fault in every range and at every rate`(range: Int, rate: Int) throws {
    let text = try String(contentsOfFile: Self.board, encoding: .utf8)
      .replacing("address = 0x69", with: "address = 0x68\nrate = \(rate)\nrange = \(range)")
    try withFile(named: "board.ini", content: Data(text.utf8)) { file in
      let result = try Tool.run(
        arguments: [
          "run", "--board", file, "--speed", "fast", "--format", "json", "--motion", "hold", "--duration", "8",
        ])
      #expect(try poses(result) == ["portrait"])
      #expect(try unwrapped(try result.objects.last)["samples"] as? Int ?? 0 >= 7 * rate)
      #expect(try result.events("trouble").isEmpty)
    }
  }

  @Test func `probe, wiring, boards and selftest support it, and it sleeps until moved`() throws {
    let probe = try Tool.run("probe", "--board", Self.board)
    #expect(probe.output.hasPrefix("0x69  an ICM-20948") && probe.output.contains(": model = icm20948; board"))
    let wiring = try Tool.run("wiring", "--board", "raspberry-pi-icm20948").output
    for pin in ["VIN", "1V8", "AD0", "CS"] { #expect(wiring.contains(pin)) }
    #expect(try Tool.run("boards").output.contains("\nraspberry-pi-icm20948\n"))
    let test = try Tool.run("selftest", "--board", Self.board)
    #expect(test.exitCode == 0, "\(test.output) \(test.errors)")
    let asleep = try run("--motion", "two-poses", "--sleep-after", "1")
    #expect(try !asleep.events("asleep").isEmpty && !asleep.events("awake").isEmpty)
  }

  @Test func `record, calibrate and vibration work as with any sensor`() throws {
    let record = try Tool.run("record", "--board", Self.board, "--speed", "fast", "--duration", "2", "-o", "-")
    #expect(record.exitCode == 0)
    #expect(record.output.hasPrefix("time_s,x_g,y_g,z_g,x_dps,y_dps,z_dps"))
    #expect(record.output.split(separator: "\n").count > 170)
    let vibration = try Tool.run(
      "run", "--board", Self.board, "--motion", "machine", "--speed", "fast", "--show", "vibration", "--duration", "20")
    #expect(vibration.exitCode == 0 && vibration.output.contains("vibration"))
  }
}

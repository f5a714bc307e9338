import Foundation
import Testing

/// The emulated board with a LIS3DH behaves like the one with an ADXL345.
@Suite struct LIS3DHTests {
  static let board = Tool.board("emulated-lis3dh")

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

  @Test func `the greeting names the part, address, rate and range`() throws {
    let result = try Tool.run("run", "--board", Self.board, "--speed", "fast")
    #expect(result.output.hasPrefix("LIS3DH at 0x18, emulated, 100 Hz, ±4 g, motion tumble."))
  }

  @Test(arguments: [2, 4, 8, 16], [1, 100, 400, 1_000])
  func `a board at rest gives samples without a fault in every range and at every rate`(range: Int, rate: Int) throws {
    let text = try String(contentsOfFile: Self.board, encoding: .utf8)
      .replacing("address = 0x18", with: "address = 0x19\nrate = \(rate)\nrange = \(range)")
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
    #expect(probe.output.hasPrefix("0x18  an LIS3DH") && probe.output.contains(": model = lis3dh; board"))
    let wiring = try Tool.run("wiring", "--board", "raspberry-pi-lis3dh").output
    for pin in ["VIN", "3VO", "SDO", "CS"] { #expect(wiring.contains(pin)) }
    #expect(try Tool.run("boards").output.contains("\nraspberry-pi-lis3dh\n"))
    let test = try Tool.run("selftest", "--board", Self.board)
    #expect(test.exitCode == 0 && test.output.contains("Passed: all three axes respond within the limits."))
    let asleep = try run("--motion", "two-poses", "--sleep-after", "1")
    #expect(try !asleep.events("asleep").isEmpty && !asleep.events("awake").isEmpty)
  }

  @Test(arguments: ["dead-x", "weak-x", "dead-z"])
  func `a defect fails the self-test on its axis`(defect: String) throws {
    let result = try Tool.run("selftest", "--board", Self.board, "--defect", defect)
    #expect(result.exitCode == 69)
    #expect(result.errors.contains("failed its self-test on \(defect.suffix(1))"))
  }
}

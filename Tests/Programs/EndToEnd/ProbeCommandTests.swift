import Foundation
import TestSupport
import Testing

struct ProbeCommandTests {
  @Test(
    arguments: [
      ("emulated", "adxl345", "0x53", "0x53  an ADXL345", "raspberry-pi-adxl345"),
      ("emulated-mpu6050", "mpu6050", "0x68", "0x68  an MPU", "raspberry-pi-mpu6050"),
    ] + SensorBoard.all.map { ("emulated-\($0.model)", $0.model, $0.addresses.usual, $0.part, $0.boardFile) })
  static func `an emulated board's sensor is found, in words and for scripts`(
    board: String, model: String, address: String, beginning: String, file: String
  ) throws {
    let text = try Tool.run("probe", "--board", Tool.board(board))
    expect(text.exitCode, equals: 0)
    expect(empty: text.errors)
    expect(text.output, hasPrefix: beginning)
    let words = text.output.split { $0.isWhitespace }.joined(separator: " ")
    expect(words, hasSuffix: ": model = \(model); board file: \(file)")
    let json = try Tool.run("probe", "--board", Tool.board(board), "--format", "json")
    expect(json.exitCode, equals: 0)
    try expect(json.objects.map { $0["event"] as? String }, equals: ["finding", "summary"])
    let finding = try unwrapped(try json.objects.first)
    expect(finding["address"] as? Int, equals: Int(address.dropFirst(2), radix: 16))
    expect(finding["model"] as? String, equals: model)
    expect(finding["boards"] as? [String], equals: [file])
    expect(finding["usable"] as? Bool, equals: true)
    let summary = try unwrapped(try json.objects.last)
    expect(summary["bus"] as? String, equals: "emulated")
    expect(summary["found"] as? Int, equals: 1)
    expect(summary["usable"] as? Int, equals: 1)
  }

  @Test(arguments: ["/dev/i2c-250", "/dev/null", "/nonexistent"])
  static func `a path that is not a bus, or does not exist, is an error with code 69`(path: String) throws {
    let result = try Tool.run("probe", "--bus", path)
    expect(result.exitCode, equals: 69)
    expect(empty: result.output)
    expect(result.errors, contains: path)
    expect(result.errors.split(separator: "\n").count, equals: 1)
  }

  @Test static func `the number of a bus is enough, as in i2c-tools`() throws {
    try expect(Tool.run("probe", "--bus", "250").errors, equals: Tool.run("probe", "--bus", "/dev/i2c-250").errors)
  }

  @Test
  static func `a bus without permission is an error with code 77`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let file = folder.appendingPathComponent("i2c-1")
    try Data().write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o000], ofItemAtPath: file.path)
    // Root may open everything: the tool runs without its rights.
    let result = try Tool.run(arguments: ["probe", "--bus", file.path], launcher: Tool.withoutRights)
    expect(result.exitCode, equals: 77)
    expect(result.errors, contains: "no permission to use \(file.path); ")
    expect(result.errors, contains: ". Fix: sudo ")
  }

  @Test(arguments: ["/dev/i2c-1", "/dev/i2c-250", "/dev/null"])
  static func `probe, read and doctor give the same advice for an unusable bus`(path: String) throws {
    guard !FileManager.default.fileExists(atPath: path) || path == "/dev/null" else { return }
    let text = try String(contentsOfFile: Tool.board("raspberry-pi-adxl345"), encoding: .utf8)
      .replacing("/dev/i2c-1", with: path)
    try withFile(named: "board.ini", content: Data(text.utf8)) { board in
      let check = try Tool.run("doctor", "--board", board, "--format", "json").events("check")
        .first { $0["check"] as? String == "bus" }
      let detail = try unwrapped(check?["detail"] as? String)
      let fix = try unwrapped(check?["fix"] as? String)
      for command in [["probe", "--bus", path], ["probe", "--board", board], ["read", "--board", board]] {
        try expect(Tool.run(arguments: command).errors, equals: "plumb: \(detail). Fix: \(fix)\n", "\(command)")
      }
    }
  }

  @Test
  static func `a bad board file has code 78, and two buses are wrong usage`() throws {
    try expect(Tool.run("probe", "--board", "/nonexistent.ini").exitCode, equals: 78)
    try expect(Tool.run("probe", "--board", Tool.board("emulated"), "--bus", "/dev/i2c-1").exitCode, equals: 64)
  }
}

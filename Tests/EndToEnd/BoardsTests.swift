import Foundation
import Testing

/// `plumb boards`, and board files by name.
@Suite struct BoardsTests {
  private static let folder = URL(fileURLWithPath: Tool.board("emulated")).deletingLastPathComponent().path

  private func boards(_ arguments: String..., from folder: String = folder) throws -> Tool {
    try Tool.run(arguments: ["boards"] + arguments, environment: ["PLUMB_BOARDS": folder])
  }

  @Test
  func `every shipped board file is listed, can be used, and is explained by its first sentence`() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder).filter { $0.hasSuffix(".ini") }
    let names = files.map { String($0.dropLast(4)) }.sorted()
    #expect(names.contains("emulated") && names.contains("raspberry-pi-mpu6050"))
    let listed = try boards("--format", "json").events("board")
    #expect(listed.compactMap { $0["name"] as? String } == names)
    for board in listed {
      #expect(board["usable"] as? Bool == true)
      #expect(try unwrapped(board["detail"] as? String).hasSuffix("."))
    }
    let text = try boards()
    #expect(text.exitCode == 0 && text.errors.isEmpty)
    for name in names { #expect(text.output.contains("\n\(name)\n") || text.output.hasPrefix("\(name)\n")) }
    #expect(text.output.contains("\(Self.folder): \(names.count) board files"))
    #expect(text.output.split(separator: "\n").allSatisfy { $0.count <= 80 || $0.contains(Self.folder) })
  }

  @Test
  func `one is explained by path or by name, alike`() throws {
    let byName = try boards("raspberry-pi-mpu6050")
    let byPath = try boards(Self.folder + "/raspberry-pi-mpu6050.ini")
    #expect(byName.exitCode == 0 && byName.output == byPath.output)
    for words in [
      "MPU-6050 or a relative at 0x68, on /dev/i2c-1", "GPIO25  header pin 22", "any model of Raspberry Pi",
      "raspi-config nonint do_i2c 0", "usermod -aG i2c,gpio",
    ] {
      #expect(byName.output.contains(words), "\(words)")
    }
    #expect(!byName.output.contains("baudrate"))
    #expect(try boards("emulated").output.contains("Nothing is needed"))
  }

  @Test(arguments: [
    ("adxl345", 200, 100_000), ("adxl345", 400, 200_000), ("adxl345", 800, 400_000), ("mpu6050", 1_000, 200_000),
  ])
  func `a rate that needs a faster bus says which line of config.txt makes it one`(
    model: String, rate: Int, needed: Int
  ) throws {
    let text = try String(contentsOfFile: Tool.board("raspberry-pi-\(model)"), encoding: .utf8)
      .replacing("rate = 100", with: "rate = \(rate)")
    try withFile(named: "board.ini", content: Data(text.utf8)) { path in
      let board = try unwrapped(try boards(path, "--format", "json").objects.first)
      #expect(board["bus_hz_needed"] as? Int == needed)
      let words = "dtparam=i2c_arm_baudrate=\(needed)"
      #expect(try boards(path).output.contains(words) == (needed > 100_000))
    }
  }

  @Test
  func `commands take the name of a board file, and one that is no such name is told so with code 78`() throws {
    let environment = ["PLUMB_BOARDS": Self.folder]
    for command in ["probe", "wiring"] {
      let good = try Tool.run(arguments: [command, "--board", "emulated-mpu6050"], environment: environment)
      #expect(good.exitCode == 0, "\(good.errors)")
      let bad = try Tool.run(arguments: [command, "--board", "emulatde"], environment: environment)
      #expect(bad.exitCode == 78 && bad.errors.contains("plumb boards"))
    }
    #expect(try boards("emulatde").exitCode == 78)
  }

  @Test(arguments: [999, 1_001, 60_000])
  func `a comment of any length is what a board file is about`(length: Int) throws {
    let words = String(repeating: "a", count: length)
    let text = try String(contentsOfFile: Tool.board("emulated"), encoding: .utf8)
    try withFile(named: "board.ini", content: Data("# \(words). More.\n\(text)".utf8)) { path in
      let summary = try boards(path, "--format", "json")
      #expect(summary.exitCode == 0 && summary.errors.isEmpty, "\(summary.errors)")
      #expect(try unwrapped(summary.objects.first)["detail"] as? String == words + ".")
    }
  }

  @Test
  func `a broken file is listed with what is wrong; a folder without any is told with code 66`() throws {
    try withFile(named: "odd.ini", content: Data("# Odd.\n[i2c]\nbus = 7\n".utf8)) { path in
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
      let text = try boards(from: folder)
      #expect(text.exitCode == 0 && text.output.contains("odd.ini:3: "))
      #expect(try boards("--format", "json", from: folder).events("board").first?["usable"] as? Bool == false)
      let none = try boards(from: folder + "/none")
      #expect(none.exitCode == 66 && none.errors.contains(folder + "/none"))
    }
  }
}

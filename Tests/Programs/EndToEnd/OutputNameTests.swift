import Foundation
import TestSupport
import Testing

/// `-o` with extreme names: empty, as long as a file system allows, and longer.
struct OutputNameTests {
  /// The commands that make a file, without its name, and the name's ending.
  private static let commands = [
    (["record", "--speed", "fast", "--motion", "hold", "--duration", "1"], ".csv"),
    (["wiring", "--format", "svg"], ".svg"), (["plot", "-"], ".svg"),
  ]

  /// Runs `arguments` in `folder`, where a draft would be left, with a recording of two samples on standard input.
  private static func run(_ arguments: [String], in folder: URL) throws -> Tool {
    let script = "cd \"$0\" && printf 'time_s,x_g,y_g,z_g\\n0,0,1,0\\n0.01,0,1,0\\n' | \"$@\""
    return try Tool.run(arguments: arguments, launcher: ["/bin/sh", "-c", script, folder.path])
  }

  @Test(arguments: commands)
  static func `an empty name is wrong usage, and no file is left`(command: [String], ending: String) throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    for option in [["-o", ""], ["--output", ""]] {
      let result = try run(command + option, in: folder)
      expect(result.exitCode, equals: 64)
      expect(result.output, equals: "")
      expect(result.errors, hasPrefix: "Error: -o takes the name of a file, not an empty name.")
      try expect(empty: FileManager.default.contentsOfDirectory(atPath: folder.path))
    }
  }

  @Test(arguments: commands)
  static func `a name of 250 or 255 bytes works, one of 256 is rejected; no draft is left`(
    command: [String], ending: String
  ) throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    for length in [250, 255] {
      for letter in ["a", "ü"] {
        let stem = String(repeating: letter, count: (length - ending.count) / letter.utf8.count)
        let name = stem + String(repeating: "x", count: length - ending.count - stem.utf8.count) + ending
        let result = try run(command + ["-o", name], in: folder)
        expect(result.exitCode, equals: 0, "\(result.errors)")
        try expect(FileManager.default.contentsOfDirectory(atPath: folder.path), equals: [name])
        try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
      }
    }
    let result = try run(command + ["-o", String(repeating: "a", count: 256 - ending.count) + ending], in: folder)
    expect(result.exitCode, equals: 73)
    expect(result.errors.split(separator: "\n").count, equals: 1)
    expect(result.errors, contains: "File name too long")
    try expect(empty: FileManager.default.contentsOfDirectory(atPath: folder.path))
  }
}

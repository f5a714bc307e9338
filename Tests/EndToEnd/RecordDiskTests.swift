import Foundation
import Testing

/// `plumb record` where the disk, the folder, the bus or the terminal is not what one wishes.
@Suite struct RecordDiskTests {
  private static let isRoot = getuid() == 0

  /// Whether a small file system of its own can be had.
  private static let canMount: Bool = {
    guard isRoot, let folder = try? scratchFolder() else { return false }
    defer { remove(folder) }
    guard (try? run("mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", folder.path)) == 0 else { return false }
    return (try? run("umount", folder.path)) == 0
  }()

  private static func run(_ command: String...) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// What a recording that was refused room says and leaves: whole lines under another name, as many as it says.
  private func expectPart(_ result: Tool, in folder: URL) throws {
    #expect(result.exitCode == 73)
    #expect(result.errors.split(separator: "\n").count == 1)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.count == 1)
    let name = try unwrapped(names.first)
    #expect(name.hasPrefix("a.csv.") && name.hasSuffix(".part"))
    #expect(result.errors.contains(name))
    let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    #expect(text.hasSuffix("\n"))
    let count = text.split(separator: "\n").count - 1
    #expect(count > 100)
    #expect(result.errors.contains("the first \(count) samples are in "))
    #expect(try Tool.run("replay", folder.appendingPathComponent(name).path).exitCode == 0)
  }

  @Test
  func `a file that may not grow any more ends the recording; what was written is kept, in whole lines`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    // The limit counts in 512 or in 1024 bytes.
    let command = "ulimit -f 8; exec \"$@\""
    let result = try Tool.run(
      arguments: ["record", "-o", folder.path + "/a.csv", "--speed", "fast", "--motion", "hold", "--duration", "60"],
      launcher: ["/bin/sh", "-c", command, "sh"])
    #expect(result.errors.contains("may not grow"))
    try expectPart(result, in: folder)
  }

  @Test(.enabled(if: canMount))
  func `a full disk ends the recording; what was written is kept, in whole lines`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    #expect(try Self.run("mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", folder.path) == 0)
    let result = Result {
      let result = try Tool.run(
        "record", "-o", folder.path + "/a.csv", "--speed", "fast", "--motion", "hold", "--duration", "60")
      #expect(result.errors.contains("the disk is full"))
      try expectPart(result, in: folder)
    }
    #expect(try Self.run("umount", folder.path) == 0)
    try result.get()
  }

  @Test(.enabled(if: canMount))
  func `a disk without room for one more file is told before anything is recorded`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    #expect(try Self.run("mount", "-t", "tmpfs", "-o", "nr_inodes=1", "tmpfs", folder.path) == 0)
    let result = Result { try Tool.run("record", "-o", folder.path + "/a.csv", "--speed", "fast") }
    #expect(try Self.run("umount", folder.path) == 0)
    #expect(try result.get().exitCode == 73)
    #expect(try result.get().errors.contains("the disk is full; nothing was written"))
  }

  @Test
  func `a folder that may not be written to is told with code 77`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path)
    // Root may write everywhere: its rights are dropped for the tool.
    let result = try Tool.run(
      arguments: ["record", "-o", folder.path + "/a.csv", "--speed", "fast"], launcher: Tool.withoutRights)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
    #expect(result.exitCode == 77)
    #expect(result.errors.contains("no permission"))
  }

  @Test
  func `on a bus without the sensor no file is made, and the code is 69; with it there are samples`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    for (sensor, code) in [("mpu6050@0x68=0,1,0", Int32(69)), ("adxl345@0x53=0,1,0", 0)] {
      let result = try Tool.run(
        arguments: [
          "record", "-o", folder.path + "/a.csv", "--board", Tool.board("raspberry-pi-adxl345"), "--duration", "0.4",
        ], environment: Tool.bridge(sensor))
      #expect(result.exitCode == code, "\(result.errors)")
      #expect(isThere(folder.path + "/a.csv") == (code == 0))
      if code != 0 { #expect(result.errors.contains("no acknowledge from 0x53")) }
    }
    let text = try String(contentsOfFile: folder.path + "/a.csv", encoding: .utf8)
    #expect(text.split(separator: "\n").dropFirst().allSatisfy { $0.hasSuffix(",0,1,0") })
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.csv"])
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script")))
  func `a terminal is shown one line, drawn again and again, and in the end taken away`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let command = "'\(Tool.path)' record -o '\(folder.path)/a.csv' --motion hold --duration 1.5"
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/script")
    process.arguments = ["-qec", command, "/dev/null"]
    process.environment = ["TERM": "xterm", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"]
    process.standardInput = FileHandle.nullDevice
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let drawings = text.components(separatedBy: "\r\u{1B}[K")
    #expect(drawings.count > 4)
    #expect(drawings.dropFirst().dropLast().allSatisfy { $0.isEmpty || $0.contains(" samples  portrait") })
    #expect(try unwrapped(drawings.last).hasPrefix("Recorded "))
  }

  private func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
}

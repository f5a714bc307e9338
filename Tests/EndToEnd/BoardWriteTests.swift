import Foundation
import Testing

/// That a board file is written whole or not at all, and what is told where it cannot be.
@Suite struct BoardWriteTests {
  private static func board() throws -> BoardCopy { try BoardCopy(BoardCopy.uncalibrated("adxl345")) }

  private static func setMode(_ mode: Int, _ path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  /// One line with code `code`, nothing of the walk, and all as it was.
  private func expectRefusal(_ result: Tool, _ code: Int32, _ words: String, _ board: BoardCopy, _ before: Data) throws
  {
    #expect(result.exitCode == code, "\(result.errors)")
    // Before the user has turned the board once.
    #expect(result.output.isEmpty)
    #expect(result.errors.contains(words) && result.errors.contains("nothing was written"), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(try board.bytes == before)
    #expect(try board.names.filter { $0.hasPrefix(".plumb") } == [])
  }

  @Test(arguments: ["calibrate", "mount"])
  func `a file, or a folder, that may not be written is told before the walk begins, with code 77`(command: String)
    throws
  {
    let board = try Self.board()
    defer { remove(board.folder) }
    let before = try board.bytes
    try Self.setMode(0o444, board.path)
    try expectRefusal(try board.run(command, launcher: Tool.withoutRights), 77, "no permission", board, before)
    // Where nothing is to be written, that does not matter.
    #expect(try board.run(command, "--dry-run", launcher: Tool.withoutRights).exitCode == 0)
    try Self.setMode(0o644, board.path)
    try Self.setMode(0o555, board.folder.path)
    try expectRefusal(try board.run(command, launcher: Tool.withoutRights), 77, "no permission", board, before)
    try Self.setMode(0o755, board.folder.path)
    #expect(try board.run(command, launcher: Tool.withoutRights).exitCode == 0)
  }

  @Test
  func `a missing file, a folder and a pipe are told`() throws {
    let board = try Self.board()
    defer { remove(board.folder) }
    for path in ["/nonexistent.ini", board.folder.path] {
      let result = try Tool.run("calibrate", "--board", path, "--speed", "fast")
      #expect(result.exitCode == 78 && result.output.isEmpty && result.errors.contains(path))
    }
    let script = "cat \(board.path) | \"$0\" calibrate --speed fast --board /dev/stdin"
    let piped = try Tool.run(arguments: [], launcher: ["/bin/sh", "-c", script])
    #expect(piped.exitCode == 73 || piped.exitCode == 78)
    #expect(piped.output.isEmpty && !piped.errors.isEmpty)
  }

  /// Whether this machine lets a process mount a file system of its own.
  static let canMount = LinuxBusTests.canHideFolders

  @Test(.enabled(if: canMount, "needs the right to mount"), arguments: ["size=8k", "ro"])
  func `a full disk and a read-only file system are told before the walk begins, with code 73, and the file stays`(
    kind: String
  ) throws {
    let board = try Self.board()
    defer { remove(board.folder) }
    let disk = board.folder.appendingPathComponent("disk").path
    // Two pages: the file and what fills the rest of it.
    let fill = kind == "ro" ? "mount -o remount,ro disk" : "{ cat /dev/zero >disk/filler || true; } 2>/dev/null"
    let script =
      "cd \(board.folder.path) && mkdir disk && mount -t tmpfs -o size=8k none disk && cp board.ini disk/ && \(fill); "
      + "\"$0\" calibrate --speed fast --board disk/board.ini; code=$?; "
      + "cmp board.ini disk/board.ini || exit 99; ls -A disk | grep plumb && exit 98; exit $code"
    let result = try Tool.run(arguments: [], launcher: ["/usr/bin/unshare", "-m", "/bin/sh", "-c", script])
    #expect(result.exitCode == 73, "\(result.output)\(result.errors)")
    #expect(result.output.isEmpty)
    #expect(result.errors.contains(kind == "ro" ? "read-only" : "the disk is full"))
    #expect(FileManager.default.fileExists(atPath: disk))
  }

  @Test
  func `a symbolic link is followed and stays one; the file keeps its rights and its owner`() throws {
    let board = try Self.board()
    defer { remove(board.folder) }
    let link = board.folder.appendingPathComponent("links/link.ini").path
    try FileManager.default.createDirectory(atPath: board.folder.path + "/links", withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "../board.ini")
    try Self.setMode(0o640, board.path)
    let isRoot = getuid() == 0
    if isRoot {
      try FileManager.default.setAttributes(
        [.ownerAccountID: 12_345, .groupOwnerAccountID: 23_456], ofItemAtPath: board.path)
    }
    let result = try Tool.run("calibrate", "--board", link, "--speed", "fast")
    #expect(result.exitCode == 0, "\(result.errors)")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "../board.ini")
    #expect(try board.value(of: "offset") != nil)
    let attributes = try FileManager.default.attributesOfItem(atPath: board.path)
    #expect(attributes[.posixPermissions] as? Int == 0o640)
    if isRoot {
      #expect(attributes[.ownerAccountID] as? Int == 12_345)
      #expect(attributes[.groupOwnerAccountID] as? Int == 23_456)
    }
    #expect(try board.names == ["board.ini", "links"])
  }

  @Test
  func `killed at any moment, it leaves the old file or the new one, and what else it leaves disturbs no later run`()
    throws
  {
    let board = try Self.board()
    defer { remove(board.folder) }
    let before = try board.bytes
    #expect(try board.run("calibrate").exitCode == 0)
    let after = try board.bytes
    #expect(after != before)
    var outcomes: Set<Data> = []
    for round in 0..<60 {
      try before.write(to: URL(fileURLWithPath: board.path))
      let process = Tool.process(["calibrate", "--board", board.path, "--speed", "fast"])
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      usleep(UInt32(round) * 1_500)
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      outcomes.insert(try board.bytes)
    }
    #expect(outcomes.isSubset(of: [before, after]))
    try Data("junk".utf8).write(to: board.folder.appendingPathComponent(".plumb-board-abcdef"))
    try before.write(to: URL(fileURLWithPath: board.path))
    #expect(try board.run("calibrate").exitCode == 0)
    #expect(try board.bytes == after)
  }
}

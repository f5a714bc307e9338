import Foundation
import TestSupport
import Testing

/// `plumb boards`, and board files by name.
struct BoardsTests {
  private static let folder = URL(fileURLWithPath: Tool.board("emulated")).deletingLastPathComponent().path

  private static func boards(_ arguments: String..., from folder: String = folder) throws -> Tool {
    try Tool.run(arguments: ["boards"] + arguments, environment: ["PLUMB_BOARDS": folder])
  }

  @Test
  static func `every shipped board file is listed, works, and is described by its first sentence`() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder).filter { $0.hasSuffix(".ini") }
    let names = files.map { String($0.dropLast(4)) }.sorted()
    expect(that: names.contains("emulated"))
    expect(that: names.contains("raspberry-pi-mpu6050"))
    let listed = try boards("--format", "json").events("board")
    expect(listed.compactMap { $0["name"] as? String }, equals: names)
    for board in listed {
      expect(board["usable"] as? Bool, equals: true)
      try expect(unwrapped(board["detail"] as? String), hasSuffix: ".")
    }
    let text = try boards()
    expect(text.exitCode, equals: 0)
    expect(text.errors, equals: "")
    for name in names { #expect(text.output.contains("\n\(name)\n") || text.output.hasPrefix("\(name)\n")) }
    expect(text.output, contains: "\(Self.folder): \(names.count) board files")
    expect(all: text.output.split(separator: "\n")) { $0.count <= 80 || $0.contains(Self.folder) }
  }

  @Test
  static func `a byte order mark does not hide the description`() throws {
    let file = Self.folder + "/emulated.ini"
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try withFile(named: "board.ini", content: Data(("\u{FEFF}" + text).utf8)) { path in
      let (marked, plain) = (try boards(path, "--format", "json"), try boards(file, "--format", "json"))
      let words = try unwrapped(marked.objects.first?["detail"] as? String)
      expect(words, hasSuffix: ".")
      expect(words, equals: try unwrapped(plain.objects.first?["detail"] as? String))
    }
  }

  @Test
  static func `a board is described by path or by name, with the same result`() throws {
    let byName = try boards("raspberry-pi-mpu6050")
    let byPath = try boards(Self.folder + "/raspberry-pi-mpu6050.ini")
    expect(byName.exitCode, equals: 0)
    expect(byName.output, equals: byPath.output)
    for words in [
      "MPU-6050 or a compatible part at 0x68, on /dev/i2c-1", "GPIO25  header pin 22", "header of any Raspberry Pi",
      "raspi-config nonint do_i2c 0", "usermod -aG i2c,gpio",
    ] {
      expect(byName.output, contains: words, "\(words)")
    }
    expect(byName.output, lacks: "baudrate")
    try expect(boards("emulated").output, contains: "No hardware is needed")
  }

  @Test(
    arguments: [
      ("adxl345", 200, 100_000), ("adxl345", 400, 200_000), ("adxl345", 800, 400_000), ("mpu6050", 1_000, 200_000),
    ] + SensorBoard.all.flatMap { sensor in sensor.buses.map { (sensor.model, $0.rate, $0.needed) } })
  static func `a rate that needs a faster bus reports the line of config.txt for it`(
    model: String, rate: Int, needed: Int
  ) throws {
    let text = try String(contentsOfFile: Tool.board("raspberry-pi-\(model)"), encoding: .utf8)
      .replacing("rate = 100", with: "rate = \(rate)")
    try withFile(named: "board.ini", content: Data(text.utf8)) { path in
      let board = try unwrapped(try boards(path, "--format", "json").objects.first)
      expect(board["bus_hz_needed"] as? Int, equals: needed)
      let words = "dtparam=i2c_arm_baudrate=\(needed)"
      try expect(boards(path).output.contains(words), equals: needed > 100_000)
    }
  }

  @Test
  static func `commands accept the name of a board file, and an unknown name has code 78`() throws {
    let environment = ["PLUMB_BOARDS": Self.folder]
    for command in ["probe", "wiring"] {
      let good = try Tool.run(arguments: [command, "--board", "emulated-mpu6050"], environment: environment)
      expect(good.exitCode, equals: 0, "\(good.errors)")
      let bad = try Tool.run(arguments: [command, "--board", "emulatde"], environment: environment)
      expect(bad.exitCode, equals: 78)
      expect(bad.errors, contains: "plumb boards")
    }
    try expect(boards("emulatde").exitCode, equals: 78)
  }

  @Test(arguments: [999, 1_001, 60_000])
  static func `the comment that describes a board file can have any length`(length: Int) throws {
    let words = String(repeating: "a", count: length)
    let text = try String(contentsOfFile: Tool.board("emulated"), encoding: .utf8)
    try withFile(named: "board.ini", content: Data("# \(words). More.\n\(text)".utf8)) { path in
      let summary = try boards(path, "--format", "json")
      expect(summary.exitCode, equals: 0, "\(summary.errors)")
      expect(summary.errors, equals: "", "\(summary.errors)")
      try expect(unwrapped(summary.objects.first)["detail"] as? String, equals: words + ".")
    }
  }

  @Test
  static func `a broken file is listed with its error; a folder without any has code 66`() throws {
    try withFile(named: "odd.ini", content: Data("# Odd.\n[i2c]\nbus = 7\n".utf8)) { path in
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
      let text = try boards(from: folder)
      expect(text.exitCode, equals: 0)
      expect(text.output, contains: "odd.ini:3: ")
      try expect(boards("--format", "json", from: folder).events("board").first?["usable"] as? Bool, equals: false)
      let none = try boards(from: folder + "/none")
      expect(none.exitCode, equals: 66)
      expect(that: none.errors.contains(folder + "/none"))
    }
  }
}

/// The changes that `plumb mount` and `plumb calibrate` make in a board file, and that they change nothing else.
struct BoardEditTests {
  static let comment = "# Written by plumb mount. After you remount the sensor, run plumb mount again."
  static let lines = """
    [lines]
    chip = emulated
    portrait=17
    portraitUpsideDown : 27
    landscapeLeft = 22
    landscapeRight = 23
    faceUp = 24 ; LED
    faceDown = 25
    """

  /// A file whose sensor has the mounting `-y +x +z`, with `sensor` as its section [sensor].
  static func file(_ sensor: String) -> String {
    "# mine — ü\n[i2c]\nbus = emulated\n\n[emulation]\nmounting = -y +x +z # really\n\n\(sensor)\n\n\(lines)\n"
  }

  struct Case: Sendable {
    var name: String
    var before: String
    var after: String
  }

  static let cases = [
    Case(
      name: "a value, with the comment behind it",
      before: "[sensor]\nmodel = adxl345\naddress = 0x53\nmounting = +x +y +z\t # soldered",
      after: "[sensor]\nmodel = adxl345\naddress = 0x53\nmounting = -y +x +z\t # soldered"),
    Case(
      name: "blanks and a colon",
      before: "  [sensor]  # s\n\tmounting\t:  +x   +y +z  \n model = adxl345\naddress=0x53",
      after: "  [sensor]  # s\n\tmounting\t:  -y +x +z  \n model = adxl345\naddress=0x53"),
    Case(
      name: "comments that look like keys and sections",
      before:
        "[sensor]\n# mounting = +z +x +y\n;mounting = 1\nmodel = adxl345 # mounting = +x\naddress = 0x53\nmounting=+x +y +z;",
      after:
        "[sensor]\n# mounting = +z +x +y\n;mounting = 1\nmodel = adxl345 # mounting = +x\naddress = 0x53\nmounting=+x +y +z;"
    ),
    Case(
      name: "a missing key, behind the last one",
      before: "[sensor]\nmodel = adxl345\naddress = 0x53 # last\n# the end of it",
      after: "[sensor]\nmodel = adxl345\naddress = 0x53 # last\n\n\(comment)\nmounting = -y +x +z\n# the end of it"),
  ]

  @Test(arguments: cases)
  static func `only the value changes, or a line follows the last key; all other bytes stay`(change: Case) throws {
    for (before, after) in [("\n", "\n"), ("\r\n", "\r\n")] {
      let board = try BoardCopy(Self.file(change.before).replacing("\n", with: before))
      defer { remove(board.folder) }
      let result = try board.run("mount")
      // The third has the value "+z;", which is not a mounting: the file is rejected as always, and stays unchanged.
      let isGood = change.before != change.after
      expect(result.exitCode, equals: isGood ? 0 : 78, "\(change.name): \(result.errors)")
      try expect(board.bytes, equals: Data(Self.file(change.after).replacing("\n", with: after).utf8), "\(change.name)")
    }
  }

  @Test
  static func `a comment that contains a key is not mistaken for it`() throws {
    let before =
      "[sensor]\n# mounting = +z +x +y\n;mounting = 1\nmodel = adxl345 # mounting = +x\naddress = 0x53\nmounting=+x +y +z ;"
    let board = try BoardCopy(Self.file(before))
    defer { remove(board.folder) }
    try expect(board.run("mount").exitCode, equals: 0)
    try expect(board.text, equals: Self.file(before.replacing("mounting=+x +y +z ;", with: "mounting=-y +x +z ;")))
  }

  @Test(arguments: ["\n", "\r\n"])
  static func `a file without a last line end gets none, and a byte order mark stays`(
    end: String
  ) throws {
    let head =
      "\u{FEFF}[emulation]\nmounting = -y +x +z\n[i2c]\nbus = emulated\n\(Self.lines)\n[sensor]\nmodel = adxl345\naddress = 0x53"
    for (last, added) in [
      ("", "\n\n\(Self.comment)\nmounting = -y +x +z"), (" # last", "\n\n\(Self.comment)\nmounting = -y +x +z"),
    ] {
      let board = try BoardCopy((head + last).replacing("\n", with: end))
      defer { remove(board.folder) }
      try expect(board.run("mount").exitCode, equals: 0)
      try expect(board.bytes, equals: Data((head + last + added).replacing("\n", with: end).utf8))
    }
    let changed = head + "\nmounting = +x +y +z"
    let board = try BoardCopy(changed.replacing("\n", with: end))
    defer { remove(board.folder) }
    try expect(board.run("mount").exitCode, equals: 0)
    try expect(board.bytes, equals: Data((head + "\nmounting = -y +x +z").replacing("\n", with: end).utf8))
  }

  @Test
  static func `both keys of a calibration get one comment; an existing one is changed in place`() throws {
    let none = "[sensor]\nmodel = adxl345\naddress = 0x53"
    let one = "[sensor]\nscale = 1 1 1 # was perfect\nmodel = adxl345\naddress = 0x53"
    for sensor in [none, one] {
      let board = try BoardCopy(Self.file(sensor))
      defer { remove(board.folder) }
      try expect(board.run("calibrate").exitCode, equals: 0)
      let lines = try board.text.split(separator: "\n", omittingEmptySubsequences: false)
      let added = lines.filter { $0.hasPrefix("# Written by plumb calibrate") || $0.hasPrefix("offset = ") }
      expect(added.count, equals: 2)
      let scales = lines.filter { $0.hasPrefix("scale = ") }
      #expect(scales.count == 1 && scales[0].hasSuffix(" # was perfect") == (sensor == one))
      // Without the added lines and the changed value it is the original file.
      let index = try unwrapped(lines.firstIndex { $0.hasPrefix("# Written") })
      var rest = lines
      rest.removeSubrange((index - 1)...(index + (sensor == none ? 2 : 1)))
      let original = Self.file(sensor).split(separator: "\n", omittingEmptySubsequences: false)
      expect(rest.count, equals: original.count)
      for (a, b) in zip(rest, original) where !b.hasPrefix("scale") { expect(a, equals: b) }
    }
  }

  @Test(arguments: ["emulated", "emulated-mpu6050", "emulated-uncalibrated"])
  static func `the shipped boards stay readable, and lose nothing`(name: String) throws {
    let original = try String(contentsOfFile: Tool.board(name), encoding: .utf8)
    let board = try BoardCopy(original)
    defer { remove(board.folder) }
    try expect(board.run("calibrate").exitCode, equals: 0)
    try expect(board.run("mount").exitCode, equals: 0)
    try expect(board.run("run").exitCode, equals: 0)
    // Every original line is there, in the same order.
    var rest = try board.text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    for line in original.split(separator: "\n", omittingEmptySubsequences: false) {
      let place = try unwrapped(rest.firstIndex(of: line))
      rest = rest[(place + 1)...]
    }
  }

  @Test
  static func `a file that would grow beyond the size limit is rejected before the user turns the board`() throws {
    let text = Self.file("[sensor]\nmodel = adxl345\naddress = 0x53")
    let filler = String(repeating: "#", count: 100) + "\n"
    let padded = text + String(repeating: filler, count: (65_536 - text.utf8.count) / 101)
    let board = try BoardCopy(padded)
    defer { remove(board.folder) }
    let result = try board.run("calibrate")
    expect(result.exitCode, equals: 73)
    expect(result.output, equals: "")
    expect(result.errors, contains: "64 KiB")
    try expect(board.text, equals: padded)
  }
}

/// A board file is written whole or not at all, and an error is reported if it cannot be written.
struct BoardWriteTests {
  private static func board() throws -> BoardCopy { try BoardCopy(BoardCopy.uncalibrated("adxl345")) }

  private static func setMode(_ mode: Int, _ path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  /// One line with code `code`, no output of the walk, and nothing changed.
  private static func expectRefusal(_ result: Tool, _ code: Int32, _ words: String, _ board: BoardCopy, _ before: Data)
    throws
  {
    expect(result.exitCode, equals: code, "\(result.errors)")
    // Before the user turns the board for the first time.
    expect(empty: result.output)
    expect(that: result.errors.contains(words), "\(result.errors)")
    expect(result.errors, contains: "nothing was written", "\(result.errors)")
    expect(result.errors.split(separator: "\n").count, equals: 1)
    try expect(board.bytes, equals: before)
    try expect(board.names.filter { $0.hasPrefix(".plumb") }, equals: [])
  }

  @Test(arguments: ["calibrate", "mount"])
  static func `a read-only file or folder is reported before the walk begins, with code 77`(command: String)
    throws
  {
    let board = try Self.board()
    defer { remove(board.folder) }
    let before = try board.bytes
    try Self.setMode(0o444, board.path)
    try expectRefusal(try board.run(command, launcher: Tool.withoutRights), 77, "no permission", board, before)
    // A dry run does not need to write.
    try expect(board.run(command, "--dry-run", launcher: Tool.withoutRights).exitCode, equals: 0)
    try Self.setMode(0o644, board.path)
    try Self.setMode(0o555, board.folder.path)
    try expectRefusal(try board.run(command, launcher: Tool.withoutRights), 77, "no permission", board, before)
    try Self.setMode(0o755, board.folder.path)
    try expect(board.run(command, launcher: Tool.withoutRights).exitCode, equals: 0)
  }

  @Test
  static func `a missing file, a folder and a pipe are reported`() throws {
    let board = try Self.board()
    defer { remove(board.folder) }
    for path in ["/nonexistent.ini", board.folder.path] {
      let result = try Tool.run("calibrate", "--board", path, "--speed", "fast")
      expect(result.exitCode, equals: 78)
      expect(result.output, equals: "")
      expect(that: result.errors.contains(path))
    }
    let script = "cat '\(board.path)' | \"$0\" calibrate --speed fast --board /dev/stdin"
    let piped = try Tool.run(arguments: [], launcher: ["/bin/sh", "-c", script])
    #expect(piped.exitCode == 73 || piped.exitCode == 78)
    expect(piped.output, equals: "")
    expect(that: !piped.errors.isEmpty)
  }

  /// Whether this computer lets a process mount its own file system.
  static let canMount = LinuxBusTests.canHideFolders

  @Test(.enabled(if: canMount, "needs the right to mount"), arguments: ["size=8k", "ro"])
  static func `a full disk or read-only file system is reported before the walk, with code 73`(
    kind: String
  ) throws {
    let board = try Self.board()
    defer { remove(board.folder) }
    let disk = board.folder.appendingPathComponent("disk").path
    // Two pages: the file, and a filler for the rest.
    let fill = kind == "ro" ? "mount -o remount,ro disk" : "{ cat /dev/zero >disk/filler || true; } 2>/dev/null"
    let script =
      "cd '\(board.folder.path)' && mkdir disk && mount -t tmpfs -o size=8k none disk && cp board.ini disk/ && \(fill); "
      + "\"$0\" calibrate --speed fast --board disk/board.ini; code=$?; "
      + "cmp board.ini disk/board.ini || exit 99; ls -A disk | grep plumb && exit 98; exit $code"
    let result = try Tool.run(arguments: [], launcher: ["/usr/bin/unshare", "-m", "/bin/sh", "-c", script])
    expect(result.exitCode, equals: 73, "\(result.output)\(result.errors)")
    expect(empty: result.output)
    expect(result.errors, contains: kind == "ro" ? "read-only" : "the disk is full")
    expect(that: FileManager.default.fileExists(atPath: disk))
  }

  @Test
  static func `a symbolic link is followed and stays one; the file keeps its rights and its owner`() throws {
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
    expect(result.exitCode, equals: 0, "\(result.errors)")
    try expect(FileManager.default.destinationOfSymbolicLink(atPath: link), equals: "../board.ini")
    try expect(board.value(of: "offset"), isNot: nil)
    let attributes = try FileManager.default.attributesOfItem(atPath: board.path)
    expect(attributes[.posixPermissions] as? Int, equals: 0o640)
    if isRoot {
      expect(attributes[.ownerAccountID] as? Int, equals: 12_345)
      expect(attributes[.groupOwnerAccountID] as? Int, equals: 23_456)
    }
    try expect(board.names, equals: ["board.ini", "links"])
  }

  @Test
  static func `killed at any moment, it leaves the old or the new file, and nothing that disturbs later runs`()
    throws
  {
    let board = try Self.board()
    defer { remove(board.folder) }
    let before = try board.bytes
    try expect(board.run("calibrate").exitCode, equals: 0)
    let after = try board.bytes
    expect(after, isNot: before)
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
    expect(that: outcomes.isSubset(of: [before, after]))
    try Data("junk".utf8).write(to: board.folder.appendingPathComponent(".plumb-board-abcdef"))
    try before.write(to: URL(fileURLWithPath: board.path))
    try expect(board.run("calibrate").exitCode, equals: 0)
    try expect(board.bytes, equals: after)
  }
}

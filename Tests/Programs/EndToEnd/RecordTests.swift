import Foundation
import TestSupport
import Testing

/// `plumb record`: the file holds what was measured, all of it, and gets its name only when it is whole.
struct RecordTests {
  struct Case: Sendable {
    var motion: String
    var options: [String] = []
    var board: String?
    var hasRotation = false
  }

  static let cases = [
    Case(motion: "hold", options: ["--seed", "7", "--duration", "20"]), Case(motion: "turn"),
    Case(motion: "six-faces", options: ["--rate", "50"]), Case(motion: "shake", options: ["--rate", "400"]),
    Case(motion: "free-fall"), Case(motion: "six-faces", board: "emulated-uncalibrated"),
    Case(motion: "six-faces", board: "emulated-mpu6050", hasRotation: true),
    Case(motion: "shake", board: "emulated-mpu6050", hasRotation: true),
  ]

  private static func record(_ file: String, _ more: String...) throws -> Tool {
    try Tool.run(arguments: ["record", "-o", file, "--speed", "fast"] + more)
  }

  private static func rows(_ file: String, withRotation hasRotation: Bool = false) throws -> [[Double]] {
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    let header: Substring = hasRotation ? "time_s,x_g,y_g,z_g,x_dps,y_dps,z_dps" : "time_s,x_g,y_g,z_g"
    expect(lines.first, equals: header)
    expect(lines.last, equals: "", "the last line has an end")
    return try lines.dropFirst().dropLast().map { line in
      let fields = try line.split(separator: ",").map { try unwrapped(Double($0)) }
      expect(fields.count, equals: header.split(separator: ",").count)
      return fields
    }
  }

  /// An event without its time.
  private static func timeless(_ event: [String: Any]) -> NSDictionary {
    var event = event
    event["t"] = nil
    return NSDictionary(dictionary: event)
  }

  @Test(arguments: cases)
  static func `a recording has a run's exact forces, and replayed its events and angles`(test: Case) throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let file = folder.appendingPathComponent("a.csv").path
    let board = test.board.map { ["--board", Tool.board($0)] } ?? []
    let options = ["--speed", "fast", "--motion", test.motion] + test.options + board
    let recorded = try Tool.run(arguments: ["record", "-o", file] + options)
    expect(recorded.exitCode, equals: 0)
    expect(recorded.output, equals: "")
    expect(recorded.errors, contains: "No gaps.", "\(recorded.errors)")
    let live = try Tool.run(arguments: ["run", "--samples", "--format", "json"] + options)
    let again = try Tool.run("replay", file, "--samples", "--format", "json")
    let (rows, objects) = (try rows(file, withRotation: test.hasRotation), try live.objects)
    let samples = objects.filter { $0["event"] as? String == "sample" }
    expect(rows.count, isAbove: 100)
    expect(rows.count, equals: samples.count)
    let start = try unwrapped(samples.first?["t"] as? Double)
    for (row, sample) in zip(rows, samples) {
      try expect(abs(unwrapped(sample["t"] as? Double) - start - row[0]), isBelow: 1e-9)
      for (value, axis) in zip(row.dropFirst(), ["x", "y", "z"]) {
        try expect(unwrapped(sample[axis] as? Double), equals: value)
      }
      // Far from the middle between two representable values, so it is read as the right one.
      let units = row.dropFirst().map { (value: Double) -> Double in value * 65_536 }
      expect(that: units.allSatisfy { abs($0 - $0.rounded()) < 0.05 })
      expect(sample["up"] != nil, equals: test.hasRotation)
    }
    let events = objects.filter { $0["event"] as? String != "summary" && $0["event"] as? String != "notice" }
    let replayed = try again.objects.filter { $0["event"] as? String != "summary" }
    expect(events.count, equals: replayed.count)
    for (one, other) in zip(events, replayed) {
      expect(timeless(one), equals: timeless(other))
      // The phases of a rotation come by the clock in a run, and with the next sample in a recording.
      let limit = one["event"] as? String == "rotation" ? 0.0201 : 1e-9
      try expect(abs(unwrapped(one["t"] as? Double) - start - unwrapped(other["t"] as? Double)), isBelow: limit)
    }
  }

  @Test
  static func `a gyroscope that is off has no columns`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let board = folder.appendingPathComponent("board.ini")
    let text = try String(contentsOfFile: Tool.board("emulated-mpu6050"), encoding: .utf8)
    try Data((text + "\n[filter]\ngravity = low-pass\n").utf8).write(to: board)
    let file = folder.appendingPathComponent("a.csv").path
    let result = try record(file, "--board", board.path, "--motion", "turn")
    expect(result.exitCode, equals: 0, "\(result.errors)")
    try expect(rows(file).count, isAbove: 50)
  }

  @Test
  static func `a failing sensor leaves a gap, reported with times and cause; the times around it are right`()
    throws
  {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let file = folder.appendingPathComponent("a.csv").path
    let result = try record(file)
    expect(result.exitCode, equals: 0)
    expect(result.errors, contains: "1 gap, 0.")
    expect(result.errors, contains: "no acknowledge from 0x53")
    expect(result.errors, contains: "\n                  sensor's address\n", "\(result.errors)")
    let rows = try rows(file)
    let gaps = zip(rows, rows.dropFirst()).filter { $1[0] - $0[0] > 0.015 }
    expect(gaps.count, equals: 1)
    let (before, after) = try unwrapped(gaps.first)
    // The emulated sensor is away from 5.5 to 5.9 s.
    #expect(abs(before[0] - 5.5) < 0.05 && after[0] > 5.85 && after[0] < 6.5)
    expect(result.errors, contains: String(format: "%.2f to %.2f s", before[0], after[0]))
    expect(result.errors, contains: "Recorded \(rows.count) samples in ")
    // Ended while it is away.
    let short = try record(file, "--force", "--duration", "5.7")
    expect(short.exitCode, equals: 0)
    expect(short.errors, contains: "The sensor did not respond at the end, after 5.4")
    expect(that: !short.errors.contains("No gaps"))
  }

  @Test
  static func `--force is needed to overwrite, and keeps a file's rights and a link's target`()
    throws
  {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let (file, link) = (folder.appendingPathComponent("a.csv").path, folder.appendingPathComponent("link.csv").path)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: file))
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "a.csv")
    for path in [file, link] {
      let refused = try record(path, "--motion", "turn")
      expect(refused.exitCode, equals: 73)
      expect(refused.errors, contains: "already exists")
      expect(refused.errors, contains: "--force")
      try expect(String(contentsOfFile: file, encoding: .utf8), equals: "mine")
    }
    try expect(empty: record(link, "--motion", "turn", "--force", "--quiet").errors)
    try expect(rows(file).count, isAbove: 50)
    try expect(FileManager.default.destinationOfSymbolicLink(atPath: link), equals: "a.csv")
    let rights = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    expect(rights, equals: 0o640)
    try expect(FileManager.default.contentsOfDirectory(atPath: folder.path).sorted(), equals: ["a.csv", "link.csv"])
  }

  @Test(arguments: [SIGINT, SIGTERM])
  static func `Ctrl-C and SIGTERM end a recording cleanly: all of it is kept, and counted`(signal: Int32) throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let file = folder.appendingPathComponent("a.csv").path
    let process = Tool.process(["record", "-o", file, "--motion", "hold", "--duration", "600"])
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    // Until there are samples, in a file that does not have its name yet.
    var part = 0
    for _ in 0..<6_000 where part < 100 {
      Thread.sleep(forTimeInterval: 0.02)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      expect(names, lacks: "a.csv")
      let sizes = try names.filter { $0.hasPrefix("a.csv.") && $0.hasSuffix(".part") }.map {
        try FileManager.default.attributesOfItem(atPath: folder.appendingPathComponent($0).path)[.size] as? Int ?? 0
      }
      part = sizes.max() ?? 0
    }
    kill(process.processIdentifier, signal)
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    expect(process.terminationReason, equals: .exit)
    expect(process.terminationStatus, equals: 0)
    expect(text, contains: "Recorded \(try rows(file).count) samples in ", "\(text)")
    try expect(FileManager.default.contentsOfDirectory(atPath: folder.path), equals: ["a.csv"])
  }

  @Test
  static func `standard output gets the same bytes as a file, and a closed reader ends it quietly`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let file = folder.appendingPathComponent("a.csv").path
    try expect(record(file).exitCode, equals: 0)
    let result = try record("-", "-q")
    expect(result.exitCode, equals: 0)
    expect(result.errors, equals: "")
    try expect(result.output, equals: String(contentsOfFile: file, encoding: .utf8))
    let closed = try Tool.shell("'\(Tool.path)' record -o - --speed fast --motion hold --duration 600 | head -n 1")
    expect(closed.status, equals: 0, "\(closed.errors)")
    expect(closed.errors, equals: "", "\(closed.errors)")
    let live = try Tool.shell("'\(Tool.path)' record -o - --motion hold --duration 600 | head -n 3")
    expect(live.status, equals: 0, "\(live.errors)")
    expect(live.errors, equals: "", "\(live.errors)")
  }

  @Test(
    arguments: [
      (["-o", "/nonexistent/a.csv"], 73, "no such folder"), (["-o", "/"], 73, "directory"),
      (["-o", "/dev/full"], 73, "disk is full"),
      (["-o", "FOLDER/a.csv", "--duration", "0.000001"], 69, "no file was written"),
      (["-o", "FOLDER/" + String(repeating: "a", count: 300)], 73, "cannot be created"),
      (["-o", "FOLDER/a.csv", "--board", "/nonexistent.ini"], 78, "nonexistent.ini"),
    ] as [([String], Int32, String)])
  static func `an error is reported in one line with its code, and leaves no file`(
    arguments: [String], code: Int32, words: String
  ) throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let result = try Tool.run(
      arguments: ["record", "--speed", "fast"] + arguments.map { $0.replacing("FOLDER", with: folder.path) })
    expect(result.exitCode, equals: code)
    expect(result.errors.split(separator: "\n").count, equals: 1)
    expect(result.errors, contains: words)
    try expect(empty: FileManager.default.contentsOfDirectory(atPath: folder.path))
  }

  @Test(arguments: [
    ([], "--output"), (["-o", "a.csv", "--duration", "0"], "0.000001"), (["-o", "a.csv", "--rate", "801"], "800"),
    (["-o", "a.csv", "--motion", "dance"], "tumble"), (["-o", "a.csv", "--rate", "fast"], "hertz"),
    (["-o", "a.csv", "--board", "PI", "--speed", "fast"], "emulated"),
    (["-o", "a.csv", "--board", "PI", "--motion", "hold"], "emulated"),
    (["-o", "a.csv", "--board", "PI", "--seed", "1"], "emulated"),
  ])
  static func `wrong usage has code 64 and says what is allowed`(arguments: [String], words: String) throws {
    let board = Tool.board("raspberry-pi-adxl345")
    let result = try Tool.run(arguments: ["record"] + arguments.map { $0 == "PI" ? board : $0 })
    expect(result.exitCode, equals: 64)
    expect(result.errors, contains: words)
  }
}

/// `plumb record` with trouble from the disk, the folder, the bus or the terminal.
struct RecordDiskTests {
  private static let isRoot = getuid() == 0

  /// Whether the test can mount a small file system.
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

  /// Checks the message and the file of a recording without room: whole lines under another name, as many as
  /// reported.
  private static func expectPart(_ result: Tool, in folder: URL) throws {
    expect(result.exitCode, equals: 73)
    expect(result.errors.split(separator: "\n").count, equals: 1)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    expect(names.count, equals: 1)
    let name = try unwrapped(names.first)
    expect(that: name.hasPrefix("a.csv."))
    expect(that: name.hasSuffix(".part"))
    expect(result.errors, contains: name)
    let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    expect(text, hasSuffix: "\n")
    let count = text.split(separator: "\n").count - 1
    expect(count, isAbove: 100)
    expect(result.errors, contains: "the first \(count) samples are in ")
    try expect(Tool.run("replay", folder.appendingPathComponent(name).path).exitCode, equals: 0)
  }

  @Test
  static func `a file that may not grow further ends the recording, and keeps whole lines`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    // The limit counts in 512 or in 1024 bytes.
    let command = "ulimit -f 8; exec \"$@\""
    let result = try Tool.run(
      arguments: ["record", "-o", folder.path + "/a.csv", "--speed", "fast", "--motion", "hold", "--duration", "60"],
      launcher: ["/bin/sh", "-c", command, "sh"])
    expect(result.errors, contains: "has reached the size limit")
    try expectPart(result, in: folder)
  }

  @Test(.enabled(if: canMount))
  static func `a full disk ends the recording, and keeps whole lines`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    try expect(Self.run("mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", folder.path), equals: 0)
    let result = Result {
      let result = try Tool.run(
        "record", "-o", folder.path + "/a.csv", "--speed", "fast", "--motion", "hold", "--duration", "60")
      expect(result.errors, contains: "the disk is full")
      try expectPart(result, in: folder)
    }
    try expect(Self.run("umount", folder.path), equals: 0)
    try result.get()
  }

  @Test(.enabled(if: canMount))
  static func `a disk without room for one more file is reported before recording`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    try expect(Self.run("mount", "-t", "tmpfs", "-o", "nr_inodes=1", "tmpfs", folder.path), equals: 0)
    let result = Result { try Tool.run("record", "-o", folder.path + "/a.csv", "--speed", "fast") }
    try expect(Self.run("umount", folder.path), equals: 0)
    try expect(result.get().exitCode, equals: 73)
    try expect(result.get().errors, contains: "the disk is full; nothing was written")
  }

  @Test
  static func `a read-only folder is reported with code 77`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path)
    // Root may write everywhere: the tool runs without its rights.
    let result = try Tool.run(
      arguments: ["record", "-o", folder.path + "/a.csv", "--speed", "fast"], launcher: Tool.withoutRights)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
    expect(result.exitCode, equals: 77)
    expect(result.errors, contains: "no permission")
  }

  @Test
  static func `on a bus without the sensor there is no file and code 69; with it there are samples`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    for (sensor, code) in [("mpu6050@0x68=0,1,0", Int32(69)), ("adxl345@0x53=0,1,0", 0)] {
      let result = try Tool.run(
        arguments: [
          "record", "-o", folder.path + "/a.csv", "--board", Tool.board("raspberry-pi-adxl345"), "--duration", "0.4",
        ], environment: Tool.bridge(sensor, isNoisy: false))
      expect(result.exitCode, equals: code, "\(result.errors)")
      expect(isThere(folder.path + "/a.csv"), equals: code == 0)
      if code != 0 { expect(result.errors, contains: "no acknowledge from 0x53") }
    }
    let text = try String(contentsOfFile: folder.path + "/a.csv", encoding: .utf8)
    expect(all: text.split(separator: "\n").dropFirst()) { $0.hasSuffix(",0,1,0") }
    try expect(FileManager.default.contentsOfDirectory(atPath: folder.path), equals: ["a.csv"])
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script")))
  static func `a terminal gets one line, redrawn in place, and removed in the end`() throws {
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
    expect(drawings.count, isAbove: 4)
    let lines = drawings.dropFirst().dropLast().filter { !$0.isEmpty }
    expect(all: lines) { $0.contains(" samples  portrait") || $0.contains(" 1 sample  portrait") }
    try expect(unwrapped(drawings.last), hasPrefix: "Recorded ")
  }

  private static func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
}

/// docs/recording.md: its commands work as written, and its results are what they produce.
struct RecordingDocumentTests {
  private static let documents = URL(filePath: #filePath).appending(path: "../../../../docs").standardized

  private static func blocks(_ kind: String) throws -> [String] {
    let text = try String(contentsOf: Self.documents.appending(path: "recording.md"), encoding: .utf8)
    return text.components(separatedBy: "\n```\(kind)\n").dropFirst().compactMap {
      $0.components(separatedBy: "\n```").first
    }
  }

  @Test
  static func `the commands run in order, and give the page's results`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let script = try blocks("sh").joined(separator: "\n")
    expect(script.split(separator: "\n").count, equals: 8)
    let tools = URL(fileURLWithPath: Tool.path).deletingLastPathComponent().path
    // The shell runs the page's commands; the path of the tool itself is only an argument.
    let result = try Tool.run(
      arguments: [],
      launcher: ["/bin/sh", "-ec", "cd '\(folder.path)' && PATH='\(tools)':$PATH\n\(script)"])
    expect(result.exitCode, equals: 0, "\(result.errors)")
    expect(result.output, contains: "Summary: ")
    let texts = try blocks("text")
    try #require(texts.count == 3)
    expect(result.errors, equals: "\(texts[0])\n\(texts[2])\n")
    let recording = try String(contentsOf: folder.appending(path: "tumble.csv"), encoding: .utf8)
    expect(recording, hasPrefix: "\(texts[1])\n")
    let picture = try String(contentsOf: folder.appending(path: "tumble.svg"), encoding: .utf8)
    // To make it again: the first and the third command, in docs/recording.
    try expect(
      picture, equals: String(contentsOf: Self.documents.appending(path: "recording/tumble.svg"), encoding: .utf8))
    try expect(String(contentsOf: folder.appending(path: "tumble.html"), encoding: .utf8), contains: "<svg ")
  }
}

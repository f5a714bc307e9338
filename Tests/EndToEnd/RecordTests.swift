import Foundation
import Testing

/// `plumb record`: that what is in the file is what was measured, all of it, under its name only when it is whole.
@Suite struct RecordTests {
  struct Case: Sendable {
    var motion: String
    var options: [String] = []
    var board: String?
  }

  static let cases = [
    Case(motion: "hold", options: ["--seed", "7", "--duration", "20"]), Case(motion: "turn"),
    Case(motion: "six-faces", options: ["--rate", "50"]), Case(motion: "shake", options: ["--rate", "400"]),
    Case(motion: "free-fall"), Case(motion: "six-faces", board: "emulated-uncalibrated"),
    Case(motion: "six-faces", board: "emulated-mpu6050"),
  ]

  private func record(_ file: String, _ more: String...) throws -> Tool {
    try Tool.run(arguments: ["record", "-o", file, "--speed", "fast"] + more)
  }

  private func rows(_ file: String) throws -> [[Double]] {
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.first == "time_s,x_g,y_g,z_g")
    #expect(lines.last == "", "the last line has an end")
    return try lines.dropFirst().dropLast().map { line in
      let fields = try line.split(separator: ",").map { try unwrapped(Double($0)) }
      #expect(fields.count == 4)
      return fields
    }
  }

  /// What is left of an event without its time.
  private func timeless(_ event: [String: Any]) throws -> Data {
    var event = event
    event["t"] = nil
    return try JSONSerialization.data(withJSONObject: event, options: .sortedKeys)
  }

  @Test(arguments: cases)
  func `a recording has the forces of a run to the last bit, and replayed its events and angles`(test: Case) throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let file = folder.appendingPathComponent("a.csv").path
    let board = test.board.map { ["--board", Tool.board($0)] } ?? []
    let options = ["--speed", "fast", "--motion", test.motion] + test.options + board
    let recorded = try Tool.run(arguments: ["record", "-o", file] + options)
    #expect(recorded.exitCode == 0 && recorded.output.isEmpty)
    #expect(recorded.errors.contains("No gaps."), "\(recorded.errors)")
    let live = try Tool.run(arguments: ["run", "--samples", "--format", "json"] + options)
    let again = try Tool.run("replay", file, "--samples", "--format", "json")
    let (rows, samples) = (try rows(file), try live.events("sample"))
    #expect(rows.count > 100)
    #expect(rows.count == samples.count)
    let start = try unwrapped(samples.first?["t"] as? Double)
    for (row, sample) in zip(rows, samples) {
      #expect(try abs(unwrapped(sample["t"] as? Double) - start - row[0]) < 1e-9)
      for (value, axis) in zip(row.dropFirst(), ["x", "y", "z"]) {
        #expect(try unwrapped(sample[axis] as? Double) == value)
        // Far from the middle between two of the numbers that a force can be, so that it is read as the right one.
        #expect(abs(value * 65_536 - (value * 65_536).rounded()) < 0.05)
      }
    }
    let events = try live.objects.filter { $0["event"] as? String != "summary" && $0["event"] as? String != "notice" }
    let replayed = try again.objects.filter { $0["event"] as? String != "summary" }
    #expect(events.count == replayed.count)
    for (one, other) in zip(events, replayed) {
      #expect(try timeless(one) == timeless(other))
      // The phases of a turn come by the clock in a run, and with the next sample of a recording.
      let limit = one["event"] as? String == "rotation" ? 0.0201 : 1e-9
      #expect(try abs(unwrapped(one["t"] as? Double) - start - unwrapped(other["t"] as? Double)) < limit)
    }
  }

  @Test
  func `a sensor that fails leaves a gap, which is told with its times and cause; the times around it stay true`()
    throws
  {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let file = folder.appendingPathComponent("a.csv").path
    let result = try record(file)
    #expect(result.exitCode == 0)
    #expect(result.errors.contains("1 gap, 0."))
    #expect(result.errors.contains("no acknowledge from 0x53"))
    #expect(result.errors.contains("\n                  SCL right, and is that its address?\n"), "\(result.errors)")
    let rows = try rows(file)
    let gaps = zip(rows, rows.dropFirst()).filter { $1[0] - $0[0] > 0.015 }
    #expect(gaps.count == 1)
    let (before, after) = try unwrapped(gaps.first)
    // The emulated sensor is away from 5.5 to 5.9 s.
    #expect(abs(before[0] - 5.5) < 0.05 && after[0] > 5.85 && after[0] < 6.5)
    #expect(result.errors.contains(String(format: "%.2f to %.2f s", before[0], after[0])))
    #expect(result.errors.contains("Recorded \(rows.count) samples in "))
    // Ended while it is away.
    let short = try record(file, "--force", "--duration", "5.7")
    #expect(short.exitCode == 0)
    #expect(short.errors.contains("The sensor was away at the end, after 5.4") && !short.errors.contains("No gaps"))
  }

  @Test
  func `nothing is overwritten without --force; with it the file is replaced, keeps its rights, and a link its target`()
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
      #expect(refused.exitCode == 73)
      #expect(refused.errors.contains("already exists") && refused.errors.contains("--force"))
      #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
    }
    #expect(try record(link, "--motion", "turn", "--force", "--quiet").errors.isEmpty)
    #expect(try rows(file).count > 50)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "a.csv")
    let rights = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(rights == 0o640)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["a.csv", "link.csv"])
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `Ctrl-C and SIGTERM end a recording in good order: all of it is kept, whole, and counted`(signal: Int32) throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let file = folder.appendingPathComponent("a.csv").path
    let process = Tool.process(["record", "-o", file, "--motion", "hold", "--duration", "600"])
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    // Until there are samples, in a file that has not its name yet.
    var part = 0
    for _ in 0..<6_000 where part < 100 {
      Thread.sleep(forTimeInterval: 0.02)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(!names.contains("a.csv"))
      let sizes = try names.filter { $0.hasPrefix("a.csv.") && $0.hasSuffix(".part") }.map {
        try FileManager.default.attributesOfItem(atPath: folder.appendingPathComponent($0).path)[.size] as? Int ?? 0
      }
      part = sizes.max() ?? 0
    }
    kill(process.processIdentifier, signal)
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationReason == .exit && process.terminationStatus == 0)
    #expect(text.contains("Recorded \(try rows(file).count) samples in "), "\(text)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.csv"])
  }

  @Test
  func `standard output gets the same bytes as a file, and a reader that goes away ends it quietly`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let file = folder.appendingPathComponent("a.csv").path
    #expect(try record(file).exitCode == 0)
    let result = try record("-", "-q")
    #expect(result.exitCode == 0 && result.errors.isEmpty)
    #expect(try result.output == String(contentsOfFile: file, encoding: .utf8))
    let closed = try Tool.shell("'\(Tool.path)' record -o - --speed fast --motion hold --duration 600 | head -n 1")
    #expect(closed.status == 0 && closed.errors.isEmpty, "\(closed.errors)")
    let live = try Tool.shell("'\(Tool.path)' record -o - --motion hold --duration 600 | head -n 3")
    #expect(live.status == 0 && live.errors.isEmpty, "\(live.errors)")
  }

  @Test(
    arguments: [
      (["-o", "/nonexistent/a.csv"], 73, "no such folder"), (["-o", "/"], 73, "directory"),
      (["-o", "/dev/full"], 73, "disk is full"),
      (["-o", "FOLDER/a.csv", "--duration", "0.000001"], 69, "no file is made"),
      (["-o", "FOLDER/" + String(repeating: "a", count: 300)], 73, "cannot be created"),
      (["-o", "FOLDER/a.csv", "--board", "/nonexistent.ini"], 78, "nonexistent.ini"),
    ] as [([String], Int32, String)])
  func `what cannot be done is told in one line with its code, and leaves nothing behind`(
    arguments: [String], code: Int32, words: String
  ) throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let result = try Tool.run(
      arguments: ["record", "--speed", "fast"] + arguments.map { $0.replacing("FOLDER", with: folder.path) })
    #expect(result.exitCode == code)
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(result.errors.contains(words), "\(result.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test(arguments: [
    ([], "--output"), (["-o", "a.csv", "--duration", "0"], "0.000001"), (["-o", "a.csv", "--rate", "801"], "800"),
    (["-o", "a.csv", "--motion", "dance"], "tumble"), (["-o", "a.csv", "--rate", "fast"], "hertz"),
    (["-o", "a.csv", "--board", "PI", "--speed", "fast"], "emulated"),
    (["-o", "a.csv", "--board", "PI", "--motion", "hold"], "emulated"),
    (["-o", "a.csv", "--board", "PI", "--seed", "1"], "emulated"),
  ])
  func `wrong usage has code 64 and says what is allowed`(arguments: [String], words: String) throws {
    let board = Tool.board("raspberry-pi-adxl345")
    let result = try Tool.run(arguments: ["record"] + arguments.map { $0 == "PI" ? board : $0 })
    #expect(result.exitCode == 64)
    #expect(result.errors.contains(words), "\(result.errors)")
  }
}

import Foundation
import TestSupport
import Testing

/// The reports of `plumb record` and `plumb plot` for scripts, and the end of a recording whose sensor is gone.
struct AccountTests {
  private static func record(_ file: String, _ arguments: String...) throws -> Tool {
    try Tool.run(arguments: ["record", "-o", file, "--speed", "fast"] + arguments)
  }

  /// Calls `body` with the path of a file that does not exist yet.
  private static func withPath<Result>(_ name: String, _ body: (String) throws -> Result) throws -> Result {
    let folder = try scratchFolder()
    defer { remove(folder) }
    return try body(folder.appendingPathComponent(name).path)
  }

  private static func lines(_ file: String) throws -> Int {
    try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").count
  }

  @Test static func `a recording's report as objects has the file's contents and its gaps`() throws {
    try withPath("a.csv") { file in
      let result = try record(file, "--format", "json")
      expect(result.exitCode, equals: 0)
      expect(result.errors, equals: "")
      let gaps = try result.events("gap")
      expect(gaps.count, equals: 1)
      // The emulated sensor does not respond from 5.5 s to 5.9 s.
      try expect(unwrapped(gaps.first?["from_s"] as? Double), isIn: 5.4...5.5)
      try expect(unwrapped(gaps.first?["to_s"] as? Double), isIn: 5.9...6.4)
      try expect(unwrapped(gaps.first?["detail"] as? String), hasPrefix: "no acknowledge from 0x53")
      let summary = try unwrapped(try result.events("summary").first)
      expect(summary["file"] as? String, equals: file)
      expect(summary["gaps"] as? Int, equals: 1)
      try expect(summary["samples"] as? Int, equals: lines(file) - 1)
      expect(summary["rate_hz"] as? Double, equals: 100)
      expect(summary["gave_up"] as? Bool, equals: false)
      expect(that: summary["trouble_at_end"] is NSNull)
    }
  }

  @Test static func `samples and report do not mix if both go to standard output`() throws {
    let result = try record("-", "--duration", "1", "--format", "json")
    expect(result.exitCode, equals: 0)
    expect(that: result.output.hasPrefix("time_s,x_g,y_g,z_g\n"))
    expect(that: !result.output.contains("summary"))
    let object = try JSONSerialization.jsonObject(with: Data(result.errors.utf8)) as? [String: Any]
    expect(object?["samples"] as? Int, equals: result.output.split(separator: "\n").count - 1)
  }

  @Test static func `a sensor that is away for too long is given up, and earlier samples are in the file`() throws {
    try withPath("a.csv") { file in
      let result = try record(file, "--give-up", "0.2", "--format", "json")
      expect(result.exitCode, equals: 69)
      expect(result.errors, hasPrefix: "plumb: gave up after 0.")
      expect(result.errors, contains: "no acknowledge from 0x53")
      let summary = try unwrapped(try result.events("summary").first)
      expect(summary["gave_up"] as? Bool, equals: true)
      expect(that: summary["trouble_at_end"] is String)
      try expect(unwrapped(summary["duration_s"] as? Double), isIn: 5.4...5.5)
      try expect(summary["samples"] as? Int, equals: lines(file) - 1)
      try expect(Tool.run("replay", file).exitCode, equals: 0)
    }
    try withPath("b.csv") { file in
      let result = try record(file, "--give-up", "0.2")
      expect(result.exitCode, equals: 69)
      expect(result.output, equals: "")
      expect(result.errors, contains: "Recorded ")
      expect(result.errors, contains: "plumb: gave up after 0.")
    }
    try expect(withPath("c.csv") { try record($0, "--give-up", "2").exitCode }, equals: 0)
    for wrong in ["0", "-1", "nan"] { try expect(record("x.csv", "--give-up=\(wrong)").exitCode, equals: 64) }
  }

  @Test static func `a picture's report has its contents and size, and text is silent on a pipe`() throws {
    try withPath("a.csv") { file in
      try expect(record(file).exitCode, equals: 0)
      let picture = file + ".svg"
      let result = try Tool.run("plot", file, "-o", picture, "--format", "json")
      expect(result.exitCode, equals: 0)
      expect(result.errors, equals: "")
      let summary = try unwrapped(try result.events("summary").first)
      expect(summary["file"] as? String, equals: picture)
      expect(summary["gaps"] as? Int, equals: 1)
      try expect(summary["samples"] as? Int, equals: lines(file) - 1)
      try expect(summary["bytes"] as? Int, equals: Data(contentsOf: URL(fileURLWithPath: picture)).count)
      let quiet = try Tool.run("plot", file, "-o", picture, "--force")
      expect(quiet.exitCode, equals: 0)
      expect(quiet.output, equals: "")
      expect(quiet.errors, equals: "")
      let piped = try Tool.run("plot", file, "-o", "-", "--format", "json")
      expect(that: piped.output.hasPrefix("<svg"))
      expect(that: piped.errors.hasPrefix("{\"event\":\"summary\",\"file\":\"-\""))
      // Only the two files: a picture is moved to its place.
      let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
      try expect(FileManager.default.contentsOfDirectory(atPath: folder).sorted(), equals: ["a.csv", "a.csv.svg"])
    }
  }
}

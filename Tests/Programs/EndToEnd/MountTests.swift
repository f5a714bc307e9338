import Foundation
import TestSupport
import Testing

/// `plumb mount` on emulated boards with various mountings.
struct MountTests {
  /// The 24 signed permutations with determinant +1, as a board file writes them.
  static let mountings: [String] = {
    var found: [String] = []
    let axes = [(0, 1), (0, -1), (1, 1), (1, -1), (2, 1), (2, -1)]
    for x in axes {
      for y in axes where y.0 != x.0 {
        // Z is X × Y.
        let z = 3 - x.0 - y.0
        let sign = ((x.0 + 1) % 3 == y.0 ? 1 : -1) * x.1 * y.1
        found.append([x, y, (z, sign)].map { ($0.1 > 0 ? "+" : "-") + ["x", "y", "z"][$0.0] }.joined(separator: " "))
      }
    }
    return found
  }()

  static func board(_ model: String, really mounting: String, sensor: String = "") throws -> BoardCopy {
    try BoardCopy(
      BoardCopy.emulated(
        model, sensor: sensor,
        emulation: "seed = 11\noffset-error = 80\nscale-error = 3\nmounting = \(mounting)"))
  }

  @Test(arguments: ["adxl345", "mpu6050"], mountings)
  static func `each of the 24 mountings of a sensor is found, whatever the file said before`(
    model: String, mounting: String
  )
    throws
  {
    expect(Set(Self.mountings).count, equals: 24)
    for sensor in ["", "mounting = +z +x +y   # as drawn", "mounting = \(mounting)"] {
      let board = try Self.board(model, really: mounting, sensor: sensor)
      defer { remove(board.folder) }
      let result = try board.run("mount", "--format", "json")
      expect(result.exitCode, equals: 0, "\(result.errors)")
      try expect(result.events("mounting").first?["mounting"] as? String, equals: mounting)
      let lines = try board.text.split(separator: "\n").filter { $0.hasPrefix("mounting = \(mounting)") }
      // One in [sensor], one in [emulation].
      expect(lines.count, equals: 2)
      expect(lines.contains { $0.hasSuffix("   # as drawn") }, equals: sensor.contains("drawn"))
    }
  }

  @Test(arguments: ["mount", "calibrate"])
  static func `a limit of file sizes is reported, and no draft is left`(command: String) throws {
    let board = try Self.board("adxl345", really: "+x +y +z")
    defer { remove(board.folder) }
    let before = try board.bytes
    let result = try Tool.shell("ulimit -f 0; exec '\(Tool.path)' \(command) --board '\(board.path)'")
    expect(result.status, equals: 73, "\(result.errors)")
    expect(result.errors, contains: "the size limit", "\(result.errors)")
    #expect(try board.names == ["board.ini"] && board.bytes == before)
  }

  @Test(arguments: [["mount", "calibrate"], ["calibrate", "mount"]])
  static func `after mounting and calibration in either order, every pose is right within 0.2°`(order: [String])
    throws
  {
    for mounting in ["-y +x +z", "+z -x -y", "-x +z +y"] {
      let board = try Self.board("adxl345", really: mounting)
      defer { remove(board.folder) }
      for command in order { try expect(board.run(command).exitCode, equals: 0) }
      for face in try board.faces {
        expect(face.tilt, isBelow: 0.2, "\(face.pose)")
        expect(that: face.isTold, "\(face.pose)")
      }
    }
  }

  @Test
  static func `the calibration stays unchanged, byte for byte`() throws {
    let lines = "offset = 0.012500 -0.03 0.1 # mine\nscale = 1.01 0.985 1"
    let board = try Self.board("mpu6050", really: "-y +x +z", sensor: lines)
    defer { remove(board.folder) }
    try expect(board.run("mount").exitCode, equals: 0)
    try expect(board.text, contains: "\n\(lines)\n")
  }

  @Test
  static func `text says in words which axis is where, and what the file said`() throws {
    let board = try Self.board("adxl345", really: "-y +x +z", sensor: "mounting = +x +y +z")
    defer { remove(board.folder) }
    let output = try board.run("mount").output
    for words in [
      "hold it upright, the top edge up", "Upright: done. Now lay the board on its back, face up",
      "to the right of the board:  -y  (+x in the file)", "to its top edge:            +x  (+y in the file)",
      "out of its face:            +z  as in the file", "mounting = -y +x +z", "Written to \(board.path).",
    ] { expect(output, contains: words, "\(words) in \(output)") }
  }

  @Test
  static func `a slanted pose or an overturned board is rejected, with another try in the same run`()
    throws
  {
    let board = try Self.board("adxl345", really: "+z +x +y")
    defer { remove(board.folder) }
    let result = try board.run("mount", "--motion", "two-poses-clumsy", "--format", "json")
    expect(result.exitCode, equals: 0)
    let refusals = try result.events("refused").compactMap { $0["detail"] as? String }
    expect(refusals.count, equals: 2)
    #expect(refusals[0].contains("too slanted") && refusals[0].contains("held upright"))
    expect(refusals[1], contains: "lay the board on its back, face up")
    // A board still in its initial attitude does not count as held upright.
    try expect(any: result.events("status")) { $0["state"] as? String == "not-moved" }
    try expect(result.events("mounting").first?["mounting"] as? String, equals: "+z +x +y")
  }

  @Test(arguments: [
    ("portrait", "was not picked up and held upright"), ("faceUp", "was not picked up and held upright"),
    ("turn", "was held upright, but not laid face up"),
  ])
  static func `a board not lifted, not laid down or turned over is reported with code 65, without a write`(
    motion: String, words: String
  ) throws {
    let board = try Self.board("adxl345", really: "+z +x +y")
    defer { remove(board.folder) }
    let before = try board.bytes
    let result = try board.run("mount", "--motion", motion)
    expect(result.exitCode, equals: 65)
    expect(that: result.errors.contains(words), "\(result.errors)")
    expect(result.errors, contains: "nothing was written", "\(result.errors)")
    try expect(board.bytes, equals: before)
  }

  @Test
  static func `a time-out has code 65; a dry run writes nothing; without a board the reason is reported`() throws {
    let board = try Self.board("adxl345", really: "+z +x +y")
    defer { remove(board.folder) }
    let before = try board.bytes
    let late = try board.run("mount", "--timeout", "4")
    expect(late.exitCode, equals: 65)
    expect(late.errors, contains: "the time is up, and the board was held upright")
    let dry = try board.run("mount", "--dry-run", "--format", "json")
    expect(dry.exitCode, equals: 0)
    let found = try unwrapped(try dry.events("mounting").first)
    expect(found["mounting"] as? String, equals: "+z +x +y")
    expect(found["written"] as? Bool, equals: false)
    try expect(board.bytes, equals: before)
    let bare = try Tool.run("mount")
    expect(bare.exitCode, equals: 64)
    expect(bare.errors, contains: "the board file to write the mounting to")
  }
}

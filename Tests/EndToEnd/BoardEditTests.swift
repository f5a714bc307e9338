import Foundation
import Testing

/// What `plumb mount` and `plumb calibrate` change in a board file, and that they change nothing else.
@Suite struct BoardEditTests {
  static let comment = "# Written by plumb mount: how the sensor sits. Once it sits in another way, find it again."
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

  /// A file whose sensor sits as `-y +x +z`, with `sensor` as its section of the sensor.
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
  func `only the value changes, or a line comes behind the last key; all else stays byte for byte`(change: Case) throws
  {
    for (before, after) in [("\n", "\n"), ("\r\n", "\r\n")] {
      let board = try BoardCopy(Self.file(change.before).replacing("\n", with: before))
      defer { remove(board.folder) }
      let result = try board.run("mount")
      // The third has "+z;" for a value, which is no mounting: the file is refused as ever, and stays as it is.
      let isGood = change.before != change.after
      #expect(result.exitCode == (isGood ? 0 : 78), "\(change.name): \(result.errors)")
      #expect(try board.bytes == Data(Self.file(change.after).replacing("\n", with: after).utf8), "\(change.name)")
    }
  }

  @Test
  func `a comment that holds a key is not taken for it`() throws {
    let before =
      "[sensor]\n# mounting = +z +x +y\n;mounting = 1\nmodel = adxl345 # mounting = +x\naddress = 0x53\nmounting=+x +y +z ;"
    let board = try BoardCopy(Self.file(before))
    defer { remove(board.folder) }
    #expect(try board.run("mount").exitCode == 0)
    #expect(try board.text == Self.file(before.replacing("mounting=+x +y +z ;", with: "mounting=-y +x +z ;")))
  }

  @Test(arguments: ["\n", "\r\n"])
  func `a file without a last line end gets none, with either kind of line end, and a byte order mark stays`(
    end: String
  ) throws {
    let head =
      "\u{FEFF}[emulation]\nmounting = -y +x +z\n[i2c]\nbus = emulated\n\(Self.lines)\n[sensor]\nmodel = adxl345\naddress = 0x53"
    for (last, added) in [
      ("", "\n\n\(Self.comment)\nmounting = -y +x +z"), (" # last", "\n\n\(Self.comment)\nmounting = -y +x +z"),
    ] {
      let board = try BoardCopy((head + last).replacing("\n", with: end))
      defer { remove(board.folder) }
      #expect(try board.run("mount").exitCode == 0)
      #expect(try board.bytes == Data((head + last + added).replacing("\n", with: end).utf8))
    }
    let changed = head + "\nmounting = +x +y +z"
    let board = try BoardCopy(changed.replacing("\n", with: end))
    defer { remove(board.folder) }
    #expect(try board.run("mount").exitCode == 0)
    #expect(try board.bytes == Data((head + "\nmounting = -y +x +z").replacing("\n", with: end).utf8))
  }

  @Test
  func `both keys of a calibration come under one comment; one of them that is there is changed in its place`() throws {
    let none = "[sensor]\nmodel = adxl345\naddress = 0x53"
    let one = "[sensor]\nscale = 1 1 1 # was perfect\nmodel = adxl345\naddress = 0x53"
    for sensor in [none, one] {
      let board = try BoardCopy(Self.file(sensor))
      defer { remove(board.folder) }
      #expect(try board.run("calibrate").exitCode == 0)
      let lines = try board.text.split(separator: "\n", omittingEmptySubsequences: false)
      let added = lines.filter { $0.hasPrefix("# Written by plumb calibrate") || $0.hasPrefix("offset = ") }
      #expect(added.count == 2)
      let scales = lines.filter { $0.hasPrefix("scale = ") }
      #expect(scales.count == 1 && scales[0].hasSuffix(" # was perfect") == (sensor == one))
      // Without what was added and the changed value, it is the file as it was.
      let index = try unwrapped(lines.firstIndex { $0.hasPrefix("# Written") })
      var rest = lines
      rest.removeSubrange((index - 1)...(index + (sensor == none ? 2 : 1)))
      let original = Self.file(sensor).split(separator: "\n", omittingEmptySubsequences: false)
      #expect(rest.count == original.count)
      for (a, b) in zip(rest, original) where !b.hasPrefix("scale") { #expect(a == b) }
    }
  }

  @Test(arguments: ["emulated", "emulated-mpu6050", "emulated-uncalibrated"])
  func `the boards that come with plumb stay readable, and lose nothing`(name: String) throws {
    let original = try String(contentsOfFile: Tool.board(name), encoding: .utf8)
    let board = try BoardCopy(original)
    defer { remove(board.folder) }
    #expect(try board.run("calibrate").exitCode == 0)
    #expect(try board.run("mount").exitCode == 0)
    #expect(try board.run("run").exitCode == 0)
    // Every line that was there is there, in the same order.
    var rest = try board.text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    for line in original.split(separator: "\n", omittingEmptySubsequences: false) {
      let place = try unwrapped(rest.firstIndex(of: line))
      rest = rest[(place + 1)...]
    }
  }

  @Test
  func `a file that would grow beyond what board files may have is refused before anybody turns the board`() throws {
    let text = Self.file("[sensor]\nmodel = adxl345\naddress = 0x53")
    let filler = String(repeating: "#", count: 100) + "\n"
    let padded = text + String(repeating: filler, count: (65_536 - text.utf8.count) / 101)
    let board = try BoardCopy(padded)
    defer { remove(board.folder) }
    let result = try board.run("calibrate")
    #expect(result.exitCode == 73 && result.output.isEmpty)
    #expect(result.errors.contains("64 KiB"))
    #expect(try board.text == padded)
  }
}

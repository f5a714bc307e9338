import Foundation
import Testing

/// What `plumb calibrate` says where nothing comes of it; never is anything written then.
@Suite struct CalibrateFailureTests {
  private func withBoard(_ body: (BoardCopy) throws -> Void) throws {
    let board = try BoardCopy(BoardCopy.uncalibrated("adxl345"))
    defer { remove(board.folder) }
    let before = try board.bytes
    try body(board)
    #expect(try board.bytes == before)
    #expect(try board.names == ["board.ini"])
  }

  @Test
  func `without a board file the reason is told; options for an emulated board are refused for a real one`() throws {
    let bare = try Tool.run("calibrate")
    #expect(bare.exitCode == 64 && bare.output.isEmpty)
    #expect(bare.errors.contains("--board FILE") && bare.errors.contains("the file to write the calibration to"))
    let real = Tool.board("raspberry-pi-adxl345")
    for more in [["--speed", "fast"], ["--motion", "six-faces"], ["--seed", "3"], ["--timeout", "0"]] {
      let result = try Tool.run(arguments: ["calibrate", "--dry-run", "--board", real] + more)
      #expect(result.exitCode == 64 && result.output.isEmpty && result.errors.contains(more[0]))
    }
    #expect(try Tool.run("calibrate", "--motion", "dance", "--board", real).exitCode == 64)
  }

  @Test
  func `a motion that ends too early is told with code 65 and the faces that are missing`() throws {
    try withBoard { board in
      let result = try board.run("calibrate", "--motion", "hold")
      #expect(result.exitCode == 65)
      #expect(result.output.contains("Done, 1 of 6: top edge up [sensor +y]."))
      #expect(
        result.errors
          == "plumb: the motion hold is over, and 5 of 6 faces are missing: right edge up [sensor +x], bottom edge up "
          + "[sensor -y], left edge up [sensor -x], face up [sensor +z], face down [sensor -z]; nothing was written\n")
    }
  }

  @Test
  func `time that runs out is told with code 65, and a face that was held too slanted counts as missing then`() throws {
    try withBoard { board in
      let early = try board.run("calibrate", "--timeout", "10")
      #expect(early.exitCode == 65 && early.errors.contains("the time is up, and 3 of 6 faces are missing"))
      let slanted = try board.run("calibrate", "--motion", "six-faces-clumsy", "--timeout", "28")
      #expect(slanted.exitCode == 65)
      #expect(slanted.errors.contains("1 of 6 faces are missing: top edge up [sensor +y]"))
    }
  }

  @Test(arguments: ["shake", "free-fall"])
  func `shaking, falling and turning bring no face forward but those held still`(motion: String) throws {
    try withBoard { board in
      let result = try board.run("calibrate", "--motion", motion, "--format", "json")
      #expect(result.exitCode == 65)
      #expect(try result.events("accepted").allSatisfy { $0["pose"] as? String == "portrait" })
      #expect(try result.events("accepted").count <= 1)
    }
  }

  @Test
  func `a sensor that is away at the end is told as that, with code 69`() throws {
    try withBoard { board in
      let result = try board.run("calibrate", "--motion", "six-faces-clumsy", "--timeout", "22.2", "--format", "json")
      #expect(result.exitCode == 69)
      #expect(result.errors.contains("no acknowledge from 0x53") && result.errors.contains("nothing was written"))
      #expect(try result.events("calibration").isEmpty)
    }
  }

  @Test
  func `a real bus that is not there is told with code 69`() throws {
    let text = BoardCopy.real("adxl345").replacing("/dev/i2c-1", with: "/dev/i2c-250")
    let board = try BoardCopy(text)
    defer { remove(board.folder) }
    let result = try Tool.run("calibrate", "--board", board.path)
    #expect(result.exitCode == 69 && result.errors.contains("/dev/i2c-250"))
    #expect(try board.text == text)
  }

  @Test
  func `a real bus whose sensor gives the same again and again is told as that; the board's lines are left alone`()
    throws
  {
    // The bridge's sensors have no noise. The chip of the lines is not there, and nobody asks for it.
    let board = try BoardCopy(BoardCopy.real("adxl345").replacing("chip = emulated", with: "chip = no-such-chip"))
    defer { remove(board.folder) }
    let before = try board.bytes
    let result = try Tool.run(
      arguments: ["calibrate", "--board", board.path, "--timeout", "1"],
      environment: Tool.bridge("adxl345@0x53=0,1,0"))
    #expect(result.exitCode == 69)
    #expect(result.output.hasPrefix("ADXL345 at 0x53 on /dev/i2c-1; Ctrl-C stops, and then nothing is written.\n"))
    #expect(result.output.contains("Holding still: top edge up [sensor +y]"))
    #expect(result.errors.contains("keeps giving the same sample") && result.errors.contains("nothing was written"))
    #expect(try board.bytes == before)
  }

  @Test
  func `a dry run finds what a real one does, and writes nothing`() throws {
    try withBoard { board in
      let dry = try board.run("calibrate", "--dry-run", "--format", "json")
      #expect(dry.exitCode == 0)
      let found = try unwrapped(try dry.events("calibration").first)
      #expect(found["written"] as? Bool == false)
      #expect(try board.run("calibrate", "--dry-run").output.contains("Not written to \(board.path): --dry-run."))
      let other = try BoardCopy(try board.text)
      defer { remove(other.folder) }
      #expect(try other.run("calibrate").exitCode == 0)
      let offset = try unwrapped(found["offset_g"] as? [Double])
      let written = try unwrapped(other.value(of: "offset")).split(separator: " ").compactMap { Double($0) }
      #expect(offset == written)
    }
  }

  @Test
  func `an output that cannot be written ends it, and a reader that goes away does so quietly`() throws {
    try withBoard { board in
      let script = "\"$0\" calibrate --board \(board.path) --speed fast >/dev/full"
      let full = try Tool.run(arguments: [], launcher: ["/bin/sh", "-c", script])
      #expect(full.exitCode == 73 && full.errors.contains("standard output cannot be written"))
    }
  }
}

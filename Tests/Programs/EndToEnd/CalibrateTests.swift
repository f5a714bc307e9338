import Foundation
import TestSupport
import Testing

/// `plumb calibrate` on emulated boards, as a script runs it.
struct CalibrateTests {
  static let models = ["adxl345", "mpu6050"]

  /// The bound is for the mean of 2 s of samples: a single sample has noise of 0.003 to 0.004 g on each axis, which
  /// is 0.2° by itself for any calibration.
  @Test(arguments: models, Array(1...50))
  static func `after a calibration every pose reads within 0.2°, for errors up to 80 mg and 3 %`(
    model: String, seed: Int
  ) throws {
    let board = try BoardCopy(BoardCopy.uncalibrated(model, seed: seed))
    defer { remove(board.folder) }
    let result = try board.run("calibrate", "--format", "json")
    expect(result.exitCode, equals: 0, "\(result.errors)")
    for face in try board.faces { expect(face.tilt, isBelow: 0.2, "\(face.pose) of \(model), seed \(seed)") }
  }

  @Test(arguments: models)
  static func `before it, each of 10 sensors has a pose that is off by over 0.5°`(model: String) throws {
    for seed in 1...10 {
      let board = try BoardCopy(BoardCopy.uncalibrated(model, seed: seed))
      defer { remove(board.folder) }
      try expect(any: board.faces) { $0.tilt > 0.5 }
    }
  }

  @Test(arguments: models)
  static func `a sensor mounted sideways is calibrated in its own frame, and its poses read right`(model: String) throws
  {
    let board = try BoardCopy(BoardCopy.uncalibrated(model, seed: 7, mounting: "-y -z +x"))
    defer { remove(board.folder) }
    let result = try board.run("calibrate", "--format", "json")
    for face in try board.faces { expect(face.tilt, isBelow: 0.2, "\(face.pose)") }
    // The right edge is in the direction of the sensor's -Y, the top edge of its -Z, and the face of its +X.
    let residuals = try result.events("residual").map { [$0["pose"] as? String, $0["axis"] as? String] }
    expect(
      residuals,
      equals: [
        ["portrait", "-z"], ["landscapeLeft", "-y"], ["portraitUpsideDown", "+z"], ["landscapeRight", "+y"],
        ["faceUp", "+x"], ["faceDown", "-x"],
      ])
  }

  @Test(arguments: models)
  static func `the residuals are those of the sensor before, and almost zero after`(model: String) throws {
    let board = try BoardCopy(BoardCopy.uncalibrated(model, seed: 3))
    defer { remove(board.folder) }
    let faces = try board.faces
    let residuals = try board.run("calibrate", "--format", "json").events("residual")
    expect(residuals.count, equals: 6)
    for face in faces {
      let residual = try unwrapped(residuals.first { $0["pose"] as? String == face.pose })
      let was = try unwrapped(residual["before"] as? [String: Double])
      let now = try unwrapped(residual["after"] as? [String: Double])
      expect(abs(try unwrapped(was["tilt_deg"]) - face.tilt), isBelow: 0.15)
      try expect(unwrapped(now["tilt_deg"]), isBelow: 0.15)
      expect(abs(try unwrapped(now["length_mg"])), isBelow: 0.2)
    }
  }

  @Test
  static func `an earlier calibration does not count: the second one finds the same and replaces it`() throws {
    let board = try BoardCopy(BoardCopy.uncalibrated("adxl345", seed: 5))
    defer { remove(board.folder) }
    try expect(board.run("calibrate").exitCode, equals: 0)
    let first = try board.bytes
    try expect(board.run("calibrate").exitCode, equals: 0)
    try expect(board.bytes, equals: first)
    // A wrong one in the file, however wrong, does not matter.
    let found = try (unwrapped(board.value(of: "offset")), unwrapped(board.value(of: "scale")))
    let wrong = try board.text.replacing(found.0, with: "0.5 -0.5 1").replacing(found.1, with: "0.75 1.25 1.5")
    try Data(wrong.utf8).write(to: URL(fileURLWithPath: board.path))
    try expect(board.run("calibrate").exitCode, equals: 0)
    try expect(board.bytes, equals: first)
  }

  @Test(arguments: models)
  static func `a rate in the board file that is too slow for a hand does not slow it down`(model: String) throws {
    let text = BoardCopy.emulated(model, sensor: "rate = 1", emulation: "offset-error = 80\nscale-error = 3")
    let board = try BoardCopy(text)
    defer { remove(board.folder) }
    try expect(board.run("calibrate").exitCode, equals: 0)
    try expect(board.value(of: "rate"), equals: "1")
    try expect(board.value(of: "offset"), isNot: nil)
  }

  @Test
  static func `any order, movement, slants and a repeated face are reported, and it completes`() throws {
    let board = try BoardCopy(BoardCopy.uncalibrated("adxl345"))
    defer { remove(board.folder) }
    let result = try board.run("calibrate", "--motion", "six-faces-clumsy", "--format", "json")
    expect(result.exitCode, equals: 0)
    let story = try result.objects.compactMap { object -> String? in
      let event = try unwrapped(object["event"] as? String)
      let what = (object["state"] ?? object["pose"]) as? String
      return event == "status" && what == "moving" || event == "residual" ? nil : "\(event) \(what ?? "")"
    }
    expect(
      story,
      equals: [
        "wanted ", "status holding", "accepted portrait", "status already-done", "status slanted",
        "status already-done", "status holding", "status holding", "accepted landscapeLeft", "status already-done",
        "status holding", "accepted portraitUpsideDown", "status already-done", "status holding",
        "accepted landscapeRight", "status already-done", "status holding", "trouble ", "recovery ", "status holding",
        "accepted faceUp", "status already-done", "status holding", "accepted faceDown", "refused portrait",
        "status already-done", "status holding", "accepted portrait", "calibration ",
      ])
    for face in try board.faces { expect(face.tilt, isBelow: 0.2, "\(face.pose)") }
  }

  @Test
  static func `a fault in mid-hold restarts that face: a whole second of stillness follows the recovery`() throws {
    let board = try BoardCopy(BoardCopy.uncalibrated("mpu6050"))
    defer { remove(board.folder) }
    let result = try board.run("calibrate", "--motion", "six-faces-clumsy", "--format", "json")
    expect(result.exitCode, equals: 0)
    let recovery = try unwrapped(try result.events("recovery").first?["t"] as? Double)
    let trouble = try unwrapped(try result.events("trouble").first)
    try expect(unwrapped(trouble["detail"] as? String), contains: "no acknowledge from 0x68")
    let accepted = try unwrapped(try result.events("accepted").first { $0["pose"] as? String == "faceUp" })
    try expect(unwrapped(accepted["t"] as? Double), isAtLeast: recovery + 1.25)
  }

  @Test
  static func `text names each face by its action and sensor axis, and ends with a table`()
    throws
  {
    let board = try BoardCopy(BoardCopy.uncalibrated("adxl345"))
    defer { remove(board.folder) }
    let output = try board.run("calibrate").output
    for words in [
      "hold it upright, the top edge up [sensor +y]", "lay it on its back, face up [sensor +z]",
      "Moving: hold it still.",
      "Done, 6 of 6", "Next: stand it on its right edge, the left edge up [sensor -x].",
      "before                 after", "Written to \(board.path).",
    ] { expect(output, contains: words, "\(words)") }
    expect(output, lacks: "\u{1B}")
    let offset = try unwrapped(board.value(of: "offset"))
    expect(output, contains: "offset = \(offset)")
  }
}

/// What `plumb calibrate` finds for a gyroscope.
struct CalibrateGyroscopeTests {
  private static func numbers(_ board: BoardCopy, _ key: String) throws -> [Double] {
    try unwrapped(board.value(of: key)).split(separator: " ").compactMap { Double($0) }
  }

  /// The emulated gyroscope's reading at rest at 25 °C, in °/s; its die warms up by 5 °C.
  private static let bias = [2.7, -0.6, 1.8]

  @Test(arguments: [1, 2, 3])
  static func `the six faces also give the gyroscope's bias, and do not report its scale`(seed: Int) throws {
    let board = try BoardCopy(BoardCopy.uncalibrated("mpu6050", seed: seed, mounting: "-y -z +x"))
    defer { remove(board.folder) }
    let result = try board.run("calibrate", "--format", "json")
    expect(result.exitCode, equals: 0)
    let bias = try numbers(board, "gyroscope-bias")
    for (found, real) in zip(bias, Self.bias) { expect(abs(found - real), isBelow: 0.5, "\(bias)") }
    try expect(board.value(of: "gyroscope-scale"), equals: nil)
    let event = try unwrapped(try result.events("calibration").first)
    expect(event["gyroscope_bias_dps"] as? [Double], equals: bias)
    expect(that: event["gyroscope_scale"] is NSNull)
  }

  @Test
  static func `with it, the bias that the fusion still finds is almost zero`() throws {
    let board = try BoardCopy(BoardCopy.uncalibrated("mpu6050"))
    defer { remove(board.folder) }
    func found() throws -> Double {
      let summary = try board.run("run", "--motion", "hold", "--format", "json").events("summary").first
      return try unwrapped(summary?["bias_dps"] as? [Double]).reduce(0) { max($0, abs($1)) }
    }
    let before = try found()
    expect(abs(before - 2.7), isBelow: 0.3)
    try expect(board.run("calibrate").output, contains: "  gyroscope-bias = ")
    let after = try found()
    expect(after, isBelow: 0.3)
  }

  @Test(arguments: [1, 5, 9])
  static func `a full turn about each axis gives its scale within 0.2 %`(seed: Int) throws {
    let board = try BoardCopy(BoardCopy.uncalibrated("mpu6050", seed: seed))
    defer { remove(board.folder) }
    let result = try board.run("calibrate", "--turns", "--format", "json")
    expect(result.exitCode, equals: 0, "\(result.errors)")
    try expect(result.events("turned").compactMap { $0["axis"] as? String }, equals: ["z", "x", "y"])
    // The specimen's gyroscope has the same scale errors as its accelerometer, whose scale comes from the faces.
    let (scale, force) = (try numbers(board, "gyroscope-scale"), try numbers(board, "scale"))
    expect(scale.count, equals: 3)
    for (found, real) in zip(scale, force) { expect(abs(found - real), isBelow: 0.002, "\(scale), \(force)") }
    expect(any: scale) { abs($0 - 1) > 0.003 }
    let event = try unwrapped(try result.events("calibration").first)
    expect(event["gyroscope_scale"] as? [Double], equals: scale)
  }

  @Test
  static func `missing turns are reported with code 65, and nothing is written`() throws {
    let board = try BoardCopy(BoardCopy.uncalibrated("mpu6050"))
    defer { remove(board.folder) }
    let before = try board.bytes
    let result = try board.run("calibrate", "--turns", "--motion", "six-faces")
    expect(result.exitCode, equals: 65)
    expect(result.errors, contains: "3 of 3 turns are missing: about x, y, z; nothing was written")
    let early = try board.run("calibrate", "--turns", "--timeout", "30")
    expect(early.exitCode, equals: 65)
    expect(early.errors, contains: "2 of 3 turns are missing: about x, y; nothing was written")
    try expect(board.bytes, equals: before)
  }

  @Test
  static func `a board without a gyroscope in use gets no such keys, and rejects turns with code 64`() throws {
    for (model, filter) in [("adxl345", ""), ("mpu6050", "[filter]\ngravity = low-pass\n")] {
      let board = try BoardCopy(BoardCopy.uncalibrated(model) + filter)
      defer { remove(board.folder) }
      let turned = try board.run("calibrate", "--turns")
      expect(turned.exitCode, equals: 64)
      expect(turned.errors, contains: "--turns needs a board that uses a gyroscope")
      let result = try board.run("calibrate", "--format", "json")
      expect(result.exitCode, equals: 0)
      expect(that: !result.output.contains("gyroscope"))
      try expect(board.text, lacks: "gyroscope")
    }
  }
}

/// What `plumb calibrate` reports when it fails; nothing is ever written then.
struct CalibrateFailureTests {
  private static func withBoard(_ body: (BoardCopy) throws -> Void) throws {
    let board = try BoardCopy(BoardCopy.uncalibrated("adxl345"))
    defer { remove(board.folder) }
    let before = try board.bytes
    try body(board)
    try expect(board.bytes, equals: before)
    try expect(board.names, equals: ["board.ini"])
  }

  @Test
  static func `without a board file the reason is reported; emulation options are rejected for a real one`() throws {
    let bare = try Tool.run("calibrate")
    expect(bare.exitCode, equals: 64)
    expect(bare.output, equals: "")
    expect(bare.errors, contains: "--board FILE")
    expect(bare.errors, contains: "the board file to write the calibration to")
    let real = Tool.board("raspberry-pi-adxl345")
    for more in [["--speed", "fast"], ["--motion", "six-faces"], ["--seed", "3"], ["--timeout", "0"]] {
      let result = try Tool.run(arguments: ["calibrate", "--dry-run", "--board", real] + more)
      #expect(result.exitCode == 64 && result.output.isEmpty && result.errors.contains(more[0]))
    }
    try expect(Tool.run("calibrate", "--motion", "dance", "--board", real).exitCode, equals: 64)
  }

  @Test
  static func `a motion that ends too early is reported with code 65 and the missing faces`() throws {
    try withBoard { board in
      let result = try board.run("calibrate", "--motion", "hold")
      expect(result.exitCode, equals: 65)
      expect(result.output, contains: "Done, 1 of 6: top edge up [sensor +y].")
      expect(
        result.errors,
        equals:
          "plumb: the motion hold is over, and 5 of 6 faces are missing: right edge up [sensor +x], bottom edge up "
          + "[sensor -y], left edge up [sensor -x], face up [sensor +z], face down [sensor -z]; nothing was written\n")
    }
  }

  @Test
  static func `a time-out is reported with code 65, and a face held too slanted counts as missing`() throws {
    try withBoard { board in
      let early = try board.run("calibrate", "--timeout", "10")
      expect(early.exitCode, equals: 65)
      expect(early.errors, contains: "the time is up, and 3 of 6 faces are missing")
      let slanted = try board.run("calibrate", "--motion", "six-faces-clumsy", "--timeout", "28")
      expect(slanted.exitCode, equals: 65)
      expect(slanted.errors, contains: "1 of 6 faces are missing: top edge up [sensor +y]")
    }
  }

  @Test(arguments: ["shake", "free-fall"])
  static func `only faces held still count, not shaking, falling or turning`(motion: String) throws {
    try withBoard { board in
      let result = try board.run("calibrate", "--motion", motion, "--format", "json")
      expect(result.exitCode, equals: 65)
      try expect(all: result.events("accepted")) { $0["pose"] as? String == "portrait" }
      try expect(result.events("accepted").count, isAtMost: 1)
    }
  }

  @Test
  static func `a sensor that is away at the end is reported as such, with code 69`() throws {
    try withBoard { board in
      let result = try board.run("calibrate", "--motion", "six-faces-clumsy", "--timeout", "22.2", "--format", "json")
      expect(result.exitCode, equals: 69)
      expect(result.errors, contains: "no acknowledge from 0x53")
      expect(result.errors, contains: "nothing was written")
      try expect(empty: result.events("calibration"))
    }
  }

  @Test
  static func `a missing real bus is reported with code 69`() throws {
    let text = BoardCopy.real("adxl345").replacing("/dev/i2c-1", with: "/dev/i2c-250")
    let board = try BoardCopy(text)
    defer { remove(board.folder) }
    let result = try Tool.run("calibrate", "--board", board.path)
    expect(result.exitCode, equals: 69)
    expect(result.errors, contains: "/dev/i2c-250")
    try expect(board.text, equals: text)
  }

  @Test
  static func `a sensor whose samples repeat is reported as such; the board's lines are left alone`()
    throws
  {
    // The chip of the lines does not exist, and is not needed.
    let board = try BoardCopy(BoardCopy.real("adxl345").replacing("chip = emulated", with: "chip = no-such-chip"))
    defer { remove(board.folder) }
    let before = try board.bytes
    func calibrate(for seconds: Int) throws -> Tool {
      try Tool.run(
        arguments: ["calibrate", "--board", board.path, "--timeout", "\(seconds)"],
        environment: Tool.bridge("adxl345@0x53=0,1,0", isNoisy: false))
    }
    // A busy computer may not have had enough samples to see that they repeat.
    var result = try calibrate(for: 1)
    if result.exitCode == 65 { result = try calibrate(for: 60) }
    expect(result.exitCode, equals: 69)
    expect(result.output, hasPrefix: "ADXL345 at 0x53 on /dev/i2c-1; Ctrl-C stops without writing anything.\n")
    expect(result.output, contains: "Holding still: top edge up [sensor +y]")
    expect(result.errors, contains: "repeats the same sample")
    expect(result.errors, contains: "nothing was written")
    try expect(board.bytes, equals: before)
  }

  @Test
  static func `a dry run finds the same as a real one, and writes nothing`() throws {
    try withBoard { board in
      let dry = try board.run("calibrate", "--dry-run", "--format", "json")
      expect(dry.exitCode, equals: 0)
      let found = try unwrapped(try dry.events("calibration").first)
      expect(found["written"] as? Bool, equals: false)
      try expect(board.run("calibrate", "--dry-run").output, contains: "Not written to \(board.path): --dry-run.")
      let other = try BoardCopy(try board.text)
      defer { remove(other.folder) }
      try expect(other.run("calibrate").exitCode, equals: 0)
      let offset = try unwrapped(found["offset_g"] as? [Double])
      let written = try unwrapped(other.value(of: "offset")).split(separator: " ").compactMap { Double($0) }
      expect(offset, equals: written)
    }
  }

  @Test
  static func `an output that cannot be written ends it, and a closed reader ends it quietly`() throws {
    try withBoard { board in
      let script = "\"$0\" calibrate --board '\(board.path)' --speed fast >/dev/full"
      let full = try Tool.run(arguments: [], launcher: ["/bin/sh", "-c", script])
      expect(full.exitCode, equals: 73)
      expect(full.errors, contains: "standard output cannot be written")
    }
  }
}

/// `plumb calibrate` and `plumb mount` in real time: outside events while the user holds the board.
struct CalibrateLiveTests {
  /// A run in progress, whose first line has been read.
  private struct Run {
    let process: Process
    private let output = Pipe()
    private let errors = Pipe()

    init(_ arguments: [String]) throws {
      process = Tool.process(arguments)
      process.standardOutput = output
      process.standardError = errors
      try process.run()
      _ = output.fileHandleForReading.availableData
    }

    /// Waits for the end.
    func end() throws -> Tool {
      let text = output.fileHandleForReading.readDataToEndOfFile()
      let errorText = errors.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return Tool(
        exitCode: process.terminationReason == .exit ? process.terminationStatus : -1,
        output: String(decoding: text, as: UTF8.self), errors: String(decoding: errorText, as: UTF8.self))
    }
  }

  @Test(arguments: [("calibrate", SIGINT), ("calibrate", SIGTERM), ("mount", SIGINT), ("mount", SIGTERM)])
  static func `an interrupt or a termination ends it with code 0, and nothing is written, as it reports`(
    command: String, signal: Int32
  ) throws {
    let board = try BoardCopy(BoardCopy.uncalibrated("adxl345"))
    defer { remove(board.folder) }
    let before = try board.bytes
    for (format, words) in [
      ("text", "Stopped: nothing was written."), ("json", "{\"event\":\"stopped\",\"written\":false}"),
    ] {
      let run = try Run([command, "--board", board.path, "--format", format])
      kill(run.process.processIdentifier, signal)
      let result = try run.end()
      expect(result.exitCode, equals: 0)
      expect(result.errors, equals: "")
      expect(result.output, hasSuffix: words + "\n")
      try expect(board.bytes, equals: before)
      try expect(board.names, equals: ["board.ini"])
    }
  }

  @Test
  static func `a file that vanishes meanwhile is reported with code 73, and does not come back`() throws {
    let board = try BoardCopy(BoardCopy.uncalibrated("adxl345"))
    defer { remove(board.folder) }
    let run = try Run(["mount", "--board", board.path])
    try FileManager.default.removeItem(atPath: board.path)
    let result = try run.end()
    expect(result.exitCode, equals: 73)
    expect(result.errors, contains: "\(board.path): the board file has been deleted; nothing was written")
    try expect(empty: board.names)
  }

  @Test
  static func `concurrent edits are kept; if the file is no longer a board, nothing is written`() throws {
    let boards = try (0..<2).map { _ in try MountTests.board("adxl345", really: "+z +x +y") }
    defer { for board in boards { remove(board.folder) } }
    let runs = try boards.map { try Run(["mount", "--board", $0.path]) }
    let good = try boards[0].text + "# a thought\n"
    let bad = try boards[1].text + "[sensors]\n"
    try Data(good.utf8).write(to: URL(fileURLWithPath: boards[0].path))
    try Data(bad.utf8).write(to: URL(fileURLWithPath: boards[1].path))
    let results = try runs.map { try $0.end() }
    expect(results[0].exitCode, equals: 0)
    #expect(try boards[0].text.hasSuffix("# a thought\n") && boards[0].text.contains("\nmounting = +z +x +y\n\n"))
    #expect(results[1].exitCode == 78 && results[1].errors.contains("sensors"))
    try expect(boards[1].text, equals: bad)
  }

  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script"), "needs script(1)"),
    arguments: ["xterm", "dumb"])
  static func `on a terminal the state is redrawn in place with a bar; a dumb one gets plain lines`(
    name: String
  ) throws {
    let board = try BoardCopy(BoardCopy.uncalibrated("adxl345"))
    defer { remove(board.folder) }
    let script = "exec script -qec \"$0 calibrate --board '\(board.path)' --timeout 2.5\" /dev/null"
    let result = try Tool.run(
      arguments: [], launcher: ["/bin/sh", "-c", script], environment: ["TERM": name])
    expect(result.exitCode, equals: 65)
    expect(result.output, contains: "Holding still: top edge up [sensor +y]")
    for words in ["\u{1B}[1A\u{1B}[2K", " [#", "·]"] {
      expect(result.output.contains(words), equals: name == "xterm", "\(words)")
    }
  }
}

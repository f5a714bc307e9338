import Foundation
import Testing

/// `plumb calibrate` on emulated boards, as a script runs it.
@Suite struct CalibrateTests {
  static let models = ["adxl345", "mpu6050"]

  /// The average of 2 s of samples is what is bounded: a single sample has noise of 0.003 to 0.004 g on each axis, which
  /// is 0.2° by itself, whatever the calibration.
  @Test(arguments: models, Array(1...50))
  func `with offsets up to 80 mg and scales up to 3 % off, every pose reads within 0.2° after a calibration`(
    model: String, seed: Int
  ) throws {
    let board = try BoardCopy(BoardCopy.uncalibrated(model, seed: seed))
    defer { remove(board.folder) }
    let result = try board.run("calibrate", "--format", "json")
    #expect(result.exitCode == 0, "\(result.errors)")
    for pose in PoseModel.names { #expect(try board.tilt(in: pose) < 0.2, "\(pose) of \(model), seed \(seed)") }
  }

  @Test(arguments: models)
  func `before that they do not: each of 10 sensors has a pose that reads over 0.5° wrong`(model: String) throws {
    for seed in 1...10 {
      let board = try BoardCopy(BoardCopy.uncalibrated(model, seed: seed))
      defer { remove(board.folder) }
      #expect(try PoseModel.names.map(board.tilt(in:)).contains { $0 > 0.5 })
    }
  }

  @Test(arguments: models)
  func `a sensor that sits sideways is calibrated in its own frame, and its poses read right`(model: String) throws {
    let board = try BoardCopy(BoardCopy.uncalibrated(model, seed: 7, mounting: "-y -z +x"))
    defer { remove(board.folder) }
    let result = try board.run("calibrate", "--format", "json")
    for pose in PoseModel.names { #expect(try board.tilt(in: pose) < 0.2) }
    // The right edge is where the sensor's -Y points, the top edge where its -Z does, and the face where its +X does.
    let residuals = try result.events("residual").map { [$0["pose"] as? String, $0["axis"] as? String] }
    #expect(
      residuals == [
        ["portrait", "-z"], ["landscapeLeft", "-y"], ["portraitUpsideDown", "+z"], ["landscapeRight", "+y"],
        ["faceUp", "+x"], ["faceDown", "-x"],
      ])
  }

  @Test(arguments: models)
  func `the residuals are those of the sensor before, and next to none after`(model: String) throws {
    let board = try BoardCopy(BoardCopy.uncalibrated(model, seed: 3))
    defer { remove(board.folder) }
    let tilts = try PoseModel.names.map { (pose: $0, before: try board.tilt(in: $0)) }
    let residuals = try board.run("calibrate", "--format", "json").events("residual")
    #expect(residuals.count == 6)
    for (pose, before) in tilts {
      let residual = try unwrapped(residuals.first { $0["pose"] as? String == pose })
      let was = try unwrapped(residual["before"] as? [String: Double])
      let now = try unwrapped(residual["after"] as? [String: Double])
      #expect(abs(try unwrapped(was["tilt_deg"]) - before) < 0.15)
      #expect(try unwrapped(now["tilt_deg"]) < 0.15)
      #expect(abs(try unwrapped(now["length_mg"])) < 0.2)
    }
  }

  @Test
  func `an earlier calibration counts for nothing: the second one finds what the first did, and replaces it`() throws {
    let board = try BoardCopy(BoardCopy.uncalibrated("adxl345", seed: 5))
    defer { remove(board.folder) }
    #expect(try board.run("calibrate").exitCode == 0)
    let first = try board.bytes
    #expect(try board.run("calibrate").exitCode == 0)
    #expect(try board.bytes == first)
    // A wrong one in the file, however wrong, does not spoil it.
    let found = try (unwrapped(board.value(of: "offset")), unwrapped(board.value(of: "scale")))
    let wrong = try board.text.replacing(found.0, with: "0.5 -0.5 1").replacing(found.1, with: "0.75 1.25 1.5")
    try Data(wrong.utf8).write(to: URL(fileURLWithPath: board.path))
    #expect(try board.run("calibrate").exitCode == 0)
    #expect(try board.bytes == first)
  }

  @Test(arguments: models)
  func `a rate of the board file that is too slow to follow a hand does not slow it down`(model: String) throws {
    let text = BoardCopy.emulated(model, sensor: "rate = 1", emulation: "offset-error = 80\nscale-error = 3")
    let board = try BoardCopy(text)
    defer { remove(board.folder) }
    #expect(try board.run("calibrate").exitCode == 0)
    #expect(try board.value(of: "rate") == "1")
    #expect(try board.value(of: "offset") != nil)
  }

  @Test
  func `any order, movement, slant, a face twice and one too slanted are all told, and it is done in the end`() throws {
    let board = try BoardCopy(BoardCopy.uncalibrated("adxl345"))
    defer { remove(board.folder) }
    let result = try board.run("calibrate", "--motion", "six-faces-clumsy", "--format", "json")
    #expect(result.exitCode == 0)
    let story = try result.objects.compactMap { object -> String? in
      let event = try unwrapped(object["event"] as? String)
      let what = (object["state"] ?? object["pose"]) as? String
      return event == "status" && what == "moving" || event == "residual" ? nil : "\(event) \(what ?? "")"
    }
    #expect(
      story == [
        "wanted ", "status holding", "accepted portrait", "status already-done", "status slanted",
        "status already-done", "status holding", "status holding", "accepted landscapeLeft", "status already-done",
        "status holding", "accepted portraitUpsideDown", "status already-done", "status holding",
        "accepted landscapeRight", "status already-done", "status holding", "trouble ", "recovery ", "status holding",
        "accepted faceUp", "status already-done", "status holding", "accepted faceDown", "refused portrait",
        "status already-done", "status holding", "accepted portrait", "calibration ",
      ])
    for pose in PoseModel.names { #expect(try board.tilt(in: pose) < 0.2) }
  }

  @Test
  func `a fault in mid-hold begins that face anew: a whole second of stillness comes after the recovery`() throws {
    let board = try BoardCopy(BoardCopy.uncalibrated("mpu6050"))
    defer { remove(board.folder) }
    let result = try board.run("calibrate", "--motion", "six-faces-clumsy", "--format", "json")
    #expect(result.exitCode == 0)
    let recovery = try unwrapped(try result.events("recovery").first?["t"] as? Double)
    let trouble = try unwrapped(try result.events("trouble").first)
    #expect(try unwrapped(trouble["detail"] as? String).contains("no acknowledge from 0x68"))
    let accepted = try unwrapped(try result.events("accepted").first { $0["pose"] as? String == "faceUp" })
    #expect(try unwrapped(accepted["t"] as? Double) >= recovery + 1.25)
  }

  @Test
  func `text names each face by what to do and by the sensor's axis, and ends with a table and what was written`()
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
    ] { #expect(output.contains(words), "\(words)") }
    #expect(!output.contains("\u{1B}"))
    let offset = try unwrapped(board.value(of: "offset"))
    #expect(output.contains("offset = \(offset)"))
  }
}

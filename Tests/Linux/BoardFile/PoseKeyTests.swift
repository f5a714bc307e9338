import BoardFile
import FixedPoint
import HAL
import Monitor
import OpenBoard
import Orientation
import TestSupport
import Testing

/// `[poses]`: how poses are decided.
struct PoseKeyTests {
  private static func board(_ words: String, of model: String = "adxl345") throws -> String {
    BoardFileText.text(try require(BoardFileText.boards[model]) + ["[poses]"]) + words + "\n"
  }

  private static func configuration(_ model: String, _ words: String) throws -> PoseTracker.Configuration {
    let board = try outcome(Self.board(words, of: model)).get()
    return Monitor.Configuration(board, fullScale: Q16(whole: 16), rotationFullScale: nil).pipeline.tracker
  }

  @Test(arguments: ["adxl345", "mpu6050"]) static func `the file's values are read, and the rest stays at its defaults`(
    model: String
  ) throws {
    let plain = try outcome(BoardFileText.text(require(BoardFileText.boards[model]))).get()
    expect(plain.poses, equals: nil)
    let usual = Monitor.Configuration(plain, fullScale: Q16(whole: 16), rotationFullScale: nil).pipeline.tracker
    expect(usual, equals: model == "mpu6050" ? .fused : .standard)
    try expect(Self.configuration(model, ""), equals: usual)
    try expect(Self.configuration(model, "leave-angle = 60\nface-leave = 40\nface-enter = 25"), equals: usual)
    let expected = try PoseTracker.Configuration(
      leaveAngle: BinaryAngle(degrees: 50), faceEnterAngle: BinaryAngle(degrees: 15),
      faceLeaveAngle: BinaryAngle(degrees: 20), dwell: .milliseconds(200), evidence: Q16(1, over: 20))
    let words = "leave-angle = 50\nface-enter = 15\nface-leave = 20\ndwell = 0.2\nevidence = 0.05"
    try expect(Self.configuration(model, words), equals: expected)
    let slow = try Self.configuration(model, "dwell = 0.5")
    expect(slow.dwell, equals: .milliseconds(500))
    expect(slow.evidence, equals: usual.evidence)
    expect(slow.leaveAngle, equals: usual.leaveAngle)
  }

  @Test static func `the defaults of the schema are those of the core`() throws {
    try expect(Self.configuration("adxl345", "dwell = 0.04\nevidence = 0.01"), equals: .standard)
    try expect(Self.configuration("mpu6050", "dwell = 0.02\nevidence = 0.004"), equals: .fused)
  }

  @Test static func `a face left where it is entered is rejected in the later line`() throws {
    for (words, key) in [
      ("face-enter = 40", BoardKey.faceEnter), ("face-leave = 25", .faceLeave),
      ("face-enter = 30\nface-leave = 30", .faceLeave), ("face-leave = 30\nface-enter = 30.001", .faceEnter),
    ] {
      let text = try Self.board(words)
      let error = try require(outcome(text).failure)
      expect(error.cause, equals: .refused(.facesOverlap(key)), "\(words)")
      expect(Int(error.line), equals: text.split(separator: "\n", omittingEmptySubsequences: false).count - 1)
      expect(error.message.description, contains: "allowed: face-enter below face-leave")
    }
  }

  @Test static func `a pose is left at the angle of the file`() throws {
    func poses(_ words: String) throws -> [Pose] {
      var pipeline = Pipeline(Pipeline.Configuration(tracker: try Self.configuration("adxl345", words)))
      var (instant, poses) = (Instant(microseconds: 0), [Pose]())
      // Upright, then 55° clockwise.
      for sample in 0..<200 {
        let force =
          sample < 100
          ? Vector3(x: .zero, y: .one, z: .zero)
          : Vector3(x: Q16(-8_192, over: 10_000), y: Q16(5_736, over: 10_000), z: .zero)
        instant = instant + .milliseconds(10)
        if let pose = pipeline.step(force, at: instant).state.pose, poses.last != pose { poses.append(pose) }
      }
      return poses
    }
    try expect(poses(""), equals: [.portrait])
    try expect(poses("leave-angle = 50"), equals: [.portrait, .landscapeRight])
  }
}

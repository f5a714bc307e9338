import Foundation
import TestSupport
import Testing

/// Taps and falls of the emulated boards, in the tool.
struct TapToolTests {
  /// The taps and falls that `plumb run` reports.
  private static func told(_ arguments: String...) throws -> [[String: Any]] {
    let result = try Tool.run(arguments: ["run", "--speed", "fast", "--format", "json"] + arguments)
    expect(result.exitCode, equals: 0, "\(result.errors)")
    return try result.objects.filter { ["tap", "doubleTap", "freeFall"].contains($0["event"] as? String) }
  }

  @Test static func `both sensors report every knock, with axis and sign`() throws {
    let wanted = ["tap x", "tap x", "tap y", "tap y", "tap z", "tap z", "doubleTap z"]
    let sides = [1, -1, 1, -1, 1, -1, -1]
    for board in ["emulated", "emulated-mpu6050"] {
      let taps = try told("--motion", "knocks", "--show", "tap", "--board", board, "--rate", "400")
      expect(taps.map { "\($0["event"] ?? "") \($0["axis"] ?? "")" }, equals: wanted, "\(board)")
      expect(taps.map { $0["sign"] as? Int }, equals: sides, "\(board)")
      try expect(empty: told("--motion", "knocks", "--board", board))
    }
  }

  @Test static func `both sensors report a fall, with its time and its height`() throws {
    for board in ["emulated", "emulated-mpu6050"] {
      let falls = try told("--motion", "free-fall", "--show", "freeFall", "--board", board)
      expect(falls.count, equals: 1, "\(board)")
      let time = try require(falls.first?["duration_s"] as? Double)
      let height = try require(falls.first?["height_m"] as? Double)
      expect(abs(time - 1.5), isAtMost: 0.025, "\(board): \(time)")
      expect(abs(height - 0.5 * 9.80665 * time * time), isAtMost: 0.001, "\(board): \(time)")
    }
  }

  @Test static func `text says which side was tapped, and how far the board fell`() throws {
    let tap = try Tool.run("run", "--motion", "tap", "--speed", "fast", "--show", "tap", "--rate", "400")
    expect(tap.output, contains: "tap: -x (on the right)", "\(tap.output)")
    let fall = try Tool.run("run", "--motion", "free-fall", "--speed", "fast", "--show", "freeFall")
    expect(fall.output, contains: "free fall: 1.5", "\(fall.output)")
  }

  @Test static func `a rate that shows no taps is rejected`() throws {
    let slow = try Tool.run("run", "--show", "tap", "--board", "emulated-mpu6050", "--rate", "100", "--speed", "fast")
    expect(slow.exitCode, equals: 64, "\(slow.errors)")
    expect(slow.errors, contains: "at least 200 Hz", "\(slow.errors)")
  }
}

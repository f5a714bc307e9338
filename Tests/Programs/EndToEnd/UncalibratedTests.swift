import Foundation
import TestSupport
import Testing

/// The effect of [emulation] in a board file on the emulated sensor.
struct UncalibratedTests {
  /// The means of the samples of a board held still, leaning back by 20°.
  private static func means(_ text: String, _ more: [String] = []) throws -> [Double] {
    try withFile(named: "board.ini", content: Data(text.utf8)) { file in
      let result = try Tool.run(
        arguments: [
          "run", "--board", file, "--speed", "fast", "--format", "json", "--motion", "hold", "--samples", "--duration",
          "20",
        ] + more)
      expect(result.exitCode, equals: 0, "\(result.errors)")
      let samples = result.lines.filter { $0.end(of: #""event":"sample""#) != nil }
      expect(samples.count, isAbove: 1_900)
      return try ["x", "y", "z"].map { axis in
        try samples.reduce(0) { try $0 + unwrapped($1.number(axis)) } / Double(samples.count)
      }
    }
  }

  private static func text(_ board: String, sensor: String = "", emulation: String = "") throws -> String {
    let text = try String(contentsOfFile: Tool.board(board), encoding: .utf8)
    return text.replacing("[lines]", with: sensor + "\n[lines]") + "\n[emulation]\n" + emulation
  }

  static let truth = [0, cos(20 * Double.pi / 180), sin(20 * Double.pi / 180)]

  @Test(arguments: RateTests.boards)
  static func `errors are within the file's limits, reach them, and depend on the seed`(board: String) throws {
    var all: [[Double]] = []
    for seed in 1...6 {
      let means = try means(text(board, emulation: "offset-error = 80\nscale-error = 3\nseed = \(seed)"))
      for axis in 0..<3 {
        // Noise and rounding of 2000 samples add less than half a milli-g.
        expect(abs(means[axis] - Self.truth[axis]), isBelow: 0.0805 + 0.03 * abs(Self.truth[axis]))
      }
      all.append(means)
    }
    for axis in 0..<3 {
      let values = all.map { $0[axis] }
      // Uniform in ±80 mg: six specimens within 30 mg of each other have a chance of one in a thousand, and are fixed
      // by the seeds.
      try expect(unwrapped(values.max()) - unwrapped(values.min()), isAbove: 0.03, "\(values)")
    }
    try expect(that: means(text(board, emulation: "")).elementsEqual(Self.truth) { abs($0 - $1) < 0.002 })
  }

  @Test
  static func `the seed of the command line overrides the file's`() throws {
    let file = try text("emulated", emulation: "offset-error = 80\nseed = 5")
    let other = try text("emulated", emulation: "offset-error = 80\nseed = 6")
    try expect(means(file), equals: means(other, ["--seed", "5"]))
    try expect(means(file), isNot: means(other))
  }

  @Test(arguments: RateTests.boards)
  static func `offsets and scales of the file correct the sensor's readings`(board: String) throws {
    let plain = try means(text(board))
    let shifted = try means(text(board, sensor: "offset = 0.1 -0.2 0.3\nscale = 1.1 0.9 1.5"))
    let wanted = [(plain[0] - 0.1) * 1.1, (plain[1] + 0.2) * 0.9, (plain[2] - 0.3) * 1.5]
    for axis in 0..<3 { expect(abs(shifted[axis] - wanted[axis]), isBelow: 0.0001, "\(shifted) \(wanted)") }
  }

  @Test
  static func `a mounting that differs from the file's shows, and one that matches does not`() throws {
    // X of the board is the sensor's Y, and so on: the sensor is rotated, and the file says it is not.
    let turned = try means(text("emulated", emulation: "mounting = +y +z +x"))
    // The sensor's X is the board's Z, its Y the board's X, its Z the board's Y.
    let wanted = [Self.truth[2], Self.truth[0], Self.truth[1]]
    for axis in 0..<3 { expect(abs(turned[axis] - wanted[axis]), isBelow: 0.002, "\(turned)") }
    let known = try means(text("emulated", sensor: "mounting = +y +z +x", emulation: "mounting = +y +z +x"))
    for axis in 0..<3 { expect(abs(known[axis] - Self.truth[axis]), isBelow: 0.002, "\(known)") }
    try expect(known, equals: means(text("emulated", sensor: "mounting = +y +z +x")))
  }
}

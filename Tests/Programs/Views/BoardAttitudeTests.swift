import FixedPoint
import Foundation
import PlumbViews
import Testing
import TestSupport

struct BoardAttitudeTests {
  /// The picture of a board, by the place of its words: (column, row) of `top`, and the visible side.
  private static func seen(_ attitude: BoardAttitude) -> (column: Int, row: Int, side: String)? {
    var scene = Scene()
    scene.attitude = attitude
    let lines = Screen(scene, TextStyle(hasColour: false, hasUnicode: true)).drawn(width: 80, height: 24).text
      .split(separator: "\n", omittingEmptySubsequences: false).map { Array($0.prefix(31)) }
    let side = lines.contains { String($0).contains("face") } ? "face" : "back"
    for (row, line) in lines.enumerated() {
      for column in 0..<max(0, line.count - 2) where String(line[column..<column + 3]) == "top" {
        return (column, row, side)
      }
    }
    return nil
  }

  private static func settled(_ x: Double, _ y: Double, _ z: Double) -> BoardAttitude {
    var attitude = BoardAttitude.upright
    for _ in 0..<60 { attitude.follow(Scene.Force(x, y, z), after: 0.1) }
    return attitude
  }

  @Test
  static func `in each pose the top edge is in its place, and the side facing the viewer is seen`() throws {
    let upright = try require(seen(settled(0, 1, 0)))
    expect(upright.row, isAtMost: 4)
    expect(upright.side, equals: "face")
    let inverted = try require(seen(settled(0, -1, 0)))
    expect(inverted.row, isAtLeast: 9)
    expect(inverted.side, equals: "face")
    // The right edge up: the top edge to the left, after a counter-clockwise turn.
    let left = try require(seen(settled(1, 0, 0)))
    expect(left.column, isBelow: 12)
    expect(left.side, equals: "face")
    let right = try require(seen(settled(-1, 0, 0)))
    expect(right.column, isAbove: 16)
    expect(right.side, equals: "face")
    let flat = try require(seen(settled(0, 0, 1)))
    expect(flat.row, isBelow: 7)
    expect(flat.side, equals: "face")
    let hidden = try require(seen(settled(0, 0, -1)))
    expect(hidden.row, isAbove: 6)
    expect(hidden.side, equals: "back")
  }

  @Test
  static func `from any attitude, a board that is held upright soon faces the viewer`() throws {
    var random = SplitMix64(seed: 3)
    for _ in 0..<100 {
      var attitude = BoardAttitude.upright
      for _ in 0..<20 {
        let force = Scene.Force(
          .random(in: -1...1, using: &random), .random(in: -1...1, using: &random), .random(in: -1...1, using: &random))
        attitude.follow(force, after: 0.05)
      }
      for _ in 0..<60 { attitude.follow(Scene.Force(0, 1, 0), after: 0.1) }
      let picture = try require(seen(attitude))
      let upright = try require(seen(settled(0, 1, 0)))
      expect(abs(picture.column - upright.column), isAtMost: 1)
      expect(picture.row, equals: upright.row)
      expect(picture.side, equals: "face")
    }
  }

  @Test
  static func `a force of almost zero, or none, leaves the picture unchanged`() {
    var attitude = settled(0.6, 0.5, 0.3)
    let before = attitude
    for force in [Scene.Force(0, 0, 0), Scene.Force(0.05, -0.05, 0.05)] { attitude.follow(force, after: 0.1) }
    expect(attitude, equals: before)
  }

  @Test
  static func `with a gyroscope the picture follows at once, upright and turned by the heading's change`() {
    // From each pose, with any initial heading.
    for (x, y, z) in [(0.0, 1.0, 0.0), (1, 0, 0), (-1, 0, 0), (0, 0, 1), (0.6, 0, 0.8), (0, -0.8, -0.6)] {
      for start in [0.0, 2.5, -3] {
        let up = Scene.Force(x, y, z)
        var attitude = BoardAttitude.upright
        attitude.show(up: up, heading: start)
        let before = attitude.axes
        attitude.show(up: up, heading: start + 0.4)
        let after = attitude.axes
        for (old, new) in zip(before, after) {
          // About the vertical, which is Y as seen, counter-clockwise from above: Z moves towards X.
          expect(abs(new[0] - (cos(0.4) * old[0] + sin(0.4) * old[2])), isBelow: 1e-9)
          expect(abs(new[1] - old[1]), isBelow: 1e-9)
          expect(abs(new[2] - (cos(0.4) * old[2] - sin(0.4) * old[0])), isBelow: 1e-9)
        }
        // Up is up.
        expect(abs(x * after[0][1] + y * after[1][1] + z * after[2][1] - 1), isBelow: 1e-9)
      }
    }
  }

  @Test
  static func `a turn in its own plane leaves an upright board facing the viewer`() {
    var attitude = BoardAttitude.upright
    attitude.show(up: Scene.Force(0, 1, 0), heading: 0)
    // Upright and a quarter turn clockwise: the shortest turn to face up leaves a heading of -90°.
    for (up, heading) in [(Scene.Force(0, 1, 0), 0.0), (Scene.Force(-1, 0, 0), -Double.pi / 2)] {
      attitude.show(up: up, heading: heading)
      expect(abs(attitude.axes[2][2] - 1), isBelow: 1e-9)
    }
  }
}

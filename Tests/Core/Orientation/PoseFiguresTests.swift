import FixedPoint
import Glibc
import Orientation
import OrientationModels
import TestSupport
import Testing

/// The figures that the pose tracker must meet: white noise of 0.03 g on each axis, 50 Hz, default configuration.
struct PoseFiguresTests {
  static let noise = 0.03
  static let seeds: [UInt64] = [1, 2, 3, 4, 5]

  @Test(arguments: seeds)
  static func `the dead band is at least 28° at every tilt from 0° to 60°, on every boundary`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    for tilt in stride(from: -60.0, through: 60, by: 7.5) {
      for centre in [0.0, 90, 180, -90] {
        // Out of the pose at 10°/s until it is left, then back until it is entered again.
        var board = TrackedBoard()
        board.hold(.held(at: centre, tilt: tilt), for: 1, noise: Self.noise, &generator)
        let start = board.pose
        let left = sweep(&board, from: centre + 30, to: centre + 95, tilt, &generator) { $0 != start }
        let entered = sweep(&board, from: centre + 60, to: centre - 5, tilt, &generator) { $0 == start }
        expect(left - entered, isAtLeast: 28, "tilt \(tilt)°, pose at \(centre)°: left \(left)°, entered \(entered)°")
      }
    }
  }

  /// Turns at 10°/s. Returns the angle at which the pose meets `condition`, or the last angle if it never does.
  private static func sweep(
    _ board: inout TrackedBoard, from: Double, to: Double, _ tilt: Double, _ generator: inout SplitMix64,
    until condition: (Pose?) -> Bool
  ) -> Double {
    var angle = from
    while angle != to && !condition(board.pose) {
      board.hold(.held(at: angle, tilt: tilt), for: 0.02, noise: Self.noise, &generator)
      angle = from < to ? min(to, angle + 0.2) : max(to, angle - 0.2)
    }
    return condition(board.pose) ? angle : from < to ? 360 : -360
  }

  @Test(arguments: seeds)
  static func `held for 60 s inside the dead band of 28°, no pose is left, at any tilt up to 60°`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    for tilt in stride(from: 0.0, through: 60, by: 10) {
      var board = TrackedBoard()
      board.hold(.held(at: 0, tilt: tilt), for: 1, noise: Self.noise, &generator)
      board.hold(.held(at: 59, tilt: tilt), for: 60, noise: Self.noise, &generator)
      expect(board.pose, equals: .portrait, "tilt \(tilt)°")
    }
  }

  @Test(arguments: seeds)
  static func `a board held still for 60 s changes its pose at most once, anywhere on the sphere`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var directions: [Force] = []
    for tilt in stride(from: 0.0, through: 75, by: 5) {
      for angle in [30.0, 45, 60, 135, 180, -45, -60] {
        directions.append(.held(at: angle, tilt: tilt))
        directions.append(.held(at: angle, tilt: -tilt))
      }
    }
    // Around the boundaries of the faces: entered at an inclination of 25°, left at 40°.
    for inclination in [23.0, 24, 25, 26, 27, 38, 39, 40, 41, 42] {
      directions.append(.held(at: 45, tilt: 90 - inclination))
      directions.append(.held(at: 0, tilt: inclination - 90))
    }
    for direction in directions {
      var board = TrackedBoard()
      board.hold(direction, for: 60, noise: Self.noise, &generator)
      expect(board.changes.count, isAtMost: 2, "the first pose and one change at \(direction)")
    }
  }

  @Test(arguments: seeds)
  static func `held still after any other pose it changes at most once, and twice at double the noise`(seed: UInt64) {
    var generator = SplitMix64(seed: seed &+ 100)
    for (deviation, limit) in [(0.03, 1), (0.06, 2)] {
      for previous in Pose.all {
        for _ in 0..<12 {
          let angle = Double.random(in: -180..<180, using: &generator)
          let tilt = Double.random(in: -75..<75, using: &generator)
          var board = TrackedBoard()
          board.play(for: 1) { _ in Force.at(rest: previous) }
          board.hold(.held(at: angle, tilt: tilt), for: 1, noise: deviation, &generator)
          let before = board.changes.count
          board.hold(.held(at: angle, tilt: tilt), for: 60, noise: deviation, &generator)
          expect(
            board.changes.count - before, isAtMost: limit,
            "σ \(deviation) g, \(angle)°, tilt \(tilt)° after \(previous)")
        }
      }
    }
  }

  @Test(arguments: seeds)
  static func `brought to rest where a face and two upright poses meet, it changes at most once`(seed: UInt64) {
    var generator = SplitMix64(seed: seed &+ 200)
    for inclination in stride(from: 24.0, through: 26, by: 0.25) {
      for angle in [58.0, 59, 60, 61, 62] {
        var board = TrackedBoard()
        board.hold(.held(at: 0, tilt: 20), for: 0.7, noise: Self.noise, &generator)
        var own = generator
        board.play(for: 0.5) { time in
          let part = time / 0.5
          return Force.held(at: angle * part, tilt: 20 + (70 - inclination) * part).noisy(Self.noise, &own)
        }
        generator = own
        let before = board.changes.count
        board.hold(.held(at: angle, tilt: 90 - inclination), for: 60, noise: Self.noise, &generator)
        expect(board.changes.count - before, isAtMost: 1, "at \(angle)°, inclination \(inclination)°")
      }
    }
  }

  @Test(arguments: seeds)
  static func `a 90° turn in 0.3 s at 20° tilt is reported within 0.30 s of its start`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    for _ in 0..<60 {
      for direction in [-90.0, 90] {
        let from = 90 * Double.random(in: 0..<4, using: &generator).rounded(.down)
        let start = 1 + Double.random(in: 0..<0.02, using: &generator)
        var board = TrackedBoard()
        var own = generator
        board.play(for: 2) { time in
          Force.held(at: from + direction * max(0, min(1, (time - start) / 0.3)), tilt: 20).noisy(Self.noise, &own)
        }
        generator = own
        expect(board.changes.count, equals: 2)
        expect(board.changes.last.map { $0.time - start <= 0.30 }, equals: true)
      }
    }
  }

  @Test(arguments: seeds)
  static func `a board held upright and shaken along X at 5 Hz with 1.5 g for 3 s keeps its pose`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    for _ in 0..<20 {
      let phase = Double.random(in: 0..<(2 * .pi), using: &generator)
      var board = TrackedBoard()
      var own = generator
      board.play(for: 1) { _ in Force(y: 1).noisy(Self.noise, &own) }
      board.play(for: 3) { Force(x: 1.5 * sin(2 * .pi * 5 * $0 + phase), y: 1).noisy(Self.noise, &own) }
      board.play(for: 1) { _ in Force(y: 1).noisy(Self.noise, &own) }
      generator = own
      expect(board.changes.count, equals: 1)
    }
  }
}

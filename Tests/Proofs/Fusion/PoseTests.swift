import FixedPoint
import Foundation
import Monitor
import Orientation
import TestSupport
import Testing

/// The requirements for the pose tracker, with fusion: noise of 0.03 g and of 0.05 °/s on each axis, default
/// configuration.
struct PoseTests {
  /// A board in portrait, turned by `angle` in its own plane and leaning back by `tilt`, in degrees.
  private static func held(
    at angle: Double, tilt: Double, period: Int64 = 20_000, seed: UInt64 = 1,
    bias: SIMD3<Double> = SIMD3(2.7, -0.6, 1.8)
  ) -> FusedBoard {
    let (a, t) = (angle * .pi / 180, tilt * .pi / 180)
    var board = FusedBoard(up: SIMD3(-sin(a) * cos(t), cos(a) * cos(t), sin(t)), bias: bias, seed: seed)
    board.forceNoise = 0.03
    board.period = period
    return board
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>, [10_000, 20_000] as [Int64])
  static func `a 90° turn in 0.3 s at 20° tilt is reported within 0.26 s of its start`(seed: UInt64, period: Int64) {
    var generator = SplitMix64(seed: seed)
    var worst = 0.0
    for _ in 0..<60 {
      for direction in [-300.0, 300] {
        let from = 90 * Double.random(in: 0..<4, using: &generator).rounded(.down)
        var board = Self.held(at: from, tilt: 20, period: period, seed: generator.next())
        let delay = Double.random(in: 0..<0.02, using: &generator)
        board.move(for: 3)
        let start = board.seconds + delay
        // The part returns the mean of its period.
        let step = Double(period) / 1e6
        board.move(
          for: 1,
          rate: { middle in
            let (begin, end) = (max(middle - step / 2, delay), min(middle + step / 2, delay + 0.3))
            return SIMD3(0, 0, direction * max(0, end - begin) / step)
          })
        #expect(board.changes.count == 2)
        if let last = board.changes.last { worst = max(worst, last.time - start) }
      }
    }
    #expect(worst <= 0.26 && worst > 0.2)
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  static func `the dead band is at least 28° at every tilt from 0° to 60°, on every boundary`(seed: UInt64) {
    for tilt in stride(from: -60.0, through: 60, by: 15) {
      for centre in [0.0, 90, 180, -90] {
        // Leave the pose at 10 °/s, then turn back until it is entered again.
        var board = Self.held(at: centre, tilt: tilt, seed: seed)
        board.move(for: 3)
        let start = board.pipeline.state
        var turned = 0.0
        var (left, entered) = (Double.infinity, -Double.infinity)
        board.move(
          for: 9.5, rate: { _ in SIMD3(0, 0, -10) },
          each: {
            turned += 0.2
            if left > turned && $0.pipeline.state != start { left = turned }
          })
        board.move(
          for: 9.5, rate: { _ in SIMD3(0, 0, 10) },
          each: {
            turned -= 0.2
            if entered < turned && $0.pipeline.state == start { entered = turned }
          })
        #expect(
          left - entered >= 28 && left < 90, "tilt \(tilt)°, pose at \(centre)°: left \(left)°, entered \(entered)°")
      }
    }
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  static func `a board held still for 60 s changes its pose at most once, anywhere on the sphere`(seed: UInt64) {
    var attitudes: [(angle: Double, tilt: Double)] = []
    for tilt in stride(from: 0.0, through: 75, by: 7.5) {
      for angle in [30.0, 45, 60, 135, 180, -45, -60] { attitudes += [(angle, tilt), (angle, -tilt)] }
    }
    for inclination in [23.0, 24, 25, 26, 27, 38, 39, 40, 41, 42] {
      attitudes += [(45, 90 - inclination), (0, inclination - 90)]
    }
    for (index, (angle, tilt)) in attitudes.enumerated() {
      for isTurned in [false, true] {
        var board = Self.held(at: isTurned ? angle - 40 : angle, tilt: tilt, seed: seed &* 1_000 &+ UInt64(index))
        if isTurned {
          board.move(for: 2)
          board.move(for: 0.5, rate: { _ in SIMD3(0, 0, -80) })
          board.move(for: 0.5)
        }
        let before = board.changes.count
        board.move(for: 60)
        #expect(board.changes.count - before <= (isTurned ? 1 : 2), "at \(angle)°, tilt \(tilt)°")
      }
    }
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  static func `held in an unsteady hand for 60 s, 28° into the dead band, no pose is left`(seed: UInt64) {
    for tilt in stride(from: 0.0, through: 60, by: 10) {
      var board = Self.held(at: 0, tilt: tilt, seed: seed)
      board.move(for: 2)
      board.move(for: 1, rate: { _ in SIMD3(0, 0, -58) })
      board.move(
        for: 60, rate: { SIMD3(4 * sin(30 * $0), 4 * sin(37 * $0), 4 * sin(33 * $0)) },
        push: { SIMD2(0.1 * sin(25 * $0), 0.1 * sin(29 * $0)) })
      #expect(board.changes.count == 1, "tilt \(tilt)°")
    }
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  static func `a board shaken upright at 5 Hz with 1.5 g or 3 Hz with 4 g keeps its pose, and up within 3°`(
    seed: UInt64
  ) {
    var generator = SplitMix64(seed: seed)
    for (frequency, strength) in [(5.0, 1.5), (3.0, 4.0)] {
      for isKnown in [true, false] {
        let phase = Double.random(in: 0..<(2 * .pi), using: &generator)
        var board = Self.held(at: 0, tilt: 10, seed: generator.next())
        board.move(for: isKnown ? 3 : 0.5)
        var worst = 0.0
        board.move(
          for: 10, push: { SIMD2(0, strength * sin(2 * .pi * frequency * $0 + phase)) },
          each: { worst = max(worst, $0.error) })
        board.move(for: 1)
        #expect(board.changes.count == 1, "\(strength) g")
        #expect(!isKnown || worst <= 3, "\(strength) g")
      }
    }
  }

  @Test static func `free fall keeps the pose for 1 s, and is then reported`() {
    for duration in [0.4, 0.9, 1.5] {
      var board = Self.held(at: 90, tilt: 20)
      board.move(for: 3)
      let pose = board.pipeline.state
      let start = board.seconds
      board.move(for: duration, push: { _ in SIMD2(-1, 0) })
      #expect(board.pipeline.state == (duration > 1 ? .unknown(.freeFall) : pose))
      board.move(for: 0.1)
      #expect(board.pipeline.state == pose)
      #expect(board.changes.count == (duration > 1 ? 3 : 1))
      if duration > 1 { #expect(abs(board.changes[1].time - start - 1) < 0.05) }
    }
  }
}

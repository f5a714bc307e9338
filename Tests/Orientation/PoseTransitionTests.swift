import FixedPoint
import Orientation
import TestSupport
import Testing

/// Each way from one pose to another, as one movement.
@Suite struct PoseTransitionTests {
  static let deviations = [0.0, 0.03]

  @Test(arguments: deviations)
  func `each of the 30 transitions by an instantaneous turn is one event, when the dwell is over`(deviation: Double) {
    var noise = Noise(seed: 31)
    for from in Pose.all {
      for to in Pose.all where to != from {
        for rate in [25.0, 50, 100, 200] {
          var board = SettledBoard(at: .at(rest: from), rate: rate)
          let start = board.time
          board.hold(.at(rest: to), for: 3, deviation, &noise)
          #expect(board.changes.map(\.to) == [.known(to)], "\(from) to \(to) at \(rate) Hz")
          for change in board.changes {
            #expect(change.time - start >= 0.04 - 1e-9 && change.time - start <= 0.04 + 1 / rate, "at \(rate) Hz")
          }
        }
      }
    }
  }

  @Test(arguments: deviations)
  func `each of the 24 transitions to a neighbour along the great circle is one event, never before the dwell`(
    deviation: Double
  ) {
    var noise = Noise(seed: 32)
    for from in Pose.all {
      for to in Pose.all where to != from && to != from.opposite {
        for duration in [0.1, 0.2, 0.3, 0.5, 1, 2, 4] {
          var board = SettledBoard(at: .at(rest: from))
          let start = board.time
          turn(&board, from, to, by: 90, duration, deviation, &noise)
          board.hold(.at(rest: to), for: 2, deviation, &noise)
          #expect(board.changes.map(\.to) == [.known(to)], "\(from) to \(to) in \(duration) s")
          // Crossed 60° from a pose in the plane, 40° from a face, 25° before a face.
          let crossing = (from.isFace ? 40.0 : to.isFace ? 65 : 60) / 90 * duration
          guard let change = board.changes.first else { continue }
          // Noise may begin a dwell early by as much as it weighs: 0.03 g is 1.7°.
          let early = deviation == 0 ? 0 : 0.01 + 5 / 90 * duration
          #expect(change.time - start - crossing >= 0.04 - 0.001 - early, "\(from) to \(to) in \(duration) s")
          #expect(
            change.time - start - crossing <= 0.1 + 0.2 * duration.squareRoot(), "\(from) to \(to) in \(duration) s")
        }
      }
    }
  }

  @Test(arguments: deviations)
  func `each of the 6 half turns, about each axis, is one event for the pose midway and one for the last`(
    deviation: Double
  ) {
    var noise = Noise(seed: 33)
    for from in Pose.all {
      for midway in Pose.all where midway != from && midway != from.opposite {
        for duration in [0.4, 0.5, 1, 2, 4] {
          var board = SettledBoard(at: .at(rest: from))
          turn(&board, from, midway, by: 180, duration, deviation, &noise)
          board.hold(.at(rest: from.opposite), for: 2, deviation, &noise)
          #expect(
            board.changes.map(\.to) == [.known(midway), .known(from.opposite)],
            "\(from) by way of \(midway) in \(duration) s")
        }
      }
    }
  }

  /// At an even speed.
  private func turn(
    _ board: inout SettledBoard, _ from: Pose, _ through: Pose, by angle: Double, _ duration: Double,
    _ deviation: Double, _ noise: inout Noise
  ) {
    let start = board.time
    while board.time < start + duration {
      let now = angle * (board.time - start) / duration
      board.step(noise.added(to: .onCircle(from: .at(rest: from), through: .at(rest: through), at: now), deviation))
    }
  }
}

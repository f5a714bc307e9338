import FixedPoint
import Foundation
import Gestures
import TestSupport
import Testing

/// What is no shake.
@Suite struct ShakeRejectionTests {
  @Test(arguments: ["wrist-abduction", "wrist-forward-elevation", "wrist-pendulum", "wrist-row"])
  func `real wrist exercises are no shake, even at twice their force`(name: String) throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../EndToEnd/Recordings/\(name).csv")
    let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst()
    #expect(rows.count > 1_000)
    for scale in [1.0, 1.5, 2.0] {
      var board = ShakenBoard()
      for row in rows {
        let values = row.split(separator: ",").compactMap { Double($0) }
        try #require(values.count == 4)
        board.sample(Force(x: values[1], y: values[2], z: values[3]) * scale, at: values[0])
      }
      #expect(board.events.isEmpty, "times \(scale)")
    }
  }

  @Test(arguments: [50.0, 100.0])
  func `walking at 2 Hz with 0.4 g, and with twice that, is no shake`(hertz: Double) {
    for pose in Force.poses {
      for direction in Force.directions {
        for peak in [0.4, 0.8] {
          var board = ShakenBoard(hertz: hertz, seed: 21)
          let (step, sway) = (
            Motions.shake(pose, direction, hertz: 2, peak: peak, for: 20),
            Motions.shake(Force(), Force(x: direction.y, y: direction.z, z: direction.x), hertz: 1, peak: 0.1, for: 20)
          )
          board.play(to: 20) { step($0) + sway($0) }
          #expect(board.events.isEmpty, "\(pose) \(direction) \(peak) g")
        }
      }
    }
  }

  @Test(arguments: [50.0, 100.0, 400.0])
  func `one knock of 3 g or 6 g with its ringing is no shake`(hertz: Double) {
    var generator = SplitMix64(seed: 22)
    for width in stride(from: 0.01, through: 0.05, by: 0.01) {
      for ringing in stride(from: 8.0, through: 150, by: 4) {
        for peak in [3.0, 6.0] {
          var board = ShakenBoard(hertz: hertz, seed: generator.next())
          let late = Double.random(in: 0..<(1 / hertz), using: &generator)
          let knock = Motions.knock(
            Force.random(&generator), Force.random(&generator), peak: peak, width: width, ringing: ringing)
          board.play(to: 1) { knock($0 - late) }
          #expect(board.events.isEmpty, "\(width) s, ringing at \(ringing) Hz, \(peak) g")
        }
      }
    }
  }

  @Test(arguments: [50.0, 100.0])
  func `a fall with its landing, bounces and all, is no shake`(hertz: Double) {
    var seed: UInt64 = 23
    for pose in Force.poses + [Force(x: 1, y: 1, z: 1).unit] {
      for falling in [0.15, 0.3, 0.45, 0.6, 1.0, 1.5] {
        for peak in [3.0, 6.0, 16.0] {
          for bounces in 0...4 {
            seed += 1
            var board = ShakenBoard(hertz: hertz, seed: seed)
            board.play(to: 3, Motions.fall(pose, falling: falling, peak: peak, bounces: bounces))
            #expect(board.events.isEmpty, "\(pose) \(falling) s, \(peak) g, \(bounces) bounces")
          }
        }
      }
    }
  }

  @Test(arguments: [50.0, 100.0])
  func `a turn of 180° in 0.5 s, there and back, is no shake`(hertz: Double) {
    for pose in Force.poses {
      for side in Force.poses where abs(pose.x * side.x + pose.y * side.y + pose.z * side.z) < 0.5 {
        for smooth in [false, true] {
          for arm in [0.0, 0.05, 0.1] {
            var board = ShakenBoard(hertz: hertz, seed: 24)
            let there = Motions.turn(pose, side, by: .pi, in: 0.5, smooth: smooth, arm: arm)
            board.play(to: 2, there)
            #expect(board.events.isEmpty, "\(pose) over \(side), \(arm) m, smooth \(smooth)")
            // There, back, there: half a second each.
            var again = ShakenBoard(hertz: hertz, seed: 25)
            again.play(to: 3) { time in time < 0.5 ? there(time) : time < 1 ? there(1 - time) : there(time - 1) }
            #expect(again.events.isEmpty, "\(pose) over \(side), \(arm) m, smooth \(smooth), again")
          }
        }
      }
    }
  }

  @Test func `a board at rest in 0_1 g of noise is no shake for an hour of samples`() {
    var board = ShakenBoard(seed: 26)
    board.noise = 0.1
    board.play(to: 3_600) { _ in Force(y: 0.7, z: 0.7) }
    #expect(board.events.isEmpty)
  }

  @Test func `slow shaking of 1_5 Hz is no shake, however strong`() {
    for direction in Force.directions {
      var board = ShakenBoard(seed: 27)
      board.play(to: 10, Motions.shake(Force(y: 1), direction, hertz: 1.5, peak: 4, for: 10))
      #expect(board.events.isEmpty, "\(direction)")
    }
  }
}

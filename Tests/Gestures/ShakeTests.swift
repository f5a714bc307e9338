import FixedPoint
import Gestures
import TestSupport
import Testing

/// When a shake is told. Noise σ = 0.03 g throughout, on a high-pass of 200 ms.
@Suite struct ShakeTests {
  @Test(arguments: [50.0, 100.0])
  func `shaking of 1.5 g or more fires once, within 0.85 s, in each pose and along each axis and diagonal`(
    hertz: Double
  ) {
    var seed: UInt64 = 0
    for pose in Force.poses {
      for direction in Force.directions {
        for frequency in [3.0, 3.7, 5.0, 6.0] {
          for (peak, phase) in [(1.5, 0.0), (1.5, 0.2), (1.5, 0.45), (2.5, 0.1), (5.0, 0.7)] {
            seed += 1
            var board = ShakenBoard(hertz: hertz, seed: seed)
            board.play(to: 3, Motions.shake(pose, direction, hertz: frequency, peak: peak, phase: phase, for: 2.5))
            let about: Comment = "\(pose) \(direction) \(frequency) Hz \(peak) g phase \(phase): \(board.events)"
            #expect(board.events.count == 1 && (0...0.85).contains(board.events[0]), about)
          }
        }
      }
    }
  }

  @Test(arguments: [UInt64(1), 2, 3, 4])
  func `shaking at any angle fires, with uneven sampling and other seeds`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    for _ in 0..<300 {
      let (pose, direction) = (Force.random(&generator), Force.random(&generator))
      let frequency = Double.random(in: 3...6, using: &generator)
      let phase = Double.random(in: 0..<1, using: &generator)
      var board = ShakenBoard(hertz: Double.random(in: 50...200, using: &generator), seed: generator.next())
      board.jitter = 0.2
      board.play(to: 2, Motions.shake(pose, direction, hertz: frequency, peak: 1.5, phase: phase, for: 1.5))
      #expect(board.events.count == 1 && board.events[0] < 0.95, "\(pose) \(direction) \(frequency) Hz \(phase)")
    }
  }

  @Test func `a sensor of 2 g, which clips the shaking, still fires within 1 s`() {
    for pose in Force.poses {
      for direction in Force.directions {
        for frequency in [3.0, 6.0] {
          var board = ShakenBoard(seed: 5)
          board.range = 2
          board.play(to: 1, Motions.shake(pose, direction, hertz: frequency, peak: 1.5, for: 2))
          #expect(board.events.count == 1, "\(pose) \(direction) \(frequency) Hz")
        }
      }
    }
  }

  @Test func `shaking in a circle or an ellipse, or along an arc that turns, fires`() {
    for (major, minor) in [(1.5, 1.5), (1.5, 1.0), (1.5, 0.5)] {
      for turning in [0.0, 0.25] {
        var board = ShakenBoard(seed: 6)
        board.play(to: 1) { time in
          guard time >= 0 else { return Force(y: 1) }
          let (along, across) = (major * sine(4 * time), minor * sine(4 * time + 0.25))
          let (s, c) = (sine(turning * time), sine(turning * time + 0.25))
          return Force(x: along * c - across * s, y: 1, z: along * s + across * c)
        }
        #expect(board.events.count == 1, "\(major) by \(minor) g, \(turning) turns a second")
      }
    }
  }

  @Test func `a swing to one side shortly before does not delay the shake`() {
    for gap in [0.05, 0.1, 0.2, 0.3] {
      var board = ShakenBoard(seed: 7)
      let shake = Motions.shake(Force(y: 1), Force(x: 1), hertz: 3, peak: 1.5, for: 2)
      board.play(to: 1) { time in
        time >= -gap - 0.05 && time < -gap ? Force(y: 1, z: 5) : shake(time)
      }
      #expect(board.events.count == 1, "\(gap) s before")
    }
  }

  @Test func `one shake of 10 s is one event, and the next after a rest another`() {
    var board = ShakenBoard(seed: 8)
    let shake = Motions.shake(Force(z: 1), Force(x: 1), hertz: 4, peak: 2, for: 10)
    board.play(to: 11, shake)
    #expect(board.events.count == 1)
    #expect(!board.detector.isShaking(at: board.now(11)))
    board.play(from: 11, to: 13) { shake($0 - 11.5) }
    #expect(board.events.count == 2)
    #expect(board.detector.isShaking(at: board.now(13)))
    // A rest shorter than the refractory time is part of the shake.
    board.play(from: 13, to: 15) { time in time < 13.3 ? Force(z: 1) : shake(time - 13.3) }
    #expect(board.events.count == 2)
  }
}

private func sine(_ turns: Double) -> Double {
  Motions.shake(Force(), Force(x: 1), hertz: 1, peak: 1, for: 1e9)(turns).x
}

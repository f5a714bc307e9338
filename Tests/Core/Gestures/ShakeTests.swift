import FixedPoint
import Foundation
import Gestures
import TestSupport
import Testing

/// When a shake is reported. The noise is σ = 0.03 g throughout, behind a high-pass of 200 ms.
struct ShakeTests {
  @Test(arguments: [50.0, 100.0])
  static func `shaking of 1.5 g or more fires once, within 0.85 s, in each pose and along each axis and diagonal`(
    hertz: Double
  ) {
    var seed: UInt64 = 0
    for pose in ForceInG.poses {
      for direction in ForceInG.directions {
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
  static func `shaking at any angle fires, with uneven sampling and other seeds`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    for _ in 0..<300 {
      let (pose, direction) = (ForceInG.random(&generator), ForceInG.random(&generator))
      let frequency = Double.random(in: 3...6, using: &generator)
      let phase = Double.random(in: 0..<1, using: &generator)
      var board = ShakenBoard(hertz: Double.random(in: 50...200, using: &generator), seed: generator.next())
      board.jitter = 0.2
      board.play(to: 2, Motions.shake(pose, direction, hertz: frequency, peak: 1.5, phase: phase, for: 1.5))
      #expect(board.events.count == 1 && board.events[0] < 0.95, "\(pose) \(direction) \(frequency) Hz \(phase)")
    }
  }

  @Test static func `a 2 g sensor, which clips the shaking, still fires within 1 s`() {
    for pose in ForceInG.poses {
      for direction in ForceInG.directions {
        for frequency in [3.0, 6.0] {
          var board = ShakenBoard(seed: 5)
          board.range = 2
          board.play(to: 1, Motions.shake(pose, direction, hertz: frequency, peak: 1.5, for: 2))
          expect(board.events.count, equals: 1, "\(pose) \(direction) \(frequency) Hz")
        }
      }
    }
  }

  @Test static func `shaking in a circle or an ellipse, or along a turning line, fires`() {
    for (major, minor) in [(1.5, 1.5), (1.5, 1.0), (1.5, 0.5)] {
      for turning in [0.0, 0.25] {
        var board = ShakenBoard(seed: 6)
        board.play(to: 1) { time in
          guard time >= 0 else { return ForceInG(y: 1) }
          let (along, across) = (major * sine(4 * time), minor * sine(4 * time + 0.25))
          let (s, c) = (sine(turning * time), sine(turning * time + 0.25))
          return ForceInG(x: along * c - across * s, y: 1, z: along * s + across * c)
        }
        expect(board.events.count, equals: 1, "\(major) by \(minor) g, \(turning) turns a second")
      }
    }
  }

  @Test static func `a swing to one side shortly before does not delay the shake`() {
    for gap in [0.05, 0.1, 0.2, 0.3] {
      var board = ShakenBoard(seed: 7)
      let shake = Motions.shake(ForceInG(y: 1), ForceInG(x: 1), hertz: 3, peak: 1.5, for: 2)
      board.play(to: 1) { time in
        time >= -gap - 0.05 && time < -gap ? ForceInG(y: 1, z: 5) : shake(time)
      }
      expect(board.events.count, equals: 1, "\(gap) s before")
    }
  }

  @Test static func `a shake of 10 s is one event, and the next after a rest another`() {
    var board = ShakenBoard(seed: 8)
    let shake = Motions.shake(ForceInG(z: 1), ForceInG(x: 1), hertz: 4, peak: 2, for: 10)
    board.play(to: 11, shake)
    expect(board.events.count, equals: 1)
    expect(that: !board.detector.isShaking(at: board.now(11)))
    board.play(from: 11, to: 13) { shake($0 - 11.5) }
    expect(board.events.count, equals: 2)
    expect(that: board.detector.isShaking(at: board.now(13)))
    // A rest shorter than the refractory time is part of the shake.
    board.play(from: 13, to: 15) { time in time < 13.3 ? ForceInG(z: 1) : shake(time - 13.3) }
    expect(board.events.count, equals: 2)
  }
}

private func sine(_ turns: Double) -> Double {
  Motions.shake(ForceInG(), ForceInG(x: 1), hertz: 1, peak: 1, for: 1e9)(turns).x
}

/// The rules of the detector, on synthetic motion.
struct ShakeRuleTests {
  @Test(arguments: [UInt64(31), 32, 33])
  static func `random swings give the same events as a model in Double`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    var events = 0
    for round in 0..<60 {
      let reversals = Int32.random(in: 2...8, using: &generator)
      let window = Int64.random(in: 500...2_000, using: &generator) * 1_000
      let configuration = try ShakeDetector.Configuration(
        threshold: Q16(Int32.random(in: 3...40, using: &generator), over: 10), reversals: reversals,
        window: Microseconds(window), shortestSwing: .milliseconds(Int64.random(in: 0...70, using: &generator)),
        refractory: .milliseconds(Int64.random(in: 0...600, using: &generator)))
      var detector = ShakeDetector(configuration)
      var model = ShakeModel(configuration)
      var now: Int64 = -500_000
      for index in 0..<5_000 {
        now += Int64.random(in: 1_000...50_000, using: &generator)
        if index % 1_000 == 999 { now += 2_000_000 }
        let back = Double.random(in: 0..<1, using: &generator) < 0.5 ? -1.0 : 1.0
        let motion = (ForceInG(x: back * 3) + ForceInG.random(&generator) * 2).coarse
        let force = Double.random(in: 0..<1, using: &generator) < 0.05 ? ForceInG(x: 0.1) : ForceInG(y: 1)
        let told = detector.step(force.vector, motion: motion.vector, at: Instant(microseconds: now))
        let expected = model.step(force, motion, Double(now))
        if told != expected { expect(told, equals: expected, "round \(round), sample \(index)") }
        events += told ? 1 : 0
      }
    }
    expect(events, isAbove: 100)
  }

  @Test static func `events are those of the model with motion, forces and times exactly at each limit, or next to it`()
    throws
  {
    var dice = SplitMix64(seed: 41)
    var events = 0
    for round in 0..<60 {
      // A whole number of steps of 2^-9 g, in which directions are held.
      let threshold = Int32.random(in: 128...900, using: &dice)
      let reversals = Int32.random(in: 2...8, using: &dice)
      let configuration = try ShakeDetector.Configuration(
        threshold: Q16(raw: threshold << 7), reversals: reversals,
        window: Microseconds(Int64.random(in: 600_000...900_001, using: &dice)),
        shortestSwing: Microseconds(Int64.random(in: 0...70_000, using: &dice)),
        refractory: Microseconds(Int64.random(in: 0...200_000, using: &dice)))
      var (detector, model) = (ShakeDetector(configuration), ShakeModel(configuration))
      var (now, side): (Int64, Double) = (0, 1)
      for index in 0..<400 {
        let edges = model.edges.map { Int64($0) + Int64.random(in: -1...1, using: &dice) }.filter { $0 > now }
        let usual = now + Int64.random(in: 1...60_000, using: &dice)
        now = Bool.random(using: &dice) ? usual : edges.randomElement(using: &dice) ?? usual
        let size = threshold + ([-1, 0, 0, 0, 1, 99].randomElement(using: &dice) ?? 0)
        if Int.random(in: 0..<4, using: &dice) > 0 { side = -side }
        let motion = ForceInG(x: Double(size) / 512 * side)
        // The limit of weightlessness is a quarter of a g.
        let height =
          Int.random(in: 0..<12, using: &dice) > 0 ? 1 : [0.25, 0.25 - 1 / 65_536].randomElement(using: &dice)
        let force = ForceInG(y: height ?? 1)
        let isTold = detector.step(force.vector, motion: motion.vector, at: Instant(microseconds: now))
        let expected = model.step(force, motion, Double(now))
        expect(isTold, equals: expected, "round \(round), sample \(index)")
        events += isTold ? 1 : 0
      }
    }
    expect(events, isAbove: 100, "\(events)")
  }

  @Test static func `reversals count by real time, regardless of the samples between them`() {
    for (period, fires) in [(150_000, true), (170_000, true), (175_001, false), (400_000, false)] as [(Int64, Bool)] {
      for samples in [1, 7, 50] as [Int64] {
        var detector = ShakeDetector()
        var told = 0
        for index in 0..<12 * samples {
          // Swings last one sample on each side; the board is still otherwise. Four reversals take four periods: 700
          // ms at most.
          let swing = index % samples == 0 ? (index / samples % 2 == 0 ? 1.5 : -1.5) : 0
          let now = Instant(microseconds: index * period / samples)
          told += detector.step(ForceInG(y: 1).vector, motion: ForceInG(z: swing).vector, at: now) ? 1 : 0
        }
        // Four reversals span three periods.
        let expected = period * 3 <= 700_000 && period <= 175_000
        #expect((told > 0) == fires && fires == expected, "\(period) µs, \(samples) samples")
      }
    }
  }

  @Test static func `a gap, a clock that runs backwards and weightlessness make the detector forget all swings`() {
    let steps: [(name: String, jump: Int64, force: ForceInG, forgets: Bool)] = [
      ("nothing", 100_000, ForceInG(y: 1), false), ("a pause of 1 s and more", 1_000_001, ForceInG(y: 1), true),
      ("backwards", -1, ForceInG(y: 1), true), ("a fall", 100_000, ForceInG(y: 0.2), true),
      ("almost a fall", 100_000, ForceInG(y: 0.26), false), ("the limit of a fall", 100_000, ForceInG(y: 0.25), false),
    ]
    for step in steps {
      var detector = ShakeDetector()
      var now: Int64 = 0
      var told = false
      for index in 0..<4 {
        now = Int64(index) * 100_000
        told = detector.step(
          ForceInG(y: 1).vector, motion: ForceInG(x: index % 2 == 0 ? 2 : -2).vector, at: Instant(microseconds: now))
      }
      expect(that: !told)
      // 60 ms weightless within this step; then the fourth reversal.
      if step.jump == 100_000 {
        _ = detector.step(step.force.vector, motion: .zero, at: Instant(microseconds: now + 20_000))
        _ = detector.step(step.force.vector, motion: .zero, at: Instant(microseconds: now + 80_000))
      }
      told = detector.step(
        ForceInG(y: 1).vector, motion: ForceInG(x: 2).vector, at: Instant(microseconds: now + step.jump))
      expect(told, equals: !step.forgets, "\(step.name)")
    }
  }

  @Test static func `vectors at the ends of the range and times at the ends of the clock do no harm`() {
    let ends: [Int32] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    var generator = SplitMix64(seed: 34)
    var detector = ShakeDetector()
    let times: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    for _ in 0..<20_000 {
      func vector(_ generator: inout SplitMix64) -> Vector3 {
        let picks = (0..<3).map { _ in Q16(raw: ends[Int.random(in: 0..<7, using: &generator)]) }
        return Vector3(x: picks[0], y: picks[1], z: picks[2])
      }
      let now = Instant(microseconds: times[Int.random(in: 0..<7, using: &generator)])
      _ = detector.step(vector(&generator), motion: vector(&generator), at: now)
      _ = detector.isShaking(at: now)
    }
    // After a gap it still works.
    var fired = false
    for index in 0..<5 {
      let motion = Vector3(x: Q16(raw: index % 2 == 0 ? .max : .min), y: .zero, z: .zero)
      fired = detector.step(
        ForceInG(y: 1).vector, motion: motion, at: Instant(microseconds: 5_000_000 + Int64(index) * 100_000))
    }
    expect(that: fired)
  }

  @Test static func `a configuration that cannot work is rejected with its reason`() throws {
    typealias Configuration = ShakeDetector.Configuration
    typealias Fault = ShakeConfigurationError
    try expect(Configuration(), equals: .standard)
    expect(refusal { () throws(Fault) in try .init(threshold: Q16(raw: 16_383)) }, equals: .threshold)
    expect(refusal { () throws(Fault) in try .init(threshold: Q16(raw: 8 * 65_536 + 1)) }, equals: .threshold)
    expect(refusal { () throws(Fault) in try .init(reversals: 1) }, equals: .reversals)
    expect(refusal { () throws(Fault) in try .init(reversals: 9) }, equals: .reversals)
    expect(refusal { () throws(Fault) in try .init(window: Microseconds(99_999)) }, equals: .window)
    expect(refusal { () throws(Fault) in try .init(window: Microseconds(5_000_001)) }, equals: .window)
    expect(refusal { () throws(Fault) in try .init(shortestSwing: Microseconds(-1)) }, equals: .shortestSwing)
    expect(refusal { () throws(Fault) in try .init(shortestSwing: .milliseconds(201)) }, equals: .shortestSwing)
    expect(
      refusal { () throws(Fault) in
        try .init(reversals: 8, window: .milliseconds(349), shortestSwing: .milliseconds(50))
      }, equals: .shortestSwing)
    expect(refusal { () throws(Fault) in try .init(refractory: Microseconds(-1)) }, equals: .refractory)
    expect(refusal { () throws(Fault) in try .init(refractory: .seconds(11)) }, equals: .refractory)
    expect(refusal { () throws(Fault) in try .init(weightlessness: Q16(raw: -1)) }, equals: .fall)
    expect(refusal { () throws(Fault) in try .init(weightlessness: .one) }, equals: .fall)
    expect(refusal { () throws(Fault) in try .init(shortestFall: .milliseconds(9)) }, equals: .fall)
    expect(refusal { () throws(Fault) in try .init(longestGap: .zero) }, equals: .longestGap)
    expect(refusal { () throws(Fault) in try .init(longestGap: .seconds(3_601)) }, equals: .longestGap)
    expect(
      refusal { () throws(Fault) in
        try .init(
          threshold: Q16(1, over: 4), reversals: 8, window: .seconds(5), shortestSwing: .zero, refractory: .zero)
      }, equals: nil)
  }

  private static func refusal(_ make: () throws(ShakeConfigurationError) -> ShakeDetector.Configuration)
    -> ShakeConfigurationError?
  {
    do throws(ShakeConfigurationError) {
      _ = try make()
      return nil
    } catch {
      return error
    }
  }
}

/// Motions that are no shake.
struct ShakeRejectionTests {
  @Test(arguments: ["wrist-abduction", "wrist-forward-elevation", "wrist-pendulum", "wrist-row"])
  static func `real wrist exercises are not a shake, even at twice the force`(name: String) throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Programs/EndToEnd/Recordings/\(name).csv")
    let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst()
    expect(rows.count, isAbove: 1_000)
    for scale in [1.0, 1.5, 2.0] {
      var board = ShakenBoard()
      for row in rows {
        let values = row.split(separator: ",").compactMap { Double($0) }
        try #require(values.count == 4)
        board.sample(ForceInG(x: values[1], y: values[2], z: values[3]) * scale, at: values[0])
      }
      expect(empty: board.events, "times \(scale)")
    }
  }

  @Test(arguments: [50.0, 100.0])
  static func `walking at 2 Hz with 0.4 g or 0.8 g is not a shake`(hertz: Double) {
    for pose in ForceInG.poses {
      for direction in ForceInG.directions {
        for peak in [0.4, 0.8] {
          var board = ShakenBoard(hertz: hertz, seed: 21)
          let (step, sway) = (
            Motions.shake(pose, direction, hertz: 2, peak: peak, for: 20),
            Motions.shake(
              ForceInG(), ForceInG(x: direction.y, y: direction.z, z: direction.x), hertz: 1, peak: 0.1, for: 20)
          )
          board.play(to: 20) { step($0) + sway($0) }
          expect(empty: board.events, "\(pose) \(direction) \(peak) g")
        }
      }
    }
  }

  @Test(arguments: [50.0, 100.0, 400.0])
  static func `one knock of 3 g or 6 g with its ringing is not a shake`(hertz: Double) {
    var generator = SplitMix64(seed: 22)
    for width in stride(from: 0.01, through: 0.05, by: 0.01) {
      for ringing in stride(from: 8.0, through: 150, by: 4) {
        for peak in [3.0, 6.0] {
          var board = ShakenBoard(hertz: hertz, seed: generator.next())
          let late = Double.random(in: 0..<(1 / hertz), using: &generator)
          let knock = Motions.knock(
            ForceInG.random(&generator), ForceInG.random(&generator), peak: peak, width: width, ringing: ringing)
          board.play(to: 1) { knock($0 - late) }
          expect(empty: board.events, "\(width) s, ringing at \(ringing) Hz, \(peak) g")
        }
      }
    }
  }

  @Test(arguments: [50.0, 100.0])
  static func `a fall with its landing and bounces is not a shake`(hertz: Double) {
    var seed: UInt64 = 23
    for pose in ForceInG.poses + [ForceInG(x: 1, y: 1, z: 1).unit] {
      for falling in [0.15, 0.3, 0.45, 0.6, 1.0, 1.5] {
        for peak in [3.0, 6.0, 16.0] {
          for bounces in 0...4 {
            seed += 1
            var board = ShakenBoard(hertz: hertz, seed: seed)
            board.play(to: 3, Motions.fall(pose, falling: falling, peak: peak, bounces: bounces))
            expect(empty: board.events, "\(pose) \(falling) s, \(peak) g, \(bounces) bounces")
          }
        }
      }
    }
  }

  @Test(arguments: [50.0, 100.0])
  static func `a turn of 180° in 0.5 s, there and back, is not a shake`(hertz: Double) {
    for pose in ForceInG.poses {
      for side in ForceInG.poses where abs(pose.x * side.x + pose.y * side.y + pose.z * side.z) < 0.5 {
        for smooth in [false, true] {
          for arm in [0.0, 0.05, 0.1] {
            var board = ShakenBoard(hertz: hertz, seed: 24)
            let there = Motions.turn(pose, side, by: .pi, in: 0.5, smooth: smooth, arm: arm)
            board.play(to: 2, there)
            expect(empty: board.events, "\(pose) over \(side), \(arm) m, smooth \(smooth)")
            // There, back, there: half a second each.
            var again = ShakenBoard(hertz: hertz, seed: 25)
            again.play(to: 3) { time in time < 0.5 ? there(time) : time < 1 ? there(1 - time) : there(time - 1) }
            expect(empty: again.events, "\(pose) over \(side), \(arm) m, smooth \(smooth), again")
          }
        }
      }
    }
  }

  @Test static func `an hour at rest with noise of 0_1 g is not a shake`() {
    var board = ShakenBoard(seed: 26)
    board.noise = 0.1
    board.play(to: 3_600) { _ in ForceInG(y: 0.7, z: 0.7) }
    expect(empty: board.events)
  }

  @Test static func `slow shaking at 1_5 Hz is not a shake, however strong`() {
    for direction in ForceInG.directions {
      var board = ShakenBoard(seed: 27)
      board.play(to: 10, Motions.shake(ForceInG(y: 1), direction, hertz: 1.5, peak: 4, for: 10))
      expect(empty: board.events, "\(direction)")
    }
  }
}

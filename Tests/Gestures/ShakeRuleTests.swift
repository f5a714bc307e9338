import FixedPoint
import Gestures
import TestSupport
import Testing

/// The rules of the detector, on motion made by hand.
@Suite struct ShakeRuleTests {
  @Test(arguments: [UInt64(31), 32, 33])
  func `random swings give the events of a model in Double`(seed: UInt64) throws {
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
        let motion = (Force(x: back * 3) + Force.random(&generator) * 2).coarse
        let force = Double.random(in: 0..<1, using: &generator) < 0.05 ? Force(x: 0.1) : Force(y: 1)
        let told = detector.step(force.vector, motion: motion.vector, at: Instant(microseconds: now))
        let expected = model.step(force, motion, Double(now))
        #expect(told == expected, "round \(round), sample \(index)")
        events += told ? 1 : 0
      }
    }
    #expect(events > 100)
  }

  @Test func `reversals count by real time, however many samples there are between`() {
    for (period, fires) in [(150_000, true), (170_000, true), (175_001, false), (400_000, false)] as [(Int64, Bool)] {
      for samples in [1, 7, 50] as [Int64] {
        var detector = ShakeDetector()
        var told = 0
        for index in 0..<12 * samples {
          // Swings of one sample on each side; the rest is still. Four reversals take four periods: 700 ms at most.
          let swing = index % samples == 0 ? (index / samples % 2 == 0 ? 1.5 : -1.5) : 0
          let now = Instant(microseconds: index * period / samples)
          told += detector.step(Force(y: 1).vector, motion: Force(z: swing).vector, at: now) ? 1 : 0
        }
        // Four reversals span three periods.
        let expected = period * 3 <= 700_000 && period <= 175_000
        #expect((told > 0) == fires && fires == expected, "\(period) µs, \(samples) samples")
      }
    }
  }

  @Test func `a pause, time running backwards and weightlessness forget all swings`() {
    let steps: [(name: String, jump: Int64, force: Force, forgets: Bool)] = [
      ("nothing", 100_000, Force(y: 1), false), ("a pause of 1 s and more", 1_000_001, Force(y: 1), true),
      ("backwards", -1, Force(y: 1), true), ("a fall", 100_000, Force(y: 0.2), true),
      ("almost a fall", 100_000, Force(y: 0.26), false),
    ]
    for step in steps {
      var detector = ShakeDetector()
      var now: Int64 = 0
      var told = false
      for index in 0..<4 {
        now = Int64(index) * 100_000
        told = detector.step(
          Force(y: 1).vector, motion: Force(x: index % 2 == 0 ? 2 : -2).vector, at: Instant(microseconds: now))
      }
      #expect(!told)
      // Weightless for 60 ms within this step's time; then the fourth reversal.
      if step.jump == 100_000 {
        _ = detector.step(step.force.vector, motion: .zero, at: Instant(microseconds: now + 20_000))
        _ = detector.step(step.force.vector, motion: .zero, at: Instant(microseconds: now + 80_000))
      }
      told = detector.step(
        Force(y: 1).vector, motion: Force(x: 2).vector, at: Instant(microseconds: now + step.jump))
      #expect(told == !step.forgets, "\(step.name)")
    }
  }

  @Test func `vectors at the ends of the range and times at the ends of the clock do no harm`() {
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
    // After a pause it still works.
    var fired = false
    for index in 0..<5 {
      let motion = Vector3(x: Q16(raw: index % 2 == 0 ? .max : .min), y: .zero, z: .zero)
      fired = detector.step(
        Force(y: 1).vector, motion: motion, at: Instant(microseconds: 5_000_000 + Int64(index) * 100_000))
    }
    #expect(fired)
  }

  @Test func `a configuration that cannot work is refused with its reason`() throws {
    typealias Configuration = ShakeDetector.Configuration
    typealias Fault = ShakeConfigurationError
    #expect(try Configuration() == .standard)
    #expect(refusal { () throws(Fault) in try .init(threshold: Q16(raw: 16_383)) } == .threshold)
    #expect(refusal { () throws(Fault) in try .init(threshold: Q16(raw: 8 * 65_536 + 1)) } == .threshold)
    #expect(refusal { () throws(Fault) in try .init(reversals: 1) } == .reversals)
    #expect(refusal { () throws(Fault) in try .init(reversals: 9) } == .reversals)
    #expect(refusal { () throws(Fault) in try .init(window: Microseconds(99_999)) } == .window)
    #expect(refusal { () throws(Fault) in try .init(window: Microseconds(5_000_001)) } == .window)
    #expect(refusal { () throws(Fault) in try .init(shortestSwing: Microseconds(-1)) } == .shortestSwing)
    #expect(refusal { () throws(Fault) in try .init(shortestSwing: .milliseconds(201)) } == .shortestSwing)
    #expect(
      refusal { () throws(Fault) in
        try .init(reversals: 8, window: .milliseconds(349), shortestSwing: .milliseconds(50))
      } == .shortestSwing)
    #expect(refusal { () throws(Fault) in try .init(refractory: Microseconds(-1)) } == .refractory)
    #expect(refusal { () throws(Fault) in try .init(refractory: .seconds(11)) } == .refractory)
    #expect(refusal { () throws(Fault) in try .init(weightlessness: Q16(raw: -1)) } == .fall)
    #expect(refusal { () throws(Fault) in try .init(weightlessness: .one) } == .fall)
    #expect(refusal { () throws(Fault) in try .init(shortestFall: .milliseconds(9)) } == .fall)
    #expect(refusal { () throws(Fault) in try .init(longestGap: .zero) } == .longestGap)
    #expect(refusal { () throws(Fault) in try .init(longestGap: .seconds(3_601)) } == .longestGap)
    #expect(
      refusal { () throws(Fault) in
        try .init(
          threshold: Q16(1, over: 4), reversals: 8, window: .seconds(5), shortestSwing: .zero, refractory: .zero)
      } == nil)
  }

  private func refusal(_ make: () throws(ShakeConfigurationError) -> ShakeDetector.Configuration)
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

import FixedPoint
import Foundation
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing

/// Samples that are clipped, lost, late, repeated or absurd.
struct TroubleTests {
  /// A turn back and forth with a maximum of `speed` °/s.
  private static func swing(_ speed: Double) -> (Double) -> SIMD3<Double> {
    { SIMD3(0.6, 0.2, -0.75) * (speed * sin(2 * .pi * $0)) }
  }

  @Test static func `a clipped rate is counted and reported, and up is right again some seconds later`() throws {
    var board = FusedBoard(bias: SIMD3(2.7, -0.6, 1.8))
    board.move(for: 3)
    #expect(board.attitude?.certainty == .still)
    // 2500 °/s for a tenth of a second about X: 50° are lost.
    board.move(for: 0.1, rate: { _ in SIMD3(2_500, 0, 0) })
    #expect(board.attitude?.certainty == .clipped)
    let clipped = board.error
    #expect(clipped > 20)
    board.move(for: 10, rate: swing(60))
    #expect(board.error <= 5)
    #expect(board.attitude?.certainty == .moving)
    board.move(for: 3)
    #expect(board.attitude?.certainty == .still)
    #expect(board.error <= 0.5)
    #expect(board.biasError <= 0.1)
  }

  @Test static func `each clipped sample is counted once, for the rate and for the force`() {
    var fusion = Fusion()
    var time: Int64 = 0
    func step(_ force: SIMD3<Double>, _ rate: SIMD3<Double>) {
      time += 10_000
      _ = fusion.step(q16(force), rotation: q16(rate), at: Instant(microseconds: time))
    }
    for _ in 0..<100 { step(SIMD3(0, 0, 1), .zero) }
    #expect(fusion.clippedSamples == 0)
    for _ in 0..<3 { step(SIMD3(0, 0, 1), SIMD3(0, 32_767 / 16.4, 0)) }
    #expect(fusion.clippedSamples == 3)
    for _ in 0..<2 { step(SIMD3(-8, 0, 1), .zero) }
    #expect(fusion.clippedSamples == 5)
    step(SIMD3(0, 32_767 / 4_096.0, 1), SIMD3(0, 0, -32_768 / 16.4))
    #expect(fusion.clippedSamples == 6)
    step(SIMD3(0, 7.9, 1), SIMD3(0, 0, -1_990))
    #expect(fusion.clippedSamples == 6)
  }

  @Test(arguments: [2.0, 4, 8, 16])
  static func `values within 0.2 % of the end of a range are clipped, and none below`(_ range: Double) {
    for (share, isClipped) in [(0.5, false), (0.997, false), (0.9985, true), (1, true)] {
      for sign in [1.0, -1] {
        let end = Q16(raw: Int32(range * 65_536))
        var fusion = Fusion(Fusion.Configuration(rateRange: Q16(whole: 500), forceRange: end))
        _ = fusion.step(q16(SIMD3(0, 0, 1)), rotation: .zero, at: Instant(microseconds: 0))
        _ = fusion.step(q16(SIMD3(sign * share * range, 0, 1)), rotation: .zero, at: Instant(microseconds: 10_000))
        #expect(fusion.clippedSamples == (isClipped ? 1 : 0), "\(share) of \(range) g")
        _ = fusion.step(
          q16(SIMD3(0, 0, 1)), rotation: q16(SIMD3(0, sign * share * 500, 0)), at: Instant(microseconds: 20_000))
        #expect(fusion.clippedSamples == (isClipped ? 2 : 0), "\(share) of 500 °/s")
      }
    }
  }

  @Test static func `a clipped force leaves up in place`() {
    var board = FusedBoard(up: SIMD3(0, 1, 0))
    board.move(for: 3)
    var worst = 0.0
    board.move(
      for: 10, push: { SIMD2(0, 12 * sin(2 * .pi * 6 * $0)) }, each: { worst = max(worst, $0.error) })
    #expect(worst <= 4)
    #expect(board.changes.count == 1)
    #expect(board.attitude?.certainty != .clipped)
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  static func `up stays right with uneven timing and every tenth sample lost`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var board = FusedBoard(up: SIMD3(0.3, 0.8, 0.5), bias: SIMD3(9, -4, 2), seed: seed)
    board.move(for: 3)
    var worst = 0.0
    for index in 0..<6_000 {
      let rate = swing(90)(Double(index) / 100)
      let elapsed = 10_000 + Int64.random(in: -3_000...3_000, using: &generator)
      // The part measures the middle of the period.
      board.lose(elapsed / 2, rate: rate)
      let force = board.up
      board.lose(elapsed - elapsed / 2, rate: rate)
      if Int.random(in: 0..<10, using: &generator) == 0 { continue }
      board.sample(force, rate, after: 0)
      worst = max(worst, board.error)
    }
    #expect(worst <= 2)
    #expect(!board.changes.contains { $0.to.pose == nil })
  }

  @Test static func `a pause restarts the fusion with the known bias`() {
    for pause in [600_000, 5_000_000, 3_600_000_000] as [Int64] {
      var board = FusedBoard(bias: SIMD3(15, -3, 8))
      board.move(for: 3)
      board.lose(pause, rate: SIMD3(20, 40, 30))
      board.move(for: 0.1, rate: swing(30))
      #expect(board.error <= 2, "\(pause) µs")
      #expect(board.biasError <= 0.1, "\(pause) µs")
      board.move(for: 5, rate: swing(30))
      #expect(board.error <= 1, "\(pause) µs")
    }
  }

  @Test static func `a repeated instant changes nothing, and time that runs backwards restarts the fusion`() {
    var board = FusedBoard(bias: SIMD3(15, -3, 8))
    board.move(for: 3)
    board.move(for: 1, rate: swing(90))
    let before = board.attitude
    board.sample(SIMD3(3, -2, 1), SIMD3(300, 20, -100), after: 0)
    #expect(board.attitude == before)
    board.sample(board.up, .zero, after: -2_000_000)
    #expect(board.error <= 1)
    #expect(board.biasError <= 0.1)
    board.move(for: 3)
    #expect(board.isStill)
    #expect(board.error <= 0.5)
  }

  @Test static func `a turn of any speed up to 2000 °/s is followed at 100 Hz and at 50 Hz`() {
    for period in [10_000, 20_000] as [Int64] {
      for speed in [100.0, 500, 1_000, 1_900] {
        var board = FusedBoard(up: SIMD3(0.2, 0.9, 0.3))
        board.period = period
        board.move(for: 3)
        let axis = SIMD3(0.6, -0.64, 0.48)
        board.move(for: 1, rate: { axis * (speed * sin(.pi * $0)) })
        board.move(for: 0.1)
        #expect(board.error <= 1 + speed / 500, "\(speed) °/s at \(period) µs")
      }
    }
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  static func `no input traps, up keeps its length, and after a rest everything is right again`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let extremes: [Int32] = [.min, .min + 1, -1, 0, 1, .max - 1, .max, 1 << 30, -(1 << 30), 65_536]
    var pipeline = Pipeline(Pipeline.Configuration(gravity: .fusion(Fusion.Configuration(bias: .zero))))
    var time: Int64 = 0
    func component() -> Q16 {
      Q16(
        raw: Bool.random(using: &generator)
          ? extremes.randomElement(using: &generator) ?? 0 : .random(in: .min ... .max, using: &generator))
    }
    for index in 0..<100_000 {
      let pauses: [Int64] = [10_000, 10_000, 1, 16_384, 16_385, 499_999, 500_001, -1_000, 0, .max / 4, .min / 4]
      time = time &+ (pauses.randomElement(using: &generator) ?? 0)
      let force = Vector3(x: component(), y: component(), z: component())
      let rotation = Vector3(x: component(), y: component(), z: component())
      _ = pipeline.step(
        Sensors.Measurement(force: force, rotation: rotation), at: Instant(microseconds: time))
      if index % 100 == 0, let attitude = pipeline.attitude {
        #expect(abs(attitude.up.double.length - 1) < 1e-6)
        #expect(abs(attitude.bias.double.x) <= 40.001)
      }
    }
    time = 0
    for _ in 0..<1_000 {
      time += 10_000
      let force = SIMD3(0, 0.6, 0.8) + SIMD3(generator.normal(), generator.normal(), generator.normal()) * 0.004
      let rate = SIMD3(3, -2, 1) + SIMD3(generator.normal(), generator.normal(), generator.normal()) * 0.05
      _ = pipeline.step(
        Sensors.Measurement(force: q16(quantised(force: force)), rotation: q16(quantised(rate))),
        at: Instant(microseconds: time))
    }
    #expect(pipeline.isStill)
    #expect(pipeline.attitude?.up.double.angle(to: SIMD3(0, 0.6, 0.8)) ?? 180 <= 0.5)
    #expect(abs((pipeline.attitude?.bias.double.x ?? 99) - 3) <= 0.1)
  }

  @Test(
    arguments: [
      (.min, 0.1), (0, 0.1), (10_000, 0.1), (100_000, 0.1), (100_001, 0.1), (2_200_000, 2.2), (60_000_000, 60),
      (.max, 60),
    ] as [(Int64, Double)])
  static func `a time constant counts from 0.1 to 60 s, and is clamped to these ends`(
    count: Int64, timeConstant: Double
  ) {
    var fusion = Fusion(Fusion.Configuration(timeConstant: Microseconds(count)))
    var time: Int64 = 0
    func step(_ force: SIMD3<Double>) -> Double {
      time += 16_000
      return fusion.step(q16(force), rotation: .zero, at: Instant(microseconds: time)).double.x
    }
    // At rest the bias becomes known, and the time constant reaches its full length.
    for _ in 0..<200 { _ = step(SIMD3(0, 0, 1)) }
    #expect(fusion.isStill)
    let gain = 1 - exp(-0.016 / timeConstant)
    var (gravity, trend, worst) = (0.0, 0.0, 0.0)
    for _ in 0..<400 {
      let before = gravity
      trend += (0.5 - gravity - trend) * gain
      gravity += trend * gain
      worst = max(worst, abs(step(SIMD3(0.5, 0, 1)) - (gravity + (gravity - before) / 2)))
    }
    #expect(gravity > 0.001)
    #expect(worst <= 0.003)
  }

  @Test static func `extreme configurations do not trap`() {
    for count in [.min, -1, 0, 1, .max] as [Int64] {
      for raw in [.min, -1, 0, 1, .max] as [Int32] {
        let configuration = Fusion.Configuration(
          timeConstant: Microseconds(count), longestGap: Microseconds(count), rateRange: Q16(raw: raw),
          forceRange: Q16(raw: raw), bias: Vector3(x: Q16(raw: raw), y: Q16(raw: raw), z: Q16(raw: raw)))
        var fusion = Fusion(configuration)
        for index in 0..<300 {
          let value = Vector3(x: Q16(raw: raw), y: Q16(raw: index % 7 == 0 ? .max : 65_536), z: Q16(raw: .min))
          _ = fusion.step(value, rotation: value, at: Instant(microseconds: Int64(index) * 10_000))
        }
        #expect(abs(fusion.up.double.length - 1) < 1e-6)
      }
    }
  }
}

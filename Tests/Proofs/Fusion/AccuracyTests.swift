import FixedPoint
import Foundation
import Monitor
import Orientation
import TestSupport
import Testing

/// The fusion on movements whose true up is known.
struct AccuracyTests {
  /// The result of a trial, over its samples in movement with a known truth.
  struct Outcome {
    var samples = 0
    var square = 0.0
    var greatest = 0.0
    var wrong = 0
    var unknown = 0

    var error: Double { (square / Double(max(1, samples))).squareRoot() }
  }

  /// Plays a trial to a pipeline with fusion, beside a tracker of the same configuration that gets the true up.
  static func play(_ trial: Trial, from start: Instant = Instant(microseconds: 0)) -> Outcome {
    var pipeline = Pipeline(Pipeline.Configuration(gravity: .fusion(Fusion.Configuration())))
    var truth = PoseTracker(.fused)
    var outcome = Outcome()
    for row in trial.rows {
      let reading = pipeline.step(row.measurement, at: row.time)
      guard let up = row.up else {
        _ = truth.expire(at: row.time)
        continue
      }
      _ = truth.expire(at: row.time)
      _ = truth.step(q16(up), at: row.time)
      guard row.isMoving, row.time >= start, let attitude = pipeline.attitude else { continue }
      let error = attitude.up.double.angle(to: up)
      outcome.samples += 1
      outcome.square += error * error
      outcome.greatest = max(outcome.greatest, error)
      if reading.state.pose == nil {
        outcome.unknown += 1
      } else if reading.state != truth.state {
        outcome.wrong += 1
      }
    }
    return outcome
  }

  static func mean(_ outcomes: [Outcome]) -> Double { outcomes.map(\.error).reduce(0, +) / Double(outcomes.count) }

  @Test static func `the mean error of up is at most 0.56°, and no trial's is above 0.95°`() {
    let outcomes = Trial.all.map { Self.play($0) }
    #expect(outcomes.count == 8)
    for (trial, outcome) in zip(Trial.all, outcomes) {
      #expect(outcome.samples > 5_000)
      #expect(outcome.error <= 0.95, "\(trial.name)")
      #expect(outcome.greatest <= 4, "\(trial.name)")
    }
    #expect(Self.mean(outcomes) <= 0.56)
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  static func `a constant bias of up to 20 °/s per axis adds at most 0.05° to any trial's error`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    for trial in Trial.all {
      let bias = SIMD3<Double>.random(in: -20...20, using: &generator)
      let (without, with) = (Self.play(trial).error, Self.play(trial.biased(by: bias)).error)
      #expect(with <= without + 0.05, "\(trial.name), \(bias) °/s")
    }
  }

  @Test static func `the pose is right for all but 0.6 % of the time in movement, and never unknown`() {
    let outcomes = Trial.all.map { Self.play($0) }
    let samples = outcomes.map(\.samples).reduce(0, +)
    let wrong = outcomes.map(\.wrong).reduce(0, +)
    #expect(samples > 50_000)
    #expect(Double(wrong) <= 0.006 * Double(samples), "\(wrong) of \(samples)")
    #expect(outcomes.allSatisfy { $0.unknown == 0 })
  }

  @Test(arguments: [
    (SIMD3(0.0, 0, 0), 0.8), (SIMD3(2.7, -0.6, 1.8), 1.5), (SIMD3(-8.0, 6, 10), 4), (SIMD3(-20.0, 20, 12), 7.5),
  ])
  static func `switched on during a movement, the fusion starts at once and converges on up`(
    bias: SIMD3<Double>, limit: Double
  ) {
    let cut = Trial.all.map { $0.biased(by: bias).withoutRest }
    let whole = Self.mean(cut.map { Self.play($0) })
    let late = Self.mean(cut.map { Self.play($0, from: $0.rows[0].time + .seconds(60)) })
    #expect(whole <= limit, "\(bias) °/s")
    #expect(late <= max(1.0, limit * 0.9), "\(bias) °/s")
  }

  @Test(arguments: Trial.all)
  static func `the fusion matches a model of it in Double within 0.03°`(trial: Trial) {
    var fusion = Fusion()
    var model = FusionModel(timeConstant: 2.2)
    var last: Instant?
    var worst = 0.0
    for row in trial.rows {
      _ = fusion.step(q16(row.force), rotation: q16(row.rate), at: row.time)
      let elapsed = last.map { Double((row.time - $0).count) / 1e6 } ?? 0
      last = row.time
      let up = model.step(row.force, rate: row.rate - fusion.bias.double, elapsed: elapsed)
      if row.isMoving { worst = max(worst, fusion.up.double.angle(to: up)) }
    }
    #expect(worst > 0 && worst <= 0.03)
  }
}

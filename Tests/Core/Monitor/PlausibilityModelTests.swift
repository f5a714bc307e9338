import FixedPoint
import HAL
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing

/// The verdicts on random samples, against a model that counts anew from all of them.
struct PlausibilityModelTests {
  private struct Sample {
    var force: Vector3
    var rotation: Vector3?
    var at: Int64
  }

  private static let policies: [FaultPolicy] = [0, 1, 2, 5].flatMap { limit in
    [(0, 0), (0, 60), (200, 0), (200, 60)].map { quiet, weightless in
      FaultPolicy(
        retries: 0, implausibleLimit: limit, quietLimit: .milliseconds(quiet),
        weightlessLimit: .milliseconds(weightless))
    }
  }

  private static let fullScale = Q16(whole: 2)
  /// 40 and 2000 °/s, and a unit less.
  private static let turns: [Int32] = [2_621_439, 2_621_440, 131_071_999, 131_072_000]
  private static let times: [Int64] = [0, 10_000, 10_000, 10_000, 50_000, 59_999, 60_000, 60_001]
  private static let rotationFullScale = Q16(whole: 2_000)

  /// What the documentation of `FaultPolicy` says of a row of samples.
  private struct Model {
    var policy: FaultPolicy
    var samples: [Sample] = []
    /// Samples before these count neither as light nor as turning at full scale.
    var begin = 0
    var turnedDoubtful = false

    /// The length of the row at the end of the samples for which `isIn` holds.
    private func row(from begin: Int = 0, _ isIn: (Int) -> Bool) -> Int {
      var count = 0
      while samples.count - 1 - count >= begin, isIn(samples.count - 1 - count) { count += 1 }
      return count
    }

    private static func size(_ vector: Vector3) -> Int64 {
      [vector.x, vector.y, vector.z].map { abs(Int64($0.raw)) }.max() ?? 0
    }

    /// At most 0.25 g on each axis.
    private static func isSmall(_ a: Vector3, _ b: Vector3) -> Bool {
      zip([a.x, a.y, a.z], [b.x, b.y, b.z]).allSatisfy { abs(Int64($0.raw) - Int64($1.raw)) <= 16_384 }
    }

    /// Whether four small steps before sample `end` show that the sensor has noise.
    private func isLively(before end: Int) -> Bool {
      var (steps, equal) = (0, 0)
      for index in 0..<end where index > 0 {
        guard samples[index].force != samples[index - 1].force else {
          equal += 1
          continue
        }
        if equal >= Int(policy.implausibleLimit) { steps = 0 }
        equal = 0
        if Self.isSmall(samples[index].force, samples[index - 1].force) { steps += 1 }
      }
      return steps >= 4
    }

    mutating func take(_ sample: Sample) -> (error: SensorError?, isDoubtful: Bool) {
      samples.append(sample)
      let (last, limit) = (samples.count - 1, Int(policy.implausibleLimit))
      let light = row(from: begin) { Self.size(samples[$0].force) < Int64(policy.weightlessForce.raw) }
      let full = row { Self.size(samples[$0].force) >= Int64(fullScale.raw) }
      let equal = row { $0 > 0 && samples[$0].force == samples[$0 - 1].force }
      let isWeighed = policy.weightlessLimit > .zero
      var error: SensorError?
      if limit > 0, full >= limit {
        error = .stuckAtFullScale
      } else if isWeighed, light > 0, sample.at - samples[last - light + 1].at > policy.weightlessLimit.count {
        error = .weightless
      } else if limit > 0, equal >= limit {
        let first = last - equal + 1
        if isLively(before: first) || sample.at - samples[first].at >= policy.quietLimit.count { error = .frozen }
      }
      let isDoubtful = limit > 0 && (equal > 0 || full > 0) || isWeighed && light > 0
      guard limit > 0, let rotation = sample.rotation else { return (error, isDoubtful || turnedDoubtful) }
      let turned = judge(rotation, sample)
      return (error ?? turned, isDoubtful || turnedDoubtful)
    }

    /// How often rotations change, averaged over 64 samples, in 2^-16.
    private func share(through end: Int) -> Int32 {
      var share: Int32 = 0
      for index in 0...end {
        let hasChanged = index == 0 || samples[index].rotation != samples[index - 1].rotation
        share += hasChanged ? min(65_536 - share, (65_536 - share + 63) / 64) : -(share / 64)
      }
      return share
    }

    private mutating func judge(_ rotation: Vector3, _ sample: Sample) -> SensorError? {
      let last = samples.count - 1
      let full = row(from: begin) {
        samples[$0].rotation.map { Self.size($0) >= Int64(rotationFullScale.raw) } ?? false
      }
      let isFull = Self.size(rotation) >= Int64(rotationFullScale.raw)
      let equal = row { $0 > 0 && samples[$0].rotation == samples[$0 - 1].rotation }
      let first = last - equal
      let isStuck = full > 0 && sample.at - samples[last - full + 1].at >= policy.quietLimit.count
      let hasMoved = samples[first...].contains { !Self.isSmall($0.force, samples[first].force) }
      let isTurning = Self.size(rotation) >= 40 * 65_536
      let isLong = sample.at - samples[first].at >= policy.quietLimit.count
      // 85 % of the samples differed from the one before.
      let isFrozen =
        equal >= Int(policy.implausibleLimit)
        && (share(through: first) >= 55_706 || (hasMoved || isTurning) && isLong)
      turnedDoubtful = isStuck || isFrozen || turnedDoubtful && (equal > 0 || isFull)
      return isStuck ? .stuckAtFullScale : isFrozen ? .frozen : nil
    }
  }

  private static func next(_ last: Vector3, _ choice: Int, _ dice: inout SplitMix64) -> Vector3 {
    func step(_ size: Int32) -> Int32 { Bool.random(using: &dice) ? size : 0 - size }
    func along(_ value: Int32) -> Vector3 {
      var raw: [Int32] = [3, 5, 7]
      raw[Int.random(in: 0..<3, using: &dice)] = Bool.random(using: &dice) ? value : 0 - value
      return Vector3(x: Q16(raw: raw[0]), y: Q16(raw: raw[1]), z: Q16(raw: raw[2]))
    }
    switch choice {
    case 0: return last
    case 1: return along(step(1) + 60_000)
    case 2, 3, 4:
      // The limit of a small step, exactly and one unit more.
      let size: Int32 = choice == 2 ? Int32.random(in: 1...16_384, using: &dice) : choice == 3 ? 16_384 : 16_385
      switch Int.random(in: 0..<3, using: &dice) {
      case 0: return Vector3(x: Q16(raw: last.x.raw + (last.x.raw > 0 ? 0 - size : size)), y: last.y, z: last.z)
      case 1: return Vector3(x: last.x, y: Q16(raw: last.y.raw + (last.y.raw > 0 ? 0 - size : size)), z: last.z)
      default: return Vector3(x: last.x, y: last.y, z: Q16(raw: last.z.raw + (last.z.raw > 0 ? 0 - size : size)))
      }
    case 5: return along(131_071)
    case 6: return along(131_072 + Int32.random(in: 0...1, using: &dice))
    case 7: return along(13_106 - Int32.random(in: 0...1, using: &dice))
    default: return along(13_107)
    }
  }

  @Test(arguments: [false, true])
  static func `every verdict, and every sample that is used or not, is that of the model`(_ turns: Bool) {
    var errors: Set<FaultKind> = []
    for (index, policy) in Self.policies.enumerated() {
      for seed in 0..<6 as Range<UInt64> {
        var dice = SplitMix64(seed: seed * 100 + UInt64(index) + (turns ? 5_000 : 0))
        var configuration = Monitor.Configuration(
          period: .zero, fullScale: Self.fullScale, faults: policy, rotationFullScale: Self.rotationFullScale)
        configuration.faults.firstBackOff = .zero
        var (monitor, model) = (Monitor(configuration, at: at(0)), Model(policy: policy))
        var (force, rotation) = (Vector3.zero, Vector3.zero)
        var (time, isImplausible) = (Int64(0), false)
        var (forces, turning, left) = (0, 0, 0)
        for number in 0..<110 {
          if left == 0 {
            (forces, turning) = (Int.random(in: 0...8, using: &dice), Int.random(in: 0...3, using: &dice))
            left = Int.random(in: 1...(turning == 1 ? 40 : 9), using: &dice)
          }
          left -= 1
          if Int.random(in: 0..<40, using: &dice) == 0 {
            _ = monitor.failed(.bus(.busy), at: Instant(microseconds: time))
            model.begin = model.samples.count
          }
          force = Self.next(force, forces, &dice)
          let limit = Self.turns[Int.random(in: 0..<4, using: &dice)]
          switch turning {
          case 0: break
          case 1: rotation = Vector3(x: Q16(raw: Int32(number) * 7), y: rotation.y, z: .zero)
          case 2: rotation = Vector3(x: .zero, y: Q16(raw: 0 - limit), z: Q16(raw: Int32(number)))
          default: rotation = left == 0 ? Vector3(x: Q16(raw: limit), y: .zero, z: .zero) : rotation
          }
          let sample = Sample(force: force, rotation: turns ? rotation : nil, at: time)
          let before = monitor.counters.faultKinds
          let seen = monitor.sampled(
            Measurement(force: force, rotation: sample.rotation), at: Instant(microseconds: time))
          let expected = model.take(sample)
          let found = FaultKind.allCases.first { monitor.counters.faultKinds[$0] != before[$0] }
          let name = "policy \(index), seed \(seed), sample \(number)"
          expect(found, equals: expected.error?.kind, "\(name)")
          if let found { errors.insert(found) }
          isImplausible = isImplausible || expected.error != nil
          let isUsed = expected.error == nil && !(isImplausible && expected.isDoubtful)
          expect(seen.reading != nil, equals: isUsed, "\(name)")
          if isUsed { isImplausible = false }
          guard found == expected.error?.kind, (seen.reading != nil) == isUsed else { return }
          time += Self.times[Int.random(in: 0..<8, using: &dice)]
        }
      }
    }
    expect(errors, equals: [.frozen, .stuckAtFullScale, .weightless])
  }
}

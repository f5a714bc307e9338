import FixedPoint
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing

struct PipelineTests {
  @Test
  static func `a fresh reading says which of its angles are noise`() {
    let flat = FreshReading(
      instant: Instant(microseconds: 0), force: Vector3(x: .zero, y: .zero, z: .one), state: .known(.faceUp))
    let upright = FreshReading(
      instant: Instant(microseconds: 0), force: Vector3(x: .zero, y: .one, z: .zero), state: .known(.portrait))
    expect(that: flat.isFlat)
    expect(that: !flat.isOnEnd)
    expect(that: !upright.isFlat)
    expect(that: upright.isOnEnd)
  }

  @Test
  static func `motion is the force high-passed with the gravity filter's time constant`() {
    var pipeline = Pipeline()
    // The published high-pass, y = k (y + x - previous x) with k = RC / (dt + RC), in Double.
    var model = 0.0
    var previous = 0.0
    var time: Int64 = 0
    for step in 0..<5_000 {
      let elapsed = Int64(5_000 + (step * 7_919) % 30_000)
      time += elapsed
      let raw = Int32((step * 104_729) % 131_072 - 65_536)
      let force = Vector3(x: Q16(raw: raw), y: .one, z: .zero)
      let reading = pipeline.step(force, at: Instant(microseconds: time))
      let x = Double(raw) / 65_536
      let gain = 200_000 / Double(elapsed + 200_000)
      model = step == 0 ? 0 : gain * (model + x - previous)
      previous = x
      expect(abs(Double(reading.motion.x.raw) / 65_536 - model), isBelow: 1e-4)
    }
  }

  @Test
  static func `a reading has the angles of the calibrated, mounted force and the steering of its gravity`() throws {
    let mounting = try Mounting(x: .minusY, y: .plusX, z: .plusZ)
    var pipeline = Pipeline(Pipeline.Configuration(alignment: Alignment(.none, mounting)))
    let measured = Vector3(x: Q16(1, over: 2), y: Q16(-3, over: 4), z: Q16(1, over: 8))
    let reading = pipeline.step(measured, at: Instant(microseconds: 0))
    expect(reading.force, equals: Vector3(x: Q16(3, over: 4), y: Q16(1, over: 2), z: Q16(1, over: 8)))
    expect(reading.angles, equals: Angles(of: reading.force, gravity: reading.gravity))
    expect(reading.angles.level, equals: -reading.angles.device)
    expect(reading.state, equals: .known(.landscapeLeft))
  }

  @Test
  static func `the angles of a reading are those of its force, to the last bit`() {
    var pipeline = Pipeline()
    var state: UInt64 = 7
    func component() -> Q16 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Q16(raw: Int32(truncatingIfNeeded: state >> 40) % 131_072)
    }
    for step in 0..<20_000 {
      let force = Vector3(x: component(), y: component(), z: component())
      let reading = pipeline.step(force, at: Instant(microseconds: Int64(step) * 10_000))
      expect(reading.angles, equals: Angles(of: force, gravity: reading.gravity))
    }
  }

  @Test
  static func `a pause gives up the pose before the sample that ends it decides again`() {
    var pipeline = Pipeline()
    let force = Vector3(x: .zero, y: .one, z: .zero)
    _ = pipeline.step(force, at: Instant(microseconds: 0))
    let reading = pipeline.step(force, at: Instant(microseconds: 1_000_001))
    expect(reading.expired, equals: PoseChange(from: .known(.portrait), to: .unknown(.stale)))
    expect(reading.change, equals: PoseChange(from: .unknown(.stale), to: .known(.portrait)))
  }

  @Test(arguments: [50, 200, 1_000] as [Int64])
  static func `another gravity filter changes gravity, motion and steering, and nothing else`(milliseconds: Int64) {
    let settings = AdaptiveFilterConfiguration(LowPass.Configuration(timeConstant: .milliseconds(milliseconds)))
    var (standard, chosen) = (Pipeline(), Pipeline(Pipeline.Configuration(gravity: .adaptive(settings))))
    var filter = AdaptiveLowPass(settings)
    for step in 0..<4_000 {
      // A turn back and forth through 120° in 20 s.
      let angle = BinaryAngle(degrees: Int32(abs(step % 2_000 - 1_000) * 120 / 1_000))
      let (sine, cosine) = angle.sinCos
      let force = Vector3(x: Q16(raw: -sine >> 15), y: Q16(raw: cosine >> 15), z: Q16(1, over: 4))
      let now = Instant(microseconds: Int64(step) * 10_000)
      let (usual, other) = (standard.step(force, at: now), chosen.step(force, at: now))
      let gravity = filter.step(force, at: now)
      expect(other.gravity, equals: gravity)
      expect(other.motion, equals: force.subtracting(gravity))
      expect(other.angles, equals: Angles(of: force, gravity: gravity))
      expect((other.state, other.force), equals: (usual.state, usual.force))
      expect((other.change, other.expired), equals: (usual.change, usual.expired))
      expect((other.angles.device, other.angles.pitch), equals: (usual.angles.device, usual.angles.pitch))
      // Finer than the reading's angle, which comes from gravity rounded to Q16.16.
      expect((chosen.steeringAngle - gravity.steeringAngle).degrees.raw.magnitude, isBelow: 6_554)
    }
  }

  @Test(arguments: [false, true])
  static func `a slow board's period is not a gap, for any gravity filter`(isAdaptive: Bool) {
    var configuration = Monitor.Configuration(period: .seconds(2), fullScale: Q16(whole: 16))
    if isAdaptive { configuration.pipeline.gravity = .adaptive(AdaptiveFilterConfiguration()) }
    var monitor = Monitor(configuration, at: Instant(microseconds: 0))
    var gravities: [Vector3] = []
    for step in 0..<20 {
      let force = Vector3(x: Q16(raw: step.isMultiple(of: 2) ? 300 : -300), y: .one, z: .zero)
      let report = monitor.sampled(force, at: Instant(microseconds: Int64(step) * 2_000_000))
      if let reading = report.reading { gravities.append(reading.gravity) }
    }
    // A filter that restarted with each sample would let it through.
    expect(gravities.count, equals: 20)
    expect(all: gravities.dropFirst()) { $0.x.raw.magnitude < 300 }
  }

  @Test(arguments: [1_000_000, 40_001] as [Int64])
  static func `with fusion a fall gives up the pose once nothing has supported the board for longer than patience`(
    _ patience: Int64
  ) throws {
    let tracker = try PoseTracker.Configuration(dwell: .zero, patience: Microseconds(patience))
    var random = SplitMix64(seed: 30)
    for trial in 0..<40 {
      var pipeline = Pipeline(Pipeline.Configuration(gravity: .fusion(Fusion.Configuration()), tracker: tracker))
      // Pose and time since which nothing supports the board. A sample without a rate of rotation does not count.
      var (held, now, expected): (Int64, Int64, PoseState) = (0, 0, .unknown(.notYetSampled))
      if trial % 2 == 0 {
        expected = .known(.portrait)
        expect(
          pipeline.step(Measurement(force: Vector3(x: .zero, y: .one, z: .zero)), at: Instant(microseconds: 0)).state,
          equals: expected)
      }
      for step in 0..<60 {
        let isFalling = trial % 2 == 0 && step < 4 || Int.random(in: 0..<8, using: &random) > 0
        // Half way, exactly when patience ends, and a microsecond later; sometimes back.
        let wanted = [held + patience / 2, held + patience, held + patience + 1].first { $0 > now }
        now = wanted ?? now + Int64.random(in: -60_000...400_000, using: &random)
        if !isFalling || now < held { held = now }
        let before = expected
        if isFalling && (now - held > patience || expected.pose == nil) {
          expected = .unknown(.freeFall)
        } else {
          expected = .known(.portrait)
        }
        let force = Vector3(x: .zero, y: isFalling ? Q16(1, over: 4) : .one, z: .zero)
        let reading = pipeline.step(Measurement(force: force, rotation: .zero), at: Instant(microseconds: now))
        expect(reading.state, equals: expected, "step \(step) of \(trial)")
        expect(reading.expired, equals: nil, "step \(step) of \(trial)")
        expect(reading.change, equals: (before == expected ? nil : PoseChange(from: before, to: expected)))
      }
    }
  }
}
